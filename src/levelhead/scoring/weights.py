"""Weights of relations, from a file."""

from __future__ import annotations

import math
import os

from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.treebank.source import read_bytes


def read_weights(path: str | os.PathLike[str]) -> dict[str, float]:
    """Read a weight for each relation: two columns divided by white space, comments after `#`.

    Args:
        path: the file.

    Raises:
        InputError: a line is something else, or a weight is negative or not a number.
    """
    name = os.fspath(path)
    weights: dict[str, float] = {}
    faults = []
    for number, line in enumerate(read_bytes(path).decode("utf-8", "replace").split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        columns = line.split()
        value = _weight(columns)
        if value is None:
            message = f"{quoted(line)} is not a relation and a weight of at least 0"
            faults.append(Fault("invalid-weights", message, Place(name, number)))
        else:
            weights[columns[0]] = value
    if faults:
        raise InputError(*faults)
    return weights


def _weight(columns: list[str]) -> float | None:
    if len(columns) != 2:
        return None
    try:
        value = float(columns[1])
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
