"""How often intervals of breakdowns and of repairs contain the true value; results in development/simulations.md.

    python scripts/full/breakdown_intervals.py DATA [--draws 1000]

DATA has `conll18`. A pool is all documents of a test set with at least 30. Samples of documents are drawn from it with
replacement; the score of a bucket in the pool, or the gain of a repair, is the true value.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from levelhead.analysis.breakdown import bucket_cells, bucket_words, ratio_parts
from levelhead.analysis.repairs import WHOLE, ErrorKinds, errors_in
from levelhead.analysis.word_properties import PropertySettings
from levelhead.measures.registry import parse_measure
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.rules import UD
from levelhead.significance.histograms import Cells
from levelhead.significance.jackknife import BucketEstimate, UnitParts, bucket_estimates, gain_estimate
from levelhead.significance.units import Units, units_of
from levelhead.treebank import read
from levelhead.treebank.relations import NIVRE_FANG

FEWEST_DOCUMENTS = 30
SYSTEM = "HIT-SCIR"
DOCUMENTS = (20, 50)
PROPERTIES = ("upos", "relation", "length", "feature:Case")
FEWEST_ERRORS = 5
LAS = parse_measure("LAS")


def main() -> None:
    """Print a line for each test set, property and number of documents: certain rows, then uncertain ones."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    print("test set, documents in all, what, documents drawn, rows: lowest, mean and highest share of intervals that")
    print("contain the true value, of the rows that are seldom marked with a ?; the same of all other rows")
    for gold in sorted((given.data / "conll18/gold").glob("*.conllu.xz")):
        of_test_set(given.data / "conll18/systems", gold, given.draws)


def of_test_set(systems: Path, path: Path, draws: int) -> None:
    """Print the coverage on one test set, if it marks enough documents."""
    files, gold = sorted(systems.glob(f"*{SYSTEM}*/{path.name}")), read(path)
    units = units_of(gold, "auto")
    if not files or units.kind != "document" or units.n_units < FEWEST_DOCUMENTS:
        return
    matches = match(gold, read(files[0]), UD)
    for n_documents in DOCUMENTS:
        chosen = np.random.default_rng(0).integers(units.n_units, size=(draws, n_documents))
        for name, rows in (*buckets(matches, units), ("repair", gains(matches, units))):
            certain, others = split([coverage(row, chosen) for row in rows])
            shown = [
                f"{min(some):.1f} {np.mean(some):.1f} {max(some):.1f}" if some else "-" for some in (certain, others)
            ]
            print(path.name.partition(".")[0], units.n_units, name, n_documents, len(certain), *shown, flush=True)


Row = tuple[float, object]
"""The true value, and what estimates it from a sample of documents."""


def buckets(matches: Matches, units: Units) -> Iterator[tuple[str, list[Row]]]:
    """Give the score of each bucket, and how it is estimated from some documents."""
    for name in PROPERTIES:
        words = bucket_words(matches, LAS, [name], PropertySettings(NIVRE_FANG))
        dense = by_group(bucket_cells([words], units.of_sentence), units, len(words.names))
        rows = ratio_parts(dense, LAS)
        yield name, [(ratio(one), lambda some, one=one: bucket_of(one[some])) for one in rows]


def by_group(cells: Cells, units: Units, n_groups: int) -> np.ndarray:
    """Return the counts of each group and unit, int64, shape (groups, units, kinds of counts)."""
    dense = np.zeros((n_groups, units.n_units, cells.counts.shape[1]), dtype=np.int64)
    np.add.at(dense, (cells.groups, cells.units), cells.counts)
    return dense


def bucket_of(parts: np.ndarray) -> BucketEstimate:
    """Return how certain the score of a bucket is, from its counts in each document."""
    kept = parts[parts.any(axis=1)]
    nothing, ones = np.zeros(len(kept), dtype=np.int64), np.ones(len(kept), dtype=np.int64)
    return bucket_estimates(UnitParts(nothing, kept[:, None], ones, 1), 0.95)[0]


def gains(matches: Matches, units: Units) -> list[Row]:
    """Return the gain of each repair, and how it is estimated from some documents; of rare errors none."""
    kinds = ErrorKinds()
    cells = errors_in(matches, LAS, kinds).cells
    whole = cells.groups == WHOLE
    cells = cells.joined(units.of_sentence)
    all_words, errors = (Cells(*(column[rows] for column in cells)) for rows in (whole, ~whole))
    (before,) = by_group(all_words._replace(groups=np.zeros_like(all_words.groups)), units, 1)
    rows = []
    for changes in by_group(errors, units, len(kinds.numbers)):
        parts = ratio_parts(before[:, :4], LAS), ratio_parts(before[:, :4] + changes[:, :4], LAS)
        truth = ratio(parts[1]) - ratio(parts[0])
        if truth > 0 and changes[:, 4].sum() >= FEWEST_ERRORS:
            affected = changes.any(axis=1)
            rows.append((truth, lambda some, parts=parts, affected=affected: gain_of(parts, affected, some)))
    return rows


def gain_of(parts: tuple[np.ndarray, np.ndarray], affected: np.ndarray, some: np.ndarray) -> BucketEstimate:
    """Return how certain a gain is, from some documents."""
    (before, after), ones = parts, np.ones(len(some), dtype=np.int64)
    return gain_estimate(before[some], after[some], ones, int(affected[some].sum()), 0.95)


def ratio(parts: np.ndarray) -> float:
    """Return the score of all documents."""
    above, below = parts.sum(axis=0)
    return float(above / below) if below else float("nan")


def coverage(row: Row, chosen: np.ndarray) -> tuple[float, float] | None:
    """Return how often intervals contain the true value in percent, and how many samples are marked as uncertain."""
    truth, estimate = row
    found = [estimate(some) for some in chosen]  # type: ignore[operator]
    known = [one for one in found if one.interval is not None]
    if len(known) < len(found) / 2:
        return None
    held = [one.interval[0] <= 100 * truth <= one.interval[1] for one in known if one.interval]
    return 100 * float(np.mean(held)), float(np.mean([one.uncertain for one in known]))


def split(found: list[tuple[float, float] | None]) -> tuple[list[float], list[float]]:
    """Return the coverage of rows that are mostly not marked as uncertain, and of those that mostly are."""
    known = [one for one in found if one is not None]
    return [share for share, marked in known if marked < 0.5], [share for share, marked in known if marked >= 0.5]


if __name__ == "__main__":
    main()
