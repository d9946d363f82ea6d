"""The detectable difference in plain Python: variances from their definitions, the noncentral t by integration."""

import math
import statistics

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import chi, norm, t


def linearized(pairs):
    """The term of each unit from pairs of numerators and denominators: its residual, times units over the whole."""
    whole = sum(below for _, below in pairs)
    ratio = sum(above for above, _ in pairs) / whole
    return [len(pairs) * (above - ratio * below) / whole for above, below in pairs]


def components(runs_of_one, runs_of_other):
    """The variances of units, of runs in units, and of runs; each argument is one list of pairs for each run."""
    sides = [[linearized(run) for run in runs] for runs in (runs_of_one, runs_of_other)]
    n_units = len(sides[0][0])
    changes = [
        statistics.fmean(run[u] for run in sides[1]) - statistics.fmean(run[u] for run in sides[0])
        for u in range(n_units)
    ]
    units, interaction, between = statistics.variance(changes), 0.0, 0.0
    for own, runs in zip(sides, (runs_of_one, runs_of_other), strict=True):
        if len(own) == 1:
            between = None
            continue
        within = statistics.fmean(statistics.variance([run[u] for run in own]) for u in range(n_units))
        values = [sum(above for above, _ in run) / sum(below for _, below in run) for run in runs]
        interaction += within
        units -= within / len(own)
        if between is not None:
            between += max(0.0, statistics.variance(values) - within / n_units)
    return max(0.0, units), interaction, between


def detectable(components_of, n_units, n_runs, alpha=0.05, power=0.8):
    """The difference that a t-test with Satterthwaite's degrees of freedom detects."""
    units, interaction, between = components_of
    if n_runs == 1:
        squares = [((units + interaction) / n_units, n_units - 1)]
    else:
        squares = [(units / n_units, n_units - 1), ((interaction / n_units + between) / n_runs, 2 * (n_runs - 1))]
    whole = sum(square for square, _ in squares)
    freedom = whole**2 / sum(square**2 / n for square, n in squares)
    critical = t.ppf(1 - alpha / 2, freedom)

    def missing(shift):
        return beyond(critical, freedom, shift) - power

    return brentq(missing, 0, 30) * math.sqrt(whole)


def beyond(critical, freedom, shift):
    """How often a noncentral t is beyond a critical value on either side, by adaptive integration over chi."""
    root = math.sqrt(freedom)

    def weighted(x):
        right, left = shift - critical * x / root, -shift - critical * x / root
        return chi.pdf(x, freedom) * (norm.cdf(right) + norm.cdf(left))

    return quad(weighted, chi.ppf(1e-12, freedom), chi.isf(1e-12, freedom), limit=200)[0]
