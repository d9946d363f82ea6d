"""Agreement between each gold word and its aligned system word."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.errors import MalformedDeps
from levelhead.immutable import immutable
from levelhead.kernels import agreement, pools
from levelhead.scoring.align import Alignment, align
from levelhead.scoring.rules import Rules
from levelhead.scoring.spans import Spans, check_same_text, spans_of
from levelhead.treebank import StringColumn, Treebank, check_trees
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import Codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.enhanced_edges import Edges
    from levelhead.scoring.selection import Selection

UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect"
    " Voice Evident Polarity Person Polite".split()
)
"""The 21 features that conll18_ud_eval.py and its successors compare."""


SYSTEM_RANK = 10
"""Added to the rank of errors in the system's DEPS, since gold is read first."""


class Agree(IntFlag):
    """The properties in which two aligned words can agree."""

    HEAD = 1
    RELATION = 2  # without subtype
    FULL_RELATION = 4  # with subtype
    UPOS = 8
    XPOS = 16
    FEATS = 32  # the features that the rules compare
    ALL_FEATS = 64  # the whole FEATS
    LEMMA = 128
    CHILDREN = 256  # all functional children: aligned, with the same relation, UPOS and features (MLAS)


@immutable()
class TreebankPair:
    """Two treebanks that are ready for counting.

    Args:
        gold: the gold treebank.
        system: the system treebank.
        rules: the rules.
    """

    gold: Treebank
    system: Treebank
    rules: Rules


@immutable()
class Matches(TreebankPair):
    """One row per aligned pair of words, with flags for what agrees; all measures are counted from it.

    Args:
        gold: the gold treebank.
        system: the system treebank.
        rules: the rules.
        gold_spans: the characters that gold words cover.
        system_spans: the characters that system words cover.
        alignment: the pairs.
        flags: what agrees in each pair, `Agree`, uint16, shape (pairs,).
        punctuation: for a piece of large files, what `callin_punctuation` returns for the whole gold treebank, if a
            measure requires it.
    """

    gold_spans: Spans
    system_spans: Spans
    alignment: Alignment
    flags: NDArray[np.uint16]
    punctuation: frozenset[str] | None = None

    def agree(self, needs: Agree) -> NDArray[np.bool_]:
        """Return the pairs in which all required properties agree."""
        agree: NDArray[np.bool_] = (self.flags & int(needs)) == int(needs)
        return agree

    @cached_property
    def _n_with_flags(self) -> NDArray[np.intp]:
        """The number of pairs with each combination of flags."""
        return np.bincount(self.flags, minlength=int(max(Agree)) * 2)

    def n_agreeing(self, needs: Agree) -> int:
        """Return the number of pairs in which all required properties agree."""
        combinations = np.arange(len(self._n_with_flags))
        return int(self._n_with_flags[(combinations & int(needs)) == int(needs)].sum())

    def check_trees(self) -> None:
        """Refuse treebanks without trees.

        Raises:
            ConlluError: a side has no trees.
        """
        check_trees(self.gold)
        check_trees(self.system)

    @cached_property
    def gold_of_system(self) -> Codes:
        """The gold word of each system word, -1 if it is not aligned, int32, shape (system words,)."""
        return _gold_of_system(self.alignment, self.system.n_words)

    @cached_property
    def row_of_system(self) -> Codes:
        """The gold sentence that contains each system word's first character, int32, shape (system words,)."""
        return self.rows_at(self.system_spans.starts)

    @cached_property
    def edges(self) -> tuple[Edges, Edges, dict[str, int]]:
        """The enhanced edges of gold and system, and the numbers of their labels."""
        labels: dict[str, int] = {}
        gold = self._edges_of(self.gold, labels)
        try:
            system = self._edges_of(self.system, labels)
        except MalformedDeps as error:
            raise MalformedDeps(str(error), SYSTEM_RANK + error.rank) from error
        return gold, system, labels

    def _edges_of(self, treebank: Treebank, labels: dict[str, int]) -> Edges:
        from levelhead.scoring.enhanced_edges import edges_of  # loaded when needed: `score` starts faster without it

        return edges_of(treebank, labels, collapse=self.rules.collapse, switches=self.rules.switches)

    @property
    def n_steps(self) -> tuple[int, int]:
        """The number of steps of paths through empty nodes in gold and system, as far as DEPS is valid."""
        try:
            gold, system, _ = self.edges
        except MalformedDeps as error:
            return self._edges_of(self.gold, {}).n_steps if error.rank >= SYSTEM_RANK else 0, 0
        return gold.n_steps, system.n_steps

    def values(self, selection: Selection) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the weight of each gold word and each system word, bool or float64, shapes (words,)."""
        gold = _values(selection, self.gold.relations)
        if not selection.by_gold:
            return gold, _values(selection, self.system.relations)
        system = np.empty(self.system.n_words, dtype=gold.dtype)
        system[self.alignment.system] = gold[self.alignment.gold]
        alone = np.flatnonzero(self.gold_of_system < 0)
        system[alone] = _values(selection, self.system.relations.take(alone))
        return gold, system

    def rows_at(self, starts: NDArray[np.int64]) -> Codes:
        """The gold sentence that contains each position, int32."""
        sentences = np.searchsorted(self.gold_spans.sentence_starts[:-1], starts, side="right") - 1
        return sentences.astype(np.int32)


def match(gold: Treebank, system: Treebank, rules: Rules) -> Matches:
    """Align two treebanks and compare the aligned words.

    Args:
        gold: the gold treebank.
        system: the system treebank.
        rules: the rules.

    Raises:
        TextMismatch: the treebanks do not have the same characters.
        MeasureError: the rules do not align words by their characters.
    """
    rules.check_words()
    gold_spans = spans_of(gold, unicode_spaces=rules.unicode_spaces)
    system_spans = spans_of(system, unicode_spaces=rules.unicode_spaces)
    check_same_text(gold, system, gold_spans, system_spans)
    return match_spans(gold, system, rules, gold_spans, system_spans)


def match_spans(gold: Treebank, system: Treebank, rules: Rules, gold_spans: Spans, system_spans: Spans) -> Matches:
    """Align two treebanks with the same characters and compare the aligned words."""
    return compare_aligned(gold, system, rules, gold_spans, system_spans, align(gold, system, gold_spans, system_spans))


def compare_aligned(
    gold: Treebank, system: Treebank, rules: Rules, gold_spans: Spans, system_spans: Spans, alignment: Alignment
) -> Matches:
    """Compare the aligned words of two treebanks."""
    flags = _compare(gold, system, rules, alignment)
    return Matches(gold, system, rules, gold_spans, system_spans, alignment, flags)


def match_pair(gold: Treebank, system: Treebank, rules: Rules) -> TreebankPair:
    """Align two treebanks under any rules, for counting."""
    if not rules.content:
        return match(gold, system, rules)
    from levelhead.scoring.content_matches import match_content

    return match_content(gold, system, rules)


def _values(selection: Selection, relations: StringColumn) -> NDArray[Any]:
    return selection.of_codes(relations)[relations.codes]


def _gold_of_system(alignment: Alignment, n_words: int) -> Codes:
    of_system = np.full(n_words, -1, dtype=np.int32)
    of_system[alignment.system] = alignment.gold
    return of_system


_COMPARED = ("relations", "upos", "xpos", "feats", "lemmas")


def _compare(gold: Treebank, system: Treebank, rules: Rules, alignment: Alignment) -> NDArray[np.uint16]:
    feats = numbered(universal_features, gold.feats, system.feats) if rules.universal_features else ()
    return agreement.compare(
        alignment.gold,
        alignment.system,
        _gold_of_system(alignment, system.n_words),
        tuple(getattr(gold, name).codes for name in _COMPARED),
        tuple(getattr(system, name).codes for name in _COMPARED),
        pools.translate(gold.strings.pool, gold.strings.offsets, system.strings.pool, system.strings.offsets),
        numbered(universal, gold.relations, system.relations),
        feats,
        (gold.heads, system.heads),
        (function_words(gold, rules), function_words(system, rules)),
        rules.missing_lemma_counts,
    )


def function_words(treebank: Treebank, rules: Rules) -> NDArray[np.uint8]:
    """Return whether each word is a function word, by its relation; uint8, shape (words,)."""
    return rules.scheme.is_in("FUNCTION", treebank.relations).view(np.uint8)


def numbered(value: Callable[[str], str], gold: StringColumn, system: StringColumn) -> tuple[Codes, Codes]:
    """Number the strings of two columns: strings with equal `value` have equal numbers, int32, shape (strings,)."""
    numbers: dict[str, int] = {}
    result = []
    for column in (gold, system):
        of_code = np.full(len(column.strings), -1, dtype=np.int32)
        values = map(value, column.distinct_texts)
        of_code[column.distinct] = [numbers.setdefault(text, len(numbers)) for text in values]
        result.append(of_code)
    return result[0], result[1]


@lru_cache(maxsize=1 << 14)
def universal_features(feats: str) -> str:
    """Return the universal features of FEATS, sorted, without layered features such as Number[psor]."""
    return "|".join(sorted(feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL_FEATURES))
