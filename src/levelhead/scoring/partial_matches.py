"""Alignment of outputs with different text or broken trees, and counts by gold sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.kernels import pools
from levelhead.scoring.counts import Counts, with_missing_words
from levelhead.scoring.form_alignment import PairedBy, SentencePairs, align_forms, is_other_text, pair_sentences
from levelhead.scoring.matches import (
    Agree,
    Alignment,
    Matches,
    Spans,
    align,
    align_sentences,
    compare_aligned,
    same_texts,
    spans_of,
)
from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.score import count
from levelhead.scoring.selection import Schemes
from levelhead.treebank import Treebank
from levelhead.treebank.strings import Codes
from levelhead.treebank.ud_reader import LenientTreebank

Flags = NDArray[np.bool_]

_Side = tuple[Treebank, Spans]

_NOWHERE = -1  # the end of a token or word that covers no characters of gold


class PartialMatches(NamedTuple):
    """The aligned words of gold and a system's output."""

    # if sentences were paired, `system` only has the paired sentences, in the order of gold, with positions in the text
    # of gold as spans, and sentences lack words for which the output has fewer words with a HEAD than gold; otherwise
    # those lack words that have words without a HEAD
    matches: Matches
    by: PairedBy  # how sentences are paired
    answered: Flags  # the gold sentences with a system word that has a HEAD, bool, shape (gold sentences,)
    # the gold sentences whose sentence in the output is valid, or all sentences with words in it; same shape
    is_tree: Flags
    same_text: Flags  # the gold sentences that have the same text as the paired sentence, same shape
    has_head: Flags  # whether each word of `matches.system` has a HEAD, bool, shape (system words,)
    n_extra: int  # the number of the system's sentences without a gold sentence
    equal_forms: Flags  # whether the words of each aligned pair have the same form, bool, shape (pairs,)
    # the gold sentences whose sentence in the output has another text (`is_other_text`), so that no word is aligned
    other_text: Flags


def match_partially(
    gold: Treebank, output: LenientTreebank, rules: Rules, pairs: SentencePairs | None = None
) -> PartialMatches:
    """Align a system's output with gold, regardless of its text and its trees."""
    system = output.treebank
    gold_spans, system_spans = (spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in (gold, system))
    if pairs is None and not np.array_equal(gold_spans.text, system_spans.text):
        pairs = pair_sentences(gold, system, (gold_spans.sentence_texts(), system_spans.sentence_texts()))
    if pairs is not None:
        return _match_pairs(gold, output, rules, gold_spans, pairs)
    alignment = align(gold, system, gold_spans, system_spans)
    matches = compare_aligned(gold, system, rules, gold_spans, system_spans, alignment)
    broken = ~output.is_tree[system.sentence_of_word]
    return PartialMatches(
        _with_unknown(matches, output.has_head, _sizes(matches, ~output.has_head) > 0),
        "characters",
        answered=_sizes(matches, output.has_head) > 0,
        is_tree=_sizes(matches, broken) == 0,
        same_text=np.ones(len(gold), dtype=bool),
        has_head=output.has_head,
        n_extra=0,
        equal_forms=_equal_forms(gold, system, alignment),
        other_text=np.zeros(len(gold), dtype=bool),
    )


def _equal_forms(gold: Treebank, system: Treebank, alignment: Alignment) -> Flags:
    in_gold = pools.translate(gold.strings.pool, gold.strings.offsets, system.strings.pool, system.strings.offsets)
    return np.equal(gold.forms.codes[alignment.gold], in_gold[system.forms.codes[alignment.system]])


def _sizes(matches: Matches, words: Flags) -> NDArray[np.intp]:
    """The number of the given system words of each gold sentence."""
    return np.bincount(matches.row_of_system[words], minlength=len(matches.gold))


def _match_pairs(
    gold: Treebank, output: LenientTreebank, rules: Rules, gold_spans: Spans, pairs: SentencePairs
) -> PartialMatches:
    rows = np.flatnonzero(pairs.system >= 0)
    chosen = pairs.system[rows]
    gold_part, system = gold.select(rows.tolist()), output.treebank.select(chosen.tolist())
    sides = tuple(spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in (gold_part, system))
    alignment = align_sentences(gold_part, system, *sides)
    words = np.flatnonzero(pairs.system[gold.sentence_of_word] >= 0).astype(np.int32)
    same, equal = same_texts(*sides), _equal_forms(gold_part, system, alignment)
    row_of_pair = gold_part.sentence_of_word[alignment.gold]
    n_equal = np.bincount(row_of_pair[equal], minlength=len(gold_part))
    sizes = np.diff(gold_part.sentence_starts).tolist(), np.diff(system.sentence_starts).tolist()
    other = ~same & np.array(list(map(is_other_text, n_equal.tolist(), *sizes)), dtype=bool)
    kept = ~other[row_of_pair]
    alignment, equal = Alignment(alignment.gold[kept], alignment.system[kept]), equal[kept]
    starts = np.append(gold_spans.sentence_starts[rows], len(gold_spans.text))
    placed = _in_gold((gold_part, sides[0]), (system, sides[1]), starts, same, other)
    alignment = Alignment(words[alignment.gold], alignment.system)
    matches = compare_aligned(gold, system, rules, gold_spans, placed, alignment)
    ranges = [slice(*output.treebank.sentence_starts[sentence : sentence + 2]) for sentence in chosen.tolist()]
    has_head = np.concatenate([np.zeros(0, dtype=bool), *(output.has_head[words] for words in ranges)])
    is_tree, same_text, other_text = np.zeros((3, len(gold)), dtype=bool)
    is_tree[rows], same_text[rows], other_text[rows] = output.is_tree[chosen] & ~other, same, other
    return PartialMatches(
        _with_unknown(matches, has_head, _sizes(matches, has_head) < np.diff(gold.sentence_starts)),
        pairs.by,
        answered=(_sizes(matches, has_head) > 0) & ~other_text,
        is_tree=is_tree,
        same_text=same_text,
        has_head=has_head,
        n_extra=len(output.treebank) - len(chosen),
        equal_forms=equal,
        other_text=other_text,
    )


def _in_gold(gold: _Side, system: _Side, starts: NDArray[np.int64], same: Flags, unrelated: Flags) -> Spans:
    """The spans of the system's words as positions in the text of gold."""
    (gold_part, gold_spans), (treebank, spans) = gold, system
    # with different text, words start with the gold sentence, and only tokens equal to their gold token have an end
    shift = starts[:-1] - spans.sentence_starts[:-1]
    of_word, of_token = treebank.sentence_of_word, treebank.tokens.sentence
    token_starts = np.where(same[of_token], spans.token_starts + shift[of_token], starts[of_token])
    token_ends = np.where(same[of_token], spans.token_ends + shift[of_token], _NOWHERE)
    one, other = _equal_tokens(gold, system, np.flatnonzero(~same & ~unrelated))
    places = (starts[:-1] - gold_spans.sentence_starts[:-1])[gold_part.tokens.sentence[one]]
    token_starts[other], token_ends[other] = gold_spans.token_starts[one] + places, gold_spans.token_ends[one] + places
    return replace(
        spans,
        token_starts=token_starts,
        token_ends=token_ends,
        starts=np.where(same[of_word], spans.starts + shift[of_word], starts[of_word]),
        ends=np.where(same[of_word], spans.ends + shift[of_word], _NOWHERE),
        sentence_starts=starts,
    )


def _equal_tokens(gold: _Side, system: _Side, sentences: NDArray[np.intp]) -> tuple[Codes, Codes]:
    """The tokens of some sentences, aligned by edit distance, that have the same characters on both sides."""
    pairs = [np.zeros((0, 2), dtype=np.int32)]
    sides = []
    for treebank, spans in (gold, system):
        first = np.searchsorted(treebank.tokens.sentence, np.arange(len(treebank) + 1), side="left")
        sides.append((spans, spans.text.tobytes(), first))
    for sentence in sentences.tolist():
        forms = []
        for spans, text, first in sides:
            tokens = slice(*first[sentence : sentence + 2])
            ends = zip(spans.token_starts[tokens].tolist(), spans.token_ends[tokens].tolist())
            forms.append([text[start:end].decode() for start, end in ends])
        aligned = enumerate(align_forms(*forms))
        same = [(i, j) for i, j in aligned if j >= 0 and forms[0][i] == forms[1][j]]
        pairs.append(np.array(same, dtype=np.int32).reshape(-1, 2) + [first[sentence] for *_, first in sides])
    tokens_of_sides = np.concatenate(pairs)
    return tokens_of_sides[:, 0], tokens_of_sides[:, 1]


def _with_unknown(matches: Matches, has_head: Flags, lacking: Flags) -> Matches:
    """Add which gold sentences lack words, and unset the flag for function words (MLAS) if one of them has no HEAD."""
    matches, system = replace(matches, lacking=lacking), matches.system
    # it could belong to any word of its sentence, and leaving out a wrong HEAD would otherwise raise MLAS
    lost = matches.rules.scheme.is_in("FUNCTION", system.relations) & ~has_head
    unknown = np.zeros(len(system), dtype=bool)
    unknown[system.sentence_of_word[lost]] = True
    pairs = unknown[system.sentence_of_word[matches.alignment.system]]
    flags = np.where(pairs, matches.flags & ~np.uint16(Agree.CHILDREN), matches.flags).astype(np.uint16)
    return replace(matches, flags=flags)


class ShiftedAnswers:
    """Counts the answers to another text that fit the next or the previous gold sentence, piece by piece."""

    def __init__(self) -> None:
        self._waiting: list[str] | None = None  # an answer to the last gold sentence so far
        self._last: list[str] | None = None  # the last gold sentence so far

    def add(self, partial: PartialMatches) -> tuple[int, int]:
        """Add gold sentences; return how many more answers fit the next and the previous gold sentence."""
        matches = partial.matches
        n, starts = len(matches.gold), matches.gold.sentence_starts

        def gold_forms(row: int) -> list[str] | None:
            return list(matches.gold.forms[starts[row] : starts[row + 1]]) if 0 <= row < n else None

        n_next = int(self._waiting is not None and _fits(gold_forms(0), self._waiting))
        n_previous = 0
        self._waiting = None if n else self._waiting
        for row in np.flatnonzero(partial.other_text).tolist():
            first, end = np.searchsorted(matches.row_of_system, [row, row + 1]).tolist()
            answer = list(matches.system.forms[first:end])
            n_previous += _fits(gold_forms(row - 1) if row else self._last, answer)
            n_next += _fits(gold_forms(row + 1), answer)
            self._waiting = answer if row + 1 == n else None
        self._last = gold_forms(n - 1) if n else self._last
        return n_next, n_previous


def _fits(gold: list[str] | None, system: list[str]) -> bool:
    if gold is None:
        return False
    pairs = zip(gold, align_forms(gold, system))
    n_equal = sum(place >= 0 and form == system[place] for form, place in pairs)
    return not is_other_text(n_equal, len(gold), len(system))


class PartialCounts(NamedTuple):
    """The counts of a measure in a file, or in the pieces of a file so far; `sentences` are those of the last piece."""

    words: Counts | None  # the sums over all words, one row; None if sentences are paired, or lack words
    sentences: Counts  # one row for each gold sentence
    sentences_valid_trees: Counts  # the same, with invalid trees counted as wrong
    by_sentence: Counts  # the sums of sentences, one row
    in_valid_trees: Counts  # the sums of sentences with valid trees only, one row
    all_valid: bool  # whether all sentences have a valid tree

    @property
    def total(self) -> Counts:
        return self.words or self.by_sentence

    @property
    def valid_trees(self) -> Counts:
        """The sums of all counts in one row, where words in invalid trees count as wrong."""
        return self.total if self.all_valid else replace(self.total, correct=self.in_valid_trees.correct)


def count_partially(
    partial: PartialMatches,
    measure: Measure,
    definition: Definition,
    *,
    schemes: Schemes,
    weights: Any = None,
    before: PartialCounts | None = None,
) -> PartialCounts:
    """Return the counts of a measure, with all readable rows and with valid trees only."""
    settings: dict[str, Any] = {"schemes": schemes, "weights": weights}
    paired = None if partial.by == "characters" else partial
    rows = count(partial.matches, measure, definition, by_sentence=True, paired=paired, **settings)
    lacking = np.zeros(len(rows), dtype=bool) if partial.matches.lacking is None else partial.matches.lacking
    rows = with_missing_words(rows, lacking)
    strict = replace(rows, correct=rows.correct * partial.is_tree)
    by_words = not (paired or lacking.any() or (before is not None and before.words is None))
    return PartialCounts(
        count(partial.matches, measure, definition, **settings, before=before and before.words) if by_words else None,
        rows,
        strict,
        (rows if before is None else before.by_sentence + rows).total(),
        (strict if before is None else before.in_valid_trees + strict).total(),
        bool(partial.is_tree.all()) and (before is None or before.all_valid),
    )
