"""Time oracles, the n-gram model and perplexity; beside KenLM's lmplz where it is at hand, in turns with it.

    python benchmarks/derivation.py TRAIN TEST [--lmplz PATH --query PATH] [--runs 7]

lmplz is run as a program; levelhead is timed as a function on words in memory and as a program that reads CoNLL-U too.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import levelhead
from levelhead.derivation import SYSTEMS, Sequences, estimate, perplexity, sequences_of
from levelhead.kernels import oracles, trees


def best(work: Callable[[], object], runs: int) -> float:
    """Seconds of the fastest run."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def row(name: str, seconds: float, n_words: int) -> None:
    print(f"| {name} | {seconds:.4f} | {n_words / seconds / 1e6:.2f} |")


def program(command: list[str], text: bytes | None = None) -> tuple[float, float]:
    """Wall and CPU seconds of a program."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, input=text, check=True, capture_output=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--lmplz")
    parser.add_argument("--query")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    train, test = levelhead.read(options.train), levelhead.read(options.test)
    print(f"{train.n_words} training words, {test.n_words} test words\n")
    print("| work | s | M words/s |\n| --- | ---: | ---: |")
    heads, starts = train.local_heads(), train.sentence_starts
    lifted = trees.lift(heads, starts, 10**9)[0]
    for system in SYSTEMS.values():
        given = lifted if system.is_projective else heads
        seconds = best(lambda s=system, h=given: oracles.oracle(h, starts, s.code, 10**8), options.runs)
        row(f"oracle, {system.name}", seconds, len(heads))
    row("lifting", best(lambda: trees.lift(heads, starts, 10**9), options.runs), len(heads))
    sequences = sequences_of(train, "swap-lazy")
    model = estimate(sequences)
    row("trigram model", best(lambda: estimate(sequences), options.runs), len(heads))
    row("perplexity", best(lambda: perplexity(model, test, "swap-lazy"), options.runs), test.n_words)
    if options.lmplz:
        beside(options, sequences)


def beside(options: argparse.Namespace, sequences: Sequences) -> None:
    """Programs in turns."""
    words = list(sequences.words)
    lines = (" ".join(words[begin:end]) for begin, end in pairwise(sequences.starts.tolist()))
    text = "".join(f"{line}\n" for line in lines).encode()
    estimating, measuring, inside = [], [], []
    command = [sys.executable, "-m", "levelhead", "perplexity", options.train, options.test, "--order", "swap-lazy"]
    with tempfile.TemporaryDirectory() as folder:
        arpa = os.fspath(Path(folder) / "model.arpa")
        lmplz = [options.lmplz, "-o", "3", "-S", "200M", "-T", folder, "--skip_symbols", "--discount_fallback"]
        for _ in range(options.runs):
            estimating.append(program([*lmplz, "--arpa", arpa], text))
            inside.append((best(lambda: estimate(sequences), 1),) * 2)
            measuring.append(program(command))
    print("\n| program | wall s | CPU s |\n| --- | ---: | ---: |")
    names = (
        "lmplz -o 3 (text to ARPA)",
        "trigram model (words in memory to probabilities)",
        "levelhead perplexity, whole",
    )
    for name, times in zip(names, (estimating, inside, measuring)):
        wall, cpu = (sorted(column)[len(times) // 2] for column in zip(*times))
        print(f"| {name} | {wall:.3f} | {cpu:.3f} |")


if __name__ == "__main__":
    main()
