"""Parallel test sets: which they are, and which of their units are one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import levelhead
from levelhead.significance.units import (
    DOCUMENT,
    SENTENCE,
    ParallelUnits,
    Units,
    parallel_groups,
    parallel_units,
    units_of,
)


def documents(*ids: str, auto: bool = False) -> Units:
    """One sentence for each document."""
    return Units(DOCUMENT, np.arange(len(ids)), ids=ids, auto=auto)


def sentences(n: int, of: Units | None = None) -> Units:
    return Units(SENTENCE, np.arange(n), documents=of)


def groups(units: dict[str, Units], contents=None, declared=None) -> dict[str, str]:
    return parallel_groups(units, contents or {}, declared or {})


def joint(units: dict[str, Units], contents=None, declared=None) -> dict[str, list[int]]:
    found = parallel_units(units, contents or {}, declared or {})
    return {code: numbers.tolist() for code, numbers in found.joint.items()}


TEN = [f"d{i}" for i in range(10)]


@pytest.mark.parametrize(
    ("other", "is_parallel"),
    [
        (TEN, True),
        (TEN[::-1], True),
        ([*TEN[:9], "x"], True),
        ([*TEN[:8], "x", "y"], False),
        (TEN[:9], True),
        (TEN[:5], False),
        ([*TEN, "x", "y"], False),
        ([*TEN[:9], "#10"], True),
        ([*TEN[:8], "#9", "#10"], False),
    ],
)
def test_nine_in_ten_documents_of_both_have_equal_ids(other: list[str], is_parallel: bool) -> None:
    for ordered in ({"a": TEN, "b": other}, {"b": other, "a": TEN}):
        units = {code: documents(*ids) for code, ids in ordered.items()}
        assert ({*groups(units)} == {"a", "b"}) is is_parallel


def test_documents_without_ids_and_sentences_are_never_equal() -> None:
    anonymous = documents("#1", "#2")
    assert not groups({"a": anonymous, "b": anonymous, "c": sentences(3), "d": sentences(3)})
    values = Units("comment:genre", np.arange(2), ids=("news", "web"))
    assert not groups({"a": values, "b": values})


def test_sentences_are_parallel_by_their_documents_and_become_them() -> None:
    a, b = documents("x", "y", "#3"), documents("y", "x", "z")
    units = {"a_p": sentences(3, a), "b_p": sentences(4, b._replace(of_sentence=np.array([0, 1, 1, 2])))}
    assert groups(units, declared={"a_p": "g", "b_p": "g"}) == {"a_p": "g", "b_p": "g"}
    assert joint(units, declared={"a_p": "g", "b_p": "g"}) == {"a_p": [0, 1, 2], "b_p": [1, 0, 0, 3]}
    assert joint(units) == {"a_p": [0, 1, 2], "b_p": [3, 4, 5, 6]}


def test_groups_are_joined_and_named() -> None:
    units = {code: documents(*TEN) for code in ("cs_pud", "th_pud", "en_x")} | {"de": sentences(3), "fr": sentences(3)}
    assert groups({code: units[code] for code in ("cs_pud", "th_pud", "de")}) == {"cs_pud": "pud", "th_pud": "pud"}
    assert {*groups(units).values()} == {"cs_pud+th_pud+en_x"}
    declared = {"de": "pud", "fr": "pud"}
    assert {*groups(units, declared=declared).values()} == {"cs_pud+th_pud+en_x", "pud"}
    del units["en_x"]
    assert groups(units, declared=declared) == {
        "cs_pud": "pud", "th_pud": "pud", "de": "de+fr", "fr": "de+fr"
    }  # fmt: skip


def test_equal_contents_are_one_unit_by_unit_and_have_one_vote() -> None:
    contents = {"a": "0f", "b": "aa", "c": "0f", "d": "", "e": ""}
    units = {code: sentences(2, documents("x", "x")) if code in "ac" else sentences(2) for code in contents}
    found = parallel_units(units, contents, {})
    assert found.groups == {"a": "a+c", "c": "a+c"}
    assert joint(units, contents) == {"a": [0, 1], "b": [2, 3], "c": [0, 1], "d": [4, 5], "e": [6, 7]}
    assert found.voters({code: code for code in contents}) == {"a": "a", "b": "b", "c": "a", "d": "d", "e": "e"}
    assert [*found.notes()] == ["several names of one test set, which has one vote: a, c"]
    assert found.counted() == "2 sentences, each in 2 test sets, and 6 sentences"


def test_declared_sentences_are_one_if_there_are_equally_many() -> None:
    declared = dict.fromkeys("ab", "g")
    assert joint({"a": sentences(2), "b": sentences(2)}, declared=declared) == {"a": [0, 1], "b": [0, 1]}
    units = {"a": sentences(2), "b": sentences(3)}
    assert joint(units, declared=declared) == {"a": [0, 1], "b": [2, 3, 4]}
    notes = [*parallel_units(units, {}, declared).notes()]
    assert notes == ["parallel test sets without common units, treated as independent: a, b"]


def test_the_text_counts_documents_once() -> None:
    units = {code: documents(*TEN, "x" if code == "en_pud" else "y") for code in ("cs_pud", "en_pud", "fi_pud")}
    assert parallel_units(units, {}, {}).counted() == "12 documents, most in 3 languages"
    units = {code: documents(*TEN) for code in units} | {"sv": sentences(7)}
    found = parallel_units(units, {}, {})
    assert found.counted() == "10 documents, each in 3 languages, and 7 sentences"
    assert found.n_units == 17
    assert found.averaged() == f" (averages: {found.counted()})"
    by_sentence = {code: sentences(12, documents(*TEN, "x")) for code in ("cs_pud", "en_pud")}
    for of in by_sentence.values():
        of.documents.of_sentence.resize(12, refcheck=False)  # two sentences of the first document
    assert parallel_units(by_sentence, {}, {}).averaged() == " (averages: 11 documents, each in 2 languages)"
    assert [*found.notes()] == [
        "parallel test sets, whose units are paired: cs_pud, en_pud, fi_pud"
    ]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from([*TEN, "#1", "#2"]), max_size=12, unique=True), min_size=1, max_size=5))
def test_units_are_one_only_with_equal_ids_in_one_group(ids: list[list[str]]) -> None:
    units = {f"t{i}": documents(*names) for i, names in enumerate(ids)}
    found: ParallelUnits = parallel_units(units, {}, {})
    every = [(code, name) for code, unit in units.items() for name in unit.ids]
    numbers = [number for code in units for number in found.joint[code].tolist()]
    for (one, first), n in zip(every, numbers, strict=True):
        for (other, second), m in zip(every, numbers, strict=True):
            in_group = one in found.groups and found.groups[one] == found.groups.get(other)
            is_one = (one, first) == (other, second) or (in_group and first == second and not first.startswith("#"))
            assert (n == m) is is_one
    assert found.n_units == len({*numbers})


# Real treebanks


def gold_units(*files: Path) -> dict[str, Units]:
    return {path.name.partition(".")[0]: units_of(levelhead.read(path), "auto") for path in files}


def test_pud_is_one_group_even_without_marks(data: Path) -> None:
    codes = ("bg_btb", "cs_pud", "th_pud")
    found = parallel_units(
        gold_units(
            *(data / f"conll18/gold/{code}.conllu.xz" for code in codes), data / "conll17/gold/ar_pud.conllu.xz"
        ),
        {},
        {},
    )
    assert found.groups == dict.fromkeys(("cs_pud", "th_pud", "ar_pud"), "pud")
    assert [len({*found.joint[code].tolist()}) for code in found.groups] == [397] * 3
    assert found.counted() == "397 documents, each in 3 languages, and 40 documents"


def test_equal_sentence_ids_prove_nothing(data: Path) -> None:
    """Both have test-s1, test-s2 and so on."""
    assert groups(gold_units(*(data / f"ud/r2.0-test/{code}-ud-test.conllu.xz" for code in ("hr", "sk")))) == {}
