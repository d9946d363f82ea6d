"""Our own parsers, as studies train them where no outputs are given."""

from __future__ import annotations

from collections.abc import Sequence

from levelhead.parsing import Schedule, parse_treebank, train
from levelhead.treebank import Treebank

SCHEDULES = {"graph": Schedule(first=2, second=3, runs=1), "graph-first-order": Schedule(first=5, second=0, runs=1)}
"""How long graph-based parsers are trained: one run."""

GREEDY = Schedule(first=5, second=0, runs=1)
"""How long the others are: a tenth of the time that `levelhead train` takes by default, for a point or two of LAS."""

SEED = 1


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
    model = train(training[0], parser, beam=1, seed=SEED, schedule=SCHEDULES.get(parser, GREEDY))
    return parse_treebank(model, words)
