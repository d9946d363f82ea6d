"""Coefficients of agreement between annotators, with confidence intervals."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.estimates import Estimate, Interval
from levelhead.significance.jackknife import Stratum, spread_of

Values = NDArray[np.float64]
Labels = NDArray[np.int64]

MISSING = -1
"""The label of a word that an annotator did not label."""


class Ratings(NamedTuple):
    """The labels that annotators gave to the same words."""

    labels: Labels  # the number of each label, or `MISSING`, shape (words, annotators)
    units: Labels  # the unit of resampling of each word, from 0, shape (words,)
    n_units: int


class Coefficients(NamedTuple):
    """The agreement of annotators on one kind of label."""

    words: int  # that at least two annotators labeled
    observed: float  # the share of words on which two annotators agree, averaged over pairs of annotators
    expected: float  # the expected chance agreement, averaged in the same way
    cohen: Estimate  # Cohen's (1960) kappa, averaged over pairs of annotators (Light 1971)
    fleiss: Estimate  # Fleiss' (1971) kappa, over the words that all annotators labeled
    krippendorff: Estimate  # Krippendorff's (2011) alpha for nominal values, over the words that at least two labeled


def coefficients(ratings: Ratings) -> Coefficients:
    """Return the coefficients of agreement with jackknife variances; undefined coefficients are NaN."""
    pairs = [_of_pair(ratings, one, other) for one, other in combinations(range(ratings.labels.shape[1]), 2)]
    observed, expected, kappas = (np.mean(values, axis=0) for values in zip(*pairs, strict=True))
    n_words = int(np.count_nonzero(_n_labels(ratings) > 1))
    by_chance = n_words * (1 - float(expected[0]))
    observation = 1 / by_chance if by_chance > 0 else 0.0  # the change if two who agree on a word disagree instead
    return Coefficients(
        n_words,
        float(observed[0]),
        float(expected[0]),
        *(_estimate(values, ratings, observation) for values in (kappas, _fleiss(ratings), _krippendorff(ratings))),
    )


def _n_labels(ratings: Ratings) -> Labels:
    return np.asarray(np.count_nonzero(ratings.labels != MISSING, axis=1), dtype=np.int64)


def _estimate(values: Values, ratings: Ratings, observation: float) -> Estimate:
    """Return the estimate of a coefficient from its value and its values without each unit."""
    given = ratings.labels != MISSING
    sizes = np.bincount(ratings.units[_n_labels(ratings) > 1], minlength=ratings.n_units).astype(np.float64)
    moves = np.nan_to_num(np.where(sizes > 0, values[1:] - values[0], 0.0))
    spread = spread_of([Stratum(moves[:, None, None], sizes[:, None, None], np.ones(1, dtype=bool))], [[0]], 0)
    # units with only the most frequent label say little beyond chance
    commonest = np.bincount(ratings.labels[given]).argmax() if given.any() else 0
    telling = ratings.units[(given & (ratings.labels != commonest)).any(axis=1)]
    return Estimate(float(values[0]), spread.variance + observation**2, spread.freedom, len(np.unique(telling)))


def interval_of(coefficient: Estimate, level: float) -> Interval | None:
    """Return the interval of a coefficient as of a score from 0 to 1; None if too few units are informative."""
    scaled = coefficient._replace(value=(1 + coefficient.value) / 2, variance=coefficient.variance / 4)
    if (interval := scaled.score_interval(level)) is None:
        return None
    low, high = (2 * end - 1 for end in interval)
    return min(low, coefficient.value), max(high, coefficient.value)  # rounding can exclude 1


def _of_pair(ratings: Ratings, one: int, other: int) -> tuple[Values, Values, Values]:
    """Return the observed and expected agreement of two annotators, and Cohen's kappa."""
    both = (ratings.labels[:, [one, other]] != MISSING).all(axis=1)
    first, second, units = ratings.labels[both, one], ratings.labels[both, other], ratings.units[both]
    n_words = _sums(np.ones(len(units)), units, ratings.n_units)
    observed = _ratio(_sums((first == second).astype(np.float64), units, ratings.n_units), n_words)
    expected = _ratio(_products((first, units), (second, units), ratings.n_units), n_words**2)
    return observed, expected, _beyond_chance(observed, expected)


def _fleiss(ratings: Ratings) -> Values:
    n_annotators = ratings.labels.shape[1]
    by_all = _n_labels(ratings) == n_annotators
    labels, units = ratings.labels[by_all], ratings.units[by_all]
    pairs = [labels[:, one] == labels[:, other] for one, other in combinations(range(n_annotators), 2)]
    n_words = _sums(np.ones(len(units)), units, ratings.n_units)
    observed = _ratio(_sums(np.mean(pairs, axis=0), units, ratings.n_units), n_words)
    every = labels.ravel(), np.repeat(units, n_annotators)
    return _beyond_chance(observed, _ratio(_products(every, every, ratings.n_units), (n_words * n_annotators) ** 2))


def _krippendorff(ratings: Ratings) -> Values:
    n_labels = _n_labels(ratings)
    pairable = n_labels > 1
    labels, units, n_labels = ratings.labels[pairable], ratings.units[pairable], n_labels[pairable]
    given = labels != MISSING
    differing = 2.0 * sum(
        given[:, one] & given[:, other] & (labels[:, one] != labels[:, other])
        for one, other in combinations(range(labels.shape[1]), 2)
    )
    every: tuple[Labels, Labels] = labels[given], np.broadcast_to(units[:, None], labels.shape)[given]
    n_given = _sums(n_labels.astype(np.float64), units, ratings.n_units)
    disagreement = _sums(differing / np.maximum(n_labels - 1, 1), units, ratings.n_units)
    return 1 - _ratio((n_given - 1) * disagreement, n_given**2 - _products(every, every, ratings.n_units))


def _sums(values: Values, units: Labels, n_units: int) -> Values:
    """Return the sum of values, followed by the sums without each unit."""
    by_unit = np.bincount(units, weights=values, minlength=n_units)
    total = by_unit.sum()
    return np.concatenate([[total], total - by_unit])


def _products(one: tuple[Labels, Labels], other: tuple[Labels, Labels], n_units: int) -> Values:
    """Return the number of pairs of equal labels of the two sides, followed by the numbers without each unit."""
    n_labels = int(max((int(side[0].max(initial=-1)) for side in (one, other)), default=-1)) + 1
    totals = [np.bincount(side[0], minlength=n_labels).astype(np.float64) for side in (one, other)]
    total = float(totals[0] @ totals[1])
    others = zip((one, other), reversed(totals), strict=True)
    mixed = sum(np.bincount(side[1], weights=counts[side[0]], minlength=n_units) for side, counts in others)
    keys = [np.unique(side[1] * n_labels + side[0], return_counts=True) for side in (one, other)]
    shared, *places = np.intersect1d(keys[0][0], keys[1][0], assume_unique=True, return_indices=True)
    within = keys[0][1][places[0]] * keys[1][1][places[1]].astype(np.float64)
    inside = np.bincount(shared // max(n_labels, 1), weights=within, minlength=n_units).astype(np.float64)
    return np.concatenate([[total], total - mixed + inside])


def _ratio(numerator: Values, denominator: Values) -> Values:
    nothing = np.full(len(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=nothing, where=denominator > 0))


def _beyond_chance(observed: Values, expected: Values) -> Values:
    return _ratio(observed - expected, 1 - expected)
