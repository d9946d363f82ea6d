"""The sentences behind an error: where a system takes one relation for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from levelhead.analysis.confusion import Example, cells_named, examples_of
from levelhead.campaign.outputs import read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.evaluations import one_run
from levelhead.errors import Fault, InputError, MeasureError
from levelhead.evaluation.provenance import Provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.matches import Matches
from levelhead.tabular import Tabular
from levelhead.treebank.contents import contents_of


@dataclass(frozen=True, eq=False, repr=False)
class ErrorExamples(Tabular):
    """Words with the wrong relation, with their sentences.

    Args:
        matches: the aligned words.
        cells: the words by error, such as `nsubj:obj`: gold's relation and the system's.
        provenance: where they come from.
    """

    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    provenance: Provenance


def find_examples(plan: Plan, errors: Sequence[str], setup: Setup, most: int | None = None) -> ErrorExamples:
    """Return words whose relation a system takes for another.

    Args:
        plan: one test set, and one run of one system.
        errors: gold's relation and the system's, such as `nsubj:obj`.
        setup: the settings; measures are not used.
        most: how many words of each error; all if None.

    Raises:
        InputError: there are several test sets, or a file is invalid or missing.
        MeasureError: an error is not written as GOLD:SYSTEM, or has two readings.
    """
    if len(plan.test_sets) != 1:
        raise InputError(Fault("no-pairs", "examples of errors are shown for one pair of treebanks"))
    chosen = setup.with_measures(())
    ((_, (output,)),) = read_outputs(one_run(plan), chosen)
    matches = output.matches
    cells = {error: tuple(examples_of(matches, *_relations(matches, error)))[:most] for error in errors}
    provenance = pair_provenance(contents_of(matches.gold), contents_of(matches.system), chosen)
    return ErrorExamples(matches, cells, provenance)


def _relations(matches: Matches, error: str) -> tuple[str, str]:
    if ":" not in error or not all(error.split(":")):
        raise MeasureError(f"{error!r} is not GOLD:SYSTEM, as in nsubj:obj", "unknown-measure")
    meant = cells_named(matches, error)
    if len(meant) > 1:
        readings = " or ".join(f"{gold} taken for {system}" for gold, system in meant)
        raise MeasureError(f"{error!r} is ambiguous: {readings}", "unknown-measure")
    return meant[0]
