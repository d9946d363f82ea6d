"""The detectable difference in plain Python: variances from their definitions, the noncentral t by integration."""

import math
import statistics

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaln, ndtr
from scipy.stats import chi, t


def values_without(pairs):
    """How the ratio of pairs of numerators and denominators changes without each unit."""
    above, below = (sum(column) for column in zip(*pairs, strict=True))
    return [(above - one) / (below - other) - above / below for one, other in pairs]


def components(runs_of_one, runs_of_other):
    """The variances of units, of runs in units, and of runs, the evenness of units, and that of one observation.

    Each argument is one list of pairs for each run.
    """
    sides = [[values_without(run) for run in runs] for runs in (runs_of_one, runs_of_other)]
    n = len(sides[0][0])
    changes = [
        statistics.fmean(run[u] for run in sides[1]) - statistics.fmean(run[u] for run in sides[0]) for u in range(n)
    ]
    units, interaction, between = sum(change**2 for change in changes), 0.0, 0.0
    for own, runs in zip(sides, (runs_of_one, runs_of_other), strict=True):
        if len(own) == 1:
            between = None
            continue
        within = sum(statistics.variance([run[u] for run in own]) for u in range(n))
        values = [sum(above for above, _ in run) / sum(below for _, below in run) for run in runs]
        interaction += within
        units -= within / len(own)
        if between is not None:
            between += max(0.0, statistics.variance(values) - within)
    every = [*runs_of_one, *runs_of_other]
    sizes = [statistics.fmean(run[u][1] for run in every) for u in range(n)]
    evenness = sum(sizes) ** 2 / sum(size**2 for size in sizes) / n
    return n * max(0.0, units), n * interaction, between, evenness, (2 * n / sum(sizes)) ** 2


def detectable(components_of, n_units, n_runs, alpha=0.05, power=0.8):
    """The root of the squared standard errors, each multiplied by the square of its own noncentrality."""

    def multiple(freedom):
        critical = t.ppf(1 - alpha / 2, freedom)
        return brentq(lambda shift: beyond(critical, freedom, shift) - power, 0, 200)

    return math.sqrt(sum(square * multiple(n) ** 2 for square, n in squares_of(components_of, n_units, n_runs)))


def squares_of(components_of, n_units, n_runs):
    """The squared standard error of units, and with several runs that of each system's mean, with their freedoms."""
    units, interaction, between, evenness, observation = components_of
    own, least = max(1, evenness * n_units - 1), observation / n_units**2
    if n_runs == 1:
        return [((units + interaction) / n_units + least, own)]
    one = (interaction / n_units + between) / n_runs / 2
    return [(units / n_units + least, own), (one, n_runs - 1), (one, n_runs - 1)]


def power_of(difference, components_of, n_units, n_runs, alpha=0.05, draws=100_000):
    """How often 0 is outside the interval around an estimate, whose half width is that of `compare`: by simulation."""
    squares = squares_of(components_of, n_units, n_runs)
    rng = np.random.default_rng(0)
    found = difference + rng.normal(size=draws) * math.sqrt(sum(square for square, _ in squares))
    estimated = [(square * rng.chisquare(n, draws) / n, n) for square, n in squares]
    half = np.sqrt(sum(square * t.ppf(1 - alpha / 2, n) ** 2 for square, n in estimated))
    return float(np.mean(np.abs(found) > half))


def beyond(critical, freedom, shift):
    """How often a noncentral t is beyond a critical value on either side, by adaptive integration over chi."""
    root = math.sqrt(freedom)
    log_scale = (1 - freedom / 2) * math.log(2) - float(gammaln(freedom / 2))

    def weighted(x):
        density = math.exp(log_scale + (freedom - 1) * math.log(x) - x * x / 2)  # of chi
        return density * (ndtr(shift - critical * x / root) + ndtr(-shift - critical * x / root))

    return quad(weighted, chi.ppf(1e-12, freedom), chi.isf(1e-12, freedom), limit=200)[0]
