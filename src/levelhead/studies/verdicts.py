"""The verdicts on claims, and the tests from which they follow; None stands for missing values."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import language_of
from levelhead.correlation.coefficients import Method, fisher_z
from levelhead.significance.corrections import corrected, level_of_each
from levelhead.significance.estimates import Estimate, Sums, quantile, two_sided_p
from levelhead.significance.jackknife import Contrast, SystemCounts
from levelhead.significance.scopes import Scope, count_units

Verdict = Literal[
    "holds", "does not hold", "inconclusive", "differs by parser", "confirmed", "contradicted", "different data",
    "no data",
]  # fmt: skip
"""What our numbers say about a claim.

`holds`, `does not hold`, `inconclusive`: a test in the claimed direction. `differs by parser`: tests with several
parsers have different verdicts, which the evidence names. `confirmed`, `contradicted`: nothing is tested, since the
claim is about printed numbers, or can be counted on the paper's data. `different data`: our number and the printed one
are from different data. `no data`: the data for the test are missing.
"""

Sign = Literal[1, -1]  # the direction of a claimed effect: 1 for more, -1 for less

LEVEL = 0.05  # the significance level of all tests; the confidence level of intervals is 1 - LEVEL

FEWEST = 4  # the smallest number of languages or other units for a test

MARGIN = 0.1  # smaller numbers count as equal to 0: relative differences of variances, and correlations


class Effect(NamedTuple):
    """An effect with its 95% confidence interval, and the two-sided p-value of no effect."""

    value: float
    low: float
    high: float
    p: float

    def mapped(self, function: Callable[[float], float]) -> Effect:
        """Return the effect on another scale, given an increasing function that keeps 0."""
        return Effect(function(self.value), function(self.low), function(self.high), self.p)


def verdict_of_fact(agrees: bool | None) -> Verdict:
    """Return the verdict on a claim that can only be checked or counted, without a test; no data for None."""
    if agrees is None:
        return "no data"
    return "confirmed" if agrees else "contradicted"


def verdict_of_effects(*effects: tuple[Effect | None, Sign]) -> Verdict:
    """Return the verdict on claimed effects, all of which must have their sign.

    The claim holds if every effect is significant in its direction. It does not hold if an effect is significant in the
    other direction, corrected for the number of effects (Sidak).
    """
    known = [(effect, sign * effect.value > 0) for effect, sign in effects if effect is not None]
    if any(not claimed and effect.p < 1 - level_of_each(1 - LEVEL, len(known)) for effect, claimed in known):
        return "does not hold"
    if not known or len(known) < len(effects):
        return "no data"
    return "holds" if all(claimed and effect.p < LEVEL for effect, claimed in known) else "inconclusive"


def verdict_of_equality(effect: Effect | None) -> Verdict:
    """Return the verdict on a claim of no effect: decided if the interval is inside or outside the margin."""
    if effect is None:
        return "no data"
    if effect.low > -MARGIN and effect.high < MARGIN:
        return "holds"
    return "does not hold" if effect.low >= MARGIN or effect.high <= -MARGIN else "inconclusive"


def agreed_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the common verdict of several ways to measure the same thing; inconclusive if they disagree."""
    distinct = set(verdicts)
    return distinct.pop() if len(distinct) == 1 else "inconclusive" if distinct else "no data"


Cell = float | None
Numbers = NDArray[np.float64]
RowNumbers = NDArray[np.intp]


def rows_by(names: Iterable[str]) -> list[list[int]]:
    rows = defaultdict[str, list[int]](list)
    for row, name in enumerate(names):
        rows[name].append(row)
    return list(rows.values())


def by_language(cells: Mapping[str, Sequence[Cell]]) -> Numbers:
    """Return one row of numbers for each language: the mean of its complete treebanks, given by their codes."""
    rows = defaultdict[str, list[Sequence[Cell]]](list)
    for code, row in cells.items():
        if None not in row:
            rows[language_of(code).name or code].append(row)
    return np.array([np.mean(np.array(group, dtype=np.float64), axis=0) for group in rows.values()])


def jackknifed(statistic: Callable[[RowNumbers], float], groups: int | Sequence[Sequence[int]]) -> Effect | None:
    """Return a statistic of rows with its jackknife interval by Student's t; None if undefined, or with few groups."""
    groups = [[row] for row in range(groups)] if isinstance(groups, int) else groups
    if len(groups) < FEWEST:
        return None
    every = np.arange(sum(map(len, groups)))
    value, *without = (float(statistic(np.delete(every, group))) for group in ([], *groups))
    if not np.isfinite([value, *without]).all():
        return None
    moves = np.array(without) - value
    error = math.sqrt(float(moves @ moves) * (1 - 1 / len(groups)))
    freedom = max(1.0, len(every) ** 2 / sum(len(group) ** 2 for group in groups) - 1)
    half = quantile(LEVEL / 2, freedom) * error
    t = value / error if error else math.inf if value else 0.0
    return Effect(value, value - half, value + half, two_sided_p(t, freedom))


def mean_effect(values: Mapping[str, Cell]) -> Effect | None:
    """Return the mean over languages, given the value of each treebank by its code."""
    column = by_language({code: (value,) for code, value in values.items()})
    return jackknifed(lambda rows: float(column[rows].mean()), len(column))


def correlation(cells: Mapping[str, Sequence[Cell]], method: Method = "pearson") -> tuple[Effect | None, int]:
    """Return the correlation of two columns over languages, tested as in `correlate`, and the number of languages."""
    table = by_language(cells)
    if len(table) < FEWEST:
        return None, len(table)
    found = fisher_z(table, method, table.shape[1] - 2)
    low, high, p = found.test(0, 1, 1 - LEVEL)
    if low is None or high is None or p is None:
        return None, len(table)
    return Effect(float(found.r[0, 1]), low, high, p), len(table)


@np.errstate(invalid="ignore", divide="ignore")
def correlation_change(table: Numbers) -> Effect | None:
    """Return how much more the first column correlates with the last one than any of the others does."""

    def change(rows: RowNumbers) -> float:
        first, *others = np.asarray(np.corrcoef(table[rows].T))[-1, :-1]
        return float(first - np.max(others))

    return jackknifed(change, len(table))


def mean(values: Iterable[Cell]) -> Cell:
    """Return the mean of the values that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def difference(x: Cell, y: Cell) -> Cell:
    return None if x is None or y is None else x - y


def agrees(ours: Cell, printed: Cell, places: int = 2) -> bool | None:
    """Return whether our number rounds to a printed number (a tie: either way); None if either number is missing."""
    apart = difference(ours, printed)
    return None if apart is None else bool(abs(apart) <= 0.5 * 10.0**-places + 1e-9)


def shown(value: Cell, places: int = 2, scale: float = 1) -> str:
    return "-" if value is None else f"{scale * value:.{places}f}"


def count_of_true(outcomes: Mapping[str, bool | None]) -> str:
    """Return how many outcomes are true, and which are false, as text: "12 of 13 (not fi)"."""
    known = {name: value for name, value in outcomes.items() if value is not None}
    failing = [name for name, value in known.items() if not value]
    return f"{len(known) - len(failing)} of {len(known)}" + (f" (not {', '.join(failing)})" if failing else "")


_MOST_PLACES = 4


def estimate_shown(effect: Effect | None, places: int = 2, scale: float = 1) -> str:
    """Return an effect as text: `+0.12 (95% CI -0.82 to +1.10)`, or why it is missing."""
    if effect is None:
        return f"not tested (fewer than {FEWEST} units, or undefined)"
    ends = [scale * number for number in effect[1:3]]
    while places < _MOST_PLACES and any(end and not round(end, places) for end in ends):  # on which side of 0 is it?
        places += 1
    value, low, high = (f"{scale * number:+.{places}f}" for number in effect[:3])
    return f"{value} (95% CI {low} to {high})"


def effects_shown(effects: Mapping[str, Effect | None], places: int = 2, scale: float = 1) -> str:
    return ", ".join(f"{name} {estimate_shown(effect, places, scale)}" for name, effect in effects.items())


def estimates(table: SystemCounts, contrasts: Sequence[Contrast]) -> list[list[Estimate]]:
    """Return the value, or the difference, of each contrast, in a list for each measure; counts are by unit."""
    scope = Scope("", {"": count_units(table, None)})
    return [scope.estimates(contrasts, m) for m in range(len(table.measures))]


def pairs_of(table: SystemCounts) -> list[Contrast]:
    return [[[j], [i]] for i, j in combinations(range(len(table.systems)), 2)]


def pair_p_values(table: SystemCounts, n_tests: int | None = None) -> Sums:
    """Return two-sided p-values of all pairs of runs, corrected for the number of tests, shape (pairs, measures)."""
    by_measure = [
        [corrected(estimate.p(), n_tests or len(differences)) for estimate in differences]
        for differences in estimates(table, pairs_of(table))
    ]
    return np.array([[1.0 if p is None else p for p in row] for row in by_measure]).T
