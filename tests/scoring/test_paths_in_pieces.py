"""The limit on paths through empty nodes: that of the whole file, also if it is read piece by piece."""

from itertools import product
from pathlib import Path

import pytest

from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.scoring import enhanced_edges
from levelhead.treebank.input_bytes import PieceSizes


def sentence(deps: str, deps_of_empty_node: str = "1:b") -> str:
    """Return a sentence of two words and an empty node."""
    rows = (("1", "a", "0", "root", "0:root"), ("1.1", "e", "_", "_", deps_of_empty_node), ("2", "b", "1", "dep", deps))
    return "".join(f"{i}\t{form}\t_\t_\t_\t_\t{h}\t{r}\t{d}\t_\n" for i, form, h, r, d in rows) + "\n"


ONE_STEP, NONE = sentence("1.1:x"), sentence("1:x")
SIDES = {
    "none": NONE * 3,
    "three": ONE_STEP * 3,
    "two, later": NONE * 2 + ONE_STEP * 2,
    "malformed": ONE_STEP + sentence("x") + ONE_STEP,
    "malformed in an empty node": ONE_STEP * 2 + sentence("1.1:x", "x"),
    "nowhere": sentence("7:x") + ONE_STEP * 2,
}


SETUP = setup_of("EULAS,ELAS,LAS")
PAIRS = [pair for pair in product(SIDES, SIDES) if sum(map(list(SIDES).index, pair)) % 2 == 0]
"""Each side against itself and two others, as gold and as output."""


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_same_verdict(pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every limit, ELAS has the value, or the reason for having none, that it has if files are read whole."""
    paths = tmp_path / "gold", tmp_path / "system"
    for path, side in zip(paths, pair, strict=True):
        path.write_text(SIDES[side] + NONE * (5 - SIDES[side].count("\n\n")))  # five sentences
    reasons = set()
    for limit in range(5):
        monkeypatch.setattr(enhanced_edges, "MOST_STEPS", limit)
        seen = []
        for sizes in (PieceSizes(1 << 40, 1), PieceSizes(0, 1), PieceSizes(0, 2 * len(NONE))):
            found = score_files(*paths, SETUP, sizes)
            seen.append([(one.reason, one.correct, one.gold, one.system) for one in found.values()])
        assert seen[1:] == seen[:1] * 2
        reasons.add(seen[0][1][0])
    if pair == ("three", "three"):
        assert reasons == {None, "DEPS cannot be read: paths through empty nodes are too many or too long"}
