"""How often the bootstrap intervals of `levelhead correlate` hold the true coefficient; results in docs/validation.md.

    python scripts/full/correlation_intervals.py

Pairs of normal variables with a known correlation are drawn again and again; takes about two minutes.
"""

import math

import numpy as np

from levelhead.correlation.coefficients import correlations, interval
from levelhead.significance.resampling import resampled_weights

SAMPLES, RESAMPLES = 2000, 500


def covered(n_rows: int, true: float, rng: np.random.Generator) -> list[float]:
    """Return the share of intervals that hold Pearson's and Spearman's coefficients of the population."""
    held = [0, 0]
    for _ in range(SAMPLES):
        values = rng.normal(size=(n_rows, 2))
        values[:, 1] = true * values[:, 0] + math.sqrt(1 - true**2) * values[:, 1]
        draws = resampled_weights(n_rows, RESAMPLES, rng)
        for i, (method, target) in enumerate(
            (("pearson", true), ("spearman", 6 / math.pi * math.asin(true / 2)))  # Kruskal (1958) of normal variables
        ):
            low, high = interval(correlations(values, draws, method)[:, 0, 1], 0.95)
            held[i] += low is not None and high is not None and low <= target <= high
    return [share / SAMPLES for share in held]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    print("| treebanks | true coefficient | Pearson | Spearman |\n| ---: | ---: | ---: | ---: |")
    for n_rows in (10, 14, 30, 80):
        for true in (0.0, 0.5, 0.9):
            pearson, spearman = covered(n_rows, true, rng)
            print(f"| {n_rows} | {true} | {100 * pearson:.0f}% | {100 * spearman:.0f}% |", flush=True)
