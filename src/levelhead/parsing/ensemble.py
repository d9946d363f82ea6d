"""The ensemble: transition parsers vote for arcs, and the graph-based parser finds the best tree of these arcs.

Members differ in their transition system, the order of training sentences, and the reading direction. Only heads that a
member predicts are considered. The score of an arc is its score in the graph-based parser, with siblings and
grandparents, plus a bonus for each vote: reparsing (Sagae and Lavie 2006) inside the search of another parser. This is
faster than the graph-based parser alone, which starts from all pairs of words. Relations are chosen by a vote of the
graph-based parser and the members, in which members with another head count less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.parsing.features import Columns, Progress
from levelhead.parsing.graph import in_pieces, parse_voted
from levelhead.parsing.model import ENSEMBLE, Ensemble, Integers, Model, Schedule
from levelhead.parsing.parser_input import learnable
from levelhead.parsing.training import (
    DEFAULT_BEAM,
    Relations,
    Report,
    Scheme,
    check_memory,
    default_schedule,
    n_passes,
    parse_columns,
    parse_with,
    part_of,
    train,
)
from levelhead.treebank import Treebank


class Member(NamedTuple):
    """A transition parser of the ensemble; its vote is in units of the graph-based parser's training margin."""

    parser: str
    reverse: bool
    vote: float


_FORWARD, _BACKWARD = 0.16, 0.12  # members that read backwards are less accurate

MEMBERS = (
    Member("swap-lazy", False, _FORWARD),
    Member("swap-lazy", True, _BACKWARD),
    Member("arc-eager", False, _FORWARD),
    Member("arc-eager", True, _BACKWARD),
    Member("swap-lazy", False, _FORWARD),
    Member("arc-eager", False, _FORWARD),
)
"""The default transition parsers of an ensemble (docs/parser-experiments.md has the alternatives that were tried)."""

_GRAPH_RELATION = 3.0  # votes of the graph-based parser for its relation
_OTHER_ARC = 0.1  # votes of a member with another head for its relation


def train_ensemble(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    with_dev: bool = False,
    beam: int = DEFAULT_BEAM,
    seed: int = 0,
    relations: Relations = "universal",
    scheme: Scheme = "content-head",
    schedule: Schedule | None = None,
    members: Sequence[Member] = MEMBERS,
    progress: Callable[[Report], None] | None = None,
) -> Ensemble:
    """Return an ensemble: the graph-based parser and all members, trained on a treebank."""
    treebank = learnable(treebank, ENSEMBLE)
    parts = [("graph", False, schedule or default_schedule("graph", 1))]
    # A member has a single run, since two members are worth more than the average of two runs.
    of_members = schedule or Schedule(first=4, second=4 if beam > 1 else 0, runs=1)
    parts += [(member.parser, member.reverse, of_members) for member in members]
    passes = [n_passes(parser, part_schedule) * (1 + with_dev) for parser, _, part_schedule in parts]

    def trained(number: int) -> Model:
        parser, reverse, part_schedule = parts[number]
        return train(
            treebank, parser, dev=dev, with_dev=with_dev, beam=beam, seed=seed * len(parts) + number,
            relations=relations, scheme=scheme, reverse=reverse, schedule=part_schedule,
            progress=part_of(progress, sum(passes[:number]), sum(passes)),
        )  # fmt: skip

    graph = trained(0)
    check_memory([parser for parser, *_ in parts], int(graph.training["words"]), len(graph.relations))
    models = [graph, *(trained(number) for number in range(1, len(parts)))]
    inside = [replace(model, training={}, function_head=None) for model in models]
    votes = tuple(member.vote for member in members)
    return Ensemble(inside[0], tuple(inside[1:]), votes, {**graph.training, "seed": seed}, graph.function_head)


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
