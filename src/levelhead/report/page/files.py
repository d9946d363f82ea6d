"""The charts and tables of a page as files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from levelhead.errors import Fault, InputError, OutputError, Place
from levelhead.report.page.blocks import Block, Page
from levelhead.report.page.charts import heat
from levelhead.report.page.svg import Drawing
from levelhead.report.table import Table, formatted
from levelhead.report.writers import to_latex, to_tsv


def write_figures(page: Page, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every chart of a page as SVG, PDF and PNG, and every table as TSV and LaTeX.

    Args:
        page: the page.
        folder: where to; it is made if it is not there.

    Returns:
        The files.

    Raises:
        InputError: vl-convert is not installed.
        OutputError: a file cannot be written.
    """
    from levelhead.treebank.write import replace_file

    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(reason, "output", Place(os.fspath(folder))) from error
    written = []
    for section in page.sections:
        for block in section.blocks:
            for name, data in _files(block, f"{section.title}: {block.title}".removesuffix(": ")):
                replace_file(target / name, [data])
                written.append(target / name)
    return written


def _files(block: Block, title: str) -> Iterator[tuple[str, bytes]]:
    drawing, table = _drawing(block, title), _table(block)
    if drawing is not None:
        yield from ((f"{block.name}{suffix}", data) for suffix, data in _drawn(drawing))
    if table is not None:
        yield f"{block.name}.tsv", to_tsv(table).encode("utf-8", "backslashreplace")
        yield f"{block.name}.tex", to_latex(table).encode("utf-8", "backslashreplace")


def _table(block: Block) -> Table | None:
    if block.table is not None:
        return block.table
    matrix = block.heat or block.confused
    return None if matrix is None else matrix.table()


def _drawing(block: Block, title: str) -> Drawing | None:
    if block.heat is not None:
        one = block.heat
        rows = [(name, [formatted(value, one.column, 1) for value in values]) for name, values in one.rows]
        return heat(title, one.corner, one.columns, rows, one.shades())
    if block.confused is not None:
        other = block.confused
        counts = [(name, [str(n) if n else "" for n in row]) for name, row in zip(other.names, other.counts, strict=True)]
        return heat(title, "gold", other.names, counts, other.shades(), step=38)
    return block.drawing


def _drawn(drawing: Drawing) -> Iterator[tuple[str, bytes]]:
    try:
        import vl_convert
    except ImportError as error:
        message = "figures need vl-convert-python: pip install 'levelhead[report]'"
        raise InputError(Fault("missing-extra", message)) from error
    svg = drawing.file()
    yield ".svg", svg.encode("utf-8", "backslashreplace")
    yield ".pdf", bytes(vl_convert.svg_to_pdf(svg))
    yield ".png", bytes(vl_convert.svg_to_png(svg, scale=2))
