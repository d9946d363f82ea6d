"""WLAS(WDE): weights measured on training treebanks equal the table that `profile` writes, read back; a relation that none of them has weighs 0.5."""

import pytest

from levelhead import score
from levelhead.campaign import find_plan, score_plan
from levelhead.cli.program import run
from levelhead.errors import MeasureError
from levelhead.evaluation.setup import setup_of
from levelhead.treebank import read
from levelhead.typology import entropy_weights

GOLD = "examples/parallel/gold/{}.conllu"
PAIR = [GOLD.format("de"), "examples/parallel/systems/alpha/de.conllu"]
TRAINING = [GOLD.format("en"), GOLD.format("fi")]


def test_weights_of_training_treebanks_equal_the_table_of_profile(tmp_path, capfd):
    """`score -m WLAS(WDE) --train` is `profile --wde-table` and then `WLAS(table)`."""
    table = str(tmp_path / "weights.tsv")
    assert run(["profile", *TRAINING, "--wde-table", table]) == 0
    training = [word for path in TRAINING for word in ("--train", path)]
    direct = _row(capfd, "-m", "WLAS(WDE)", *training)
    assert direct == _row(capfd, "-m", f"WLAS({table},default=0.5)")
    assert direct != _row(capfd, "-m", "LAS")


def _row(capfd, *arguments: str) -> dict[str, str]:
    """Return the row of the only measure, without its name and the score on what training files do not have."""
    capfd.readouterr()
    assert run(["score", *PAIR, "--format", "tsv", *arguments]) == 0
    heads, row = (line.split("\t") for line in capfd.readouterr().out.splitlines())
    return {head: cell for head, cell in zip(heads, row, strict=True) if head not in {"measure", "value_on_new"}}


def test_in_python():
    """Gold scored against itself is 1 with any weights; without training treebanks, the error says what to give."""
    gold = read(GOLD.format("de"))
    weights = {"WDE": entropy_weights(read(path) for path in TRAINING)}
    assert score(gold, gold, measures=["WLAS(WDE)"], weights=weights)["WLAS(WDE)"].value == pytest.approx(100)
    with pytest.raises(MeasureError, match="--train"):
        score(gold, gold, measures=["WLAS(WDE)"])


def test_training_treebanks_that_no_measure_reads(capfd):
    """`--train` without such a measure has no effect; `WLAS(WDE)` without `--train` is an error."""
    assert run(["score", *PAIR, "--train", TRAINING[0]]) == 0
    assert run(["score", *PAIR, "-m", "WLAS(WDE)"]) == 2
    assert "--train" in capfd.readouterr().err


def test_refused_before_any_work_begins():
    """Workers are not started."""
    plan = find_plan(PAIR[0], {"alpha": PAIR[1]})
    with pytest.raises(MeasureError, match="requires training treebanks: give --train FILE"):
        score_plan(plan, setup_of(["WLAS(WDE)"]), workers=object())
