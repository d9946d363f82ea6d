"""What one may expect of measures, and what the intervals of their differences from LAS say."""

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
    """Judge the expectations.

    Args:
        results: the results of all test sets.
        request: names the number of resamples and the seed.
    """
    n = len(results.codes)
    draws = resampled_rows(n, request.resamples, request.seed)
    whole = {POINTS: estimated(mean_of(results.significant, results.pairs), n, draws)}
    small = {POINTS: estimated(mean_of(results.small, results.pairs), n, draws)}
    spread = spreads_by_scale(results, well_parsed(results), request.resamples, request.seed)
    order = {POINTS: estimated(mean_of(results.concordance), n, draws)}
    again = f"The same on samples of {SMALL} sentences"
    return (
        _expected(
            "CLAS and WLAS, which rest on fewer words, separate fewer pairs of systems than LAS", whole, CONTENT, -1
        ),
        _expected(again, small, CONTENT, -1),
        _expected("MLAS and BLEX, which require more, separate more pairs than LAS", whole, RICH, 1),
        _expected(again, small, RICH, 1),
        _expected(
            "CLAS and WLAS score languages more evenly than LAS, where parsers were trained", spread, CONTENT, -1
        ),
        _expected("MLAS and BLEX score them less evenly than LAS", spread, RICH, 1),
        _expected("The order of systems is less stable by CLAS and WLAS than by LAS", order, CONTENT, -1),
        _expected("The order of systems is less stable by MLAS and BLEX than by LAS", order, RICH, -1),
    )


def _expected(text: str, scales: Mapping[str, Comparison], names: Sequence[str], sign: Sign) -> Claim:
    """Judge an expectation: every measure must differ from LAS in its direction, on every scale."""
    verdict = joint_verdict(
        agreed_verdict(verdict_of_effect(found[name].change, sign) for found in scales.values()) for name in names
    )
    evidence = (
        f"{name} minus LAS " + ", ".join(change_shown(found[name].change, scale) for scale, found in scales.items())
        for name in names
    )
    return Claim(text, "an expectation", verdict, "; ".join(evidence))


def change_shown(change: ValueWithInterval | None, scale: str) -> str:
    """Return a difference from LAS as text, with its scale.

    Args:
        change: the difference.
        scale: the scale: log odds and shares have three digits after the point, points two.
    """
    points = scale == POINTS
    return f"{estimate_shown(change, 2 if points else 3, 100 if points else 1)} {scale}"
