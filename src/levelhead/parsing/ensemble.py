"""The ensemble: transition parsers vote for arcs, and the graph-based parser finds the best tree among these.

Members differ in their transition system, in the order of training sentences, and in the direction in which they read.
The heads that they give a word are the only ones considered. An arc scores what the graph-based parser gives it, with
siblings and grandparents, and something more for each vote (reparsing, Sagae and Lavie 2006, in the search of another
parser). This is faster than the graph-based parser alone, which has to look at all pairs of words first. Relations are
voted for, too, by the members that have the arc, and by the graph-based parser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.parsing.chunks import Progress, in_chunks
from levelhead.parsing.graph import in_pieces, parse_voted
from levelhead.parsing.long_sentences import learnable
from levelhead.parsing.model import ENSEMBLE, Ensemble, Integers, Model, Schedule
from levelhead.parsing.training import (
    DEFAULT_BEAM,
    Relations,
    Report,
    Scheme,
    default_schedule,
    n_passes,
    parse_columns,
    part_of,
    restored,
    train,
    with_trees,
)
from levelhead.parsing.weight_tables import check_memory_together
from levelhead.parsing.word_features import Columns, columns_of
from levelhead.treebank import Treebank


class Member(NamedTuple):
    """A transition parser of the ensemble.

    Args:
        parser: its transition system.
        reverse: whether it reads sentences from their last word to their first.
        vote: what its vote adds to the score of an arc, in margins to which the graph-based parser is trained.
    """

    parser: str
    reverse: bool
    vote: float


_FORWARD, _BACKWARD = 0.16, 0.12  # those that read backwards are right less often

MEMBERS = (
    Member("swap-lazy", False, _FORWARD),
    Member("swap-lazy", True, _BACKWARD),
    Member("arc-eager", False, _FORWARD),
    Member("arc-eager", True, _BACKWARD),
    Member("swap-lazy", False, _FORWARD),
    Member("arc-eager", False, _FORWARD),
)
"""The transition parsers of an ensemble (docs/parser-experiments.md has what else was tried)."""

_GRAPH_RELATION = 3.0  # votes
_OTHER_ARC = 0.1  # votes for a relation by a member that has another head


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
    """Train the graph-based parser and all members.

    Args:
        treebank: as in `train`.
        dev: as in `train`; each parser keeps the pass that is best for itself.
        with_dev: as in `train`.
        beam: how many hypotheses members keep.
        seed: of the order of sentences, another for each member.
        relations: as in `train`.
        scheme: as in `train`.
        schedule: of all parsers, for quick training.
        members: the transition parsers.
        progress: called after each pass of each parser.

    Raises:
        InputError: as in `train`.
    """
    treebank = learnable(treebank, ENSEMBLE)
    parts = [("graph", False, schedule or default_schedule("graph", 1))]
    parts += [(member.parser, member.reverse, schedule or member_schedule(beam)) for member in members]
    passes = [n_passes(parser, own) * (1 + with_dev) for parser, _, own in parts]

    def trained(number: int) -> Model:
        parser, reverse, own = parts[number]
        return train(
            treebank, parser, dev=dev, with_dev=with_dev, beam=beam, seed=seed * len(parts) + number,
            relations=relations, scheme=scheme, reverse=reverse, schedule=own,
            progress=part_of(progress, sum(passes[:number]), sum(passes)),
        )  # fmt: skip

    graph = trained(0)
    check_memory_together([parser for parser, *_ in parts], int(graph.training["words"]), len(graph.relations))
    models = [graph, *(trained(number) for number in range(1, len(parts)))]
    inside = [replace(model, training={}, function_head=None) for model in models]
    votes = tuple(member.vote for member in members)
    return Ensemble(inside[0], tuple(inside[1:]), votes, {**graph.training, "seed": seed}, graph.function_head)


def member_schedule(beam: int) -> Schedule:
    """Return how long a member is trained: one run, since votes of two members say more than an average."""
    return Schedule(first=4, second=4 if beam > 1 else 0, runs=1)


def parse_with_ensemble(model: Ensemble, treebank: Treebank, *, progress: Progress | None = None) -> Treebank:
    """Return a treebank with the trees of an ensemble; DEPS become empty.

    Args:
        model: the ensemble.
        treebank: what to parse; its heads and relations are not looked at.
        progress: as in `parse_treebank`.
    """
    if not treebank.n_words:
        return treebank
    templates = [text for part in (model.graph, *model.members) for text in part.templates.values()]
    columns = columns_of(treebank, templates)
    heads, labels = in_chunks(columns, treebank.sentence_starts, partial(_parsed, model), progress)
    return restored(with_trees(treebank, heads, labels, model.graph.relations), model.function_head)


def _parsed(model: Ensemble, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    """The heads and labels of sentences, of which long ones are parsed in pieces."""
    return in_pieces(starts, lambda pieces: _parsed_whole(model, columns, pieces))


def _parsed_whole(model: Ensemble, columns: Columns, starts: Integers) -> tuple[Integers, Integers]:
    """The heads and labels of sentences that are not too long."""
    found = [parse_columns(member, columns, starts) for member in model.members]
    voted = np.array([heads for heads, _ in found], np.int32)
    heads, labels = parse_voted(model.graph, columns, starts, *candidates(voted, starts, model.votes))
    return heads, _relations(heads, labels, voted, np.array([labels for _, labels in found], np.int32))


def candidates(voted: Integers, starts: Integers, votes: Sequence[float]) -> tuple[Integers, NDArray[np.float32]]:
    """Return the heads that each word may have, and what their votes are worth; shape (words, members + 1).

    The word before is always among them, so that there is a projective tree. -1 stands for no head.

    Args:
        voted: the heads that members give, 1-based in the sentence, 0 for the root; shape (members, words).
        starts: the first word of each sentence, then the number of words.
        votes: what the vote of each member is worth.
    """
    before = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    heads = np.vstack([voted, before[None]]).astype(np.int32)
    same = heads[:, None] == heads[None]
    worth = (same[:, :-1] * np.array(votes, np.float32).astype(float)[:, None]).sum(axis=1)
    again = np.tril(same.transpose(2, 0, 1), -1).any(axis=2).T
    heads[again] = -1
    order = np.argsort(np.where(again, 1, -worth), axis=0, kind="stable")
    return (
        np.ascontiguousarray(np.take_along_axis(heads, order, 0).T),
        np.ascontiguousarray(np.take_along_axis(worth, order, 0).T, np.float32),
    )


def _relations(heads: Integers, labels: Integers, voted: Integers, voted_labels: Integers) -> Integers:
    """The relations with most votes: one parser's choice counts more, and members with other heads count less."""
    choices = np.vstack([labels[None], voted_labels])
    weights = np.vstack([np.full((1, len(heads)), _GRAPH_RELATION), np.where(voted == heads, 1.0, _OTHER_ARC)])
    totals = ((choices[:, None] == choices[None]) * weights[None]).sum(axis=1)
    best: Integers = np.take_along_axis(choices, totals.argmax(axis=0)[None], 0)[0]
    return best
