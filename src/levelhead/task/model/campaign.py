"""The measures, rules, test sets and gold treebanks of a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from levelhead.campaign.find import find_test_sets
from levelhead.campaign.plan import TestSet
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import STANDARD, Registry, parse_measure, qualified
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring.rules import RULES
from levelhead.task.model.description import SharedTask


def rules_of(task: SharedTask) -> str:
    """Return the name of the scoring rules of a task."""
    return task.manifest.rules or "ud"


def registry_of(task: SharedTask) -> Registry:
    """Return the measures and schemes of a task: the shipped ones and those of its definitions."""
    registry = STANDARD
    for path in task.manifest.definitions:
        registry = read_definitions(path, registry)
    return registry if task.manifest.scheme is None else registry.with_default(task.manifest.scheme)


def measures_of(task: SharedTask) -> tuple[str, ...]:
    """Return the measures of a task; the first one ranks."""
    names = task.manifest.measures or RULES[rules_of(task)].main
    if task.manifest.scheme is None:
        return names
    registry = registry_of(task)
    return tuple(str(qualified(parse_measure(name, registry), registry)) for name in names)


def setup_of_task(task: SharedTask, more: Sequence[str] = ()) -> Setup:
    """Return the settings for scoring outputs in a task."""
    measures = dict.fromkeys((*measures_of(task), *more))
    return setup_of(measures, rules=rules_of(task), registry=registry_of(task), folder=str(task.folder.path))


def test_sets_of(task: SharedTask) -> tuple[TestSet, ...]:
    """Return the test sets of a task."""
    return tuple(task.manifest.test_sets or find_test_sets(task.manifest.gold or task.folder.gold))


def gold_of_task(task: SharedTask) -> dict[str, Path]:
    """Return the gold treebanks of a task, by code."""
    return {test_set.code: test_set.gold for test_set in test_sets_of(task) if test_set.gold is not None}


def check_measures(task: SharedTask) -> None:
    """Check that the measures of a task can be computed."""
    setup = setup_of_task(task)
    for test_set in test_sets_of(task):
        setup.read(test_set.code)
