"""Whether confidence sets of ranks hold the true ranks as often as they promise, and how wide they are.

    python scripts/full/rank_sets.py [--samples 400] [--resamples 500] [--units 300]

Twenty systems with known averages, a fixed number of standard errors (of one average) apart. Each sample draws units
(sentences or documents) with normal scores; errors are drawn as in `levelhead rank`. The table
has the share of samples in which a set holds the true rank (the mean over systems, and of the worst system), the share
in which all sets do, and the mean number of ranks in a set. A system in a tie has all ranks of the tie. Percentiles of
bootstrapped ranks stand next to the two kinds of confidence sets. Where systems are paired, most of what makes a unit
difficult is the same for all.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from levelhead.significance.rankings import pair_differences, sets_of_ranks
from levelhead.significance.resampling import correlated_errors, resampled

SYSTEMS = 20
LEVEL = 0.95
PAIRED = 0.8
"""The correlation of two systems over units."""


class Design(NamedTuple):
    """True averages in standard errors, and the correlation of systems."""

    name: str
    averages: np.ndarray
    correlation: float = 0.0


DESIGNS = (
    *(Design(f"{space} SE apart", -space * np.arange(SYSTEMS)) for space in (0.02, 0.1, 0.3, 1.0, 3.0)),
    *(Design(f"{space} SE apart, paired", -space * np.arange(SYSTEMS), PAIRED) for space in (0.02, 0.1, 0.3, 1.0)),
    Design("all equal", np.zeros(SYSTEMS)),
    Design("five ties of four, 1 SE apart", -(np.arange(SYSTEMS) // 4).astype(float)),
    Design("five ties of four, 3 SE apart, paired", -3.0 * (np.arange(SYSTEMS) // 4), PAIRED),
)


Ranges = np.ndarray
"""The best and the worst rank of each system, shape (systems, 2)."""


def true_ranks(averages: np.ndarray) -> Ranges:
    """Return the ranks of each system; those in a tie share all ranks of the tie."""
    higher = (averages > averages[:, None]).sum(axis=1)
    lower = (averages < averages[:, None]).sum(axis=1)
    return np.stack([1 + higher, len(averages) - lower], axis=1)


def percentile_ranks(averages: np.ndarray) -> Ranges:
    """Return the percentiles of ranks over resamples."""
    ranks = 1 + (averages[:, None, :] > averages[:, :, None]).sum(axis=2)
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    return np.quantile(ranks, tails, axis=0, method="inverted_cdf").T


def sample(design: Design, n_units: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the scores of units, shape (units, systems): averages have a standard error of 1."""
    common, own = rng.standard_normal((n_units, 1)), rng.standard_normal((n_units, SYSTEMS))
    noise = np.sqrt(design.correlation) * common + np.sqrt(1 - design.correlation) * own
    return design.averages + np.sqrt(n_units) * noise


def sets(units: np.ndarray, resamples: int, rng: np.random.Generator) -> Iterator[Ranges]:
    """Give the three kinds of sets of one sample."""
    averages = resampled(units, resamples, rng) / len(units)
    scores = units.mean(axis=0)[None]
    moves = (units - scores) / (len(units) - 1)
    covariance, freedom = moves.T @ moves, len(units) - 1.0
    errors = correlated_errors(covariance, freedom, resamples, rng)
    differences = pair_differences(scores, np.zeros(scores.shape, dtype=bool), covariance, freedom, errors)
    yield percentile_ranks(averages)
    yield np.array(sets_of_ranks(differences, LEVEL, jointly=False))
    yield np.array(sets_of_ranks(differences, LEVEL, jointly=True))


def report(design: Design, samples: int, resamples: int, n_units: int) -> None:
    """Print one row: coverage and width of each kind of sets."""
    rng, truth = np.random.default_rng([len(design.name), *design.name.encode()]), true_ranks(design.averages)
    found = np.array([list(sets(sample(design, n_units, rng), resamples, rng)) for _ in range(samples)])
    held = (found[..., 0] <= truth[:, 0]) & (found[..., 1] >= truth[:, 1])
    width = (found[..., 1] - found[..., 0] + 1).mean(axis=(0, 2))
    cells = [design.name]
    for kind in range(3):
        own = held[:, kind]
        shares = (own.mean(), own.mean(axis=0).min(), own.all(axis=1).mean())
        cells += [*(f"{100 * share:.1f}" for share in shares), f"{width[kind]:.1f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--units", type=int, default=300)
    given = parser.parse_args()
    heads = [f"{kind}: {what}" for kind in ("Percentiles", "Marginal", "Simultaneous")
             for what in ("mean", "worst", "all", "ranks")]  # fmt: skip
    print("| " + " | ".join(["Design", *heads]) + " |\n" + "| --- " * (1 + len(heads)) + "|")
    for design in DESIGNS:
        report(design, given.samples, given.resamples, given.units)


if __name__ == "__main__":
    main()
