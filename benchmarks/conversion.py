"""Time the conversion of treebanks between content heads and function heads.

    python benchmarks/conversion.py FILE...

All files are read first; then each step is run over all of them. The numbers are seconds of CPU, the least of three
runs.
"""

import sys
import time
from collections.abc import Callable, Sequence

import levelhead
from levelhead import Treebank
from levelhead.conversion import VARIANTS, backward, check_round_trip, forward


def least(step: Callable[[Treebank], object], treebanks: Sequence[Treebank], runs: int = 3) -> float:
    """Return the least seconds that a step took over all treebanks."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        for treebank in treebanks:
            step(treebank)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print a line for each step."""
    treebanks = [levelhead.read(path) for path in sys.argv[1:]]
    print(f"{sum(treebank.n_words for treebank in treebanks):,} words")
    print(f"{'forward':20} {least(forward, treebanks):.2f}")
    for variant in VARIANTS:
        converted = [forward(treebank, variant=variant) for treebank in treebanks]
        seconds = least(lambda treebank, variant=variant: backward(treebank, variant=variant), converted)
        print(f"{'backward, ' + variant:20} {seconds:.2f}")
    print(f"{'check':20} {least(check_round_trip, treebanks):.2f}")
    print(f"{'forward, exact':20} {least(lambda treebank: forward(treebank, exact=True), treebanks):.2f}")
    recorded = [forward(treebank, exact=True) for treebank in treebanks]
    print(f"{'backward, exact':20} {least(lambda treebank: backward(treebank, exact=True), recorded):.2f}")


if __name__ == "__main__":
    main()
