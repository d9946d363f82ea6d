"""Peak memory, size of the vocabulary and time of `profile` on files of millions of words; results in docs/scale.md.

    python scripts/full/large_profiles.py TREEBANK [--million 1 20]

The files are copies of one treebank, read from a pipe: once with new words and lemmas in every copy, once with the same
words all along. All sizes must be those of one copy, times the number of copies; shares and means of the trees, which
do not depend on words, must be those of one copy.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from large_files import Text, run, text_of

from levelhead import profile

SIZES = ("sentences", "tokens", "words", "multiword_tokens", "empty_nodes")
TREES = ("sentence_length", "distance", "depth", "depth_max", "arity", "right_branching", "nonprojective_trees")


class SameWords(Text):
    """Copies with new sentence ids, but the same words."""

    def copy(self, number: int) -> bytes:
        """Return the file with new ids."""
        return Text.copy(self, 0).replace(b"-0\n", b"-%d\n" % number)


def check(found: dict, expected: dict, copies: int) -> None:
    """Stop unless the values are those of one copy."""
    wrong = [name for name in SIZES if found[name] != expected[name] * copies]
    wrong += [name for name in TREES if found[name] != expected[name]]
    if wrong:
        sys.exit(f"not those of one copy: {', '.join(wrong)}")


def main() -> None:
    """Measure all sizes and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--million", type=int, nargs="+", default=[1, 20])
    given = parser.parse_args()
    (expected,) = profile(given.treebank, columns="all").data("treebanks").documents()
    new = text_of(given.treebank)
    print("| words | | forms | kinds of arcs | vocabulary, MB | peak memory, MB | s |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "treebank"
        for million in given.million:
            copies = max(1, round(1_000_000 * million / expected["words"]))
            for kind, text in (("the same words", SameWords(*new)), ("new words", new)):
                printed, seconds, memory = run(["profile", "-c", "all", "--format", "json"], {pipe: text}, copies)
                tables = json.loads(printed)["tables"]
                check(tables["treebanks"][0], expected, copies)
                (size,) = tables["vocabularies"]
                sizes = f"{size['forms']:,} | {size['arcs']:,} | {size['bytes'] / 1e6:,.0f}"
                row = f"| {expected['words'] * copies:,} | {kind} | {sizes} | {memory[-1]:,} | {seconds:.0f} |"
                print(row, flush=True)


if __name__ == "__main__":
    main()
