"""Words whose annotation is probably wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from levelhead.api.inputs import running, settings_for
from levelhead.api.parameters import TREEBANK, limited, public
from levelhead.arguments import either, mapping, optional, several
from levelhead.treebank import Treebank

if TYPE_CHECKING:
    from levelhead.api.inputs import PathLike
    from levelhead.comparison.suspects import Suspects
    from levelhead.evaluation.pair import Input
    from levelhead.jobs import Store, Workers
    from levelhead.scoring.rules import Rules

PARSERS = ("arc-eager", "swap-lazy", "graph")
"""The parsers that are trained if no systems are given."""


_SYSTEMS = either(
    [(lambda value: isinstance(value, Mapping), mapping(TREEBANK, "a mapping of names to treebanks or paths"))],
    several(TREEBANK),
)


@public(gold=TREEBANK, systems=_SYSTEMS, folds=limited("folds"), limit=optional(limited("limit")))
def suspects(
    gold: Input,
    systems: Sequence[Input] | Mapping[str, Input] = (),
    *,
    limit: int | None = 50,
    folds: int = 10,
    rules: str | Rules = "ud",
    seed: int = 0,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Suspects:
    """Return the words whose annotation is probably wrong, the most suspicious first.

    A word is suspect if systems agree on a different analysis, or if the same words in the same context are annotated
    differently elsewhere.

    Args:
        gold: the annotation.
        systems: outputs of parsers for the same text, preferably three or more; by default, three of levelhead's
            parsers are trained on gold by cross-validation.
        limit: the maximum number of words to return; None for all.
        folds: the number of folds of the cross-validation.
        store: a file in which parsed folds are kept.

    Raises:
        InputError: a file is invalid, the texts differ, or there are too few sentences to train parsers.
    """
    from levelhead.comparison.agreement import named
    from levelhead.comparison.suspects import find_suspects
    from levelhead.evaluation.pair import load
    from levelhead.scoring.matches import match

    setup = settings_for((), rules=rules)
    setup.rules.check_words()
    treebank = load(gold, setup.rules)
    training: dict[str, str] = {}
    if systems:
        by_name = systems if isinstance(systems, Mapping) else dict(zip(named(systems), systems, strict=True))
        outputs = {name: load(one, setup.rules) for name, one in by_name.items()}
    else:
        with running(jobs, store, cluster) as how:
            outputs = _parsed(treebank, folds, seed, how)
        training = {"trained": "+".join(PARSERS), "folds": str(folds), "seed": str(seed)}
    matches = {name: match(treebank, output, setup.rules) for name, output in outputs.items()}
    for output in matches.values():
        output.check_trees()
    return find_suspects(matches, treebank, limit, training=training)


def _parsed(treebank: Treebank, folds: int, seed: int, how: Mapping[str, object]) -> dict[str, Treebank]:
    """Return the treebank parsed by each parser in cross-validation."""
    from levelhead.parsing import Recipe, cross_validate

    return {
        parser: cross_validate(treebank, Recipe(parser, beam=1, seed=seed), folds=folds, **how).treebank  # type: ignore[arg-type]
        for parser in PARSERS
    }
