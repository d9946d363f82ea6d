"""Scores on several treebanks are macro-averages that behave like scores; compared scores show their intervals."""

from fractions import Fraction

import pytest

import levelhead
from conftest import EXAMPLES

GOLD, ALPHA = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems/alpha"
MEASURES = "LAS,CLAS.recall,UPOS.aligned_accuracy"


def test_averages_are_means_of_the_scores() -> None:
    found = levelhead.score(GOLD, ALPHA, measures=MEASURES)
    assert list(found.treebanks) == sorted(path.stem for path in GOLD.iterdir())
    for name, score in found.items():
        each = [evaluation[name] for evaluation in found.treebanks.values()]
        assert score.exact == sum(one.exact for one in each) / len(each)
        assert score.value == float(score) == getattr(score, score.component) == float(score.exact)
        for part in ("precision", "recall", "f1", "aligned_accuracy"):
            assert getattr(score, part) == pytest.approx(sum(getattr(one, part) for one in each) / len(each))
        assert (score.correct, score.gold) == (sum(one.correct for one in each), sum(one.gold for one in each))
    assert f"{found['LAS']} {found['LAS']:.1f}" == "LAS 88.93 88.9"
    assert found["LAS"] > found.treebanks["en"]["CLAS.recall"]
    assert found.gold.words == sum(one.gold.words for one in found.treebanks.values())
    with pytest.raises(KeyError, match=r"use .treebanks\['en'\]"):
        found["en"]


def test_one_treebank_is_its_own_average() -> None:
    alone = levelhead.score(GOLD / "en.conllu", ALPHA / "en.conllu", measures="LAS")
    assert alone.treebanks == {"en": alone}
    folder = levelhead.score({"en": GOLD / "en.conllu"}, {"en": ALPHA / "en.conllu"}, measures="LAS")
    assert folder["LAS"].exact == alone["LAS"].exact == Fraction(14600, 164)
    assert folder.treebanks["en"]["LAS"].correct == alone["LAS"].correct


def test_no_average_without_a_value_on_a_treebank() -> None:
    found = levelhead.score(GOLD, ALPHA, measures="LAS,XPOS")
    assert (found["XPOS"].value, str(found["XPOS"])) == (None, "XPOS -")
    assert found["XPOS"].reason.startswith("not annotated in gold: XPOS (")
    with pytest.raises(ValueError, match="XPOS has no value: not annotated in gold"):
        float(found["XPOS"])


def test_averages_of_perplexities() -> None:
    measure = f"DPPL({GOLD / 'en.conllu'})"
    pairs = (
        {code: GOLD / f"{code}.conllu" for code in ("en", "de")},
        {code: ALPHA / f"{code}.conllu" for code in ("en", "de")},
    )
    score = next(iter(levelhead.score(*pairs, measures=measure).values()))
    alone = [
        next(iter(levelhead.score(*both, measures=measure).values())).value for both in zip(*map(dict.values, pairs))
    ]
    assert score.value == pytest.approx(sum(alone) / 2)
    assert score.f1 is None


def test_compared_scores_show_their_intervals() -> None:
    (one,) = levelhead.compare(GOLD / "en.conllu", [ALPHA / "en.conllu"], measures="LAS").results
    low, high = one.interval
    assert f"{one}" == str(one) == f"LAS 89.02 [{low:.1f}, {high:.1f}]"
    assert f"{one:.1f}" == "89.0"
    assert float(one) == one.value
    assert str(one._replace(interval=None)) == "LAS 89.02"
    better = one._replace(system="a", value=90.0)  # not the order of the names
    assert max(one, better) is better
    assert one < better > 89
    assert better >= one <= 90
    with pytest.raises(ValueError, match="LAS has no value"):
        float(one._replace(value=None))
