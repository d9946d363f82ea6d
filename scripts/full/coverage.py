"""How often intervals contain the true value, and how often claims are wrong; results in docs/validation.md.

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

from levelhead.significance import SystemCounts, better_on_at_least, equivalence
from levelhead.significance.estimates import Estimate, Interval, UnpairedDifference
from levelhead.significance.jackknife import Contrast, ratios
from levelhead.significance.parallel import ParallelUnits
from levelhead.significance.rankings import compare_pairs
from levelhead.significance.scopes import EQUAL, CountedUnits, Scope

LEVEL = 0.95
ALPHA = 1 - LEVEL + 1e-12
MARGIN = 0.01
RANKED = 6
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
    parallel = ParallelUnits({}, {}, dict.fromkeys(sets, "all"), numbers) if joint else None
    return Scope("sample", sets, "macro", parallel)


def values_of(parts: np.ndarray) -> np.ndarray:
    """Return the true macro-averages, shape (systems, measures), from counts by test set and unit."""
    return ratios(parts.sum(axis=1)).mean(axis=0)


def equalized(parts: np.ndarray) -> np.ndarray:
    """Return counts of systems with the same true values; shape (test sets, units, systems, measures, 2)."""
    values, changed = values_of(parts), parts.copy()
    changed[..., 0] -= (values - values.mean(axis=0)) * parts[..., 1]
    return changed


class Found(NamedTuple):
    """What came of one difference whose true value is 0, or of a share of draws in percent; nan without a result."""

    held: float  # whether the interval contains the true value
    rejected: float  # whether p is at most .05
    higher: float  # whether the one-sided test says that the value is higher
    lower: float
    small: float  # whether it is called smaller than a margin of one point if it is one point
    large: float  # whether it is called larger
    other_small: float  # the same if it is minus one point
    other_large: float
    noted: float  # whether one unit causes more than a third of the variance
    p: float  # the one-sided p-value that the value is higher

    @property
    def one_sided(self) -> float:
        """The larger share of wrong one-sided claims."""
        return max(self.higher, self.lower)

    @property
    def margin(self) -> float:
        """The larger share of wrong claims about a margin."""
        return max(self.small, self.large, self.other_small, self.other_large)


def found(estimate: Estimate) -> Found:
    """Return what is claimed about a difference."""
    interval, p, above, below = estimate.interval(LEVEL), estimate.p(), estimate.p_above(0), estimate.p_below(0)
    shown = [(one := equivalence(moved(estimate, change), MARGIN)) and one.shown for change in (MARGIN, -MARGIN)]
    return Found(
        np.nan if interval is None else interval[0] <= 0 <= interval[1],
        p is not None and p <= ALPHA,
        above is not None and above <= ALPHA,
        below is not None and below <= ALPHA,
        *(one == said for one in shown for said in ("yes", "no")),
        estimate.influence is not None,
        np.nan if above is None else above,
    )


def moved(estimate: Estimate, change: float) -> Estimate:
    """Return an estimate of a value that is higher by a change."""
    influence = estimate.influence
    rest = influence and influence._replace(without=moved(influence.without, change))
    return estimate._replace(value=estimate.value + change, influence=rest)


CLAIMS = ("rejected", "one_sided", "margin")


class Cell(NamedTuple):
    """A measure and a pair of systems with a number of documents of a pool."""

    pool: str
    size: int
    effective: float  # the median of degrees of freedom plus 1
    measure: str
    noted: bool
    shares: Found  # the share of each result in percent
    p: np.ndarray  # the one-sided p-value of each draw


class Ranking(NamedTuple):
    """Six systems that are equally good, with a measure and a number of documents of a pool."""

    pool: str
    size: int
    noted: bool  # whether one of the pairs is
    held: float  # the share of draws in which all ranks hold, in percent


class Drawn(NamedTuple):
    """Samples of a pool.

    Args:
        parts: the counts of the pool, shape (test sets, units, systems, measures, 2).
        size: the number of units of a sample.
        draws: the number of samples.
    """

    name: str
    parts: np.ndarray
    size: int
    draws: int

    def samples(self) -> Iterator[np.ndarray]:
        """Give the numbers of the units of each sample."""
        rng = np.random.default_rng([self.size, *self.name.encode()])
        return (rng.integers(0, self.parts.shape[1], self.size) for _ in range(self.draws))


def cells_of(drawn: Drawn) -> tuple[list[Cell], list[Ranking]]:
    """Return what came of samples of a pool."""
    pairs, ranked = pairs_of(drawn.parts.sum(axis=0)), ranked_of(drawn.parts.shape[2])
    contrasts = [[[one], [other]] for one, other in pairs]
    every = [[[one], [other]] for one, other in combinations(ranked, 2)]
    equal, cells, rankings = equalized(drawn.parts), [], []
    for m, measure in enumerate(MEASURES):
        counts = equal[..., m, :]
        whole = scope_of(counts)
        results, freedoms, ranks = [], [], []
        for rows in drawn.samples():
            sample = counts[:, rows]
            estimates = scope_of(sample).estimates(contrasts, 0)
            results.append([found(estimate) for estimate in estimates])
            freedoms.append([estimate.freedom + 1 for estimate in estimates])
            tests = compare_pairs(scope_of(sample[:, :, ranked]), np.zeros((len(sample), RANKED), dtype=bool), LEVEL)
            ranks.append(tests is None or not tests.better.any())
        noted = [one.influence is not None for one in whole.estimates([*contrasts, *every], 0)]
        shares, effective = np.array(results).transpose(1, 2, 0), np.median(freedoms, axis=0)
        for pair in range(len(pairs)):
            percent = Found(*(100 * np.nanmean(shares[pair], axis=1)).tolist())
            p = shares[pair, Found._fields.index("p")]
            cells.append(Cell(drawn.name, drawn.size, effective[pair], measure, noted[pair], percent, p))
        rankings.append(Ranking(drawn.name, drawn.size, any(noted[len(pairs) :]), 100 * float(np.mean(ranks))))
    return cells, rankings


def span(shares: Sequence[float]) -> str:
    """Return the lowest and the highest share."""
    return f"{min(shares):.1f}-{max(shares):.1f}" if shares else ""


def most(shares: Sequence[float]) -> str:
    """Return the highest share."""
    return f"{max(shares):.1f}" if shares else ""


def head(*titles: str) -> None:
    """Print the head of a table."""
    print("\n| " + " | ".join(titles) + " |\n| --- |" + " ---: |" * (len(titles) - 1), flush=True)


def row(*values: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, values)) + " |", flush=True)


def differences_table(every: Sequence[Drawn], unit: str, workers: Executor) -> list[Cell]:
    """Print what came of differences in cells without a note, and in those with one; return all cells."""
    cells, rankings = [], []
    head("Pool", unit, "Effective", "Cells", "Interval", "Rejected", "One-sided", "Margin", "Ranks", "Note")
    for drawn, (own, ranked) in zip(every, workers.map(cells_of, every), strict=True):
        cells += own
        rankings += ranked
        held = [one.held for one in ranked if not one.noted]
        row(*summary([cell for cell in own if not cell.noted], drawn), f"{min(held):.1f}" if held else "", note(own))
    head("Pool", unit, "Effective", "Noted cells", "Interval", "Rejected", "One-sided", "Margin", "Note")
    for _, group in groupby(cells, key=lambda cell: cell[:2]):
        noted = [cell for cell in group if cell.noted]
        if noted:
            row(*summary(noted, noted[0]), note(noted))
    goals(cells, rankings)
    return cells


def summary(cells: Sequence[Cell], of: Drawn | Cell) -> tuple[object, ...]:
    """Return the columns of a row about some cells of a pool with one number of documents."""
    shares = [cell.shares for cell in cells]
    effective = f"{np.median([cell.effective for cell in cells]):.0f}" if cells else ""
    held, *others = ([getattr(one, name) for one in shares] for name in ("held", *CLAIMS))
    name = of.name if isinstance(of, Drawn) else of.pool
    return name, of.size, effective, len(cells), span(held), *map(most, others)


def note(cells: Sequence[Cell]) -> str:
    """Return the mean share of draws with a note."""
    return f"{np.mean([cell.shares.noted for cell in cells]):.0f}" if cells else ""


def goals(cells: Sequence[Cell], rankings: Sequence[Ranking]) -> None:
    """Print how many cells meet the goals."""
    for noted in (False, True):
        shares = [cell.shares for cell in cells if cell.noted == noted]
        if not shares:
            continue
        held, *wrong = (np.array([getattr(one, name) for one in shares]) for name in ("held", *CLAIMS))
        notes = f"{np.mean([one.noted for one in shares]):.0f}% of draws"
        print(f"\n{'Noted' if noted else 'Other'} cells: {len(shares)}, with the note in {notes}")
        good, low = share((held >= 93) & (held <= 97)), share(held < 93)
        print(f"- interval: {good} from 93 to 97, {low} below, lowest {min(held):.1f}")
        for name, own in zip(CLAIMS, wrong, strict=True):
            print(f"- {name}: {share(own <= 7)} at most 7, highest {max(own):.1f}")
        ranks = np.array([one.held for one in rankings if one.noted == noted])
        if len(ranks):
            print(f"- {len(ranks)} rankings: {share(ranks >= 93)} at least 93, lowest {min(ranks):.1f}")


def share(flags: np.ndarray) -> str:
    """Return the share of cells."""
    return f"{100 * np.mean(flags):.1f}%"


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
    """Give counts, contrasts, true values and the kind of interval: of three scores, and of three differences."""
    pairs, values = pairs_of(parts.sum(axis=0)), values_of(parts)
    others = [other for _, other in pairs]
    yield parts, [[[other]] for other in others], values[others], Estimate.score_interval
    differences = [[[one], [other]] for one, other in pairs]
    yield equalized(parts), differences, np.zeros((len(pairs), len(MEASURES))), Estimate.interval


def scores_row(pool: Pool, size: int, draws: int) -> list[object]:
    """Return the coverage of scores, and what it and that of differences would be if sentences were the units."""
    pool = pool.chosen(sorted({system for pair in pairs_of(pool.parts) for system in pair}))
    documents = pool.by_document()[None]
    drawn = Drawn(pool.name, documents, size, draws)
    by_sentence = [np.flatnonzero(pool.documents == number) for number in range(documents.shape[1])]
    (_, *of_scores), (_, *of_differences) = scores_and_differences(documents)
    found = [coverage((documents[:, rows] for rows in drawn.samples()), *of_scores)]
    for counts, given in ((pool.parts[None], of_scores), (equalized(pool.parts[None]), of_differences)):
        sentences = (np.concatenate([by_sentence[number] for number in rows]) for rows in drawn.samples())
        found.append(coverage((counts[:, rows] for rows in sentences), *given))
    return [pool.name, size, *found]


def averages_row(pool: Pool, size: int, draws: int) -> list[object]:
    """Return the coverage of macro-averages over parallel test sets, with joint units and as if independent."""
    parts = pool.chosen(sorted({system for pair in pairs_of(pool.parts) for system in pair})).by_test_set()
    drawn = Drawn(pool.name, parts, size, draws)
    return [size] + [
        coverage((counts[:, rows] for rows in drawn.samples()), *given, joint=joint)
        for counts, *given in scores_and_differences(parts)
        for joint in (True, False)
    ]


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


def sizes_of(parts: np.ndarray) -> list[int]:
    """Return the numbers of units to draw."""
    return [*SIZES, parts.shape[1]]


def documents(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the tables of differences by document."""
    every = [(pool.name, pool.by_document()[None]) for pool in wanted]
    drawn = [Drawn(*one, size, draws) for one in every for size in sizes_of(one[1])]
    at_least_table(differences_table(drawn, "Documents", workers))


def sentences(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the tables of differences by sentence."""
    every = [Drawn(pool.name, pool.parts[None], size, draws) for pool in wanted for size in SENTENCES]
    differences_table(every, "Sentences", workers)


def scores(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the coverage of scores."""
    head("Pool", "Documents", "Score", "Score, by sentence", "Difference, by sentence")
    rows(scores_row, [(pool, size, draws) for pool in wanted for size in sizes_of(pool.by_document()[None])], workers)


def averages(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print the coverage of macro-averages."""
    head("Documents", *(f"{kind}, {units}" for kind in ("Score", "Difference") for units in ("joint", "independent")))
    rows(averages_row, [(pool, size, draws) for pool in wanted for size in sizes_of(pool.by_test_set())], workers)


def treebanks(wanted: Sequence[Pool], draws: int, workers: Executor) -> None:
    """Print how often two samples of one treebank differ."""
    head("Pool", "Sentences", "Rejected", "Mean")
    rows(treebanks_row, [(pool, sizes, draws) for pool in wanted for sizes in TREEBANK_SIZES], workers)


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
    """Print the tables of docs/validation.md."""
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
