"""Words aligned by edit distance over their forms."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from levelhead.kernels import alignment
from levelhead.scoring import form_alignment
from levelhead.scoring.form_alignment import align_forms, other_text_note
from oracle.forms import aligned
from strategies import WORDS
from uncompiled import uncompiled, views

LISTS = st.lists(WORDS, max_size=5)


@given(LISTS, LISTS)
def test_alignment_is_the_cheapest_and_leftmost(gold: list[str], system: list[str]) -> None:
    assert align_forms(gold, system) == aligned(gold, system)


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("a b c", "a b c", [0, 1, 2]),
        ("Billy began to play", "Billi began play", [0, 1, -1, 2]),
        ("a a b", "a b", [0, -1, 1]),
        ("a b", "a a b", [0, 2]),
        ("a x b", "a y z b", [0, 1, 3]),
        ("it's here", "it 's here", [0, 2]),
        ("", "a", []),
        ("a", "", [-1]),
    ],
)
def test_examples(gold: str, system: str, expected: list[int]) -> None:
    assert align_forms(gold.split(), system.split()) == expected


def test_the_kernel_is_the_same_compiled_and_not() -> None:
    chance = random.Random(7)
    for _ in range(50):
        both = [
            ["".join(chance.choices("ab", k=chance.randint(1, 3))) for _ in range(chance.randint(0, 6))] for _ in "gs"
        ]
        arrays = [array for forms in both for array in form_alignment._characters(forms)]
        assert np.array_equal(alignment.align_forms(*arrays), uncompiled("alignment").align_forms(*views(*arrays)))


@pytest.mark.parametrize("starts", [[0, 5], [1, 2], [0, 2, 1], []])
def test_the_kernel_refuses_what_points_outside(starts: list[int]) -> None:
    characters, good = form_alignment._characters(["ab"])
    bad = np.array(starts, dtype=np.int32)
    for kernel in (alignment, uncompiled("alignment")):
        for arrays in ((characters, bad, characters, good), (characters, good, characters, bad)):
            with pytest.raises(ValueError, match="starts"):
                kernel.align_forms(*views(*arrays))


def test_sentences_too_long_to_compare_align_equal_forms_only(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system = "a bee c".split(), "x a be c".split()
    assert align_forms(gold, system) == [1, 2, 3]
    monkeypatch.setattr(form_alignment, "MOST_COMPARISONS", 10)
    assert align_forms(gold, system) == [1, -1, 3]


def test_answers_are_shifted_if_half_of_them_fit_a_neighbor() -> None:
    note = "100 answers to another text, not aligned: fewer than half of the forms match"
    assert other_text_note(100, 0, 0) == note
    assert other_text_note(100, 0, 1) == f"{note}; 1 of them fits the previous gold sentence"
    assert (
        other_text_note(100, 49, 2)
        == f"{note}; 49 of them fit the next gold sentence and 2 of them fit the previous gold sentence"
    )
    assert other_text_note(100, 50, 0) == f"{note}; the answers are shifted: 50 of them fit the next gold sentence"
