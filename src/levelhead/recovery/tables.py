"""The tables of rows in an answer: with or without a header, in lists of JSON or Python, one or several attempts."""

from __future__ import annotations

import ast
import csv
import json
import re
import warnings
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from levelhead.recovery.rows import (
    COLUMNS,
    IDS,
    LONGEST_LINE,
    AnswerRow,
    RangeRow,
    clean,
    head_of,
    read_cells,
    read_row,
)

_LONGEST_LITERAL = 1 << 18
_MOST_FAILURES = 20
_DEEPEST = 6
_LONGEST_NUMBER = 1 << 12  # bits: Python refuses to write much longer numbers, such as 0xff...
_BRACKET = re.compile(r"[\[{]")
_FIELD_NAMES = {
    "id": ("id", "index", "idx", "tokenid", "wordid", "number", "i"),
    "form": ("form", "word", "token", "text"),
    "head": ("headid", "headindex", "headidx", "headnumber", "head", "parent", "governor"),
    "relation": ("deprel", "relation", "rel", "label", "dep", "dependency", "deprelation", "dependencyrelation"),
    "lemma": ("lemma",),
    "upos": ("upos", "pos", "upostag"),
    "xpos": ("xpos", "xpostag", "tag"),
    "feats": ("feats", "features", "morph"),
}
"""The fields of a row and their names, without case, spaces and punctuation; the first available name counts."""


def _rows_of_lists(text: str, forms: Collection[str]) -> Iterator[list[AnswerRow]]:
    loose: list[AnswerRow] = []  # of consecutive objects without a list around them
    for value in _values(text):
        row = _keyed_row(value) if isinstance(value, Mapping) else None
        if row is not None:
            loose.append(row)
        else:
            yield from _rows_inside(value, forms, _DEEPEST)
    if loose:
        yield loose


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values in a text, or otherwise the Python value from a first bracket to the last of its kind."""
    decoder, at, n_failures, n_found = json.JSONDecoder(), 0, 0, 0
    while n_failures < _MOST_FAILURES and (bracket := _BRACKET.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, bracket.start())
        except (ValueError, RecursionError):
            n_failures += 1
            at = bracket.end()
        else:
            n_found += 1
            yield value
    for first, last in ("[]", "{}") if not n_found else ():
        start, end, value = text.find(first), text.rfind(last), None
        if start < 0 or not 0 < end - start < _LONGEST_LITERAL:
            continue
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError), warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of backslashes in strings
            value = ast.literal_eval(text[start : end + 1])
        if value is not None:
            yield value
            return


def _rows_inside(value: Any, forms: Collection[str], depth: int) -> Iterator[list[AnswerRow]]:
    items = list(value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ())
    rows = [] if isinstance(value, Mapping) else list(_rows(items, forms))
    if rows:
        yield rows
    elif depth:
        for item in items[:100]:
            yield from _rows_inside(item, forms, depth - 1)


def _rows(values: Sequence[Any], forms: Collection[str]) -> Iterator[AnswerRow]:
    last = 0
    for value in values:
        row: AnswerRow | RangeRow | None = None
        if isinstance(value, Mapping):
            row = _keyed_row(value)
        elif isinstance(value, str) and len(value) > 3:
            row = read_row(value, last + 1, forms)
        elif isinstance(value, list | tuple) and len(value) > 3:
            is_flat = not any(isinstance(cell, list | dict) for cell in value)
            row = read_cells([_text(cell) for cell in value], last + 1, forms) if is_flat else None
        if isinstance(row, AnswerRow):
            last = last + 1 if row.id is None else row.id
            yield row


def _plain_name(name: str) -> str:
    """Return the name of a field without case, spaces and punctuation."""
    return re.sub(r"[\W_]", "", name.lower())


def _keyed_row(value: Mapping[Any, Any]) -> AnswerRow | None:
    """Return the row in an object with named fields; it must have a form and a field for the head."""
    texts = {_plain_name(_text(name)): cell for name, cell in value.items()}
    cells = {
        field: _text(texts[name]) for field, names in _FIELD_NAMES.items() for name in reversed(names) if name in texts
    }
    number = int(cells["id"]) if re.fullmatch(r"[0-9]{1,9}", cells.get("id", "")) else None
    if not {"form", "head"} <= cells.keys() or ("id" in cells and number is None):
        return None
    relation, *tags = (clean(cells.get(name, "_")) for name in ("relation", "lemma", "upos", "xpos", "feats"))
    return AnswerRow(number, cells["form"], head_of(cells["head"], relation), relation, tuple(tags))


def _text(cell: Any) -> str:
    """Return a value as text of a column; whole numbers that a table turned into fractions are restored."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    is_long = isinstance(cell, int) and cell.bit_length() > _LONGEST_NUMBER
    if cell is None or is_long or isinstance(cell, list | dict | tuple):
        return "_"
    return " ".join(str(cell).split()) or "_"


_USUAL = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "relation")
"""The order of CoNLL-U, in which rows are read without a header."""

_FIELD_OF: Mapping[str, str] = {name: field for field, names in _FIELD_NAMES.items() for name in names}
_HEAD_NAMES = re.compile("|".join(name for name, field in _FIELD_OF.items() if field == "head"))
_NUMBERED = re.compile(r"\|?\s*[0-9]{1,9}\b")


class Header(NamedTuple):
    """The row of a table that names its columns: the delimiter, and the names without case, spaces and punctuation."""

    delimiter: str
    names: tuple[str, ...]

    def row(self, line: str) -> AnswerRow | None:
        cells = _cut(line, self.delimiter)
        if len(cells) == len(self.names) + 1 and self.delimiter in {",", ";"}:
            # the two halves of a form that is the delimiter, without quotes
            at = next(place for place, name in enumerate(self.names) if name in _FIELD_NAMES["form"])
            if cells[at : at + 2] == ["", ""]:
                cells = [*cells[:at], self.delimiter, *cells[at + 2 :]]
        row = _keyed_row(dict(zip(self.names, cells))) if len(cells) == len(self.names) else None
        steps = {COLUMNS, IDS} if row is None or row.id is None else {COLUMNS}
        return row and row._replace(steps=frozenset(steps), n_cells=len(cells))

    def loses(self, line: str) -> bool:
        """Return whether a line is an unreadable row of the table, which must not be read in another way."""
        return self.delimiter in line and bool(_NUMBERED.match(line) or (self.delimiter == "|" and "\t" not in line))


def _header_of(line: str) -> Header | None:
    """Return the header on a line; None without a header, or if the columns are in the order of CoNLL-U."""
    delimiter = next((text for text in ("|", "\t", ",", ";") if text in line), None)
    # few lines have the name of a head: cells are cut apart only there
    if delimiter is None or len(line) > LONGEST_LINE or not _HEAD_NAMES.search(_plain_name(line)):
        return None
    names = tuple(map(_plain_name, _cut(line, delimiter)))
    fields = [_FIELD_OF[name] for name in names if name in _FIELD_OF]
    is_header = len(fields) >= 3 and {"form", "head"} <= set(fields)
    is_repeated = max(Counter(filter(None, names)).values(), default=0) > 1
    is_usual = tuple(_FIELD_OF.get(name, "") for name in names[: len(_USUAL)]) == _USUAL
    return Header(delimiter, names) if is_header and not is_repeated and not is_usual else None


def _cut(line: str, delimiter: str) -> list[str]:
    """Cut a line at a delimiter, which quotes or a backslash protect."""
    inner = line.strip()
    if len(inner) > LONGEST_LINE or inner.count(delimiter) > _MOST_CELLS:
        return []
    if delimiter == "|":
        parts = re.split(r"(?<!\\)\|", inner.removeprefix("|").removesuffix("|"))
        return [part.strip().replace("\\|", "|") for part in parts]
    if delimiter == "\t":
        return [part.strip() for part in inner.split("\t")]
    try:
        return [cell.strip() for cell in next(csv.reader([inner], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return []


FENCES, PROSE, BLANK, PIPES, LIST = "fences", "prose", "blank lines", "table", "list"
"""Steps of unpacking: text around rows, and rows of Markdown tables and of lists in JSON or Python."""

LONGEST_ANSWER = 1 << 24  # the maximum number of characters of an answer
_LEAST_CELLS, _MOST_CELLS = 4, 100
_COMMENT = re.compile(r"#\s*(?:[\w.]+(?:\[\w+\])?\s*=.*|newdoc|newpar)\s*", re.DOTALL)
_RULE = re.compile(r"[\s|:+=-]+")


class Attempt(NamedTuple):
    """A table of rows (only the first if there are far too many), its rows of ranges, and the number of its rows."""

    rows: tuple[AnswerRow, ...]
    ranges: tuple[RangeRow, ...]
    n_rows: int


def tables_of(text: str, forms: Sequence[str]) -> tuple[list[Attempt], set[str]]:
    """Return the tables of rows in an answer, in order, and the kinds of text around them."""
    if len(text) > LONGEST_ANSWER:
        return [], set()
    reader, lists = (_Reader(frozenset(forms), 2 * len(forms) + 1000) for _ in range(2))
    for line in text.strip("\n").split("\n"):
        reader.take(line)
    rows = reader.rows
    if len(rows) > 1 and not reader.apart and reader.n_rows == len(rows) and rows[-1].n_cells < rows[-2].n_cells:
        # the answer ends in the middle of a row: its last column may be cut off, as `1` of `12`
        of_row = {"head": None} if rows[-1].relation == "_" else {"relation": "_"} if rows[-1].n_cells <= 8 else {}
        rows[-1] = rows[-1]._replace(**of_row)
    reader.close()
    for listed in _rows_of_lists(text, reader.forms) if not reader.attempts else ():
        for row in listed:
            lists.add(row, in_list=True)
        lists.close()
    return [*reader.attempts, *lists.attempts], {LIST} if lists.attempts else reader.steps


@dataclass
class _Reader:
    """Collects rows line by line; a number that is not larger than all earlier numbers starts a new attempt."""

    forms: Collection[str]
    most_rows: int
    attempts: deque[Attempt] = field(default_factory=lambda: deque(maxlen=100))
    steps: set[str] = field(default_factory=set)
    rows: list[AnswerRow] = field(default_factory=list)
    ranges: list[RangeRow] = field(default_factory=list)
    n_rows: int = 0
    last: int = 0
    apart: bool = False  # whether there is text between the last row and here
    header: Header | None = None  # of the current table

    def take(self, line: str) -> None:
        """Read a line, which is a header, a row or other text."""
        if header := _header_of(line):
            self.header, self.apart = header, True
            self.steps.add(PIPES)
            return
        row: AnswerRow | RangeRow | None = self.header and self.header.row(line)
        if row is None and self.header and self.header.loses(line) and not _RULE.fullmatch(line):
            return
        row = row or read_row(line, self.last + 1, self.forms)
        if row is None and "|" in line:  # a row of a Markdown table
            cells = _pipe_cells(line)
            row = read_cells(cells, self.last + 1, self.forms) if len(cells) >= _LEAST_CELLS else None
            if row is not None:
                self.steps.add(PIPES)
        if row is None:
            self._other(line)
        elif isinstance(row, AnswerRow):
            self.add(row)
        else:
            if int(re.split("[-.]", row.id)[0]) < self.last:
                self.close()
            if len(self.ranges) < self.most_rows:
                self.ranges.append(row)

    def add(self, row: AnswerRow, *, in_list: bool = False) -> None:
        """Add a row, which can start a new attempt unless it is in the same list as the previous row."""
        number = self.last + 1 if row.id is None else row.id
        if self.n_rows and number <= self.last and (self.apart or number <= 1) and not in_list:
            self.close()
            number = 1 if row.id is None else number
        if len(self.rows) < self.most_rows:
            self.rows.append(row._replace(id=number))
        self.n_rows += 1
        self.last = max(self.last, number)
        self.apart = False

    def close(self) -> None:
        if self.rows:
            self.attempts.append(Attempt(tuple(self.rows), tuple(self.ranges), self.n_rows))
        self.rows, self.ranges, self.n_rows, self.last = [], [], 0, 0

    def _other(self, line: str) -> None:
        stripped = line.strip()
        if _COMMENT.fullmatch(stripped):
            return
        is_rule = _RULE.fullmatch(stripped)
        is_fence = stripped.startswith(("```", "~~~"))
        is_pipes = is_rule and "|" in stripped
        self.steps.add(BLANK if not stripped else FENCES if is_fence else PIPES if is_pipes else PROSE)
        self.apart, self.header = True, self.header if is_rule or not stripped else None


def _pipe_cells(line: str) -> list[str]:
    """Cut a line at pipes; pipes without white space around them are part of features if there are others."""
    inner = line.strip()
    if len(inner) > LONGEST_LINE or inner.count("|") > _MOST_CELLS:
        return []
    parts = inner.removeprefix("|").removesuffix("|").split("|")
    spaced = [parts[0]]
    for part in parts[1:]:
        if part[:1].isspace() and spaced[-1][-1:].isspace():
            spaced.append(part)
        else:
            spaced[-1] += f"|{part}"
    return [cell.strip().replace("\\|", "|") for cell in (spaced if len(spaced) >= _LEAST_CELLS else parts)]
