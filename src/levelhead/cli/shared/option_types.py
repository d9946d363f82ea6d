"""Types of options and arguments.

Numbers have the limits of the arguments of the public functions. Paths of results are checked when the command line is
parsed, so that long work does not end in "cannot be written".
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import click

from levelhead.arguments import LIMITS
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


PATH = InputPath()
"""The path of a file or folder."""


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


class ResultPath(click.Path):
    """The path of a result; it is checked before the command reads any input.

    Args:
        folder: whether the path is a folder, created if missing, in which files are written; None if the command
            decides.
        library: returns the optional library that a path requires and its use, `("jinja2", "reports")`, or None.
        kind: the type of the value, `str` or `Path`.
    """

    def __init__(
        self,
        *,
        folder: bool | None = False,
        library: Callable[[str], tuple[str, str] | None] = lambda _: None,
        kind: type = str,
    ) -> None:
        super().__init__(readable=False, path_type=kind)
        self.folder, self.library = folder, library

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path if the result can be written there."""
        path = super().convert(value, param, ctx)
        if ctx is None or not ctx.resilient_parsing:  # true for shell completion
            self._check(os.fsdecode(path))
        return path

    def _check(self, path: str) -> None:
        from levelhead.treebank.write import check_file, check_folder

        needed = self.library(path)
        if needed is not None:
            from levelhead.extras import require

            require(*needed)
        is_folder = not os.path.isfile(path) if self.folder is None else self.folder  # noqa: PTH113 -- never raises
        (check_folder if is_folder else check_file)(path)


class ReportPath(ResultPath):
    """A page, or a folder of pages: an existing folder, or a name that ends in a slash."""

    def _check(self, path: str) -> None:
        from levelhead.extras import require

        require("jinja2", "reports")
        if path.endswith(("/", os.sep)) or os.path.isdir(path):  # noqa: PTH112 -- pathlib is slow to load
            from levelhead.report.page.ranking_report import check_report_folder

            check_report_folder(path)
        else:
            super()._check(path)


class StorePath(ResultPath):
    """The path of a store; an existing file must be a store."""

    def _check(self, path: str) -> None:
        from levelhead.jobs.store import check_store

        check_store(path)


RESULT = ResultPath()
"""A file."""

STORE = StorePath()
"""A store."""

RESULT_FOLDER = ResultPath(folder=True)
"""A folder."""

RESULT_OR_FOLDER = ResultPath(folder=None)
"""A file or a folder; the command decides which."""

REPORT = ResultPath(library=lambda _: ("jinja2", "reports"))
"""An HTML page."""

REPORT_OR_FOLDER = ReportPath()
"""An HTML page, or a folder of pages."""

FIGURES = ResultPath(folder=True, library=lambda _: ("vl_convert", "figures"))
"""A folder of charts and tables."""

CHART = ResultPath(library=lambda path: ("vl_convert", "figures") if path.lower().endswith((".png", ".pdf")) else None)
"""A single chart."""
