"""Arguments of EpochScorer: arrays and lists, and errors for wrong values."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead import ConlluError, InputError
from levelhead.evaluation.epochs import EpochScorer

GOLD = EXAMPLES / "recover" / "gold.conllu"


def test_a_path_instead_of_a_treebank() -> None:
    with pytest.raises(InputError, match="invalid-argument: gold must be a treebank, a data frame of words"):
        EpochScorer(GOLD)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["no", 1, None])
def test_roots_neither_allowed_nor_not(value: object) -> None:
    with pytest.raises(InputError, match="invalid-argument: allow_several_roots must be True or False"):
        EpochScorer(levelhead.read(GOLD), allow_several_roots=value)  # type: ignore[arg-type]


SYSTEM = EXAMPLES / "parallel/systems/alpha/en.conllu"


def values_of(path: Any) -> tuple[Any, Any, list[list[int]], list[list[str]]]:
    """Return the heads and relations of all words, and the same by sentence."""
    treebank = levelhead.read(path)
    nested = [[word.head for word in sentence] for sentence in treebank], [one.relations for one in treebank]
    return treebank.local_heads(), list(treebank.relations), *nested  # type: ignore[return-value]


def test_arrays_and_lists() -> None:
    """Flat or by sentence; relations as indices or as names; the scores are those of the files."""
    gold = levelhead.read(EXAMPLES / "parallel/gold/en.conllu")
    heads, relations, heads_by_sentence, relations_by_sentence = values_of(SYSTEM)
    scorer = EpochScorer(gold, labels=relations)
    ids = [scorer.ids(sentence).tolist() for sentence in relations_by_sentence]
    expected = {name: score.correct for name, score in scorer.score(heads, scorer.ids(relations)).items()}
    files = levelhead.score(gold, SYSTEM)
    assert expected == {name: files[name].correct for name in expected}
    for given in (
        (heads_by_sentence, ids),
        (heads_by_sentence, relations_by_sentence),
        (heads.tolist(), relations),
        (tuple(map(np.array, heads_by_sentence)), relations_by_sentence),
        (heads, np.array(relations)),
        (iter(heads_by_sentence), (sentence for sentence in ids)),
    ):
        assert {name: score.correct for name, score in scorer.score(*given).items()} == expected
    assert EpochScorer(gold.to_polars()).score(heads, relations).keys() == expected.keys()


def changed(values: list[list[Any]], sentence: int, word: int, value: object) -> list[list[Any]]:
    copy = [list(row) for row in values]
    copy[sentence - 1][word - 1] = value
    return copy


WRONG: dict[str, tuple[Callable[[list[Any], list[Any]], tuple[Any, Any]], str]] = {
    "too few sentences": (lambda h, r: (h[1:], r), "heads: 19 sentences, expected 20"),
    "a short sentence": (
        lambda h, r: (h, [*r[:2], r[2][:-1], *r[3:]]),
        "relations: {} values for sentence 3, expected {}",
    ),
    "too few words": (lambda h, r: ([head for row in h for head in row][1:], r), "heads: 163 values, expected one for"),
    "a fraction": (lambda h, r: (changed(h, 2, 3, 1.5), r), "heads: 1.5 for word 3 of sentence 2, expected integers"),
    "a name as a head": (
        lambda h, r: (changed(h, 2, 1, "x"), r),
        "heads: 'x' for word 1 of sentence 2, expected integers",
    ),
    "no head": (lambda h, r: (changed(h, 20, 1, None), r), "heads: None for word 1 of sentence 20, expected integers"),
    "no relation": (lambda h, r: (h, changed(r, 1, 2, None)), "relations: None for word 2 of sentence 1, expected"),
    "an unknown index": (
        lambda h, r: (h, changed([[0] * len(row) for row in r], 4, 2, 99)),
        "relations: 99 for word 2 of sentence 4, expected one of",
    ),
    "lists of different depths": (lambda h, r: ([h[0], 3], r), "heads: 2 values, expected one for each of"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_values(what: str) -> None:
    """The error names the argument, the word and its sentence, what came, and what is expected."""
    make, message = WRONG[what]
    _, _, heads, relations = values_of(SYSTEM)
    with pytest.raises(ConlluError) as caught:
        EpochScorer(levelhead.read(EXAMPLES / "parallel/gold/en.conllu")).score(*make(heads, relations))
    assert re.search(re.escape(message).replace(r"\{\}", r"\d+"), caught.value.message), caught.value.message
