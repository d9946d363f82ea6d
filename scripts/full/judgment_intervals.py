"""How often the intervals of `levelhead judge` contain the true value; results in development/simulations.md.

    python scripts/full/judgment_intervals.py DATA [--draws 1000]

DATA has `human-judgments`, the sentences of Plank et al. (2015), and `conll18`, outputs of the CoNLL 2018 shared task
for which choices are simulated: the output with the higher MLAS is chosen with a probability of 80%. Sentences or
documents are drawn with replacement; the value of all of them is the true value.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

import levelhead
from levelhead.comparison.judgment import Choices
from levelhead.correlation.human_agreement import Preferences, compare_agreement, human_agreement, preferences
from levelhead.significance.units import Units

MEASURES = ("LAS", "UAS", "CLAS", "LAS@callin-code:FUNCTION.recall")
TIES = ("callin", "skip")
SENTENCES, DOCUMENTS = (10, 20, 40, 80), (10, 20)
TEST_SETS = ("bg_btb", "el_gdt", "en_ewt")
STATISTICS = ("correlation", "spearman", "accuracy", "kappa")
NAMES = ("r", "Spearman", "accuracy", "kappa", "differences", "all differences")
CHOSEN = 0.8
"""The probability that simulated people choose the output with the higher MLAS."""


class Pool(NamedTuple):
    """The preferences of each measure, the choices, and the sentences of each unit."""

    preferences: list[Preferences]
    choices: np.ndarray
    units: list[np.ndarray]

    def drawn(self, numbers: np.ndarray) -> tuple[list[Preferences], np.ndarray, Units]:
        """Return the pool of some units only."""
        rows = np.concatenate([self.units[number] for number in numbers])
        of_sentence = np.repeat(np.arange(len(numbers)), [len(self.units[number]) for number in numbers])
        given = [Preferences(p.second[rows], p.counted[rows], p.differences[rows], 0) for p in self.preferences]
        return given, self.choices[rows], Units("document", of_sentence)


def main() -> None:
    """Print a row for each kind of sentences and number of units: the lowest and the highest coverage."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    print(f"| choices | drawn | {' | '.join(NAMES)} |\n| --- | ---: |{' --- |' * len(NAMES)}")
    for kind, units, sizes, pools in (
        ("of people", "sentences", SENTENCES, list(judged(given.data / "human-judgments"))),
        ("simulated", "documents", DOCUMENTS, [simulated(given.data / "conll18", code) for code in TEST_SETS]),
    ):
        for n_units in sizes:
            cells = defaultdict(list)
            for pool in pools:
                for name, shares in coverage(pool, n_units, given.draws).items():
                    cells[name] += shares
            shown = [f"{100 * min(cells[name]):.1f}-{100 * max(cells[name]):.1f}" for name in NAMES]
            print(f"| {kind} | {n_units} {units} | {' | '.join(shown)} |", flush=True)


def judged(data: Path) -> Iterator[Pool]:
    """Return the sentences that people judged: with the choice of most, and with all votes."""
    for folder in (data / "en", data / "es"):
        gold, first, second = (folder / f"{name}.conll" for name in ("gold", "parser1", "parser2"))
        for votes in ("prediction", "annotated.csv"):
            found = levelhead.judge(gold, first, second, folder / votes, measures=MEASURES, format="conllx")
            pairs = [judged.scores for judged in found.measures.values()]
            units = np.split(np.arange(len(found.choices.second)), range(1, len(found.choices.second)))
            for ties in TIES:
                yield Pool([preferences(*pair, ties) for pair in pairs], found.choices.second, units)


def simulated(data: Path, code: str) -> Pool:
    """Return the documents of a test set, with choices that are simulated from MLAS."""
    name, random = f"{code}.conllu.xz", np.random.default_rng(0)
    gold = levelhead.read(data / "gold" / name)
    first, second = (data / "systems" / system / name for system in ("UDPipe-Future", "Stanford-18"))
    n_sentences = len(gold)
    some = Choices(np.arange(n_sentences) % 2 * 1.0, np.ones(n_sentences, dtype=np.int64))
    found = levelhead.judge(gold, first, second, some, measures=(*MEASURES, "MLAS"))
    *pairs, mlas = (judged.scores for judged in found.measures.values())
    given = preferences(*mlas, "half").second
    better = np.where(given == 0.5, random.integers(0, 2, n_sentences), given)
    choices = np.where(random.random(n_sentences) < CHOSEN, better, 1 - better)
    rows = [np.flatnonzero(found.units.of_sentence == unit) for unit in range(found.units.n_units)]
    return Pool([preferences(*pair) for pair in pairs], choices, rows)  # type: ignore[arg-type]


def coverage(pool: Pool, n_units: int, draws: int) -> dict[str, list[float]]:
    """Return how often intervals contain the value of the pool, of each measure or pair, by the name of the statistic.

    Cells in which fewer than half of the draws have an interval are left out.
    """
    random = np.random.default_rng(n_units)
    whole = pool.drawn(np.arange(len(pool.units)))
    truth = [getattr(human_agreement(given, whole[1]), name).value for name in STATISTICS for given in whole[0]]
    pairs = list(combinations(range(len(MEASURES)), 2))
    differences = [compare_agreement(whole[0][i], whole[0][j], whole[1]).difference.value for i, j in pairs]
    held: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for _ in range(draws):
        given, choices, units = pool.drawn(random.integers(len(pool.units), size=n_units))
        if choices.min() == choices.max():
            continue  # `levelhead judge` refuses them
        found = [human_agreement(one, choices, units=units) for one in given]
        estimates = [getattr(one, name) for name in STATISTICS for one in found]
        for number, (estimate, true) in enumerate(zip(estimates, truth, strict=True)):
            if estimate.low is not None:
                assert estimate.low < estimate.high
                held[NAMES[number // len(given)], number].append(estimate.low <= true <= estimate.high)
        compared = [
            [compare_agreement(given[i], given[j], choices, units=units, n_tests=n).difference for i, j in pairs]
            for n in (1, len(pairs))
        ]
        inside = [
            [None if e.low is None else e.low <= true <= e.high for e, true in zip(some, differences, strict=True)]
            for some in compared
        ]
        for number, contains in enumerate(inside[0]):
            if contains is not None:
                assert compared[0][number].low < compared[0][number].high
                held[NAMES[-2], number].append(contains)
        held[NAMES[-1], 0].append(False not in inside[1])
    shares = defaultdict(list)
    for (name, _), contained in held.items():
        if len(contained) > draws / 2:
            shares[name].append(float(np.mean(contained)))
    return shares


if __name__ == "__main__":
    main()
