"""Conversion of counts to bytes and back, for workers that return them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import Strings
from levelhead.typology.counts import TreebankCounts
from levelhead.typology.lexical import Chunks, Lexical
from levelhead.typology.seen import SeenSentences
from levelhead.typology.sizes import Sizes
from levelhead.typology.structure import Structure
from levelhead.typology.tally import Histogram, Tally

Array = NDArray[Any]


def counts_to_bytes(counts: TreebankCounts) -> bytes:
    """Return counts as bytes: a sequence of arrays in numpy's format; equal counts have equal bytes."""
    file = io.BytesIO()
    for array in _arrays(counts):
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def counts_from_bytes(data: bytes) -> TreebankCounts:
    """Return the counts in bytes from `counts_to_bytes`."""
    file = io.BytesIO(data)
    counts: TreebankCounts = _read(TreebankCounts, lambda: np.load(file, allow_pickle=False))
    return counts


def _arrays(value: Any) -> Iterator[Array]:
    """Yield the arrays of a record, by field."""
    if isinstance(value, Tally):
        yield np.array(len(value.axes))
        for axis in value.axes:
            yield from (np.frombuffer(axis.pool, dtype=np.uint8), axis.offsets)
        yield from (value.keys, value.counts)
    elif type(value) in _RECORDS.values():
        for part in fields(value):
            yield from _arrays(getattr(value, part.name))
    else:
        yield np.array(value)


class _Reader(Protocol):
    def __call__(self) -> Array: ...


def _read(kind: type[Any], array: _Reader) -> Any:
    """Read a record by the types of its fields."""
    return kind(*(_READERS[str(part.type)](array) for part in fields(kind)))


def _tally(array: _Reader) -> Tally:
    axes = tuple(Strings(array().tobytes(), array()) for _ in range(int(array())))
    return Tally(axes, array(), array())


def _chunks(array: _Reader) -> Chunks:
    size, partial, window = array().tolist()
    return Chunks(size, bool(partial), window)


_RECORDS: Mapping[str, type[Any]] = MappingProxyType(
    {kind.__name__: kind for kind in (TreebankCounts, Histogram, Lexical, SeenSentences, Sizes, Structure)}
)


def _reader_of(kind: type[Any]) -> Callable[[_Reader], Any]:
    return lambda array: _read(kind, array)


_READERS: Mapping[str, Callable[[_Reader], Any]] = MappingProxyType(
    {
        **{name: _reader_of(kind) for name, kind in _RECORDS.items()},
        "Tally": _tally,
        "Chunks": _chunks,
        "int": lambda array: int(array()),
        "float": lambda array: float(array()),
        "NDArray[np.int64]": lambda array: array(),
        "Counts": lambda array: array(),
    }
)
"""The function that reads a field, by its type as written in the class."""
