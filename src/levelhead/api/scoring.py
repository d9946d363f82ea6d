"""Scores of one system."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial as partial_function
from typing import TYPE_CHECKING, Literal, NamedTuple

from levelhead.api.inputs import (
    Golds,
    Input,
    MappedWeights,
    Measures,
    PathLike,
    Punctuation,
    loaded,
    plan_for,
    running,
    settings_for,
    training_of,
)
from levelhead.api.parameters import SYSTEMS, public
from levelhead.arguments import is_collection, is_list, refuse
from levelhead.evaluation.files import score_files
from levelhead.evaluation.fold import NOT_IN_GOLD
from levelhead.evaluation.pair import Evaluation
from levelhead.scoring.rules import rules_named

if TYPE_CHECKING:
    from levelhead.analysis.rule_differences import Explanation
    from levelhead.campaign.outputs import VisitEach
    from levelhead.evaluation.setup import Setup
    from levelhead.jobs import Store, Workers
    from levelhead.measures.registry import Registry
    from levelhead.report.page.treebank_errors import TreebankErrors
    from levelhead.scoring.rules import Rules
    from levelhead.treebank.layouts.gold import Split
    from levelhead.treebank.reader import Format


class ErrorsForPage(NamedTuple):
    """What the page of a score shows of one test set, found where the output is read."""

    system: str
    code: str
    page: TreebankErrors
    registry: Registry


@public(system=SYSTEMS, prepare=("list", ("one of", ("page",))))
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
    punct: Punctuation = "keep",
    registry: Registry | None = None,
    train: Iterable[Input] = (),
    partial: bool = False,
    intervals: bool = False,
    prepare: Iterable[Literal["page"]] = (),
    split: Split | None = None,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Evaluation:
    """Return a system's scores, macro-averaged over test sets; the field `treebanks` has the scores on each test set.

    Files must be valid under the given rules; treebanks in memory need not be. If gold has empty nodes, the rules "ud"
    add five measures of empty nodes to the default measures.

    Args:
        measures: by default all measures that the official scorer prints.
        train: training treebanks, required for WLAS(WDE). They also show how many gold sentences occur in training
            (`leakage`), and the scores on all others (`new_scores`).
        intervals: also compute 95% confidence intervals, by document if there are at least ten, otherwise by sentence;
            `compare` offers other levels and units.
        prepare: "page" to also collect the errors that `write_report` shows, in the field `looked`.

    Raises:
        InputError: a file is invalid or missing, or an output's text differs from gold; all errors are listed.
        MeasureError: a measure or the rules are unknown.
    """
    seen = [loaded(treebank) for treebank in train]
    named = rules_named(rules)
    of_empty_nodes = named.of_empty_nodes if measures is None else ()
    setup = settings_for(
        (*named.measures, *of_empty_nodes) if measures is None else measures,
        rules=rules, format=format, gold_format=gold_format, weights=weights, registry=registry, train=seen,
        partial=partial, allow_several_roots=allow_several_roots, punct=punct,
    )  # fmt: skip
    training = training_of(seen)
    if not is_collection(gold) and not isinstance(system, Mapping):
        if is_list(system):
            refuse("system", system, "one system")
        setup.check_functions(elsewhere=jobs != 1 or cluster is not None, stored=store is not None)
        if store is None and not (intervals or prepare):  # no plan, which would take longer than scoring
            evaluation = score_files(gold, system, setup, training=training)  # type: ignore[arg-type]
            return _annotated(evaluation, of_empty_nodes)
        setup = setup.for_pair()
    from levelhead.campaign.find import about_files
    from levelhead.comparison.evaluations import averaged, score_and_look, single_run

    plan = single_run(plan_for(gold, system, split, argument="system"))
    about = about_files(gold, plan)
    name, look = _page_errors(gold, system, setup, len(plan.test_sets)) if prepare else ("", None)
    with running(jobs, store, cluster) as how:
        evaluations, parts, found = score_and_look(
            plan, setup, training=training, look=look, intervals=intervals, **how
        )
    noted = {
        code: replace(
            evaluation,
            provenance=replace(evaluation.provenance, about_files=about),
            looked=ErrorsForPage(name, code, parts[code], setup.registry) if prepare else None,
        )
        for code, evaluation in evaluations.items()
    }
    evaluation = averaged(noted) if is_collection(gold) else next(iter(noted.values()))
    return _annotated(evaluation if found is None else found.added_to(evaluation), of_empty_nodes)


def _annotated(evaluation: Evaluation, optional: Iterable[str]) -> Evaluation:
    """Return an evaluation without those of the optional measures that no gold annotates."""
    every = evaluation.treebanks.values()
    absent = {
        name for name in optional if all((one.scores[name].reason or "").startswith(NOT_IN_GOLD) for one in every)
    }

    def reduced(one: Evaluation) -> Evaluation:
        scores, valid_trees = (
            {name: score for name, score in some.items() if name not in absent}
            for some in (one.scores, one.valid_trees)
        )
        return replace(one, scores=scores, valid_trees=valid_trees)

    if not absent:
        return evaluation
    return replace(reduced(evaluation), parts={code: reduced(part) for code, part in evaluation.parts.items()})


def _page_errors(gold: Golds, system: Golds, setup: Setup, n_treebanks: int) -> tuple[str, VisitEach]:
    """Return the name of the system, from its path, and what finds the errors for the page where outputs are read."""
    from levelhead.campaign.outputs import VisitEach
    from levelhead.campaign.plan import name_of
    from levelhead.report.page.treebank_errors import ErrorTally

    in_memory = not isinstance(gold, str | os.PathLike) or not isinstance(system, str | os.PathLike)
    name = "system" if in_memory else name_of(gold, system)  # type: ignore[arg-type]
    return name, VisitEach(partial_function(ErrorTally, name=name, n_treebanks=n_treebanks, setup=setup))


@public()
def explain(gold: Input, system: Input) -> Explanation:
    """Return which differences between the rules ud, udtools, conll18 and conll17 change a system's scores.

    Args:
        gold: the gold treebank or its path. Pass paths to also find differences in how the rules read files.
        system: the system's output.

    Raises:
        InputError: the files cannot be scored under `ud`.
    """
    from levelhead.analysis.rule_differences import explain as explained

    return explained(gold, system)
