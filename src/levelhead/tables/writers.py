"""Tables as plain text, TSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice, takewhile, zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from levelhead.errors import listed, number_of, printable
from levelhead.tables.documents import short_signature, signature_line
from levelhead.tables.table import (
    ALL_ROWS,
    FILE,
    MOST_ROWS,
    Column,
    Detail,
    Screen,
    Table,
    escaped,
    filled_columns,
    for_readers,
    formatted,
)

if TYPE_CHECKING:
    from levelhead.tables.data import DataTable, Value

__all__ = ["data_to_tsv", "to_html", "to_latex", "to_markdown", "to_text", "to_tsv"]

PaperFormat = Literal["latex", "markdown", "html"]

PAPER_FORMATS: tuple[PaperFormat, ...] = get_args(PaperFormat)  # the formats of tables for papers

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    }
)  # fmt: skip

# The widths of texts in a table that is too wide: the widest text, the narrowest last text and the narrowest head.
_WIDEST_TEXT = 40
_LEAST_TEXT, _LEAST = 24, 8
_LEAST_NAME = 22  # of the first column, with the names of columns, in a table whose rows became columns

_AT_ONCE = 1 << 12  # lines of data

_MOST_NAMED = 8  # columns that are not shown

_FEW_ROWS = 2  # of a table whose rows become columns if it is too wide

_Lines = list[str]  # the lines of a cell in plain text


def to_text(table: Table, places: int | None = 2, screen: Screen = FILE) -> str:
    """Return a table and its notes as plain text, in the layout of the official scorers' verbose output.

    The text fits a `screen`, which is by default a file with lines of up to 100 characters. If the table is too wide
    for the screen, headings, texts and notes are wrapped. If this is not enough, a table with one or two rows is
    transposed. In longer tables, columns that do not fit are left out if the screen is a terminal. Terminals also leave
    out empty columns. Numbers have `places` decimal places (None: all).
    """
    return texts([table], places, screen)


def texts(tables: Sequence[Table], places: int | None = 2, screen: Screen = FILE) -> str:
    """Return the tables of a result for the terminal, with all notes and the signature at the end."""
    shown = [_table_text(table, places, screen) for table in tables if table.every_row or not screen.is_terminal]
    hidden = {name for _, names in shown for name in names}
    return "\n".join(text for text, _ in shown) + notes_text(tables, screen, hidden)


def notes_text(tables: Sequence[Table], screen: Screen = FILE, hidden: Collection[str] = ()) -> str:
    """Return the notes of the tables of a result, and its signature, which is never wrapped."""
    lines = _note_lines(list(dict.fromkeys(note for table in tables for note in table.notes)), screen, hidden)
    if signature := tables[-1].signature:
        lines.append(printable(signature_line(signature)) if screen.whole_signature else short_signature(signature))
    return "".join(f"{line}\n" for line in lines)


_ROOM = 2  # lines for the main notes, and for the number of the others


def _note_lines(notes: Sequence[str], screen: Screen, hidden: Collection[str]) -> list[str]:
    """Return all notes as lines, or the main notes that there is room for, at least one, and the number of others."""
    texts = {note: folded(printable(note), screen.width).split("\n") for note in notes}
    every = [line for lines in texts.values() for line in lines]
    kept = [note for note in notes if note.partition(":")[0] not in hidden]
    if screen.all_notes or (len(every) <= _ROOM and len(kept) == len(notes)):
        return every
    shown, n_shown = list[str](), 0
    for note in kept:
        if isinstance(note, Detail):
            continue
        if shown and len(shown) + len(texts[note]) + 1 > _ROOM:
            break
        shown += texts[note]
        n_shown += 1
    n_others = len(notes) - n_shown
    return shown + ([f"{number_of(n_others, 'more note' if shown else 'note')}: --notes"] if n_others else [])


def _table_text(table: Table, places: int | None, screen: Screen) -> tuple[str, set[str]]:
    """Return a table as text, and the names of the columns that are not shown."""
    widest, hidden, every = screen.width - 1, list[str](), table.columns  # the rule is longer than the rows
    table = (_with_values(table) if screen.is_terminal else table).readable
    laid_out = _laid_out(table, places, widest)
    while screen.is_terminal and _width(laid_out.widths) > widest and not laid_out.turned:
        kept = _fitting(table, laid_out.widths, widest)
        if len(kept) == len(table.columns):
            break
        hidden += (
            _full_name(table, i, kept) for i in range(len(table.columns)) if table.columns[i].name and i not in kept
        )
        table = table.of_columns(kept)
        laid_out = _laid_out(table, places, widest)
    columns, rows, rules, widths, _ = laid_out
    rule = "+".join("-" * (width + (2 if n else 1)) for n, width in enumerate(widths))
    lines = list[str]()
    for number, row in enumerate(rows):
        lines += [rule] if number in rules else []
        for texts in zip_longest(*row, fillvalue=""):
            cells = []
            for text, width, column in zip(texts, widths, columns):
                space = " " * (width - _cells(text))
                cells.append(text + space if column.kind == "text" else space + text)
            lines.append(" | ".join(cells).rstrip())
    lines += [rule] if len(rows) in rules else []  # below the head of an empty table
    lines += [table.more] if table.more else []
    if hidden:
        more = f"not shown: {listed([*dict.fromkeys(hidden)], _MOST_NAMED)} (use a wider window or --format tsv)"
        lines.append(folded(printable(more), screen.width))
    names = {column.name for column in every} - {column.name for column in table.columns} if hidden else set[str]()
    return "\n".join(lines) + "\n", names


def folded(line: str, width: int, *, in_words: bool = False) -> str:
    """Return a line as indented lines of at most this width, also with breaks in words that are longer."""
    indent = line[: len(line) - len(line.lstrip())]
    words = line[len(indent) :].split(" ")
    if in_words:  # but for paths, which a reader copies
        words = [part for word in words for part in ([word] if "/" in word else _chopped(word, width - 2))]
    first, *others = _filled(words, width - len(indent), width - len(indent) - 2)
    return "\n".join([indent + first, *(f"{indent}  {other}" for other in others)])


def _filled(words: Sequence[str], width: int, width_of_others: int) -> _Lines:
    """Return words as lines of at most this many cells."""
    lines = [words[0]]
    for word in words[1:]:
        if _cells(lines[-1]) + 1 + _cells(word) <= (width if len(lines) == 1 else width_of_others):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class _LaidOut(NamedTuple):
    """The lines of the cells of a table, the head first, in columns of these widths; rules are above rows."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[_Lines]]
    rules: Collection[int]
    widths: Sequence[int]
    turned: bool = False


def _laid_out(table: Table, places: int | None, widest: int) -> _LaidOut:
    """Return a table with line breaks where it is too wide; one with few rows has them as columns instead."""
    columns = table.columns
    rows = [[[printable(column.name)] for column in columns]]
    rows += ([[printable(for_readers(cell, c, places))] for cell, c in zip(row, columns)] for row in table.every_row)
    whole = _LaidOut(columns, rows, {1, *(number + 1 for number in table.rules)}, _widths(columns, rows))
    if _width(whole.widths) <= widest:
        return whole
    narrow = _narrowed(columns, rows, widest)
    widths = _widths(columns, narrow)
    if _width(widths) <= widest or not len(rows) - 1 <= _FEW_ROWS < len(columns):
        return _LaidOut(columns, narrow, whole.rules, widths)
    turned = list[list[_Lines]]()
    for column, cells in zip(columns, zip(*rows)):
        if column.name or not turned:
            turned.append([*cells])
        else:  # a mark belongs to the number before it
            turned[-1][1:] = ([f"{cell[0]} {mark[0]}".rstrip()] for cell, mark in zip(turned[-1][1:], cells[1:]))
    texts = [Column("", "text")] * len(rows)
    turned = _narrowed(texts, turned, widest, _LEAST_NAME)
    return _LaidOut(texts, turned, {1}, _widths(texts, turned), turned=True)


def _with_values(table: Table) -> Table:
    """Return the table without columns that are empty in all rows, and without the rows that a note explains."""
    kept = filled_columns(table)
    if all(table.columns[i].kind == "text" for i in kept):
        return table
    return table._replace(rows=tuple(row for row in table.rows if row[0] not in table.explained)).of_columns(kept)


def _same_in_all(table: Table, i: int) -> bool:
    """Whether the rows of a longer table have the same text or count in this column."""
    return (
        len(table.rows) > _FEW_ROWS
        and table.columns[i].kind in {"text", "number"}
        and len({row[i] for row in table.every_row}) == 1
    )


def _full_name(table: Table, i: int, kept: Collection[int]) -> str:
    """Return the heading of a column, with the cell that all rows have."""
    column = table.columns[i]
    same = [other for other in kept if table.columns[other].name == column.name]
    if same:  # such as the intervals of scores and of differences
        return f"the {'first' if i < same[0] else 'last'} {column.name}"
    return f"{column.name} ({for_readers(table.rows[0][i], column)})" if _same_in_all(table, i) else column.name


def _fitting(table: Table, widths: Sequence[int], widest: int) -> list[int]:
    """Return the columns that fit: those with one text in all rows go first, then by rank, texts before numbers."""
    columns = table.columns
    n_first, group = _n_first(columns), list[int]()
    for i, column in enumerate(columns):
        group.append(i if column.name or not i else group[-1])  # stars belong to the column before them
    kept = set(range(len(columns)))
    members = {first: [i for i, of in enumerate(group) if of == first] for first in group if first}
    same = {first: all(_same_in_all(table, i) for i in of) for first, of in members.items()}
    for first in sorted(members, key=lambda i: (same[i], columns[i].rank, i >= n_first, i), reverse=True):
        if _width([widths[i] for i in kept]) <= widest:
            break
        kept -= {*members[first]}
    return sorted(kept)


def _n_first(columns: Sequence[Column]) -> int:
    """The number of columns that say what a row is: the first one, and texts after it."""
    return 1 + sum(1 for _ in takewhile(lambda column: column.kind == "text", columns[1:]))


def _narrowed(
    columns: Sequence[Column], rows: Sequence[Sequence[_Lines]], widest: int, least_first: int = 0
) -> list[list[_Lines]]:
    """Return the head and rows of a table with line breaks; the last column gets the remaining space."""
    n_first = _n_first(columns)
    share = max(2 * widest // 3 // n_first, 2 * _LEAST)
    longest = [share if i < n_first else _WIDEST_TEXT for i in range(len(columns) - 1)]
    longest[:1] = [max(longest[0], least_first)] if longest else []
    widths = [min(number, _WIDEST_TEXT) for number in longest]
    for _ in range(2):  # without and with the last column
        cells = [
            [
                _wrapped(cell, width, word) if column.kind == "text" else cell
                for cell, column, width, word in zip(row, columns, widths, longest)
            ]
            for row in rows[1:]
        ]
        heads = [
            _wrapped(name, max(width, _LEAST), word)
            for name, width, word in zip(rows[0], _widths(columns[: len(widths)], cells), longest)
        ]
        left = widest - _width(_widths(columns[: len(widths)], [heads, *cells])) - len(" | ")
        left = max(left, min(_LEAST_TEXT, widest // 4))
        widths.append(left)
        longest.append(left)
    return [heads, *cells]


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[_Lines]]) -> list[int]:
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
    return _filled([part for word in cell[0].split(" ") for part in _chopped(word, longest)], width, width)


def _chopped(word: str, longest: int) -> _Lines:
    """Return the parts of a word that have at most this many cells."""
    if _cells(word) <= longest:
        return [word]
    from rich.cells import chop_cells

    return chop_cells(word, longest)


def to_tsv(table: Table, places: int | None = None) -> str:
    """Return a table as tab-separated values, without summary rows; numbers have `places` decimal places (None: all).

    Intervals and significance marks have their own columns, which are named after the score. For LAS, the confidence
    interval is in the columns "LAS low" and "LAS high", and significance marks are in the column "LAS mark".
    """
    head, rows = list[str](), [list[str]() for _ in table.rows]
    for i, column in enumerate(table.columns):
        before = table.columns[i - 1].name
        are_intervals = any(isinstance(row[i], tuple) for row in table.every_row)
        names = [f"{before} low", f"{before} high"] if are_intervals else [column.name or f"{before} mark"]
        # a heading such as -FUN is harmless in spreadsheets
        head += (n if re.fullmatch("(-[A-Za-z][A-Za-z:_]*)+", n) else escaped(_on_one_line(n)) for n in names)
        for row, cells in zip(rows, table.rows):
            cell = cells[i]
            for end in cell if isinstance(cell, tuple) else [cell] * len(names):
                text = "" if end is None else _on_one_line(formatted(end, column, places))
                row.append(escaped(text) if isinstance(end, str) and text != "-" else text)
    return "\n".join(map("\t".join, [head, *rows])) + "\n"


def data_to_tsv(table: DataTable, places: int | None = None) -> str:
    """Return a `table` of data as tab-separated values; a text with tabs, quotes or line breaks is quoted, as in CSV.

    Floats have `places` decimal places, by default all.
    """
    return "".join(tsv_parts(table, places))


def tsv_parts(table: DataTable, places: int | None = None, *, head: bool = True) -> Iterator[str]:
    """Yield the lines of data as tab-separated values, many at once."""
    if head:
        yield "\t".join(map(_quoted, table.names)) + "\n"
    rows = _written(table, lambda value: _tsv_value(value, places))
    while lines := "".join("\t".join(row) + "\n" for row in islice(rows, _AT_ONCE)):
        yield lines


def json_lines(table: DataTable) -> Iterator[str]:
    """Yield the rows of data as JSON documents, a line each, many at once."""
    line = ", ".join(f"{json_text(name).replace('%', '%%')}: %s" for name in table.names)
    rows = _written(table, json_text)
    while lines := "".join(f"{{{line % row}}}\n" for row in islice(rows, _AT_ONCE)):
        yield lines


def _written(table: DataTable, write: Callable[[Value], str]) -> Iterator[tuple[str, ...]]:
    """Return the rows with their values as texts; equal values of a column are written once if it is a column."""
    written = getattr(table.rows, "written", None)
    return written(write) if written else (tuple(map(write, row)) for row in table.rows)


def json_text(document: object, indent: int | None = None) -> str:
    """Return a document as JSON, in which characters that a terminal interprets or hides are escaped."""
    import json

    text = json.dumps(document, ensure_ascii=False, indent=indent)
    return re.sub(r"[^\n -~]", lambda m: m[0] if m[0].isprintable() else json.dumps(m[0])[1:-1], text)


def _tsv_value(value: Value, places: int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, int) or places is None else f"{value:.{places}f}"


def _quoted(text: str) -> str:
    if re.search(r'["\t\n\r]', text) is None:
        return text
    return '"' + text.replace('"', '""') + '"'


def _on_one_line(text: str) -> str:
    return printable(re.sub(r"[\t\n\r]", " ", text))


def _signed_notes(table: Table) -> list[str]:
    return [*table.notes, *([signature_line(table.signature)] if table.signature else [])]


def to_markdown(table: Table, places: int | None = 2) -> str:
    """Return a table in Markdown; numbers have `places` decimal places (None: all)."""
    table = table.readable
    rule = ["---" if column.kind == "text" else "---:" for column in table.columns]
    rows = [[column.name for column in table.columns], rule]
    rows += [[for_readers(cell, c, places) for cell, c in zip(row, table.columns)] for row in table.every_row]
    lines = ["| " + " | ".join(markdown_text(cell) for cell in row) + " |" for row in rows]
    return "\n".join([*lines, *[f"\n{markdown_text(note)}" for note in _signed_notes(table)]]) + "\n"


def markdown_text(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def to_latex(table: Table, places: int | None = 2) -> str:
    """Return a table in LaTeX for the package booktabs; numbers have `places` decimal places (None: all)."""
    table = table.readable
    layout = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = ["% \\usepackage{booktabs}", f"\\begin{{tabular}}{{{layout}}}", "\\toprule"]
    lines += [latex_row([latex_text(column.name) for column in table.columns]), "\\midrule"]
    for number, row in enumerate(table.every_row):
        lines += ["\\midrule"] if number in table.rules else []
        lines.append(latex_row([latex_text(formatted(cell, c, places)) for cell, c in zip(row, table.columns)]))
    lines += ["\\bottomrule", "\\end{tabular}", *(f"% {printable(note)}" for note in _signed_notes(table))]
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    return printable(text).translate(_LATEX)


def latex_row(cells: list[str]) -> str:
    row = " & ".join(cells) + r" \\"
    return f"{{}}{row}" if row.lstrip()[:1] in set("[*") else row  # else an argument of the command before it


def to_html(table: Table, places: int | None = 2) -> str:
    """Return a table as self-contained HTML; numbers have `places` decimal places (None: all)."""
    from html import escape

    table = table.readable
    sides = ["left" if column.kind == "text" else "right" for column in table.columns]
    styles = [f' style="text-align: {side}{"; white-space: nowrap" * (side == "right")}"' for side in sides]
    names = [column.name for column in table.columns]
    heads = (f'<th style="text-align: {side}">{escape(printable(name))}</th>' for name, side in zip(names, sides))
    lines = ["<table>", f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
    for number, row in enumerate(table.every_row):
        texts = (for_readers(cell, column, places) for cell, column in zip(row, table.columns))
        cells = (f"<td{style}>{escape(printable(text))}</td>" for text, style in zip(texts, styles))
        rule = ' style="border-top: 1px solid"' if number in table.rules else ""
        lines.append(f"<tr{rule}>{''.join(cells)}</tr>")
    if table.more:
        more = f'<tr><td colspan="{len(names)}" style="text-align: left">{table.more}</td></tr>'
        lines.insert(len(table.rows) + 3, more)
    notes = "<br>\n".join(escape(printable(note)) for note in _signed_notes(table))
    return "\n".join([*lines, "</tbody>", "</table>", *([f"<p><small>{notes}</small></p>"] if notes else [])]) + "\n"


def to_notebook(table: Table, places: int | None = 2) -> str:
    """Return a table for a notebook: the first rows, as wide as they are."""
    return scrolled(to_html(table.cut(MOST_ROWS, ALL_ROWS), places))


def scrolled(html: str, *, right_to_left: bool = False) -> str:
    """Return HTML that can be scrolled if it is too wide, from its beginning."""
    return f'<div dir="{"rtl" if right_to_left else "ltr"}" style="overflow-x: auto">\n{html}</div>\n'


# The writer of each table format.
WRITERS: Mapping[str, Callable[[Table, int | None], str]] = MappingProxyType(
    {"text": to_text, "markdown": to_markdown, "latex": to_latex, "html": to_html}
)
