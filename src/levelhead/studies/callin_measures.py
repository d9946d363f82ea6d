"""The numbers of Callin's study: of treebanks, of parser outputs, and of agreement with human judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from levelhead.analysis import cascading_errors
from levelhead.campaign import check_valid
from levelhead.campaign.outputs import Output
from levelhead.comparison.judgement import judge
from levelhead.correlation import cumulative_variance
from levelhead.errors import number_of
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.weights import weights_of
from levelhead.significance import resampled_rows
from levelhead.studies.measures_2018_estimates import LOG_ODDS, OF_ERROR, OF_SCORE, SCALES
from levelhead.studies.request import StudyRequest, read_treebank, score_files
from levelhead.studies.study import Claim
from levelhead.studies.verdicts import (
    FEWEST,
    Numbers,
    ValueWithInterval,
    Verdict,
    agreed_verdict,
    estimate_shown,
    joint_verdict,
    percentile_estimate,
    verdict_of_effect,
)
from levelhead.treebank.relations import SCHEMES
from levelhead.typology import count_treebank, profile
from levelhead.typology.vocabulary import CALLIN_CHUNKS

NAME = "callin"
SCHEME = "callin-code"
MEASURES = {
    "WLAS": "CallinWLAS(wde,default=0.5)",
    "LAS": "LAS(nopunct=callin)",
    "C prec": f"LAS@{SCHEME}:CONTENT.precision",
    "C rec": f"LAS@{SCHEME}:CONTENT.recall",
    "F prec": f"LAS@{SCHEME}:FUNCTION.precision",
    "F rec": f"LAS@{SCHEME}:FUNCTION.recall",
}
"""The columns of the paper's tables, and their measures."""

CASCADING = {
    "C lab.": ("CONTENT", True), "C unlab.": ("CONTENT", False),
    "F lab.": ("FUNCTION", True), "F unlab.": ("FUNCTION", False),
}  # fmt: skip
"""The columns of Table 5: the class, and whether an arc also needs the right relation to be correct."""

Row = Mapping[str, Any]
Rows = Mapping[str, Row]


def describe(training: Path, *parts: Path) -> dict[str, Any]:
    """Return the profile of a treebank: Table 1, class frequencies, type/token ratio and word dependency entropies."""
    counts = [count_treebank(read_treebank(path)) for path in parts]
    total = sum(counts[1:], counts[0])
    whole = profile(total, columns=["tokens", "nonprojective_trees", "right_crossed_trees"])
    classes = profile(counts[-1], columns=["class"], scheme=SCHEME).numbers("class")
    lexical = count_treebank(read_treebank(training), CALLIN_CHUNKS)
    vocabulary = profile(lexical, columns=["wde", "sttr"])
    return {
        **whole.values_by_name, **vocabulary.values_by_name,
        "C freq": classes["CONTENT"], "F freq": classes["FUNCTION"],
    }  # fmt: skip


def measured_outputs(
    golds: Mapping[str, Path], outputs: Mapping[str, Path], weights: Mapping[str, float], request: StudyRequest
) -> dict[str, Row]:
    """Return the measures of each output and the ratios of Table 5, by the code of the treebank."""
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of(weights)})
    results = check_valid(score_files(golds, {NAME: outputs}, setup, request, look=cascading))
    scores_of = {code: results.results[NAME, code].scores for code in golds}
    return {
        code: {column: scores[text].value for column, text in zip(MEASURES, setup.names)} | results.looked[code]
        for code, scores in scores_of.items()
    }


def cascading(code: str, outputs: Sequence[Output]) -> dict[str, float | None]:
    """Return the ratios of Table 5 for one output, on a worker."""
    del code
    (output,) = outputs
    ratios = {(error.name, error.labeled): error.ratio for error in cascading_errors(output.matches, SCHEMES[SCHEME])}
    return {name: ratios[key] for name, key in CASCADING.items()}


def human_agreement(
    gold: Path, first: Path, second: Path, choices: Path, weights: Mapping[str, float]
) -> dict[str, float | None]:
    """Return the correlations of Table 4 for one language."""
    correlations: dict[str, float | None] = {}
    for apart, chosen in ((True, ("C prec", "C rec")), (False, ("LAS", "WLAS"))):
        result = judge(
            gold, first, second, choices,
            measures=[MEASURES[name] for name in chosen], format="conllx", subtypes_apart=apart, resamples=50,
            weights={"wde": weights_of(weights)},
        )  # fmt: skip
        values = (measure.agreement.correlation.value for measure in result.measures.values())
        correlations |= dict(zip(chosen, values))
    return correlations


def column_of(rows: Rows, name: str) -> list[float | None]:
    """Return a column of the rows; None for a missing number."""
    return [row.get(name) for row in rows.values()]


def variances(rows: Rows, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the variance of the best 2, 3, ... treebanks."""
    values = np.array([np.nan if value is None else value for value in column_of(rows, name)])
    return cumulative_variance(tuple(rows), values).variances


MARGIN = 0.1
"""Two variances count as equal if they differ by less than this share of the variance of LAS."""


def claim_on_variances(rows: Rows, request: StudyRequest) -> Claim:
    """Check the variances over the better half of the treebanks, and over all of them."""
    text = "WLAS varies less than LAS over the best languages, and equally over all languages"
    place = "section 6, Figure 5"
    n = len(rows)
    if n < FEWEST:
        return Claim(text, place, "no data", f"{number_of(n, 'treebank')} with outputs; at least {FEWEST} are needed")
    scores = np.array([[row["LAS"], row["WLAS"]] for row in rows.values()])
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
    return percentile_estimate(float(value), _changes(scores[resampled_rows(len(scores), *request.draws)], best, scale))


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
