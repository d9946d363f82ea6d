"""Measure what docs/scale.md reckons with: the cost of a job, of handing it over, and of what one process does alone.

    python benchmarks/scale.py GOLD SYSTEMS [--workers 1 2 4 8] [--page docs/scale.md]

The first part scores a campaign in one process, and tells the work of jobs from the rest; so does the second for
profiles of the gold files. The third starts local dask clusters and gives them jobs that only wait as long as a real
one takes: so the cost of a cluster shows on a machine with fewer processors than workers, if nobody else uses it. The
last part works out how long a large campaign takes. Takes about three minutes. With --page the last part also replaces
that of the page, between `<!-- scale.py: model -->` and `<!-- end -->`.
"""

import argparse
import contextlib
import io
import json
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from score import replace_tables

from levelhead.campaign import find_plan, groups_named, profile_jobs, rank, records, run as engine, score_plan
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Job, Store, cluster, processes, run_jobs
from levelhead.typology.collection import survey
from levelhead.typology.profile import files_of

Result = TypeVar("Result")


def wait(seconds: float, _: int) -> bytes:
    """A job that takes as long as it is told, without work."""
    time.sleep(seconds)
    return bytes(2500)


class Costs(NamedTuple):
    """CPU seconds: of a job, of a gold file, and of the one process for each pair."""

    job: float
    gold: float
    one_process: float


def campaign(gold: Path, systems: Path) -> Costs:
    """Print the CPU seconds of the parts of a campaign, and return them."""
    found = find_plan(gold, systems)
    spent = {"gold": 0.0, "pairs": 0.0}

    def timed(part: str, function: Callable[..., Result]) -> Callable[..., Result]:
        def run(*arguments: Any, **options: Any) -> Result:
            start = time.process_time()
            result = function(*arguments, **options)
            spent[part] += time.process_time() - start
            return result

        return run

    kept = records._gold  # noqa: SLF001
    records._gold = lru_cache(kept.cache_parameters()["maxsize"])(timed("gold", kept.__wrapped__))  # type: ignore[assignment] # noqa: SLF001
    engine.count_output = timed("pairs", engine.count_output)  # type: ignore[assignment, attr-defined]
    with tempfile.TemporaryDirectory() as name:
        start = time.process_time()
        with Store(Path(name) / "store") as store:
            results = score_plan(found, setup_of(rules="conll18"), store=store)
        total = time.process_time() - start
        size = (Path(name) / "store").stat().st_size
    start = time.process_time()
    (group,) = groups_named(["all"], results.test_sets)
    rankings = [rank(results, measure, group) for measure in results.measures]
    ranked = time.process_time() - start
    text = json.dumps(RankedSystems(tuple(rankings), results, results.provenance()).to_dict())
    printed = time.process_time() - start - ranked
    n, n_valid = len(results.results), sum(result.state == "valid" for result in results.results.values())
    words = sum(results.gold[code].words for (_, code), result in results.results.items() if result.state == "valid")
    print(f"{n} pairs, {n_valid} outputs, {words} gold words ({words / n_valid:.0f} a pair)\n")
    one_job = (spent["pairs"] - spent["gold"]) / n_valid
    print("| part | CPU s | a pair, ms |\n| --- | ---: | ---: |")
    for title, seconds in (
        ("reading gold, once a test set", spent["gold"]),
        ("reading and scoring outputs (workers)", spent["pairs"] - spent["gold"]),
        ("finding files, hashes, the store, results (one process)", total - spent["pairs"]),
        (f"ranking {len(results.measures)} measures", ranked),
        (f"JSON, {len(text) / n / 1000:.1f} kB a pair", printed),
    ):
        print(f"| {title} | {seconds:.2f} | {1000 * seconds / n_valid:.2f} |")
    one_gold = spent["gold"] / len(results.gold)
    print(f"\nThe store has {size / n / 1000:.1f} kB a pair; a gold file takes {1000 * one_gold:.0f} ms.")
    return Costs(one_job, one_gold, (total - spent["pairs"] + printed) / n_valid)


def profiles(gold: Path) -> None:
    """Print the CPU seconds of profiles with all columns."""
    files, spent = files_of([gold]), [0.0]
    true_job = profile_jobs.profile_files

    def timed(*arguments: Any) -> bytes:
        start = time.process_time()
        result = true_job(*arguments)
        spent[0] += time.process_time() - start
        return result

    profile_jobs.profile_files = timed
    with tempfile.TemporaryDirectory() as name, Store(Path(name) / "store") as store:
        start = time.process_time()
        found = survey(files, run=profile_jobs.profile_with(processes(1), store))
        rest = time.process_time() - start - spent[0]
    words = sum(one.number("words") for one in found.values())
    print(f"{len(found)} treebanks, {words} words ({words / len(found):.0f} a treebank), all columns\n")
    print("| part | CPU s | a treebank, ms |\n| --- | ---: | ---: |")
    for title, seconds in (
        ("reading and counting (workers)", spent[0]),
        ("hashes, the store, results (one process)", rest),
    ):
        print(f"| {title} | {seconds:.2f} | {1000 * seconds / len(found):.2f} |")


def clusters(seconds: float, workers: list[int]) -> float:
    """Print how long waiting jobs take on clusters, next to the time that workers without any overhead would take.

    Returns:
        The CPU seconds of one process for each job on the largest cluster, with the most jobs in a task.
    """
    print(f"Jobs that wait {1000 * seconds:.0f} ms\n")
    print(
        "| jobs in a task | workers | jobs | s | without any cost, s | one process (scheduler and client), ms a job |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for batch in (1, 8, 64):
        for n in workers:
            n_jobs = 512 * n
            using = cluster("local", n)
            executor = using.start()
            running = using._replace(start=lambda executor=executor: executor, restartable=False, batch=batch)
            run_jobs([Job(str(i), wait, (0.0, i), "") for i in range(8 * n)], running)
            cpu, begin = time.process_time(), time.perf_counter()
            run_jobs([Job(str(i), wait, (seconds, i), "") for i in range(n_jobs)], running)
            wall = time.perf_counter() - begin
            cost = (time.process_time() - cpu) / n_jobs
            executor.shutdown()
            row = f"| {batch} | {n} | {n_jobs} | {wall:.2f} | {n_jobs * seconds / n:.2f} | {1000 * cost:.2f} |"
            print(row, flush=True)
    return cost


def model(costs: Costs, handing_over: float) -> None:
    """Print how long a campaign of 1,000 systems on 300 test sets takes, by the number of workers."""
    n_pairs, n_test_sets = 300_000, 300
    one = costs.one_process + handing_over
    print("| workers | scoring, min | planning, storing, printing, min | total, min |\n| ---: | ---: | ---: | ---: |")
    for n in (1, 2, 4, 8, 100):
        parts = (n_pairs * costs.job / n + n_test_sets * costs.gold) / 60, n_pairs * one / 60
        print(f"| {n} | {parts[0]:.0f} | {parts[1]:.0f} | {max(parts):.0f} |")


def main() -> None:
    """Print the tables of docs/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--page", type=Path, help="the page whose table is replaced")
    given = parser.parse_args()

    def shown(part: str, function: Callable[..., Result], *arguments: Any) -> Result:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            result = function(*arguments)
        print(f"\n{printed.getvalue().strip()}", flush=True)
        if given.page and part == "model":
            replace_tables(given.page, f"scale.py: {part}", printed.getvalue().strip("\n"))
        return result

    costs = shown("campaign", campaign, given.gold, given.systems)
    shown("profiles", profiles, given.gold)
    shown("model", model, costs, shown("clusters", clusters, costs.job, given.workers))


if __name__ == "__main__":
    main()
