"""Transition-based parsing: arc-standard, arc-eager and the two swap systems, greedy or with beam search.

The model is linear: averaged weights of hashed features (`parsing.features`). Greedy training follows the
oracle in the first pass, and later mostly the parser's own choices, so that it learns to recover from mistakes
(Goldberg and Nivre 2012). Beam training starts from greedy weights and makes max-violation updates (Huang, Fayong and
Guo 2012): the largest violation is taken from the steps at which the gold derivation is no longer in the beam, and the
last step. The averages of several runs in different random orders are added up, which costs no time in parsing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from levelhead.derivation.derive import lifted
from levelhead.kernels.oracles import projective_order
from levelhead.kernels.transition_parser import Parser
from levelhead.parsing.features import Columns, Integers, compiled_for
from levelhead.parsing.model import TRANSITION_SYSTEMS, Averages, Model, Schedule, Trees, Weights, table_shapes
from levelhead.parsing.parser_input import longest_with_beam

_EXPLORATION = 0.9
_SCALE = 2.0  # of the greedy weights at the start of beam training, whose updates count 1
_MOST_LIFTS = 1 << 30


def train_transitions(trees: Trees, model: Model, schedule: Schedule, seed: int) -> Iterator[Averages]:
    """Train, and yield the averaged weights after each pass (added to those of earlier runs)."""
    system = TRANSITION_SYSTEMS.index(model.parser)
    heads = trees.heads
    if not model.parser.startswith("swap"):  # other systems only derive projective trees (Nivre and Nilsson 2005)
        heads, _ = lifted(trees.heads, trees.starts, _MOST_LIFTS)
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
