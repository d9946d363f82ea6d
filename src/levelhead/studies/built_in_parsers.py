"""Our own parsers, as studies train them where no outputs are given."""

from __future__ import annotations

from collections.abc import Sequence

from levelhead.parsing import ENSEMBLE, Schedule, parse_treebank, train
from levelhead.parsing.ensemble import MEMBERS, parse_with_ensemble, train_ensemble
from levelhead.treebank import Treebank

SCHEDULES = {"graph": Schedule(first=2, second=3, runs=1), "graph-first-order": Schedule(first=5, second=0, runs=1)}
"""How long graph-based parsers are trained: one run."""

GREEDY = Schedule(first=5, second=0, runs=1)
"""How long the others are: a tenth of the time that `levelhead train` takes by default, for a point or two of LAS."""

IN_ENSEMBLE = Schedule(first=5, second=3, runs=1)
"""How long the parts of an ensemble are; the transition systems are greedy, and stop after the first passes."""

FOUR_MEMBERS = tuple(member._replace(vote=0.2) for member in MEMBERS[:4])
"""The transition parsers of the ensemble: each once in each direction, with equal votes."""

ENSEMBLE_SENTENCES = 1000
"""An ensemble, which takes longest, learns from so many sentences: the first ones of the training set."""

SEED = 1

TRAINED_BRIEFLY = (
    f"Our parsers are trained briefly, once (seed {SEED}). swap-lazy: {GREEDY.first} passes, greedily. graph:"
    f" {SCHEDULES['graph'].first} passes of first order, {SCHEDULES['graph'].second} of second. ensemble:"
    f" {IN_ENSEMBLE.first} passes of each transition system and of first order, {IN_ENSEMBLE.second} of second, on the"
    f" first {ENSEMBLE_SENTENCES:,} sentences of each training set only. So scores of the ensemble cannot be compared"
    " with those of the others on larger training sets; differences within a parser can."
)
"""What pages say of it."""


def built_in(parser: str, training: Sequence[Treebank], dev: Treebank | None, words: Treebank) -> Treebank:
    """Train a parser of `levelhead train` for a short time, transition systems greedily, and parse with it.

    The number of passes is fixed, so that a development treebank is not needed: which parts are at hand must not decide
    how well a parser is trained.

    Args:
        parser: the name of the parser.
        training: the treebank it is trained on, alone in a sequence.
        dev: not used.
        words: what to parse.
    """
    del dev
    if parser == ENSEMBLE:
        some = training[0][:ENSEMBLE_SENTENCES]
        model = train_ensemble(some, beam=1, seed=SEED, schedule=IN_ENSEMBLE, members=FOUR_MEMBERS)
        return parse_with_ensemble(model, words)
    single = train(training[0], parser, beam=1, seed=SEED, schedule=SCHEDULES.get(parser, GREEDY))
    return parse_treebank(single, words)
