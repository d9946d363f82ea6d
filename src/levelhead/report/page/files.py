"""Pages as self-contained HTML; drawings, and all charts and tables of a page, as files."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, Place, printable, with_minus
from levelhead.extras import require
from levelhead.report.charts.page_charts import heat
from levelhead.report.charts.point_charts import mark
from levelhead.report.page.blocks import Block, Page
from levelhead.report.page.folders import write_report_folder
from levelhead.tables.svg import Drawing, clean
from levelhead.tables.table import Cell, Column, Table, for_readers, formatted
from levelhead.tables.writers import to_latex, to_tsv
from levelhead.treebank.write import replace_file

if TYPE_CHECKING:
    import jinja2

# the placeholder for links to other pages, which are added when all pages are known; elsewhere `<` is escaped
_LATER = "<!-- links -->"


def render(page: Page) -> bytes:
    """Return a page as HTML in UTF-8: all text is escaped, and a content security policy allows only its own script."""
    blocks = [block for section in page.sections for block in section.blocks]
    parts = {
        "heat": any(block.heat or block.confused for block in blocks),
        "rows": any(block.chart for block in blocks),
        "trees": bool(page.data) or any(block.sentences for block in blocks),
        "find": bool(page.find),
        "confusion": any(block.confused for block in blocks),
        "opening": bool(page.data),
        "terms": bool(page.terms),
    }
    names = ["common", *(name for name, used in parts.items() if used), *([page.kind] if page.kind else [])]
    script = f'"use strict";\n(() => {{\n{"".join(_asset(f"{name}.js") for name in names)}readState(true);\n}})();\n'
    style = "".join(_asset(f"{name}.css") for name in names)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    data = {**page.data, **{block.name: {"sentences": block.sentences} for block in blocks if block.sentences}}
    template = _environment().get_template("page.html.j2")
    text = template.render(page=page, script=script, style=style, script_hash=digest, data=data, later=_LATER)
    return text.encode("utf-8", "backslashreplace")  # file names need not be UTF-8


def with_links(page: bytes, **links: Any) -> bytes:
    """Return a compressed page with links to other pages of the report: names with addresses, its own name without."""
    shown = _environment().get_template("links.html.j2").render(links=links)
    return zlib.decompress(page).replace(_LATER.encode(), shown.encode("utf-8", "backslashreplace"), 1)


def _asset(name: str) -> str:
    """The text of a script or style; empty if the part of the page has none."""
    path = files("levelhead.report.page") / "assets" / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def templates_of(package: str) -> jinja2.Environment:
    """Return the templates of a package; they escape all text, with invalid, invisible and bidirectional characters."""
    require("jinja2", "reports")
    import jinja2

    return jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
        # markup, which the templates make, is a subclass, and trusted
        finalize=lambda value: printable(value) if type(value) is str else value,
        loader=jinja2.PackageLoader(package),
    )  # fmt: skip


@cache
def _environment() -> jinja2.Environment:
    environment = templates_of("levelhead.report.page")
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    environment.globals.update(
        formatted=_formatted,
        mark=mark,
        shade=lambda value: "" if value is None else str(round(100 * value)),
        term_number=lambda page, label: 1 + [*page.terms].index(label) if label in page.terms else None,
        # conditions as numbers, since names may have any characters
        when_of=lambda page, block: " ".join(f"{k}={page.choices[k].index(v)}" for k, v in block.when.items()),
    )
    return environment


def _formatted(cell: Cell, column: Column, places: int = 2) -> str:
    text = for_readers(cell, column, places)
    dashed = cell is None or (isinstance(cell, tuple) and column.kind != "points")
    return text.replace("-", "–") if dashed else with_minus(text)


SUFFIXES = (".svg", ".png", ".pdf", ".html")  # the file formats of a drawing

_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { background: #fff } svg { max-width: 100%; height: auto }</style>
"""


def write_drawing(drawing: Drawing, path: str | os.PathLike[str]) -> None:
    """Write a `drawing` to `path` as SVG, PNG, PDF or self-contained HTML, depending on the suffix.

    The file is replaced completely or not at all.

    Raises:
        InputError: the suffix is not in `SUFFIXES`, or vl-convert is not installed (required for PNG and PDF).
        OutputError: the file cannot be written.
    """
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
    svg = drawing.file()
    if suffix == ".svg":
        return svg.encode("utf-8", "backslashreplace")
    if suffix == ".html":
        return f"{_HEAD}<title>{clean(drawing.title)}</title>\n{svg}\n".encode("utf-8", "backslashreplace")
    require("vl_convert", "figures")
    import vl_convert

    return bytes(vl_convert.svg_to_pdf(svg) if suffix == ".pdf" else vl_convert.svg_to_png(svg, scale=2))


_NUMBERS = re.compile(r"(-\d+)+(?=-|$)")


def write_figures(page: Page, folder: str | os.PathLike[str]) -> None:
    """Write every chart of a page as SVG, PDF and PNG, and every table as TSV and LaTeX."""
    written: dict[str, Callable[[], bytes]] = {}
    for section in page.sections:
        # the values that each block shows; if that is not unique, its numbered name is used
        names = [
            "-".join(
                [
                    _NUMBERS.sub("", block.name),
                    *(re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] for text in block.when.values()),
                ]
            )
            for block in section.blocks
        ]
        for block, name in zip(section.blocks, names):
            for suffix, data in _files(block, f"{section.title}: {block.title}".removesuffix(": ")):
                written[f"{name if names.count(name) == 1 else block.name}{suffix}"] = partial(bytes, data)
    write_report_folder(folder, written)


def _files(block: Block, title: str) -> Iterator[tuple[str, bytes]]:
    """The chart or matrix of a block, and its table."""
    drawing = drawing_of(block, title)
    table = block.table
    if drawing is not None:
        yield from ((suffix, encoded(drawing, suffix)) for suffix in (".svg", ".pdf", ".png"))
    if table is None and block.faults:
        rows = tuple((what, reason) for what, reasons in block.faults for reason in reasons)
        table = Table((Column("Output", "text"), Column("Reason", "text")), rows)
    elif table is None and (matrix := block.heat or block.confused) is not None:
        table = matrix.table()
    if table is not None:
        yield ".tsv", to_tsv(table).encode("utf-8", "backslashreplace")
        yield ".tex", to_latex(table).encode("utf-8", "backslashreplace")


def drawing_of(block: Block, title: str) -> Drawing | None:
    """Return the chart or matrix of a block as a drawing; None if it has neither."""
    if (matrix := block.heat) is not None:
        rows = [(name, [formatted(value, matrix.column, 1) for value in values]) for name, values in matrix.rows]
        return heat(title, matrix.corner, matrix.columns, rows, matrix.shades(), crossed=matrix.marks.keys(),
                    best=matrix.best(), headings=matrix.headings)  # fmt: skip
    if (confused := block.confused) is not None:
        rows = [(name, [str(n) if n else "" for n in row]) for name, row in zip(confused.names, confused.counts)]
        return heat(title, "gold", confused.names, rows, confused.shades(), step=38)
    return block.drawing if block.chart is None else block.chart.drawing()
