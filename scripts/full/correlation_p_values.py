"""How often `levelhead correlate` finds a correlation where there is none; results in docs/validation.md.

    LEVELHEAD_DATA=... python scripts/full/correlation_p_values.py

Pairs of independent columns are drawn again and again: normal, with heavy tails, and from two real columns (words of UD
test sets, and their multiword tokens per word, drawn with replacement; left out without $LEVELHEAD_DATA). Takes about
four minutes. Prints the share of pairs with p <= .05 and p <= .01 by permutations and by Student's t.
"""

import csv
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from levelhead.correlation.coefficients import correlations, p_value, permutation_p_values
from levelhead.correlation.correlate import METHODS

SAMPLES, PERMUTATIONS = 4000, 999
LEVELS = (0.05, 0.01)
Draw = Callable[[int, np.random.Generator], np.ndarray]


def real_columns(path: Path) -> Draw:
    """Return a function that draws the sizes of test sets, and by themselves their multiword tokens per word."""
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["split"] == "test"]
    words, multiword = (np.array([float(row[name]) for row in rows]) for name in ("words", "multiword_tokens"))
    return lambda n, rng: np.stack([rng.choice(words, n), rng.choice(multiword / words, n)], axis=1)


def sources() -> Iterator[tuple[str, Draw]]:
    """Give the name of each kind of columns with what draws them."""
    yield "normal", lambda n, rng: rng.normal(size=(n, 2))
    yield "Student's t, 2 degrees", lambda n, rng: rng.standard_t(2, size=(n, 2))
    yield "log-normal, SD 1.5", lambda n, rng: rng.lognormal(sigma=1.5, size=(n, 2))
    if "LEVELHEAD_DATA" in os.environ:
        yield "words, multiword tokens", real_columns(Path(os.environ["LEVELHEAD_DATA"]) / "ud/MANIFEST.tsv")


def rejected(draw: Draw, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the share of samples with p at most each level, shape (methods, tests, levels)."""
    one, shares = np.ones((1, n)), np.zeros((len(METHODS), 2, len(LEVELS)))
    for _ in range(SAMPLES):
        values = draw(n, rng)
        for i, method in enumerate(METHODS):
            r = correlations(values, one, method)[0, 0, 1]
            by_t = 1.0 if np.isnan(r) else p_value(r, n)  # a column that does not vary correlates with nothing
            for k, p in enumerate((permutation_p_values(values, method, PERMUTATIONS, rng)[0, 1], by_t)):
                shares[i, k] += [p <= level for level in LEVELS]
    return shares / SAMPLES


if __name__ == "__main__":
    heads = [f"{method.capitalize()}, {test}" for method in METHODS for test in ("permutations", "t")]
    print(f"| columns | treebanks | {' | '.join(heads)} |\n| --- | ---: | {'---: | ' * len(heads)}")
    for name, draw in sources():
        for n in (8, 12, 20, 40):
            shares = rejected(draw, n, np.random.default_rng(n))
            cells = [f"{100 * five:.1f}%, {100 * one:.1f}%" for five, one in shares.reshape(-1, 2)]
            print(f"| {name} | {n} | {' | '.join(cells)} |", flush=True)
