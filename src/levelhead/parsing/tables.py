"""The tables of weights that each kind of parser has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from levelhead.parsing import graph, transition
from levelhead.parsing.model import GRAPH_PARSERS, Averages, quantised

Tables = dict[str, NDArray[np.int16]]


def table_names(parser: str) -> tuple[str, ...]:
    """Return what the tables of a parser are for."""
    if parser in GRAPH_PARSERS:
        return graph.graph_tables(parser)
    return transition.TABLES


def n_classes(name: str, n_relations: int) -> int:
    """Return how many weights a row of a table has."""
    padded = -(-n_relations // 8) * 8
    return {"actions": 4, "labels": padded, "relations": padded}.get(name, 1)


def tables_of(parser: str, averages: Averages) -> Tables:
    """Return the tables of a model: those are on one scale whose scores are added.

    These are transitions and labels, since a beam adds their scores, and parts and relations.
    """
    names = table_names(parser)
    floats = dict(zip(names, averages, strict=True))
    scales: list[tuple[str, ...]] = [names]
    if parser in GRAPH_PARSERS:
        scales = [("parts", "relations"), ("labels",), ("first",)]
    whole: Tables = {}
    for scale in scales:
        found = [name for name in scale if name in floats]
        whole |= zip(found, quantised(*(floats[name] for name in found)), strict=True)
    return {name: whole[name].reshape(len(whole[name]), -1) for name in names}
