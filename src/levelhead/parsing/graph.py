"""Graph-based parsing: the single-rooted tree with the best sum of scores of its arcs, or of pairs of arcs.

First order is Chu-Liu-Edmonds over all arcs (McDonald et al. 2005). Second order also scores neighboring siblings and
grandparents. First-order weights choose a few candidate heads for each word. Model 1 of Koo and Collins (2010) finds
the best projective tree over these. Then heads are changed as long as the score rises, which also allows crossing arcs
(McDonald and Pereira 2006; Zhang, Lei, Barzilay and Jaakkola 2014). In second order, the score of an arc includes that
of its best relation by features of the arc alone (McDonald, Crammer and Pereira 2005). Both learn by passive-aggressive
updates with a margin of 1 for each wrong head (Crammer et al. 2006), and average the weights. The final relations are
chosen bottom-up afterwards, by weights learned on gold trees, also with a margin. As in transition parsing, several
runs are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.kernels.graph_parser import GraphParser
from levelhead.parsing.feature_templates import compiled
from levelhead.parsing.model import Averages, Integers, Model, Schedule, Trees, rows_for
from levelhead.parsing.parser_input import piece_length
from levelhead.parsing.word_features import Columns

PARTS = ("arcs", "siblings", "grandparents", "labels", "relations")
"""The purposes of templates; only second order has relations."""

TABLES = ("parts", "labels", "relations", "first")
"""The tables of weights: of parts, of labels and, for second order, of arcs with relations and of candidates."""

_N_FIRST_ORDER = 2  # the first tables, which first order also has

CANDIDATES = 8
"""The number of heads that second order considers for a word."""

_MOST_BITS = 22
_ROWS_PER_WORD = 8  # more than transition parsing needs, since wrong arcs also have features
_MOST_LABEL_BITS = 19
_MARGIN = 1.0
_MOST_CHANGE = 0.1


def table_rows(n_words: int) -> dict[str, int]:
    """Return the number of rows of each table, for a number of training words."""
    rows, labeled = rows_for(n_words * _ROWS_PER_WORD, _MOST_BITS), rows_for(n_words, _MOST_LABEL_BITS) // 2
    return {"parts": rows, "labels": labeled, "relations": labeled, "first": rows}


class _Weights:
    """The weights during training, with the sums for averaging."""

    def __init__(self, n_words: int, n_labels: int, *, relations: bool) -> None:
        rows = table_rows(n_words)
        labeled = (rows["labels"], -(-n_labels // 8) * 8)
        self.tables: Averages = (np.zeros(rows["parts"], np.float32), np.zeros(labeled, np.int16))
        if relations:
            self.tables = (*self.tables, np.zeros(labeled, np.float32))
        self.sums = tuple(np.zeros(table.shape, np.float32) for table in self.tables)
        self.step = 1.0

    def averages(self) -> Averages:
        """Return the averaged weights."""
        return tuple(table - sums / self.step for table, sums in zip(self.tables, self.sums))

    def restart(self) -> NDArray[np.float32]:
        """Continue from the averaged weights of parts and relations; return those of parts. Averaging starts again."""
        average: NDArray[np.float32]
        average, _, relations = (table.astype(np.float32) for table in self.averages())
        self.tables[0][:], self.tables[2][:] = average, relations
        for sums in self.sums:
            sums[:] = 0
        self.step = 1.0
        return average


def train_graph(trees: Trees, model: Model, schedule: Schedule, seed: int) -> Iterator[Averages]:
    """Train, and yield the averaged weights after each pass (averaged with those of earlier runs)."""
    done: Averages = ()
    for run in range(schedule.runs):
        averages: Averages = ()
        random = np.random.default_rng((seed, run))
        for weights in _one_run(trees, model, schedule, random):
            averages = tuple((new + run * old) / (run + 1) for new, old in zip(weights, done)) if done else weights
            yield averages
        done = averages


def _one_run(trees: Trees, model: Model, schedule: Schedule, random: np.random.Generator) -> Iterator[Averages]:
    second_order = model.parser == "graph"
    weights = _Weights(len(trees.heads), len(model.relations), relations=second_order)
    templates, columns = _compiled(model.templates), tuple(trees.columns)
    settings = (weights.sums, len(model.relations), model.root, CANDIDATES)
    kernel = GraphParser(templates, weights.tables, *settings)
    candidates = np.zeros((1, CANDIDATES), np.int32)
    sentences = np.arange(len(trees.starts) - 1)
    first: Averages = ()
    for number in range(schedule.first + (schedule.second if second_order else 0)):
        if number == schedule.first:
            first = (weights.restart(),)
            kernel = GraphParser(templates, (*weights.tables, *first), *settings)
            candidates = kernel.candidates(columns, trees.starts, sentences)
        order = random.permutation(sentences).astype(np.int64)
        weights.step, _, _ = kernel.train(
            columns, trees.starts, trees.heads, trees.labels, order, candidates, weights.step, _MARGIN, _MOST_CHANGE
        )
        if first or not second_order:
            yield (*weights.averages(), *first)


def parse_graph(model: Model, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    """Return the heads (1-based in the sentence, 0 for the root) and the labels of all words."""
    tables = tuple(_as_trained(name, model.tables[name]) for name in graph_tables(model.parser))
    kernel = GraphParser(_compiled(model.templates), tables, (), len(model.relations), model.root, CANDIDATES)
    return in_pieces(starts, lambda pieces: kernel.parse(tuple(columns), pieces))


def parse_voted(
    model: Model, columns: Columns, starts: Integers, heads: Integers, votes: NDArray[np.float32]
) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words, chosen from candidate heads."""
    # The last table is for choosing candidates, which are given here.
    tables = tuple(_as_trained(name, model.tables[name]) for name in TABLES)
    kernel = GraphParser(_compiled(model.templates), tables, (), len(model.relations), model.root, heads.shape[1])
    return kernel.parse(tuple(columns), starts, heads, votes * np.float32(model.margin))


def in_pieces(starts: Integers, parse: Callable[[Integers], tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; long sentences are parsed in pieces."""
    starts_of_pieces = [np.arange(start, end, piece_length(end - start)) for start, end in pairwise(starts.tolist())]
    pieces = np.concatenate([*starts_of_pieces, starts[-1:]]).astype(np.int32)
    heads, labels = parse(pieces)
    return (heads, labels) if len(pieces) == len(starts) else _joined_pieces(heads, labels, pieces, starts)


def graph_tables(parser: str) -> tuple[str, ...]:
    """Return the names of the tables of a parser."""
    return TABLES if parser == "graph" else TABLES[:_N_FIRST_ORDER]


def _as_trained(name: str, table: NDArray[np.int16]) -> NDArray[Any]:
    """A table in the type that the kernel expects."""
    if name == "labels":
        return table
    return np.ascontiguousarray(table if name == "relations" else table[:, 0], np.float32)


def _joined_pieces(heads: Integers, labels: Integers, pieces: Integers, starts: Integers) -> tuple[Integers, Integers]:
    """The trees of whole sentences: the roots of later pieces become the last children of the first root."""
    sentence = np.searchsorted(starts, pieces[:-1], side="right") - 1
    offsets = np.repeat(pieces[:-1] - starts[sentence], np.diff(pieces))
    joined = np.where(heads == 0, 0, heads + offsets).astype(np.int32)
    for start, end in pairwise(starts.tolist()):
        roots = start + np.flatnonzero(heads[start:end] == 0)
        if len(roots) > 1:
            joined[roots[1:]] = roots[0] - start + 1
            labels[roots[1:]] = labels[start:end][heads[start:end] != 0][-1]
    return joined, labels


def _compiled(templates: Mapping[str, str]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(compiled(templates[part], arcs=True)) for part in PARTS if part in templates)
