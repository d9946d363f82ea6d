"""Tables as plain text, TSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from types import MappingProxyType
from typing import Literal, get_args

from levelhead.errors import printable
from levelhead.tables.table import Cell, Column, Table, escaped, for_readers, formatted

__all__ = ["to_html", "to_latex", "to_markdown", "to_text", "to_tsv"]

PaperFormat = Literal["latex", "markdown", "html"]

PAPER_FORMATS: tuple[PaperFormat, ...] = get_args(PaperFormat)
"""The formats of tables for papers."""

_LEFT_OUT = "(-[A-Za-z][A-Za-z:_]*)+"
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    }
)  # fmt: skip


_WIDEST = 99  # the rule is longer than the rows
_WIDEST_TEXT = 40
_LEAST_TEXT, _LEAST = 24, 8
"""The widths of a table in plain text; and if a table is wider, of texts, of its last text and of heads (minimums)."""

_FIRST_TEXTS = 66
"""The total width of the first texts of a row, which each part of a wide table repeats."""

_Lines = list[str]
"""The lines of a cell in plain text."""


def to_text(table: Table, places: int | None = 2) -> str:
    """Return a table for the terminal, in the layout of the official scorers' verbose output.

    In a table wider than 100 columns, heads and texts are wrapped; if it is still too wide, the remaining columns
    follow below, with the first columns repeated. Notes are wrapped as well.

    Args:
        table: the table.
        places: digits after the point.
    """
    table = table.readable
    names = [[printable(column.name)] for column in table.columns]
    rows = [
        [[printable(for_readers(cell, c, places))] for cell, c in zip(row, table.columns)] for row in table.every_row
    ]
    widths = _widths(table.columns, [names, *rows])
    if _width(widths) > _WIDEST:
        names, rows = _narrowed(table.columns, names, rows)
        widths = _widths(table.columns, [names, *rows])
    blocks = [_block(table, part, widths, names, rows) for part in _parts(table.columns, widths)]
    return "\n\n".join(blocks) + "".join(f"\n{_note(printable(note))}" for note in table.notes) + "\n"


def _note(note: str) -> str:
    """A note in lines of at most 100 columns; a signature has no spaces and stays searchable on one line."""
    from textwrap import wrap

    if len(note) <= _WIDEST + 1:
        return note
    return "\n".join(wrap(note, _WIDEST + 1, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def _narrowed(
    columns: Sequence[Column], names: Sequence[_Lines], rows: Sequence[Sequence[_Lines]]
) -> tuple[list[_Lines], list[list[_Lines]]]:
    """Return the heads and rows of a table with line breaks; the last column gets the remaining space."""
    n_first = len(_first_texts(columns))
    share = max(_FIRST_TEXTS // n_first, 2 * _LEAST)
    longest = [share if i < n_first else _WIDEST_TEXT for i in range(len(columns) - 1)]
    widest = [min(number, _WIDEST_TEXT) for number in longest]
    for _ in range(2):  # without and with the last column
        cells = [
            [
                _wrapped(cell, width, word) if column.kind == "text" else cell
                for cell, column, width, word in zip(row, columns, widest, longest)
            ]
            for row in rows
        ]
        heads = [
            _wrapped(name, max(width, _LEAST), _WIDEST_TEXT)
            for name, width in zip(names, _widths(columns[: len(widest)], cells))
        ]
        left = _WIDEST - _width(_widths(columns[: len(widest)], [heads, *cells])) - len(" | ")
        widest, longest = [*widest, max(left, _LEAST_TEXT)], [*longest, max(left, _LEAST_TEXT)]
    return heads, cells


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[_Lines]]) -> list[int]:
    """Return the width of each column."""
    return [
        max(column.width, *(_cells(line) for row in rows for line in row[i]), 0) for i, column in enumerate(columns)
    ]


def _cells(text: str) -> int:
    """The width of text in a terminal: a Chinese character takes two columns, a combining mark none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(" | ") * (len(widths) - 1)


def _wrapped(cell: _Lines, width: int, longest: int) -> _Lines:
    """Return a cell with line breaks between words, and within words longer than the limit."""
    from textwrap import wrap

    words = " ".join(part for word in cell[0].split(" ") for part in wrap(word, longest, break_on_hyphens=False))
    return wrap(words, max(width, 1), break_long_words=False, break_on_hyphens=False) or cell


def _parts(columns: Sequence[Column], widths: Sequence[int]) -> Iterator[list[int]]:
    """Give the columns of each part of a wide table; all parts start with the first column and the texts after it."""
    n_first = len(_first_texts(columns))
    if _width(widths) > _WIDEST and _width(widths[:n_first]) > _WIDEST // 2:
        n_first = 1
    first = list(range(min(n_first, len(columns))))
    part = list(first)
    for i in range(len(first), len(columns)):
        if len(part) > len(first) and _width([widths[j] for j in (*part, i)]) > _WIDEST:
            yield part
            part = list(first)
        part.append(i)
    yield part


def _first_texts(columns: Sequence[Column]) -> Sequence[Column]:
    """The first column and the texts after it."""
    return [*columns[:1], *takewhile(lambda column: column.kind == "text", columns[1:])]


def _block(
    table: Table, part: Sequence[int], widths: Sequence[int], names: Sequence[_Lines], rows: Sequence[Sequence[_Lines]]
) -> str:
    """Return some columns of a table."""
    rule = "+".join("-" * (widths[column] + (2 if i else 1)) for i, column in enumerate(part))
    lines = [*_text_lines([names[i] for i in part], part, table, widths), rule]
    for number, row in enumerate(rows):
        lines += [rule] if number in table.rules else []
        lines += _text_lines([row[i] for i in part], part, table, widths)
    return "\n".join(lines)


def _text_lines(cells: Sequence[_Lines], part: Sequence[int], table: Table, widths: Sequence[int]) -> Iterator[str]:
    """Give the lines of a row."""
    for line in zip_longest(*cells, fillvalue=""):
        aligned = (_aligned(text, widths[i], left=table.columns[i].kind == "text") for text, i in zip(line, part))
        yield " | ".join(aligned).rstrip()


def _aligned(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - _cells(text))
    return text + space if left else space + text


def to_tsv(table: Table, places: int | None = None) -> str:
    """Return a table as tab-separated values: unique names, no summary rows, full precision by default."""
    table = table.tidy
    lines = ["\t".join(_heading(column.unique_name) for column in table.columns)]
    lines += ["\t".join(_tsv_cell(cell, c, places) for cell, c in zip(row, table.columns)) for row in table.rows]
    return "\n".join(lines) + "\n"


def _tsv_cell(cell: Cell, column: Column, places: int | None) -> str:
    if cell is None:
        return ""
    text = printable(re.sub(r"[\t\n\r]", " ", formatted(cell, column, places)))
    return escaped(text) if isinstance(cell, str) and text != "-" else text


def _heading(name: str) -> str:
    """A heading that a spreadsheet does not execute as a formula; exclusions such as `-FUN` are harmless."""
    text = printable(re.sub(r"[\t\n\r]", " ", name))
    return text if re.fullmatch(_LEFT_OUT, text) else escaped(text)


def to_markdown(table: Table, places: int | None = 2) -> str:
    """Return a table in Markdown."""
    table = table.readable
    rule = ["---" if column.kind == "text" else "---:" for column in table.columns]
    rows = [[column.name for column in table.columns], rule]
    rows += [[for_readers(cell, c, places) for cell, c in zip(row, table.columns)] for row in table.every_row]
    lines = ["| " + " | ".join(markdown_text(cell) for cell in row) + " |" for row in rows]
    notes = [f"\n{markdown_text(note)}" for note in table.notes]
    return "\n".join([*lines, *notes]) + "\n"


def markdown_text(text: str) -> str:
    """Return text for Markdown, escaped."""
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def to_latex(table: Table, places: int | None = 2) -> str:
    """Return a table in LaTeX, with the rules of the booktabs package."""
    table = table.readable
    layout = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = ["% \\usepackage{booktabs}", f"\\begin{{tabular}}{{{layout}}}", "\\toprule"]
    lines += [latex_row([latex_text(column.name) for column in table.columns]), "\\midrule"]
    for number, row in enumerate(table.every_row):
        lines += ["\\midrule"] if number in table.rules else []
        lines.append(latex_row([latex_text(formatted(cell, c, places)) for cell, c in zip(row, table.columns)]))
    lines += ["\\bottomrule", "\\end{tabular}", *(f"% {printable(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """Return text for LaTeX, escaped."""
    return printable(text).translate(_LATEX)


def latex_row(cells: list[str]) -> str:
    """Return a row of a table in LaTeX."""
    row = " & ".join(cells) + r" \\"
    return f"{{}}{row}" if row.lstrip()[:1] in set("[*") else row  # else an argument of the command before it


def to_html(table: Table, places: int | None = 2) -> str:
    """Return a table as self-contained HTML."""
    from html import escape

    table = table.readable
    head = "".join(f"<th{_side(column)}>{escape(printable(column.name))}</th>" for column in table.columns)
    rows = [
        "".join(
            f"<td{_side(column)}>{escape(printable(for_readers(cell, column, places)))}</td>"
            for cell, column in zip(row, table.columns)
        )
        for row in table.every_row
    ]
    lines = ["<table>", f"<thead><tr>{head}</tr></thead>", "<tbody>", *(f"<tr>{row}</tr>" for row in rows), "</tbody>"]
    notes = [f"<p><small>{escape(printable(note))}</small></p>" for note in table.notes]
    return "\n".join([*lines, "</table>", *notes]) + "\n"


def _side(column: Column) -> str:
    return f' style="text-align: {"left" if column.kind == "text" else "right"}"'


WRITERS: Mapping[str, Callable[[Table, int | None], str]] = MappingProxyType(
    {"text": to_text, "tsv": to_tsv, "markdown": to_markdown, "latex": to_latex, "html": to_html}
)
"""The writer of each table format."""
