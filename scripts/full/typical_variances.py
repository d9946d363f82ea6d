"""Measure the variances that `levelhead power` assumes without files.

    python scripts/full/typical_variances.py DATA > src/levelhead/significance/typical_variances.tsv

DATA holds the outputs of the CoNLL 2018 shared task (`conll18/gold`, `conll18/systems`). For each test set, the
standard deviation of the difference between two systems is estimated for all pairs of valid outputs, for a test set of
one sentence and of one document, in points; its median over pairs is the value of the test set. The table has the
quartiles over test sets. The parallel test sets (PUD) are translations of the same sentences and count as one.
"""

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from levelhead.campaign import plan_in, score_plan
from levelhead.campaign.plan import Plan
from levelhead.campaign.results import Results
from levelhead.setup import setup_of
from levelhead.significance.counted import Counted
from levelhead.significance.power import difference_variances
from levelhead.studies.documents_2018.documents import document_of_sentence, summed_by_document
from levelhead.treebank import read

MEASURES = ("UAS", "LAS", "CLAS", "MLAS", "BLEX", "UEM", "LEM")


def counts_of(results: Results, code: str) -> Counted | None:
    """Return the counts of the valid outputs on a test set; None with fewer than two."""
    found = {name: results.results[name, code] for name in results.systems}
    valid = {name: one for name, one in found.items() if one.state == "valid" and one.sentences}
    if len(valid) < 2:
        return None
    counted = tuple(name for name in results.measures if all(name in one.sentences for one in valid.values()))
    each = [np.stack([one.sentences[name].T for name in counted], axis=1) for one in valid.values()]
    return Counted(tuple(valid), counted, np.stack(each, axis=1), code)


def deviations(table: Counted) -> dict[str, float]:
    """Return the median over pairs of systems of the standard deviation of one unit, in points, by measure."""
    pairs = [difference_variances(table, one, other) for one, other in combinations(table.systems, 2)]
    known = [[100 * one.units**0.5 for one in column if one is not None] for column in zip(*pairs)]
    return {name: float(np.median(own)) for name, own in zip(table.measures, known) if own}


def by_unit(plan: Plan, results: Results) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Give unit, family of test sets, and deviations by measure."""
    for test_set in plan.test_sets:
        table = counts_of(results, test_set.code)
        if table is None or test_set.gold is None:
            continue
        name = "pud" if test_set.code.endswith("_pud") else test_set.code
        yield "sentence", name, deviations(table)
        documents = document_of_sentence(read(test_set.gold))
        if documents.max() > 0:
            yield "document", name, deviations(table._replace(parts=summed_by_document(table.parts, documents)))


def main(data: Path) -> None:
    """Print the table."""
    plan = plan_in(data / "conll18" / "gold", data / "conll18" / "systems")
    results = score_plan(plan, setup_of(MEASURES), by_sentence=True)
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for unit, name, own in by_unit(plan, results):
        for measure, value in own.items():
            values.setdefault((unit, measure), {}).setdefault(name, []).append(value)
    print("unit", "measure", "test_sets", "lower_quartile", "median", "upper_quartile", sep="\t")
    for unit in ("sentence", "document"):
        for measure in MEASURES:
            every = [float(np.mean(own)) for own in values[unit, measure].values()]
            quartiles = np.quantile(every, [0.25, 0.5, 0.75])
            print(unit, measure, len(every), *(f"{one:.2f}" for one in quartiles), sep="\t")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
