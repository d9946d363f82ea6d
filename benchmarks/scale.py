"""Measure what docs/scale.md reckons with: the cost of a job, of handing it over, and of what one process does alone.

    python benchmarks/scale.py GOLD SYSTEMS [--workers 1 2 4 8]

The first part scores a campaign in one process, and tells the work of jobs from the rest. The second starts local dask
clusters and gives them jobs that only wait as long as a real one takes: so the cost of a cluster shows on a machine
with fewer processors than workers.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from levelhead.campaign import groups_named, job, plan_in, rank, score_plan
from levelhead.campaign import run as engine
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Job, Store, cluster, run_jobs
from levelhead.report.ranking import ranking_document


def wait(seconds: float, _: int) -> bytes:
    """A job that takes as long as it is told, without work."""
    time.sleep(seconds)
    return bytes(2500)


def campaign(gold: Path, systems: Path) -> float:
    """Print the CPU seconds of the parts of a campaign; return those of a job."""
    found = plan_in(gold, systems)
    spent = {"gold": 0.0, "pairs": 0.0}
    true_gold, true_pair = job._gold.__wrapped__, engine.count_output  # noqa: SLF001

    def timed_gold(*arguments, **options):
        start = time.process_time()
        result = true_gold(*arguments, **options)
        spent["gold"] += time.process_time() - start
        return result

    def timed_pair(*arguments):
        start = time.process_time()
        result = true_pair(*arguments)
        spent["pairs"] += time.process_time() - start
        return result

    job._gold = job.lru_cache(maxsize=2)(timed_gold)  # noqa: SLF001
    engine.count_output = timed_pair
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
    text = json.dumps(ranking_document(results, rankings))
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
    print(
        f"\nthe store has {size / n / 1000:.1f} kB a pair; a gold file takes {spent['gold'] / len(results.gold):.4f} s"
    )
    return one_job


def clusters(seconds: float, workers: list[int], batch: int) -> None:
    """Print how long waiting jobs take on clusters, beside what workers that cost nothing would take."""
    print(f"\njobs that wait {1000 * seconds:.0f} ms, {batch} to a task\n")
    print("| workers | jobs | s | without any cost, s | start, s | a job costs, ms of one process |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in workers:
        n_jobs = 512 * n
        using = cluster("local", n)
        begin = time.perf_counter()
        executor = using.start()
        running = using._replace(start=lambda executor=executor: executor, restartable=False, batch=batch)
        run_jobs([Job(str(i), wait, (0.0, i), "") for i in range(8 * n)], running)
        start = time.perf_counter() - begin
        cpu, begin = time.process_time(), time.perf_counter()
        run_jobs([Job(str(i), wait, (seconds, i), "") for i in range(n_jobs)], running)
        wall = time.perf_counter() - begin
        cost = (time.process_time() - cpu) / n_jobs
        executor.shutdown()
        print(f"| {n} | {n_jobs} | {wall:.2f} | {n_jobs * seconds / n:.2f} | {start:.2f} | {1000 * cost:.2f} |")


def main() -> None:
    """Print the tables of docs/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    arguments = parser.parse_args()
    seconds = campaign(arguments.gold, arguments.systems)
    for batch in (1, 8, 64):
        clusters(seconds, arguments.workers, batch)


if __name__ == "__main__":
    main()
