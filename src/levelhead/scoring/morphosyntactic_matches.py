"""The content words of two treebanks, aligned and scored as in morphosyntactic parsing (UniDive 2025).

Sentences are paired in order. In a pair of sentences, content words are paired in order, whatever their forms; an
abstract node (a word whose form is `_`) is skipped if the other word is not an abstract node. Words are aligned once
from the start and once from the end of the sentence. Each measure uses the alignment with the higher score, the one
from the end on a tie. Credits are added in the order of gold words, so that sums of fractions are equal to the official
script's in the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place, number_of, quoted
from levelhead.immutable import immutable
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import UNIVERSAL_FEATURES, TreebankPair, numbered
from levelhead.scoring.rules import Rules
from levelhead.treebank import Treebank
from levelhead.treebank.morphosyntactic_reader import FUNCTION, NO_FEATURES, malformed_feature
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import ANY_SPACE
from levelhead.treebank.tokens import place_of

Numbers = NDArray[np.int64]

# Special heads: the root, a function word, and a system word that is not aligned.
_ROOT, _ELSEWHERE, _UNALIGNED = -1, -2, -3


@immutable
class MorphosyntacticMatches(TreebankPair):
    """The correct content words of two treebanks."""

    counts: Mapping[str, Counts]  # the counts of each measure, by its name, one row for each sentence


class _Side(NamedTuple):
    """The content words of one treebank, in order."""

    treebank: Treebank
    words: Numbers  # the index of each in the treebank, int64, shape (content words,)
    heads: Numbers  # the head of each as an index of content words, or `_ROOT`, or `_ELSEWHERE`; same type and shape
    abstract: NDArray[np.bool_]  # whether the form of each is `_`, bool, shape (content words,)
    n_words: Numbers  # the number of content words of each sentence, int64, shape (sentences,)


_Pairs = tuple[Numbers, Numbers]  # aligned content words, as indices of content words, ascending on both sides


def match_content(gold: Treebank, system: Treebank, rules: Rules) -> MorphosyntacticMatches:
    """Align the content words of two treebanks and count the correct ones."""
    check_same_sentences((gold.source.path, len(gold)), (system.source.path, len(system)))
    n_blank, n_blank_of_system = gold.source.n_blank, system.source.n_blank
    if n_blank > n_blank_of_system:
        message = f"{number_of(n_blank_of_system, 'blank line')} after the last sentence, but gold has {n_blank}"
        raise InputError(Fault("sentence-mismatch", message, Place(system.source.path)))
    sides = _side_of(gold), _side_of(system)
    mirrored = _aligned(*(side._replace(abstract=side.abstract[::-1], n_words=side.n_words[::-1]) for side in sides))
    of_gold, of_system = (len(side.words) - 1 - words[::-1] for side, words in zip(sides, mirrored))
    if n_blank_of_system and not n_blank:  # then the official script does not reach the last sentence from its end
        kept = gold.sentence_of_word[sides[0].words[of_gold]] < len(gold) - 1
        of_gold, of_system = of_gold[kept], of_system[kept]
    directions = _aligned(*sides), (of_gold, of_system)
    _check_features(*sides, directions)
    forward, backward = (_counted(*sides, pairs, rules) for pairs in directions)
    counts = {}
    for name, start in forward.items():  # for each sentence the direction with the larger sum, backward on a tie
        end = backward[name]
        rows = ((start.correct, end.correct), (start.aligned, end.aligned))
        correct, aligned = (np.where(start.correct > end.correct, *map(np.asarray, row)) for row in rows)
        counts[name] = Counts(correct, end.gold, end.system, aligned)
    return MorphosyntacticMatches(gold, system, rules, counts)


def count_content(
    matches: TreebankPair, measure: str, *, by_sentence: bool = False, before: Counts | None = None
) -> Counts:
    if not isinstance(matches, MorphosyntacticMatches):
        raise TypeError("content words can only be counted in the result of `match_content`")
    counts = matches.counts[measure]
    if by_sentence:
        return counts
    return (counts if before is None else before + counts).total()


def check_same_sentences(gold: tuple[str | None, int], system: tuple[str | None, int]) -> None:
    """Refuse treebanks that do not have the same number of sentences."""
    if gold[1] != system[1]:
        message = f"{number_of(system[1], 'sentence')}, but gold has {gold[1]}: sentences are compared in order"
        raise InputError(Fault("sentence-mismatch", message, Place(system[0])))


def _side_of(treebank: Treebank) -> _Side:
    words = np.flatnonzero(~treebank.feats.mapped(FUNCTION.__contains__, bool))
    index = np.full(treebank.n_words + 1, _ELSEWHERE, dtype=np.int64)
    index[words] = np.arange(len(words))
    index[-1] = _ROOT  # where the head is -1
    n_words = np.bincount(treebank.sentence_of_word[words], minlength=len(treebank))
    abstract = treebank.forms.mapped(lambda form: "_" in form and form.translate(ANY_SPACE) == "_", bool)[words]
    return _Side(treebank, words, index[treebank.heads[words]], abstract, n_words)


def _aligned(gold: _Side, system: _Side) -> _Pairs:
    """Align from the start of each sentence: the k-th words with each other, unless one of them is abstract."""
    n_pairs = np.minimum(gold.n_words, system.n_words)
    gold_starts, system_starts, starts = (np.cumsum(sizes) - sizes for sizes in (gold.n_words, system.n_words, n_pairs))
    within = np.arange(n_pairs.sum()) - np.repeat(starts, n_pairs)
    pairs = np.stack([np.repeat(start, n_pairs) + within for start in (gold_starts, system_starts)], axis=1)
    sentence = np.repeat(np.arange(len(n_pairs)), n_pairs)
    uneven = np.unique(sentence[gold.abstract[pairs[:, 0]] != system.abstract[pairs[:, 1]]])
    if len(uneven):
        walked = np.array(list(_walked(gold, system, gold_starts, system_starts, uneven)), dtype=np.int64)
        pairs = np.concatenate([pairs[~np.isin(sentence, uneven)], walked.reshape(-1, 2)])
        pairs = pairs[np.argsort(pairs[:, 0])]
    return pairs[:, 0], pairs[:, 1]


def _walked(
    gold: _Side, system: _Side, gold_starts: Numbers, system_starts: Numbers, sentences: Numbers
) -> Iterator[tuple[int, int]]:
    """Align sentences word by word; an abstract word is skipped if the other is not abstract."""
    for sentence in sentences.tolist():
        i, j = int(gold_starts[sentence]), int(system_starts[sentence])
        gold_end, system_end = i + gold.n_words[sentence], j + system.n_words[sentence]
        while i < gold_end and j < system_end:
            in_gold, in_system = bool(gold.abstract[i]), bool(system.abstract[j])
            if in_gold == in_system:
                yield i, j
            i, j = i + (in_gold or not in_system), j + (in_system or not in_gold)


def _check_features(gold: _Side, system: _Side, directions: Sequence[_Pairs]) -> None:
    """Refuse malformed features of aligned words; the error names the first by sentence, gold before system."""
    malformed_words = []
    for number, side in enumerate((gold, system)):
        malformed = side.treebank.feats.mapped(lambda feats: malformed_feature(feats) is not None, bool)
        aligned = side.words[np.concatenate([pairs[number] for pairs in directions])]
        words = aligned[malformed[aligned]]
        if len(words):
            word = int(words.min())
            malformed_words.append((int(side.treebank.sentence_of_word[word]), number, word, side.treebank))
    if malformed_words:
        *_, word, treebank = min(malformed_words, key=itemgetter(0, 1))
        message = f"{quoted(malformed_feature(treebank.feats[word]) or '')} in FEATS is not Name=Value"
        raise InputError(Fault("refused-by-rules", message, place_of(treebank, word)))


def _counted(gold: _Side, system: _Side, pairs: _Pairs, rules: Rules) -> dict[str, Counts]:
    """Count correct words for one direction of alignment, one row per sentence."""
    words, system_words = gold.words[pairs[0]], system.words[pairs[1]]
    relations, system_relations = gold.treebank.relations, system.treebank.relations
    number, system_number = numbered(universal, relations, system_relations)
    same = number[relations.codes[words]] == system_number[system_relations.codes[system_words]]
    gold_of_system = np.full(len(system.words) + 2, _UNALIGNED, dtype=np.int64)
    gold_of_system[pairs[1]] = pairs[0]
    gold_of_system[_ROOT] = _ROOT  # an unaligned head or a function word never agrees
    attached = same & (gold_of_system[system.heads[pairs[1]]] == gold.heads[pairs[0]])
    features = _feature_credits(gold, system, pairs, rules)
    row = gold.treebank.sentence_of_word[words]
    n_sentences = len(gold.treebank)
    sizes = gold.n_words, system.n_words, np.bincount(row, minlength=n_sentences)
    of_pairs = {"MSLAS": np.where(attached, features, 0.0), "LAS": attached, "Feats": features}
    sums = {name: np.bincount(row, weights=credit, minlength=n_sentences) for name, credit in of_pairs.items()}
    return {name: Counts(each.astype(np.int64) if name == "LAS" else each, *sizes) for name, each in sums.items()}


def _feature_credits(gold: _Side, system: _Side, pairs: _Pairs, rules: Rules) -> NDArray[np.float64]:
    """Return the F1 of the universal features of each pair; each pair of FEATS is compared once."""

    @cache
    def features_of(feats: str) -> dict[str, str]:
        named = [] if feats == NO_FEATURES else [part.split("=") for part in sorted(feats.split("|"))]
        return {
            name: ";".join(sorted(value.split(";"))) if rules.sorted_values else value
            for name, value in named
            if name in UNIVERSAL_FEATURES
        }

    feats, system_feats = gold.treebank.feats, system.treebank.feats
    codes = feats.codes[gold.words[pairs[0]]], system_feats.codes[system.words[pairs[1]]]
    keys = codes[0].astype(np.int64) * len(system_feats.strings) + codes[1]
    distinct, place = np.unique(keys, return_inverse=True)
    shares = []
    for key in distinct.tolist():
        code, system_code = divmod(key, len(system_feats.strings))
        expected, predicted = features_of(feats.strings[code]), features_of(system_feats.strings[system_code])
        right = sum(bool(value) and predicted.get(name) == value for name, value in expected.items())
        n_features = len(expected) + len(predicted)  # a feature without a value is never correct
        shares.append(2 * right / n_features if n_features else 1.0)
    return np.array(shares, dtype=np.float64)[place]
