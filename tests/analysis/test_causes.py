"""Root causes of errors: words whose gold head is attached correctly."""

import pytest

import levelhead
from conftest import EXAMPLES
from conllu_cases import row, sentence
from oracle import breakdown as oracle

PUD, PARALLEL = EXAMPLES / "pud", EXAMPLES / "parallel"
PAIRS = {
    "en": (PUD / "gold/en_pud.conllu", PUD / "systems/graph/en_pud.conllu"),
    "fi": (PUD / "gold/fi_pud.conllu", PUD / "systems/swap/fi_pud.conllu"),
    **{
        f"{system} {code}": (PARALLEL / f"gold/{code}.conllu", PARALLEL / f"systems/{system}/{code}.conllu")
        for system in ("alpha", "beta")
        for code in ("ar", "en", "ja", "tr")  # ar and tr have words that are not aligned
    },
}


@pytest.mark.parametrize("name", PAIRS)
def test_causes_are_those_of_the_definition(name: str) -> None:
    gold, system = PAIRS[name]
    expected = oracle.causes(gold.read_text("utf-8"), system.read_text("utf-8"))
    ((found, *_),) = levelhead.analyze(gold, system).treebanks.values()
    words = {(repair.error, repair.detail): (repair.words, repair.causes) for repair in found}
    assert words == {kind: numbers for kind, numbers in expected.items() if kind in words}
    assert {*expected} == {*words}
    las = levelhead.score(gold, system, measures="LAS")["LAS"]
    assert sum(repair.words for repair in found) == las.gold - las.correct  # causes and consequences
    assert all(0 <= repair.causes <= repair.words for repair in found)


def test_only_the_highest_error_of_a_chain_is_a_cause() -> None:
    """In gold, each word depends on the next; the system attaches the first three to the root."""
    gold = conllu([(2, "a"), (3, "b"), (4, "c"), (5, "d"), (0, "root")])
    system = conllu([(5, "a"), (5, "b"), (5, "c"), (5, "d"), (0, "root")])
    assert causes_of(gold, system) == {"a": 0, "b": 0, "c": 1}


def test_labels_and_columns() -> None:
    """A wrong relation below a correct head is a cause; without heads, nothing is known of causes."""
    gold = conllu([(2, "a"), (0, "root"), (2, "b")])
    assert causes_of(gold, conllu([(2, "x"), (0, "root"), (2, "b")])) == {"a -> x": 1}
    for measure in ("UPOS", "LS", "Lemmas"):
        assert {*causes_of(*map(levelhead.read, PAIRS["beta en"]), measure).values()} <= {None}
    heads = [column.name for column in levelhead.analyze(*PAIRS["en"]).table().columns]
    labels = [column.name for column in levelhead.analyze(*PAIRS["en"], measures="LS").table().columns]
    assert [name for name in heads if name not in labels] == ["Causes"]


def causes_of(gold, system, measure="LAS"):
    ((found, *_),) = levelhead.analyze(gold, {"s": system}, measures=measure).treebanks.values()
    return {repair.detail: repair.causes for repair in found}


def conllu(words):
    rows = (row(str(number), f"w{number}", str(head), relation) for number, (head, relation) in enumerate(words, 1))
    return levelhead.from_conllu(sentence(*rows))
