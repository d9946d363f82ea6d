"""The ensemble: transition parsers vote for arcs, and the graph-based parser finds the best tree of these arcs.

Members differ in their transition system, the order of training sentences, and the reading direction. Only heads that a
member predicts are considered. The score of an arc is its score in the graph-based parser, with siblings and
grandparents, plus a bonus for each vote: reparsing (Sagae and Lavie 2006) inside the search of another parser. This is
faster than the graph-based parser alone, which starts from all pairs of words. Relations are chosen by a vote of the
graph-based parser and the members, in which members with another head count less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from levelhead.parsing.features import Columns, Progress
from levelhead.parsing.graph import in_pieces, parse_voted
from levelhead.parsing.model import ENSEMBLE, Ensemble, Integers, Model, Recipe, Schedule
from levelhead.parsing.parser_input import learnable
from levelhead.parsing.training import (
    Tell,
    check_memory,
    default_schedule,
    n_passes,
    parse_columns,
    parse_with,
    part_of,
    train_single,
)
from levelhead.treebank import Treebank

_GRAPH_RELATION = 3.0  # votes of the graph-based parser for its relation
_OTHER_ARC = 0.1  # votes of a member with another head for its relation


def train_ensemble(treebank: Treebank, recipe: Recipe, *, dev: Treebank | None, with_dev: bool, tell: Tell) -> Ensemble:
    """Return an ensemble: the graph-based parser and all members, trained on a treebank."""
    treebank = learnable(treebank, ENSEMBLE)
    graph_schedule = recipe.schedule or default_schedule("graph", 1)
    # A member has a single run, since two members are worth more than the average of two runs.
    schedule = recipe.schedule or Schedule(first=4, second=4 if recipe.beam > 1 else 0, runs=1)
    parts = [recipe._replace(parser="graph", schedule=graph_schedule)]
    parts += [recipe._replace(parser=part.parser, reverse=part.reverse, schedule=schedule) for part in recipe.members]
    schedules = [graph_schedule, *[schedule] * len(recipe.members)]
    passes = [n_passes(part.parser, planned) * (1 + with_dev) for part, planned in zip(parts, schedules)]
    models: list[Model] = []
    for number, part in enumerate(parts):
        part_tell = part_of(tell, sum(passes[:number]), sum(passes))
        seeded = part._replace(seed=recipe.seed * len(parts) + number)
        models.append(train_single(treebank, seeded, dev=dev, with_dev=with_dev, tell=part_tell))
        if not number:
            check_memory([part.parser for part in parts], int(models[0].training["words"]), len(models[0].relations))
    graph, *members = (replace(model, training={}, function_head=None) for model in models)
    training = {**models[0].training, "seed": recipe.seed}
    votes = tuple(member.vote for member in recipe.members)
    return Ensemble(graph, tuple(members), votes, training, models[0].function_head)


def parse_with_ensemble(model: Ensemble, treebank: Treebank, *, progress: Progress | None = None) -> Treebank:
    """Return a treebank with the trees of an ensemble; DEPS becomes empty."""

    def parse(columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
        return in_pieces(starts, lambda pieces: _parsed(model, columns, pieces))

    return parse_with(parse, [model.graph, *model.members], treebank, model.function_head, progress)


def _parsed(model: Ensemble, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    """The heads and labels of all words, without long sentences."""
    outputs = [parse_columns(member, columns, starts) for member in model.members]
    voted = np.array([heads for heads, _ in outputs], np.int32)
    heads, labels = parse_voted(model.graph, columns, starts, *candidates(voted, starts, model.votes))
    return heads, _relations(heads, labels, voted, np.array([labels for _, labels in outputs], np.int32))


def candidates(voted: Integers, starts: Integers, votes: Sequence[float]) -> tuple[Integers, NDArray[np.float32]]:
    """Return the candidate heads of each word, and the weight of their votes; shape (words, members + 1).

    The previous word is always a candidate, so that there is a projective tree. -1 stands for no head.
    """
    previous = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    heads = np.vstack([voted, previous[None]]).astype(np.int32)
    same = heads[:, None] == heads[None]
    weights = (same[:, :-1] * np.array(votes, np.float32).astype(float)[:, None]).sum(axis=1)
    repeated = np.tril(same.transpose(2, 0, 1), -1).any(axis=2).T
    heads[repeated] = -1
    order = np.argsort(np.where(repeated, 1, -weights), axis=0, kind="stable")
    return (
        np.ascontiguousarray(np.take_along_axis(heads, order, 0).T),
        np.ascontiguousarray(np.take_along_axis(weights, order, 0).T, np.float32),
    )


def _relations(heads: Integers, labels: Integers, voted: Integers, voted_labels: Integers) -> Integers:
    """The relations with most votes; the graph-based parser counts more, and members with another head count less."""
    choices = np.vstack([labels[None], voted_labels])
    weights = np.vstack([np.full((1, len(heads)), _GRAPH_RELATION), np.where(voted == heads, 1.0, _OTHER_ARC)])
    totals = ((choices[:, None] == choices[None]) * weights[None]).sum(axis=1)
    best: Integers = np.take_along_axis(choices, totals.argmax(axis=0)[None], 0)[0]
    return best
