"""Print string and derivation perplexities of many treebanks, and their correlation with published scores.

    python scripts/full/derivation_tables.py FOLDER

FOLDER has the training and development sets of UD 2.0, as `xx-ud-train.conllu.xz`. LAS is that of Nivre and Fang (2017,
Table 2), where they have the treebank.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from levelhead import read
from levelhead.derivation import estimate, perplexity, sequences_of
from levelhead.studies.sogaard_haulrich import TreebankPerplexities, correlations, group_averages
from levelhead.studies.study import printed


def measured(folder: Path) -> Iterator[TreebankPerplexities]:
    """Give both perplexities of each treebank that has both files."""
    known = printed("nivre_fang")["table_2"]
    for path in sorted(folder.glob("*-ud-train.conllu*")):
        code, dev = path.name.partition("-")[0], path.with_name(path.name.replace("-train", "-dev"))
        if dev.exists():
            train, test = read(path), read(dev)
            string, derivation = (
                perplexity(estimate(sequences_of(train, order)), test, order).excluding_oov
                for order in ("string", "swap-lazy")
            )
            groups = ("all", "in Nivre and Fang") if code in known else ("all",)
            accuracies = {"LAS": known[code]["LAS"]} if code in known else {}
            yield TreebankPerplexities(code, groups, train.n_words, string, derivation, accuracies)


if __name__ == "__main__":
    rows = list(measured(Path(sys.argv[1])))
    for row in rows:
        print(f"| {row.name} | {row.size} | {row.string:.2f} | {row.derivation:.2f} | {row.increase:.2f} |")
    for name, n, *numbers in group_averages(rows):
        print("|", " | ".join([name, str(n), *(f"{x:.2f}" for x in numbers)]), "|")
    print("LAS", sum("LAS" in row.accuracies for row in rows), *correlations(rows, "LAS"))
