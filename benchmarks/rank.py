"""Time `levelhead rank` on many compressed files against the official script, and against only decompressing them.

    python benchmarks/rank.py --script conll18_ud_eval.py GOLD SYSTEMS [--runs 3] [--jobs 2]

GOLD and SYSTEMS are folders as `levelhead rank` takes them, of `.conllu.xz` files. The script is not part of levelhead:
get it from the shared task's repository. It reads plain files, one pair a process; decompressing them for it is not
counted. It is run once, with as many processes at a time as levelhead has; the others in turns.
"""

import argparse
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """What some processes took together, in seconds."""

    wall: float
    cpu: float


def measure(commands: list[list[str]], at_once: int) -> Run:
    """Run commands, some at a time."""

    def run(command: list[str]) -> float:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        if status:
            sys.exit(f"failed: {' '.join(command)[:300]}")
        return usage.ru_utime + usage.ru_stime

    start = time.perf_counter()
    with ThreadPoolExecutor(at_once) as threads:
        cpu = sum(threads.map(run, commands))
    return Run(time.perf_counter() - start, cpu)


def plain(path: Path, folder: Path) -> Path:
    """Decompress a file into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / path.name.removesuffix(".xz")
    target.write_bytes(lzma.decompress(path.read_bytes()))
    return target


def main() -> None:
    """Print the table of development/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--script", type=Path, required=True, help="conll18_ud_eval.py")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("gold", type=Path)
    parser.add_argument("systems", type=Path)
    arguments = parser.parse_args()
    golds = sorted(arguments.gold.glob("*.conllu.xz"))
    outputs = sorted(arguments.systems.glob("*/*.conllu.xz"))
    files = [str(path) for path in (*golds, *outputs)]
    folders = [str(arguments.gold), str(arguments.systems)]
    rank = [sys.executable, "-m", "levelhead", "rank", "--rules", "conll18", "--all-measures", *folders]
    with tempfile.TemporaryDirectory() as name:
        store = Path(name) / "store"
        subprocess.run([*rank, "--store", store], check=True, stdout=subprocess.DEVNULL)
        turns = {
            f"levelhead rank, {arguments.jobs} processes": [[*rank, "--jobs", str(arguments.jobs)]],
            "levelhead rank, 1 process": [[*rank, "--jobs", "1"]],
            "levelhead rank, all in its store": [[*rank, "--store", str(store)]],
            "xz -dc": [["xz", "-dc", *files]],
        }
        results: dict[str, list[Run]] = {title: [] for title in turns}
        for _ in range(arguments.runs):
            for title, commands in turns.items():
                results[title].append(measure(commands, 1))
        plain_gold = {path.name: plain(path, Path(name) / "gold") for path in golds}
        pairs = [(plain_gold[path.name], plain(path, Path(name) / path.parent.name)) for path in outputs]
        script = [[sys.executable, str(arguments.script), "-v", str(gold), str(output)] for gold, output in pairs]
        results["official script, one process a pair"] = [measure(script, arguments.jobs)]
    report(results, f"{len(golds)} test sets, {len(outputs)} outputs")


def report(results: dict[str, list[Run]], title: str) -> None:
    """Print medians, and how they compare with the first."""
    base = [statistics.median(getattr(run, field) for run in next(iter(results.values()))) for field in Run._fields]
    print(f"\n{title}\n\n| program | wall s | CPU s | times the wall time | times the CPU time |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, runs in results.items():
        wall, cpu = (statistics.median(getattr(run, field) for run in runs) for field in Run._fields)
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {wall / base[0]:.2f} | {cpu / base[1]:.2f} |")


if __name__ == "__main__":
    main()
