"""Whether p-values and intervals of `levelhead compare` hold what they promise; results in docs/significance.md.

    python scripts/full/significance.py DATA [--runs 1000] [--resamples 500]

DATA holds the outputs of the CoNLL 2018 shared task (`conll18/gold`, `conll18/systems`). The sentences of a treebank
with what two real systems made of them are the population. Samples of sentences are drawn from it with replacement:

- under the null, the outputs of each sentence are dealt to the two systems by chance, so that no system is better;
  p should be uniform, and 95% of the intervals of the difference should hold 0;
- as they are, 95% of the intervals of scores and differences should hold those of the population.

The second table compares two equally good systems with several runs (`--table runs`). Words are correct by chance: the
chance depends on the sentence (Beta, mean 0.8) and on the run (normal, mean 0). The systems differ in the number of
their runs, and in how much their runs vary.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from levelhead.evaluation import load
from levelhead.evaluation.by_sentence import counts_of
from levelhead.evaluation.setup import Setup
from levelhead.measures import parse_measure
from levelhead.scoring.matches import match
from levelhead.scoring.rules import UD
from levelhead.significance import Counted, Result, Run, Settings, counted, differences
from levelhead.significance.counted import ratios
from levelhead.treebank.contents import contents_hash

MEASURES = tuple(map(parse_measure, ("LAS", "CLAS", "LAS@CORE.precision")))
TREEBANKS = ("fi_pud", "tr_imst", "en_pud")
SYSTEMS = ("UDPipe-Future", "Stanford-18")
SIZES = (30, 100, 400, 1000)
RUN_DESIGNS = {  # numbers of runs, standard deviations of runs, numbers of sentences
    "equal": (
        ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10)),
        ((0.02, 0.02), (0.02, 0.005), (0.005, 0.005), (0.0, 0.0)),
        (1000,),
    ),
    "unequal": (((1, 5), (2, 10), (3, 10)), ((0.02, 0.02), (0.02, 0.005), (0.005, 0.02)), (200, 1000)),
}
CELLS = {"p ≤ .01": 0.01, "p ≤ .05": 0.05, "p ≤ .10": 0.10, "p ≤ .50": 0.50}


def population(data: Path, treebank: str) -> Counted:
    """Count the outputs of both systems."""
    gold = load(data / "gold" / f"{treebank}.conllu.xz", UD)
    outputs = {system: load(data / "systems" / system / f"{treebank}.conllu.xz", UD) for system in SYSTEMS}
    runs = [Run(name, counts_of(match(gold, output, UD), Setup(MEASURES, UD))) for name, output in outputs.items()]
    return counted(runs, contents_hash(gold))


def sample(whole: Counted, size: int, rng: np.random.Generator, *, null: bool) -> Counted:
    """Draw sentences; under the null, each sentence's outputs are dealt out by chance."""
    parts = whole.parts[rng.integers(0, len(whole.parts), size)]
    if null:
        swap = rng.random(size) < 0.5
        parts = np.where(swap[:, None, None, None], parts[:, ::-1], parts)
    return whole._replace(parts=parts)


def drawn(
    wholes: dict[str, Counted], size: int, runs: int, settings: Settings, *, null: bool
) -> Iterator[list[Result]]:
    """Test samples of all treebanks; the last results are of the average if there are several."""
    row = np.random.SeedSequence([len(wholes), size, null])
    rng = np.random.default_rng(row)
    for seed in row.generate_state(runs).tolist():
        tables = {name: sample(whole, size, rng, null=null) for name, whole in wholes.items()}
        results = differences(tables, settings._replace(seed=seed))
        yield [one for one in results if len(wholes) == 1 or one.treebank == "macro-average"]


def holds(interval: tuple[float, float] | None, value: float) -> bool:
    """Say whether an interval holds a value."""
    return interval is not None and interval[0] - 1e-12 <= value <= interval[1] + 1e-12


def report(title: str, wholes: dict[str, Counted], size: int, runs: int, settings: Settings) -> None:
    """Print one row for each measure."""
    under_null = list(drawn(wholes, size, runs, settings, null=True))
    as_they_are = list(drawn(wholes, size, runs, settings, null=False))
    true = np.mean([ratios(whole.parts.sum(axis=0)) for whole in wholes.values()], axis=0)
    for m, measure in enumerate(MEASURES):
        null = [results[2 * m + 1] for results in under_null]
        pairs = [results[2 * m : 2 * m + 2] for results in as_they_are]
        p = np.array([one.p for one in null])
        distance = np.abs(np.sort(p) - (np.arange(runs) + 0.5) / runs).max()
        shares = [f"{100 * np.mean(p <= level):.1f}" for level in CELLS.values()]
        covered = [
            np.mean([holds(one.difference_interval, 0.0) for one in null]),
            np.mean([holds(two.difference_interval, true[1, m] - true[0, m]) for _, two in pairs]),
            np.mean([holds(two.interval, true[1, m]) for _, two in pairs]),
        ]
        cells = [
            title,
            str(size),
            str(measure),
            *shares,
            f"{distance:.3f}",
            *(f"{100 * share:.1f}" for share in covered),
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


def simulated(n_sentences: int, n_runs: Sequence[int], spreads: Sequence[float], rng: np.random.Generator) -> Counted:
    """Make two equally good systems with several runs each, whose true scores vary by chance."""
    words = rng.integers(5, 40, n_sentences)
    errors = np.concatenate([rng.normal(0, spread, n) for n, spread in zip(n_runs, spreads, strict=True)])
    chance = rng.beta(8, 2, n_sentences)[:, None] + errors
    right = rng.binomial(words[:, None], np.clip(chance, 0, 1))
    whole = np.broadcast_to(words[:, None], right.shape)
    parts = np.stack([right, whole], axis=2)[:, :, None, :].astype(np.float64)
    return Counted(("A",) * n_runs[0] + ("B",) * n_runs[1], ("LAS",), parts, "simulated")


def report_runs(n_runs: Sequence[int], spreads: Sequence[float], size: int, samples: int, settings: Settings) -> None:
    """Print one row: how often a true null is rejected, and how often the interval of the difference contains 0."""
    row = np.random.SeedSequence([*n_runs, *(round(1000 * spread) for spread in spreads), size])
    rng = np.random.default_rng(row)
    found = [
        differences({"x": simulated(size, n_runs, spreads, rng)}, settings._replace(seed=seed))[1]
        for seed in row.generate_state(samples).tolist()
    ]
    p = np.array([one.p for one in found])
    held = np.mean([holds(one.difference_interval, 0.0) for one in found])
    width = np.median([one.difference_interval[1] - one.difference_interval[0] for one in found])
    shares = [f"{100 * np.mean(p <= level):.1f}" for level in CELLS.values()]
    design = [f"{n} ({100 * spread:g})" for n, spread in zip(n_runs, spreads, strict=True)]
    cells = [*design, str(size), *shares, f"{100 * held:.1f}", f"{100 * width:.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def head(titles: list[str]) -> None:
    """Print the head of a table."""
    print("| " + " | ".join(titles) + " |\n| " + " | ".join("---" for _ in titles) + " |", flush=True)


def main() -> None:
    """Print the tables of docs/significance.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--table", choices=["sentences", "runs", "both"], default="both")
    parser.add_argument("--design", choices=[*RUN_DESIGNS], help="of --table runs: only these rows")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=2000)
    given = parser.parse_args()
    settings = Settings(given.resamples - 1)
    if given.table != "sentences":
        head(["runs of A (SD)", "runs of B (SD)", "sentences", *CELLS, "null diff held", "width"])
        for design in RUN_DESIGNS.values() if given.design is None else [RUN_DESIGNS[given.design]]:
            for n_runs, spreads, size in product(*design):
                report_runs(n_runs, spreads, size, given.runs, settings)
    if given.table != "runs":
        wholes = {name: population(given.data / "conll18", name) for name in TREEBANKS}
        head(["treebank", "sentences", "measure", *CELLS, "KS", "null diff held", "diff held", "score held"])
        for size in SIZES:
            report("tr_imst", {"tr_imst": wholes["tr_imst"]}, size, given.runs, settings)
        report("average of 3", wholes, 100, given.runs, settings)


if __name__ == "__main__":
    main()
