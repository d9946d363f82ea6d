"""Types of options, with the limits and errors of the arguments of the public functions."""

from __future__ import annotations

import math
import os
from typing import Any

import click

from levelhead.api.limits import LIMITS
from levelhead.errors import unknown


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only in newer versions of click
    """A choice of values; the error for an unknown value suggests a similar value.

    Args:
        choices: the values.
        kind: the kind of value, for errors: "parser"; by default "value".
    """

    def __init__(self, choices: Any, kind: str = "value") -> None:
        super().__init__(tuple(choices))
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value."""
        if value not in self.choices:
            self.fail(unknown(self.kind, str(value), self.choices), param, ctx)
        return value

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return a one-line hint for a missing value."""
        return f"use {', '.join(self.choices)}"


class InputPath(click.Path):
    """A path that is not empty; whether it can be read is checked when it is opened, with the errors of all files.

    Args:
        kind: the type of the value, `str` or `Path`.
    """

    def __init__(self, kind: type = str) -> None:
        super().__init__(readable=False, path_type=kind)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if not os.fspath(value):
            self.fail("the path is empty: name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A range of finite numbers."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; infinity and NaN are refused."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


def limited(name: str) -> click.IntRange:
    """Return the type of an option that is a whole number."""
    return click.IntRange(*LIMITS[name])
