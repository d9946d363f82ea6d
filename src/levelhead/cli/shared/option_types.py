"""Types of options and arguments.

Numbers have the limits of the arguments of the public functions. Paths of results are checked when the command line is
parsed, so that long work does not end in "cannot be written".
"""

from __future__ import annotations

import math
import os
from typing import Any

import click

from levelhead.arguments import LIMITS
from levelhead.errors import unknown


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only in newer versions of click
    """A choice of values of a kind, such as "parser"; the error for an unknown value suggests a similar value."""

    def __init__(self, choices: Any, kind: str = "value") -> None:
        super().__init__(tuple(choices))
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            self.fail(unknown(self.kind, str(value), self.choices), param, ctx)
        return value

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return f"use {', '.join(self.choices)}"


class InputPath(click.Path):
    """A path that is not empty; whether it can be read is checked when it is opened, with the errors of all files."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value):
            self.fail("the path is empty: name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A range of finite numbers."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


def limited(name: str) -> click.IntRange:
    """Return the type of an option that is a whole number."""
    return click.IntRange(*LIMITS[name])


class ResultPath(click.Path):
    """The path of a result; it is checked before the command reads any input.

    What is written: "file", "folder" (created if missing), "file or folder" (the command decides), "page", "pages" (a
    page, or a folder of pages: an existing folder, or a name that ends in a slash), "study" (a page in HTML or
    Markdown), "figures", "chart" or "store".
    """

    def __init__(self, what: str = "file", kind: type = str) -> None:
        super().__init__(readable=False, path_type=kind)
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if ctx is None or not ctx.resilient_parsing:  # true for shell completion
            self._check(os.fsdecode(path))
        return path

    def _check(self, path: str) -> None:
        from levelhead.extras import require
        from levelhead.treebank.write import check_file, check_folder

        if self.what in {"page", "pages"} or (self.what == "study" and path.endswith(".html")):
            require("jinja2", "reports")
        if self.what == "figures" or (self.what == "chart" and path.lower().endswith((".png", ".pdf"))):
            require("vl_convert", "figures")
        if self.what == "store":
            from levelhead.jobs.store import check_store

            check_store(path)
        elif self.what == "pages" and (path.endswith(("/", os.sep)) or os.path.isdir(path)):  # noqa: PTH112
            from levelhead.report.page.ranking_report import check_report_folder

            check_report_folder(path)
        elif self.what in {"folder", "figures"} or (self.what == "file or folder" and not os.path.isfile(path)):  # noqa: PTH113 -- never raises
            check_folder(path)
        else:
            check_file(path)


PATH = InputPath(readable=False, path_type=str)
RESULT = ResultPath()
RESULT_FOLDER = ResultPath("folder")
CHART = ResultPath("chart")
