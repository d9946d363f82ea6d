"""Drawings, and all charts and tables of a page, as files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from levelhead.errors import Fault, InputError, OutputError, Place
from levelhead.extras import missing_library
from levelhead.report.charts.page_charts import heat
from levelhead.report.page.blocks import Block, Page
from levelhead.tables.svg import Drawing, clean
from levelhead.tables.table import Column, Table, formatted
from levelhead.tables.writers import to_latex, to_tsv

SUFFIXES = (".svg", ".png", ".pdf", ".html")
"""The file formats of a drawing."""

_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { background: #fff } svg { max-width: 100%; height: auto }</style>
"""


def write_drawing(drawing: Drawing, path: str | os.PathLike[str]) -> None:
    """Write a drawing as SVG, PNG, PDF or self-contained HTML, depending on the file's suffix.

    Args:
        drawing: the drawing.
        path: the file, which is replaced completely or not at all.

    Raises:
        InputError: the suffix is not in `SUFFIXES`, or PNG or PDF is requested and vl-convert is not installed.
        OutputError: the file cannot be written.
    """
    from levelhead.treebank.write import replace_file

    replace_file(path, [encoded(drawing, checked_suffix(path))])


def checked_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a drawing's file name, in lower case."""
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 -- pathlib is slow to load
    if suffix not in SUFFIXES:
        message = f"the name of a figure must end in {' or '.join(SUFFIXES)}"
        raise InputError(Fault("unknown-figure-format", message, Place(name)))
    return suffix


def encoded(drawing: Drawing, suffix: str) -> bytes:
    """Return the contents of a file with a drawing."""
    svg = drawing.file()
    if suffix == ".svg":
        return svg.encode("utf-8", "backslashreplace")
    if suffix == ".html":
        return f"{_HEAD}<title>{clean(drawing.title)}</title>\n{svg}\n".encode("utf-8", "backslashreplace")
    try:
        import vl_convert
    except ImportError as error:
        raise InputError(missing_library("vl_convert", "figures")) from error
    return bytes(vl_convert.svg_to_pdf(svg) if suffix == ".pdf" else vl_convert.svg_to_png(svg, scale=2))


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
        return heat(title, matrix.corner, matrix.columns, rows, matrix.shades(), crossed=matrix.marks.keys(),
                    best=matrix.best(), headings=matrix.headings)  # fmt: skip
    if block.confused is not None:
        names, counts = block.confused.names, block.confused.counts
        rows = [(name, [str(n) if n else "" for n in row]) for name, row in zip(names, counts, strict=True)]
        return heat(title, "gold", names, rows, block.confused.shades(), step=38)
    return block.drawing if block.chart is None else block.chart.drawing()
