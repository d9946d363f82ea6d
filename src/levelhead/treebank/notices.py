"""What is odd in a treebank but no fault: found on distinct strings, so it costs next to nothing."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import Fault, Place, quoted
from levelhead.treebank.columns import FIELDS, FORM
from levelhead.treebank.relations import UD1, UD2, universal

if TYPE_CHECKING:
    from levelhead.treebank.strings import Codes, Column
    from levelhead.treebank.treebank import Treebank

# White space other than the plain space, control characters, and what is invisible: zero-width space and
# non-joiner, word joiner, byte order mark. Bidirectional controls and the joiner are part of how text is written.
_UNUSUAL = re.compile(r"[\x01-\x08\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200c\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]")
_SURROUNDED = re.compile(r"^ | $", re.MULTILINE)
_FEATURE = r"[^\s=|]+=[^\s=|]+"
_BAD_FEATS = re.compile(rf"^(?!(_?|{_FEATURE}(\|{_FEATURE})*)$).*", re.MULTILINE)
_EDGE = r"(0|[1-9][0-9]*)(\.[1-9][0-9]*)?:[^|\n]+"
_BAD_DEPS = re.compile(rf"^(?!(_?|{_EDGE}(\|{_EDGE})*)$).*", re.MULTILINE)
_KNOWN = "|".join(sorted(UD1 | UD2))
_BAD_RELATION = re.compile(rf"^(?!({_KNOWN})(:[^|\n]*)?$).*", re.MULTILINE)
_SENT_ID = re.compile(rb"^#\s*sent_id\s*=\s*(.*?)\s*$", re.MULTILINE)
_SENT_ID_ROUGHLY = re.compile(rb"sent_id([^\n]*)")
_LONG_MULTIWORD = 100
_LONG_LINE = 1_000_000


def find_notices(treebank: Treebank) -> Iterator[Fault]:
    """Find all that is odd, one warning a kind, at its first place."""
    suspects = _suspects(treebank)
    for name in ("forms", "lemmas", "upos", "xpos", "feats", "relations", "deps", "misc"):
        column = getattr(treebank, name)
        for slug, codes in suspects.items():
            yield from _in_column(treebank, slug, column, codes)
    yield from _malformed(treebank, "invalid-feats", treebank.feats, _BAD_FEATS)
    yield from _malformed(treebank, "invalid-deps", treebank.deps, _BAD_DEPS)
    yield from _malformed(treebank, "unknown-relation", treebank.relations, _BAD_RELATION)
    yield from _root_relations(treebank)
    yield from _multiword(treebank, suspects)
    yield from _sent_ids(treebank)
    yield from _long_lines(treebank)


def place_of(treebank: Treebank, word: int) -> Place:
    """Return where a word is: its line is computed from what stands above it in its sentence."""
    sentence = int(treebank.sentence_of_word[word])
    start = int(treebank.sentence_starts[sentence])
    name = str(word - start + 1)
    if not len(treebank.source.lines):
        return Place(treebank.source.path, None, sentence + 1, name)
    before = int(np.count_nonzero((treebank.multiword.first >= start) & (treebank.multiword.first <= word)))
    empty = treebank.empty
    before += int(np.count_nonzero((empty.sentence == sentence) & (empty.position <= word)))
    line = int(treebank.source.lines[sentence]) + word - start + before
    return Place(treebank.source.path, line, sentence + 1, name)


def _suspects(treebank: Treebank) -> dict[str, Codes]:
    """The codes of strings with odd characters, by kind; nearly always none, so whole-pool searches come first."""
    strings = treebank.strings
    pool = strings.text
    empty = "\n\n" in pool or pool.startswith("\n")
    tests: dict[str, tuple[bool, Callable[[str], object]]] = {
        "empty-column": (empty, lambda text: not text),
        "unusual-character": (bool(_UNUSUAL.search(pool)), _UNUSUAL.search),
        "surrounding-space": (bool(_SURROUNDED.search(pool)), _SURROUNDED.search),
        "not-normalised": (
            not unicodedata.is_normalized("NFC", pool),
            lambda text: not unicodedata.is_normalized("NFC", text),
        ),
    }
    found = {}
    for slug, (any_at_all, test) in tests.items():
        if any_at_all:
            found[slug] = np.array([code for code, text in enumerate(strings.texts) if test(text)], dtype=np.int32)
    return found


def _in_column(treebank: Treebank, slug: str, column: Column, codes: Codes) -> Iterator[Fault]:
    rows = np.flatnonzero(np.isin(column.codes, codes))
    if len(rows):
        value = quoted(column[int(rows[0])])
        yield Fault(slug, f"{_named(treebank, column)} {value}", place_of(treebank, int(rows[0])), "warning", len(rows))


def _named(treebank: Treebank, column: Column) -> str:
    names = dict(zip(("forms", "lemmas", "upos", "xpos", "feats", "relations", "deps", "misc"), _FIELD_NAMES))
    return next(field for name, field in names.items() if getattr(treebank, name) is column)


_FIELD_NAMES = tuple(field for field in FIELDS if field not in {"ID", "HEAD"})


def _malformed(treebank: Treebank, slug: str, column: Column, bad: re.Pattern[str]) -> Iterator[Fault]:
    """Search the distinct strings of a column all at once; line by line only where something was found."""
    codes = column.distinct.tolist()
    texts = [column.strings[code] for code in codes]
    if bad.search("\n".join(texts)):
        found = [code for code, text in zip(codes, texts) if bad.search(text)]
        yield from _in_column(treebank, slug, column, np.array(found, dtype=np.int32))


def _root_relations(treebank: Treebank) -> Iterator[Fault]:
    relations = treebank.relations
    roots = [code for code in relations.distinct.tolist() if universal(relations.strings[code]) == "root"]
    labelled = np.isin(relations.codes, np.array(roots, dtype=np.int32))
    rows = np.flatnonzero(labelled != (treebank.heads < 0))
    if len(rows):
        row = int(rows[0])
        head = 0 if treebank.heads[row] < 0 else "not 0"
        message = f"HEAD is {head}, the relation {quoted(relations[row])}"
        yield Fault("root-relation", message, place_of(treebank, row), "warning", len(rows))


def _multiword(treebank: Treebank, suspects: dict[str, Codes]) -> Iterator[Fault]:
    multiword, strings = treebank.multiword, treebank.strings
    if not len(multiword):
        return
    for slug, codes in suspects.items():
        yield from _at_multiword(treebank, slug, np.isin(multiword.cells[:, FORM], codes), "its form is odd")
    yield from _at_multiword(treebank, "single-word-range", multiword.n_words == 1, "it holds one word")
    long = multiword.n_words > _LONG_MULTIWORD
    yield from _at_multiword(treebank, "long-multiword-token", long, "it holds more than a hundred words")
    filled = (multiword.cells[:, [2, 3, 5, 6, 7]] != 0).any(axis=1)
    typo = [code for code in set(multiword.cells[:, 4].tolist()) if strings[code] not in {"_", "Typo=Yes"}]
    filled |= np.isin(multiword.cells[:, 4], np.array(typo, dtype=np.int32))
    yield from _at_multiword(treebank, "range-with-columns", filled, "it has values that belong to words")


def _at_multiword(treebank: Treebank, slug: str, which: np.ndarray, message: str) -> Iterator[Fault]:
    rows = np.flatnonzero(which)
    if len(rows):
        multiword = treebank.multiword
        place = place_of(treebank, int(multiword.first[rows[0]]))
        form = quoted(treebank.strings[int(multiword.cells[rows[0], FORM])])
        yield Fault(slug, f"multiword token {form}: {message}", place, "warning", len(rows))


def _sent_ids(treebank: Treebank) -> Iterator[Fault]:
    rough = _SENT_ID_ROUGHLY.findall(treebank.comments.text)
    if len(set(rough)) == len(rough):
        return
    ids = _SENT_ID.findall(treebank.comments.text)
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if not repeated:
        return
    second = [match for match in _SENT_ID.finditer(treebank.comments.text) if match[1] == repeated[0]][1]
    sentence = int(np.searchsorted(treebank.comments.starts, second.start(), side="right")) - 1
    message = f"sent_id {quoted(repeated[0].decode())} was there before"
    place = place_of(treebank, int(treebank.sentence_starts[sentence]))
    yield Fault("duplicate-sent-id", message, place, "warning", len(repeated))


def _long_lines(treebank: Treebank) -> Iterator[Fault]:
    lengths = treebank.strings.lengths
    if int(lengths.max()) < _LONG_LINE:
        return
    long = np.flatnonzero(lengths >= _LONG_LINE).astype(np.int32)
    for name in ("forms", "lemmas", "feats", "relations", "deps", "misc"):
        rows = np.flatnonzero(np.isin(getattr(treebank, name).codes, long))
        if len(rows):
            message = "a cell has more than a million bytes"
            yield Fault("long-line", message, place_of(treebank, int(rows[0])), "warning", len(rows))
            return
