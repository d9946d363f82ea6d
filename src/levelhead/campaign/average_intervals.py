"""Intervals of averages, computed from a few stored numbers per test set."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from levelhead.campaign.rank_intervals import parts_by_unit
from levelhead.campaign.ranking import macro_average
from levelhead.campaign.results import Results
from levelhead.measures.registry import lower_is_better
from levelhead.significance import Estimate
from levelhead.significance.jackknife import Spread, leave_out, spread_of, spread_of_sum
from levelhead.significance.system_counts import SystemCounts

LEVEL = 0.95
"""The confidence level of stored intervals, the default of `levelhead rank`."""


def spread_on(results: Results, system: str, code: str, measure: str) -> Spread | None:
    """Return the error of a system's score on a test set; None for a perplexity or without a value."""
    if lower_is_better(measure) or results.results[system, code].values[measure] is None:
        return None
    place = results.systems.index(system)
    parts = parts_by_unit(results, code, measure)[:, [place], None]
    counts = SystemCounts((system,), (measure,), parts, results.seed_of(code))
    return spread_of([leave_out(counts)], np.ones(1), 0)


def average_interval(values: Sequence[Fraction], spreads: Sequence[Spread]) -> tuple[float, float] | None:
    """Return the confidence interval of an average over test sets, equal to that of `with_intervals`."""
    share = 1 / len(values)
    total = spread_of_sum([spread.scaled(share) for spread in spreads])
    return Estimate(float(macro_average(values)), total.variance, total.freedom, total.n_units).score_interval(LEVEL)
