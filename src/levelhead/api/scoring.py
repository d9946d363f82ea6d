"""Scores of one system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from levelhead.api.inputs import (
    Golds,
    Measures,
    PathLike,
    holds_test_sets,
    loaded,
    plan_for,
    running,
    settings_for,
    training_of,
)
from levelhead.api.parameters import MEASURES, TREEBANK, public
from levelhead.arguments import optional
from levelhead.evaluation.files import score_files
from levelhead.evaluation.pair import Evaluation, Input

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
    allow_several_roots: bool = False,
    weights: MappedWeights | None = None,
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    partial: bool = False,
    split: Split | None = None,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Evaluation | Evaluations:
    """Return the scores of a system: an `Evaluation` for a pair of treebanks, or `Evaluations` for several test sets.

    By default, the measures are those that the official scorer of the rules prints. Files that this scorer refuses are
    refused, too; treebanks in memory are not.

    Args:
        train: training treebanks or their paths: the result then has `leakage` (the share of gold that occurs in them,
            and scores on the rest). WLAS(WDE) takes its weights from them.

    Raises:
        InputError: a file is invalid or missing, or the texts differ; all errors are listed.
        MeasureError: a measure or the rules are unknown.
    """
    seen = [loaded(treebank) for treebank in train]
    setup = settings_for(
        measures,
        rules=rules,
        format=format,
        gold_format=gold_format,
        weights=weights,
        registry=registry,
        train=seen,
        partial=partial,
        allow_several_roots=allow_several_roots,
    )
    training = training_of(seen)
    several = holds_test_sets(gold)
    if not several:
        TREEBANK("system", system)  # a single treebank, as gold is
    if not several and store is None:  # no plan and no hashes, which would take longer than scoring
        return score_files(gold, system, setup, training=training)  # type: ignore[arg-type]
    from levelhead.comparison.evaluations import score_folder

    with running(jobs, store, cluster) as how:
        ready = setup if several else setup.for_pair()
        evaluations = score_folder(plan_for(gold, system, split), ready, training=training, **how)
    return evaluations if several else next(iter(evaluations.values()))


@public(gold=TREEBANK, system=TREEBANK)
def explain(gold: Input, system: Input) -> Explanation:
    """Return which differences between the rules ud, udtools, conll18 and conll17 change the scores of two files.

    Args:
        gold: the path of a treebank; or a treebank, so that differences in reading files are not found.
        system: the system's output.

    Raises:
        InputError: the files cannot be scored under `ud`.
    """
    from levelhead.analysis.rule_differences import explain as explained

    return explained(gold, system)
