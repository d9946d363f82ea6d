"""Properties of words by which counts are broken down.

Properties of arcs (relation, direction, length) are computed on each side: precision is the share of correct system
arcs, recall the share of gold arcs that are found (McDonald and Nivre 2007, section 4). For other properties, a system
word has the value of its aligned gold word. An unaligned word has its own value or, for a property of sentences, the
value of the gold sentence in which it starts. To add a property, extend `PROPERTIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import MeasureError, quoted, unknown
from levelhead.scoring.matches import Matches
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import universal
from levelhead.treebank.schemes import Scheme
from levelhead.treebank.training_data import Training, trees_of
from levelhead.treebank.treebank import shapes_of

Values = NDArray[np.int64]

NONE = "-"
"""The name of the bucket of words that lack a feature, a comment or a head."""

NAMED = ("feature:NAME", "comment:NAME")
"""The properties with a name from the treebank."""


class Buckets(NamedTuple):
    """The bucket of every word.

    Args:
        names: the names of the buckets, in the order in which they are shown.
        gold: the bucket of each gold word, int64, shape (gold words,).
        system: the bucket of each system word, int64, shape (system words,).
    """

    names: Sequence[str]
    gold: Values
    system: Values


class PropertySettings(NamedTuple):
    """The data that properties may need in addition to the two treebanks.

    Args:
        scheme: the scheme of the property `class`.
        training: the contents of training treebanks, for properties that need them, or None.
    """

    scheme: Scheme
    training: Training | None = None


BY_ARCS = "each side by its own arcs"
BY_WORDS = "system words by their aligned gold word, or by their own value if unaligned"
BY_SENTENCES = "system words by their aligned gold word, or by the gold sentence in which they start"
"""The rule for the value of a system word."""


class WordProperty(NamedTuple):
    """A property by which counts are broken down.

    Args:
        name: its name.
        meaning: its meaning.
        of: the function that puts every word into its bucket.
        whose: the rule for the value of a system word: `BY_ARCS`, `BY_WORDS` or `BY_SENTENCES`.
        of_training: whether it requires training treebanks.
    """

    name: str
    meaning: str
    of: Callable[[Matches, PropertySettings], Buckets]
    whose: str
    of_training: bool = False


def property_named(name: str) -> WordProperty:
    """Return the property with a name; `comment:NAME` is the value of a comment, `feature:NAME` that of a feature."""
    if name.startswith("comment:") and name != "comment:":
        key = name.removeprefix("comment:")
        return WordProperty(
            name, f"the comment `# {key} = ...`", lambda matches, _: _comments(matches, key), BY_SENTENCES
        )
    if name.startswith("feature:") and name != "feature:":
        key = name.removeprefix("feature:")
        return WordProperty(
            name, f"the value of the feature {key}", lambda matches, _: _feature(matches, key), BY_WORDS
        )
    if name not in PROPERTIES:
        raise MeasureError(unknown("property", name, [*PROPERTIES, *NAMED]), "unknown-property")
    return PROPERTIES[name]


def _of_words(matches: Matches, names: Sequence[str], gold: Values, own: Values) -> Buckets:
    """The buckets of words: a system word has the value of its gold word, or its own value if unaligned."""
    system = own.copy()
    system[matches.alignment.system] = gold[matches.alignment.gold]
    return Buckets(names, gold, system)


def _of_columns(gold: StringColumn, system: StringColumn, value: Callable[[str], str]) -> Buckets:
    frequency: dict[str, int] = {}
    for column in (gold, system):
        for text, n in column.frequencies().items():
            frequency[value(text)] = frequency.get(value(text), 0) + n
    names = sorted(frequency, key=lambda name: (-frequency[name], name))
    number = {name: i for i, name in enumerate(names)}
    return Buckets(names, *(column.mapped(lambda text: number[value(text)], np.int64) for column in (gold, system)))


def _relation(matches: Matches, value: Callable[[str], str]) -> Buckets:
    return _of_columns(matches.gold.relations, matches.system.relations, value)


def _class(matches: Matches, settings: PropertySettings) -> Buckets:
    names = settings.scheme.names
    number = {name: i for i, name in enumerate(names)}
    columns = (matches.gold.relations, matches.system.relations)
    class_of = settings.scheme.class_of
    return Buckets(names, *(column.mapped(lambda text: number[class_of(text)], np.int64) for column in columns))


def _upos(matches: Matches, _: PropertySettings) -> Buckets:
    own = _of_columns(matches.gold.upos, matches.system.upos, str)
    return _of_words(matches, own.names, own.gold, own.system)


def _lemma(matches: Matches, _: PropertySettings) -> Buckets:
    own = _of_columns(matches.gold.lemmas, matches.system.lemmas, str)
    return _of_words(matches, own.names, own.gold, own.system)


def _feature(matches: Matches, key: str) -> Buckets:
    """The value of a feature, "-" for words without it."""

    def value(feats: str) -> str:
        pairs = (pair.partition("=") for pair in feats.split("|"))
        return next((found for name, _, found in pairs if name == key), NONE)

    own = _of_columns(matches.gold.feats, matches.system.feats, value)
    return _of_words(matches, own.names, own.gold, own.system)


def _head_relation(matches: Matches, _: PropertySettings) -> Buckets:
    """The universal relation of the head; "-" for roots."""
    relations = _relation(matches, universal)
    names = (*relations.names, NONE)
    sides = ((matches.gold, relations.gold), (matches.system, relations.system))
    return _of_words(
        matches, names, *(np.where(side.heads < 0, len(names) - 1, own[side.heads]) for side, own in sides)
    )


def _arcs(matches: Matches) -> tuple[Values, Values, NDArray[np.bool_], NDArray[np.bool_]]:
    """Head minus word on both sides, and which are roots; in gold words if both ends are aligned."""
    gold, system = matches.gold, matches.system
    words, system_words = np.arange(gold.n_words), np.arange(system.n_words)
    in_gold, in_system = gold.heads - words, system.heads - system_words
    of_system = matches.gold_of_system
    both = (of_system >= 0) & (system.heads >= 0) & (of_system[system.heads] >= 0)
    in_system = np.where(both, of_system[system.heads] - of_system, in_system)
    return in_gold, in_system, gold.heads < 0, system.heads < 0


def _direction(matches: Matches, _: PropertySettings) -> Buckets:
    gold, system, gold_roots, system_roots = _arcs(matches)
    names = ("root", "head before", "head after")
    sides = ((gold, gold_roots), (system, system_roots))
    return Buckets(names, *(np.where(roots, 0, np.where(offset < 0, 1, 2)) for offset, roots in sides))


def _ranges(bounds: Sequence[int]) -> list[str]:
    """Name the ranges that start at these numbers."""
    pairs = zip(bounds, [*bounds[1:], None])
    return [f"{low}-" if high is None else str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairs]


def _in_ranges(numbers: NDArray[Any], bounds: Sequence[int]) -> Values:
    return (np.searchsorted(np.array(bounds), numbers, side="right") - 1).astype(np.int64)


def _length(matches: Matches, _: PropertySettings) -> Buckets:
    bounds = (1, 2, 3, 7, 15)
    gold, system, gold_roots, system_roots = _arcs(matches)
    sides = ((gold, gold_roots), (system, system_roots))
    values = (np.where(roots, 0, 1 + _in_ranges(abs(offset), bounds)) for offset, roots in sides)
    return Buckets(("root", *_ranges(bounds)), *values)


def _depth(matches: Matches, _: PropertySettings) -> Buckets:
    bounds = (0, 1, 2, 3, 4, 5, 8)
    gold, system = (_in_ranges(shapes_of(side).depths, bounds) for side in (matches.gold, matches.system))
    return _of_words(matches, _ranges(bounds), gold, system)


def _projective(matches: Matches, _: PropertySettings) -> Buckets:
    gold, system = (shapes_of(side).nonprojective.astype(np.int64) for side in (matches.gold, matches.system))
    return _of_words(matches, ("projective", "non-projective"), gold, system)


def _of_sentences(matches: Matches, names: Sequence[str], values: Values) -> Buckets:
    """The buckets by a value of each gold sentence, for its words and for the system's words that start in it."""
    gold = values[matches.gold.sentence_of_word]
    return _of_words(matches, names, gold, values[matches.row_of_system])


def _sentence_length(matches: Matches, _: PropertySettings) -> Buckets:
    bounds = (1, 11, 21, 31, 41, 51)
    lengths = np.diff(matches.gold.sentence_starts)
    return _of_sentences(matches, _ranges(bounds), _in_ranges(lengths, bounds))


def _training(settings: PropertySettings, name: str) -> Training:
    if settings.training is None:
        raise MeasureError(f"a breakdown by {name} requires the training treebank: --train FILE", "missing-training")
    return settings.training


def _form_counts(column: StringColumn, training: Training) -> Values:
    return column.mapped(lambda form: training.forms.get(form, 0), np.int64)


def _frequency(matches: Matches, settings: PropertySettings) -> Buckets:
    bounds = (0, 1, 2, 6, 21, 101)
    training = _training(settings, "frequency")
    columns = (matches.gold.forms, matches.system.forms)
    gold, system = (_in_ranges(_form_counts(column, training), bounds) for column in columns)
    return _of_words(matches, _ranges(bounds), gold, system)


def _vocabulary(matches: Matches, settings: PropertySettings) -> Buckets:
    training = _training(settings, "vocabulary")
    columns = (matches.gold.forms, matches.system.forms)
    gold, system = ((_form_counts(column, training) > 0).astype(np.int64) for column in columns)
    return _of_words(matches, ("out of vocabulary", "in vocabulary"), gold, system)


def _seen_sentences(matches: Matches, settings: PropertySettings) -> Buckets:
    seen = _training(settings, "seen-sentence").same_words(matches.gold)
    return _of_sentences(matches, ("new sentence", "sentence seen in training"), seen.astype(np.int64))


def _seen_heads(matches: Matches, settings: PropertySettings) -> Buckets:
    seen = _training(settings, "seen-heads").same_heads(matches.gold)
    return _of_sentences(matches, ("new heads", "heads seen in training"), seen.astype(np.int64))


def _seen_trees(matches: Matches, settings: PropertySettings) -> Buckets:
    known = _training(settings, "seen-tree").trees
    seen = np.array([tree in known for tree in trees_of(matches.gold)], dtype=np.int64)
    return _of_sentences(matches, ("new tree", "tree seen in training"), seen)


def _comments(matches: Matches, key: str) -> Buckets:
    """The values of a comment, which applies up to the next document or the next comment of this name."""
    values, held = [], NONE
    for sentence in matches.gold:
        metadata = sentence.metadata
        if "newdoc id" in metadata or "# newdoc" in sentence.comments:
            held = NONE
        held = metadata.get(key, held)
        values.append(held)
    names = list(dict.fromkeys(values))
    number = {name: i for i, name in enumerate(names)}
    return _of_sentences(matches, names, np.array([number[value] for value in values], dtype=np.int64))


class RequestedNames:
    """The requested comments and features, and those that occur; a single treebank can lack some.

    Args:
        by: names of properties; only comments and features are used.
    """

    def __init__(self, by: Iterable[str]) -> None:
        parts = [name.partition(":") for name in by]
        self._requested = {
            kind: [key for start, _, key in parts if start == kind and key] for kind in ("comment", "feature")
        }
        self._known: dict[str, set[str]] = {"comment": set(), "feature": set()}

    def see(self, gold: Treebank) -> None:
        """Add the comments and features of a treebank."""
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
                    listed = ", ".join(sorted(self._known[kind])) or "none"
                    message = f"no gold {where} has the {kind} {quoted(key)}; available: {listed}"
                    raise MeasureError(message, "not-there")


def _documents(matches: Matches, _: PropertySettings) -> Buckets:
    return _comments(matches, "newdoc id")


def _whole_relation(matches: Matches, _: PropertySettings) -> Buckets:
    return _relation(matches, str)


def _universal_relation(matches: Matches, _: PropertySettings) -> Buckets:
    return _relation(matches, universal)


PROPERTIES: Mapping[str, WordProperty] = MappingProxyType(
    {
        bucket.name: bucket
        for bucket in (
            WordProperty("deprel", "universal relation", _universal_relation, BY_ARCS),
            WordProperty("relation", "relation with its subtype", _whole_relation, BY_ARCS),
            WordProperty("class", "class of the relation in the default scheme", _class, BY_ARCS),
            WordProperty("upos", "universal part of speech", _upos, BY_WORDS),
            WordProperty("lemma", "lemma", _lemma, BY_WORDS),
            WordProperty("head-relation", "universal relation of the head", _head_relation, BY_WORDS),
            WordProperty("direction", "whether the head is before or after the word", _direction, BY_ARCS),
            WordProperty("length", "words from the word to its head", _length, BY_ARCS),
            WordProperty("depth", "arcs from the word to the root", _depth, BY_WORDS),
            WordProperty("projective", "whether the arc is projective", _projective, BY_WORDS),
            WordProperty("sentence-length", "words of the gold sentence", _sentence_length, BY_SENTENCES),
            WordProperty("frequency", "how often the form occurs in training", _frequency, BY_WORDS, of_training=True),
            WordProperty("vocabulary", "whether the form occurs in training", _vocabulary, BY_WORDS, of_training=True),
            WordProperty(
                "seen-sentence",
                "whether the sentence occurs in training",
                _seen_sentences,
                BY_SENTENCES,
                of_training=True,
            ),
            WordProperty(
                "seen-heads",
                "whether a sentence with the same heads occurs in training, regardless of words and relations",
                _seen_heads,
                BY_SENTENCES,
                of_training=True,
            ),
            WordProperty(
                "seen-tree",
                "whether a sentence with the same heads and relations occurs in training",
                _seen_trees,
                BY_SENTENCES,
                of_training=True,
            ),
            WordProperty("document", "the document: # newdoc id", _documents, BY_SENTENCES),
        )
    }
)
"""All properties by name."""
