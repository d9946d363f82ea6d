"""Print the tables of development/benchmarks.md that are about speed and memory, each next to its peer.

    python benchmarks/all.py --data DATA --script conll18_ud_eval.py [--only cold ...]
                             [--page development/benchmarks.md]

DATA holds `conll18/gold/*.conllu.xz`, `conll18/systems/TEAM/*.conllu.xz` and `ud/r2.0`, `ud/r2.0-test` with files such
as `hu-ud-train.conllu.xz`; the script is that of the CoNLL 2018 shared task. Programs run in turns, as whole processes,
so that a drift of the machine's speed touches all of them; the first turn is not counted, except where a program takes
a minute. Takes about a quarter of an hour on two processors that nobody else uses, half of it to train UDPipe, and 3 GB
of disk. With --page the tables also replace those of the page: whatever is between `<!-- all.py: cold -->` and
`<!-- end -->`, and the same for the other parts.
"""

import argparse
import contextlib
import io
import json
import lzma
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from new_words import copies
from score import in_turns, measure, median, n_words, reader, replace_tables, report

LEVELHEAD = [sys.executable, "-m", "levelhead"]
LIBRARIES = [sys.executable, "-c", "import numpy, click"]
COPIES_OF_A_MILLION = 40
ONE_PROCESSOR, TWO_PROCESSORS = ["taskset", "-c", "0"], ["taskset", "-c", "0,1"]


class Places(NamedTuple):
    """Where files are."""

    data: Path
    script: Path
    folder: Path

    def plain(self, path: Path) -> Path:
        """Return a decompressed copy of a file."""
        target = self.folder / path.parent.name / path.stem
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(lzma.decompress(path.read_bytes()))
        return target

    def pair(self) -> tuple[Path, Path]:
        """Return a gold file of 25,096 words and a system's output."""
        shared = self.data / "conll18"
        files = (shared / "gold" / "en_ewt.conllu.xz", shared / "systems" / "HIT-SCIR-18" / "en_ewt.conllu.xz")
        return self.plain(files[0]), self.plain(files[1])

    def large_pair(self, n_copies: int) -> tuple[Path, Path]:
        """Return copies of the pair with new words and sentence ids in each."""
        made = []
        for path in self.pair():
            target = path.with_name(f"large-{path.name}")
            with target.open("wb") as file:
                file.writelines(copies(path, n_copies))
            made.append(target)
        return made[0], made[1]

    def official(self, gold: Path, system: Path) -> list[str]:
        """Return the command of the official script."""
        return [sys.executable, str(self.script), "-v", str(gold), str(system)]


def score_of(gold: Path, system: Path) -> list[str]:
    """Return the command that prints the same table as the official script."""
    return [*LEVELHEAD, "score", "--rules", "conll18", str(gold), str(system)]


def cold(places: Places) -> None:
    """One test set, from the start of the process to its end."""
    gold, system = places.pair()
    commands = {
        "official script": places.official(gold, system),
        "levelhead score": score_of(gold, system),
        "import numpy, click": LIBRARIES,
    }
    results = in_turns(commands, 31)
    report(f"One test set, {n_words(gold):,} words", results, "official script")
    over = [1000 * (ours.wall - base.wall) for ours, base in zip(results["levelhead score"], results[[*commands][2]])]
    more = f"{median(over):.0f} ms more than `import numpy, click` in the median turn"
    print(f"\n`levelhead score` takes {more} (goal: 40).")


def help_text(_: Places) -> None:
    """The help, next to Python itself."""
    commands = {"levelhead --help": [*LEVELHEAD, "--help"], "python -c pass": [sys.executable, "-c", "pass"]}
    report("Help", in_turns(commands, 11), "levelhead --help")


def million(places: Places) -> None:
    """A million words, all of them new."""
    gold, system = places.large_pair(COPIES_OF_A_MILLION)
    ours = score_of(gold, system)
    commands = {
        "official script": places.official(gold, system),
        "levelhead score, one processor": [*ONE_PROCESSOR, *ours],
        "levelhead score, two processors": [*TWO_PROCESSORS, *ours],
    }
    results = in_turns(commands, 2, warm=False)
    rest = in_turns({name: command for name, command in commands.items() if "levelhead" in name}, 3)
    results = {name: [*runs, *rest.get(name, [])] for name, runs in results.items()}
    report(f"{n_words(gold):,} words, new words and sentence ids throughout", results, "official script")
    reader(gold)


def rank(places: Places) -> None:
    """All outputs of a shared task, compressed."""
    folders = [places.data / "conll18" / "gold", places.data / "conll18" / "systems"]
    files = sorted(str(path) for folder in folders for path in folder.rglob("*.conllu.xz"))
    ours = [*LEVELHEAD, "rank", "--rules", "conll18", "--all-measures", *map(str, folders)]
    commands = {
        "levelhead rank, two processes": [*ours, "--jobs", "2"],
        "levelhead rank, one process": [*ours, "--jobs", "1"],
        "xz -dc": ["xz", "-dc", *files],
    }
    results = in_turns(commands, 3)
    report(f"Ranking: {len(files)} compressed files", results, "xz -dc")
    times = [ours.wall / base.wall for ours, base in zip(results["levelhead rank, two processes"], results["xz -dc"])]
    print(f"\nTwo processes of `levelhead rank` take {median(times):.1f} times as long as `xz -dc` (goal: 2).")


def memory(places: Places) -> None:
    """Memory as files grow, next to the official script for as long as it takes about a minute."""
    print("\nMemory as files grow; all counts are those of one copy, times the number of copies\n")
    print("| words | MB of both files | program | wall s | words a second | peak MB |")
    print("| ---: | ---: | --- | ---: | ---: | ---: |")
    expected = counts_of(score_of(*places.pair()), places)
    for n_copies in (1, COPIES_OF_A_MILLION, 10 * COPIES_OF_A_MILLION):
        gold, system = places.large_pair(n_copies)
        words, size = n_words(gold), (gold.stat().st_size + system.stat().st_size) / 1e6
        commands = {"levelhead score": score_of(gold, system), "official script": places.official(gold, system)}
        for name, command in commands.items():
            if name == "levelhead score" or n_copies <= COPIES_OF_A_MILLION:
                run = measure(command)
                speed = f"{run.wall:.2f} | {words / run.wall:,.0f} | {run.memory:.0f}"
                print(f"| {words:,} | {size:,.0f} | {name} | {speed} |", flush=True)
        if counts_of(score_of(gold, system), places) != {name: n * n_copies for name, n in expected.items()}:
            sys.exit(f"the counts of {n_copies} copies are not {n_copies} times those of one")
        gold.unlink()
        system.unlink()


def counts_of(command: list[str], places: Places) -> dict[str, int]:
    """Return the counts of all measures."""
    output = places.folder / "scores.json"
    measure([*command, "--format", "json", "-o", str(output)])
    rows = json.loads(output.read_text())["tables"]["scores"]
    return {f"{row['measure']} {part}": row[part] for row in rows for part in ("correct", "gold", "predicted")}


def parsers(places: Places) -> None:
    """Training and parsing of one treebank, next to UDPipe, which needs its library."""
    train = places.data / "ud" / "r2.0" / "hu-ud-train.conllu.xz"
    test = places.plain(places.data / "ud" / "r2.0-test" / "hu-ud-test.conllu.xz")
    print("\nParsers: Hungarian, UD 2.0, gold tokens and tags\n")
    print(
        "| parser | training, CPU s | parsing, CPU s | words a CPU second | LAS |\n| --- | ---: | ---: | ---: | ---: |"
    )
    compared = (("swap-lazy", ["--beam", "1"]), ("swap-lazy", []), ("graph", []), ("ensemble", []), ("udpipe", []))
    for name, options in compared:
        model, output = (str(places.folder / one) for one in ("model", "parsed.conllu"))
        start = measure([*LEVELHEAD, "measures", "LAS"]).cpu
        try:
            trained = measure([*LEVELHEAD, "train", name, str(train), model, *options], check=False)
            parsed = measure([*LEVELHEAD, "parse", model, str(test), "-o", output], check=False)
        except RuntimeError:
            print(f"| {name}: not installed | | | | |")
            continue
        parsing = max(parsed.cpu - start, 0.001)
        print(
            f"| {' '.join([name, *options])} | {trained.cpu:.1f} | {parsed.cpu:.2f} | {n_words(test) / parsing:,.0f}"
            f" | {las(test, Path(output)):.2f} |"
        )
    print(
        "\nParsing speed leaves out the start of the program. For all 13 test sets: `python scripts/full/parsers.py`."
    )


def las(gold: Path, system: Path) -> float:
    """Return the LAS of an output."""
    command = [*LEVELHEAD, "score", "-m", "LAS", "--format", "tsv", str(gold), str(system)]
    rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return float(dict(zip(rows[0].split("\t"), rows[1].split("\t")))["F1 Score"])


PARTS: dict[str, Callable[[Places], None]] = {
    "cold": cold,
    "help": help_text,
    "rank": rank,
    "parsers": parsers,
    "million": million,
    "memory": memory,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("LEVELHEAD_DATA"), help="default: $LEVELHEAD_DATA")
    parser.add_argument("--script", type=Path, required=True, help="conll18_ud_eval.py")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[*PARTS], help="default: all parts")
    parser.add_argument("--page", type=Path, help="the page whose tables are replaced")
    given = parser.parse_args()
    if given.data is None:
        parser.error("--data or LEVELHEAD_DATA is required")
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        for part in given.only:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                PARTS[part](Places(Path(given.data), given.script, Path(name)))
            print(printed.getvalue(), end="", flush=True)
            if given.page:
                replace_tables(given.page, f"all.py: {part}", printed.getvalue().strip())


if __name__ == "__main__":
    main()
