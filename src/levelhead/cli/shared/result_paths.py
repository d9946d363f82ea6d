"""Paths of results, checked when the command line is parsed, so that long work does not end in "cannot be written"."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click


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
            from levelhead.report.page.report_folder import check_report_folder

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


def refuse_compressed(what: str, path: str | None) -> None:
    """Refuse names of compressed files, since commands write no compressed files."""
    from levelhead.treebank.input_bytes import SUFFIXES

    if path is not None and path.lower().endswith(SUFFIXES):
        raise click.UsageError(f"{what} not compressed: use a name without .gz, .bz2, .xz or .zst")
