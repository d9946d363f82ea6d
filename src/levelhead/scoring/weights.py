"""Weights of relations, from a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.scoring.measure import Measure
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
    """Read a weight for each relation: two columns divided by white space, comments after `#`.

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
        columns = line.split()
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
    """Read the weights that measures name, each once.

    Args:
        measures: measures that take weights.

    Raises:
        InputError: a file is not one of weights.
    """
    return {str(measure): read_weights(measure.argument or "") for measure in measures}


def _weight(columns: list[str]) -> float | None:
    if len(columns) != 2:
        return None
    try:
        value = float(columns[1])
    except ValueError:
        return None
    return value if 0 <= value <= _LARGEST else None
