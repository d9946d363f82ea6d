"""Shapes of trees: against their definitions, known trees, the kernel uncompiled, and at great length."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import levelhead
from levelhead.kernels import trees
from levelhead.treebank import nonprojective_arcs, shapes_of
from oracle import trees as oracle
from oracle.drawing import some_treebank
from uncompiled import uncompiled, views

PLAIN = uncompiled("trees")


def some_heads(draw: random.Random, n_words: int, *, several_roots: bool = False) -> list[int]:
    """Draw a tree: words in a random order, each attached to an earlier one, sometimes only to late ones (deep trees)."""
    order = draw.sample(range(1, n_words + 1), k=n_words)
    reach = draw.choice((1, 2, n_words))
    heads = [0] * n_words
    for position, word in enumerate(order[1:], 1):
        heads[word - 1] = draw.choice(order[max(0, position - reach) : position])
        if several_roots and draw.random() < 0.1:
            heads[word - 1] = 0
    return heads


def measured(sentences: list[list[int]]) -> tuple[list, ...]:
    """Apply the kernel."""
    starts = np.cumsum([0, *map(len, sentences)], dtype=np.int32)
    heads = np.array([head for sentence in sentences for head in sentence], dtype=np.int32)
    compiled = trees.shapes(heads, starts)
    for one, other in zip(compiled, PLAIN.shapes(*views(heads, starts))):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    return tuple(array.tolist() for array in compiled)


def defined(sentences: list[list[int]]) -> tuple[list, ...]:
    """Apply the definitions."""
    words = [(heads, word) for heads in sentences for word in range(1, len(heads) + 1)]
    gaps = [oracle.gap_degree(words) for heads in sentences for words in oracle.yields(heads).values()]
    return (
        [oracle.depth(heads, word) for heads, word in words],
        gaps,
        [int(oracle.is_nonprojective(heads, word)) for heads, word in words],
        [int(oracle.is_crossed_to_the_right(heads, word)) for heads, word in words],
        [int(oracle.is_ill_nested(heads)) for heads in sentences],
    )


@given(st.integers(0, 2**32), st.lists(st.integers(1, 14), max_size=4), st.booleans())
def test_random_trees(seed: int, sizes: list[int], several_roots: bool) -> None:
    """Compiled, uncompiled and by the definitions."""
    draw = random.Random(seed)
    sentences = [some_heads(draw, size, several_roots=several_roots) for size in sizes]
    assert measured(sentences) == defined(sentences)


def test_every_tree_of_five_words() -> None:
    """All 5^4 trees, of which some are ill-nested, some have gaps and are well-nested."""
    trees = []
    for number in range(6**5):
        heads = [number // 6**place % 6 for place in range(5)]
        if heads.count(0) == 1 and all(head != word for word, head in enumerate(heads, 1)) and _reaches(heads):
            trees.append(heads)
    assert len(trees) == 5**4
    ours = measured(trees)
    assert ours == defined(trees)
    assert 0 < sum(ours[4]) < sum(any(gaps[i * 5 : i * 5 + 5]) for gaps in [ours[1]] for i in range(len(trees)))


def _reaches(heads: list[int]) -> bool:
    """Say whether all words reach the root."""
    reached = {0}
    for _ in heads:
        reached |= {word for word, head in enumerate(heads, 1) if head in reached}
    return len(reached) == len(heads) + 1


@given(st.integers(0, 2**32))
def test_mirrored_trees_have_the_same_gaps(seed: int) -> None:
    """Reading from right to left changes nothing but the rule that looks to the right."""
    heads = some_heads(random.Random(seed), 12)
    mirrored = [0 if head == 0 else 13 - head for head in reversed(heads)]
    (depths, gaps, crossed, _, ill), (other_depths, other_gaps, other_crossed, _, other_ill) = (
        measured([heads]),
        measured([mirrored]),
    )
    assert (depths[::-1], gaps[::-1], crossed[::-1], ill) == (other_depths, other_gaps, other_crossed, other_ill)


def test_arcs_of_a_treebank() -> None:
    """The function for treebanks says of each word what the definition says."""
    treebank = levelhead.from_conllu(some_treebank(random.Random(3), [9, 1, 12, 30]))
    heads = treebank.local_heads().tolist()
    sentences = [heads[start:end] for start, end in pairwise(treebank.sentence_starts.tolist())]
    expected = [oracle.is_nonprojective(one, word) for one in sentences for word in range(1, len(one) + 1)]
    assert nonprojective_arcs(treebank).tolist() == expected
    assert shapes_of(treebank).nonprojective.dtype == np.bool_


LONG = 100_000


@pytest.mark.parametrize("kind", ["left chain", "right chain", "star", "zigzag", "random chain", "random", "two stars"])
def test_sentences_of_a_hundred_thousand_words(kind: str) -> None:
    """No recursion, no stack, and no quadratic time in any of these; what can be known of them is right."""
    words = np.arange(1, LONG + 1)
    draw = np.random.default_rng(1)
    order = draw.permutation(LONG) + 1
    heads = np.zeros(LONG, dtype=np.int32)
    if kind == "left chain":
        heads[:] = words - 1
    elif kind == "right chain":
        heads[:] = np.where(words == LONG, 0, words + 1)
    elif kind == "star":
        heads[1:] = 1
    elif kind == "zigzag":  # 1 above 100,000 above 2 above 99,999 ...
        order = np.stack([words[: LONG // 2], words[::-1][: LONG // 2]], axis=1).ravel()
        heads[order[1:] - 1] = order[:-1]
    elif kind == "random chain":
        heads[order[1:] - 1] = order[:-1]
    elif kind == "random":
        heads[order[1:] - 1] = order[(draw.random(LONG - 1) * np.arange(1, LONG)).astype(int)]
    else:  # the words of two stars in turn, one below the other
        heads[2:] = np.where(words[2:] % 2, 1, 2)
        heads[1] = 1
    starts = np.array([0, LONG], dtype=np.int32)
    depths, gaps, crossed, right, ill = trees.shapes(heads, starts)
    chain = kind in {"left chain", "right chain", "zigzag", "random chain"}
    assert (depths.max() == LONG - 1) == chain
    assert bool(crossed.any()) == (kind in {"random chain", "random", "two stars"})
    assert bool(gaps.any()) == bool(crossed.any())
    assert bool(ill[0]) == (kind == "random")
    assert not right.any() or kind in {"random chain", "random"}
