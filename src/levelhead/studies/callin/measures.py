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
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.weights import weights_of
from levelhead.studies.request import StudyRequest
from levelhead.studies.scores import score_files
from levelhead.studies.treebank_parts import read_treebank
from levelhead.treebank.schemes import SCHEMES
from levelhead.typology import count_treebank, profile
from levelhead.typology.lexical import CALLIN_CHUNKS

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


def describe(training: str, *parts: str) -> dict[str, Any]:
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
    gold: str, first: str, second: str, choices: str, weights: Mapping[str, float]
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


def measured_rows(rows: Rows) -> Rows:
    """Return the treebanks that have an output."""
    return {code: row for code, row in rows.items() if "LAS" in row}


def variances(rows: Rows, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the variance of the best 2, 3, ... treebanks."""
    values = np.array([np.nan if value is None else value for value in column_of(rows, name)])
    return cumulative_variance(tuple(rows), values).variances
