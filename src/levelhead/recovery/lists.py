"""Rows in lists of JSON or Python: objects with named fields, or lists of columns."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from levelhead.recovery.rows import AnswerRow, RangeRow, clean, head_of, read_cells, read_row

_LONGEST_LITERAL = 1 << 18
_MOST_FAILURES = 20
_DEEPEST = 6
_LONGEST_NUMBER = 1 << 12  # bits: Python refuses to write much longer numbers, such as 0xff...
_BRACKET = re.compile(r"[\[{]")
FIELD_NAMES = {
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


def rows_of_lists(text: str, forms: Collection[str]) -> Iterator[list[AnswerRow]]:
    """Yield the rows of each list in a text."""
    loose: list[AnswerRow] = []  # of consecutive objects without a list around them
    for value in _values(text):
        row = keyed_row(value) if isinstance(value, Mapping) else None
        if row is not None:
            loose.append(row)
        else:
            yield from _rows_inside(value, forms, _DEEPEST)
    if loose:
        yield loose


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values in a text, or otherwise the Python values."""
    decoder = json.JSONDecoder()
    at, n_failures, n_found = 0, 0, 0
    while n_failures < _MOST_FAILURES and (bracket := _BRACKET.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, bracket.start())
        except (ValueError, RecursionError):
            n_failures += 1
            at = bracket.end()
        else:
            n_found += 1
            yield value
    if not n_found:
        yield from _python_values(text)


def _python_values(text: str) -> Iterator[Any]:
    """Yield the Python value between the first bracket and the last bracket of its kind."""
    for first, last in ("[]", "{}"):
        start, end = text.find(first), text.rfind(last)
        if start < 0 or not 0 < end - start < _LONGEST_LITERAL:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # of backslashes in strings
                value = ast.literal_eval(text[start : end + 1])
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        yield value
        return


def _rows_inside(value: Any, forms: Collection[str], depth: int) -> Iterator[list[AnswerRow]]:
    """Yield the lists of rows in a value."""
    if isinstance(value, Mapping):
        inside: Sequence[Any] = list(value.values())
    elif isinstance(value, list | tuple):
        inside = value
        rows = list(_rows(value, forms))
        if rows:
            yield rows
            return
    else:
        return
    if depth:
        for item in inside[:100]:
            yield from _rows_inside(item, forms, depth - 1)


def _rows(values: Sequence[Any], forms: Collection[str]) -> Iterator[AnswerRow]:
    """Return the rows of a list."""
    last = 0
    for value in values:
        row = _row(value, last + 1, forms)
        if row is not None:
            last = last + 1 if row.id is None else row.id
            yield row


def _row(value: Any, expected: int, forms: Collection[str]) -> AnswerRow | None:
    if isinstance(value, Mapping):
        return keyed_row(value)
    if isinstance(value, list | tuple) and len(value) > 3 and not any(isinstance(cell, list | dict) for cell in value):
        return read_cells([_text(cell) for cell in value], expected, forms)
    if isinstance(value, str) and len(value) > 3:
        row = read_row(value, expected, forms)
        return None if isinstance(row, RangeRow) else row
    return None


def plain_name(name: str) -> str:
    """Return the name of a field without case, spaces and punctuation."""
    return re.sub(r"[\W_]", "", name.lower())


def keyed_row(value: Mapping[Any, Any]) -> AnswerRow | None:
    """Return the row in an object with named fields; it must have a form and a field for the head."""
    given = {plain_name(_text(name)): cell for name, cell in value.items()}
    places = {field: next((name for name in names if name in given), None) for field, names in FIELD_NAMES.items()}
    cells = {field: _text(given[name]) for field, name in places.items() if name is not None}
    if "form" not in cells or "head" not in cells:
        return None
    number, relation = _number(cells.get("id", "")), clean(cells.get("relation", "_"))
    if "id" in cells and number is None:
        return None
    tags = tuple(clean(cells.get(name, "_")) for name in ("lemma", "upos", "xpos", "feats"))
    return AnswerRow(number, cells["form"], head_of(cells["head"], relation), relation, tags)  # type: ignore[arg-type]


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _text(cell: Any) -> str:
    """Return a value as text of a column; whole numbers that a table turned into fractions are restored."""
    if cell is None or isinstance(cell, list | dict | tuple):
        return "_"
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, int) and cell.bit_length() > _LONGEST_NUMBER:
        return "_"
    return " ".join(str(cell).split()) or "_"
