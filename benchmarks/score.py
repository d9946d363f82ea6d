"""Time `levelhead score` against the official CoNLL 2018 script, in turns in one run.

    python benchmarks/score.py --script conll18_ud_eval.py GOLD SYSTEM [--runs 5] [--times 40]

The script is not part of levelhead: get it from the shared task's repository. Both programs are run as whole
processes, A B A B ..., so that a drift of the machine's speed touches both; the table has medians, and the median of
the pairwise ratios. `--times N` repeats the pair of files N times, to make large ones of real text.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Run:
    """What one process took."""

    wall: float
    cpu: float
    memory: float


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Modules are compiled in the first turn, as they are where a program is installed."""


def measure(command: list[str], *, check: bool = True) -> Run:
    """Run a command and return seconds of wall clock and of CPU, and megabytes at most.

    Args:
        command: the command.
        check: whether this program ends if the command fails; otherwise that is a RuntimeError.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status and not check:
        raise RuntimeError(command)
    if status:
        sys.exit(f"failed: {' '.join(command)[:300]}")
    process.returncode = 0
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


median = statistics.median


def in_turns(commands: dict[str, list[str]], runs: int, *, warm: bool = True) -> dict[str, list[Run]]:
    """Run the commands in turn, after one turn that does not count (unless it is not wanted)."""
    results: dict[str, list[Run]] = {name: [] for name in commands}
    for turn in range(0 if warm else 1, runs + 1):
        for name, command in commands.items():
            result = measure(command)
            if turn:
                results[name].append(result)
    return results


def report(title: str, results: dict[str, list[Run]], against: str) -> None:
    """Print medians, and how many times as long the one named takes."""
    print(f"\n{title}\n\n| program | wall s | CPU s | MB | wall ratio | CPU ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, runs in results.items():
        medians = [statistics.median(getattr(run, field) for run in runs) for field in ("wall", "cpu", "memory")]
        ratios = [
            statistics.median(getattr(other, field) / getattr(run, field) for run, other in zip(runs, results[against]))
            for field in ("wall", "cpu")
        ]
        print(
            f"| {name} | {medians[0]:.3f} | {medians[1]:.3f} | {medians[2]:.0f} | {ratios[0]:.1f} | {ratios[1]:.1f} |"
        )


def replace_tables(page: Path, mark: str, text: str) -> None:
    """Replace what a page has between `<!-- mark -->` and `<!-- end -->`."""
    start, end = f"<!-- {mark} -->\n\n", "\n\n<!-- end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(start)
    if not found:
        sys.exit(f"{page} has no line {start.strip()}")
    page.write_text(f"{before}{start}{text}{end}{rest.partition(end)[2]}", encoding="utf-8")


def repeated(path: Path, times: int, folder: Path) -> Path:
    """Write a file of so many copies."""
    target = folder / path.name
    with target.open("wb") as file:
        for _ in range(times):
            file.write(path.read_bytes())
    return target


def n_words(path: Path) -> int:
    """Count the words of a plain CoNLL-U file."""
    with path.open("rb") as file:
        return sum(line.split(b"\t", 1)[0].isdigit() for line in file)


def reader(path: Path, rounds: int = 7) -> None:
    """Print how fast a file in memory is read, against copying it and counting its lines, in turns."""
    import hashlib

    import levelhead
    from levelhead.kernels import scan

    data = path.read_bytes()
    work = {
        "memcpy (bytearray of the data)": lambda: bytearray(data),
        "wc -l (count of line feeds)": lambda: data.count(b"\n"),
        "scan: cells interned, ids and heads checked": lambda: scan.arrays_of(scan.begin(data)),
        "SHA-256": lambda: hashlib.sha256(data).digest(),
        "read: scan, text, trees, hash, warnings": lambda: levelhead.from_conllu(data),
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, do in work.items():
            start = time.perf_counter()
            do()
            times[name].append(time.perf_counter() - start)
    print(
        f"\nreading {len(data) / 1e6:.0f} MB in memory\n\n| work | s | MB/s | share of memcpy speed | of wc -l speed |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    copy, count = (statistics.median(times[name]) for name in list(work)[:2])
    for name, some in times.items():
        median = statistics.median(some)
        print(
            f"| {name} | {median:.4f} | {len(data) / 1e6 / median:.0f} | {copy / median:.1%} | {count / median:.1%} |"
        )


def long_token(path: Path, n: int) -> None:
    """Write one multiword token of n words in a seeded order of letters."""
    letter = 1
    with path.open("w", encoding="utf-8") as file:
        file.write(f"1-{n}\tx\t_\t_\t_\t_\t_\t_\t_\t_\n")
        for i in range(1, n + 1):
            letter = letter * 1103515245 + 12345 + len(path.name) & 0x7FFFFFFF
            head, relation = (0, "root") if i == 1 else (1, "dep")
            file.write(f"{i}\t{chr(97 + letter // 65536 % 26)}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n")
        file.write("\n")


def main() -> None:
    """Print the tables of development/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--script", type=Path, required=True, help="conll18_ud_eval.py")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--times", type=int, default=1, help="repeat the files so many times")
    parser.add_argument("gold", type=Path)
    parser.add_argument("system", type=Path)
    arguments = parser.parse_args()
    python = sys.executable
    with tempfile.TemporaryDirectory() as name:
        (gold_folder := Path(name) / "gold").mkdir()
        (system_folder := Path(name) / "system").mkdir()
        gold = repeated(arguments.gold, arguments.times, gold_folder)
        system = repeated(arguments.system, arguments.times, system_folder)
        official = [python, str(arguments.script), "-v", str(gold), str(system)]
        ours = [python, "-m", "levelhead", "score", "--rules", "conll18", str(gold), str(system)]
        commands = {
            "official script": official,
            "levelhead score": ours,
            "import numpy, click": [python, "-c", "import numpy, click"],
        }
        report(f"{n_words(gold)} words", in_turns(commands, arguments.runs), "official script")
        one, other = gold_folder / "long.conllu", system_folder / "longer.conllu"
        long_token(one, 20_000)
        long_token(other, 20_000)
        pair = {"levelhead score": [python, "-m", "levelhead", "score", str(one), str(other)]}
        report("one multiword token of 20,000 words against another", in_turns(pair, arguments.runs), "levelhead score")
        reader(gold)  # last: a process started from a large one is counted as large


if __name__ == "__main__":
    main()
