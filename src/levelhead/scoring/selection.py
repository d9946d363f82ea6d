"""Selection and weighting of words by their relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.errors import MeasureError, unknown
from levelhead.immutable import immutable
from levelhead.scoring.measure import CLASS_BY_GOLD, Definition, Measure
from levelhead.scoring.weights import default_weight
from levelhead.treebank.relations import NIVRE_FANG, SCHEMES, UD1, UD2, Scheme, universal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.matches import Matches
    from levelhead.treebank import StringColumn, Treebank

_PUNCTUATION = frozenset({"punct"})

Keeps = Callable[[str], bool]  # whether words with a relation, with or without subtype, are counted


@immutable
class Schemes:
    """The schemes in which classes are looked up."""

    by_name: Mapping[str, Scheme] = field(default_factory=lambda: SCHEMES)  # all schemes
    default: str = NIVRE_FANG.name  # the name of the scheme of classes without a scheme

    def find(self, text: str) -> tuple[Scheme, str]:
        name, _, label = text.rpartition(":")
        scheme = self.by_name.get(name or self.default)
        if scheme is None:
            raise MeasureError(unknown("scheme", name, self.by_name), "unknown-scheme")
        if label not in scheme.names:
            having = [f"{other.name}:{label}" for other in self.by_name.values() if label in other.names]
            message = f"unknown class {label!r} in the scheme {scheme.name}: use {', '.join(scheme.names)}"
            raise MeasureError(
                message + (f"; did you mean {' or '.join(having)}?" if having else ""), "unknown-measure"
            )
        return scheme, label

    def qualified(self, text: str) -> str:
        """Return a class with the name of its scheme; a relation is unchanged."""
        if not is_class(text):
            return text
        scheme, label = self.find(text)
        return f"{scheme.name}:{label}"


STANDARD = Schemes()  # the shipped schemes


@immutable
class Selection:
    """The weight of each word, by its relation, and by a function of users if `words` is given."""

    value: Callable[[str], float]  # whether a relation, with or without subtype, counts, or its weight
    weighted: bool = False  # whether values are weights
    # whether a system word has the weight of its aligned gold word, an unaligned word that of its own relation
    by_gold: bool = False
    words: Callable[[Treebank], NDArray[Any]] | None = None  # the weight of each word of a treebank, bool or float64

    def of_words(self, treebank: Treebank, rows: NDArray[np.intp] | slice = slice(None)) -> NDArray[Any]:
        relations = treebank.relations if isinstance(rows, slice) else treebank.relations.take(rows)
        weights = self.of_codes(relations)[relations.codes]
        return weights if self.words is None else weights * self.words(treebank)[rows]

    def of_codes(self, relations: StringColumn) -> NDArray[Any]:
        """Return the weight of each string in the pool of relations; bool or float64."""
        weights: NDArray[Any] = np.zeros(len(relations.strings), dtype=np.float64 if self.weighted else np.bool_)
        weights[relations.distinct] = [self.value(relation) for relation in relations.distinct_texts]
        return weights


def is_class(text: str) -> bool:
    """Return whether a name in a measure is a class (upper case), not a relation."""
    return text.rpartition(":")[2].isupper()


def check_classes(measure: Measure, schemes: Schemes) -> None:
    for name in (measure.only, *measure.without):
        if name is not None and is_class(name):
            schemes.find(name)
        elif name is not None and universal(name) not in _known_relations(schemes):
            known = [*schemes.by_name[schemes.default].names, *sorted(UD1 | UD2)]
            raise MeasureError(unknown("class or relation", name, known), "unknown-measure")


def _known_relations(schemes: Schemes) -> frozenset[str]:
    listed = (members for scheme in schemes.by_name.values() for members in scheme.classes.values())
    return UD1.union(UD2, *listed)


def keeps_nothing(only: str | None, without: tuple[str, ...], schemes: Schemes) -> bool:
    """Return whether a restriction and exclusions together exclude all relations."""
    tests = _tests_of(only, without, schemes)
    relations = {*_known_relations(schemes), "unlisted", *([] if only is None or is_class(only) else [only])}
    return not any(all(test(relation) for test in tests) for relation in relations)


def selection_for(
    matches: Matches,
    measure: Measure,
    definition: Definition,
    schemes: Schemes = STANDARD,
    weights: Mapping[str, float] | None = None,
) -> Selection | None:
    """Return the weight of each word in a measure; None if every word counts 1."""
    scheme = matches.rules.scheme
    of_rules = Schemes(MappingProxyType({**schemes.by_name, scheme.name: scheme}), scheme.name)
    tests = _tests_of(definition.only, definition.without, of_rules)
    tests += _tests_of(measure.only, measure.without, schemes)
    left_out = definition.punctuation_for(measure.argument)
    if left_out is not None:
        of_callin = left_out == "callin" and (matches.punctuation or callin_punctuation([matches.gold]))
        tests.append(lambda relation: universal(relation) not in (of_callin or _PUNCTUATION))
    by_gold = definition.by_gold or left_out is not None or CLASS_BY_GOLD in (measure.argument or "").split(",")
    if weights is not None:
        return weighted_selection(weights, default_weight(measure, definition), tests, by_gold=by_gold)
    if not (tests or definition.weight):
        return None
    words = None
    if definition.weight:
        from levelhead.scoring.custom_measures import weights_of_words  # rarely needed

        words = partial(weights_of_words, measure=measure, definition=definition, schemes=schemes)
    return Selection(lambda relation: all(test(relation) for test in tests), by_gold=by_gold, words=words)


def weighted_selection(
    weights: Mapping[str, float],
    default: float | None,
    tests: Iterable[Keeps] = (),
    *,
    by_gold: bool = False,
) -> Selection:
    """Return the selection that weights the relations that pass all tests."""

    def weigh(relation: str) -> float:
        if not all(test(relation) for test in tests):
            return 0.0
        label = universal(relation)
        weight = weights.get(label, default)
        if weight is None:
            message = f"the relation {label} has no weight: add it, or give a default: WLAS(FILE,default=1)"
            raise MeasureError(message, "missing-weight")
        return weight

    return Selection(weigh, weighted=True, by_gold=by_gold)


def _tests_of(only: str | None, without: tuple[str, ...], schemes: Schemes) -> list[Keeps]:
    tests: list[Keeps] = []
    left_out: list[Keeps] = []
    for name, chosen in ((only, tests), *((name, left_out) for name in without)):
        if name is not None and is_class(name):
            scheme, label = schemes.find(name)
            chosen.append(lambda relation, scheme=scheme, label=label: scheme.class_of(relation) == label)  # type: ignore[misc]
        elif name is not None:
            chosen.append(lambda relation, name=name: (relation if ":" in name else universal(relation)) == name)  # type: ignore[misc]
    if left_out:
        tests.append(lambda relation: not any(test(relation) for test in left_out))
    return tests


def callin_punctuation(pieces: Iterable[Treebank]) -> frozenset[str]:
    """Return the universal relations that Callin's program leaves out with punctuation.

    They are `punct` and every relation whose last word in the treebank consists of ASCII punctuation (`dep` in Spanish
    of UD 1.2).
    """
    import string

    by_relation: dict[str, bool] = {}
    for piece in pieces:
        codes = piece.relations.codes
        last = np.full(len(piece.relations.strings), -1, dtype=np.int64)
        np.maximum.at(last, codes, np.arange(len(codes)))
        newest: dict[str, int] = {}
        for code, relation in zip(piece.relations.distinct.tolist(), piece.relations.distinct_texts):
            label = universal(relation)
            newest[label] = max(newest.get(label, -1), int(last[code]))
        for label, word in newest.items():
            by_relation[label] = set(piece.forms[word]) <= set(string.punctuation)
    return _PUNCTUATION.union(relation for relation, is_punctuation in by_relation.items() if is_punctuation)
