"""Scores of a parser during training: arrays of heads and relations against gold, without files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from levelhead.errors import ConlluError, Fault, InputError, Place
from levelhead.evaluation.setup import setup_of
from levelhead.measures.registry import parse_measure
from levelhead.scoring.measure_notes import notes_on_labels
from levelhead.scoring.rules import Rules, rules_named, with_several_roots
from levelhead.scoring.score import Score
from levelhead.treebank import Treebank, check_trees
from levelhead.treebank.relations import universal

_UNKNOWN = -1

IGNORED = -100  # the head or relation of ignored words, as in PyTorch's loss functions


class EpochScorer:
    """Scores predictions for the words of a gold treebank repeatedly; the scores equal those of `score`.

    Args:
        gold: the gold treebank.
        labels: relations that the parser may assign in addition to those of gold.
        rules: the rules, whose list of content relations CLAS uses.
        allow_several_roots: whether gold can have sentences with several roots, as read by `read(path,
            allow_several_roots=True)`; the signature of scores then records it.

    Raises:
        ConlluError: gold has no trees, or a sentence has several roots and they are not allowed.
        MeasureError: the rules are unknown, or do not allow several roots.
        InputError: gold is not a treebank, or `allow_several_roots` is not a Boolean value.
    """

    def __init__(
        self,
        gold: Treebank,
        *,
        labels: Iterable[str] = (),
        rules: str | Rules = "ud",
        allow_several_roots: bool = False,
    ) -> None:
        if not isinstance(gold, Treebank):
            kind = type(gold).__name__
            message = f"gold must be a treebank, as levelhead.read returns it, not a value of the type {kind}"
            raise InputError(Fault("invalid-argument", message))
        if not isinstance(allow_several_roots, bool):
            message = f"allow_several_roots must be True or False, not {allow_several_roots!r:.40}"
            raise InputError(Fault("invalid-argument", message))
        self._rules = with_several_roots(rules) if allow_several_roots else rules_named(rules)
        self._rules.check_words()
        self._signature = setup_of((), rules=self._rules).signature_of_rules()
        check_trees(gold)
        n_roots = np.bincount(gold.sentence_of_word[gold.heads < 0], minlength=len(gold))
        if not allow_several_roots and (n_roots > 1).any():
            sentence = int(np.argmax(n_roots > 1))
            message = f"{n_roots[sentence]} words have HEAD 0: give allow_several_roots=True to accept such sentences"
            line = int(gold.source.lines[sentence]) if len(gold.source.lines) else None
            raise ConlluError(Fault("several-roots", message, Place(gold.source.path, line, sentence + 1)))
        self._heads = gold.local_heads()
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
        """Return relations as indices into `labels`, -1 for others; int32."""
        return np.fromiter((self._ids.get(relation, _UNKNOWN) for relation in relations), dtype=np.int32)

    def score(self, heads: ArrayLike, relations: ArrayLike) -> Mapping[str, Score]:
        """Score heads and relations for all words of gold, in order.

        Words with -100 as head or relation are left out of all counts, including gold.

        Args:
            heads: as in CoNLL-U, 1-based in the sentence, 0 for the root; integers, shape (words,).
            relations: indices into `labels`, -1 for any other relation, integers, shape (words,).

        Returns:
            The scores of UAS, LAS, LAS(full) and CLAS.

        Raises:
            ConlluError: the number of heads or relations differs from the number of words, or a relation is not an
                index.
        """
        given, labels = np.asarray(heads), np.asarray(relations)
        if given.shape != self._heads.shape or labels.shape != self._heads.shape:
            message = f"{given.shape} heads and {labels.shape} relations for {len(self._heads)} words"
            raise ConlluError(Fault("invalid-columns", message))
        wanted = f"give indices into labels, {_UNKNOWN} for other relations, {IGNORED} for words to ignore"
        if labels.dtype.kind not in "iu":
            raise ConlluError(Fault("invalid-columns", f"the relations are {labels.dtype}: {wanted}"))
        wrong = (labels >= len(self.labels)) | ((labels < _UNKNOWN) & (labels != IGNORED))
        if wrong.any():
            word = int(np.argmax(wrong))
            message = f"relation {labels[word]} of word {word} is not one of {len(self.labels)} labels: {wanted}"
            raise ConlluError(Fault("invalid-columns", message))
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
