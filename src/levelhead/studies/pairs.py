"""Tests of all pairs of systems on one test set, by the rule of `levelhead compare`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from levelhead.significance import SystemCounts, corrected
from levelhead.significance.estimates import Estimate
from levelhead.significance.jackknife import Contrast
from levelhead.significance.resampling import Sums
from levelhead.significance.scopes import Scope, count_units


def estimates(table: SystemCounts, contrasts: Sequence[Contrast]) -> list[list[Estimate]]:
    """Return the value, or the difference, of each contrast, in a list for each measure; counts are by unit."""
    scope = Scope("", {"": count_units(table, None)})
    return [scope.estimates(contrasts, m) for m in range(len(table.measures))]


def pairs_of(table: SystemCounts) -> list[Contrast]:
    """Return all pairs of runs, the second minus the first."""
    return [[[j], [i]] for i, j in combinations(range(len(table.systems)), 2)]


def pair_p_values(table: SystemCounts, n_tests: int | None = None) -> Sums:
    """Return two-sided p-values of all pairs of runs, corrected for the number of tests, shape (pairs, measures)."""
    by_measure = [
        [corrected(estimate.p(), n_tests or len(differences)) for estimate in differences]
        for differences in estimates(table, pairs_of(table))
    ]
    return np.array([[1.0 if p is None else p for p in row] for row in by_measure]).T
