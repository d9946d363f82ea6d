"""Pairing of the sentences and words of two versions of a treebank, and the changes in the words that both have."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring.form_alignment import pair_texts, sentence_ids, words_by_sentence
from levelhead.scoring.matches import align_sentences, same_texts
from levelhead.scoring.rules import Rules
from levelhead.scoring.spans import Spans, spans_of
from levelhead.treebank import Treebank
from levelhead.treebank.strings import StringColumn
from levelhead.treebank.tokens import FIELDS, FORM, EmptyNodes, MultiwordTokens

Numbers = NDArray[np.intp]

NO_WORD = -1

_Pairs = list[tuple[int, int]]


class _Side(NamedTuple):
    """The properties by which sentences are paired.

    Args:
        ids: the sent_id of each sentence, or None.
        texts: its characters without spaces.
        words: the forms of its words.
    """

    ids: list[bytes | None]
    texts: list[bytes]
    words: list[list[str]]

    def take(self, sentences: Sequence[int]) -> _Side:
        """Return the properties of some sentences."""
        return _Side(*([column[i] for i in sentences] for column in self))  # type: ignore[arg-type]


class PairedVersions(NamedTuple):
    """The sentences that two versions of a treebank share, and their words.

    Args:
        rows: the sentences of OLD and NEW of each pair, shape (pairs, 2), ascending in OLD.
        old: the paired sentences of OLD.
        new: the paired sentences of NEW, in the order of OLD.
        old_words: the word of `old` of each pair of aligned words, ascending, shape (aligned,).
        new_words: the word of `new` of each pair, the same shape.
        old_of_new: the word of `old` aligned with each word of `new`, or `NO_WORD`, shape (words of new,).
        same_text: whether each pair has the same characters without spaces, bool, shape (pairs,).
        same_tokens: whether it also has the same tokens and words.
        same_places: whether each word of the pair is aligned with the word of the same number.
        moved: whether the pair has a different place in the order of NEW.
    """

    rows: Numbers
    old: Treebank
    new: Treebank
    old_words: Numbers
    new_words: Numbers
    old_of_new: Numbers
    same_text: NDArray[np.bool_]
    same_tokens: NDArray[np.bool_]
    same_places: NDArray[np.bool_]
    moved: NDArray[np.bool_]


def pair_versions(old: Treebank, new: Treebank, rules: Rules) -> PairedVersions:
    """Return the paired sentences and aligned words of two versions of a treebank.

    Sentences are paired by sent_id if it is unique in both versions. The other sentences are paired by text in order
    (`pair_texts`), and then by equal text in any order. Sentences with different texts are only a pair if they share
    half of the words of the longer sentence.

    Words are aligned as in partial scores (`align_sentences`). The result does not depend on the order of versions.
    """
    sides = [_side(treebank, rules) for treebank in (old, new)]
    swapped = (sides[1].texts, sides[1].words) < (sides[0].texts, sides[0].words)
    pairs = [(i, j) for j, i in _pair(*reversed(sides))] if swapped else _pair(*sides)
    rows = np.array(sorted(pairs), dtype=np.intp).reshape(-1, 2)
    return _aligned(old, new, rows, rules, swapped=swapped)


def _side(treebank: Treebank, rules: Rules) -> _Side:
    spans = spans_of(treebank, unicode_spaces=rules.unicode_spaces)
    return _Side(sentence_ids(treebank), spans.sentence_texts(), words_by_sentence(treebank))


def _pair(one: _Side, other: _Side) -> _Pairs:
    """The paired sentences: first by id, then by text in order, then by text anywhere."""
    found = [pair for pair in _same_ids(one, other) if _alike(one, other, *pair)]
    for pairing in (_in_order, _anywhere):
        left = _left(len(one.texts), [i for i, _ in found]), _left(len(other.texts), [j for _, j in found])
        some, others = one.take(left[0]), other.take(left[1])
        found += [(left[0][i], left[1][j]) for i, j in pairing(some, others) if _alike(some, others, i, j)]
    return found


def _left(n_sentences: int, paired: Sequence[int]) -> list[int]:
    return sorted(set(range(n_sentences)) - set(paired))


def _same_ids(one: _Side, other: _Side) -> _Pairs:
    counts, of_other = Counter(one.ids), Counter(other.ids)
    place = {name: j for j, name in enumerate(other.ids)}
    once = [(i, name) for i, name in enumerate(one.ids) if name is not None and counts[name] == of_other[name] == 1]
    return [(i, place[name]) for i, name in once]


def _in_order(one: _Side, other: _Side) -> _Pairs:
    found = pair_texts((one.texts, other.texts), (one.words, other.words))
    return [(i, j) for i, j in enumerate(found) if j >= 0]


def _anywhere(one: _Side, other: _Side) -> _Pairs:
    """Pair the k-th sentences with the same text in both versions."""
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    for j in reversed(range(len(other.texts))):
        places[other.texts[j]].append(j)
    return [(i, places[text].pop()) for i, text in enumerate(one.texts) if places[text]]


def _alike(one: _Side, other: _Side, i: int, j: int) -> bool:
    """Whether two sentences can be versions of the same sentence: their texts or half of their words are equal."""
    if one.texts[i] == other.texts[j]:
        return True
    ours, theirs = one.words[i], other.words[j]
    shared = Counter(ours) & Counter(theirs)
    return 2 * shared.total() >= max(len(ours), len(theirs))


def _aligned(old: Treebank, new: Treebank, rows: Numbers, rules: Rules, *, swapped: bool) -> PairedVersions:
    ours, theirs = old.select(rows[:, 0].tolist()), new.select(rows[:, 1].tolist())
    spans = [spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in (ours, theirs)]
    if swapped:
        alignment = align_sentences(theirs, ours, spans[1], spans[0])
        old_words, new_words = alignment.system.astype(np.intp), alignment.gold.astype(np.intp)
    else:
        alignment = align_sentences(ours, theirs, *spans)
        old_words, new_words = alignment.gold.astype(np.intp), alignment.system.astype(np.intp)
    old_of_new = np.full(theirs.n_words, NO_WORD, dtype=np.intp)
    old_of_new[new_words] = old_words
    same_text = same_texts(*spans)
    same_places = _same_places(ours, theirs, old_words, new_words)
    same_tokens = same_text & same_places & _same_spans((ours, spans[0]), (theirs, spans[1]))
    moved = _moved(rows, swapped=swapped)
    return PairedVersions(
        rows, ours, theirs, old_words, new_words, old_of_new, same_text, same_tokens, same_places, moved
    )


def _same_places(ours: Treebank, theirs: Treebank, old_words: Numbers, new_words: Numbers) -> NDArray[np.bool_]:
    """Whether each word of a sentence is aligned with the word of the same number."""
    sizes, others = np.diff(ours.sentence_starts), np.diff(theirs.sentence_starts)
    sentence = ours.sentence_of_word[old_words]
    places = old_words - ours.sentence_starts[sentence] == new_words - theirs.sentence_starts[sentence]
    n_aligned = np.bincount(sentence[places], minlength=len(sizes))
    same: NDArray[np.bool_] = (sizes == others) & (n_aligned == sizes)
    return same


def _same_spans(one: tuple[Treebank, Spans], other: tuple[Treebank, Spans]) -> NDArray[np.bool_]:
    """Whether all words of a sentence belong to tokens with the same characters of the sentence."""
    sides = [_spans_by_sentence(*side) for side in (one, other)]
    return np.array([a == b for a, b in zip(*sides, strict=True)], dtype=bool)


def _spans_by_sentence(treebank: Treebank, spans: Spans) -> list[tuple[list[int], ...]]:
    """The span of each word's token in its sentence, and whether each word is in a multiword token."""
    shift = spans.sentence_starts[treebank.sentence_of_word]
    parts = [column.tolist() for column in (spans.starts - shift, spans.ends - shift, spans.inside)]
    bounds = treebank.sentence_starts.tolist()
    return [tuple(part[start:end] for part in parts) for start, end in pairwise(bounds)]


def _moved(rows: Numbers, *, swapped: bool) -> NDArray[np.bool_]:
    """The pairs that are not in a longest sequence of pairs in order on both sides."""
    order = np.argsort(rows[:, 1]) if swapped else np.arange(len(rows))
    values = rows[order, 0 if swapped else 1].tolist()
    ends: list[int] = []  # the last value of the best sequence of each length
    last: list[int] = []  # its place
    before = []
    for place, value in enumerate(values):
        at = bisect_left(ends, value)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1], last[at : at + 1] = [value], [place]
    moved = np.ones(len(rows), dtype=bool)
    place = last[-1] if last else -1
    while place >= 0:
        moved[order[place]] = False
        place = before[place]
    return moved


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
