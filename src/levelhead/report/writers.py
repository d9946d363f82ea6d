"""Tables as plain text, TSV, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from types import MappingProxyType

from levelhead.errors import printable
from levelhead.report.table import Cell, Column, Table, formatted
from levelhead.treebank.spreadsheet_cells import escaped

_LEFT_OUT = re.compile(r"(-[A-Za-z][A-Za-z:_]*)+")
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    }
)  # fmt: skip


def to_text(table: Table, places: int | None = 2) -> str:
    """Return a table for the terminal, in the layout of the official scorers' verbose output."""
    cells = [[printable(formatted(cell, c, places)) for cell, c in zip(row, table.columns)] for row in table.every_row]
    names = [printable(column.name) for column in table.columns]
    widths = [max(column.width, *(len(row[i]) for row in [names, *cells])) for i, column in enumerate(table.columns)]
    rule = "+".join("-" * (width + (2 if i else 1)) for i, width in enumerate(widths))
    lines = [_text_line(names, table.columns, widths), rule]
    for number, row in enumerate(cells):
        lines += [rule] if number in table.rules else []
        lines.append(_text_line(row, table.columns, widths))
    return "\n".join([*lines, *map(printable, table.notes)]) + "\n"


def _text_line(cells: list[str], columns: tuple[Column, ...], widths: list[int]) -> str:
    aligned = (
        cell.ljust(width) if column.kind == "text" else cell.rjust(width)
        for cell, column, width in zip(cells, columns, widths)
    )
    return " | ".join(aligned).rstrip()


def to_tsv(table: Table, places: int | None = None) -> str:
    """Return a table as tab-separated values: unique names, no summary rows, full precision by default."""
    lines = ["\t".join(_heading(column.unique_name) for column in table.columns)]
    lines += ["\t".join(_tsv_cell(cell, c, places) for cell, c in zip(row, table.columns)) for row in table.rows]
    return "\n".join(lines) + "\n"


def _tsv_cell(cell: Cell, column: Column, places: int | None) -> str:
    if cell is None:
        return ""
    text = printable(re.sub(r"[\t\n\r]", " ", formatted(cell, column, places)))
    return escaped(text) if isinstance(cell, str) and text != "-" else text


def _heading(name: str) -> str:
    """A heading that is no formula; what a measure leaves out, `-FUN`, is none either."""
    text = printable(re.sub(r"[\t\n\r]", " ", name))
    return text if _LEFT_OUT.fullmatch(text) else escaped(text)


def to_markdown(table: Table, places: int | None = 2) -> str:
    """Return a table in Markdown."""
    rule = ["---" if column.kind == "text" else "---:" for column in table.columns]
    rows = [[column.name for column in table.columns], rule]
    rows += [[formatted(cell, c, places) for cell, c in zip(row, table.columns)] for row in table.every_row]
    lines = ["| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in rows]
    notes = [f"\n{_markdown_cell(note)}" for note in table.notes]
    return "\n".join([*lines, *notes]) + "\n"


def _markdown_cell(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def to_latex(table: Table, places: int | None = 2) -> str:
    """Return a table in LaTeX, with the rules of the booktabs package."""
    layout = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = ["% \\usepackage{booktabs}", f"\\begin{{tabular}}{{{layout}}}", "\\toprule"]
    lines += [_latex_row([column.name for column in table.columns]), "\\midrule"]
    for number, row in enumerate(table.every_row):
        lines += ["\\midrule"] if number in table.rules else []
        lines.append(_latex_row([formatted(cell, c, places) for cell, c in zip(row, table.columns)]))
    lines += ["\\bottomrule", "\\end{tabular}", *(f"% {printable(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _latex_row(cells: list[str]) -> str:
    row = " & ".join(printable(cell).translate(_LATEX) for cell in cells) + r" \\"
    return f"{{}}{row}" if row.lstrip()[:1] in set("[*") else row  # else an argument of the command before it


def to_html(table: Table, places: int | None = 2) -> str:
    """Return a table in HTML, for notebooks: nothing outside it is needed."""
    head = "".join(f"<th{_side(column)}>{escape(printable(column.name))}</th>" for column in table.columns)
    rows = [
        "".join(
            f"<td{_side(column)}>{escape(printable(formatted(cell, column, places)))}</td>"
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
    {"text": to_text, "tsv": to_tsv, "markdown": to_markdown, "latex": to_latex}
)
"""A writer for each format of tables."""
