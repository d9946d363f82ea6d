"""Pairing of the sentences and words of two versions of a treebank, and the changes in the words that both have."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import eq
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

    Words are aligned as in partial scores (`align_sentences`). The result does not depend on the order of versions:
    they are swapped if the second comes first by its texts and words.
    """
    sides = [
        _Side(
            sentence_ids(treebank),
            spans_of(treebank, unicode_spaces=rules.unicode_spaces).sentence_texts(),
            words_by_sentence(treebank),
        )
        for treebank in (old, new)
    ]
    step = -1 if (sides[1].texts, sides[1].words) < (sides[0].texts, sides[0].words) else 1
    pairs = sorted(pair[::step] for pair in _pair(*sides[::step]))
    rows = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    both = old.select(rows[:, 0].tolist()), new.select(rows[:, 1].tolist())
    spans = [spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in both]
    (first, second), (first_spans, second_spans) = both[::step], spans[::step]
    alignment = align_sentences(first, second, first_spans, second_spans)
    old_words, new_words = (side.astype(np.intp) for side in (alignment.gold, alignment.system)[::step])
    old_of_new = np.full(both[1].n_words, NO_WORD, dtype=np.intp)
    old_of_new[new_words] = old_words
    same_text, same_places = same_texts(*spans), _same_places(*both, old_words, new_words)
    same_spans = list(map(eq, *map(_spans_by_sentence, both, spans)))
    same_tokens = same_text & same_places & np.array(same_spans, dtype=bool)
    moved = _moved(rows[:, ::step])
    return PairedVersions(rows, *both, old_words, new_words, old_of_new, same_text, same_tokens, same_places, moved)


def _pair(one: _Side, other: _Side) -> _Pairs:
    """The paired sentences: first by id, then by text in order, then by text anywhere."""
    pairs = [pair for pair in _same_ids(one, other) if _alike(one, other, *pair)]
    for pairing in (_in_order, _anywhere):
        rest = [sorted({*range(len(side.texts))} - {pair[k] for pair in pairs}) for k, side in enumerate((one, other))]
        some, others = one.take(rest[0]), other.take(rest[1])
        pairs += [(rest[0][i], rest[1][j]) for i, j in pairing(some, others) if _alike(some, others, i, j)]
    return pairs


def _same_ids(one: _Side, other: _Side) -> _Pairs:
    counts, of_other = Counter(one.ids), Counter(other.ids)
    place = {name: j for j, name in enumerate(other.ids)}
    return [
        (i, place[name]) for i, name in enumerate(one.ids) if name is not None and counts[name] == of_other[name] == 1
    ]


def _in_order(one: _Side, other: _Side) -> _Pairs:
    return [(i, j) for i, j in enumerate(pair_texts((one.texts, other.texts), (one.words, other.words))) if j >= 0]


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
    shared = Counter(one.words[i]) & Counter(other.words[j])
    return 2 * shared.total() >= max(len(one.words[i]), len(other.words[j]))


def _same_places(old: Treebank, new: Treebank, old_words: Numbers, new_words: Numbers) -> NDArray[np.bool_]:
    """Whether each word of a sentence is aligned with the word of the same number."""
    sizes = np.diff(old.sentence_starts)
    sentence = old.sentence_of_word[old_words]
    places = old_words - old.sentence_starts[sentence] == new_words - new.sentence_starts[sentence]
    all_aligned = np.bincount(sentence[places], minlength=len(sizes)) == sizes
    same: NDArray[np.bool_] = all_aligned & (sizes == np.diff(new.sentence_starts))
    return same


def _spans_by_sentence(treebank: Treebank, spans: Spans) -> list[tuple[list[int], ...]]:
    """The span of each word's token in its sentence, and whether each word is in a multiword token."""
    shift = spans.sentence_starts[treebank.sentence_of_word]
    parts = [column.tolist() for column in (spans.starts - shift, spans.ends - shift, spans.inside)]
    return [tuple(part[start:end] for part in parts) for start, end in pairwise(treebank.sentence_starts.tolist())]


def _moved(rows: Numbers) -> NDArray[np.bool_]:
    """The pairs that are not in a longest sequence of pairs in order on both sides."""
    order = np.argsort(rows[:, 0])
    values = rows[order, 1].tolist()
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

_COLUMNS = {
    "FORM": "forms", "LEMMA": "lemmas", "UPOS": "upos", "XPOS": "xpos", "DEPREL": "relations", "FEATS": "feats",
    "MISC": "misc",
}  # fmt: skip
"""The columns that are compared as text, without those of heads, with their names in treebanks."""


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
    for name, attribute in _COLUMNS.items():
        yield from _changed(pairs, name, attribute)
    yield from _heads(pairs)
    yield from _changed(pairs, "DEPS", "deps")
    for name, rows in ((MULTIWORD, _multiword_tokens), (EMPTY, _empty_nodes)):
        yield from _compare_rows(pairs, name, *map(rows, _both(pairs)))


def changed_attributes(old: str, new: str) -> list[tuple[str, str]]:
    """Return the attributes in which two cells differ: `Number=Sing` and `Number=Plur`; `-` for a missing attribute."""
    sides: list[dict[str, list[str]]] = []
    for cell in (old, new):
        parts: defaultdict[str, list[str]] = defaultdict(list)
        for part in cell.split("|") if cell != "_" else ():
            parts[part.partition("=")[0]].append(part)
        sides.append({key: sorted(some) for key, some in parts.items()})
    before, after = sides
    values = [
        ("|".join(before.get(key, [ABSENT])), "|".join(after.get(key, [ABSENT]))) for key in sorted(before | after)
    ]
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


def _changed(pairs: PairedVersions, name: str, attribute: str) -> Iterator[ChangedCell]:
    """The aligned words whose cells of a column differ."""
    columns: list[StringColumn] = [getattr(treebank, attribute) for treebank in (pairs.old, pairs.new)]
    number: dict[str, int] = {}
    old, new = (column.mapped(lambda text: number.setdefault(text, len(number)), np.intp) for column in columns)
    differ = old[pairs.old_words] != new[pairs.new_words]
    if name == "DEPS":  # the same text has other heads if words have other numbers
        differ |= ~pairs.same_places[pairs.old.sentence_of_word[pairs.old_words]]
    for place in np.flatnonzero(differ).tolist():
        word, new_word = int(pairs.old_words[place]), int(pairs.new_words[place])
        sentence = int(pairs.old.sentence_of_word[word])
        for values in _differences(pairs, name, sentence, columns[0][word], columns[1][new_word]):
            yield ChangedCell(name, *values, sentence, pairs.old.forms[word], word)


def _differences(pairs: PairedVersions, column: str, sentence: int, old: str, new: str) -> list[tuple[str, str]]:
    """The changes from one cell to another; none in DEPS if only the numbers of words differ."""
    if column == "DEPS" and not (old == new and pairs.same_places[sentence]):
        edges = [_edges(cell, side.by_id(sentence)) for cell, side in zip((old, new), _both(pairs), strict=True)]
        if edges[0] != edges[1]:
            sides = (sorted(name for _, name in some) for some in (edges[0] - edges[1], edges[1] - edges[0]))
            before, after = ("|".join(side) or ABSENT for side in sides)
            return [(before, after)]
        return [(old, new)] if pairs.same_places[sentence] else []
    if old == new:
        return []
    return changed_attributes(old, new) if column in {"FEATS", "MISC"} else [(old, new)]


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
        word = int(pairs.old_words[place])
        yield ChangedCell("HEAD", *tags, int(old.sentence_of_word[word]), old.forms[word], word)


def _tag_of(treebank: Treebank, head: int) -> str:
    if not treebank.has_trees:
        return "_"
    return "root" if head < 0 else treebank.upos[head]


_ID = re.compile("(?=.*[1-9])[0-9]{1,9}")


def _edges(cell: str, word: Callable[[int], Hashable]) -> frozenset[tuple[Hashable, str]]:
    """The edges of a cell of DEPS: their heads as `word` names them, and their relations."""
    parts = [part.partition(":") for part in cell.split("|")] if cell != "_" else []
    return frozenset((word(int(head)) if _ID.fullmatch(head) else head, name or head) for head, _, name in parts)


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


class _Row(NamedTuple):
    """A multiword token or an empty node: its nine cells after the ID, and its sentence."""

    sentence: int
    cells: tuple[str, ...]


def _rows(treebank: Treebank, part: MultiwordTokens | EmptyNodes, keys: Iterable[Hashable]) -> dict[Hashable, _Row]:
    texts = treebank.strings
    sides = zip(keys, part.sentence.tolist(), part.cells.tolist(), strict=True)
    return {key: _Row(sentence, tuple(texts[code] for code in cells)) for key, sentence, cells in sides}


def _multiword_tokens(words: _Words) -> dict[Hashable, _Row]:
    """The multiword tokens of one version by their first word."""
    tokens = words.treebank.multiword
    seen: Counter[Hashable] = Counter()  # official scorers read tokens without words, before any word or at the end
    keys = []
    for sentence, word in zip(tokens.sentence.tolist(), tokens.first.tolist(), strict=True):
        first = (sentence, words.name(word) if word < words.treebank.n_words else "end")
        keys.append((first, seen[first]))
        seen[first] += 1
    return _rows(words.treebank, tokens, keys)


def _empty_nodes(words: _Words) -> dict[Hashable, _Row]:
    """The empty nodes of one version by the preceding word and their number."""
    empty, starts = words.treebank.empty, words.treebank.sentence_starts
    rows = zip(empty.position.tolist(), empty.sentence.tolist(), empty.minor.tolist(), strict=True)
    keys = [
        (sentence, "start" if word == starts[sentence] else words.name(word - 1), minor)
        for word, sentence, minor in rows
    ]
    return _rows(words.treebank, empty, keys)


def _compare_rows(
    pairs: PairedVersions, name: str, old: dict[Hashable, _Row], new: dict[Hashable, _Row]
) -> Iterator[ChangedCell]:
    """The rows that only one version has, and changed cells of the others."""
    for key in old | new:
        row, *others = (side[key] for side in (old, new) if key in side)
        old_form, new_form = (side[key].cells[FORM] if key in side else ABSENT for side in (old, new))
        if not others or old_form != new_form:
            yield ChangedCell(name, old_form, new_form, row.sentence, row.cells[FORM])
        for after in others:
            for field, *values in list(zip(FIELDS[1:], row.cells, after.cells, strict=True))[FORM + 1 :]:
                for pattern in _differences(pairs, field, row.sentence, *values):
                    yield ChangedCell(field, *pattern, row.sentence, row.cells[FORM])
