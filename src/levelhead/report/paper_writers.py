"""Tables for papers as LaTeX, Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from types import MappingProxyType

from levelhead.errors import printable
from levelhead.report.paper import PaperCell, PaperTable
from levelhead.tables.writers import latex_row, latex_text, markdown_text


def papers_text(tables: Sequence[PaperTable], output_format: str) -> str:
    """Return tables for a paper as text."""
    return "\n".join(_WRITERS[output_format](table) for table in tables)


def _latex(table: PaperTable) -> str:
    """A float with booktabs rules; intervals are on a line below the scores."""
    lines = ["% \\usepackage{booktabs}", "\\begin{table}", "\\centering"]
    lines += [f"\\begin{{tabular}}{{l{'r' * len(table.heads)}}}", "\\toprule"]
    lines += [latex_row([latex_text(head) for head in (table.corner, *table.heads)]), "\\midrule"]
    for number, (name, cells) in enumerate(table.rows):
        lines += ["\\midrule"] if number in table.rules_before else []
        lines.append(latex_row([latex_text(name), *map(_latex_cell, cells)]))
        if any(cell.interval for cell in cells):
            lines.append(latex_row(["", *(f"{{\\scriptsize {_dashes(cell.interval)}}}" for cell in cells)]))
    label = re.sub(r"[^A-Za-z0-9-]+", "-", table.label)
    lines += ["\\bottomrule", "\\end{tabular}", f"\\caption{{{latex_text(table.caption)}}}", f"\\label{{tab:{label}}}"]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _latex_cell(cell: PaperCell) -> str:
    value = f"\\textbf{{{cell.value}}}" if cell.best else latex_text(cell.value)
    return value + (f"\\textsuperscript{{{latex_text(cell.raised)}}}" if cell.raised else "")


def _dashes(interval: str) -> str:
    return interval.replace("-", "--")


def _markdown(table: PaperTable) -> str:
    rows = [[table.corner, *table.heads], ["---", *["---:"] * len(table.heads)]]
    rows[0] = list(map(markdown_text, rows[0]))
    rows += [[markdown_text(name), *map(_markdown_cell, cells)] for name, cells in table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, "", f"*{_starless(table.caption)}*"]) + "\n"


def _markdown_cell(cell: PaperCell) -> str:
    value = f"**{cell.value}**" if cell.best else cell.value
    raised = f"<sup>{_starless(cell.raised)}</sup>" if cell.raised else ""
    return value + raised + (f"<br><sub>{cell.interval}</sub>" if cell.interval else "")


def _starless(text: str) -> str:
    return markdown_text(text).replace("*", "\\*")


def _html(table: PaperTable) -> str:
    """A table that needs no style sheet; heads of rows and columns are marked up as heads."""
    heads = "".join(f'<th scope="col" style="text-align: right">{_safe(head)}</th>' for head in table.heads)
    lines = ["<table>", f'<caption style="caption-side: bottom; text-align: left">{_safe(table.caption)}</caption>']
    lines += [f'<thead><tr><th scope="col" style="text-align: left">{_safe(table.corner)}</th>{heads}</tr></thead>']
    lines.append("<tbody>")
    for number, (name, cells) in enumerate(table.rows):
        rule = ' style="border-top: 1px solid"' if number in table.rules_before else ""
        head = f'<th scope="row" style="text-align: left">{_safe(name)}</th>'
        lines.append(f"<tr{rule}>{head}{''.join(map(_html_cell, cells))}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"]) + "\n"


def _html_cell(cell: PaperCell) -> str:
    value = f"<strong>{_safe(cell.value)}</strong>" if cell.best else _safe(cell.value)
    raised = f"<sup>{_safe(cell.raised)}</sup>" if cell.raised else ""
    interval = f"<br><small>{_safe(cell.interval)}</small>" if cell.interval else ""
    return f'<td style="text-align: right">{value}{raised}{interval}</td>'


def _safe(text: str) -> str:
    return escape(printable(text))


_WRITERS: Mapping[str, Callable[[PaperTable], str]] = MappingProxyType(
    {"latex": _latex, "markdown": _markdown, "html": _html}
)
