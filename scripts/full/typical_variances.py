"""Measure the variances that `levelhead power` assumes without files.

    python scripts/full/typical_variances.py DATA > src/levelhead/significance/typical_variances.tsv

DATA holds the outputs of the CoNLL 2018 shared task (`conll18/gold`, `conll18/systems`). For each test set, the
standard deviation of the difference between two systems is estimated for all pairs of valid outputs, for a test set of
one sentence and of one document, in points; its median over pairs is the value of the test set. The table has the
quartiles over test sets, and the median of the effective number of units as a share of their number. The parallel test
sets (PUD) are translations of the same sentences and count as one.
"""

import argparse
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from levelhead.campaign import find_plan, score_plan
from levelhead.campaign.plan import Plan
from levelhead.campaign.results import Results
from levelhead.evaluation.setup import setup_of
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.power import difference_variances
from levelhead.significance.units import AUTO, DOCUMENT, SENTENCE

MEASURES = ("UAS", "LAS", "CLAS", "MLAS", "BLEX", "UEM", "LEM")


def counts_of(results: Results, code: str) -> SystemCounts | None:
    """Return the counts of the valid outputs on a test set by unit; None with fewer than two."""
    found = {name: results.results[name, code] for name in results.systems}
    valid = {name: one for name, one in found.items() if one.state == "valid" and one.sentences}
    if len(valid) < 2:
        return None
    counted = tuple(name for name in results.measures if all(name in one.sentences for one in valid.values()))
    each = [np.stack([one.sentences[name].T for name in counted], axis=1) for one in valid.values()]
    return SystemCounts(tuple(valid), counted, results.units[code].sums(np.stack(each, axis=1)))


def deviations(table: SystemCounts) -> dict[str, tuple[float, float]]:
    """Return medians over pairs of systems by measure: the standard deviation of one unit in points, and evenness."""
    pairs = [difference_variances(table, one, other) for one, other in combinations(table.systems, 2)]
    known = [[(100 * one.units**0.5, one.evenness) for one in column if one is not None] for column in zip(*pairs)]
    return {name: tuple(np.median(own, axis=0)) for name, own in zip(table.measures, known) if own}


def by_unit(plan: Plan, unit: str) -> Iterator[tuple[str, dict[str, tuple[float, float]]]]:
    """Give the family of test sets, and the medians by measure."""
    results = score_plan(plan, setup_of(MEASURES), by_sentence=True, resample_by=AUTO if unit == DOCUMENT else unit)
    for test_set in plan.test_sets:
        table = counts_of(results, test_set.code)
        if table is not None and results.units[test_set.code].kind == unit:
            yield "pud" if test_set.code.endswith("_pud") else test_set.code, deviations(table)


def main(data: Path) -> None:
    """Print the table."""
    plan = find_plan(data / "conll18" / "gold", data / "conll18" / "systems")
    print("unit", "measure", "test_sets", "lower_quartile", "median", "upper_quartile", "evenness", sep="\t")
    for unit in (SENTENCE, DOCUMENT):
        values: dict[str, dict[str, list[tuple[float, float]]]] = {name: {} for name in MEASURES}
        for name, own in by_unit(plan, unit):
            for measure, pair in own.items():
                values[measure].setdefault(name, []).append(pair)
        for measure, families in values.items():
            sizes, evenness = np.array([np.mean(own, axis=0) for own in families.values()]).T
            quartiles = "\t".join(f"{one:.2f}" for one in np.quantile(sizes, [0.25, 0.5, 0.75]))
            print(unit, measure, len(sizes), quartiles, f"{np.median(evenness):.2f}", sep="\t")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    main(parser.parse_args().data)
