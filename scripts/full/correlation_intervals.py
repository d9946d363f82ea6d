"""How often the intervals of `levelhead correlate` hold the true coefficient; results in development/simulations.md.

    LEVELHEAD_DATA=... python scripts/full/correlation_intervals.py

Pairs of columns with a known coefficient are drawn again and again, and matrices of eight columns, whose 28 intervals
hold jointly. The last row is drawn from real columns, and left out without $LEVELHEAD_DATA. Takes about two minutes.
"""

import csv
import math
import os
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from levelhead.correlation.coefficients import SKEWED, Method, correlations, fisher_z, skewness
from levelhead.significance.corrections import level_of_each

SAMPLES, JOINT_SAMPLES, LARGE, LEVEL = 1000, 250, 1_000_000, 0.95
METHODS: tuple[Method, ...] = ("pearson", "spearman")
ROWS = (8, 14, 30, 80)
Draw = Callable[[int, np.random.Generator], np.ndarray]


class Design(NamedTuple):
    """Pairs of columns and their true coefficients; nan for those of a large sample."""

    name: str
    draw: Draw
    pearson: float = math.nan
    n_given: int = 0

    def truth(self) -> dict[Method, float]:
        """Return the true coefficients."""
        values = self.draw(LARGE, np.random.default_rng(0))
        one = np.ones((1, LARGE))
        found = {method: float(correlations(values, one, method, self.n_given)[0, 0, 1]) for method in METHODS}
        return found if math.isnan(self.pearson) else {**found, "pearson": self.pearson}


def normal(true: float, n_rows: int, rng: np.random.Generator, n_columns: int = 2) -> np.ndarray:
    """Return normal columns, each pair with the same correlation."""
    shared, own = rng.normal(size=(n_rows, 1)), rng.normal(size=(n_rows, n_columns))
    return math.sqrt(true) * shared + math.sqrt(1 - true) * own


def log_normal(true: float, deviation: float) -> Design:
    """Return a log-normal and a normal column, from normal columns with a correlation."""

    def draw(n_rows: int, rng: np.random.Generator) -> np.ndarray:
        values = normal(true, n_rows, rng)
        return np.stack([np.exp(deviation * values[:, 0]), values[:, 1]], axis=1)

    r = true * deviation / math.sqrt(math.expm1(deviation**2))
    return Design(f"log-normal (SD {deviation}) and normal", draw, r)


def both_log_normal(n_rows: int, rng: np.random.Generator) -> np.ndarray:
    return np.exp(normal(0.8, n_rows, rng))


def heavy_sum(n_rows: int, rng: np.random.Generator) -> np.ndarray:
    x = np.exp(1.5 * rng.normal(size=n_rows))
    return np.stack([x, x + 3 * rng.normal(size=n_rows)], axis=1)


def product(n_rows: int, rng: np.random.Generator, deviation: float = 0) -> np.ndarray:
    """Return x and x * noise, which depend on each other, but have the coefficient 0; x is normal or log-normal."""
    x = np.exp(deviation * rng.normal(size=n_rows)) if deviation else rng.normal(size=n_rows)
    return np.stack([x, x * rng.normal(size=n_rows)], axis=1)


def with_given(n_rows: int, rng: np.random.Generator) -> np.ndarray:
    values = normal(0.7, n_rows, rng, 3)
    return np.stack([values[:, 0], values[:, 1], np.exp(values[:, 2])], axis=1)


def real_columns(path: Path) -> Draw:
    """Return a function that draws the size and the share of multiword tokens of test sets."""
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["split"] == "test"]
    words, multiword = (np.array([float(row[name]) for row in rows]) for name in ("words", "multiword_tokens"))
    columns = np.stack([words, multiword / words], axis=1)
    return lambda n_rows, rng: columns[rng.integers(0, len(columns), n_rows)]


def designs() -> Iterator[Design]:
    """Give the kinds of columns."""
    for true in (0.0, 0.5, 0.9):
        yield Design("normal", lambda n, rng, true=true: normal(true, n, rng), true)
    yield Design("rounded normal, with ties", lambda n, rng: np.round(normal(0.7, n, rng)))
    for true, deviation in ((0.8, 0.5), (0.8, 1), (0.5, 1.5), (0.8, 1.5)):
        yield log_normal(true, deviation)
    yield Design("both log-normal (SD 1)", both_log_normal, math.expm1(0.8) / math.expm1(1))
    yield Design("log-normal x (SD 1.5), x + noise", heavy_sum)
    yield Design("normal x, x * noise", product, 0.0)
    yield Design("log-normal x (SD 1), x * noise", lambda n, rng: product(n, rng, 1), 0.0)
    yield Design("normal, given a log-normal column", with_given, n_given=1)
    if "LEVELHEAD_DATA" in os.environ:
        path = Path(os.environ["LEVELHEAD_DATA"]) / "ud/MANIFEST.tsv"
        yield Design("words, multiword tokens per word", real_columns(path))


def covered(design: Design, truth: dict[Method, float], n_rows: int) -> list[float]:
    """Return the share of intervals that hold Pearson's and Spearman's coefficient, and that of the default method."""
    rng, held = np.random.default_rng(n_rows), np.zeros(3)
    for _ in range(SAMPLES):
        values = design.draw(n_rows, rng)
        holds = []
        for method in METHODS:
            low, high, _ = fisher_z(values, method, design.n_given).test(0, 1, LEVEL)
            holds.append(low is None or high is None or low <= truth[method] <= high)
        skewed = bool(np.abs(skewness(values)).max() > SKEWED)
        held += [*holds, holds[skewed]]
    return (held / SAMPLES).tolist()


def covered_jointly(true: float, n_rows: int) -> list[float]:
    """Return the share of samples whose 28 intervals hold all coefficients of normal columns."""
    rng, held = np.random.default_rng(n_rows), np.zeros(2)
    truth = dict(zip(METHODS, (true, 6 / math.pi * math.asin(true / 2))))  # Kruskal (1958) of normal variables
    pairs = [*combinations(range(8), 2)]
    level = level_of_each(LEVEL, len(pairs))
    for _ in range(JOINT_SAMPLES):
        values = normal(true, n_rows, rng, 8)
        found = {method: fisher_z(values, method) for method in METHODS}
        ends = {method: [found[method].test(*pair, level) for pair in pairs] for method in METHODS}
        held += [all(low <= truth[method] <= high for low, high, _ in ends[method]) for method in METHODS]
    return (held / JOINT_SAMPLES).tolist()


def shown(shares: list[float]) -> str:
    return ", ".join(f"{100 * share:.0f}" for share in shares)


if __name__ == "__main__":
    print("| columns | r | Pearson | Spearman's | Spearman | default |\n| --- | ---: | --- | ---: | --- | --- |")
    for design in designs():
        truth = design.truth()
        columns = [*zip(*(covered(design, truth, n_rows) for n_rows in ROWS))]
        r, rank = (f"{truth[method] + 0.0:.2f}" for method in METHODS)
        print(
            f"| {design.name} | {r} | {shown(columns[0])} | {rank} | {shown(columns[1])} | {shown(columns[2])} |",
            flush=True,
        )
    for true in (0.0, 0.5):
        columns = [*zip(*(covered_jointly(true, n_rows) for n_rows in ROWS))]
        print(f"| eight normal columns, jointly | {true} | {shown(columns[0])} | | {shown(columns[1])} | |", flush=True)
