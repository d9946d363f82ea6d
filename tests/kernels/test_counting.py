"""Counts of chosen words and shared spans, heads numbered through, and codes that occur, against plain code."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from heads import arrays_of
from levelhead.kernels import agreement, alignment, pools, trees
from uncompiled import uncompiled, views

CODES = st.lists(st.integers(0, 4), max_size=12)
CHOSEN = st.lists(st.booleans(), min_size=5, max_size=5)


def ints(numbers: list[int]) -> np.ndarray:
    """An array as kernels take it."""
    return np.array(numbers, dtype=np.int32)


@given(CODES, CODES, CHOSEN, CHOSEN, st.data(), st.booleans())
def test_chosen_words(
    gold: list[int], system: list[int], in_gold: list[bool], in_system: list[bool], data: st.DataObject, by_gold: bool
) -> None:
    """Each side by its own relations, or the system's words in pairs by those of gold."""
    n_pairs = data.draw(st.integers(0, min(len(gold), len(system))))
    pairs = [sorted(data.draw(st.permutations(range(len(side)))))[:n_pairs] for side in (gold, system)]
    flags = data.draw(st.lists(st.integers(0, 7), min_size=n_pairs, max_size=n_pairs))
    found = agreement.count_chosen(
        *map(ints, pairs),
        np.array(flags, dtype=np.uint16),
        3,
        (ints(gold), ints(system)),
        (np.array(in_gold, dtype=np.uint8), np.array(in_system, dtype=np.uint8)),
        by_gold,
    )
    ours, theirs = [in_gold[code] for code in gold], [in_system[code] for code in system]
    if by_gold:
        for one, other in zip(*pairs):
            theirs[other] = ours[one]
    correct = sum(ours[one] and theirs[other] and flag & 3 == 3 for one, other, flag in zip(*pairs, flags))
    assert found == (correct, sum(ours), sum(theirs), sum(ours[one] for one in pairs[0]))


SPANS = st.lists(st.integers(0, 30), unique=True).map(sorted)


@given(SPANS, SPANS)
def test_shared_spans(gold: list[int], system: list[int]) -> None:
    """Those that start and end alike."""
    sides = [(side[:-1], side[1:]) for side in (gold, system)]
    arrays = [np.array(part, dtype=np.int64) for side in sides for part in side]
    expected = [span in set(zip(*sides[0])) for span in zip(*sides[1])]
    for kernel, given_arrays in ((alignment, arrays), (uncompiled("alignment"), views(*arrays))):
        assert kernel.shared_spans(*given_arrays).astype(bool).tolist() == expected


@given(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=6), max_size=5))
def test_heads_numbered_through(sentences: list[list[int]]) -> None:
    """As indices among all words."""
    heads, starts = arrays_of(sentences)
    firsts = np.repeat(starts[:-1], np.diff(starts))
    expected = np.where(heads == 0, -1, heads - 1 + firsts).tolist()
    assert trees.global_heads(heads, starts).tolist() == expected
    assert uncompiled("trees").global_heads(*views(heads, starts)).tolist() == expected


@given(CODES)
def test_codes_that_occur(codes: list[int]) -> None:
    """Ascending, each once."""
    assert pools.distinct(ints(codes), 5).tolist() == sorted(set(codes))


@pytest.mark.parametrize("codes", [[-1], [0, 5]])
def test_codes_of_no_string(codes: list[int]) -> None:
    """Nothing is written outside the array."""
    with pytest.raises(IndexError, match="from 0 to"):
        pools.distinct(ints(codes), 5)
