"""Properties of words by which counts are broken down.

Properties of arcs (relation, direction, length) are computed on each side: precision is the share of correct system
arcs, recall the share of gold arcs that are found (McDonald and Nivre 2007, section 4). For other properties, a system
word has the value of its aligned gold word. An unaligned word has its own value or, for a property of sentences, the
value of the gold sentence in which it starts. To add a property, extend `PROPERTIES`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import MeasureError, quoted, unknown
from levelhead.scoring.matches import Matches
from levelhead.scoring.word_columns import feature_value
from levelhead.treebank.documents import Documents
from levelhead.treebank.relations import Scheme, universal
from levelhead.treebank.strings import StringColumn
from levelhead.treebank.training_data import Training, trees_of
from levelhead.treebank.treebank import Shapes, Treebank, shapes_of
from levelhead.treebank.ud_reader import are_trees

Values = NDArray[np.int64]

NONE = "-"  # the name of the bucket of words that lack a feature, a comment or a head
NAMED = ("feature:NAME", "comment:NAME")  # the properties with a name from the treebank


class Buckets(NamedTuple):
    """The bucket of every word, by its index in the names."""

    names: Sequence[str]  # in the order in which they are shown
    gold: Values  # shape (gold words,)
    system: Values  # shape (system words,)


class PropertySettings(NamedTuple):
    """The data that properties may need in addition to the two treebanks."""

    scheme: Scheme  # of the property `class`
    training: Training | None = None


# the rule for the value of a system word
BY_ARCS = "gold and system words by their own arcs"
BY_WORDS = "system words by their aligned gold word, or by their own value if unaligned"
BY_SENTENCES = "system words by their aligned gold word, or by the gold sentence in which they start"


class WordProperty(NamedTuple):
    """A property of words for breaking down scores.

    Args:
        name: the name of the property.
        meaning: the meaning of the property.
        of: the function that returns the values of this property for all gold words and all system words.
        whose: the rule by which a system word gets its value: `BY_ARCS`, `BY_WORDS` or `BY_SENTENCES`.
    """

    name: str
    meaning: str
    of: Callable[[Matches, PropertySettings], Buckets]
    whose: str


def property_named(name: str) -> WordProperty:
    """Return the property with a name; `comment:NAME` is the value of a comment, `feature:NAME` that of a feature."""
    kind, _, key = name.partition(":")
    if kind == "comment" and key:
        return WordProperty(name, f"the comment `# {key} = ...`", lambda both, _: _comments(both, key), BY_SENTENCES)
    if kind == "feature" and key:

        def buckets(both: Matches, _: PropertySettings) -> Buckets:
            return _of_words(both, *buckets_by(both, "feats", lambda feats: feature_value(feats, key) or NONE))

        return WordProperty(name, f"the value of the feature {key}", buckets, BY_WORDS)
    if name not in PROPERTIES:
        raise MeasureError(unknown("property", name, [*PROPERTIES, *NAMED]), "unknown-property")
    return PROPERTIES[name]


def _of_words(matches: Matches, names: Sequence[str], gold: Values, own: Values) -> Buckets:
    """The buckets of words: a system word has the value of its gold word, or its own value if unaligned."""
    system = own.copy()
    system[matches.alignment.system] = gold[matches.alignment.gold]
    return Buckets(names, gold, system)


def buckets_by(matches: Matches, name: str, value: Callable[[str], str] = str) -> Buckets:
    """Return the buckets by a column on each side, the most frequent values first."""
    columns: list[StringColumn] = [getattr(treebank, name) for treebank in (matches.gold, matches.system)]
    frequency = Counter[str]()
    for text, n in chain.from_iterable(column.frequencies().items() for column in columns):
        frequency[value(text)] += n
    names = sorted(frequency, key=lambda name: (-frequency[name], name))
    return Buckets(names, *_numbered(columns, names, value))


def _numbered(columns: Iterable[StringColumn], names: Sequence[str], value: Callable[[str], str]) -> list[Values]:
    number = {name: i for i, name in enumerate(names)}
    return [column.mapped(lambda text: number[value(text)], np.int64) for column in columns]


def _head_relation(matches: Matches, _: PropertySettings) -> Buckets:
    """The universal relation of the head; "-" for roots."""
    relations = buckets_by(matches, "relations", universal)
    sides, none = ((matches.gold, relations.gold), (matches.system, relations.system)), len(relations.names)
    # the head of roots is -1; in partial scores, a word without a HEAD is its own head
    values = (
        np.where(side.heads == np.arange(side.n_words), none, np.append(own, none)[side.heads]) for side, own in sides
    )
    return _of_words(matches, (*relations.names, NONE), *values)


def _last_if_used(buckets: Buckets) -> Buckets:
    """The buckets without the last name, if no word has it."""
    last = len(buckets.names) - 1
    used = any((side == last).any() for side in (buckets.gold, buckets.system))
    return buckets if used else buckets._replace(names=buckets.names[:-1])


def _by_arcs(matches: Matches, names: Sequence[str], value: Callable[[Values], Values]) -> Buckets:
    """The buckets by head minus word, for roots the first, and for words without a HEAD one more."""
    gold, system, of_system = matches.gold, matches.system, matches.gold_of_system
    # in gold words if both ends are aligned; 0 only for words without a HEAD
    in_gold, in_system = gold.heads - np.arange(gold.n_words), system.heads - np.arange(system.n_words)
    both = (of_system >= 0) & (system.heads >= 0) & (of_system[system.heads] >= 0)
    in_system = np.where(both, of_system[system.heads] - of_system, in_system)
    sides = (
        np.select([side.heads < 0, offset == 0], [0, len(names)], value(offset)).astype(np.int64)
        for side, offset in ((gold, in_gold), (system, in_system))
    )
    return _last_if_used(Buckets((*names, NONE), *sides))


def _by_shape(matches: Matches, names: Sequence[str], value: Callable[[Shapes], Values]) -> Buckets:
    """The buckets by the shape of trees, with one more for the words of sentences without a valid tree."""
    sides = []
    for side in (matches.gold, matches.system):
        is_tree = are_trees(side, several_roots=True)[side.sentence_of_word]
        trees = side if is_tree.all() else replace(side, heads=np.where(is_tree, side.heads, -1).astype(np.int32))
        sides.append(np.where(is_tree, value(shapes_of(trees)), len(names)))
    return _last_if_used(_of_words(matches, (*names, NONE), *sides))


def _ranges(bounds: Sequence[int]) -> list[str]:
    """Name the ranges that start at these numbers."""
    pairs = zip(bounds, [*bounds[1:], None])
    return [f"{low}-" if high is None else str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairs]


def _in_ranges(numbers: NDArray[Any], bounds: Sequence[int]) -> Values:
    return (np.searchsorted(np.array(bounds), numbers, side="right") - 1).astype(np.int64)


def _of_sentences(matches: Matches, names: Sequence[str], values: Values) -> Buckets:
    """The buckets by a value of each gold sentence, for its words and for the system's words that start in it."""
    return _of_words(matches, names, values[matches.gold.sentence_of_word], values[matches.row_of_system])


def _training(settings: PropertySettings, name: str) -> Training:
    if settings.training is None:
        raise MeasureError(
            f"a breakdown by {name} requires the training treebank: give --train FILE", "missing-training"
        )
    return settings.training


def _frequency(
    matches: Matches, settings: PropertySettings, name: str, bounds: Sequence[int], names: Sequence[str]
) -> Buckets:
    """The buckets of words by ranges of the frequency of their forms in training."""
    forms = _training(settings, name).forms
    columns = (side.forms.mapped(lambda form: forms.get(form, 0), np.int64) for side in (matches.gold, matches.system))
    return _of_words(matches, names, *(_in_ranges(numbers, bounds) for numbers in columns))


def _seen(
    matches: Matches, settings: PropertySettings, name: str, of: Callable[[Training, Treebank], Any], what: str
) -> Buckets:
    """The buckets of sentences by whether something of them occurs in training."""
    seen = of(_training(settings, name), matches.gold)
    names = (f"new {what}", f"{what} seen in training")
    return _of_sentences(matches, names, np.asarray(seen, dtype=np.int64))


def _comments(matches: Matches, key: str) -> Buckets:
    """The values of a comment, which applies up to the next document or the next comment of this name."""
    values, held = [], NONE
    begins = np.diff(Documents().add(matches.gold), prepend=-1) != 0
    for sentence, is_first in zip(matches.gold, begins.tolist(), strict=True):
        held = sentence.metadata.get(key, NONE if is_first else held)
        values.append(held)
    number = {name: i for i, name in enumerate(dict.fromkeys(values))}
    return _of_sentences(matches, [*number], np.array([number[value] for value in values], dtype=np.int64))


def _documents(matches: Matches, _: PropertySettings) -> Buckets:
    """The documents; NONE if none is marked."""
    documents = Documents()
    numbers = documents.add(matches.gold)
    ids = documents.ids if documents.marks or len(documents.ids) > 1 else (NONE,)
    return _of_sentences(matches, ids, numbers)


class RequestedNames:
    """The comments and features among requested properties, and those that occur; a single treebank can lack some."""

    def __init__(self, by: Iterable[str]) -> None:
        parts = [name.partition(":") for name in by]
        self._requested = {
            kind: [key for start, _, key in parts if start == kind and key] for kind in ("comment", "feature")
        }
        self._known: dict[str, set[str]] = {"comment": set(), "feature": set()}

    def see(self, gold: Treebank) -> None:
        if self._requested["comment"]:
            self._known["comment"].update(key for sentence in gold for key in sentence.metadata)
        if self._requested["feature"]:
            pairs = (pair for feats in gold.feats.distinct_texts for pair in feats.split("|") if "=" in pair)
            self._known["feature"].update(pair.partition("=")[0] for pair in pairs)

    def check(self) -> None:
        """Refuse a breakdown by a comment or feature that does not occur in any treebank."""
        for kind, where in (("comment", "sentence"), ("feature", "word")):
            for key in self._requested[kind]:
                if key not in self._known[kind]:
                    available = ", ".join(sorted(self._known[kind])) or "none"
                    message = f"no gold {where} has the {kind} {quoted(key)}; available: {available}"
                    raise MeasureError(message, "not-there")


# the starts of ranges
_EVER = (0, 1)
_TIMES = (0, 1, 2, 6, 21, 101)
_LENGTHS = (1, 2, 3, 7, 15)
_DEPTHS = (0, 1, 2, 3, 4, 5, 8)
_SENTENCES = (1, 11, 21, 31, 41, 51)

PROPERTIES: Mapping[str, WordProperty] = MappingProxyType(
    {
        name: WordProperty(name, meaning, of, whose)
        for name, meaning, of, whose in (
            ("relation", "universal relation", lambda both, _: buckets_by(both, "relations", universal), BY_ARCS),
            ("deprel", "relation with its subtype", lambda both, _: buckets_by(both, "relations"), BY_ARCS),
            (
                "class",
                "class of the relation in the default scheme",
                lambda both, data: Buckets(
                    data.scheme.names,
                    *_numbered((both.gold.relations, both.system.relations), data.scheme.names, data.scheme.class_of),
                ),
                BY_ARCS,
            ),
            ("upos", "universal part of speech", lambda both, _: _of_words(both, *buckets_by(both, "upos")), BY_WORDS),
            ("lemma", "lemma", lambda both, _: _of_words(both, *buckets_by(both, "lemmas")), BY_WORDS),
            ("head-relation", "universal relation of the head", _head_relation, BY_WORDS),
            (
                "direction",
                "whether the head is before or after the word",
                lambda both, _: _by_arcs(
                    both, ("root", "head before", "head after"), lambda offset: np.where(offset < 0, 1, 2)
                ),
                BY_ARCS,
            ),
            (
                "length",
                "words from the word to its head",
                lambda both, _: _by_arcs(
                    both, ("root", *_ranges(_LENGTHS)), lambda offset: 1 + _in_ranges(abs(offset), _LENGTHS)
                ),
                BY_ARCS,
            ),
            (
                "depth",
                "arcs from the word to the root",
                lambda both, _: _by_shape(both, _ranges(_DEPTHS), lambda shapes: _in_ranges(shapes.depths, _DEPTHS)),
                BY_WORDS,
            ),
            (
                "projective",
                "whether the arc is projective",
                lambda both, _: _by_shape(
                    both, ("projective", "non-projective"), lambda shapes: shapes.nonprojective.astype(np.int64)
                ),
                BY_WORDS,
            ),
            (
                "sentence-length",
                "words of the gold sentence",
                lambda both, _: _of_sentences(
                    both, _ranges(_SENTENCES), _in_ranges(np.diff(both.gold.sentence_starts), _SENTENCES)
                ),
                BY_SENTENCES,
            ),
            (
                "frequency",
                "how often the form occurs in training",
                partial(_frequency, name="frequency", bounds=_TIMES, names=_ranges(_TIMES)),
                BY_WORDS,
            ),
            (
                "vocabulary",
                "whether the form occurs in training",
                partial(_frequency, name="vocabulary", bounds=_EVER, names=("out of vocabulary", "in vocabulary")),
                BY_WORDS,
            ),
            (
                "seen-sentence",
                "whether the sentence occurs in training",
                partial(_seen, name="seen-sentence", of=Training.same_words, what="sentence"),
                BY_SENTENCES,
            ),
            (
                "seen-heads",
                "whether a sentence with the same heads occurs in training, regardless of words and relations",
                partial(_seen, name="seen-heads", of=Training.same_heads, what="heads"),
                BY_SENTENCES,
            ),
            (
                "seen-tree",
                "whether a sentence with the same heads and relations occurs in training",
                partial(
                    _seen,
                    name="seen-tree",
                    of=lambda training, gold: [tree in training.trees for tree in trees_of(gold)],
                    what="tree",
                ),
                BY_SENTENCES,
            ),
            ("document", "the document: # newdoc id", _documents, BY_SENTENCES),
        )
    }
)
