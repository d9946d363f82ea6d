"""Short training of our own parsers, for studies that are given no outputs."""

from __future__ import annotations

from collections.abc import Sequence

from levelhead.parsing import ENSEMBLE, Schedule, parse_treebank, train
from levelhead.parsing.ensemble import MEMBERS, parse_with_ensemble, train_ensemble
from levelhead.treebank import Treebank

SCHEDULES = {"graph": Schedule(first=2, second=3, runs=1), "graph-first-order": Schedule(first=5, second=0, runs=1)}
"""Training of the graph-based parsers: a single run."""

GREEDY = Schedule(first=5, second=0, runs=1)
"""Training of the transition systems: a tenth of the default time of `levelhead train`, for 1 or 2 points less LAS."""

IN_ENSEMBLE = Schedule(first=5, second=3, runs=1)
"""Training of the ensemble; its transition systems are greedy, so they have only the `first` passes."""

FOUR_MEMBERS = tuple(member._replace(vote=0.2) for member in MEMBERS[:4])
"""The transition parsers in the ensemble: each system once in each direction, with equal votes."""

ENSEMBLE_SENTENCES = 1000
"""The ensemble takes longest to train, so it learns only from the first sentences of the training set."""

SEED = 1

TRAINED_BRIEFLY = (
    f"Our parsers are trained briefly, and only once (seed {SEED}). swap-lazy: {GREEDY.first} greedy passes. graph:"
    f" {SCHEDULES['graph'].first} first-order passes and {SCHEDULES['graph'].second} second-order passes. ensemble:"
    f" {IN_ENSEMBLE.first} passes of each transition system and of the first-order model, {IN_ENSEMBLE.second}"
    f" second-order passes, only on the first {ENSEMBLE_SENTENCES:,} sentences of each training set. On larger training"
    " sets, the ensemble's scores are therefore not comparable with those of the other parsers; differences between two"
    " scores of the same parser are."
)
"""The note on this training on the pages of studies."""


def built_in(parser: str, training: Sequence[Treebank], dev: Treebank | None, words: Treebank) -> Treebank:
    """Train one of our parsers briefly (transition systems greedily), and return the treebank that it parsed.

    The number of passes is fixed and no development treebank is used, so that all treebanks are treated alike, with or
    without a development set.
    """
    del dev
    if parser == ENSEMBLE:
        some = training[0][:ENSEMBLE_SENTENCES]
        model = train_ensemble(some, beam=1, seed=SEED, schedule=IN_ENSEMBLE, members=FOUR_MEMBERS)
        return parse_with_ensemble(model, words)
    single = train(training[0], parser, beam=1, seed=SEED, schedule=SCHEDULES.get(parser, GREEDY))
    return parse_treebank(single, words)
