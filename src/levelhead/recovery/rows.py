"""One row of an answer: its word, and the repairs needed to read it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from levelhead.treebank.relations import UD1, UD2, universal

SPACE, IDS, COLUMNS, REMARKS = "white space", "ids", "columns", "remarks"
"""Repairs of a row: white space around or instead of tabs, the number, the columns, and text after it."""

LONGEST_LINE = 1 << 16  # the maximum number of characters of a row
ROOT, BEFORE_FIRST = -2, -1
"""Heads of a word with the relation root: the root by another name, and -1, which is the root if words count from 0."""

_HEAD, _RELATION, _COLUMNS = 6, 7, 10
_USUAL, _MOST_VALUES = _HEAD - 2, _COLUMNS - 2  # among the columns after the form
_LONGEST_CELL = 1000
_NUMBER = re.compile(r"[0-9]{1,9}")
_NUMBERED = re.compile(r"\(?([0-9]{1,9})[.):]?")
_GLUED = re.compile(r"\(?([0-9]{1,9})(?:[.):]?\s+|(?=[^\s\d.):])|[.):](?=\S))(.+)", re.DOTALL)
_ROOT_HEAD = re.compile(r"root|_?|-|null|none|0 ?\(root\)|\*\*0\*\*", re.IGNORECASE)
_BLANK_AFTER = re.compile(r"(?<=\S)\s+_$")
_RELATION_NAME = re.compile(r"[^\W\d_][\w:.~/-]*")
_REMARK = ("#", "//", "<", "(", "—", "–", "--", "←")
_BULLET = re.compile(r"[-*•>][-*•>\s]*(?=\(?[0-9])")
_WIDE = re.compile(r"\t|\s{2,}")
_NO_WORD = re.compile(r"[0-9]{1,9}[-.][0-9]{1,9}")  # the number of a multiword token or of an empty node
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())


class AnswerRow(NamedTuple):
    """A word of an answer."""

    id: int | None  # as written or by its place; None for the place after the previous row
    form: str
    head: int | None  # as written, `ROOT` or `BEFORE_FIRST`; None without a number
    relation: str
    tags: tuple[str, ...] = ("_",) * 4  # lemma, UPOS, XPOS and features
    steps: frozenset[str] = frozenset()  # the repairs
    n_cells: int = _COLUMNS  # as written


class RangeRow(NamedTuple):
    """The row of a multiword token or of an empty node: its number and columns as written, and the repairs."""

    id: str
    cells: tuple[str, ...]
    steps: frozenset[str]


_NOTHING: frozenset[str] = frozenset()
_SPACED = frozenset({SPACE})


def read_row(line: str, expected: int, forms: Collection[str]) -> AnswerRow | RangeRow | None:
    cells = line.split("\t")
    if len(cells) == _COLUMNS and " " not in line and _is_good(cells, forms):
        return _row(cells, _NOTHING)
    stripped = line.strip()
    if not stripped or len(stripped) > LONGEST_LINE:
        return None
    for cells in _cuts(stripped):
        if len(cells) == _COLUMNS and _is_good(cells, forms):
            return _row(cells, _NOTHING if "\t".join(cells) == line else _SPACED)
    marks = _BULLET.match(stripped)  # of list items, quotations and bold text
    bare = stripped[marks.end() :].rstrip("* ") if marks else stripped
    row = _repaired(bare, expected, forms)
    return row and (row if bare == stripped else row._replace(steps=row.steps | {REMARKS}))


def _cuts(line: str) -> Iterator[list[str]]:
    """Yield the columns of a line: separated by tabs, by wide spaces, or by any spaces."""
    if "\t" in line:
        yield [cell.strip() for cell in line.split("\t")]
    if "  " in line:
        yield _WIDE.split(line)
    yield line.split()


def _is_good(cells: Sequence[str], forms: Collection[str]) -> bool:
    """Whether ten columns are a number, a form, a head and values."""
    has_numbers = _NUMBER.fullmatch(cells[0]) and _NUMBER.fullmatch(cells[_HEAD])
    return bool(has_numbers) and all(cells) and (cells[1] not in {"_", cells[0]} or cells[1] in forms)


def _row(cells: Sequence[str], steps: frozenset[str]) -> AnswerRow:
    relation, tags = clean(cells[_RELATION]), tuple(map(clean, cells[2:_HEAD]))
    return AnswerRow(int(cells[0]), cells[1], int(cells[_HEAD]), relation, tags, steps, len(cells))


def clean(cell: str) -> str:
    """Return a valid value of a CoNLL-U column: "_" for empty values and for more than 1000 characters."""
    if cell == "_":
        return cell
    if not cell.isprintable() or not cell or cell[0] == " " or cell[-1] == " ":
        cell = _UNPRINTABLE.sub(" ", cell).strip()
    return cell if cell and len(cell) <= _LONGEST_CELL else "_"


def _repaired(line: str, expected: int, forms: Collection[str]) -> AnswerRow | RangeRow | None:
    best = None
    for cells in _cuts(line):
        first = cells[0]
        if _NO_WORD.fullmatch(first) and len(cells) > 1 and first not in forms:
            return RangeRow(first, tuple(cells), _SPACED if "\t".join(cells) != line else _NOTHING)
        row = read_cells(cells, expected, forms, spaced="\t" not in line)
        if row is not None and row.head is not None:
            return row
        best = best or row
    return best


def read_cells(
    cells: Sequence[str], expected: int, forms: Collection[str], *, spaced: bool = False
) -> AnswerRow | None:
    """Return the row in some columns: the number can be joined to the form or missing, and columns can be missing."""
    number, form, values, steps = _numbered(cells, expected, forms)
    at = _head_place(values)
    relation = "_" if at is None else _relation(values[at:], forms)
    if not form or "`" in cells[0] or not _looks_like_a_row(number, form in forms, values, at, relation, spaced=spaced):
        return None
    if spaced:
        steps.add(SPACE)
    if len(values) > _MOST_VALUES and values[_MOST_VALUES].startswith(_REMARK):
        values = values[:_MOST_VALUES]
        steps.add(REMARKS)
    if at is None and len(values) == _MOST_VALUES:  # all columns exist, but the head is not a number
        at, relation = _USUAL, _relation(values[_USUAL:], forms)
    if len(values) != _MOST_VALUES or at != _USUAL or not all(values):
        steps.add(COLUMNS)
    head = None if at is None else head_of(values[at], relation)
    tags = tuple(map(clean, values[:_USUAL])) if at == _USUAL else ("_",) * 4
    return AnswerRow(number, form, head, clean(relation), tags, frozenset(steps), len(cells))


def head_of(text: str, relation: str) -> int | None:
    """Return a head: a number, `ROOT` or `BEFORE_FIRST` for a word with the relation root, or None."""
    if _NUMBER.fullmatch(text):
        return int(text)
    if relation.lower() != "root":
        return None
    return ROOT if _ROOT_HEAD.fullmatch(text) else BEFORE_FIRST if text == "-1" else None


def _relation(values: Sequence[str], forms: Collection[str]) -> str:
    """The relation after a head, which can have its word between them."""
    name, after = [*values[1:3], "_", "_"][:2]
    is_word = name in forms or (name.strip("()").lower() == "root" and values[0] == "0")
    return after if is_word and universal(after) in UD1 | UD2 else name


def _numbered(
    cells: Sequence[str], expected: int, forms: Collection[str]
) -> tuple[int | None, str, Sequence[str], set[str]]:
    """Split the number and the form from the other columns, and return the repairs."""
    first, rest = cells[0], cells[1:]
    plain = _NUMBERED.fullmatch(first)
    is_glued = not rest or (rest[0] in {"_", ""} and "_" not in forms)
    if plain and not is_glued:
        is_repeated = rest[0] == plain[1] and rest[0] not in forms and rest[1:] and rest[1] in forms
        form, *others = rest[1:] if is_repeated else rest
        return int(plain[1]), form, others, set() if plain[1] == first and not is_repeated else {IDS}
    behind = first.removeprefix(str(expected))
    after = behind.lstrip(".): \t")
    for word in (behind, after):
        if word != first and word in forms:
            return expected, word, rest, {IDS}
    if first in forms:
        return None, first, rest, {IDS}
    glued = _GLUED.fullmatch(first)
    if glued:
        return int(glued[1]), _BLANK_AFTER.sub("", glued[2]).strip(), rest, {IDS}
    if plain and after not in {first, ""}:
        return expected, after, rest, {IDS}
    return None, first, rest, {IDS}


def _head_place(values: Sequence[str]) -> int | None:
    """The position of the head after the form: the number before a relation nearest to its place in CoNLL-U."""
    pairs = [(i, head, name) for i, (head, name) in enumerate(pairwise(values)) if name not in _UPOS]
    places = [i for i, head, name in pairs if _NUMBER.fullmatch(head) and _RELATION_NAME.fullmatch(name)]
    roots = [i for i, head, name in pairs if head_of(head, name) in {ROOT, BEFORE_FIRST}]
    places = places or [i for i in roots if universal("".join(values[i + 2 : i + 3])) not in UD1 | UD2]
    usual = _USUAL if _NUMBER.fullmatch("".join(values[_USUAL : _USUAL + 1])) else None
    return min(places, key=lambda place: abs(place - _USUAL), default=usual)


def _looks_like_a_row(
    number: int | None, is_gold: bool, values: Sequence[str], at: int | None, relation: str, *, spaced: bool
) -> bool:
    """Return whether columns are a row, not prose, which can also have numbers and words."""
    n_blank = sum(value == "_" for value in values)
    if number is None:
        return is_gold and at is not None and len(values) > _USUAL and (n_blank > 1 or not spaced)
    if at is None:
        return n_blank > 2
    if n_blank or not _UPOS.isdisjoint(values[: min(at, 2)]):
        return True
    is_short = len(values) in {2, 3} and universal(relation) in UD1 | UD2
    return is_short or (not spaced and len(values) > 3)
