"""The scores of one system on several treebanks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from levelhead.campaign.look_jobs import LookAtEach
from levelhead.campaign.outputs import Output
from levelhead.campaign.plan import Plan
from levelhead.campaign.results import OutputResult, Results
from levelhead.comparison.systems import score_outputs
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.leakage import Leakage, with_leakage
from levelhead.evaluation.pair import Evaluation, score_matches
from levelhead.evaluation.partial import partial_evaluation
from levelhead.evaluation.provenance import Provenance, joint_provenance, pair_provenance
from levelhead.evaluation.score_tables import mean_or_none, scores_document, scores_table
from levelhead.evaluation.setup import Setup
from levelhead.scoring import Score
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank.contents import Contents
from levelhead.treebank.training_data import Training

__all__ = ["Evaluations"]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluations(Mapping[str, Evaluation], Tabular):
    """The scores of one system on several test sets, by the code of the test set.

    Args:
        evaluations: the scores on each test set.
    """

    evaluations: Mapping[str, Evaluation]

    def __getitem__(self, code: str) -> Evaluation:
        return self.evaluations[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def average(self) -> Mapping[str, Fraction | None]:
        """The macro-average of each measure, see `average_scores`."""
        return average_scores(self.evaluations)

    @property
    def valid_trees_average(self) -> Mapping[str, Fraction | None]:
        """The macro-averages in which invalid trees count as wrong; empty unless scores are partial."""
        strict = {code: evaluation.valid_trees for code, evaluation in self.items()}
        return average_scores(strict) if all(strict.values()) else {}

    @property
    def provenance(self) -> Provenance:
        """The joint provenance of all test sets."""
        return joint_provenance({code: evaluation.provenance for code, evaluation in self.items()})

    def table(self) -> Table:
        """Return the result as a table."""
        return scores_table(self, self.average, self.valid_trees_average)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return scores_document(self, self.average, self.valid_trees_average)


def score_folder(plan: Plan, setup: Setup, **how: Any) -> Evaluations:
    """Return the scores on each test set, by its code; see `score_and_look` for arguments and errors."""
    return score_and_look(plan, setup, **how)[0]


def score_and_look(
    plan: Plan, setup: Setup, *, training: Training | None = None, look: LookAtEach | None = None, **how: Any
) -> tuple[Evaluations, Mapping[str, Any]]:
    """Score the outputs of one system, with a progress bar on terminals."""
    plan = single_run(plan)
    if training is None:
        results = score_outputs(plan, setup, look=look, **how)
        looked = {code: result for code, each in results.looked.items() for result in each.values()}
        return evaluations_of(results, setup), looked
    both = partial(_look_for_leakage, setup=setup, training=training, look=look)
    results = score_outputs(plan, setup, look=both, **how)
    evaluations = {
        code: with_leakage(evaluation, results.looked[code].leakage)
        for code, evaluation in evaluations_of(results, setup).items()
    }
    return Evaluations(evaluations), {code: looked.other for code, looked in results.looked.items()}


class _Looked(NamedTuple):
    """The results for the output on one test set: leakage, and the result of `look`."""

    leakage: Leakage | None
    other: Any


def _look_for_leakage(
    code: str, outputs: Sequence[Output], *, setup: Setup, training: Training, look: LookAtEach | None
) -> _Looked:
    (output,) = outputs
    if output.partial is None:
        evaluation = score_matches(output.matches, setup.read(code), training=training)
    else:
        evaluation, _ = partial_evaluation(output.partial, setup.read(code), training)
    if look is None:
        return _Looked(evaluation.leakage, None)
    looking = look.start(code, output.name)
    looking.add(output.matches)
    return _Looked(evaluation.leakage, looking.result(evaluation.gold, evaluation.system))


def single_run(plan: Plan) -> Plan:
    """Return a plan, checking that it has a single run of a single system."""
    if len(plan.systems) != 1:
        runs = ", ".join(system.label for system in plan.systems[:5])
        message = f"it has {len(plan.systems)} runs ({runs}): name one, or use levelhead compare, which averages runs"
        raise InputError(Fault("ambiguous-layout", message, Place(str(plan.systems[0].folder or ""))))
    return plan


def evaluations_of(results: Results, setup: Setup) -> Evaluations:
    """Return the scores of a single system on each test set, by its code."""
    (system,) = results.systems
    outcomes = {test_set.code: results.results[system, test_set.code] for test_set in results.test_sets}
    return Evaluations({code: _evaluation(results.gold[code], result, setup) for code, result in outcomes.items()})


def _evaluation(gold: Contents, result: OutputResult, setup: Setup) -> Evaluation:
    if result.contents is None:
        raise ValueError("only valid outputs have an evaluation")
    provenance = pair_provenance(gold, result.contents, setup, result.notes, result.measures)
    scores, valid_trees = (
        {name: replace(score, signature=provenance.signature) for name, score in one.items()}
        for one in (result.scores, result.valid_trees)
    )
    return Evaluation(scores, gold, result.contents, provenance, valid_trees, result.partial_coverage)


def average_scores(evaluations: Mapping[str, Mapping[str, Score]]) -> dict[str, Fraction | None]:
    """Return the exact average of each measure over treebanks; None if any treebank has no value."""
    return {
        name: mean_or_none([evaluation[name].exact for evaluation in evaluations.values()])
        for name in next(iter(evaluations.values()))
    }
