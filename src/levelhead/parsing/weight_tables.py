"""The tables of weights of each parser: their shapes, and limits on their size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError
from levelhead.parsing import graph, transition
from levelhead.parsing.model import GRAPH_PARSERS, Averages, Model, quantized

Tables = dict[str, NDArray[np.int16]]
Shapes = dict[str, tuple[int, int]]
"""The numbers of rows and classes of each table, by name."""

MOST_BYTES = 1 << 28
"""The largest size of all tables of a model in memory; parsing takes up to three times as much."""

MOST_BYTES_TOGETHER = 17 << 25
"""The largest size of the tables of all parsers of an ensemble in memory."""

MOST_MARGIN = 1 << 22
"""The largest margin, for models with tiny weights: the scores of arcs stay far below the penalty of a second root."""

_ENDLESS = 1 << 40  # words: more than any treebank has, so every table has its largest number of rows


def table_names(parser: str) -> tuple[str, ...]:
    """Return the names of the tables of a parser."""
    if parser in GRAPH_PARSERS:
        return graph.graph_tables(parser)
    return transition.TABLES


def table_shapes(parser: str, n_words: int, n_relations: int) -> Shapes:
    """Return the shapes of a parser's tables."""
    rows = (graph if parser in GRAPH_PARSERS else transition).table_rows(n_words)
    padded = -(-n_relations // 8) * 8
    classes = {"actions": 4, "labels": padded, "relations": padded}
    return {name: (rows[name], classes.get(name, 1)) for name in table_names(parser)}


def check_memory(parser: str, n_words: int, n_relations: int) -> None:
    """Raise an InputError if a model would be larger than `read_model` accepts."""
    _check_size(n_bytes(table_shapes(parser, n_words, n_relations)), n_relations, MOST_BYTES)


def check_memory_together(parsers: Iterable[str], n_words: int, n_relations: int) -> None:
    """Raise an InputError if an ensemble would be larger than `read_model` accepts."""
    size = sum(n_bytes(table_shapes(parser, n_words, n_relations)) for parser in parsers)
    _check_size(size, n_relations, MOST_BYTES_TOGETHER)


def _check_size(size: int, n_relations: int, limit: int) -> None:
    if size > limit:
        message = f"tables for {n_relations} relations take {size} bytes, but at most {limit} are allowed"
        raise InputError(Fault("model-too-large", message))


def n_bytes(shapes: Mapping[str, tuple[int, int]]) -> int:
    """Return the size of tables of these shapes in memory, in bytes."""
    return 2 * sum(rows * classes for rows, classes in shapes.values())


def check_shapes(parser: str, n_relations: int, shapes: Mapping[str, tuple[int, int]]) -> None:
    """Raise a ValueError unless the kernels can use tables of these shapes, and their size is within the limit."""
    largest = table_shapes(parser, _ENDLESS, n_relations)
    if set(shapes) != set(largest):
        raise ValueError("unexpected tables")
    for name, (rows, classes) in shapes.items():
        most, expected = largest[name]
        # The top bits of a hash select a row: at least one bit.
        if not 2 <= rows <= most or rows & (rows - 1) or classes != expected:
            raise ValueError(name)
    for first, second in (("parts", "first"), ("labels", "relations")):  # trained with the same number of rows
        if second in shapes and shapes[first] != shapes[second]:
            raise ValueError(second)
    if n_bytes(shapes) > MOST_BYTES:
        raise ValueError("too large")


def with_weights(model: Model, averages: Averages) -> Model:
    """Return a model with averaged weights. Tables whose scores are added up share a scale.

    These are actions and labels (added up by a beam), and parts and relations.
    """
    names = table_names(model.parser)
    floats = dict(zip(names, averages, strict=True))
    scales: list[tuple[str, ...]] = [names]
    if model.parser in GRAPH_PARSERS:
        scales = [("parts", "relations"), ("labels",), ("first",)]
    integers: Tables = {}
    factors = []
    for scale in scales:
        members = [name for name in scale if name in floats]
        factor, numbers = quantized(*(floats[name] for name in members))
        factors.append(factor)
        integers |= zip(members, numbers, strict=True)
    tables = {name: integers[name].reshape(len(integers[name]), -1) for name in names}
    margin = min(max(1, round(factors[0])), MOST_MARGIN) if model.parser in GRAPH_PARSERS else 1
    return replace(model, tables=tables, margin=margin)
