"""Expectations about measures, checked with the intervals of their differences from LAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from levelhead.significance import resampled_rows
from levelhead.studies.measures_2018.estimates import (
    POINTS,
    Comparison,
    ResultsByTestSet,
    estimated,
    mean_of,
    spreads_by_scale,
    well_parsed,
)
from levelhead.studies.measures_2018.separation import SMALL
from levelhead.studies.request import StudyRequest
from levelhead.studies.statistics import estimate_shown
from levelhead.studies.study import Claim
from levelhead.studies.verdicts import Sign, ValueWithInterval, agreed_verdict, joint_verdict, verdict_of_effect

CONTENT, RICH = ("CLAS", "WLAS"), ("MLAS", "BLEX")


def claims_on_measures(results: ResultsByTestSet, request: StudyRequest) -> tuple[Claim, ...]:
    """Return the verdicts on the expectations."""
    n = len(results.codes)
    draws = resampled_rows(n, request.resamples, request.seed)
    whole = {POINTS: estimated(mean_of(results.significant, results.pairs), n, draws)}
    small = {POINTS: estimated(mean_of(results.small, results.pairs), n, draws)}
    spread = spreads_by_scale(results, well_parsed(results), request.resamples, request.seed)
    order = {POINTS: estimated(mean_of(results.concordance), n, draws)}
    return (
        _expected("CLAS and WLAS, which use fewer words, separate fewer pairs of systems than LAS", whole, CONTENT, -1),
        _expected(f"CLAS and WLAS separate fewer pairs on samples of {SMALL} sentences", small, CONTENT, -1),
        _expected("MLAS and BLEX, which require more, separate more pairs than LAS", whole, RICH, 1),
        _expected(f"MLAS and BLEX separate more pairs on samples of {SMALL} sentences", small, RICH, 1),
        _expected("CLAS and WLAS score languages with training data more evenly than LAS", spread, CONTENT, -1),
        _expected("MLAS and BLEX score languages with training data less evenly than LAS", spread, RICH, 1),
        _expected("The order of systems is less stable by CLAS and WLAS than by LAS", order, CONTENT, -1),
        _expected("The order of systems is less stable by MLAS and BLEX than by LAS", order, RICH, -1),
    )


def _expected(text: str, scales: Mapping[str, Comparison], names: Sequence[str], sign: Sign) -> Claim:
    """Check an expectation: every measure must differ from LAS in the given direction, on every scale."""
    verdict = joint_verdict(
        agreed_verdict(verdict_of_effect(measures[name].change, sign) for measures in scales.values()) for name in names
    )
    evidence = (
        f"{name} minus LAS " + ", ".join(change_shown(own[name].change, scale) for scale, own in scales.items())
        for name in names
    )
    return Claim(text, "an expectation", verdict, "; ".join(evidence))


def change_shown(change: ValueWithInterval | None, scale: str) -> str:
    """Return a difference from LAS as text, with its scale."""
    points = scale == POINTS
    return f"{estimate_shown(change, 2 if points else 3, 100 if points else 1)} {scale}"
