"""The agreement of a measure with people who chose the better of two analyses of each sentence.

Callin (section 6, table 4) correlates two vectors over sentences with Pearson's coefficient: the parser preferred by
the measure, and the parser chosen by people. For two vectors of zeros and ones, Spearman's coefficient, which his table
names, is the same number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import AT_ONCE, CONSTANT, Numbers, correlations, interval
from levelhead.significance.differences import permutation_p
from levelhead.significance.resampling import Seed, resampled_weights, weights_and_halves
from levelhead.significance.units import FEWEST_UNITS, Units

Ties = Literal["callin", "half", "skip"]
"""Sentences without a preference: "callin" counts them for the second system, "half" for both, "skip" for none."""

_EQUAL = 1e-9  # smaller differences are ties: sums of weights in another order differ by rounding


class Preferences(NamedTuple):
    """The preferences of a measure between two systems in each sentence.

    Args:
        second: 1 for the second system, 0 for the first, 0.5 for neither; float64, shape (sentences,).
        counted: whether the sentence counts, bool, shape (sentences,).
        differences: the second system's score minus the first's, 0 if they are equal or either is undefined;
            float64, shape (sentences,).
        n_ties: the number of sentences with equal or undefined scores.
    """

    second: Numbers
    counted: NDArray[np.bool_]
    differences: Numbers
    n_ties: int


class AgreementEstimate(NamedTuple):
    """A number with its bootstrap interval; None if undefined.

    Args:
        value: the number.
        low: the lower end of the interval.
        high: the upper end.
    """

    value: float | None
    low: float | None
    high: float | None


class HumanAgreement(NamedTuple):
    """The agreement of a measure with people.

    Args:
        n: the number of sentences that count.
        n_ties: the number of sentences with equal or undefined scores.
        correlation: Pearson's coefficient of the measure's preferences and people's choices (Callin, table 4).
        spearman: Spearman's coefficient of the differences of scores and the choices.
        accuracy: the share of sentences in which the measure prefers the system that people chose.
        kappa: Cohen's kappa (1960): accuracy corrected for chance.
    """

    n: int
    n_ties: int
    correlation: AgreementEstimate
    spearman: AgreementEstimate
    accuracy: AgreementEstimate
    kappa: AgreementEstimate


class AgreementDifference(NamedTuple):
    """The difference of two measures in their agreement with people.

    Args:
        difference: the difference of their correlations with the choices (first minus second), with its interval.
        p: the two-sided p-value by paired randomization, which swaps the preferences of the two measures at random in
            each unit. A swap after which a measure has a constant preference has no correlation and counts as extreme.
    """

    difference: AgreementEstimate
    p: float | None


def preferences(first: Numbers, second: Numbers, ties: Ties = "callin") -> Preferences:
    """Return the preferences of a measure between two systems in each sentence.

    Args:
        first: the first system's scores, NaN where undefined, shape (sentences,).
        second: the scores of the second system, in the same form.
        ties: how to count equal or undefined scores.
    """
    differences = np.nan_to_num(second - first, nan=0.0)
    tied = np.abs(differences) <= _EQUAL
    differences[tied] = 0.0
    whole = np.where(tied, 0.5 if ties == "half" else 1.0, np.where(differences < 0, 0.0, 1.0))
    return Preferences(whole, ~tied if ties == "skip" else np.ones(len(tied), dtype=bool), differences, int(tied.sum()))


def human_agreement(
    given: Preferences,
    choices: Numbers,
    *,
    units: Units | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    seed: Seed = 0,
) -> HumanAgreement:
    """Return the agreement of a measure with people.

    Args:
        given: the preferences of the measure.
        choices: the share of votes for the second system, 0 or 1 with one vote per sentence; shape (sentences,).
        units: the units of resampling; sentences by default. Fewer than 10 units give no intervals.
        resamples: the number of bootstrap resamples of units.
        level: the confidence level of intervals.
        seed: the seed of the resamples.
    """
    of_sentence = np.arange(len(choices)) if units is None else units.of_sentence
    n_units = int(of_sentence.max()) + 1
    draws = resampled_weights(n_units, resamples, seed)[:, of_sentence]

    def estimate(statistic: Callable[[Numbers], Numbers]) -> AgreementEstimate:
        value = float(statistic(np.ones((1, len(choices))))[0])
        ends = interval(statistic(draws), level) if n_units >= FEWEST_UNITS else (None, None)
        return AgreementEstimate(None if np.isnan(value) else value, *ends)

    moments = _moments(given, choices)
    return HumanAgreement(
        int(given.counted.sum()),
        given.n_ties,
        estimate(lambda weights: _correlation(weights @ moments)),
        estimate(lambda weights: _spearman(given, choices, weights)),
        estimate(lambda weights: _accuracy(weights @ moments)),
        estimate(lambda weights: _kappa(weights @ moments)),
    )


@np.errstate(invalid="ignore", divide="ignore")  # a resample without counted sentences has no value
def _spearman(given: Preferences, choices: Numbers, weights: Numbers) -> Numbers:
    values = np.stack([given.differences, choices], axis=1)[given.counted]
    drawn = weights[:, given.counted]
    if not values.size:
        return np.full(len(weights), np.nan)
    step = max(1, AT_ONCE // values.size)
    blocks = (drawn[at : at + step] for at in range(0, len(drawn), step))
    return np.concatenate([correlations(values, block, "spearman")[:, 0, 1] for block in blocks])


def compare_agreement(
    one: Preferences,
    other: Preferences,
    choices: Numbers,
    *,
    units: Units | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    seed: Seed = 0,
) -> AgreementDifference:
    """Return the difference of two measures in their agreement with people on the same sentences.

    Args:
        one: the preferences of a measure.
        other: the preferences of another measure.
        choices: as in `human_agreement`.
        units: the independent units, as in `human_agreement`.
        resamples: the number of bootstrap resamples and of random swaps.
        level: the confidence level of the interval.
        seed: the seed of both.
    """
    of_sentence = np.arange(len(choices)) if units is None else units.of_sentence
    n_units = int(of_sentence.max()) + 1
    draws, swapped = (drawn[:, of_sentence] for drawn in weights_and_halves(n_units, resamples, seed))
    a, b, whole = _moments(one, choices), _moments(other, choices), np.ones((1, len(choices)))
    value = float((_correlation(whole @ a) - _correlation(whole @ b))[0])
    if np.isnan(value) or n_units < FEWEST_UNITS:
        return AgreementDifference(AgreementEstimate(None if np.isnan(value) else value, None, None), None)
    low, high = interval(_correlation(draws @ a) - _correlation(draws @ b), level)
    same = 1 - swapped
    differences = _correlation(same @ a + swapped @ b) - _correlation(same @ b + swapped @ a)
    return AgreementDifference(AgreementEstimate(value, low, high), float(permutation_p(differences, value)))


def _moments(given: Preferences, choices: Numbers) -> Numbers:
    """The number of each sentence, its preference, the choice of people, their squares and their product.

    All are 0 for a sentence that does not count; shape (sentences, 6).
    """
    counts = given.counted.astype(np.float64)
    v, c = given.second, choices
    return np.stack([counts, counts * v, counts * c, counts * v * v, counts * c * c, counts * v * c], axis=1)


@np.errstate(invalid="ignore", divide="ignore")
def _correlation(sums: Numbers) -> Numbers:
    """Pearson's correlation with the choices, from the sums of moments in each sample; NaN if one is constant."""
    v, c, vv, cc, vc = sums.T[1:] / sums.T[0]
    spread_v, spread_c = vv - v * v, cc - c * c
    defined = (spread_v > CONSTANT) & (spread_c > CONSTANT)
    return np.asarray(np.clip((vc - v * c) / np.sqrt(np.where(defined, spread_v * spread_c, np.nan)), -1.0, 1.0))


@np.errstate(invalid="ignore", divide="ignore")
def _accuracy(sums: Numbers) -> Numbers:
    n, v, c, _, _, vc = sums.T
    return np.asarray((n - v - c + 2 * vc) / n)  # mean of vc + (1 - v)(1 - c)


@np.errstate(invalid="ignore", divide="ignore")
def _kappa(sums: Numbers) -> Numbers:
    """Cohen's kappa; NaN if chance agreement is certain."""
    v, c = sums.T[1:3] / sums.T[0]
    expected: Numbers = v * c + (1 - v) * (1 - c)
    best = np.where(1 - expected > CONSTANT, 1 - expected, np.nan)  # the maximum above chance
    return (_accuracy(sums) - expected) / best
