"""Time a command with two versions of levelhead, in turns: whole processes, seconds of CPU, ratios pair by pair.

    python benchmarks/versions.py BEFORE AFTER [--runs 5] -- rank GOLD SYSTEMS --jobs 1

BEFORE and AFTER are checkouts in which the kernels were compiled (`python setup.py build_ext --inplace`). What follows
`--` is a command line without the word levelhead.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence

from score import in_turns


def spread(values: Sequence[float]) -> str:
    """The median of some values, with the least and the largest."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Print a line of a table: CPU seconds of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    start = [sys.executable, "-m", "levelhead", *given.command]
    checkouts = {"before": given.before, "after": given.after}
    commands = {name: ["env", f"PYTHONPATH={folder}/src", *start] for name, folder in checkouts.items()}
    before, after = ([run.cpu for run in runs] for runs in in_turns(commands, given.runs).values())
    ratios = [new / old for old, new in zip(before, after, strict=True)]
    print("| command | before, CPU s | after, CPU s | after / before |\n| --- | ---: | ---: | ---: |")
    print(f"| {given.command[0]} | {spread(before)} | {spread(after)} | {spread(ratios)} |")


if __name__ == "__main__":
    main()
