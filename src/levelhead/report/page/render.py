"""A page as HTML: a single file that loads nothing from the network and runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from levelhead.errors import InputError, printable, with_minus
from levelhead.extras import missing_library
from levelhead.report.page.blocks import Block, Links, Page
from levelhead.tables.table import Cell, Column, IntervalCell, for_readers

if TYPE_CHECKING:
    import jinja2

_LATER = "<!-- links -->"
"""The placeholder for links to other pages, which are added when all pages are known; elsewhere `<` is escaped."""

_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(page: Page) -> bytes:
    """Return a page as HTML, in UTF-8; the same bytes for the same page.

    All text from treebanks, names and messages is escaped. As a second protection, a content security policy in the
    page's head allows only the page's own script, identified by its hash, and forbids loading anything.

    Args:
        page: the page.

    Raises:
        InputError: jinja2 is not installed.
    """
    names = _assets(page)
    script = f'"use strict";\n(() => {{\n{"".join(_asset(f"{name}.js") for name in names)}readState(true);\n}})();\n'
    style = "".join(_asset(f"{name}.css") for name in names)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shown = {"page": page, "script": script, "style": style, "script_hash": digest, "data": _data(page),
             "later": _LATER}  # fmt: skip
    text = _environment().get_template("page.html.j2").render(shown)
    return text.encode("utf-8", "backslashreplace")  # file names need not be UTF-8


def with_links(page: bytes, links: Links) -> bytes:
    """Return a rendered page with links to other pages of the report."""
    shown = _environment().get_template("links.html.j2").render(links=links)
    return page.replace(_LATER.encode(), shown.encode("utf-8", "backslashreplace"), 1)


def _assets(page: Page) -> list[str]:
    """The names of a page's scripts and styles, in order: common ones, those of its parts, and those of its kind."""
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
    return ["common", *(name for name, used in parts.items() if used), *([page.kind] if page.kind else [])]


def _asset(name: str) -> str:
    """The text of a script or style; empty if the part of the page has none."""
    path = files("levelhead.report.page") / "assets" / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@cache
def _environment() -> jinja2.Environment:
    try:
        import jinja2
    except ImportError as error:
        raise InputError(missing_library("jinja2", "reports")) from error
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, finalize=_finalize,
        loader=jinja2.PackageLoader("levelhead.report.page"),
    )  # fmt: skip
    functions: dict[str, Callable[..., Any]] = {
        "formatted": _formatted, "shade": _shade, "when_of": _when, "term_number": _term_number,
    }  # fmt: skip
    environment.globals.update(functions)
    return environment


def _finalize(value: Any) -> Any:
    """Text for the page, with invalid characters escaped."""
    return printable(value) if type(value) is str else value  # markup is a subclass, made by the templates


def _formatted(cell: Cell, column: Column, places: int = 2) -> str:
    text = for_readers(cell, column, places)
    if isinstance(cell, IntervalCell):
        return with_minus(text) if column.kind == "difference" else text.replace("-", "–")
    return "–" if cell is None else with_minus(text)


def _shade(value: float | None) -> str:
    return "" if value is None else str(round(100 * value))


def _term_number(page: Page, label: str) -> int | None:
    """The number of a term; None for other labels."""
    return next((number for number, term in enumerate(page.terms, 1) if term == label), None)


def _when(page: Page, block: Block) -> str:
    """The conditions of a block as numbers, since names may have any characters."""
    return " ".join(f"{name}={page.choices[name].index(value)}" for name, value in block.when.items())


def _data(page: Page) -> str:
    """The data of the page's scripts and the sentences of its blocks, as JSON that cannot close its element."""
    data: dict[str, Any] = dict(page.data)
    for section in page.sections:
        for block in section.blocks:
            if block.sentences:
                data[block.name] = {"sentences": block.sentences}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return "".join(_ESCAPED.get(character, character) for character in text)
