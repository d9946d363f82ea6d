"""Callin's claim that WLAS varies less than LAS over treebanks, checked on four scales."""

from __future__ import annotations

import numpy as np

from levelhead.significance import resampled_rows
from levelhead.studies.callin.measures import Rows, measured_rows
from levelhead.studies.measures_2018.estimates import LOG_ODDS, OF_ERROR, OF_SCORE, SCALES
from levelhead.studies.request import StudyRequest
from levelhead.studies.statistics import FEWEST, Numbers, estimate_shown, percentile_estimate
from levelhead.studies.study import Claim
from levelhead.studies.verdicts import ValueWithInterval, Verdict, agreed_verdict, joint_verdict, verdict_of_effect

MARGIN = 0.1
"""Two variances count as equal if they differ by less than this share of the variance of LAS."""


def claim_on_variances(rows: Rows, request: StudyRequest) -> Claim:
    """Check the variances over the better half of the treebanks, and over all of them."""
    text = "WLAS varies less than LAS over the best languages, and equally over all languages"
    place = "section 6, Figure 5"
    measured = measured_rows(rows)
    n = len(measured)
    if n < FEWEST:
        return Claim(text, place, "no data", f"{n} treebanks have outputs; at least {FEWEST} are needed")
    scores = np.array([[row["LAS"], row["WLAS"]] for row in measured.values()])
    best = {scale: relative_change(scores, n // 2, scale, request) for scale in SCALES}
    over_all = {scale: relative_change(scores, n, scale, request) for scale in SCALES}
    verdict = joint_verdict(
        [
            agreed_verdict(verdict_of_effect(change, -1) for change in best.values()),
            agreed_verdict(verdict_of_equality(change) for change in over_all.values()),
        ]
    )
    changes_text = "; ".join(
        f"{which}: " + ", ".join(f"{estimate_shown(change)} {scale}" for scale, change in changes.items())
        for which, changes in ((f"best {n // 2} of {n}", best), (f"all {n}", over_all))
    )
    evidence = (
        f"the variance of WLAS over that of LAS, minus 1; {changes_text}; equal means a 95% CI inside -0.10 to +0.10"
    )
    return Claim(text, place, verdict, evidence)


def relative_change(scores: Numbers, best: int, scale: str, request: StudyRequest) -> ValueWithInterval | None:
    """Return the variance of WLAS over that of LAS, minus 1, with its interval from resampled treebanks."""
    (value,) = _changes(scores[None], best, scale)
    return percentile_estimate(
        float(value), _changes(scores[resampled_rows(len(scores), request.resamples, request.seed)], best, scale)
    )


def _changes(scores: Numbers, best: int, scale: str) -> Numbers:
    """The change in each resample; nan if LAS does not vary."""
    chosen = np.sort(scores, axis=1)[:, -best:]
    mean = chosen.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(chosen / (1 - chosen)) if scale == LOG_ODDS else chosen
        variance = values.var(axis=1, ddof=1) / {OF_SCORE: mean**2, OF_ERROR: (1 - mean) ** 2}.get(scale, 1.0)
        changes: Numbers = np.where(variance[:, 0] > 0, variance[:, 1] / variance[:, 0] - 1, np.nan)
    return changes


def verdict_of_equality(change: ValueWithInterval | None) -> Verdict:
    """Return the verdict on equality: it holds if the interval is inside the margin, and not if it is outside."""
    if change is None:
        return "no data"
    if change.low > -MARGIN and change.high < MARGIN:
        return "holds"
    return "does not hold" if change.low >= MARGIN or change.high <= -MARGIN else "inconclusive"
