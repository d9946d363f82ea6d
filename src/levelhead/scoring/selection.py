"""Selection and weighting of words by their relations, also with weights from a file."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.errors import Fault, InputError, MeasureError, Place, quoted, unknown
from levelhead.immutable import immutable
from levelhead.scoring.measure import CLASS_BY_GOLD, Definition, Measure, Resource
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.relations import NIVRE_FANG, SCHEMES, UD1, UD2, Scheme, universal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.matches import Matches
    from levelhead.treebank import StringColumn, Treebank


_LARGEST = 1e9

ENTROPY = "WDE"  # the argument for the word dependency entropies of training treebanks, instead of a path: WLAS(WDE)

# The word dependency entropy of a relation that does not occur in a treebank (Callin, section 4.2).
ABSENT_ENTROPY = 0.5

TEMPLATE = "{treebank}"  # the placeholder for the code of a treebank in the path of a measure's file

_OPTION = r",(default|order)=[^,/]*$"

Weights = Resource  # the weight of each relation, from a file


def read_weights(path: str | os.PathLike[str]) -> Weights:
    """Read weights of universal relations: two columns separated by white space or a comma, with comments after `#`."""
    name = os.fspath(path)
    weights: dict[str, float] = {}
    faults = []
    data = read_bytes(path)
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        columns = line.replace(",", " ").split()
        value = _weight(columns)
        if wrong := _wrong(line, columns, value, weights):
            faults.append(Fault("invalid-weights", wrong, Place(name, number)))
        elif value is not None:
            weights[columns[0]] = value
    if not weights and not faults:
        faults.append(Fault("invalid-weights", "the file has no weights", Place(name)))
    if faults:
        raise InputError(*faults)
    strange = [
        f"{quoted(relation)} in {name} is not a UD relation: its weight applies only to words with exactly this label"
        for relation in weights
        if relation not in UD1 | UD2
    ]
    return Weights(weights, hashlib.sha256(data).hexdigest(), tuple(strange))


def weights_of(values: Mapping[str, float]) -> Weights:
    return Weights(values, hashlib.sha256(repr(dict(values)).encode()).hexdigest())


def checked_weights(values: Mapping[str, float]) -> Weights:
    """Return weights from a mapping, checked like the weights of a file."""
    wrong = [
        _wrong(f"{relation} {value}", [relation], _weight([relation, str(value)]), {})
        for relation, value in values.items()
    ]
    if not values:
        wrong = ["the mapping has no weights"]
    if faults := [Fault("invalid-weights", f"weights: {message}") for message in wrong if message]:
        raise InputError(*faults)
    return weights_of(values)


def _wrong(line: str, columns: list[str], value: float | None, weights: Mapping[str, float]) -> str | None:
    """Return the error in a line of a file of weights; None for a valid line."""
    if value is None:
        return f"{quoted(line)} is not a relation with a weight from 0 to 1e9"
    relation = columns[0]
    if universal(relation) != relation:
        return (
            f"{quoted(relation)} has a subtype: weights apply to universal relations; give one weight for"
            f" {quoted(universal(relation))}"
        )
    return f"{quoted(relation)} already has a weight" if relation in weights else None


def key_of(measure: Measure) -> str:
    """Return the key of a measure's file: its argument without the default weight."""
    return _path_and_default(measure)[0]


def default_weight(measure: Measure, definition: Definition) -> float | None:
    """Return the default weight of relations in a weighted measure; None if the file must list all relations."""
    path, default = _path_and_default(measure) if definition.takes_weights else ("", None)
    if default is not None:
        return default
    return ABSENT_ENTROPY if path == ENTROPY else definition.default_weight


def path_of(measure: Measure) -> str:
    """Return the path of the file that a measure names, without options such as `,default=1` or `,order=string`."""
    return re.sub(_OPTION, "", measure.argument or "")


def for_treebank(measure: Measure, treebank: str | None) -> Measure:
    """Return a measure with `{treebank}` in its argument replaced by the code of a treebank."""
    if TEMPLATE not in (measure.argument or ""):
        return measure
    if treebank is None:
        raise MeasureError(f"{measure}: {TEMPLATE} requires several treebanks: name a file instead", "unknown-measure")
    return replace(measure, argument=(measure.argument or "").replace(TEMPLATE, treebank))


def _path_and_default(measure: Measure) -> tuple[str, float | None]:
    path, marker, number = (measure.argument or "").rpartition(",default=")
    default = _weight(["", number]) if marker else None
    if marker and default is None:
        raise MeasureError(f"{measure}: the default is not a number from 0 to 1e9", "unknown-measure")
    return (path, default) if marker else (number, None)


def _weight(columns: list[str]) -> float | None:
    if len(columns) != 2 or "_" in columns[1] or not columns[1].isascii():  # Python reads `1_0` as 10
        return None
    try:
        value = float(columns[1])
    except ValueError:
        return None
    return value if 0 <= value <= _LARGEST else None


_PUNCTUATION = frozenset({"punct"})

Keeps = Callable[[str], bool]  # whether words with a relation, with or without subtype, are counted


@immutable
class Schemes:
    """The schemes in which classes are looked up."""

    by_name: Mapping[str, Scheme] = field(default_factory=lambda: SCHEMES)  # all schemes
    default: str = NIVRE_FANG.name  # the class scheme if none is named

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
        from levelhead.scoring.word_columns import weights_of_words  # rarely needed

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


def _test_of(name: str, schemes: Schemes) -> Keeps:
    if is_class(name):
        scheme, label = schemes.find(name)
        return lambda relation: scheme.class_of(relation) == label
    return lambda relation: (relation if ":" in name else universal(relation)) == name


def _tests_of(only: str | None, without: tuple[str, ...], schemes: Schemes) -> list[Keeps]:
    tests = [] if only is None else [_test_of(only, schemes)]
    if left_out := [_test_of(name, schemes) for name in without]:
        tests.append(lambda relation: not any(test(relation) for test in left_out))
    return tests


def callin_punctuation(pieces: Iterable[Treebank]) -> frozenset[str]:
    """Return `punct` and the relations whose last word is ASCII punctuation, as in Callin's program."""
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
