"""The compiled loops against the same files uncompiled and against plain code, and on inputs of unusual size."""

import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from heads import arrays_of, sentence_of
from levelhead import ConlluError, from_conllu
from levelhead.kernels import alignment, pools, scan, trees
from levelhead.scoring.form_alignment import common_subsequence
from levelhead.treebank import Strings, to_conllu
from strategies import SEEDS
from uncompiled import uncompiled, views

PLAIN_TREES, PLAIN_ALIGNMENT = uncompiled("trees"), uncompiled("alignment")


def test_kernels_are_compiled() -> None:
    """Otherwise the comparisons below compare nothing."""
    assert all(not module.__file__.endswith(".py") for module in (scan, alignment, trees))
    assert all(module.__file__.endswith(".py") for module in (PLAIN_TREES, PLAIN_ALIGNMENT))


# Trees


def plain_verdict(heads: Sequence[int], *, several_roots: bool) -> int:
    """Judge a sentence by the definition of a tree."""
    if any(head < 0 or head > len(heads) for head in heads):
        return 1
    n_roots = heads.count(0)
    if n_roots == 0 or (n_roots > 1 and not several_roots):
        return 2 if n_roots == 0 else 3
    reached = {0}
    for _ in heads:
        reached |= {word for word, head in enumerate(heads, 1) if head in reached}
    return 0 if len(reached) == len(heads) + 1 else 4


HEADS = st.lists(st.lists(st.integers(-1, 6) | st.integers(0, 3), min_size=1, max_size=6), max_size=5)


@given(HEADS, st.booleans())
def test_verdicts_on_trees(sentences: list[list[int]], several_roots: bool) -> None:
    """Compiled, uncompiled and by the definition."""
    heads, starts = arrays_of(sentences)
    verdicts = trees.bad_sentences(heads, starts, several_roots).tolist()
    assert verdicts == [plain_verdict(sentence, several_roots=several_roots) for sentence in sentences]
    assert verdicts == PLAIN_TREES.bad_sentences(*views(heads, starts), several_roots).tolist()


@pytest.mark.parametrize("several_roots", [False, True])
def test_long_chains(several_roots: bool) -> None:
    """A hundred thousand words that hang from one another, either way, and round in a circle: no recursion."""
    n = 100_000
    to_the_left, to_the_right = range(n), [*range(2, n + 1), 0]
    circle, late_circle = [*range(2, n + 1), 1], [0, n, *range(2, n)]
    comb = [0, *(max(1, i - 1) for i in range(1, n))]
    heads, starts = arrays_of([to_the_left, to_the_right, circle, late_circle, comb])
    assert trees.bad_sentences(heads, starts, several_roots).tolist() == [0, 0, 2, 4, 0]


def test_a_sentence_of_long_chains_is_read() -> None:
    """From bytes to tree and back, and a fault where it is none."""
    n = 100_000
    for heads in (range(n), [*range(2, n + 1), 0]):
        text = sentence_of(heads)
        assert to_conllu(from_conllu(text)).decode() == text
    with pytest.raises(ConlluError, match="cycle"):
        from_conllu(sentence_of([0, n, *range(2, n)]))


def test_a_sentence_of_a_million_words() -> None:
    """All words hang from the first."""
    n = 1_000_000
    text = "".join(f"{i}\ta{i % 1000}\t_\t_\t_\t_\t{int(i > 1)}\tdep\t_\t_\n" for i in range(1, n + 1)) + "\n"
    tb = from_conllu(text)
    assert (len(tb), tb.n_words, len(set(tb.forms))) == (1, n, 1000)
    assert tb.heads[:2].tolist() == [-1, 0]
    assert int(tb.heads.sum()) == -1


# Spans


def some_side(draw: random.Random, n_characters: int) -> list[np.ndarray]:
    """Cut a text into tokens, some of which hold one to three words: starts, ends, inside of each word."""
    cuts = sorted({0, n_characters, *(draw.randint(0, n_characters) for _ in range(draw.randint(0, n_characters)))})
    words = []
    for start, end in pairwise(cuts):
        inside = draw.random() < 0.35
        words += [(start, end, inside)] * (draw.randint(1, 3) if inside else 1)
    columns = list(zip(*words)) or [(), (), ()]
    return [np.array(column, dtype=kind) for column, kind in zip(columns, (np.int64, np.int64, np.uint8))]


@given(SEEDS, st.integers(min_value=0, max_value=14))
def test_alignment_compiled_and_not(seed: int, n_characters: int) -> None:
    """The same pairs and regions, ascending and without a word twice."""
    draw = random.Random(seed)
    gold, system = some_side(draw, n_characters), some_side(draw, n_characters)
    pairs, regions = alignment.align_spans(*gold, *system)
    plain_pairs, plain_regions = PLAIN_ALIGNMENT.align_spans(*views(*gold, *system))
    assert pairs.tolist() == plain_pairs.tolist()
    assert regions.tolist() == plain_regions.tolist()
    for side, part in ((gold, 0), (system, 1)):
        taken = [*pairs[:, part], *(w for region in regions.tolist() for w in range(*region[2 * part : 2 * part + 2]))]
        assert len(taken) == len(set(taken)) <= len(side[0])
        assert pairs[:, part].tolist() == sorted(pairs[:, part])
    assert all(gold[0][g] == system[0][s] and gold[1][g] == system[1][s] for g, s in pairs)


# Strings

WORDS = st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=20), unique=True, max_size=20)


@given(WORDS, WORDS, st.randoms(use_true_random=False))
def test_translate(some: list[str], others: list[str], draw: random.Random) -> None:
    """Each string is found where a dictionary finds it, and nowhere else; strings without a character too."""
    mixed = list(dict.fromkeys([*draw.sample(some, k=draw.randint(0, len(some))), *others]))
    one, other = Strings.of(some), Strings.of(mixed)
    known = {text: code for code, text in enumerate(some)}
    found = pools.translate(one.pool, one.offsets, other.pool, other.offsets)
    assert found.dtype == np.int32
    assert found.tolist() == [known.get(text, -1) for text in mixed]


def test_translate_many() -> None:
    """So many strings that the table grows, with all tails of up to eight bytes."""
    some = [f"{i:x}" * (1 + i % 3) + "ab" * (i % 5) for i in range(50_000)]
    some = list(dict.fromkeys(some))
    one, other = Strings.of(some[::2]), Strings.of(some)
    found = pools.translate(one.pool, one.offsets, other.pool, other.offsets)
    assert found[::2].tolist() == list(range(len(one)))
    assert set(found[1::2].tolist()) == {-1}


# The longest common subsequence


def plain_subsequence(gold: Sequence[str], system: Sequence[str]) -> list[tuple[int, int]]:
    """Fill the whole table, then walk it from the left by the official rule for ties."""
    longest = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g in reversed(range(len(gold))):
        for s in reversed(range(len(system))):
            same = gold[g] == system[s]
            longest[g][s] = 1 + longest[g + 1][s + 1] if same else max(longest[g + 1][s], longest[g][s + 1])
    pairs, g, s = [], 0, 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1
    return pairs


@given(st.text("abc", max_size=12), st.text("abcd", max_size=12))
def test_short_subsequences(gold: str, system: str) -> None:
    """The same pairs, not only as many."""
    assert common_subsequence(gold, system) == plain_subsequence(gold, system)


@pytest.mark.parametrize(("n_gold", "n_system"), [(128, 128), (129, 300), (400, 127), (257, 64), (300, 1), (1, 300)])
def test_subsequences_longer_than_what_is_kept(n_gold: int, n_system: int) -> None:
    """Only one row in many is kept, and those between are computed again."""
    draw = random.Random(n_gold)
    for letters in ("ab", "abcdefgh"):
        gold, system = draw.choices(letters, k=n_gold), draw.choices(letters, k=n_system)
        assert common_subsequence(gold, system) == plain_subsequence(gold, system)


LARGE = """
import random
from levelhead.scoring.form_alignment import common_subsequence
draw = random.Random(1)
gold, system = (draw.choices("abcdefghijklmnopqrstuvwxyz", k=20_000) for _ in "12")
pairs = common_subsequence(gold, system)
assert all(gold[g] == system[s] for g, s in pairs)
assert all(a < c and b < d for (a, b), (c, d) in zip(pairs, pairs[1:]))
print(len(pairs))
"""
MEASURED = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def test_a_large_subsequence_takes_little_memory() -> None:
    """A multiword token of 20,000 words against another: a table of 400 million numbers is never made.

    The process that is measured is the child of a small one, since Linux counts the memory of whoever starts it too.
    """
    done = subprocess.run([sys.executable, "-c", MEASURED, LARGE], capture_output=True, check=False, text=True)
    assert done.stderr == ""
    n_pairs, memory = map(int, done.stdout.split())
    assert 6_000 < n_pairs < 9_000
    assert memory < 100_000_000
