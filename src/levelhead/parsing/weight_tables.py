"""The tables of weights that each kind of parser has."""

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
"""Rows and classes of tables, by what the tables are for."""

MOST_BYTES = 1 << 28
"""How large the tables of a model may be in memory, together: parsing takes up to three times as much."""

MOST_BYTES_TOGETHER = 17 << 25
"""How large the tables of all parsers in an ensemble may be in memory, together."""

MOST_MARGIN = 1 << 22
"""Of a model whose weights are all tiny: scores of arcs stay far below what a second root costs."""

_ENDLESS = 1 << 40  # words: more than any treebank has, so that every table has its most rows


def table_names(parser: str) -> tuple[str, ...]:
    """Return what the tables of a parser are for."""
    if parser in GRAPH_PARSERS:
        return graph.graph_tables(parser)
    return transition.TABLES


def table_shapes(parser: str, n_words: int, n_relations: int) -> Shapes:
    """Return the shapes of a parser's tables.

    Args:
        parser: one of our own.
        n_words: how many words it learns from.
        n_relations: how many relations it knows.
    """
    rows = (graph if parser in GRAPH_PARSERS else transition).table_rows(n_words)
    padded = -(-n_relations // 8) * 8
    classes = {"actions": 4, "labels": padded, "relations": padded}
    return {name: (rows[name], classes.get(name, 1)) for name in table_names(parser)}


def check_memory(parser: str, n_words: int, n_relations: int) -> None:
    """Raise an error if a model would be too large to be read again.

    Args:
        parser: as in `table_shapes`.
        n_words: as in `table_shapes`.
        n_relations: as in `table_shapes`.

    Raises:
        InputError: it would be.
    """
    _check_size(n_bytes(table_shapes(parser, n_words, n_relations)), n_relations, MOST_BYTES)


def check_memory_together(parsers: Iterable[str], n_words: int, n_relations: int) -> None:
    """Raise an error if an ensemble would be too large to be read again.

    Args:
        parsers: those in the ensemble.
        n_words: as in `table_shapes`.
        n_relations: as in `table_shapes`.

    Raises:
        InputError: it would be.
    """
    size = sum(n_bytes(table_shapes(parser, n_words, n_relations)) for parser in parsers)
    _check_size(size, n_relations, MOST_BYTES_TOGETHER)


def _check_size(size: int, n_relations: int, most: int) -> None:
    if size > most:
        message = f"tables for {n_relations} relations take {size} bytes, but at most {most} are allowed"
        raise InputError(Fault("model-too-large", message))


def n_bytes(shapes: Mapping[str, tuple[int, int]]) -> int:
    """Return how many bytes tables of these shapes take in memory."""
    return 2 * sum(rows * classes for rows, classes in shapes.values())


def check_shapes(parser: str, n_relations: int, shapes: Mapping[str, tuple[int, int]]) -> None:
    """Raise an error unless kernels can use tables of these shapes, and there is memory for them.

    Args:
        parser: one of our own.
        n_relations: how many relations it knows.
        shapes: of its tables.

    Raises:
        ValueError: a table is missing, unknown, too large, or has a wrong number of rows or classes.
    """
    largest = table_shapes(parser, _ENDLESS, n_relations)
    if set(shapes) != set(largest):
        raise ValueError("other tables than the parser's")
    for name, (rows, classes) in shapes.items():
        most, expected = largest[name]
        # A row's number is the top bits of a hash: at least one bit.
        if not 2 <= rows <= most or rows & (rows - 1) or classes != expected:
            raise ValueError(name)
    for one, other in (("parts", "first"), ("labels", "relations")):  # trained with equally many rows
        if other in shapes and shapes[one] != shapes[other]:
            raise ValueError(other)
    if n_bytes(shapes) > MOST_BYTES:
        raise ValueError("too large")


def with_weights(model: Model, averages: Averages) -> Model:
    """Return a model with averaged weights: those are on one scale whose scores are added.

    These are transitions and labels, since a beam adds their scores, and parts and relations.
    """
    names = table_names(model.parser)
    floats = dict(zip(names, averages, strict=True))
    scales: list[tuple[str, ...]] = [names]
    if model.parser in GRAPH_PARSERS:
        scales = [("parts", "relations"), ("labels",), ("first",)]
    whole: Tables = {}
    factors = []
    for scale in scales:
        found = [name for name in scale if name in floats]
        factor, numbers = quantized(*(floats[name] for name in found))
        factors.append(factor)
        whole |= zip(found, numbers, strict=True)
    tables = {name: whole[name].reshape(len(whole[name]), -1) for name in names}
    margin = min(max(1, round(factors[0])), MOST_MARGIN) if model.parser in GRAPH_PARSERS else 1
    return replace(model, tables=tables, margin=margin)
