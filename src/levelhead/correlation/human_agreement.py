"""The agreement of a measure with people who chose the better of two analyses of each sentence.

Callin (section 6, table 4) correlates two vectors over sentences with Pearson's coefficient: the parser preferred by
the measure, and the parser chosen by people. For two vectors of zeros and ones, Spearman's coefficient, which his table
names, is the same number.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import AT_ONCE, CONSTANT, Numbers, correlations
from levelhead.significance.agreement import interval_of
from levelhead.significance.corrections import corrected, level_of_each
from levelhead.significance.estimates import Estimate, Interval
from levelhead.significance.units import Units
from levelhead.tables.data import Probability

Ties = Literal["callin", "half", "skip"]
"""Sentences without a preference: "callin" counts them for the second system, "half" for both, "skip" for none."""

_EQUAL = 1e-9  # smaller differences are ties: sums of weights in another order differ by rounding


class Preferences(NamedTuple):
    """Which of two systems a measure prefers in each sentence.

    Args:
        second: for each sentence, 1 if the measure prefers the second system, and 0 if it prefers the first system. A
            tie has 0.5 if `ties="half"`, otherwise 1. Float64, shape (sentences,).
        counted: whether each sentence counts; bool, shape (sentences,). Ties do not count if `ties="skip"`.
        differences: the second system's score minus the first system's score, or 0 if a score is undefined;
            float64, shape (sentences,).
        n_ties: the number of ties, which are sentences with equal or undefined scores.
    """

    second: Numbers
    counted: NDArray[np.bool_]
    differences: Numbers
    n_ties: int


class AgreementEstimate(NamedTuple):
    """A number and its confidence interval; undefined numbers are None.

    Args:
        value: the number.
        low: the lower end of the confidence interval.
        high: the upper end of the confidence interval.
    """

    value: float | None
    low: float | None
    high: float | None


class HumanAgreement(NamedTuple):
    """How well a measure agrees with people.

    Args:
        n: the number of sentences (excluding ties if `ties="skip"`).
        n_ties: the number of sentences with equal or undefined scores.
        correlation: Pearson's correlation between the measure's preferences and people's choices (Callin, table 4).
        spearman: Spearman's correlation between score differences and people's choices.
        accuracy: the percentage of sentences in which the measure prefers the system that people chose.
        kappa: Cohen's (1960) kappa, which is accuracy corrected for chance.
    """

    n: int
    n_ties: int
    correlation: AgreementEstimate
    spearman: AgreementEstimate
    accuracy: Annotated[AgreementEstimate, "percent"]
    kappa: AgreementEstimate


class AgreementDifference(NamedTuple):
    """How much better one measure agrees with people than another.

    Args:
        difference: the first measure's correlation with people's choices, minus the second measure's correlation.
        p: the two-sided p-value, below .05 if and only if the 95% interval excludes 0.
    """

    difference: AgreementEstimate
    p: Probability | None


def preferences(first: Numbers, second: Numbers, ties: Ties = "callin") -> Preferences:
    """Return which of two systems a measure prefers in each sentence, given both systems' scores.

    Scores have the shape (sentences,); undefined scores are NaN and count as ties.
    """
    differences = np.nan_to_num(second - first, nan=0.0)
    tied = np.abs(differences) <= _EQUAL
    differences[tied] = 0.0
    whole = np.where(tied, 0.5 if ties == "half" else 1.0, np.where(differences < 0, 0.0, 1.0))
    return Preferences(whole, ~tied if ties == "skip" else np.ones(len(tied), dtype=bool), differences, int(tied.sum()))


@np.errstate(invalid="ignore", divide="ignore")
def human_agreement(
    given: Preferences, choices: Numbers, *, units: Units | None = None, level: float = 0.95
) -> HumanAgreement:
    """Return the agreement of a measure with people: the share of votes for the second system, shape (sentences,)."""
    # Intervals are Wilson's (1927) by the jackknife; so that they are not too narrow, the variance of correlations is
    # at least (1 - r ** 2) / n, and that of kappa has one more sentence in which measure and people disagree.
    unit = np.arange(len(choices)) if units is None else units.of_sentence
    means = _means(given, choices, unit)
    n, r, rho = means.n[0], means.correlation, _spearman(given, choices, unit)
    accuracy = _jackknife(means.n, means.accuracy)

    def coefficient(values: Numbers, least: float = 0.0, more: float = 0.0) -> AgreementEstimate:
        estimate = _jackknife(means.n, values, least, more)
        return _shown(estimate, interval_of(estimate, level))

    return HumanAgreement(
        int(n),
        given.n_ties,
        coefficient(r, least=(1 - r[0] ** 2) / n),
        coefficient(rho, least=(1 - rho[0] ** 2) / n),
        _shown(accuracy, accuracy.score_interval(level), scale=100),
        coefficient(means.kappa, more=1 / (n * (1 - means.by_chance[0])) ** 2),
    )


@np.errstate(invalid="ignore", divide="ignore")
def compare_agreement(
    one: Preferences,
    other: Preferences,
    choices: Numbers,
    *,
    units: Units | None = None,
    level: float = 0.95,
    n_tests: int = 1,
) -> AgreementDifference:
    """Return the difference of two measures in their agreement with people on the same sentences."""
    # Student's t by the jackknife, with one more sentence in which both have different preferences, and Sidak's bound
    # (1967).
    unit = np.arange(len(choices)) if units is None else units.of_sentence
    both = [_means(given, choices, unit) for given in (one, other)]
    n = min((means.n for means in both), key=lambda counts: float(counts[0]))
    spread = min(means.vv[0] - means.v[0] ** 2 for means in both)
    first, second = (means.correlation for means in both)
    # another preference in a sentence moves r by 1 / (n SD) if the choice is one SD from its mean
    estimate = _jackknife(n, np.nan_to_num(first) - np.nan_to_num(second), more=1 / (n[0] ** 2 * spread))
    estimate = estimate._replace(value=float(first[0] - second[0]))
    interval = estimate.interval(level_of_each(level, n_tests))
    ends = interval and (max(-2.0, interval[0]), min(2.0, interval[1]))
    p = corrected(estimate.p(), n_tests) if units is None or units.decides else None
    return AgreementDifference(_shown(estimate, ends), p)


def _shown(estimate: Estimate, interval: Interval | None, scale: int = 1) -> AgreementEstimate:
    value = None if math.isnan(estimate.value) else scale * estimate.value
    return AgreementEstimate(value, *((scale * float(end) for end in interval) if interval else (None, None)))


class _Means(NamedTuple):
    """Means over the sentences that count, of all units and without each unit; shape (1 + units,)."""

    n: Numbers  # the number of sentences
    v: Numbers  # the preference
    c: Numbers  # the choice of people
    vv: Numbers
    cc: Numbers
    vc: Numbers

    @property
    def correlation(self) -> Numbers:
        """Pearson's correlation of preferences and choices; NaN if one of them is constant."""
        spreads = self.vv - self.v**2, self.cc - self.c**2
        product = np.where(np.minimum(*spreads) > CONSTANT, spreads[0] * spreads[1], np.nan)
        return np.asarray(np.clip((self.vc - self.v * self.c) / np.sqrt(product), -1.0, 1.0))

    @property
    def accuracy(self) -> Numbers:
        return 1 - self.v - self.c + 2 * self.vc  # mean of vc + (1 - v)(1 - c)

    @property
    def by_chance(self) -> Numbers:
        """The expected accuracy by chance; NaN if it is 1."""
        expected = self.v * self.c + (1 - self.v) * (1 - self.c)
        return np.where(1 - expected > CONSTANT, expected, np.nan)

    @property
    def kappa(self) -> Numbers:
        return (self.accuracy - self.by_chance) / (1 - self.by_chance)


def _means(given: Preferences, choices: Numbers, unit: NDArray[np.int64]) -> _Means:
    v, c = given.second, choices
    by_unit = np.stack([np.bincount(unit, each * given.counted) for each in (v**0, v, c, v * v, c * c, v * c)])
    total = by_unit.sum(axis=1, keepdims=True)
    n, *sums = np.concatenate([total, total - by_unit], axis=1)
    return _Means(n, *(each / n for each in sums))


def _spearman(given: Preferences, choices: Numbers, unit: NDArray[np.int64]) -> Numbers:
    """Spearman's correlation of all units and without each unit, shape (1 + units,)."""
    values, of_row = np.stack([given.differences, choices], axis=1)[given.counted], unit[given.counted]
    left_out = np.arange(-1, int(unit.max()) + 1)  # first none
    if not values.size:
        return np.full(len(left_out), np.nan)
    step = max(1, AT_ONCE // values.size)
    blocks = (of_row != left_out[at : at + step, None] for at in range(0, len(left_out), step))
    return np.concatenate([correlations(values, block.astype(np.float64), "spearman")[:, 0, 1] for block in blocks])


def _jackknife(n: Numbers, values: Numbers, least: float = 0.0, more: float = 0.0) -> Estimate:
    """The estimate from the value of all units and those without each unit, which count as 0 if undefined."""
    moves, sizes = np.nan_to_num(values[1:]) - values[0], n[0] - n[1:]
    variance, freedom = max(float(moves @ moves), least) + more, max(float(n[0] ** 2 / (sizes @ sizes)) - 1, 1.0)
    return Estimate(float(values[0]), float(variance), freedom, int(np.count_nonzero(sizes)))
