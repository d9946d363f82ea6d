"""Expected scores of systems on test sets that they were not run on: abilities and difficulties on the logit scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.estimates import quantile

_Numbers = NDArray[np.float64]
_Flags = NDArray[np.bool_]

LOWEST = 0.1
"""Scores are kept this far from 0 and 100, where logits are infinite."""

FEWEST_TEST_SETS = 20
"""With fewer test sets of each system, more than 2% of the pairs of systems can be in the wrong order."""

DEVIATION = 0.1
"""The standard deviation of slopes around 1 that is assumed."""

_ROUNDS = 4
_PSEUDO_OBSERVATIONS = 4  # of the typical relative variance, to which those of systems and test sets are shrunk
_LEAST_VARIANCE = 0.001  # the smallest relative variance of a test set in the geometric mean
_LOWEST_LEVERAGE = 0.3  # the least share of its variance that a residual is assumed to keep
_ALMOST_NOTHING = 1e-12
_SPLITS = 4  # of the cells in halves, each of which is predicted from the other
_FEWEST_ERRORS = 20  # for a calibration
_HELD = 0.95  # the share of these predictions that intervals of this level hold after the calibration


class Abilities(NamedTuple):
    """The model of scores: logit(score) = slope of the test set * ability of the system + easiness + error."""

    ability: _Numbers  # of each system in logits, 0 on average; NaN if it cannot be compared with the others
    easiness: _Numbers  # the logit of the score of a system with ability 0 on each test set; NaN without such a score
    slope: _Numbers  # how far each test set separates systems, 1 on average; NaN with fewer than three systems
    slope_error: _Numbers  # its standard error
    deviation: float  # the standard deviation of slopes around 1 that is assumed
    covariance: _Numbers  # of abilities and easiness; 0 where they are NaN
    variance: _Numbers  # of the error in each cell, at least that of an average system on the test set
    fitted: _Flags  # the cells that were used, shape (systems, test sets)
    calibration: float = 1.0  # by how much variances of averages are larger than the model says

    @property
    def kept(self) -> _Numbers:
        """The share of the distance of each slope from 1 that predictions keep, by its standard error."""
        if not self.deviation:
            return np.zeros_like(self.slope)
        return np.nan_to_num(1 / (1 + (self.slope_error / self.deviation) ** 2), nan=0.0)

    @property
    def discrimination(self) -> _Numbers:
        """The slopes of predictions, shrunk to 1."""
        return 1 + self.kept * np.nan_to_num(self.slope - 1, nan=0.0)

    @property
    def expected(self) -> _Numbers:
        """The expected score of each system on each test set, in percent."""
        return percent_of(self.discrimination * self.ability[:, None] + self.easiness)

    @property
    def residual_freedom(self) -> int:
        """The degrees of freedom of the errors."""
        return int(self.fitted.sum() - self.fitted.any(axis=1).sum() - self.fitted.any(axis=0).sum() + 1)

    def freedom(self, system: int) -> int:
        """Return the degrees of freedom of a system's expected scores."""
        return min(int(self.fitted[system].sum()) - 1, self.residual_freedom)


class ExpectedMean(NamedTuple):
    """The mean of a system's scores over test sets, in percent; missing ones are replaced by their expected value."""

    value: float
    variance: float  # of its error, since missing scores are predicted
    freedom: int  # the degrees of freedom of the variance
    leverage: float  # by how much sampling errors of known scores matter more, since others are predicted from them

    def interval(self, level: float, sampling: float = 0.0) -> tuple[float, float] | None:
        """Return the confidence interval, or None if it is unknown; `sampling` is the variance of the known scores."""
        if self.freedom < 1:
            return None
        half = quantile((1 - level) / 2, self.freedom) * float(np.sqrt(self.variance + sampling))
        return max(0.0, self.value - half), min(100.0, self.value + half)


def logit_of(percent: _Numbers) -> _Numbers:
    """Return the logits of percentages."""
    inside = np.clip(percent, LOWEST, 100 - LOWEST)
    return np.log(inside / (100 - inside))


def percent_of(logit: _Numbers) -> _Numbers:
    """Return the percentages of logits."""
    return 100 / (1 + np.exp(-logit))


def fit_abilities(scores: _Numbers, deviation: float = DEVIATION) -> Abilities:
    """Return the model of scores in percent, NaN where they are not known, shape (systems, test sets)."""
    # Weighted least squares; the variance of an error is a factor of the system times one of the test set, both from
    # squared residuals, and slopes are shrunk to 1. Systems are good or bad on similar test sets, so averages vary more
    # than independent errors would let them: their variances are calibrated on halves of the known scores.
    return _fitted(scores, deviation)._replace(calibration=_calibration(scores, deviation))


def _calibration(scores: _Numbers, deviation: float) -> float:
    """How much larger the variances of averages are than by the model; 1 if too few can be predicted."""
    random, errors, known = np.random.default_rng(0), list[float](), ~np.isnan(scores)
    for _ in range(_SPLITS):
        order = np.argsort(np.argsort(np.where(known, random.random(scores.shape), 2), axis=1), axis=1)
        first = order < known.sum(axis=1)[:, None] // 2
        for half in (known & first, known & ~first):
            given = np.where(half, scores, np.nan)
            model = _fitted(given, deviation)
            for system in range(len(scores)):
                others = np.flatnonzero(known[system] & ~half[system] & ~np.isnan(model.easiness))
                freedom = model.freedom(system)
                mean = expected_mean(model, given, system, others) if len(others) > 1 and freedom > 0 else None
                if mean is not None:
                    error = float(scores[system, others].mean()) - mean.value
                    errors.append(error**2 / mean.variance / quantile((1 - _HELD) / 2, freedom) ** 2)
    return float(np.quantile(errors, _HELD)) if len(errors) >= _FEWEST_ERRORS else 1.0


def _fitted(scores: _Numbers, deviation: float) -> Abilities:
    """The model before its calibration, NaN where systems or test sets cannot be compared."""
    systems, test_sets = connected(~np.isnan(scores))
    cells = np.ix_(systems, test_sets)
    part = _fit(scores[cells], deviation)
    every = np.concatenate([systems, test_sets])
    covariance, variance = np.zeros((len(every), len(every))), np.full(scores.shape, np.nan)
    covariance[np.ix_(every, every)], variance[cells] = part.covariance, part.variance
    ability, (easiness, slope, slope_error) = np.full(len(systems), np.nan), np.full((3, len(test_sets)), np.nan)
    ability[systems], easiness[test_sets] = part.ability, part.easiness
    slope[test_sets], slope_error[test_sets] = part.slope, part.slope_error
    fitted = ~np.isnan(scores) & systems[:, None] & test_sets
    return Abilities(ability, easiness, slope, slope_error, deviation, covariance, variance, fitted)


def _fit(scores: _Numbers, deviation: float) -> Abilities:
    """The model of connected systems and test sets."""
    used, logits, (n_systems, n_test_sets) = ~np.isnan(scores), logit_of(scores), scores.shape
    unknown, weights = np.full(n_test_sets, np.nan), np.ones_like(scores)
    covariance, scale = np.zeros((sum(scores.shape), sum(scores.shape))), 1.0
    model = Abilities(
        np.zeros(n_systems), np.zeros(n_test_sets), unknown, unknown, deviation, covariance, weights, used
    )
    if not used.any():
        return model
    is_ability = np.arange(sum(scores.shape)) < n_systems
    centered = np.outer(is_ability, is_ability).astype(np.float64)  # so that abilities sum to 0
    for number in range(_ROUNDS):
        if number:
            slope, slope_error = _slopes(logits, model.ability, np.where(used, weights / scale, 0))
            model = model._replace(slope=slope, slope_error=slope_error)
        design = _design(used, model.discrimination)
        weighted = design * weights[used][:, None]
        inverse = np.linalg.inv(weighted.T @ design + centered)
        ability, easiness = np.split(inverse @ (weighted.T @ logits[used]), [n_systems])
        model = model._replace(ability=ability, easiness=easiness)
        residuals = np.where(used, logits - model.discrimination * ability[:, None] - easiness, 0)
        of_system, of_test_set, scale = _variances(residuals, used, model.kept)
        weights = 1 / (of_system[:, None] * of_test_set)
    variance = scale * np.maximum(of_system, 1)[:, None] * of_test_set
    covariance = inverse @ (weighted.T @ (weighted * variance[used][:, None])) @ inverse
    return model._replace(covariance=covariance, variance=variance)


def expected_mean(model: Abilities, given: _Numbers, system: int, test_sets: NDArray[np.int64]) -> ExpectedMean | None:
    """Return the mean of a system's scores (NaN to predict them) over test sets; None if one cannot be predicted."""
    row, expected = given[system, test_sets], model.expected[system, test_sets]
    missing = np.isnan(row)
    values = np.where(missing, expected, row)
    if np.isnan(values).any():
        return None
    slopes = np.where(missing, expected * (100 - expected) / 100, 0)  # of percentages by logits
    contrast = np.zeros(len(model.covariance))
    contrast[system] = (slopes * model.discrimination[test_sets]).sum()
    contrast[len(model.ability) + test_sets] += slopes
    slope_errors = np.nan_to_num(model.slope_error[test_sets], nan=0.0)
    of_slopes = model.kept[test_sets] * (slope_errors * model.ability[system]) ** 2
    of_errors = float((slopes**2 * (model.variance[system, test_sets] + of_slopes))[missing].sum())
    variance = (float(contrast @ model.covariance @ contrast) + of_errors) / len(test_sets) ** 2
    variance *= model.calibration
    known = float((row * (100 - row) / 100)[~missing].sum())
    leverage = 1 + 2 * float(slopes.sum()) / known if known else 1.0
    return ExpectedMean(float(values.mean()), variance, model.freedom(system), leverage)


def connected(known: _Flags) -> tuple[_Flags, _Flags]:
    """Return the largest part of a table in which test sets connect all systems, directly or through other systems."""
    best: tuple[_Flags, _Flags] = np.zeros(known.shape[0], dtype=bool), np.zeros(known.shape[1], dtype=bool)
    left: _Flags = np.asarray(known.any(axis=1))
    while left.any():
        systems: _Flags = np.arange(len(left)) == np.argmax(left)
        while True:
            test_sets: _Flags = np.asarray(known[systems].any(axis=0))
            grown: _Flags = np.asarray(known[:, test_sets].any(axis=1))
            if (grown == systems).all():
                break
            systems = grown
        if known[systems].sum() > known[best[0]].sum():
            best = systems, test_sets
        left &= ~systems
    return best


def _design(used: _Flags, slopes: _Numbers) -> _Numbers:
    """The matrix of the model with known slopes: a row per cell, a column per system and test set."""
    rows, columns = np.nonzero(used)
    design = np.zeros((len(rows), sum(used.shape)))
    cells = np.arange(len(rows))
    design[cells, rows], design[cells, len(used) + columns] = slopes[columns], 1
    return design


def _slopes(logits: _Numbers, ability: _Numbers, weights: _Numbers) -> tuple[_Numbers, _Numbers]:
    """The slope of logits by ability on each test set, with its standard error."""
    centered = ability[:, None] - (weights * ability[:, None]).sum(axis=0) / weights.sum(axis=0)
    squares = np.maximum((weights * centered**2).sum(axis=0), _ALMOST_NOTHING)
    slopes = (weights * centered * np.where(weights > 0, logits, 0)).sum(axis=0) / squares
    few = (weights > 0).sum(axis=0) < 3
    return np.where(few, np.nan, slopes), np.where(few, np.nan, 1 / np.sqrt(squares))


def _variances(residuals: _Numbers, used: _Flags, kept: _Numbers) -> tuple[_Numbers, _Numbers, float]:
    """The relative variances of the errors of each system and on each test set, and their scale."""
    of_row = np.maximum(1 - 1 / used.sum(axis=1), _LOWEST_LEVERAGE)
    of_column = np.maximum(1 - (1 + kept) / used.sum(axis=0), _LOWEST_LEVERAGE)
    squares = residuals**2 / (of_row[:, None] * of_column)
    scale = max(float(squares.sum() / used.sum()), _ALMOST_NOTHING)
    rows, columns = np.ones(len(used)), np.ones(used.shape[1])
    for _ in range(20):
        relative = squares / (rows[:, None] * scale)
        typical = float(np.exp(np.log(relative.sum(axis=0) / used.sum(axis=0) + _LEAST_VARIANCE).mean()))
        columns = _shrunk(relative, used, 0, typical)
        rows = _shrunk(squares / (columns * scale), used, 1)
    scale = float((squares / (rows[:, None] * columns)).sum() / used.sum())
    return rows, columns, max(scale, _ALMOST_NOTHING)


def _shrunk(squares: _Numbers, used: _Flags, axis: int, to: float = 1.0) -> _Numbers:
    counts = used.sum(axis=axis) + _PSEUDO_OBSERVATIONS
    return np.asarray((squares.sum(axis=axis) + _PSEUDO_OBSERVATIONS * to) / counts)
