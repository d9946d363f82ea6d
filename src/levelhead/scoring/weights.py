"""Weights of relations, from a file."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import replace

from levelhead.errors import Fault, InputError, MeasureError, Place, quoted
from levelhead.scoring.measure import Definition, Measure, Resource
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.relations import UD1, UD2, universal

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
        return f"{quoted(line)} is not a relation and a weight from 0 to 1e9"
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
