"""Captions of tables for papers: the scores, the tests, and the version of levelhead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from levelhead.campaign import Ranking, Results
from levelhead.campaign.ranking_tables import SHARED_LETTERS, any_failed
from levelhead.comparison.systems import Comparison
from levelhead.evaluation.score_tables import NOT_OFFICIAL
from levelhead.measures.registry import lower_is_better
from levelhead.significance import ComparedScore
from levelhead.significance.units import units_counted
from levelhead.tables.table import STARS_NOTE, level_text

Across = Literal["column", "row"]
"""Whether the scores of all systems by one measure are in a column or in a row."""


def ranking_caption(results: Results, rankings: Sequence[Ranking], *, across: Across) -> str:
    """Return the caption of a ranking."""
    codes = dict.fromkeys(code for ranking in rankings for code in ranking.group.codes)
    units = {code: one for code, one in results.units.items() if code in codes}
    standings = [standing for ranking in rankings for standing in ranking.standings]
    unit = units_counted(units) if units else f"{len(codes):,} test sets"
    measures = list(dict.fromkeys(ranking.measure for ranking in rankings))
    largest = max((ranking.group for ranking in rankings), key=lambda group: len(group.codes))
    partial = any(standing.answered is not None for standing in standings)
    sentences = [
        f"{_shown(measures, list(largest.codes), 'Macro-averages', across)}.",
        _best(measures, across),
        _letters(results.signature, across)
        if any(standing.letters for standing in standings) and len(rankings[0].standings) > 1
        else "",
        _intervals(results.signature, unit) if any(standing.interval for standing in standings) else "",
        "Missing and invalid outputs count as 0." if any_failed(results, rankings) else "",
        f"{NOT_OFFICIAL}." if partial else "",
        _version(results.signature),
    ]
    return " ".join(filter(None, sentences))


def comparison_caption(comparison: Comparison, results: Sequence[ComparedScore], *, across: Across) -> str:
    """Return the caption of a comparison."""
    signature = comparison.provenance.signature
    measures = list(dict.fromkeys(result.measure for result in results))
    codes = list(dict.fromkeys(result.treebank for result in comparison.results if not result.average))
    average = results[0].average
    averages = f"{average.capitalize()}-averages" if average else "Scores"
    sentences = [
        f"{_shown(measures, codes, averages, across)}.",
        _best(measures, across),
        _stars(comparison, results) if any(result.p_holm is not None for result in results) else "",
        _intervals(signature, units_counted(comparison.units)) if any(result.interval for result in results) else "",
        f"{NOT_OFFICIAL}." if comparison.coverage else "",
        _version(signature),
    ]
    return " ".join(filter(None, sentences))


def _shown(measures: Sequence[str], codes: Sequence[str], averages: str, across: Across) -> str:
    """The measure or the kind of average, and the test sets."""
    alone = len(codes) == 1
    what = measures[0] if across == "row" else "Scores" if alone else averages
    return f"{what}{_unit_of(measures)} on {codes[0] if alone else f'{len(codes):,} test sets'}"


def _unit_of(measures: Sequence[str]) -> str:
    return "" if any(map(lower_is_better, measures)) else " (%)"


def _best(measures: Sequence[str], across: Across) -> str:
    lower = [measure for measure in measures if lower_is_better(measure)]
    note = f" (lower is better: {','.join(lower)})" if lower else ""
    return f"The best score of each {across} is in bold{note}."


def _letters(signature: Mapping[str, str], across: Across) -> str:
    draws, alpha = f"{int(signature['resamples']):,}", 1 - float(signature["level"])
    return (
        f"In each {across}, {SHARED_LETTERS} (all pairs, stepdown test of the largest studentized difference, {draws}"
        f" draws, family-wise error rate {alpha:.4g})."
    )


def _stars(comparison: Comparison, results: Sequence[ComparedScore]) -> str:
    runs = any(result.test == "runs" for result in results)
    permuted = f"{int(comparison.provenance.signature['resamples']):,} random permutations"
    test = f"Student's t{'' if runs else f' and {permuted}, the larger p'}, corrected across systems by Holm's method"
    return f"Significantly different from {comparison.systems[0]}: {STARS_NOTE} ({test})."


def _intervals(signature: Mapping[str, str], unit: str) -> str:
    return f"In small type: {level_text(signature['level'])} confidence intervals (jackknife over {unit})."


def _version(signature: Mapping[str, str]) -> str:
    seed = f", seed {signature['seed']}" if "seed" in signature else ""
    return f"levelhead {signature['version']}, rules {signature['rules']}{seed}."
