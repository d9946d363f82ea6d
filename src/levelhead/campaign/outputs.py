"""Outputs in memory, matched with gold, for results that need the trees, not only counts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from levelhead.campaign.plan import Plan, missing_outputs
from levelhead.errors import InputError
from levelhead.evaluation.pair import load, load_pair
from levelhead.evaluation.setup import Setup
from levelhead.progress import tracked
from levelhead.scoring.matches import Matches, match

if TYPE_CHECKING:
    from levelhead.evaluation.partial import PartialOutput


class Output(NamedTuple):
    """One output of a system, matched with gold.

    Args:
        system: the name of the system.
        name: the system, with the name of the run if there are several.
        matches: the aligned words.
        partial: the partial matches of an output with partial scores; None for other scores.
    """

    system: str
    name: str
    matches: Matches
    partial: PartialOutput | None = None


def read_outputs(
    plan: Plan, setup: Setup, *, trees: bool = True
) -> closing[Generator[tuple[str, list[Output]], None, None]]:
    """Return all outputs for `with`, matched with gold, one test set at a time; none is kept."""
    return closing(_read_outputs(plan, setup, trees=trees))


def _read_outputs(plan: Plan, setup: Setup, *, trees: bool) -> Generator[tuple[str, list[Output]], None, None]:
    faults = missing_outputs(plan)
    with tracked(plan.test_sets, "scoring") as test_sets:
        for test_set in test_sets:
            matched = []
            try:
                gold = load(test_set.treebank or test_set.gold or Path(), setup.rules, setup.format_of_gold)
            except InputError as error:
                faults += error.faults
                continue
            for system in plan.systems:
                output = system.treebanks.get(test_set.code) or system.outputs.get(test_set.code)
                if output is None:
                    continue
                try:
                    matches = match(*load_pair(gold, output, setup), setup.rules)
                    if trees:
                        matches.check_trees()
                    matched.append(Output(system.name, system.label, matches))
                except InputError as error:
                    faults += error.faults
            if not faults:
                yield test_set.code, matched
    if faults:
        raise InputError(*dict.fromkeys(faults))
