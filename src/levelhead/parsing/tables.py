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
        return graph.TABLES[: 3 if parser == "graph" else 2]
    return transition.TABLES


def n_classes(name: str, n_relations: int) -> int:
    """Return how many weights a row of a table has."""
    return {"actions": 4, "labels": -(-n_relations // 8) * 8}.get(name, 1)


def tables_of(parser: str, averages: Averages) -> Tables:
    """Return the tables of a model: transitions and relations on one scale, since a beam adds their scores."""
    if parser in GRAPH_PARSERS:
        whole = [quantised(table)[0].reshape(len(table), -1) for table in averages]
    else:
        whole = quantised(*averages)
    return dict(zip(table_names(parser), whole, strict=True))
