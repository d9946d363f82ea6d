"""Values of options: the limits and the errors are those of the library's arguments."""

from __future__ import annotations

import math
from typing import Any

import click

from levelhead.api.limits import LIMITS
from levelhead.errors import unknown


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only in newer versions of click
    """One of some values; the error suggests a similar one.

    Args:
        choices: the values.
        kind: what has such a name: "parser"; "value" if it has no name of its own.
    """

    def __init__(self, choices: Any, kind: str = "value") -> None:
        super().__init__(tuple(choices))
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value.

        Args:
            value: what was written.
            param: the option or argument.
            ctx: the command.

        Raises:
            click.BadParameter: the value is unknown.
        """
        if value not in self.choices:
            self.fail(unknown(self.kind, str(value), self.choices), param, ctx)
        return value

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return what to give where the value is missing, on one line.

        Args:
            param: the option or argument.
            ctx: the command; without it in older versions of click.
        """
        return f"use {', '.join(self.choices)}"


class FiniteRange(click.FloatRange):
    """A range of numbers without infinity and without what is not a number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, refused if it is not finite."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


def limited(name: str) -> click.IntRange:
    """Return the type of an option that is a whole number.

    Args:
        name: a name of `LIMITS`.
    """
    return click.IntRange(*LIMITS[name])
