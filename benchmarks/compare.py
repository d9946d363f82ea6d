"""Time `levelhead compare`: all measures of several systems, with resamples, and what the resamples cost.

    python benchmarks/compare.py GOLD SYSTEM SYSTEM... [--runs 5] [--resamples 10000]

Runs with all resamples and with one are made in turns, as whole processes; their difference is what tests cost beyond
reading, matching and counting.
"""

import argparse
import sys

from score import in_turns, report

MEASURES = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS LAS(full) CLAS MLAS BLEX".split()
"""All that the rules print, but for those of enhanced graphs, which the outputs of 2018 do not have."""


def main() -> None:
    """Print a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold")
    parser.add_argument("systems", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--resamples", type=int, default=10_000)
    given = parser.parse_args()
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    start = [sys.executable, "-m", "levelhead", "compare", *asked]
    files = [given.gold, *given.systems]
    commands = {f"{n:,} resamples": [*start, "--resamples", str(n), *files] for n in (given.resamples, 1000, 1)}
    title = f"{len(given.systems)} systems, {len(MEASURES)} measures"
    report(title, in_turns(commands, given.runs), "1 resamples")


if __name__ == "__main__":
    main()
