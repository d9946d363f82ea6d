"""Tables whose first row names their columns: Markdown, CSV or tabs, in any order."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from levelhead.recovery.lists import FIELD_NAMES, keyed_row, plain_name
from levelhead.recovery.rows import COLUMNS, IDS, LONGEST_LINE, AnswerRow

_DELIMITERS = ("|", "\t", ",", ";")
_MOST_CELLS, _LEAST_CELLS = 100, 3
_LEAST_KNOWN = 3
_USUAL = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "relation")
"""The order of CoNLL-U, in which rows are read without a header."""

_FIELD_OF: Mapping[str, str] = {name: field for field, names in FIELD_NAMES.items() for name in names}
_HEAD_NAMES = re.compile("|".join(name for name, field in _FIELD_OF.items() if field == "head"))
_NUMBERED = re.compile(r"\|?\s*[0-9]{1,9}\b")


class Header(NamedTuple):
    """The row of a table that names its columns.

    Args:
        delimiter: the delimiter of columns.
        names: the normalized names: without case, spaces and punctuation.
    """

    delimiter: str
    names: tuple[str, ...]

    def row(self, line: str) -> AnswerRow | None:
        """Return the row on a line, or None if it does not have the columns."""
        cells = cut(line, self.delimiter)
        if len(cells) == len(self.names) + 1 and self.delimiter in {",", ";"}:
            cells = self._with_delimiter_as_form(cells)
        if len(cells) != len(self.names):
            return None
        found = keyed_row(dict(zip(self.names, cells)))
        if found is None:
            return None
        steps = {COLUMNS} if found.id is not None else {COLUMNS, IDS}
        return found._replace(steps=frozenset(steps), n_cells=len(cells))

    def _with_delimiter_as_form(self, cells: list[str]) -> list[str]:
        """Join the two halves of a form that is the delimiter, without quotes."""
        at = next(place for place, name in enumerate(self.names) if name in FIELD_NAMES["form"])
        return [*cells[:at], self.delimiter, *cells[at + 2 :]] if cells[at : at + 2] == ["", ""] else cells

    def loses(self, line: str) -> bool:
        """Return whether a line is an unreadable row of the table, which must not be read in another way."""
        return self.delimiter in line and bool(_NUMBERED.match(line) or (self.delimiter == "|" and "\t" not in line))


def header_of(line: str) -> Header | None:
    """Return the header on a line; None without a header, or if the columns are in the order of CoNLL-U."""
    if len(line) > LONGEST_LINE or not any(delimiter in line for delimiter in _DELIMITERS):
        return None
    if not _HEAD_NAMES.search(plain_name(line)):  # few lines have one: cells are cut apart only there
        return None
    delimiter = next(text for text in _DELIMITERS if text in line)
    names = tuple(plain_name(cell) for cell in cut(line, delimiter))
    fields = [_FIELD_OF[name] for name in names if name in _FIELD_OF]
    named = [name for name in names if name]
    if len(fields) < _LEAST_KNOWN or not {"form", "head"} <= set(fields) or len(set(named)) < len(named):
        return None
    return None if _is_usual(names) else Header(delimiter, names)


def _is_usual(names: Sequence[str]) -> bool:
    return tuple(_FIELD_OF.get(name, "") for name in names[: len(_USUAL)]) == _USUAL


def cut(line: str, delimiter: str) -> list[str]:
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
