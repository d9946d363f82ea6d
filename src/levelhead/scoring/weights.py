"""Weights of relations, from a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from levelhead.errors import Fault, InputError, MeasureError, Place, quoted
from levelhead.scoring.measure import Definition, Measure
from levelhead.treebank.source import read_bytes

_LARGEST = 1e9


class Weights(NamedTuple):
    """The weights of relations, from a file.

    Args:
        values: the weight of each relation.
        sha256: the hash of the file.
    """

    values: Mapping[str, float]
    sha256: str


def read_weights(path: str | os.PathLike[str]) -> Weights:
    """Read a weight for each relation: two columns divided by white space or a comma, comments after `#`.

    Args:
        path: the file.

    Raises:
        InputError: a line is something else, or a weight is negative or not a number.
    """
    name = os.fspath(path)
    weights: dict[str, float] = {}
    faults = []
    data = read_bytes(path)
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        columns = line.replace(",", " ").split()
        value = _weight(columns)
        if value is not None and columns[0] in weights:
            faults.append(Fault("invalid-weights", f"{quoted(columns[0])} has a weight already", Place(name, number)))
        elif value is None:
            message = f"{quoted(line)} is not a relation and a weight from 0 to 1e9"
            faults.append(Fault("invalid-weights", message, Place(name, number)))
        else:
            weights[columns[0]] = value
    if faults:
        raise InputError(*faults)
    return Weights(weights, hashlib.sha256(data).hexdigest())


def weights_of(measures: Iterable[Measure]) -> dict[str, Weights]:
    """Read the weights that measures name, each file once; by path.

    Args:
        measures: measures that take weights.

    Raises:
        InputError: a file is not one of weights.
    """
    read: dict[str, Weights] = {}
    for measure in measures:
        path = _path_and_default(measure)[0]
        if path not in read:
            read[path] = read_weights(path)
    return read


def values_of(measure: Measure, definition: Definition, read: Mapping[str, Weights]) -> Mapping[str, float] | None:
    """Return the weights that a measure names; None for one without weights.

    Args:
        measure: any measure.
        definition: what it is.
        read: the weights of `weights_of`, by path.
    """
    return file_of(measure, read).values if definition.takes_weights else None


def file_of(measure: Measure, read: Mapping[str, Weights]) -> Weights:
    """Return what was read from the file that a weighted measure names.

    Args:
        measure: a weighted measure.
        read: the weights of `weights_of`, by path.
    """
    return read[_path_and_default(measure)[0]]


def default_weight(measure: Measure, definition: Definition) -> float | None:
    """Return the weight of relations that the file of a weighted measure does not list; None if it must list all.

    Args:
        measure: a measure; `,default=NUMBER` may end its argument.
        definition: what it is.
    """
    default = _path_and_default(measure)[1] if definition.takes_weights else None
    return definition.default_weight if default is None else default


def _path_and_default(measure: Measure) -> tuple[str, float | None]:
    path, marker, number = (measure.argument or "").rpartition(",default=")
    default = _weight(["", number]) if marker else None
    if marker and default is None:
        raise MeasureError(f"{measure}: the default is not a number from 0 to 1e9", "unknown-measure")
    return (path, default) if marker else (number, None)


def _weight(columns: list[str]) -> float | None:
    if len(columns) != 2:
        return None
    try:
        value = float(columns[1])
    except ValueError:
        return None
    return value if 0 <= value <= _LARGEST else None
