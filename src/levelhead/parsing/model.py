"""Trained parsers as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.parsing.word_features import Columns

Integers = NDArray[np.int32]
Averages = tuple[NDArray[Any], ...]
"""Averaged weights, one table for each purpose."""

Training = Mapping[str, str | int | float]
"""How a model was trained, for people: the version, the seed, sizes."""

TRANSITION_SYSTEMS = ("arc-standard", "swap-eager", "swap-lazy", "arc-eager")
"""The transition systems, in the order of their numbers in the kernel."""

GRAPH_PARSERS = ("graph", "graph-first-order")
"""The graph-based parsers."""

PARSERS = (*TRANSITION_SYSTEMS, *GRAPH_PARSERS)
"""What learns to parse without another program."""

ENSEMBLE = "ensemble"
"""Several transition systems and the graph-based parser together."""

BASELINES = ("baseline-left", "baseline-right", "baseline-random", "baseline-random-projective")
"""The floor of any comparison: heads without learning, and the most frequent relation of each part of speech."""


class Trees(NamedTuple):
    """What training learns from.

    Args:
        columns: the words.
        starts: the first word of each sentence, then the number of words.
        heads: 1-based in the sentence, 0 for the root.
        labels: the numbers of the relations.
    """

    columns: Columns
    starts: Integers
    heads: Integers
    labels: Integers


class Schedule(NamedTuple):
    """How long training lasts.

    Args:
        first: passes of greedy or first-order training.
        second: passes with a beam, or of second order, after them; none where there is neither.
        runs: how many runs, in different random orders, are averaged.
    """

    first: int
    second: int
    runs: int


@dataclass(frozen=True, eq=False)
class Model:
    """A trained parser: everything that is needed to parse.

    Args:
        parser: its name, as in `levelhead train`.
        relations: the relations it knows, most frequent first.
        root: which of them words have whose head is the root.
        templates: its feature templates by what they are for, as text.
        beam: how many hypotheses are kept (1: greedy).
        tables: weights by what they are for; int16, shape (rows, classes).
        training: how it was trained: the version, the seed, how many words.
        function_head: if it was trained on function-head trees (Kohita et al. 2017), the version of UD, 1 or 2, by
            which its output is converted back.
        reverse: whether it reads sentences from their last word to their first.
        margin: for graph-based parsers, the difference of scores that training aims at for each wrong head.
    """

    parser: str
    relations: tuple[str, ...]
    root: int
    templates: Mapping[str, str]
    beam: int
    tables: Mapping[str, NDArray[np.int16]]
    training: Training
    function_head: int | None = None
    reverse: bool = False
    margin: int = 1

    def __repr__(self) -> str:
        beam = f", beam {self.beam}" if self.beam > 1 else ""
        return f"<Model: {self.parser}{beam}, {len(self.relations)} relations>"


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Transition parsers that vote, and a graph-based parser that scores the arcs they voted for.

    Args:
        graph: the graph-based parser.
        members: the transition parsers, which know the same relations.
        votes: what the vote of each adds to the score of an arc, in margins of the graph-based parser.
        training: how they were trained.
        function_head: as in `Model`; the parsers inside do not convert.
    """

    graph: Model
    members: tuple[Model, ...]
    votes: tuple[float, ...]
    training: Training
    function_head: int | None = None
    parser = ENSEMBLE

    def __repr__(self) -> str:
        return f"<Ensemble: {len(self.members)} members and graph, {len(self.graph.relations)} relations>"


@dataclass(frozen=True, eq=False)
class Baseline:
    """A baseline: all that is learned are its relations.

    Args:
        parser: one of `BASELINES`.
        root: the relation of roots.
        relations: the relation of other words by their UPOS.
        other: the relation of words whose UPOS was not in training.
        seed: the random seed of the trees.
        training: how it was trained.
        function_head: as in `Model`.
    """

    parser: str
    root: str
    relations: Mapping[str, str]
    other: str
    seed: int
    training: Training
    function_head: int | None = None

    def __repr__(self) -> str:
        return f"<Baseline: {self.parser}, {len(self.relations)} tags>"


@dataclass(frozen=True, eq=False)
class OutsideModel:
    """A parser that another program trained.

    Args:
        parser: which program: udpipe, malt or command.
        contents: the model as the program wrote it.
        training: how it was trained.
        function_head: as in `Model`.
    """

    parser: str
    contents: bytes
    training: Training
    function_head: int | None = None

    def __repr__(self) -> str:
        return f"<OutsideModel: {self.parser}, {len(self.contents)} bytes>"


AnyModel = Model | Ensemble | Baseline | OutsideModel


def rows_for(n_words: int, most: int) -> int:
    """Return how many rows a table of weights gets: a power of two near twelve for each word of training.

    Fewer rows fit the processor's caches; collisions begin to cost accuracy only below that.
    """
    wanted = int(np.ceil(np.log2(max(n_words, 1) * 12) - 0.5))
    return 1 << min(max(wanted, 14), most)


def quantized(*averages: NDArray[Any]) -> tuple[float, list[NDArray[np.int16]]]:
    """Return averaged weights as whole numbers, all on one scale, and before them that scale."""
    largest = max((float(np.abs(table).max()) for table in averages), default=0.0)
    scale = 32000 / largest if largest else 1.0
    return scale, [np.rint(table * scale).astype(np.int16) for table in averages]
