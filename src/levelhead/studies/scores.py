"""Scores of the files of a study, from the engine (`campaign.score_plan`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from levelhead.campaign import OutputResult, Plan, Results, System, TestSet, language_of, score_plan
from levelhead.evaluation.setup import Setup
from levelhead.studies.request import StudyRequest
from levelhead.studies.treebank_parts import format_of
from levelhead.treebank.contents import Contents
from levelhead.treebank.reader import Format

Outputs = Mapping[str, Mapping[str, Path]]
"""The output files of each system, by the code of the test set."""


def score_files(
    golds: Mapping[str, Path], systems: Outputs, setup: Setup, request: StudyRequest, **how: Any
) -> Results:
    """Return the results of every output; the formats of files follow from their names.

    A missing output has no result. An invalid output has a result with the reasons.
    """
    results: dict[tuple[str, str], OutputResult] = {}
    contents: dict[str, Contents] = {}
    looked: dict[str, Any] = {}
    for plan, setup_of_plan in _plans(golds, systems, setup):
        scored = score_plan(plan, setup_of_plan, workers=request.workers, store=request.store, **how)
        results |= {
            (system.name, code): scored.results[system.name, code] for system in plan.systems for code in system.outputs
        }
        contents |= scored.gold
        looked |= scored.looked
    test_sets = tuple(_test_set(code, path) for code, path in golds.items())
    signature = setup.signature_of_rules() | setup.signature_of_measures()
    return Results(test_sets, tuple(systems), setup.names, results, contents, signature, looked)


def _plans(golds: Mapping[str, Path], systems: Outputs, setup: Setup) -> Iterator[tuple[Plan, Setup]]:
    """One plan per pair of formats, since all files of a plan share the same formats."""
    chosen: dict[tuple[Format, Format], dict[str, dict[str, Path]]] = {}
    for name, files in systems.items():
        for code, path in files.items():
            formats = format_of(golds[code]), format_of(path)
            chosen.setdefault(formats, {}).setdefault(name, {})[code] = path
    for (gold_format, output_format), outputs in chosen.items():
        codes = [code for code in golds if any(code in files for files in outputs.values())]
        test_sets = tuple(_test_set(code, golds[code]) for code in codes)
        plan = Plan(test_sets, tuple(System(name, files) for name, files in outputs.items()))
        yield plan, replace(setup, format=output_format, gold_format=gold_format)


def _test_set(code: str, gold: Path) -> TestSet:
    return TestSet(code, gold, language=language_of(code))
