"""Time the scoring of a parser's epochs: arrays of heads and relations against gold, without files.

    python benchmarks/epochs.py GOLD [--runs 11]

The predictions are gold's with the relation of every tenth word changed: what they are makes no difference to the time.
Printed are microseconds of CPU a sentence, the median and the least of the runs: the whole treebank at once by
`EpochScorer.score`; the same in batches of 32 sentences, with a scorer each; and the same four measures by `score` of
two treebanks in memory, which aligns their words first.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import levelhead
from levelhead.evaluation.epochs import EpochScorer

MEASURES = ("UAS", "LAS", "LAS(full)", "CLAS")
BATCH = 32


def timed(step: Callable[[], object], runs: int, n_sentences: int) -> str:
    """Run a step, and return its microseconds a sentence as cells of a table."""
    step()
    times = []
    for _ in range(runs):
        start = time.process_time()
        step()
        times.append((time.process_time() - start) / n_sentences * 1e6)
    return f"{statistics.median(times):.3f} | {min(times):.3f}"


def main() -> None:
    """Print a row for each way to score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold")
    parser.add_argument("--runs", type=int, default=11)
    asked = parser.parse_args()
    gold = levelhead.read(asked.gold)
    wrong = ["dep" if number % 10 == 0 else relation for number, relation in enumerate(gold.relations)]
    system = gold.replace(relations=wrong)
    scorer = EpochScorer(gold, labels=system.relations)
    heads, labels = system.local_heads(), scorer.ids(system.relations)
    slow = levelhead.score(gold, system, measures=MEASURES)
    fast = scorer.score(heads, labels)
    if any(fast[name].correct != slow[name].correct for name in MEASURES):
        raise SystemExit("the two ways disagree")
    starts = range(0, len(gold), BATCH)
    bounds = [gold.sentence_starts[[at, min(at + BATCH, len(gold))]].tolist() for at in starts]
    scorers = [EpochScorer(gold.select(range(at, min(at + BATCH, len(gold)))), labels=scorer.labels) for at in starts]
    predicted = [(heads[a:b], one.ids(system.relations[a:b])) for one, (a, b) in zip(scorers, bounds, strict=True)]

    def batches() -> None:
        for one, (some_heads, some_labels) in zip(scorers, predicted, strict=True):
            one.score(some_heads, some_labels)

    n = len(gold)
    print(f"{n:,} sentences, {gold.n_words:,} words\n")
    print("| way | median | least |\n| --- | ---: | ---: |")
    print(f"| EpochScorer, all at once | {timed(lambda: scorer.score(heads, labels), asked.runs, n)} |")
    print(f"| EpochScorer, batches of {BATCH} | {timed(batches, asked.runs, n)} |")
    whole = timed(lambda: levelhead.score(gold, system, measures=MEASURES), asked.runs, n)
    print(f"| score, two treebanks in memory | {whole} |")


if __name__ == "__main__":
    main()
