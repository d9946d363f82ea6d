"""Drawings as files: SVG, PNG, PDF and HTML."""

from __future__ import annotations

import os

from levelhead.errors import Fault, InputError, Place
from levelhead.extras import missing_library
from levelhead.tables.svg import Drawing, clean

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
