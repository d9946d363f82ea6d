"""Writes all charts and tables of a page as files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from levelhead.errors import OutputError, Place
from levelhead.report.charts.files import encoded
from levelhead.report.charts.page_charts import MatrixMarks, heat
from levelhead.report.page.blocks import Block, Page
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Column, Table, formatted
from levelhead.tables.writers import to_latex, to_tsv

_NUMBERS = re.compile(r"(-\d+)+(?=-|$)")
_NO_LETTERS = re.compile(r"[^a-z0-9]+")
_LONGEST = 40


def write_figures(page: Page, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every chart of a page as SVG, PDF and PNG, and every table as TSV and LaTeX.

    Args:
        page: the page.
        folder: the folder; it is created if it does not exist.

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
    written: list[Path] = []
    for section in page.sections:
        for number, name in _file_names(section.blocks).items():
            block = section.blocks[number]
            for suffix, data in _files(block, f"{section.title}: {block.title}".removesuffix(": ")):
                written.append(target / f"{name}{suffix}")
                replace_file(written[-1], [data])
    return written


def _file_names(blocks: Sequence[Block]) -> Mapping[int, str]:
    """The file name of each block: the values it shows if that is unique, otherwise its numbered name."""
    plain = [
        _NUMBERS.sub("", block.name) + "".join(f"-{_slug(value)}" for value in block.when.values()) for block in blocks
    ]
    return {i: name if plain.count(name) == 1 else block.name for i, (block, name) in enumerate(zip(blocks, plain))}


def _slug(name: str) -> str:
    return _NO_LETTERS.sub("-", name.lower()).strip("-")[:_LONGEST]


def _files(block: Block, title: str) -> Iterator[tuple[str, bytes]]:
    drawing, table = drawing_of(block, title), _table(block)
    if drawing is not None:
        yield from ((suffix, encoded(drawing, suffix)) for suffix in (".svg", ".pdf", ".png"))
    if table is not None:
        yield ".tsv", to_tsv(table).encode("utf-8", "backslashreplace")
        yield ".tex", to_latex(table).encode("utf-8", "backslashreplace")


def _table(block: Block) -> Table | None:
    if block.table is not None:
        return block.table
    if block.faults:
        rows = tuple((what, reason) for what, reasons in block.faults for reason in reasons)
        return Table((Column("Output", "text"), Column("Reason", "text")), rows)
    matrix = block.heat or block.confused
    return None if matrix is None else matrix.table()


def drawing_of(block: Block, title: str) -> Drawing | None:
    """Return the chart or matrix of a block as a drawing; None if it has neither.

    Args:
        block: the block.
        title: what the chart shows.
    """
    if block.heat is not None:
        matrix = block.heat
        rows = [(name, [formatted(value, matrix.column, 1) for value in values]) for name, values in matrix.rows]
        marks = MatrixMarks(matrix.marks.keys(), matrix.best(), matrix.headings)
        return heat(title, matrix.corner, matrix.columns, rows, matrix.shades(), marks=marks)
    if block.confused is not None:
        names, counts = block.confused.names, block.confused.counts
        rows = [(name, [str(n) if n else "" for n in row]) for name, row in zip(names, counts, strict=True)]
        return heat(title, "gold", names, rows, block.confused.shades(), step=38)
    return block.drawing if block.chart is None else block.chart.drawing()
