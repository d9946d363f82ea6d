"""The head-word vocabulary entropy of training sets of UD 1, and of some relations.

python scripts/full/head_entropy.py English=en-ud-train.conllu.xz Hungarian=hu-ud-train.conllu.xz ...
"""

import sys

import levelhead
from levelhead.typology import profile

RELATIONS = ("nmod", "nsubj", "dobj", "amod", "case", "det")


def row(name: str, path: str) -> str:
    """Return the row of one treebank."""
    columns = ["head_entropy", "head_entropy_share", "head_entropy_by_relation"]
    made = profile(levelhead.read(path), columns=columns)
    bits, share, by_relation = made.number(columns[0]), made.number(columns[1]), made.numbers(columns[2])
    if bits is None or share is None:
        raise SystemExit(f"{path} has no arc that counts")
    cells = [f"{bits:.3f}", f"{share:.1f} %", *(f"{by_relation[relation]:.2f}" for relation in RELATIONS)]
    return f"| {' | '.join([name, *cells])} |"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        name, _, path = argument.partition("=")
        print(row(name, path))
