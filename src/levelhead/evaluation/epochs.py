"""Scores of a parser during training: arrays of heads and relations against gold, without files."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from levelhead.arguments import check, is_list
from levelhead.errors import ConlluError, Fault
from levelhead.evaluation.provenance import notes_on_labels
from levelhead.evaluation.setup import setup_of
from levelhead.interop.treebanks import as_treebank
from levelhead.measures.registry import parse_measure
from levelhead.scoring.rules import Rules, rules_named, with_several_roots
from levelhead.scoring.score import Score
from levelhead.treebank import Treebank, check_trees
from levelhead.treebank.relations import universal
from levelhead.treebank.tokens import place_of_sentence

Nested = Sequence[Sequence[int | str]]
"""The values of all words by sentence."""

_UNKNOWN = -1

IGNORED = -100  # the head or relation of ignored words, as in PyTorch's loss functions


class EpochScorer:
    """A scorer for the predictions of a parser in training; its scores equal those of `levelhead.score`.

    Args:
        gold: the gold treebank, or an object of another library that holds the gold treebank.
        labels: relations that do not occur in gold, but that the parser can predict.
        rules: the scoring rules, which define the content relations of CLAS.
        allow_several_roots: whether gold sentences can have several roots, as in a treebank from `read(path,
            allow_several_roots=True)`. If true, the signature of the scores contains this setting.

    Raises:
        ConlluError: gold has no trees, or a sentence has several roots although `allow_several_roots` is false.
        MeasureError: the rules are unknown, or do not allow several roots.
        InputError: gold is not a treebank, or `allow_several_roots` is not a Boolean value.
    """

    def __init__(
        self,
        gold: Treebank | Any,
        *,
        labels: Iterable[str] = (),
        rules: str | Rules = "ud",
        allow_several_roots: bool = False,
    ) -> None:
        gold = as_treebank("gold", gold)
        check("allow_several_roots", allow_several_roots, "flag")
        self._rules = with_several_roots(rules) if allow_several_roots else rules_named(rules)
        self._rules.check_words()
        self._signature = setup_of((), rules=self._rules).signature_of_rules()
        check_trees(gold)
        n_roots = np.bincount(gold.sentence_of_word[gold.heads < 0], minlength=len(gold))
        if not allow_several_roots and (n_roots > 1).any():
            sentence = int(np.argmax(n_roots > 1))
            message = f"{n_roots[sentence]} words have HEAD 0: give allow_several_roots=True to accept such sentences"
            raise ConlluError(Fault("several-roots", message, place_of_sentence(gold, sentence)))
        self._heads, self._starts = gold.local_heads(), gold.sentence_starts
        self.labels: Sequence[str] = tuple(sorted({*gold.relations, *labels}))
        """All relations; predictions are indices into them."""
        self._ids = {label: number for number, label in enumerate(self.labels)}
        self._names = {name: number for number, name in enumerate(sorted({universal(label) for label in self.labels}))}
        self._relations = self.ids(gold.relations)
        self._universal_of = np.array([self._names[universal(label)] for label in self.labels], dtype=np.int32)
        self.notes = notes_on_labels(self.labels, self._rules.scheme, "CLAS", "the parser or gold")
        """Notes about the numbers: relations that CLAS leaves out."""
        content = [self._rules.scheme.class_of(label) == "CONTENT" for label in self.labels]
        self._is_content = np.array([*content, self._rules.scheme.otherwise == "CONTENT"])

    def ids(self, relations: Iterable[str]) -> NDArray[np.int32]:
        """Return the index in `labels` of each relation, or -1 if it is not in `labels`; int32."""
        return np.fromiter((self._ids.get(relation, _UNKNOWN) for relation in relations), dtype=np.int32)

    def score(self, heads: ArrayLike | Nested, relations: ArrayLike | Nested) -> Mapping[str, Score]:
        """Return the scores of predicted heads and relations for all words of gold, in the order of gold.

        Words whose predicted head or relation is -100 do not count, neither as gold words nor as system words.

        Args:
            heads: the heads as in CoNLL-U: 1-based in the sentence, 0 for the root. Either an array of integers, shape
                (words,), or one list per sentence.
            relations: the relations, or their indices in `labels` (-1 for a relation not in `labels`), in the same form
                as `heads`.

        Returns:
            A mapping from "UAS", "LAS", "LAS(full)" (which also compares subtypes of relations) and "CLAS" to scores.

        Raises:
            ConlluError: the number of heads or relations differs from the number of words, or a value is invalid.
        """
        wanted = f"indices into labels, {_UNKNOWN} for other relations, {IGNORED} for words to ignore"
        given = self._integers("heads", self._values("heads", heads), "integers")
        labels = self._labels(self._values("relations", relations), wanted)
        wrong = (labels >= len(self.labels)) | ((labels < _UNKNOWN) & (labels != IGNORED))
        if wrong.any():
            word = int(np.argmax(wrong))
            raise self._invalid("relations", labels[word].item(), word, f"one of {len(self.labels)} {wanted}")
        counted = (given != IGNORED) & (labels != IGNORED)
        given, labels, gold = given[counted], labels[counted], self._relations[counted]
        attached = given == self._heads[counted]
        full = attached & (labels == gold)
        predicted = np.where(labels >= 0, self._universal_of[labels], _UNKNOWN)
        labeled = attached & (self._universal_of[gold] == predicted)
        gold_content, system_content = self._is_content[gold], self._is_content[labels]
        every = np.ones(len(attached), dtype=bool)
        counted_words = {
            "UAS": (attached, every, every),
            "LAS": (labeled, every, every),
            "LAS(full)": (full, every, every),
            "CLAS": (labeled & gold_content, gold_content, system_content),
        }
        scores = {}
        for name, words in counted_words.items():
            right, of_gold, of_system = (int(np.count_nonzero(which)) for which in words)
            numbers = right, of_gold, of_system, of_gold, self._rules.undefined
            scores[name] = Score(parse_measure(name), *numbers, signature=self._signature)
        return MappingProxyType(scores)

    def _values(self, name: str, given: Any) -> NDArray[Any]:
        if is_list(given) and not hasattr(given, "ndim"):
            given = list(given)
            if given and all(map(is_list, given)):
                given = self._joined(name, [list(sentence) for sentence in given])
        try:
            values = np.array(given, dtype=object) if isinstance(given, list) else np.asarray(given)
        except ValueError:  # lists of different depths
            values = np.empty((0, 0))
        if values.shape != self._heads.shape:
            came = f"{len(values)} values" if values.ndim == 1 else f"an array of shape {values.shape}"
            raise _fault(f"{name}: {came}, expected one for each of {len(self._heads)} words, or a list by sentence")
        return values

    def _labels(self, given: NDArray[Any], wanted: str) -> NDArray[np.integer[Any]]:
        names = given.tolist() if given.dtype.kind in "UO" else []
        if not (names and isinstance(names[0], str)):
            return self._integers("relations", given, wanted)
        for word, name in enumerate(names):
            if not isinstance(name, str):
                raise self._invalid("relations", name, word, "a string, as the first")
        return self.ids(names)

    def _integers(self, name: str, values: NDArray[Any], expected: str) -> NDArray[np.integer[Any]]:
        numbers = []
        for word, value in enumerate(values.tolist() if values.dtype.kind not in "iu" else ()):
            try:
                numbers.append(operator.index(value))
            except TypeError:
                raise self._invalid(name, value, word, expected) from None
        return np.array(numbers, dtype=np.int64) if numbers else values

    def _joined(self, name: str, sentences: Sequence[Sequence[Any]]) -> list[Any]:
        sizes = np.diff(self._starts).tolist()
        if len(sentences) != len(sizes):
            raise _fault(f"{name}: {len(sentences)} sentences, expected {len(sizes)}")
        for number, (sentence, size) in enumerate(zip(sentences, sizes), 1):
            if len(sentence) != size:
                raise _fault(f"{name}: {len(sentence)} values for sentence {number}, expected {size}")
        return [value for sentence in sentences for value in sentence]

    def _invalid(self, name: str, value: object, word: int, expected: str) -> ConlluError:
        sentence = int(np.searchsorted(self._starts, word, side="right"))
        place = f"word {word - int(self._starts[sentence - 1]) + 1} of sentence {sentence}"
        return _fault(f"{name}: {value!r:.40} for {place}, expected {expected}")


def _fault(message: str) -> ConlluError:
    return ConlluError(Fault("invalid-columns", message))
