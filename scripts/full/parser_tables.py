"""Compare our parsers on 13 treebanks of UD 2.0 with UDPipe 1.2 and MaltParser: see docs/parsers.md.

    python scripts/full/parser_tables.py DATA [CODE ...] [--seed 0] [--parser NAME ...]

DATA has r2.0/CODE-ud-train.conllu.xz and r2.0-test/CODE-ud-test.conllu.xz. Prints LAS on the test sets, and CPU seconds
of training with words parsed a CPU second, in Markdown. Each result is also printed on standard error as soon as it is
there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from parsers import THIRTEEN, Result, measured

PARSERS: Mapping[str, tuple[str, int | None]] = {
    "swap-lazy --beam 1": ("swap-lazy", 1),
    "swap-lazy": ("swap-lazy", None),
    "graph": ("graph", None),
    "ensemble": ("ensemble", None),
}
UDPIPE = dict(
    zip(THIRTEEN.split(), (82.2, 85.9, 86.0, 79.6, 78.3, 78.5, 79.1, 65.8, 46.5, 74.9, 87.5, 61.1, 67.9), strict=True)
)
"""LAS on test sets with gold segmentation and tags, as published with the models of UDPipe 1.2."""

MALT = dict(
    zip(
        THIRTEEN.split(),
        (71.32, 80.57, 82.20, 67.82, 67.71, 65.47, 77.93, 62.03, 46.32, 62.49, 82.96, 53.90, 64.06),
        strict=True,
    )
)
"""LAS of MaltParser 1.9.2 with its defaults: `levelhead train malt`, see docs/parsers.md."""

Results = Mapping[tuple[str, str], Result]
"""Results on the test set by treebank and parser."""


def main() -> None:
    """Measure, and print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("codes", nargs="*")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--parser", action="append", choices=PARSERS, help="which parsers (default: all)")
    asked = options.parse_args()
    codes, parsers = asked.codes or THIRTEEN.split(), asked.parser or list(PARSERS)
    results: dict[tuple[str, str], Result] = {}
    for code in codes:
        train, test = asked.data / f"r2.0/{code}-ud-train.conllu.xz", asked.data / f"r2.0-test/{code}-ud-test.conllu.xz"
        for name in parsers:
            found = results[code, name] = measured(train, test, *PARSERS[name], asked.seed)
            print(f"{code} {name}: LAS {found.las:.2f}, {found.seconds:.1f} s", file=sys.stderr)
    print_scores(codes, parsers, results)
    print_costs(codes, parsers, results)


def print_scores(codes: Sequence[str], parsers: Sequence[str], results: Results) -> None:
    """Print the LAS of the other parsers and ours, and the means."""
    print(f"| Treebank | MaltParser | UDPipe 1.2 | {' | '.join(parsers)} |\n| --- |{' ---: |' * (len(parsers) + 2)}")
    rows = [[MALT[code], UDPIPE[code], *(results[code, name].las for name in parsers)] for code in codes]
    for code, row in zip((*codes, "mean"), (*rows, [sum(column) / len(rows) for column in zip(*rows)])):
        print(f"| {code} | " + " | ".join(f"{value:.2f}" for value in row) + " |")
    print()


def print_costs(codes: Sequence[str], parsers: Sequence[str], results: Results) -> None:
    """Print CPU seconds of training all treebanks, and the lowest and highest number of words parsed a CPU second."""
    print("| Parser | CPU s of training | Words parsed a CPU second |\n| --- | ---: | ---: |")
    for name in parsers:
        found = [results[code, name] for code in codes]
        speeds = [result.speed for result in found]
        print(f"| {name} | {sum(result.seconds for result in found):.0f} | {min(speeds):,.0f} to {max(speeds):,.0f} |")


if __name__ == "__main__":
    main()
