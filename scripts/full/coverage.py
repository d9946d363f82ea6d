"""How often intervals contain the true value, and how often claims are wrong; results in development/simulations.md.

    python scripts/full/coverage.py DATA CACHE [--table NAME ...] [--pool NAME ...] [--draws 2000] [--jobs 1]

DATA has `conll18` (gold and outputs of the CoNLL 2018 shared task, also `more`) and `ud`; pools are kept in CACHE.
A pool is all documents of a test set, with what real systems made of them. Samples of documents are drawn from it with
replacement: each is a new test set, in which a document that was drawn twice is two units. The value on the pool is the
true one. For differences, each system's number of correct words is changed in proportion to its words such that all
systems have the same true score. So each claim of a difference is wrong.

Of all pairs of systems, ordered by the difference in LAS, the middle one of each third is a pair; six systems at equal
distances in the ranking form a ranking. A cell is a measure and a pair with a number of documents. It is noted if one
document causes more than a third of the variance of the difference on the whole pool.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from coverage_pools import MEASURES, TRAINED, Pool, pools
from scipy import stats

from levelhead.significance import SystemCounts, better_on_at_least, corrected
from levelhead.significance.corrections import compare_pairs
from levelhead.significance.estimates import MOST_INFLUENCE, Estimate, Interval, UnpairedDifference
from levelhead.significance.jackknife import OBSERVATION, Contrast, ratios
from levelhead.significance.scopes import EQUAL, CountedUnits, Scope
from levelhead.significance.units import DOCUMENT, FEWEST_UNITS, ParallelUnits, Units

LEVEL = 0.95
ALPHA = 0.05
MARGIN = 0.01
RANKED = 6
BATCH = 20_000
CHECKED = 3
"""How many draws of each cell are compared with the package."""
CLAIMS = ("rejected", "one_sided", "margin")
COLUMNS = ("Note", "Interval", "Rejected", "One-sided", "Margin")
SIZES = (20, 50)
SENTENCES = (20, 50, 100)
DOCUMENT_POOLS = ("bg_btb", "el_gdt", "hy_armtdp", "en_ewt", "pud", *TRAINED)
SENTENCE_POOLS = ("bg_btb", "el_gdt", "hy_armtdp", "en_ewt", "fi_pud")
TREEBANK_SIZES = ((20, 1000), (20, 20), (10, 1000))

Kind = Callable[[Estimate, float], Interval | None]
"""A kind of interval of an estimate at a level."""


def pairs_of(parts: np.ndarray) -> list[tuple[int, int]]:
    """Return three pairs of systems, of those that are close, less close, and far apart in LAS; the better is first."""
    values = ratios(parts.sum(axis=0))[:, 0]
    ordered = sorted(combinations(range(len(values)), 2), key=lambda pair: values[pair[0]] - values[pair[1]])
    return [ordered[len(ordered) * sixths // 6] for sixths in (1, 3, 5)]


def ranked_of(n_systems: int) -> list[int]:
    """Return six systems at equal distances in the ranking."""
    return np.linspace(0, n_systems - 1, RANKED).round().astype(int).tolist()


def scope_of(parts: np.ndarray, *, joint: bool = True) -> Scope:
    """Return a test set, or the macro-average over several that share their units.

    Args:
        parts: the counts, shape (test sets, units, systems, 2).
        joint: whether to treat units of test sets with the same number as one unit.
    """
    systems = tuple(map(str, range(parts.shape[2])))
    tables = [SystemCounts(systems, ("score",), rows[:, :, None]) for rows in parts]
    sets = {str(number): CountedUnits(table, "document") for number, table in enumerate(tables)}
    if len(sets) == 1:
        return Scope("sample", sets)
    numbers = dict.fromkeys(sets, np.arange(parts.shape[1]))
    units = dict.fromkeys(sets, Units(DOCUMENT, np.arange(parts.shape[1])))
    parallel = ParallelUnits(units, {}, dict.fromkeys(sets, "all"), numbers) if joint else None
    return Scope("sample", sets, "macro", parallel)


def values_of(parts: np.ndarray) -> np.ndarray:
    """Return the true macro-averages, shape (systems, measures), from counts by test set and unit."""
    return ratios(parts.sum(axis=1)).mean(axis=0)


def equalized(parts: np.ndarray) -> np.ndarray:
    """Return counts of systems with the same true values; shape (test sets, units, systems, measures, 2)."""
    values, changed = values_of(parts), parts.copy()
    changed[..., 0] -= (values - values.mean(axis=0)) * parts[..., 1]
    return changed


class Errors(NamedTuple):
    """The error of a difference in all draws, each float64, shape (draws,)."""

    value: np.ndarray
    error: np.ndarray
    skewness: np.ndarray
    freedom: np.ndarray
    n_units: np.ndarray
    share: np.ndarray  # of the variance, of the most influential unit
    unit: np.ndarray  # its number

    def tails(self, limit: float) -> np.ndarray:
        """Return p-values of being above and below a limit, by the t statistic after Hall's transformation."""
        t = (self.value - limit) / self.error
        near = np.clip(t, -4, 4)
        skewed = t + self.skewness * near**2 / 3 + self.skewness**2 * near**3 / 27 + self.skewness / 6
        return np.array([stats.t.sf(skewed, self.freedom), stats.t.cdf(skewed, self.freedom)])


def errors_of(parts: np.ndarray) -> Errors:
    """Leave out one unit at a time, in all draws at once.

    Args:
        parts: the counts of two systems, shape (draws, test sets, units, 2, 2).
    """
    totals, sizes = parts.sum(axis=2, keepdims=True), parts[..., 1].mean(axis=3).sum(axis=1)
    effects = np.nan_to_num(ratios(totals) - ratios(totals - parts)).mean(axis=1) @ [1.0, -1.0]
    squares, size = effects**2, np.maximum(sizes.sum(axis=1), 1)
    variance = squares.sum(axis=1)
    error = np.sqrt(variance + (OBSERVATION / size) ** 2)
    return Errors(
        np.nan_to_num(ratios(totals)[:, :, 0]).mean(axis=1) @ [1.0, -1.0],
        error,
        np.clip((effects**3).sum(axis=1) / error**3, -1, 1),
        np.maximum(size**2 / np.maximum((sizes**2).sum(axis=1), 1) - 1, 1),
        np.count_nonzero(sizes, axis=1),
        squares.max(axis=1) / np.maximum(variance, EQUAL**2),
        squares.argmax(axis=1),
    )


class Tests(NamedTuple):
    """The tests of a difference in all draws.

    Args:
        p: p-values of being above and below each limit, nan with too few units, shape (limits, 2, draws).
        noted: whether one unit causes more than a third of the variance, shape (draws,).
        effective: the effective number of units, shape (draws,).
    """

    p: np.ndarray
    noted: np.ndarray
    effective: np.ndarray


def tests_of(parts: np.ndarray, limits: Sequence[float]) -> Tests:
    """Test a difference in all draws; p is the larger one with and without a unit that causes most of the variance."""
    whole = errors_of(parts)
    noted = whole.share > MOST_INFLUENCE
    p = np.array([whole.tails(limit) for limit in limits])
    some = parts[noted]
    some[np.arange(len(some)), :, whole.unit[noted]] = 0
    rest, n_units = errors_of(some), whole.n_units.copy()
    p[..., noted] = np.maximum(p[..., noted], [rest.tails(limit) for limit in limits])
    n_units[noted] = rest.n_units
    p[..., n_units < FEWEST_UNITS] = np.nan
    return Tests(p, noted, whole.freedom + 1)


def check(parts: np.ndarray, tests: Tests, limits: Sequence[float]) -> None:
    """Compare some draws with what the package returns for them."""
    for number in range(min(CHECKED, len(parts))):
        (estimate,) = scope_of(parts[number]).estimates([[[0], [1]]], 0)
        for p, limit in zip(tests.p[..., number], limits, strict=True):
            expected = [np.nan if one is None else one for one in (estimate.p_above(limit), estimate.p_below(limit))]
            np.testing.assert_allclose(p, expected, atol=1e-6)
        if estimate.has_tests:
            low, high = estimate.interval(LEVEL)
            assert (low <= 0 <= high) == (2 * tests.p[0, :, number].min() >= ALPHA)


class Cell(NamedTuple):
    """A measure and a pair of systems with a number of documents of a pool: shares of draws in percent.

    Args:
        pool: its name.
        size: the number of documents.
        effective: the median effective number of documents.
        noted: whether one document causes more than a third of the variance on the whole pool.
        note: how often one document of a sample does.
        held: how often the interval contains the true value.
        rejected: how often p is at most .05.
        one_sided: how often a one-sided p is at most .05, of the side where this is more frequent.
        margin: how often a difference of one point is called larger or smaller than one point, or one of minus one
            point; of these four, the most frequent.
        p: the p-value of each draw if the difference is above 0, otherwise 1.
    """

    pool: str
    size: int
    effective: float
    noted: bool
    note: float
    held: float
    rejected: float
    one_sided: float
    margin: float
    p: np.ndarray


class Ranking(NamedTuple):
    """Six systems that are equally good, with a measure and a number of documents of a pool."""

    pool: str
    size: int
    noted: bool  # whether a pair is
    held: float  # the share of draws in which all ranks hold, in percent


class Drawn(NamedTuple):
    """Samples of a pool.

    Args:
        name: of the pool.
        parts: the counts of the pool, shape (test sets, units, systems, measures, 2).
        size: the number of units of a sample.
        draws: the number of samples.
    """

    name: str
    parts: np.ndarray
    size: int
    draws: int

    def samples(self) -> np.ndarray:
        """Return the numbers of the units of each sample, shape (draws, units)."""
        rng = np.random.default_rng([self.size, *self.name.encode()])
        return rng.integers(0, self.parts.shape[1], (self.draws, self.size))


def cells_of(drawn: Drawn) -> tuple[list[Cell], list[Ranking]]:
    """Return what came of samples of a pool."""
    parts = equalized(drawn.parts)
    pairs, ranked = pairs_of(drawn.parts.sum(axis=0)), ranked_of(parts.shape[2])
    samples, cells, rankings = drawn.samples(), [], []
    for m in range(len(MEASURES)):
        cells += [cell_of(drawn, parts[:, :, pair, m], samples) for pair in pairs]
        every = [parts[:, :, pair, m] for pair in combinations(ranked, 2)]
        p = np.array([_tested(pair, samples, [0.0]).p.min(axis=1) for pair in every])[:, 0]
        joint = np.array([corrected(min(1.0, 2 * one), len(every)) for one in np.nanmin(p, axis=0).tolist()])
        for number in range(min(CHECKED, len(samples))):
            sample = scope_of(parts[:, samples[number]][:, :, ranked, m])
            found = compare_pairs(sample, np.zeros((len(parts), RANKED), dtype=bool), LEVEL)
            assert found is None or found.better.any() == (joint[number] < ALPHA)
        noted = any(errors_of(pair[None]).share[0] > MOST_INFLUENCE for pair in every)
        rankings.append(Ranking(drawn.name, drawn.size, noted, 100 * float(np.mean(joint >= ALPHA))))
    return cells, rankings


def cell_of(drawn: Drawn, pair: np.ndarray, samples: np.ndarray) -> Cell:
    """Return what came of samples of two equally good systems, from their counts, shape (test sets, units, 2, 2)."""
    limits = [0.0, -2 * MARGIN, 2 * MARGIN]
    tests = _tested(pair, samples, limits)
    check(pair[:, samples[:CHECKED]].swapaxes(0, 1), tests, limits)
    (above, below), (above_less, below_less), (above_more, below_more) = tests.p
    p = 2 * np.minimum(above, below)
    wrong = [
        (below <= ALPHA) & (above_less <= ALPHA),  # a difference of a point is inside the margin
        (above <= ALPHA) & (below_more <= ALPHA),
        (above <= ALPHA) | (below_less <= ALPHA),  # or outside
        (below <= ALPHA) | (above_more <= ALPHA),
    ]
    note, held, rejected = (100 * np.mean(own) for own in (tests.noted, (p >= ALPHA)[~np.isnan(p)], p < ALPHA))
    return Cell(
        drawn.name,
        drawn.size,
        float(np.median(tests.effective)),
        bool(errors_of(pair[None]).share[0] > MOST_INFLUENCE),
        float(note),
        float(held),
        float(rejected),
        max(100 * float(np.mean(own < ALPHA)) for own in (above, below)),
        max(100 * float(np.mean(own)) for own in wrong),
        np.where(above > below, 1.0, p),
    )


def _tested(pair: np.ndarray, samples: np.ndarray, limits: Sequence[float]) -> Tests:
    batches = np.array_split(samples, max(1, len(pair) * samples.size // BATCH))
    each = [tests_of(pair[:, rows].swapaxes(0, 1), limits) for rows in batches]
    return Tests(*(np.concatenate(own, axis=-1) for own in zip(*each, strict=True)))


def span(shares: Sequence[float]) -> str:
    """Return the lowest and the highest share."""
    return f"{min(shares):.1f}-{max(shares):.1f}" if shares else ""


def head(*titles: str) -> None:
    """Print the head of a table."""
    print("\n| " + " | ".join(titles) + " |\n| --- |" + " ---: |" * (len(titles) - 1), flush=True)


def row(*values: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, values)) + " |", flush=True)


def differences_table(every: Sequence[Drawn], unit: str, workers: Executor) -> list[Cell]:
    """Print what came of differences in cells without a note, and in those with one; return all cells."""
    cells, rankings = [], []
    for own, ranked in workers.map(cells_of, every):
        cells += own
        rankings += ranked
    for noted in (False, True):
        head("Pool", unit, "Effective", "Noted cells" if noted else "Cells", *COLUMNS, "Ranks")
        wanted = [cell for cell in cells if cell.noted == noted]
        for (pool, size), group in groupby(wanted, key=lambda cell: cell[:2]):
            own, held = list(group), [one.held for one in rankings if one[:3] == (pool, size, noted)]
            row(pool, size, f"{np.median([cell.effective for cell in own]):.0f}", *summary(own), span(held))
        goals(wanted, [one.held for one in rankings if one.noted == noted])
    return cells


def summary(cells: Sequence[Cell]) -> list[object]:
    """Return the number of cells, how often they have a note, the range of coverage, and the most wrong claims."""
    most = [f"{max(getattr(cell, name) for cell in cells):.1f}" for name in CLAIMS]
    return [len(cells), f"{np.mean([cell.note for cell in cells]):.0f}", span([cell.held for cell in cells]), *most]


def goals(cells: Sequence[Cell], ranks: Sequence[float]) -> None:
    """Print how many cells meet the goals."""
    if not cells:
        return
    held = np.array([cell.held for cell in cells])
    good, low = (f"{np.mean(flags):.1%}" for flags in ((held >= 93) & (held <= 97), held < 93))
    print(f"\n- {len(cells)} cells, interval: {good} from 93 to 97, {low} below, lowest {min(held):.1f}")
    for name in CLAIMS:
        wrong = np.array([getattr(cell, name) for cell in cells])
        print(f"- {name}: {np.mean(wrong <= 7):.1%} at most 7, highest {max(wrong):.1f}")
    if ranks:
        print(f"- {len(ranks)} rankings: {np.mean(np.array(ranks) >= 93):.1%} at least 93, lowest {min(ranks):.1f}")


def at_least_table(cells: Sequence[Cell]) -> None:
    """Print how often "better on at least k" is wrong, with the pools without noted cells as test sets."""
    head("Documents", "Measures and pairs", "Test sets", "Better on none", "Better on half")
    by_pool = [list(own) for _, own in groupby(cells, key=lambda cell: cell.pool)]
    labels = (*SIZES, "all")
    kinds = len(by_pool[0]) // len(labels)
    for first, label in zip(range(0, len(by_pool[0]), kinds), labels, strict=True):
        wrong: list[list[float]] = [[], []]
        sets = []
        for kind in range(first, first + kinds):
            p = [own[kind].p for own in by_pool if not own[kind].noted]
            sets.append(len(p))
            for shares, better in zip(wrong, (0, len(p) // 2), strict=True):
                shares.append(100 * np.mean([claimed(own, better) for own in zip(*p, strict=True)]))
        row(label, kinds, f"{min(sets)}-{max(sets)}", *map(span, wrong))


def claimed(p: Sequence[float], better: int) -> bool:
    """Say whether too many test sets are claimed if the first ones are really better."""
    tested = [0.0 if number < better else one for number, one in enumerate(p) if not np.isnan(one)]
    return better_on_at_least(tested, 1 - LEVEL) > better


def coverage(
    samples: Iterable[np.ndarray], contrasts: Sequence[Contrast], true: np.ndarray, kind: Kind, *, joint: bool = True
) -> str:
    """Return how often intervals contain the true value, in percent: the lowest and the highest share.

    Args:
        samples: the counts of each, shape (test sets, units, systems, measures, 2).
        contrasts: the scores or differences of systems.
        true: their true values, shape (contrasts, measures).
        kind: of the interval.
        joint: whether units of test sets with the same number are one unit.
    """
    held = []
    for sample in samples:
        each = [scope_of(sample[..., m, :], joint=joint).estimates(contrasts, 0) for m in range(len(MEASURES))]
        ends = np.array([[kind(one, LEVEL) or (np.nan, np.nan) for one in some] for some in each]).T
        held.append(np.where(np.isnan(ends[0]), np.nan, (ends[0] <= true + EQUAL) & (true <= ends[1] + EQUAL)))
    return span((100 * np.nanmean(held, axis=0)).ravel().tolist())


def scores_and_differences(parts: np.ndarray) -> Iterator[tuple[np.ndarray, list[Contrast], np.ndarray, Kind]]:
    """Give counts, contrasts, true values and kind of interval, of scores and of differences of three pairs."""
    others, values = [1, 3, 5], values_of(parts)
    yield parts, [[[other]] for other in others], values[others], Estimate.score_interval
    pairs = [[[other - 1], [other]] for other in others]
    yield equalized(parts), pairs, np.zeros((len(pairs), len(MEASURES))), Estimate.interval


def scores_row(pool: Pool, size: int, draws: int) -> list[object]:
    """Return the coverage of scores, and what it and that of differences would be if sentences were the units."""
    by_sentence = [np.flatnonzero(pool.documents == number) for number in range(pool.documents.max() + 1)]
    pool = pool.chosen(pairs_of(pool.parts))
    documents = pool.by_document()[None]
    drawn = Drawn(pool.name, documents, size, draws)
    (_, *of_scores), (_, *of_differences) = scores_and_differences(documents)
    found = [coverage((documents[:, rows] for rows in drawn.samples()), *of_scores)]
    for counts, given in ((pool.parts[None], of_scores), (equalized(pool.parts[None]), of_differences)):
        sentences = (np.concatenate([by_sentence[number] for number in rows]) for rows in drawn.samples())
        found.append(coverage((counts[:, rows] for rows in sentences), *given))
    return [pool.name, size, *found]


def averages_row(pool: Pool, size: int, draws: int) -> list[object]:
    """Return the coverage of macro-averages of scores, with joint units and as if test sets were independent."""
    parts = pool.chosen(pairs_of(pool.parts)).by_test_set()
    drawn = Drawn(pool.name, parts, size, draws)
    (_, *of_scores), _ = scores_and_differences(parts)
    samples = [(parts[:, rows] for rows in drawn.samples()) for _ in range(2)]
    return [size, *(coverage(some, *of_scores, joint=joint) for some, joint in zip(samples, (True, False)))]


def treebanks_row(pool: Pool, sizes: tuple[int, int], draws: int) -> list[object]:
    """Return how often two samples of one treebank differ, which are compared as `levelhead languages` does."""
    rng, rejected = np.random.default_rng([*sizes, *pool.name.encode()]), np.zeros((2, len(MEASURES)))
    for _ in range(draws):
        samples = [pool.parts[None, rng.integers(0, len(pool.parts), size), :2] for size in sizes]
        for s, m in np.ndindex(rejected.shape):
            one, other = (scope_of(sample[..., m, :]).estimates([[[s]]], 0)[0] for sample in samples)
            low, high = UnpairedDifference(one, other).interval(LEVEL) or (0.0, 0.0)
            rejected[s, m] += not low <= 0 <= high
    shares = 100 * rejected / draws
    return [pool.name, f"{sizes[0]} and {sizes[1]}", span(shares.ravel().tolist()), f"{shares.mean():.1f}"]


def drawn_from(name: str, parts: np.ndarray, draws: int) -> list[Drawn]:
    """Return samples of 20, 50 and as many units as a pool has."""
    return [Drawn(name, parts, size, draws) for size in (*SIZES, parts.shape[1])]


def documents(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the tables of differences by document."""
    every = [drawn for pool in wanted for drawn in drawn_from(pool.name, pool.by_document()[None], draws)]
    at_least_table(differences_table(every, "Documents", workers))


def sentences(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the tables of differences by sentence."""
    every = [Drawn(pool.name, pool.parts[None], size, draws) for pool in wanted for size in SENTENCES]
    differences_table(every, "Sentences", workers)


def scores(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the coverage of scores."""
    head("Pool", "Documents", "Score", "Score, by sentence", "Difference, by sentence")
    sizes = [(pool, size) for pool in wanted for size in (SIZES[0], pool.documents.max() + 1)]
    rows(scores_row, [(*one, draws // 4) for one in sizes], workers)


def averages(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the tables of macro-averages over parallel test sets."""
    for pool in wanted:
        every = drawn_from(pool.name, pool.by_test_set(), draws)
        differences_table(every, "Documents", workers)
        head("Documents", "Score, joint units", "Score, independent units")
        rows(averages_row, [(pool, drawn.size, draws // 4) for drawn in every], workers)


def treebanks(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print how often two samples of one treebank differ."""
    head("Pool", "Sentences", "Rejected", "Mean")
    rows(treebanks_row, [(pool, sizes, draws // 4) for pool in wanted for sizes in TREEBANK_SIZES], workers)


def rows(made: Callable[..., list[object]], given: Sequence[tuple[object, ...]], workers: Executor) -> None:
    """Print the rows that a function makes."""
    for own in workers.map(made, *zip(*given, strict=True)):
        row(*own)


TABLES = {
    "documents": (documents, DOCUMENT_POOLS),
    "scores": (scores, DOCUMENT_POOLS),
    "averages": (averages, ("pud",)),
    "sentences": (sentences, SENTENCE_POOLS),
    "treebanks": (treebanks, SENTENCE_POOLS),
}


def main() -> None:
    """Print the tables of development/simulations.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--table", choices=[*TABLES], action="append", help="only this table")
    parser.add_argument("--pool", action="append", help="only this pool")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    given = parser.parse_args()
    for name in given.table or TABLES:
        table, names = TABLES[name]
        print(f"\n{name}")
        with ProcessPoolExecutor(given.jobs) as workers:
            table(pools(given.data, given.cache, given.pool or names), given.draws, workers)


if __name__ == "__main__":
    main()
