"""Color on terminals for warnings, headings, significant differences and marked words; it never informs alone."""

from __future__ import annotations

import os
import re
from typing import TextIO

import click

_COLORS = {"warning": "yellow", "note": "cyan"}
_RULE = re.compile(r"-+(\+-+)*")
_SIGNED = re.compile(r"(?<=\| ) *([+-])\d+\.\d+ *(?= \||$)")
_STARS = re.compile(r"\| \*{1,3} *(\||$)")
_LOWER = "lower is better"
_MARKED = re.compile(r"^ {4}(?:[ ╵╷│╴┘┐┤╶└┌├─┴┬┼]*[►─ ] \* | *\* +\d+ ).*$", re.MULTILINE)


def wants_color(stream: TextIO | None) -> bool:
    """Return whether color is shown: on terminals that can, unless the variable NO_COLOR is set."""
    off = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not off


def colored_message(line: str) -> str:
    kind, colon, rest = line.partition(":")
    return click.style(f"{kind}:", fg=_COLORS[kind], bold=True) + rest if colon and kind in _COLORS else line


def colored_table(text: str) -> str:
    lines, start = text.split("\n"), 0
    lower = _LOWER in text
    for number, line in enumerate(lines):
        if not line:
            start = number + 1
        elif _RULE.fullmatch(line) and start >= 0:
            lines[start:number] = [click.style(head, bold=True) for head in lines[start:number]]
            start = -1
        elif _STARS.search(line) and not lower:
            lines[number] = _SIGNED.sub(
                lambda difference: click.style(difference[0], fg="green" if difference[1] == "+" else "red"), line
            )
    return "\n".join(lines)


def colored_trees(text: str) -> str:
    return _MARKED.sub(lambda line: click.style(line[0], fg="yellow"), text)
