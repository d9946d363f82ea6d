"""Graph-based and transition-based parsing.

Graph-based parsers find the single-rooted tree with the best sum of scores of its arcs, or of pairs of arcs.

First order is Chu-Liu-Edmonds over all arcs (McDonald et al. 2005). Second order also scores neighboring siblings and
grandparents. First-order weights choose a few candidate heads for each word. Model 1 of Koo and Collins (2010) finds
the best projective tree over these. Then heads are changed as long as the score rises, which also allows crossing arcs
(McDonald and Pereira 2006; Zhang, Lei, Barzilay and Jaakkola 2014). In second order, the score of an arc includes that
of its best relation by features of the arc alone (McDonald, Crammer and Pereira 2005). Both learn by passive-aggressive
updates with a margin of 1 for each wrong head (Crammer et al. 2006), and average the weights. The final relations are
chosen bottom-up afterwards, by weights learned on gold trees, also with a margin.

Transition-based parsing: arc-standard, arc-eager and the two swap systems, greedy or with beam search. Greedy training
follows the oracle in the first pass, and later mostly the parser's own choices, so that it learns to recover from
mistakes (Goldberg and Nivre 2012). Beam training starts from greedy weights and makes max-violation updates (Huang,
Fayong and Guo 2012): the largest violation is taken from the steps at which the gold derivation is no longer in the
beam, and the last step.

All models are linear: averaged weights of hashed features (`parsing.features`). The averages of several runs in
different random orders are averaged or added up, which costs no time in parsing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from levelhead.kernels.graph_parser import GraphParser
from levelhead.kernels.oracles import projective_order
from levelhead.kernels.transition_parser import Parser
from levelhead.kernels.trees import lift
from levelhead.parsing.features import Columns, Integers, compiled_for
from levelhead.parsing.model import TABLES, TRANSITION_SYSTEMS, Averages, Model, Schedule, Trees, Weights, table_shapes
from levelhead.parsing.parser_input import longest_with_beam, piece_length

CANDIDATES = 8  # the number of heads that second order considers for a word
_TYPES = {"parts": np.float32, "labels": np.int16, "relations": np.float32, "first": np.float32}
_MARGIN = 1.0
_MOST_CHANGE = 0.1


def train_graph(trees: Trees, model: Model, schedule: Schedule, seed: int) -> Iterator[Averages]:
    """Train, and yield the averaged weights after each pass (averaged with those of earlier runs)."""
    second_order = model.parser == "graph"
    shapes = table_shapes(model.parser, len(trees.heads), len(model.relations))
    templates, columns = compiled_for(model.parser, model.templates), tuple(trees.columns)
    sentences = np.arange(len(trees.starts) - 1)
    done: Averages = ()
    for run in range(schedule.runs):
        random = np.random.default_rng((seed, run))
        weights = Weights(
            *(
                np.zeros(shape[0] if name == "parts" else shape, _TYPES[name])
                for name, shape in shapes.items()
                if name != "first"
            )
        )
        settings = (len(model.relations), model.root, CANDIDATES)
        kernel = GraphParser(templates, weights.tables, weights.sums, *settings)
        candidates = np.zeros((1, CANDIDATES), np.int32)
        first, averages = Averages(), Averages()
        for number in range(schedule.first + (schedule.second if second_order else 0)):
            if number == schedule.first:  # continue from the averaged weights of parts and relations
                average, _, relations = (table.astype(np.float32) for table in weights.averages())
                weights.tables[0][:], weights.tables[2][:] = average, relations
                weights = Weights(*weights.tables)
                first = (average,)
                kernel = GraphParser(templates, (*weights.tables, *first), weights.sums, *settings)
                candidates = kernel.candidates(columns, trees.starts, sentences)
            order = random.permutation(sentences).astype(np.int64)
            weights.step, _, _ = kernel.train(
                columns, trees.starts, trees.heads, trees.labels, order, candidates, weights.step, _MARGIN, _MOST_CHANGE
            )
            if first or not second_order:
                averages = (*weights.averages(), *first)
                if done:
                    averages = tuple((new + run * old) / (run + 1) for new, old in zip(averages, done))
                yield averages
        done = averages


def parse_graph(model: Model, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    kernel = _kernel(model, CANDIDATES)
    return in_pieces(starts, lambda pieces: kernel.parse(tuple(columns), pieces))


def parse_voted(
    model: Model, columns: Columns, starts: Integers, heads: Integers, votes: NDArray[np.float32]
) -> tuple[Integers, Integers]:
    # The last table is for choosing candidates, which are given here.
    return _kernel(model, heads.shape[1]).parse(tuple(columns), starts, heads, votes * np.float32(model.margin))


def _kernel(model: Model, n_candidates: int) -> GraphParser:
    tables = [np.ascontiguousarray(model.tables[name], _TYPES[name]) for name in TABLES[model.parser]]
    flat = tuple(table[:, 0] if table.shape[1] == 1 else table for table in tables)
    return GraphParser(
        compiled_for(model.parser, model.templates), flat, (), len(model.relations), model.root, n_candidates
    )


def in_pieces(starts: Integers, parse: Callable[[Integers], tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; long sentences are parsed in pieces."""
    starts_of_pieces = [np.arange(start, end, piece_length(end - start)) for start, end in pairwise(starts.tolist())]
    pieces = np.concatenate([*starts_of_pieces, starts[-1:]]).astype(np.int32)
    heads, labels = parse(pieces)
    if len(pieces) == len(starts):
        return heads, labels
    sentence = np.searchsorted(starts, pieces[:-1], side="right") - 1
    offsets = np.repeat(pieces[:-1] - starts[sentence], np.diff(pieces))
    heads = np.where(heads == 0, 0, heads + offsets).astype(np.int32)
    for start, end in pairwise(starts.tolist()):
        roots = start + np.flatnonzero(heads[start:end] == 0)
        if len(roots) > 1:  # the roots of later pieces become the last children of the first root
            labels[roots[1:]] = labels[start:end][heads[start:end] != 0][-1]
            heads[roots[1:]] = roots[0] - start + 1
    return heads, labels


_EXPLORATION = 0.9
_SCALE = 2.0  # of the greedy weights at the start of beam training, whose updates count 1
_MOST_LIFTS = 1 << 30


def train_transitions(trees: Trees, model: Model, schedule: Schedule, seed: int) -> Iterator[Averages]:
    """Train, and yield the averaged weights after each pass (added to those of earlier runs)."""
    system = TRANSITION_SYSTEMS.index(model.parser)
    heads = trees.heads
    if not model.parser.startswith("swap"):  # other systems only derive projective trees (Nivre and Nilsson 2005)
        heads, _ = lift(trees.heads, trees.starts, _MOST_LIFTS)
    gold = (heads, trees.labels, *projective_order(heads, trees.starts))
    templates = compiled_for(model.parser, model.templates)
    done: Averages = ()
    for run in range(schedule.runs):
        shapes = table_shapes(model.parser, len(heads), len(model.relations))
        weights = Weights(*(np.zeros(shape, np.int16) for shape in shapes.values()))
        random = np.random.default_rng((seed, run))
        averages: Averages = ()
        for number in range(schedule.first + (schedule.second if model.beam > 1 else 0)):
            if number == schedule.first:  # continue from the averaged weights
                for table, average in zip(weights.tables, weights.averages()):
                    table[:] = np.clip(np.rint(average * _SCALE), -30000, 30000)
                weights = Weights(*weights.tables)
            width = 1 if number < schedule.first else model.beam
            kernel = Parser(system, templates, weights.tables, weights.sums, len(model.relations), model.root, width)
            sentences = random.permutation(len(trees.starts) - 1).astype(np.int64)
            explore = _EXPLORATION if number else 0.0
            draw = int(random.integers(1, 1 << 63))
            weights.step, _ = kernel.train(
                tuple(trees.columns), trees.starts, *gold, sentences, weights.step, explore, draw
            )
            averages = weights.averages()
            if done:
                averages = tuple(new + old for new, old in zip(averages, done))
            yield averages
        done = averages


def parse_transitions(model: Model, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    """Return heads (1-based, 0 for the root) and labels; sentences too long for the beam are parsed greedily."""
    system, templates = TRANSITION_SYSTEMS.index(model.parser), compiled_for(model.parser, model.templates)
    tables = (model.tables["actions"], model.tables["labels"])
    result = np.zeros((2, int(starts[-1])), np.int32)
    long = np.diff(starts) > longest_with_beam(model.beam)
    bounds = [0, *(np.flatnonzero(np.diff(long)) + 1).tolist(), len(long)]
    for first, last in pairwise(bounds):  # consecutive sentences that are all long, or all short
        beam = 1 if long[first] else model.beam
        kernel = Parser(system, templates, tables, (), len(model.relations), model.root, beam)
        parsed = kernel.parse(tuple(columns), starts[first : last + 1])
        result[:, starts[first] : starts[last]] = [column[starts[first] :] for column in parsed]
    return result[0], result[1]
