"""Compare our parsers on 13 treebanks of UD 2.0 with UDPipe 1.2 and MaltParser: see docs/parsers.md.

    python scripts/full/parser_tables.py DATA [CODE ...] [--seed 0] [--parser NAME ...]

DATA has r2.0/CODE-ud-train.conllu.xz, r2.0/CODE-ud-dev.conllu.xz and r2.0-test/CODE-ud-test.conllu.xz. Prints LAS on
the test sets, LAS on the development sets, and CPU seconds of training with words parsed a CPU second, in Markdown.
Each result is also printed on standard error as soon as it is there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
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
        (71.77, 79.97, 83.02, 67.73, 67.80, 66.94, 75.71, 58.05, 54.88, 63.75, 86.29, 53.76, 64.89),
        strict=True,
    )
)
"""LAS of MaltParser 1.9.2 with its defaults on development sets: `levelhead train malt`, see docs/parsers.md."""

Results = Mapping[tuple[str, str], Sequence[Result]]
"""Results on the test set and on the development set by treebank and parser."""


def main() -> None:
    """Measure, and print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("codes", nargs="*")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--parser", action="append", choices=PARSERS, help="which parsers (default: all)")
    asked = options.parse_args()
    codes, parsers = asked.codes or THIRTEEN.split(), asked.parser or list(PARSERS)
    results: dict[tuple[str, str], list[Result]] = {}
    for code in codes:
        folder = asked.data / "r2.0"
        gold = [asked.data / "r2.0-test" / f"{code}-ud-test.conllu.xz", folder / f"{code}-ud-dev.conllu.xz"]
        for name in parsers:
            parser, beam = PARSERS[name]
            results[code, name] = measured(folder / f"{code}-ud-train.conllu.xz", gold, parser, beam, asked.seed)
            test, dev = results[code, name]
            print(f"{code} {name}: LAS {test.las:.2f}, {dev.las:.2f} (dev), {test.seconds:.1f} s", file=sys.stderr)
    print_table("UDPipe 1.2", UDPIPE, codes, parsers, lambda code, name: results[code, name][0].las)
    print_table("MaltParser", MALT, codes, parsers, lambda code, name: results[code, name][1].las)
    print_costs(codes, parsers, results)


def print_table(
    other: str,
    scores: Mapping[str, float],
    codes: Sequence[str],
    parsers: Sequence[str],
    ours: Callable[[str, str], float],
) -> None:
    """Print the LAS of another parser and ours, and the means."""
    print(f"| Treebank | {other} | {' | '.join(parsers)} |\n| --- |{' ---: |' * (len(parsers) + 1)}")
    rows = [[scores[code], *(ours(code, name) for name in parsers)] for code in codes]
    for code, row in zip((*codes, "mean"), (*rows, [sum(column) / len(rows) for column in zip(*rows)])):
        print(f"| {code} | " + " | ".join(f"{value:.2f}" for value in row) + " |")
    print()


def print_costs(codes: Sequence[str], parsers: Sequence[str], results: Results) -> None:
    """Print CPU seconds of training all treebanks, and the lowest and highest number of words parsed a CPU second."""
    print("| Parser | CPU s of training | Words parsed a CPU second |\n| --- | ---: | ---: |")
    for name in parsers:
        found = [results[code, name][0] for code in codes]
        speeds = [result.speed for result in found]
        print(f"| {name} | {sum(result.seconds for result in found):.0f} | {min(speeds):,.0f} to {max(speeds):,.0f} |")


if __name__ == "__main__":
    main()
