"""Scores of one system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from levelhead.api.inputs import (
    Golds,
    Measures,
    PathLike,
    holds_test_sets,
    plan_for,
    running,
    settings_for,
)
from levelhead.api.parameters import MEASURES, TREEBANK, public
from levelhead.arguments import optional
from levelhead.evaluation.pair import Evaluation, Input, load_pair, score_treebanks

if TYPE_CHECKING:
    from levelhead.analysis.rule_differences import Explanation
    from levelhead.api.inputs import MappedWeights
    from levelhead.comparison.evaluations import Evaluations
    from levelhead.jobs import Store, Workers
    from levelhead.measures.registry import Registry
    from levelhead.scoring.rules import Rules
    from levelhead.treebank.layouts import Split
    from levelhead.treebank.reader import Format


@public(measures=optional(MEASURES))
def score(
    gold: Golds,
    system: Golds,
    *,
    measures: Measures | None = None,
    rules: str | Rules = "ud",
    format: Format = "conllu",
    gold_format: Format | None = None,
    weights: MappedWeights | None = None,
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    split: Split | None = None,
    jobs: int | Workers = 1,
    store: PathLike | Store | None = None,
) -> Evaluation | Evaluations:
    """Return the scores of a system: an `Evaluation` of a pair of treebanks, or `Evaluations` of many by test set.

    Args:
        gold: a treebank or its path; or many treebanks: a folder, a manifest, or a mapping of codes to treebanks or
            paths. Only files are held to an official scorer's verdict on its input.
        system: the system's output, in the same form.
        measures: the measures; by default those that the official scorer of the rules prints.
        rules: `ud`, `udtools`, `conll18` or `conll17`.
        format: the format of files, "conllu" or "conllx".
        gold_format: the format of gold files, if it is another one. If gold is CoNLL-U and the output is CoNLL-X, the
            multiword tokens of gold are taken apart, since CoNLL-X has none.
        weights: weights of relations by the name in parentheses: `{"mine": {"det": 0.1, "nsubj": 1}}` for `WLAS(mine)`.
        registry: the available measures and schemes; by default the shipped ones.
        train: training treebanks, for WLAS(WDE).
        split: which files of UD releases are gold; by default "test", or the only split.
        jobs: for many treebanks, a number of processes, or workers.
        store: a file in which results are kept.

    Raises:
        InputError: a file is invalid or missing, or the texts differ; with every error.
        MeasureError: a measure or the rules are unknown.
    """
    setup = settings_for(
        measures, rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry, train=train
    )
    several = holds_test_sets(gold)
    if not several:
        TREEBANK("system", system)  # one treebank like gold
    if not several and store is None:  # nothing is planned or hashed, which would take longer than scoring
        return score_treebanks(*load_pair(gold, system, setup), setup)  # type: ignore[arg-type]
    from levelhead.comparison.evaluations import score_folder

    with running(jobs, store) as how:
        found = score_folder(plan_for(gold, system, split), setup if several else setup.single(), **how)
    return found if several else next(iter(found.values()))


@public(gold=TREEBANK, system=TREEBANK)
def explain(gold: Input, system: Input) -> Explanation:
    """Return which differences between the four scoring rules change the scores of two files.

    Args:
        gold: the path of a treebank; or a treebank, whose reading then cannot differ.
        system: the system's output.

    Raises:
        InputError: the files cannot be scored under `ud`.
    """
    from levelhead.analysis.rule_differences import explain as explained

    return explained(gold, system)
