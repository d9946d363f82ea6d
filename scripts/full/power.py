"""How often tests find the difference that `levelhead power` calls detectable; results in development/simulations.md.

    python scripts/full/power.py DATA [--draws 1000]

DATA holds the outputs of the CoNLL 2018 shared task (`conll18/gold`, `conll18/systems`). The sentences or documents of
a test set with the outputs of two systems are the population. The second system's right words are changed by the same
share of its words in every unit, so that the true difference of the population is the detectable one for n units;
then n units are drawn with replacement, and the difference is tested as `compare` does. Several runs of a system differ
by normally distributed shares of its words, again the same in every unit. The share of significant tests is the power,
which should be 80%.
"""

import argparse
from pathlib import Path

import numpy as np

from levelhead.campaign import find_plan, score_plan
from levelhead.evaluation.setup import setup_of
from levelhead.significance import SystemCounts, differences
from levelhead.significance.estimates import STANDARD
from levelhead.significance.power import detectable_difference, difference_variances

SYSTEMS = ("UDPipe-Future", "Stanford-18")
MEASURES = ("LAS", "MLAS")
RUN_DEVIATION = 0.005
DESIGNS = {
    ("en_ewt", "sentence", 1): (20, 100, 500),
    ("en_ewt", "document", 1): (20, 50, 200),
    ("hy_armtdp", "document", 1): (20, 30),
    ("fi_pud", "sentence", 1): (20, 100, 500),
    ("en_ewt", "sentence", 3): (100, 500),
    ("en_ewt", "sentence", 5): (100, 500),
    ("en_ewt", "sentence", 10): (100, 500),
}
"""Numbers of units by test set, unit and number of runs."""


def population(data: Path, code: str, unit: str) -> SystemCounts:
    """Return the counts of both systems, one row per unit."""
    gold = data / "conll18" / "gold" / f"{code}.conllu.xz"
    outputs = {name: data / "conll18" / "systems" / name / f"{code}.conllu.xz" for name in SYSTEMS}
    results = score_plan(find_plan({code: gold}, outputs), setup_of(MEASURES), by_sentence=True, resample_by=unit)
    each = [np.stack([results.results[name, code].sentences[m].T for m in MEASURES], axis=1) for name in SYSTEMS]
    return SystemCounts(SYSTEMS, MEASURES, results.units[code].sums(np.stack(each, axis=1)))


def shifted(whole: SystemCounts, wanted: dict[int, float]) -> SystemCounts:
    """Return the population with the wanted true differences, by the index of the measure."""
    parts = whole.parts.astype(np.float64)
    sums = parts.sum(axis=0)
    values = sums[..., 0] / sums[..., 1]
    for m, difference in wanted.items():
        parts[:, 1, m, 0] += (difference - (values[1, m] - values[0, m])) * parts[:, 1, m, 1]
    return whole._replace(parts=parts)


def runs_of(sample: SystemCounts, n_runs: int, rng: np.random.Generator) -> SystemCounts:
    """Return several runs of each system instead of one; a single run stays as it is."""
    parts = sample.parts.repeat(n_runs, axis=1)
    if n_runs > 1:
        parts[..., 0] += rng.normal(0, RUN_DEVIATION, parts.shape[1:3]) * parts[..., 1]
    return sample._replace(systems=tuple(np.repeat(sample.systems, n_runs).tolist()), parts=parts)


def powers(whole: SystemCounts, n_units: int, n_runs: int, draws: int) -> list[tuple[str, float, float]]:
    """Return measure, detectable difference and the share of significant tests."""
    every = [one and one._replace(runs=2 * RUN_DEVIATION**2) for one in difference_variances(whole, *SYSTEMS)]
    wanted = {m: detectable_difference(one, n_units, n_runs) for m, one in enumerate(every) if one is not None}
    true, rng = shifted(whole, wanted), np.random.default_rng([len(whole.parts), n_units])
    found = dict.fromkeys(wanted, 0)
    for _ in range(draws):
        rows = rng.integers(0, len(true.parts), n_units)
        sample = runs_of(true._replace(parts=true.parts[rows]), n_runs, rng)
        results = differences({"sample": sample}, STANDARD)
        for one in results:
            found[MEASURES.index(one.measure)] += one.p is not None and one.p < 0.05
    return [(MEASURES[m], 100 * wanted[m], found[m] / draws) for m in wanted]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    asked = parser.parse_args()
    print(
        "| test set | unit | n | runs | measure | detectable | power |\n| --- | --- | ---: | ---: | --- | ---: | ---: |"
    )
    for (code, unit, n_runs), sizes in DESIGNS.items():
        whole = population(asked.data, code, unit)
        for n_units in sizes:
            for measure, difference, share in powers(whole, n_units, n_runs, asked.draws):
                print(
                    f"| {code} | {unit} | {n_units} | {n_runs} | {measure} | {difference:.2f} | {share:.1%} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
