"""Results that only need gold do not depend on whether gold is read whole or in pieces."""

import hashlib
from pathlib import Path
from random import Random

import pytest

from levelhead.campaign import sources as gold_of_jobs
from levelhead.campaign.sources import File, view_gold
from levelhead.comparison.evaluations import sent_ids
from levelhead.evaluation.setup import setup_of
from levelhead.treebank import blocks
from levelhead.treebank.blocks import PieceSizes
from oracle.drawing import some_treebank

SOME = some_treebank(Random(3), [3, 1, 4, 1, 5])
NAMED = "\n\n".join(
    f"# sent_id = s{i}\n{one}" if one.strip() else one
    for i, one in enumerate(SOME.replace("# sent_id", "#").split("\n\n"))
)
HEADS_BACK = "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t-2\tx\t_\t_\n\n"
GOLD = {
    "named": NAMED,
    "repeated": NAMED + NAMED,
    "one without": NAMED + SOME.replace("# sent_id", "#"),
    "invalid": NAMED + "1\ta\n\n",
    "heads that count back": HEADS_BACK * 2,
}


@pytest.mark.parametrize("case", GOLD)
@pytest.mark.parametrize("rules", ["ud", "conll17"])
def test_sentence_ids(case: str, rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids of all sentences; null if an id is missing or repeated, or gold is invalid."""
    path = tmp_path / "gold"
    path.write_text(GOLD[case])
    file = File(str(path), hashlib.sha256(path.read_bytes()).hexdigest())
    setup = setup_of("LAS", rules=rules)
    whole = view_gold(file, setup, sent_ids)
    assert (whole is not None) == (case == "named")
    if "back" not in case:  # such a file cannot be cut
        monkeypatch.setattr(gold_of_jobs, "parse_as", None)
    for size in (1, 300, 5000):
        monkeypatch.setattr(blocks, "SIZES", PieceSizes(0, size))
        assert view_gold(file, setup, sent_ids) == whole
