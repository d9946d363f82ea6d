"""Campaigns for tests: made up of counts, or of the parallel examples."""

from fractions import Fraction
from pathlib import Path

from conftest import EXAMPLES
from levelhead import campaign as c
from levelhead.evaluation.setup import setup_of

PARALLEL = EXAMPLES / "parallel"
LANGUAGES = ("ar", "cs", "de", "en", "fi", "fr", "ja", "tr")
ENGLISH = (PARALLEL / "gold" / "en.conllu").read_bytes()


def results_of(counts: dict[str, list[tuple[int, int]]]) -> c.Results:
    """Results with the given (correct, total) on test sets t0, t1 ..."""
    n = len(next(iter(counts.values())))
    test_sets = tuple(c.TestSet(f"t{i}") for i in range(n))
    results = {
        (system, f"t{i}"): c.OutputResult("valid", {"LAS": 100 * Fraction(*pair)}, "OK")
        for system, pairs in counts.items()
        for i, pair in enumerate(pairs)
    }
    return c.Results(test_sets, tuple(counts), ("LAS",), results, {}, {})


def everything(results: c.Results) -> c.Group:
    (group,) = c.groups_named(["all"], results.test_sets)
    return group


def scored(folder: Path, **settings) -> c.Results:
    """Score the folders `gold` and `systems` of a folder."""
    rules = settings.pop("rules", "ud")
    plan = c.find_plan(folder / "gold", folder / "systems")
    return c.score_plan(plan, setup_of(["LAS", "CLAS"], rules=rules), **settings)
