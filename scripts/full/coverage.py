"""How often intervals contain the true value, and how often tests reject a true null; results in docs/validation.md.

    python scripts/full/coverage.py DATA CACHE [--table documents|methods|sentences|languages] [--pool NAME ...]
                                    [--draws 2000] [--swaps 999] [--bootstraps 400]

DATA has `conll18` (gold and outputs of the CoNLL 2018 shared task) and `ud`; treebanks parsed here are kept in CACHE.
A pool is all documents of a test set, with what pairs of real systems made of them. Samples of documents are drawn from
it with replacement. Its own score, or difference, is the true value.

- As drawn: how often do 95% intervals of the score and of the difference contain the true value?
- Exchanged: each document's outputs go to the two systems at random. How often is p at most .05?
- Recentered: the pool's difference is subtracted from each document, so that documents differ, but not on average.

`methods` has the coverage of bootstraps by sentence and by document; `sentences` draws few sentences;
`languages` compares samples of the same treebank as `levelhead languages` does. The tables have the lowest and highest
percentage over measures and pairs, then a line for each cell that misses a goal. The estimates are computed for all
draws at once, and compared with those of `levelhead.significance.differences` for some draws of every cell.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from coverage_pools import MEASURES, OFFICIAL, TRAINED, Pool, pools
from scipy import stats

from levelhead.comparison.evaluations import _difference
from levelhead.significance import InferenceSettings, SystemCounts, differences
from levelhead.significance.differences import permutation_p
from levelhead.significance.jackknife import leave_out, ratios
from levelhead.significance.resampling import resampled, seeded, swapped
from levelhead.significance.units import FEWEST_UNITS

LEVEL = 0.95
TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
PAIRS = ((0, 1), (2, 3))
DOCUMENTS = (10, 20, 50)
SENTENCES = (10, 15, 20, 30, 100)
DOCUMENT_POOLS = (*OFFICIAL, "pud", *TRAINED)
SENTENCE_POOLS = (*OFFICIAL, "fi_pud")
LANGUAGE_SIZES = ((20, 1000), (20, 20), (10, 1000))
BATCH = 250
CHECKED = 3
"""How many draws of each batch and null are compared with the package, to five digits."""

SCORE, DIFFERENCE = np.array([0.0, 1.0]), np.array([-1.0, 1.0])
Bounds = tuple[np.ndarray, np.ndarray]


class Estimates(NamedTuple):
    """The estimates of all draws, each of shape (draws, measures)."""

    value: np.ndarray
    variance: np.ndarray
    freedom: np.ndarray
    n_units: np.ndarray

    @property
    def t(self) -> np.ndarray:
        """The quantile of Student's t for the interval."""
        return stats.t.ppf((1 + LEVEL) / 2, self.freedom)

    def interval(self) -> Bounds:
        """Return symmetric intervals."""
        half = self.t * np.sqrt(self.variance)
        return self.value - half, self.value + half

    def score_interval(self) -> Bounds:
        """Return Wilson's intervals with the effective sample size."""
        bounded = self.value * (1 - self.value)
        known = (bounded > 0) & (self.variance > 1e-24)
        share = np.divide(self.variance, bounded, out=1 / np.maximum(1, self.n_units), where=known)
        ratio = self.t**2 * share
        half = np.sqrt(ratio * bounded + ratio**2 / 4)
        return (self.value + ratio / 2 - half) / (1 + ratio), (self.value + ratio / 2 + half) / (1 + ratio)

    def p(self) -> np.ndarray:
        """Return two-sided p-values of Student's t."""
        return 2 * stats.t.sf(np.abs(self.value) / np.sqrt(self.variance), self.freedom)


def estimates(parts: np.ndarray, contrast: np.ndarray) -> Estimates:
    """Estimate a score or a difference from each draw by leaving out one unit at a time.

    Args:
        parts: the counts, shape (draws, units, 2, measures, 2).
        contrast: `SCORE` (of the second system) or `DIFFERENCE`.
    """
    totals = parts.sum(axis=1, keepdims=True)
    values = ratios(totals)
    moved = np.einsum("durm,r->dum", np.nan_to_num(ratios(totals - parts) - values), contrast)
    sizes = parts[..., 1][:, :, contrast != 0].mean(axis=2)
    total = sizes.sum(axis=1)
    effective = total**2 / np.maximum((sizes**2).sum(axis=1), 1)
    observation = (2 / np.maximum(total, 1)) ** 2 if (contrast != 0).all() else 0.0
    return Estimates(
        np.einsum("drm,r->dm", values[:, 0], contrast),
        (moved**2).sum(axis=1) + observation,
        np.maximum(effective - 1, 1),
        np.count_nonzero(sizes, axis=1),
    )


def p_values(parts: np.ndarray, settings: InferenceSettings) -> np.ndarray:
    """Return the p-values of the differences, shape (draws, measures); nan with too few units."""
    found = estimates(parts, DIFFERENCE)
    change = (parts[:, :, 1] - parts[:, :, 0]).swapaxes(0, 1)
    moved = swapped(change.reshape(len(change), -1), settings.resamples, seeded(settings))
    moved = moved.reshape(-1, *change.shape[1:])
    total = parts.sum(axis=1)
    permuted = ratios(total[:, 1] - moved) - ratios(total[:, 0] + moved)
    return np.where(found.n_units >= FEWEST_UNITS, np.maximum(found.p(), permutation_p(permuted, found.value)), np.nan)


def check(parts: np.ndarray, p: np.ndarray, settings: InferenceSettings) -> None:
    """Compare some draws with what the package returns for them."""
    score, difference = estimates(parts, SCORE), estimates(parts, DIFFERENCE)
    for d in range(min(CHECKED, len(parts))):
        table = SystemCounts(("one", "other"), MEASURES, parts[d])
        for m, row in enumerate(differences({"pool": table}, settings)[1::2]):
            for bounds, interval in (
                (score.score_interval(), row.interval),
                (difference.interval(), row.difference_interval),
            ):
                if interval is not None and 0 <= (row.value or 0) <= 1:
                    np.testing.assert_allclose([side[d, m] for side in bounds], interval, atol=1e-5)
            np.testing.assert_allclose(p[d, m], np.nan if row.p is None else row.p, atol=1e-5)


def contained(bounds: Bounds, true: np.ndarray, enough: np.ndarray) -> np.ndarray:
    """Say for each draw whether the interval contains the true value; nan without an interval."""
    inside = (bounds[0] <= true + 1e-12) & (true <= bounds[1] + 1e-12)
    return np.where(enough, inside, np.nan)


class Cell(NamedTuple):
    """What came of the draws of one size from one pool, in percent, each of shape (measures, pairs)."""

    score: np.ndarray
    difference: np.ndarray
    exchanged: np.ndarray
    recentered: np.ndarray
    effective: float


def simulate(rows: np.ndarray, size: int, draws: int, swaps: int) -> Cell:
    """Draw samples of units from a pool.

    Args:
        rows: the counts of each unit, shape (units, 4, measures, 2).
        size: of the samples.
        draws: how many.
        swaps: how many permutations for each p.
    """
    each = [simulate_pair(rows[:, pair], size, draws, swaps, seed) for seed, pair in enumerate(PAIRS)]
    score, difference, exchanged, recentered, effective = (np.stack(kind, axis=-1) for kind in zip(*each, strict=True))
    return Cell(score, difference, exchanged, recentered, float(np.median(effective)))


def simulate_pair(rows: np.ndarray, size: int, draws: int, swaps: int, seed: int) -> Sequence[np.ndarray]:
    """Draw samples for one pair of systems: the four percentages of each measure, and effective numbers of units."""
    true = ratios(rows.sum(axis=0))
    recentered = rows.copy()
    recentered[:, 1, :, 0] -= (true[1] - true[0]) * rows[:, 1, :, 1]
    rng = np.random.default_rng([size, len(rows), seed])
    found: list[list[np.ndarray]] = []
    for first in range(0, draws, BATCH):
        number = min(BATCH, draws - first)
        drawn = rng.integers(0, len(rows), (number, size))
        parts = rows[drawn]
        swap = rng.random((number, size)) < 0.5
        exchanged = np.where(swap[:, :, None, None, None], parts[:, :, ::-1], parts)
        settings = InferenceSettings(swaps, seed=first)
        score, difference = estimates(parts, SCORE), estimates(parts, DIFFERENCE)
        nulls = [p_values(null, settings) for null in (exchanged, recentered[drawn])]
        check(exchanged, nulls[0], settings)
        check(recentered[drawn], nulls[1], settings)
        found.append(
            [
                contained(score.score_interval(), true[1], score.n_units >= FEWEST_UNITS),
                contained(difference.interval(), true[1] - true[0], difference.n_units >= FEWEST_UNITS),
                *((null <= 1 - LEVEL + 1e-12).astype(float) for null in nulls),
                score.freedom + 1,
            ]
        )
    whole = [np.concatenate(kind) for kind in zip(*found, strict=True)]
    return [100 * np.nanmean(kind, axis=0) for kind in whole[:4]] + [np.median(whole[4], axis=0)]


def percentiles(rows: np.ndarray, resamples: int, rng: np.random.Generator) -> tuple[Bounds, Bounds]:
    """Return percentile intervals of the scores of the second of each pair, and of the differences."""
    sums = resampled(rows.reshape(len(rows), -1), resamples, rng).reshape(-1, *rows.shape[1:])
    values = ratios(sums)
    first, second = values[:, [a for a, _ in PAIRS]], values[:, [b for _, b in PAIRS]]
    score, difference = (np.nanquantile(kind, TAILS, axis=0) for kind in (second, second - first))
    return (score[0], score[1]), (difference[0], difference[1])


def studentized(rows: np.ndarray, resamples: int, rng: np.random.Generator) -> tuple[Bounds, Bounds]:
    """Return bootstrap-t intervals, with linearized standard errors; like `percentiles`."""
    quads = np.stack([rows[:, pair].swapaxes(1, 2).reshape(len(rows), -1, 4) for pair in PAIRS], axis=1)
    products = quads[..., :, None] * quads[..., None, :]
    table = np.concatenate([quads.reshape(len(rows), -1), products.reshape(len(rows), -1)], axis=1)
    sums = np.concatenate([table.sum(axis=0)[None], resampled(table, resamples, rng)])
    totals, products = np.split(sums, [quads[0].size], axis=1)
    return tuple(
        _studentized(totals.reshape(-1, *quads.shape[1:]), products.reshape(-1, *quads.shape[1:], 4), contrast)
        for contrast in (SCORE, DIFFERENCE)
    )


def _studentized(totals: np.ndarray, products: np.ndarray, contrast: np.ndarray) -> Bounds:
    """Bootstrap-t intervals from the totals (numerators and denominators of both systems) and those of products."""
    with np.errstate(all="ignore"):
        inverse = contrast / totals[..., 1::2]
        values = totals[..., ::2] / totals[..., 1::2]
        factors = np.stack([inverse, -inverse * values], axis=-1).reshape(totals.shape)
        found = values @ contrast
        errors = np.sqrt(np.maximum(np.einsum("...i,...ij,...j->...", factors, products, factors), 0))
        low, high = np.nanquantile((found[1:] - found[0]) / errors[1:], TAILS, axis=0)
    return found[0] - high * errors[0], found[0] - low * errors[0]


def bootstraps(pool: Pool, size: int, draws: int, resamples: int = 499) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Draw documents, and give the coverage of intervals of scores and of differences, in percent, by each bootstrap.

    Percentiles by sentence come first, then percentiles and the bootstrap-t by document.

    Args:
        pool: the documents.
        size: how many documents to draw.
        draws: how many samples.
        resamples: of each sample.
    """
    documents = pool.documents
    values = ratios(documents.sum(axis=0))
    first, second = (values[list(own)] for own in zip(*PAIRS, strict=True))
    sentences = [pool.parts[pool.units.of_sentence == number] for number in range(len(documents))]
    rng = np.random.default_rng([size, len(documents)])
    samples = [rng.integers(0, len(documents), size) for _ in range(draws)]
    for method, units in (
        (percentiles, sentences),
        (percentiles, documents[:, None]),
        (studentized, documents[:, None]),
    ):
        held = [method(np.concatenate([units[number] for number in drawn]), resamples, rng) for drawn in samples]
        score = np.mean([contained(one, second, np.True_) for one, _ in held], axis=0)
        difference = np.mean([contained(two, second - first, np.True_) for _, two in held], axis=0)
        yield 100 * score, 100 * difference


def language_rejections(rows: np.ndarray, sizes: tuple[int, int], draws: int) -> np.ndarray:
    """Compare two samples of the same treebank: how often p is at most .05, in percent, shape (systems, measures)."""
    rng = np.random.default_rng(sizes)
    systems = tuple(map(str, range(rows.shape[1])))
    rejected = np.zeros((draws, len(systems), len(MEASURES)))
    for d in range(draws):
        tables = [SystemCounts(systems, MEASURES, rows[rng.integers(0, len(rows), size)]) for size in sizes]
        values = [table.values(table.parts.sum(axis=0)) for table in tables]
        one, other = (leave_out(table) for table in tables)
        for s, m in np.ndindex(len(systems), len(MEASURES)):
            change = [values[0][s, m], values[1][s, m]]
            found = _difference(change, [one, other], s, m, paired=False).interval(LEVEL)
            rejected[d, s, m] = found is not None and not found[0] <= 0 <= found[1]  # as p <= 1 - LEVEL
    return 100 * rejected.mean(axis=0)


def span(percentages: np.ndarray) -> str:
    """Return the lowest and the highest percentage."""
    return f"{np.min(percentages):.1f}-{np.max(percentages):.1f}"


def head(*titles: str) -> None:
    """Print the head of a table."""
    print("| " + " | ".join(titles) + " |\n| --- |" + " ---: |" * (len(titles) - 1), flush=True)


def row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def missed(name: str, size: int, cell: Cell) -> Iterator[str]:
    """Name the cells that miss a goal."""
    least, most = (90, 100) if size < 20 else (93, 97)
    for kind, low, high in (
        ("score", least, most),
        ("difference", least, most),
        ("exchanged", 0, 6),
        ("recentered", 0, 6),
    ):
        for (m, pair), share in np.ndenumerate(getattr(cell, kind)):
            if not low <= share <= high:
                yield f"{name}\t{size}\t{kind}\t{MEASURES[m]}\t{pair + 1}\t{share:.1f}"


def simulated(sizes: Sequence[tuple[str, np.ndarray, int]], unit: str, given: argparse.Namespace) -> None:
    """Print a table of simulated coverage, and what misses a goal."""
    head("Pool", unit, "Effective", "Score", "Difference", "Exchanged", "Recentered")
    misses = []
    for name, rows, size in sizes:
        cell = simulate(rows, size, given.draws, given.swaps)
        shares = map(span, (cell.score, cell.difference, cell.exchanged, cell.recentered))
        row(name, size, f"{cell.effective:.0f}", *shares)
        misses += missed(name, size, cell)
    print("", "Misses:", *misses, "", sep="\n", flush=True)


def documents_table(wanted: Sequence[Pool], given: argparse.Namespace) -> None:
    """Print coverage and rejections with documents as units."""
    cells = []
    for pool in wanted:
        rows = pool.documents
        sizes = sorted({*(size for size in DOCUMENTS if size < len(rows)), len(rows)})
        cells += [(pool.name, rows, size) for size in sizes]
    simulated(cells, "Documents", given)


def sentences_table(wanted: Sequence[Pool], given: argparse.Namespace) -> None:
    """Print coverage and rejections with few sentences as units."""
    simulated([(pool.name, pool.parts, size) for pool in wanted for size in SENTENCES], "Sentences", given)


def methods_table(wanted: Sequence[Pool], given: argparse.Namespace) -> None:
    """Print the coverage of bootstraps, with 20 documents and with all."""
    names = ("percentiles, sentences", "percentiles, documents", "bootstrap-t, documents")
    head("Pool", "Documents", *(f"{kind}: {name}" for kind in ("Score", "Difference") for name in names))
    for pool in wanted:
        for size in sorted({min(20, pool.units.n_units), pool.units.n_units}):
            scores, changes = zip(*bootstraps(pool, size, given.bootstraps), strict=True)
            row(pool.name, size, *map(span, scores), *map(span, changes))


def languages_table(wanted: Sequence[Pool], given: argparse.Namespace) -> None:
    """Print how often samples of the same treebank differ."""
    head("Pool", "Sentences", "Rejected", "Mean")
    for pool in wanted:
        for sizes in LANGUAGE_SIZES:
            found = language_rejections(pool.parts[:, :2], sizes, given.draws)
            row(pool.name, f"{sizes[0]} and {sizes[1]}", span(found), f"{found.mean():.1f}")


TABLES = {
    "documents": (documents_table, DOCUMENT_POOLS),
    "methods": (methods_table, DOCUMENT_POOLS),
    "sentences": (sentences_table, SENTENCE_POOLS),
    "languages": (languages_table, SENTENCE_POOLS),
}


def main() -> None:
    """Print the tables of docs/validation.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--table", choices=[*TABLES], action="append", help="only this table")
    parser.add_argument("--pool", action="append", help="only this pool")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--swaps", type=int, default=999)
    parser.add_argument("--bootstraps", type=int, default=400, help="draws for --table methods")
    given = parser.parse_args()
    for name in given.table or TABLES:
        table, names = TABLES[name]
        table(pools(given.data, given.cache, given.pool or names), given)


if __name__ == "__main__":
    main()
