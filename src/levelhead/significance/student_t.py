"""Student's t distribution for any number of degrees of freedom; importing scipy would take longer than all tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_NORMAL_FROM = 100_000
"""Degrees of freedom above which the expansion around the normal distribution is exact to six digits (to |t| = 6)."""

_POINTS = 120
_POINTS_BY_FREEDOM = 4000
"""The numbers of points of the quadrature over standard errors: the minimum, and for one degree of freedom."""

_TERMS = 500
_STEPS = 50
_CLOSE = 1e-13
_CLOSE_POWER = 1e-10
_TINY = 1e-300


def two_sided_p(t: float, freedom: float) -> float:
    """Return the probability that |T| is at least |t|."""
    if math.isinf(t):
        return 0.0
    if freedom >= _NORMAL_FROM:  # Abramowitz and Stegun 1964, 26.7.8
        return math.erfc(abs(t) * (1 - 1 / (4 * freedom)) / math.sqrt(2 + t**2 / freedom))
    return _incomplete_beta(freedom / 2, freedom / (freedom + t**2))


@lru_cache(maxsize=4096)
def quantile(tail: float, freedom: float) -> float:
    """Return the t that T exceeds with the probability `tail`, by Newton's method on logarithms."""
    if tail >= 0.5:
        return 0.0
    t = -NormalDist().inv_cdf(tail)  # not 1 - tail, which is 1 for a tiny tail
    for _ in range(_STEPS):
        p = two_sided_p(t, freedom)
        step = math.log(p / (2 * tail)) * p / (2 * t * _density(t, freedom))
        t *= math.exp(max(-1.0, min(1.0, step)))
        if abs(step) < _CLOSE:
            break
    return t


@lru_cache(maxsize=4096)
def noncentrality(freedom: float, alpha: float, power: float) -> float:
    """Return the number of standard errors from which a two-sided t-test detects a difference."""
    critical, scales, root = quantile(alpha / 2, freedom), _scales(freedom), math.sqrt(2)

    def lacking(shift: float) -> float:
        """Return the power minus the probability that |T| exceeds the critical value."""
        beyond = (
            math.erfc((critical * s - shift) / root) + math.erfc((critical * s + shift) / root) for s, _ in scales
        )
        return power - math.fsum(w * value / 2 for value, (_, w) in zip(beyond, scales, strict=True))

    return _root_of_falling(lacking, critical + NormalDist().inv_cdf(power))


def _scales(freedom: float) -> list[tuple[float, float]]:
    """Estimated standard errors as shares of the true one, with their probabilities: sqrt(chi squared / freedom).

    The logarithms of the shares are equally spaced.
    """
    n_points = max(_POINTS, round(_POINTS_BY_FREEDOM / freedom))
    spread = 9 / math.sqrt(2 * freedom)
    low, high = -spread - 30 / freedom, spread
    logs = [low + (high - low) * i / n_points for i in range(n_points + 1)]
    weights = [math.exp(freedom * (log + (1 - math.exp(2 * log)) / 2)) for log in logs]
    whole = math.fsum(weights)
    return [(math.exp(log), weight / whole) for log, weight in zip(logs, weights, strict=True)]


def _root_of_falling(function: Callable[[float], float], guess: float) -> float:
    """The zero of a decreasing function of positive numbers, by the Illinois variant of false position."""
    low, high = 0.0, max(guess, 1.0)
    above, below = function(low), function(high)
    while below > 0:
        low, above, high = high, below, 2 * high
        below = function(high)
    for _ in range(_STEPS):
        middle = (low * below - high * above) / (below - above)
        value = function(middle)
        if abs(value) < _CLOSE_POWER:
            return middle
        if value > 0:
            low, above, below = middle, value, below / 2
        else:
            high, below, above = middle, value, above / 2
    return (low + high) / 2


def _density(t: float, freedom: float) -> float:
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return math.exp(scale - (freedom + 1) / 2 * math.log1p(t**2 / freedom))


def _incomplete_beta(a: float, x: float) -> float:
    """The regularized incomplete beta function I_x(a, 1/2), by its continued fraction (DLMF 8.17.22)."""
    if x >= 1:
        return 1.0
    swap = x > (a + 1) / (a + 2.5)
    first, second, at = (0.5, a, 1 - x) if swap else (a, 0.5, x)
    front = math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(0.5) + first * math.log(at) + second * math.log1p(-at)
    found = math.exp(front) * _continued_fraction(first, second, at) / first
    return min(1.0, max(0.0, 1 - found if swap else found))


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _TERMS):
        even_term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd_term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even_term, odd_term):
            d, c = 1 / _off_zero(1 + term * d), _off_zero(1 + term / c)
            found *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return found


def _off_zero(value: float) -> float:
    return _TINY if abs(value) < _TINY else value
