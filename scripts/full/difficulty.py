"""How well averages with missing outputs are predicted; summary in docs/difficulty.md.

    python scripts/full/difficulty.py DATA [--chosen] [--draws 40]

DATA has the official tables, `conll18/official` and `conll17/official`. Languages are in one of two halves by the
SHA-256 of their code. Settings were chosen on the first half (`--chosen`); promises are checked on the second.

Only systems with outputs for all test sets are used, so their true averages are known. In each draw, each system is
seen on some random test sets (with `selected`, on those where it is best, compared with what is expected of it, plus
noise). `interval` is the share of true averages in 95% intervals; `order` is the share of pairs in the wrong order, of
those whose averages differ by more than a point, and the same for plain averages of what is seen; `error` is the mean
absolute error, and that of plain averages.

With `--chosen`, a fifth of the scores are predicted from the others by the additive model and by models with
discrimination (2PL), whose slopes have some standard deviation around 1.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from levelhead.significance.abilities import expected_mean, fit_abilities, logit_of

TABLES = {
    "2018": ("conll18/official/pertreebank_2018_LAS_MLAS_BLEX_UAS_Words.tsv", ("LAS", "MLAS", "BLEX", "UAS")),
    "2017": ("conll17/official/pertreebank_2017_LAS_UAS_CLAS.tsv", ("LAS", "CLAS", "UAS")),
}
SEEN = (10, 15, 20, 25, 30)
DEVIATIONS = (0.0, 0.1, 0.2, 0.4, 0.8)
Numbers = Any


class Draws(NamedTuple):
    """What was found in the draws for one number of test sets."""

    interval: float
    order: float
    plain_order: float
    error: float
    plain_error: float
    half_width: float


def main() -> None:
    """Print a line for each table, measure and number of test sets."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--chosen", action="store_true")
    parser.add_argument("--draws", type=int, default=40)
    given = parser.parse_args()
    half = 0 if given.chosen else 1
    print("task measure systems sets seen   interval order plain error plain half-width")
    for year, (path, measures) in TABLES.items():
        for measure in measures:
            scores = complete(given.data / path, measure, half)
            for n_seen in SEEN:
                found = draws(scores, n_seen, given.draws)
                line(year, measure, scores, f"{n_seen}", found)
            line(year, measure, scores, "20 selected", draws(scores, 20, given.draws, selected=True))
            if given.chosen:
                for name, error in held_out(scores, given.draws // 4):
                    print(f"{year} {measure} held out: {name:18} RMSE {error[0]:.3f} median {error[1]:.3f}", flush=True)


def line(year: str, measure: str, scores: Numbers, seen: str, found: Draws) -> None:
    """Print a line of the table."""
    sizes = f"{len(scores):7} {scores.shape[1]:4} {seen:12}"
    numbers = f"{found.order:5.2f} {found.plain_order:5.1f} {found.error:5.2f} {found.plain_error:5.2f}"
    print(f"{year} {measure:7} {sizes} {found.interval:6.1f} {numbers} {found.half_width:5.2f}", flush=True)


def complete(path: Path, measure: str, half: int) -> Numbers:
    """Return the scores of systems with all outputs, on the test sets of one half of the languages."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["metric"] == measure]
    scores = {(row["team"], row["treebank"]): float(row["F1"]) for row in rows}
    systems = sorted({system for system, _ in scores})
    codes = [code for code in sorted({code for _, code in scores}) if half_of(code) == half]
    table = np.array([[scores.get((system, code), 0.0) for code in codes] for system in systems])
    return table[(table > 0).all(axis=1)]


def half_of(code: str) -> int:
    """Return the half of the language of a test set."""
    return hashlib.sha256(code.partition("_")[0].encode()).digest()[0] % 2


def draws(scores: Numbers, n_seen: int, n_draws: int, *, selected: bool = False) -> Draws:
    """Return how well full averages are predicted from some test sets of each system."""
    random = np.random.default_rng(1)
    n_systems = len(scores)
    whole = fit_abilities(scores)
    better = logit_of(scores) - logit_of(whole.expected)
    hits, widths, errors, plain_errors, order = [], [], [], [], np.zeros(3)
    for _ in range(n_draws):
        noise = random.random(scores.shape) if not selected else random.normal(better, better.std())
        seen = np.argsort(np.argsort(-noise, axis=1), axis=1) < n_seen
        given = np.where(seen, scores, np.nan)
        columns = np.flatnonzero(seen.any(axis=0))
        true, plain = scores[:, columns].mean(axis=1), np.nanmean(given, axis=1)
        model, means = fit_abilities(given), np.full(n_systems, np.nan)
        for system in range(n_systems):
            mean = expected_mean(model, given, system, columns)
            if mean is not None and (interval := mean.interval(0.95)):
                means[system] = mean.value
                hits.append(interval[0] <= true[system] <= interval[1])
                widths.append((interval[1] - interval[0]) / 2)
        errors.append(np.nanmean(abs(means - true)))
        plain_errors.append(abs(plain - true).mean())
        order += wrong_pairs(true, means, plain)
    wrong, plain_wrong = 100 * order[:2] / order[2]
    return Draws(100 * np.mean(hits), wrong, plain_wrong, np.mean(errors), np.mean(plain_errors), np.mean(widths))


def wrong_pairs(true: Numbers, means: Numbers, plain: Numbers) -> Numbers:
    """Return the numbers of pairs in the wrong order by two averages, and of all pairs more than a point apart."""
    pairs = np.triu_indices(len(true), 1)
    differences, by_means, by_plain = ((values[:, None] - values)[pairs] for values in (true, means, plain))
    far = abs(differences) > 1
    return np.array([(by_means * differences < 0)[far].sum(), (by_plain * differences < 0)[far].sum(), far.sum()])


def held_out(scores: Numbers, n_draws: int) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the root mean squared error and the median error of each model for scores that are left out."""
    errors: dict[str, list[Numbers]] = {}
    random = np.random.default_rng(2)
    for _ in range(n_draws):
        seen = random.random(scores.shape) < 0.8
        given = np.where(seen, scores, np.nan)
        for deviation in DEVIATIONS:
            name = f"2PL, deviation {deviation}" if deviation else "additive"
            errors.setdefault(name, []).append((fit_abilities(given, deviation).expected - scores)[~seen])
    for name, found in errors.items():
        every = np.concatenate(found)
        every = every[~np.isnan(every)]
        yield name, (float(np.sqrt((every**2).mean())), float(np.median(abs(every))))


if __name__ == "__main__":
    main()
