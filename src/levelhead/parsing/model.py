"""Trained parsers, as immutable values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.immutable import immutable
from levelhead.parsing.features import Columns, Integers
from levelhead.treebank import Treebank
from levelhead.treebank.strings import UNDERSCORE

Averages = tuple[NDArray[Any], ...]  # the tables of averaged weights of a parser
# facts about the training of a model: the version of levelhead, the seed, and sizes
Training = Mapping[str, str | int | float]

# the transition systems, in the order in which the kernel numbers them
TRANSITION_SYSTEMS = ("arc-standard", "swap-eager", "swap-lazy", "arc-eager")

GRAPH_PARSERS = ("graph", "graph-first-order")
PARSERS = (*TRANSITION_SYSTEMS, *GRAPH_PARSERS)
ENSEMBLE = "ensemble"  # the parser that combines several transition systems and the graph-based parser
BASELINES = ("baseline-left", "baseline-right", "baseline-random", "baseline-random-projective")
"""The baselines: heads without learning, and the most frequent relation of each part of speech."""


# the tables of each parser; in second order also of arcs with relations, and of first-order parts for candidates
TABLES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(TRANSITION_SYSTEMS, ("actions", "labels")),
    "graph": ("parts", "labels", "relations", "first"),
    "graph-first-order": ("parts", "labels"),
}

_MOST_BITS, _MOST_LABEL_BITS = 22, 19
_GRAPH_ROWS_PER_WORD = 8  # more than transition parsing needs, since wrong arcs also have features


class Trees(NamedTuple):
    """The trees of a training treebank; heads are 1-based in the sentence, 0 for the root."""

    columns: Columns
    starts: Integers
    heads: Integers
    labels: Integers


Relations = Literal["universal", "full"]
Heads = Literal["content", "function"]


class Schedule(NamedTuple):
    """The length of training.

    Args:
        first: the number of greedy passes (transition systems) or first-order passes (graph-based parsers).
        second: the number of later passes, which use a beam or second-order features; can be 0.
        runs: the number of training runs, each with sentences in another random order. Their weights are averaged.
    """

    first: int
    second: int
    runs: int


class Member(NamedTuple):
    """A transition parser of the ensemble; its vote is in units of the graph-based parser's training margin."""

    parser: str
    reverse: bool
    vote: float


_FORWARD, _BACKWARD = 0.16, 0.12  # members that read backwards are less accurate

# the default transition parsers of an ensemble (development/parser-experiments.md has the alternatives that were tried)
MEMBERS = (
    Member("swap-lazy", False, _FORWARD),
    Member("swap-lazy", True, _BACKWARD),
    Member("arc-eager", False, _FORWARD),
    Member("arc-eager", True, _BACKWARD),
    Member("swap-lazy", False, _FORWARD),
    Member("arc-eager", False, _FORWARD),
)


class ExternalSettings(NamedTuple):
    """How to run external parsers. Models do not contain these settings, so reading a model cannot start a program.

    Args:
        jar: the jar file of MaltParser.
        train_command: the training command of the parser "command", with the placeholders {train} and {model}.
        parse_command: the parsing command of the parser "command", with {model}, {input} and {output}.
        options: additional options for training, in the syntax of the external parser.
    """

    jar: str | None = None
    train_command: str | None = None
    parse_command: str | None = None
    options: str = ""


class Recipe(NamedTuple):
    """A parser to train, and its settings; settings that this parser does not use are ignored.

    Args:
        parser: one of `ALL_PARSERS`.
        beam: the beam width of transition systems in training and parsing; 1 is greedy.
        seed: the random seed for the order of sentences. The same seed gives the same model, except for external
            parsers, which use their own seeds.
        relations: "universal" to learn relations without subtypes, "full" to learn them with subtypes.
        heads: "content" to learn trees as annotated; "function" to learn trees converted to function heads, and to
            convert parsed trees back.
        external: how to run an external parser.
        reverse: whether the parser reads sentences from the last word to the first.
        schedule: the number of passes and training runs; None for the default of the parser.
        members: the transition parsers of an ensemble.
    """

    parser: str = "swap-lazy"
    beam: int = 4
    seed: int = 0
    relations: Relations = "universal"
    heads: Heads = "content"
    external: ExternalSettings = ExternalSettings()
    reverse: bool = False
    schedule: Schedule | None = None
    members: tuple[Member, ...] = MEMBERS


@immutable
class Model:
    """A trained parser of levelhead.

    Args:
        parser: the name of the parser in `levelhead train`.
        relations: the relations that the parser can predict, most frequent first.
        root: the index of the root's relation in `relations`.
        templates: a mapping from what is scored, such as "arcs" or "labels", to the feature templates as text.
        beam: the beam width; 1 is greedy.
        tables: the tables of feature weights, by name, such as "labels"; int16, shape (rows, classes).
        training: facts about the training, by name.
        function_head: if the parser learned function heads (Kohita et al. 2017), the version of UD (1 or 2) that is
            needed to convert parsed trees to content heads; otherwise None.
        reverse: whether the parser reads sentences from the last word to the first.
        margin: for graph-based parsers, the margin in training. The score of the gold tree should exceed the score of
            another tree by at least this margin for each wrong head in the other tree.
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


@immutable
class Ensemble:
    """Transition parsers that vote for arcs, and a graph-based parser that adds the votes to its scores.

    Args:
        graph: the graph-based parser.
        members: the transition parsers, which know the same relations as `graph`.
        votes: how much the vote of each member adds to the score of an arc, as a multiple of `graph.margin`.
        training: facts about its training, by name.
        function_head: if the parser learned function heads, the version of UD (see `Model`); otherwise None.
    """

    graph: Model
    members: tuple[Model, ...]
    votes: tuple[float, ...]
    training: Training
    function_head: int | None = None
    parser = ENSEMBLE

    def __repr__(self) -> str:
        return f"<Ensemble: {len(self.members)} members and graph, {len(self.graph.relations)} relations>"


@immutable
class Baseline:
    """A trained baseline, which only learns relations.

    Args:
        parser: one of `BASELINES`.
        root: the relation of roots.
        relations: a mapping from each UPOS to the relation of words with this UPOS, except roots.
        other: the relation of words whose UPOS does not occur in the training treebank.
        seed: the random seed of the trees.
        training: facts about its training, by name.
        function_head: if the parser learned function heads, the version of UD (see `Model`); otherwise None.
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


@immutable
class ExternalModel:
    """A trained external parser.

    Args:
        parser: its name in `levelhead train`: udpipe, malt or command.
        contents: the contents of the model file that the external parser wrote.
        training: facts about its training, by name.
        function_head: if the parser learned function heads, the version of UD (see `Model`); otherwise None.
    """

    parser: str
    contents: bytes
    training: Training
    function_head: int | None = None

    def __repr__(self) -> str:
        return f"<ExternalModel: {self.parser}, {len(self.contents)} bytes>"


AnyModel = Model | Ensemble | Baseline | ExternalModel


def training_record(treebank: Treebank, **settings: int) -> Training:
    """Return the facts about training on a treebank; `untagged` counts words without UPOS, if there are any."""
    untagged = int((treebank.upos.codes == UNDERSCORE).sum())
    counts = {"words": treebank.n_words, "sentences": len(treebank), **settings}
    return {"version": VERSION, **counts, **({"untagged": untagged} if untagged else {})}


def table_shapes(parser: str, n_words: int, n_relations: int) -> dict[str, tuple[int, int]]:
    padded = -(-n_relations // 8) * 8
    if parser in TRANSITION_SYSTEMS:
        rows = rows_for(n_words, _MOST_BITS)
        return {"actions": (rows, 4), "labels": (rows // 8, padded)}
    parts = (rows_for(n_words * _GRAPH_ROWS_PER_WORD, _MOST_BITS), 1)
    labels = (rows_for(n_words, _MOST_LABEL_BITS) // 2, padded)
    shapes = {"parts": parts, "labels": labels, "relations": labels, "first": parts}
    return {name: shapes[name] for name in TABLES[parser]}


class Weights:
    """Tables of weights during training, with the sums for averaging."""

    def __init__(self, *tables: NDArray[Any]) -> None:
        self.tables: Averages = tables
        self.sums = tuple(np.zeros(table.shape, np.float32) for table in tables)
        self.step = 1.0

    def averages(self) -> Averages:
        return tuple(table - sums / self.step for table, sums in zip(self.tables, self.sums))


def rows_for(n_words: int, most: int) -> int:
    """Return a power of two close to 12 rows per training word: small enough for caches, and with few collisions."""
    bits = int(np.ceil(np.log2(max(n_words, 1) * 12) - 0.5))
    return 1 << min(max(bits, 14), most)
