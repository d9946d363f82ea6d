"""How often intervals of coefficients of agreement contain the true value; results in development/simulations.md.

    python scripts/full/agreement_intervals.py DATA [--draws 1000]

DATA has `conll18`: three systems of the CoNLL 2018 shared task stand in for annotators. A pool is all documents of a
test set with at least 30. Samples of documents are drawn from it with replacement; the coefficient of the pool is the
true value.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from levelhead.comparison.annotators import common_words, labels_of, match_pairs
from levelhead.scoring.rules import UD
from levelhead.significance.agreement import Ratings, coefficients, interval_of
from levelhead.significance.units import units_of
from levelhead.treebank import read

FEWEST_DOCUMENTS = 30
SYSTEMS = ("HIT-SCIR", "UDPipe", "Stanford")
DOCUMENTS = (15, 20, 50)
NAMES = ("cohen", "fleiss", "krippendorff")


def main() -> None:
    """Print a line for each test set, label and number of documents."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    print("test set, documents in all, label, documents drawn: share of intervals that contain the true value")
    for gold in sorted((given.data / "conll18/gold").glob("*.conllu.xz")):
        of_test_set(given.data / "conll18/systems", gold, given.draws)


def of_test_set(systems: Path, gold: Path, draws: int) -> None:
    """Print the coverage on one test set, if it marks enough documents."""
    files = [sorted(systems.glob(f"*{name}*/{gold.name}")) for name in SYSTEMS]
    first, code = read(gold), gold.name.partition(".")[0]
    units = units_of(first, "auto")
    if not all(files) or units.kind != "document" or units.n_units < FEWEST_DOCUMENTS:
        return
    treebanks = [first, *(read(some[0]) for some in files)]
    words = common_words(treebanks, match_pairs(treebanks, UD))
    of_word = units.of_sentence[words.sentences]
    random = np.random.default_rng(0)
    for labeled in labels_of(words):
        ratings = Ratings(labeled.labels[:, 1:], of_word, units.n_units)
        for n_documents in DOCUMENTS:
            shares = coverage(ratings, n_documents, draws, random)
            if shares is not None:
                print(code, units.n_units, labeled.name, n_documents, *(f"{100 * share:.1f}" for share in shares))


def coverage(ratings: Ratings, n_documents: int, draws: int, random: np.random.Generator) -> np.ndarray | None:
    """Return how often each coefficient's interval contains the pool's value; None if most draws have no interval."""
    truth = np.array([getattr(coefficients(ratings), name).value for name in NAMES])
    rows = [np.flatnonzero(ratings.units == unit) for unit in range(ratings.n_units)]
    held, counted = np.zeros(len(NAMES)), 0
    for _ in range(draws):
        drawn = random.integers(ratings.n_units, size=n_documents)
        chosen = np.concatenate([rows[unit] for unit in drawn])
        units = np.repeat(np.arange(n_documents), [len(rows[unit]) for unit in drawn])
        found = coefficients(Ratings(ratings.labels[chosen], units, n_documents))
        intervals = [interval_of(getattr(found, name), 0.95) for name in NAMES]
        if None in intervals:
            continue
        counted += 1
        held += [low <= value <= high for (low, high), value in zip(intervals, truth, strict=True)]  # type: ignore[misc]
    return held / counted if counted > draws / 2 else None


if __name__ == "__main__":
    main()
