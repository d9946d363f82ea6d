"""The claims of Søgaard and Haulrich, checked against our numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.errors import number_of
from levelhead.studies.request import StudyRequest
from levelhead.studies.sogaard_haulrich.averages import TreebankPerplexities, correlations
from levelhead.studies.sogaard_haulrich.measures import LEVEL, PAIRS, SIZES, Row, closest_pair, mean_correlation
from levelhead.studies.statistics import contrast_interval, estimate_shown, mean_interval, shown
from levelhead.studies.study import Claim
from levelhead.studies.verdicts import joint_verdict, verdict_of_effect


def claims_on_treebanks(listed: Sequence[TreebankPerplexities], request: StudyRequest) -> list[Claim]:
    """Check the claims about treebanks."""
    increases = [treebank.increase for treebank in listed]
    higher = mean_interval(increases, request.resamples, request.seed)
    numbers_text = "; ".join(
        f"{row.accuracy}: {shown(row.size)}, {shown(row.size_over_string)}, {shown(row.size_over_derivation)}"
        for row in correlations(listed)
    )
    size, string, derivation = (_columns(listed, field) for field in ("size", "string", "derivation"))
    return [
        Claim("Derivation perplexity is higher than string perplexity", "section 5", verdict_of_effect(higher, 1),
              f"on {sum(value > 0 for value in increases)} of {len(increases)} treebanks; mean increase in percent:"
              f" {estimate_shown(higher, 1, 100)}"),
        _compared("Size over derivation perplexity predicts accuracy better than size alone", derivation, size,
                  numbers_text, listed, request),
        _compared("Size over derivation perplexity predicts it better than size over string perplexity", derivation,
                  string, numbers_text, listed, request),
    ]  # fmt: skip


def _columns(listed: Sequence[TreebankPerplexities], field: str) -> list[float]:
    """The size of each treebank with accuracies, alone or over a perplexity."""
    return [row.size / (1 if field == "size" else getattr(row, field)) for row in listed if row.accuracies]


def _compared(
    text: str, better: Sequence[float], worse: Sequence[float], numbers_text: str,
    listed: Sequence[TreebankPerplexities], request: StudyRequest,
) -> Claim:  # fmt: skip
    """Check whether one predictor correlates more with both accuracies than another."""
    differences = {
        kind: contrast_interval(
            [better, worse],
            [row.accuracies[kind] for row in listed if row.accuracies],
            lambda r: r[:, 0] - r[:, 1],
            request.resamples,
            request.seed,
        )
        for kind in ("best", "average")
    }
    verdict = joint_verdict(verdict_of_effect(estimate, 1) for estimate in differences.values())
    shown_differences = ", ".join(f"{estimate_shown(value, 3)} ({kind})" for kind, value in differences.items())
    evidence = f"difference of r: {shown_differences}; r of size, over string, over derivation: {numbers_text or '-'}"
    return Claim(text, "section 5.1", verdict, evidence)


def claims_on_parsers(parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: StudyRequest) -> list[Claim]:
    """Check the claims about parsers."""
    texts = {
        "P/UAS": "Parsers with lower derivation perplexity have a higher UAS",
        "P/EM": "Parsers with lower derivation perplexity have more exact matches",
        "UAS/EM": "UAS and exact match correlate no better with each other than either does with perplexity",
    }
    small = "On small test sets, perplexity separates parsers that exact match does not separate"
    if not parsers:
        missing = "no outputs of the four parsers"
        return [
            *(Claim(text, "section 5.2", "no data", missing) for text in texts.values()),
            Claim(small, _SMALL, "no data", missing),
        ]
    means = {name: mean_correlation(parsers, name, request.resamples, request.seed) for name in PAIRS}
    numbers_text = {
        name: f"mean r {name} {estimate_shown(means[name])}, printed {numbers['parsers'][name]['r']:.2f}"
        for name in PAIRS
    }
    closest = closest_pair(parsers, request.resamples, request.seed)
    return [
        *(Claim(texts[name], "section 5.2", verdict_of_effect(means[name], -1), numbers_text[name])
          for name in ("P/UAS", "P/EM")),
        Claim(texts["UAS/EM"], "section 5.2", verdict_of_effect(closest, -1),
              f"{numbers_text['UAS/EM']}; minus the stronger of P/UAS and P/EM with reversed sign:"
              f" {estimate_shown(closest)}"),
        _claim_on_small_sets(small, parsers, request),
    ]  # fmt: skip


_SMALL = "abstract and section 6"
"""The places where the paper discusses small test sets."""


def _claim_on_small_sets(text: str, parsers: Mapping[str, Row], request: StudyRequest) -> Claim:
    """Check whether perplexity separates more pairs of parsers than exact match on the smallest test sets."""
    size = str(SIZES[0])
    shares = [row["separated"][size] for row in parsers.values() if size in row["separated"]]
    if not shares:
        return Claim(text, _SMALL, "no data", f"no test set has {size} or more sentences")
    table = np.array(shares)
    extra = mean_interval((table[:, 2] - table[:, 1]).tolist(), request.resamples, request.seed)
    separated_shares = ", ".join(f"{name} {value:.1%}" for name, value in zip(("UAS", "EM", "P"), table.mean(axis=0)))
    evidence = (
        f"pairs separated in the direction of UAS with {size} sentences, {number_of(len(shares), 'treebank')}:"
        f" {separated_shares}, by tests of exactly {LEVEL:.1%}; P minus EM in points {estimate_shown(extra, 1, 100)}"
    )
    return Claim(text, _SMALL, verdict_of_effect(extra, 1), evidence)
