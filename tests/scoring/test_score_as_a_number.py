"""A score is a number for `float`, formats and comparisons, and shows itself in percent."""

import pytest

import levelhead
from conftest import EXAMPLES

GOLD, ALPHA = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"


def test_a_score_is_a_percentage() -> None:
    scores = levelhead.score(GOLD, ALPHA, measures="LAS,CLAS")
    las, clas = scores["LAS"], scores["CLAS"]
    assert float(las) == las.value == las.f1 == 100 * 146 / 164
    assert (str(las), repr(las), f"{las}", f"{las:.1f}") == ("LAS 89.02", "LAS 89.02", "LAS 89.02", "89.0")
    assert las > clas >= 80 > 0
    assert clas < las <= 100
    assert (las < 89) is False
    assert sorted(scores.values(), key=float) == [clas, las] == sorted([las, clas])
    with pytest.raises(TypeError):
        _ = las < "89"


def test_a_score_without_a_value_is_no_number() -> None:
    text = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    lacking = levelhead.score(levelhead.from_conllu(text), levelhead.from_conllu(text), measures="UPOS")["UPOS"]
    assert (lacking.value, str(lacking)) == (None, "UPOS -")
    assert [lacking < 50, lacking >= 50] == [False, False]
    with pytest.raises(ValueError, match="UPOS has no value: not annotated in gold"):
        float(lacking)


def test_scores_of_comparisons_are_the_same_kind_of_number() -> None:
    first, second = levelhead.compare(GOLD, [ALPHA, GOLD], measures="LAS").results
    score = levelhead.score(GOLD, ALPHA, measures="LAS")["LAS"]
    assert (float(first), f"{first:.1f}") == (score.value, "89.0")
    assert first < second > score <= first
    lacking = first._replace(value=None)
    assert [lacking < 50, lacking >= first, score > lacking] == [False, False, False]
    with pytest.raises(ValueError, match="LAS has no value"):
        float(lacking)
