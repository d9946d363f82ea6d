"""Train the parsers and baselines on every treebank of the tables in development/parser-experiments.md, and score them.

    python scripts/full/parsers.py DATA [--parser swap-lazy] [--beam 4] [--seeds 3] [--first-seed 0]
                                   [--release r2.0] [CODE ...]

DATA has r2.0/CODE-ud-train.conllu.xz and so on. Prints a line for each treebank and seed: UAS, LAS, LAS without
punctuation, CPU seconds of training (reading the treebank and writing the model included), words parsed a CPU second.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import levelhead
from levelhead.parsing import AnyModel, Recipe, parse_any, read_model, train, write_model
from levelhead.treebank import Treebank

THIRTEEN = "cu el en et got hu id ko lt lv pt tr vi"
KOHITA = "en hu tr zh"


class Result(NamedTuple):
    """What one model reaches."""

    uas: float
    las: float
    las_nopunct: float
    seconds: float
    speed: float


def universal(path: Path) -> Treebank:
    """Read a treebank with universal relations only."""
    treebank = levelhead.read(path)
    return treebank.replace(relations=[relation.partition(":")[0] for relation in treebank.relations])


def measured(train_path: Path, gold_path: Path, parser: str, beam: int | None, seed: int) -> Result:
    """Train, write and read a model, then parse and score a treebank."""
    start = time.process_time()
    recipe = Recipe(parser, seed=seed) if beam is None else Recipe(parser, beam, seed)
    model = train(universal(train_path), recipe)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        write_model(model, path)
        seconds = time.process_time() - start
        model = read_model(path)
    return scored(model, universal(gold_path), seconds)


def scored(model: AnyModel, gold: Treebank, seconds: float) -> Result:
    """Parse and score a treebank."""
    start = time.process_time()
    parsed = parse_any(model, gold).treebank
    speed = gold.n_words / (time.process_time() - start)
    scores = levelhead.score(gold, parsed, measures=["UAS", "LAS", "LAS(nopunct)"])
    uas, las, las_nopunct = (score.value or 0 for score in scores.values())
    return Result(uas, las, las_nopunct, seconds, speed)


def main() -> None:
    """Measure what the command line asks for."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("codes", nargs="*")
    options.add_argument("--parser", default="swap-lazy")
    options.add_argument("--beam", type=int)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--first-seed", type=int, default=0)
    options.add_argument("--release", default="r2.0")
    asked = options.parse_args()
    folder, part = asked.data / asked.release, "dev" if asked.release == "r2.0" else "test"
    codes = asked.codes or (THIRTEEN if asked.release == "r2.0" else KOHITA).split()
    print("code\tseed\tUAS\tLAS\tLAS(nopunct)\ttrain CPU s\twords/CPU s")
    for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
        results = []
        for code in codes:
            treebanks = (folder / f"{code}-ud-{split}.conllu.xz" for split in ("train", part))
            results.append(measured(*treebanks, parser=asked.parser, beam=asked.beam, seed=seed))
            print(f"{code}\t{seed}\t" + "\t".join(f"{value:.2f}" for value in results[-1]), flush=True)
        means = [sum(values) / len(values) for values in zip(*results)]
        total = sum(result.seconds for result in results)
        print(
            f"mean\t{seed}\t" + "\t".join(f"{value:.2f}" for value in means[:3]) + f"\t{total:.1f} in all\t", flush=True
        )


if __name__ == "__main__":
    main()
