"""Changes between two versions of a treebank in the words that both have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from levelhead.comparison.paired_versions import NO_WORD, Numbers, PairedVersions
from levelhead.treebank import Treebank
from levelhead.treebank.parts import FIELDS, FORM, EmptyNodes, MultiwordTokens
from levelhead.treebank.strings import StringColumn

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "added": "added",
        "removed": "removed",
        "text": "text changed",
        "tokens": "re-tokenized",
        "annotation": "re-annotated",
        "id": "sent_id changed",
        "comments": "comments changed",
        "order": "moved",
    }
)
"""The kinds of changes of sentences. The first two exclude all others."""

ABSENT = "-"
"""Shown in a pattern for an attribute, edge, word or token that one version lacks."""

WORDS, MULTIWORD, EMPTY = "words", "multiword tokens", "empty nodes"
SEGMENTATION = frozenset({WORDS, MULTIWORD})
"""The patterns that are consequences of different tokens or words."""

_TEXTS = {"FORM": "forms", "LEMMA": "lemmas", "UPOS": "upos", "XPOS": "xpos", "DEPREL": "relations"}
_ATTRIBUTES = {"FEATS": "feats", "MISC": "misc"}
_DEPS = FIELDS.index("DEPS") - 1


class ChangedCell(NamedTuple):
    """One change.

    Args:
        column: the column, "words", "multiword tokens" or "empty nodes".
        old: the value in OLD.
        new: the value in NEW.
        sentence: the pair of sentences.
        form: the word.
        word: the word of OLD, or `NO_WORD` if the change does not belong to a single aligned word.
    """

    column: str
    old: str
    new: str
    sentence: int
    form: str
    word: int = NO_WORD


def changed_cells(pairs: PairedVersions) -> Iterator[ChangedCell]:
    """Yield all changes in the sentences that two versions share."""
    yield from _other_words(pairs)
    for name, attribute in _TEXTS.items():
        yield from _changed(pairs, name, attribute, lambda old, new: [(old, new)])
    for name, attribute in _ATTRIBUTES.items():
        yield from _changed(pairs, name, attribute, changed_attributes)
    yield from _heads(pairs)
    yield from _deps(pairs)
    yield from _token_rows(pairs)
    yield from _empty_nodes(pairs)


def changed_attributes(old: str, new: str) -> list[tuple[str, str]]:
    """Return the attributes in which two cells differ: `Number=Sing` and `Number=Plur`; `-` for a missing attribute."""
    sides: list[dict[str, list[str]]] = []
    for cell in (old, new):
        parts: defaultdict[str, list[str]] = defaultdict(list)
        for part in cell.split("|") if cell != "_" else ():
            parts[part.partition("=")[0]].append(part)
        sides.append({key: sorted(some) for key, some in parts.items()})
    keys = sorted({key for side in sides for key in side})
    values = [("|".join(sides[0].get(key, [ABSENT])), "|".join(sides[1].get(key, [ABSENT]))) for key in keys]
    return [pair for pair in values if pair[0] != pair[1]] or [(old, new)]


def _other_words(pairs: PairedVersions) -> Iterator[ChangedCell]:
    """Runs of words between aligned words that differ or exist in only one version."""
    old, new = pairs.old, pairs.new
    ours, theirs = list(old.forms), list(new.forms)
    sentences = old.sentence_of_word[pairs.old_words]
    for pair in np.flatnonzero(~(pairs.same_places)).tolist():
        first, last = np.searchsorted(sentences, [pair, pair + 1])
        i, j = int(old.sentence_starts[pair]), int(new.sentence_starts[pair])
        ends = zip(pairs.old_words[first:last].tolist(), pairs.new_words[first:last].tolist(), strict=True)
        for k, m in [*ends, (int(old.sentence_starts[pair + 1]), int(new.sentence_starts[pair + 1]))]:
            if k > i or m > j:
                run, other = (" ".join(some) or ABSENT for some in (ours[i:k], theirs[j:m]))
                yield ChangedCell(WORDS, run, other, pair, run if k > i else other)
            i, j = k + 1, m + 1


_Differences = Callable[[str, str], list[tuple[str, str]]]


def _changed(pairs: PairedVersions, name: str, attribute: str, differences: _Differences) -> Iterator[ChangedCell]:
    """The aligned words whose cells of a column differ."""
    ours, theirs = getattr(pairs.old, attribute), getattr(pairs.new, attribute)
    numbers, others = _numbered(ours, theirs)
    for place in np.flatnonzero(numbers[pairs.old_words] != others[pairs.new_words]).tolist():
        word, other = int(pairs.old_words[place]), int(pairs.new_words[place])
        for old, new in differences(ours[word], theirs[other]):
            yield _cell(pairs, name, old, new, word)


def _numbered(ours: StringColumn, theirs: StringColumn) -> tuple[Numbers, Numbers]:
    """Numbers of two columns' values; equal values have equal numbers."""
    number: dict[str, int] = {}
    old, new = (column.mapped(lambda text: number.setdefault(text, len(number)), np.intp) for column in (ours, theirs))
    return old, new


def _cell(pairs: PairedVersions, name: str, old: str, new: str, word: int) -> ChangedCell:
    return ChangedCell(name, old, new, int(pairs.old.sentence_of_word[word]), pairs.old.forms[word], word)


def _heads(pairs: PairedVersions) -> Iterator[ChangedCell]:
    """The aligned words whose heads are not aligned with each other."""
    old, new = pairs.old, pairs.new
    if not old.has_trees and not new.has_trees:
        return
    heads = old.heads[pairs.old_words].astype(np.intp)
    others = new.heads[pairs.new_words].astype(np.intp)
    mapped = np.where(others < 0, -1, np.where(pairs.old_of_new[others] == NO_WORD, -2, pairs.old_of_new[others]))
    differ = mapped != heads if old.has_trees and new.has_trees else np.ones(len(heads), dtype=bool)
    for place in np.flatnonzero(differ).tolist():
        tags = _tag_of(old, int(heads[place])), _tag_of(new, int(others[place]))
        yield _cell(pairs, "HEAD", *tags, int(pairs.old_words[place]))


def _tag_of(treebank: Treebank, head: int) -> str:
    if not treebank.has_trees:
        return "_"
    return "root" if head < 0 else treebank.upos[head]


_Edges = frozenset[tuple[Hashable, str]]


def _edges(cell: str, word: Callable[[int], Hashable]) -> _Edges:
    """The edges of a cell of DEPS: their heads as `word` names them, and their relations."""
    parts = [part.partition(":") for part in cell.split("|")] if cell != "_" else []
    return frozenset((word(int(head)) if _is_id(head) else head, name or head) for head, _, name in parts)


def _is_id(head: str) -> bool:
    return head.isascii() and head.isdecimal() and 0 < len(head) < 10 and int(head) > 0


def changed_relations(old: _Edges, new: _Edges) -> tuple[str, str]:
    """Return the relations of the edges that only one of two sets has, sorted; `-` for none."""
    sides = (sorted(name for _, name in edges) for edges in (old - new, new - old))
    first, second = ("|".join(side) or ABSENT for side in sides)
    return first, second


class _Words(NamedTuple):
    """The names of words in one version: the words of OLD, and the words that only NEW has."""

    treebank: Treebank
    name: Callable[[int], Hashable]

    def by_id(self, sentence: int) -> Callable[[int], Hashable]:
        """The names of the words of a sentence, by their ids."""
        start, end = self.treebank.sentence_starts[sentence : sentence + 2].tolist()
        return lambda number: self.name(start + number - 1) if number <= end - start else ("no word", number)


def _both(pairs: PairedVersions) -> tuple[_Words, _Words]:
    def of_new(word: int) -> Hashable:
        old_word = int(pairs.old_of_new[word])
        return ("new", word) if old_word == NO_WORD else old_word

    return _Words(pairs.old, lambda word: word), _Words(pairs.new, of_new)


def _deps_differ(pairs: PairedVersions, sentence: int, old: str, new: str) -> list[tuple[str, str]]:
    """The difference of two cells of DEPS; empty if only the numbers of words differ."""
    if old == new and pairs.same_places[sentence]:
        return []
    one, other = (_edges(cell, side.by_id(sentence)) for cell, side in zip((old, new), _both(pairs), strict=True))
    if one != other:
        return [changed_relations(one, other)]
    return [(old, new)] if pairs.same_places[sentence] else []


def _deps(pairs: PairedVersions) -> Iterator[ChangedCell]:
    ours, theirs = pairs.old.deps, pairs.new.deps
    numbers, others = _numbered(ours, theirs)
    sentences = pairs.old.sentence_of_word[pairs.old_words]
    maybe = (numbers[pairs.old_words] != others[pairs.new_words]) | ~pairs.same_places[sentences]
    for place in np.flatnonzero(maybe).tolist():
        word, other = int(pairs.old_words[place]), int(pairs.new_words[place])
        for old, new in _deps_differ(pairs, int(sentences[place]), ours[word], theirs[other]):
            yield _cell(pairs, "DEPS", old, new, word)


class _Row(NamedTuple):
    """A multiword token or an empty node: its nine cells after the ID, and its sentence."""

    sentence: int
    cells: tuple[str, ...]

    @property
    def form(self) -> str:
        """Its form."""
        return self.cells[FORM]


def _rows(treebank: Treebank, part: MultiwordTokens | EmptyNodes, keys: Iterable[Hashable]) -> dict[Hashable, _Row]:
    texts = treebank.strings
    sides = zip(keys, part.sentence.tolist(), part.cells.tolist(), strict=True)
    return {key: _Row(sentence, tuple(texts[code] for code in cells)) for key, sentence, cells in sides}


def _token_rows(pairs: PairedVersions) -> Iterator[ChangedCell]:
    """The multiword tokens that only one version has, and changed cells of the others, by first word."""
    sides = []
    for words in _both(pairs):
        tokens, n_words = words.treebank.multiword, words.treebank.n_words
        seen: Counter[Hashable] = Counter()  # official scorers read tokens without words, before any word or at the end
        keys = []
        for sentence, word in zip(tokens.sentence.tolist(), tokens.first.tolist(), strict=True):
            first = (sentence, words.name(word) if word < n_words else "end")
            keys.append((first, seen[first]))
            seen[first] += 1
        sides.append(_rows(words.treebank, tokens, keys))
    yield from _compare_rows(pairs, MULTIWORD, *sides)


def _empty_nodes(pairs: PairedVersions) -> Iterator[ChangedCell]:
    """The empty nodes that only one version has, and changed cells of the others, by preceding word and number."""
    sides = []
    for words in _both(pairs):
        empty, starts = words.treebank.empty, words.treebank.sentence_starts
        rows = zip(empty.position.tolist(), empty.sentence.tolist(), empty.minor.tolist(), strict=True)
        keys = [
            (sentence, "start" if word == starts[sentence] else words.name(word - 1), minor)
            for word, sentence, minor in rows
        ]
        sides.append(_rows(words.treebank, empty, keys))
    yield from _compare_rows(pairs, EMPTY, *sides)


def _compare_rows(
    pairs: PairedVersions, name: str, old: dict[Hashable, _Row], new: dict[Hashable, _Row]
) -> Iterator[ChangedCell]:
    for key in [*old, *(key for key in new if key not in old)]:
        one, other = old.get(key), new.get(key)
        if one is None or other is None or one.form != other.form:
            row = one or other
            old_form, new_form = (side.form if side else ABSENT for side in (one, other))
            if row is not None:
                yield ChangedCell(name, old_form, new_form, row.sentence, row.form)
        if one is not None and other is not None:
            yield from _other_cells(pairs, one, other)


def _other_cells(pairs: PairedVersions, one: _Row, other: _Row) -> Iterator[ChangedCell]:
    for column in range(FORM + 1, len(one.cells)):
        field, old, new = FIELDS[column + 1], one.cells[column], other.cells[column]
        if column == _DEPS:
            patterns = _deps_differ(pairs, one.sentence, old, new)
        elif old == new:
            patterns = []
        else:
            patterns = changed_attributes(old, new) if field in _ATTRIBUTES else [(old, new)]
        for pattern in patterns:
            yield ChangedCell(field, *pattern, one.sentence, one.form)
