"""Whether the tests of several training runs hold their level; results in development/simulations.md.

    python scripts/full/runs.py [--design equal|unequal] [--samples 1000]

Two equally good systems have several runs each. Words are correct by chance: the chance depends on the sentence (Beta,
mean 0.8) and on the run (normal, mean 0). The systems differ in the number of their runs, and in how much their runs
vary. A row has the share of p-values up to a level, the share of intervals of the difference that contain 0, and their
median width in points.
"""

import argparse
from collections.abc import Sequence
from itertools import product

import numpy as np

from levelhead.significance import SystemCounts, differences
from levelhead.significance.estimates import STANDARD

DESIGNS = {  # numbers of runs, standard deviations of runs, numbers of sentences
    "equal": (
        ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10)),
        ((0.02, 0.02), (0.02, 0.005), (0.005, 0.005), (0.0, 0.0)),
        (1000,),
    ),
    "unequal": (((1, 5), (2, 10), (3, 10)), ((0.02, 0.02), (0.02, 0.005), (0.005, 0.02)), (200, 1000)),
}
CELLS = {"p ≤ .01": 0.01, "p ≤ .05": 0.05, "p ≤ .10": 0.10, "p ≤ .50": 0.50}


def simulated(
    n_sentences: int, n_runs: Sequence[int], spreads: Sequence[float], rng: np.random.Generator
) -> SystemCounts:
    """Make two equally good systems with several runs each, whose true scores vary by chance."""
    words = rng.integers(5, 40, n_sentences)
    errors = np.concatenate([rng.normal(0, spread, n) for n, spread in zip(n_runs, spreads, strict=True)])
    chance = rng.beta(8, 2, n_sentences)[:, None] + errors
    right = rng.binomial(words[:, None], np.clip(chance, 0, 1))
    whole = np.broadcast_to(words[:, None], right.shape)
    parts = np.stack([right, whole], axis=2)[:, :, None, :].astype(np.float64)
    return SystemCounts(("A",) * n_runs[0] + ("B",) * n_runs[1], ("LAS",), parts)


def report(n_runs: Sequence[int], spreads: Sequence[float], size: int, samples: int) -> None:
    """Print one row: how often a true null is rejected, and how often the interval contains 0."""
    rng = np.random.default_rng([*n_runs, *(round(1000 * spread) for spread in spreads), size])
    found = [differences({"x": simulated(size, n_runs, spreads, rng)}, STANDARD)[1] for _ in range(samples)]
    p = np.array([one.p for one in found])
    held = np.mean([one.difference_interval[0] <= 0 <= one.difference_interval[1] for one in found])
    width = np.median([one.difference_interval[1] - one.difference_interval[0] for one in found])
    shares = [f"{100 * np.mean(p <= level):.1f}" for level in CELLS.values()]
    design = [f"{n} ({100 * spread:g})" for n, spread in zip(n_runs, spreads, strict=True)]
    cells = [*design, str(size), *shares, f"{100 * held:.1f}", f"{width:.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", choices=[*DESIGNS], help="only these rows")
    parser.add_argument("--samples", type=int, default=1000)
    given = parser.parse_args()
    heads = ["Runs of A (SD)", "Runs of B (SD)", "Sentences", *CELLS, "Contains 0", "Width"]
    print("| " + " | ".join(heads) + " |\n" + "| ---: " * len(heads) + "|", flush=True)
    for design in DESIGNS.values() if given.design is None else [DESIGNS[given.design]]:
        for n_runs, spreads, size in product(*design):
            report(n_runs, spreads, size, given.samples)


if __name__ == "__main__":
    main()
