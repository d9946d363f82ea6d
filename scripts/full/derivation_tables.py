"""Write the list of treebanks from which the tables of docs/derivation.md are made.

    python scripts/full/derivation_tables.py FOLDER > list.tsv
    levelhead perplexity --treebanks list.tsv

FOLDER has the training and development sets of UD 2.0, as `xx-ud-train.conllu.xz`. LAS is that of Nivre and Fang (2017,
Table 2), where they have the treebank.
"""

import sys
from pathlib import Path

from levelhead.studies.printed_numbers import printed

OURS = "UD 2.0"
THEIRS = "UD 2.0,in Nivre and Fang"


def rows(folder: Path) -> list[list[str]]:
    """Return a row for each treebank that has both files."""
    known = printed("nivre-fang-2017")["table_2"]
    made = []
    for train in sorted(folder.glob("*-ud-train.conllu*")):
        code = train.name.partition("-")[0]
        dev = train.with_name(train.name.replace("-train", "-dev"))
        if dev.exists():
            las = f"{known[code]['LAS']:.2f}" if code in known else ""
            made.append([code, THEIRS if las else OURS, str(train), str(dev), las])
    return made


if __name__ == "__main__":
    for row in [["name", "group", "train", "test", "LAS"], *rows(Path(sys.argv[1]))]:
        print("\t".join(row))
