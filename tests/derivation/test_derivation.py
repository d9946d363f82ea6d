"""Transition systems and oracles: the papers' definitions on random trees, replayed, and on real treebanks."""

import csv
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, strategies as st

from heads import arrays_of, sentence_of
from levelhead import InputError, from_conllu, read
from levelhead.derivation import (
    ARC_EAGER,
    ARC_STANDARD,
    SWAP_EAGER,
    SWAP_LAZY,
    SYSTEMS,
    Action,
    Transition,
    TransitionSystem,
    derive,
    sequences_of,
)
from levelhead.kernels import oracles
from levelhead.kernels.trees import lift
from oracle import derivation as plain
from strategies import SEEDS
from uncompiled import uncompiled

EACH_SYSTEM = pytest.mark.parametrize("system", SYSTEMS.values(), ids=str)
PLAIN_ORACLES, PLAIN_TREES = map(uncompiled, ("oracles", "trees"))


def random_trees(n_trees: int, seed: int = 1, longest: int = 25) -> list[plain.Heads]:
    """Draw random trees; most trees with more than a few words are not projective."""
    draw = Random(seed)
    return [plain.random_heads(draw, draw.randint(1, longest)) for _ in range(n_trees)]


def local_order(order: np.ndarray, starts: np.ndarray) -> list[list[int]]:
    """Return an order by sentence, with words numbered from 1 in each."""
    return [(order[begin:end] - begin + 1).tolist() for begin, end in pairwise(starts.tolist())]


def swaps_of(found: tuple[np.ndarray, ...]) -> list[int]:
    """Count the swaps of each sentence."""
    return [int((found[0][begin:end] == Transition.SWAP).sum()) for begin, end in pairwise(found[1].tolist())]


def replayed(steps: np.ndarray, offsets: np.ndarray, starts: np.ndarray, system: TransitionSystem) -> list[int]:
    """Execute the transitions of every sentence, and return the heads of all words."""
    names = [str(Transition(step)) for step in range(5)]
    heads = []
    for (begin, end), (first, last) in zip(pairwise(offsets.tolist()), pairwise(starts.tolist())):
        heads += plain.replay([names[step] for step in steps[begin:end].tolist()], last - first, system.name)
    return heads


def test_three_thousand_random_trees() -> None:
    """Replaying both swap oracles gives the tree; each word is attached once; lazy never swaps more often than eager."""
    trees = random_trees(3000)
    assert sum(not plain.is_projective(tree) for tree in trees) > 2500
    heads, starts = arrays_of(trees)
    swaps = {}
    for system in (SWAP_EAGER, SWAP_LAZY):
        found = oracles.oracle(heads, starts, system.code, 10**9)
        assert not found[3].any()
        assert replayed(*found[:2], starts, system) == heads.tolist()
        assert all(sorted(order) == [*range(1, len(order) + 1)] for order in local_order(found[2], starts))
        swaps[system] = swaps_of(found)
    assert all(lazy <= eager for lazy, eager in zip(swaps[SWAP_LAZY], swaps[SWAP_EAGER]))
    assert 0 < sum(swaps[SWAP_LAZY]) < sum(swaps[SWAP_EAGER])


def check_against_definition(tree: plain.Heads, system: TransitionSystem) -> None:
    """The transitions and order equal those of the paper's definition, with an error if that gets stuck."""
    steps, order = plain.derivation(tree, system.name)
    heads, starts = arrays_of([tree])
    found, _, attached, verdicts = oracles.oracle(heads, starts, system.code, 10**9)
    if len(order) < len(tree):
        assert verdicts.tolist() == [1]
        with pytest.raises(InputError, match="not-derivable"):
            system.oracle(tree)
    else:
        assert [str(step) for step in system.oracle(tree)] == steps
        assert found.tolist() == [int(step) for step in system.oracle(tree)]
        assert (attached + 1).tolist() == order


@EACH_SYSTEM
@given(SEEDS, st.integers(1, 12), st.booleans())
def test_oracles_follow_the_definitions(system: TransitionSystem, seed: int, n: int, projective: bool) -> None:
    draw = plain.random_projective_heads if projective else plain.random_heads
    check_against_definition(draw(Random(seed), n), system)


@EACH_SYSTEM
def test_several_roots(system: TransitionSystem) -> None:
    """As in CoNLL-X, each root is attached to the artificial root."""
    for tree in ((0, 0), (0, 1, 0), (2, 0, 0, 3), (0, 0, 1, 0)):
        if plain.is_projective(tree) or not system.is_projective:
            check_against_definition(tree, system)


@EACH_SYSTEM
@given(st.lists(SEEDS, max_size=4))
def test_compiled_and_uncompiled_are_equal(system: TransitionSystem, seeds: list[int]) -> None:
    """Transitions, orders, errors and lifting."""
    trees = [plain.random_heads(Random(seed), seed % 15 + 1) for seed in seeds]
    heads, starts = arrays_of(trees)
    found = oracles.oracle(heads, starts, system.code, 40)
    again = PLAIN_ORACLES.oracle(memoryview(heads), memoryview(starts), system.code, 40)
    assert [part.tolist() for part in found] == [part.tolist() for part in again]
    lifts = [one(memoryview(heads), memoryview(starts), 10**9) for one in (lift, PLAIN_TREES.lift)]
    assert [part.tolist() for part in lifts[0]] == [part.tolist() for part in lifts[1]]


@pytest.mark.parametrize("kernels", [oracles, PLAIN_ORACLES], ids=["compiled", "uncompiled"])
def test_what_is_no_tree_is_refused(kernels: ModuleType) -> None:
    """Heads that are not a tree, and too many swaps, are errors, without wrong derivations or endless loops."""
    circle, outside, good = (0, 3, 2), (0, 4, 1), (2, 0)
    crossing = (3, 4, 0, 1)
    heads, starts = arrays_of([circle, outside, good, crossing])
    for code, verdicts in ((0, [1, 2, 0, 1]), (1, [1, 2, 0, 1]), (2, [2, 2, 0, 3]), (3, [2, 2, 0, 3])):
        assert kernels.oracle(memoryview(heads), memoryview(starts), code, 0)[3].tolist() == verdicts


@given(SEEDS, st.integers(1, 12))
def test_lifting_follows_the_definition(seed: int, n: int) -> None:
    """The same arcs are lifted, and the result is projective."""
    tree = plain.random_heads(Random(seed), n)
    heads, starts = arrays_of([tree])
    found, verdicts = lift(heads, starts, 10**9)
    assert tuple(found.tolist()) == plain.lifted(tree)
    assert plain.is_projective(tuple(found.tolist()))
    assert verdicts.tolist() == [0]


def test_lifting_that_takes_too_long() -> None:
    """The heads of the sentence do not change."""
    heads, starts = arrays_of([(3, 4, 0, 1), (0, 3, 2), (5, 0)])
    found, verdicts = lift(heads, starts, 3)
    assert verdicts.tolist() == [3, 2, 2]
    assert found.tolist() == heads.tolist()


# Systems as values


def walked(system: TransitionSystem, steps: Sequence[Transition], n: int) -> plain.Heads:
    """Apply transitions one by one; each must be legal, and the last configuration final."""
    configuration = system.initial(n)
    for step in steps:
        assert not system.is_final(configuration)
        assert step in system.legal(configuration, single_root=True)
        configuration = system.apply(configuration, step, "x")
    assert system.is_final(configuration)
    assert system.legal(configuration) == ()
    assert set(configuration.relations) == {"x"}
    return configuration.heads


@EACH_SYSTEM
@given(SEEDS, st.integers(1, 10))
def test_transitions_applied_to_configurations_give_the_tree(system: TransitionSystem, seed: int, n: int) -> None:
    draw = plain.random_projective_heads if system.is_projective else plain.random_heads
    tree = draw(Random(seed), n)
    assert walked(system, system.oracle(tree), n) == tree


@EACH_SYSTEM
@given(SEEDS, st.integers(1, 8))
def test_any_walk_of_legal_transitions_ends(system: TransitionSystem, seed: int, n: int) -> None:
    """The result is a single-rooted tree, except for words that arc-eager leaves; the definition gives the same heads."""
    draw, configuration, steps = Random(seed), system.initial(n), []
    while not system.is_final(configuration):
        steps.append(draw.choice(system.legal(configuration, single_root=True)))
        configuration = system.apply(configuration, steps[-1])
    assert configuration.heads.count(0) <= 1
    if system is not ARC_EAGER:
        assert -1 not in configuration.heads
        assert configuration.heads.count(0) == 1
    assert plain.replay([str(step) for step in steps], n, system.name) == configuration.heads


def test_illegal_transitions_are_refused() -> None:
    with pytest.raises(InputError, match="illegal-transition"):
        ARC_STANDARD.apply(ARC_STANDARD.initial(2), Transition.LEFT_ARC)


def test_labeled_transitions() -> None:
    """Transitions that add an arc occur once per relation; swaps and shifts have none."""
    actions = SWAP_LAZY.actions(["nsubj", "obj"])
    assert [str(action) for action in actions] == [
        *("SHIFT", "LEFT-ARC:nsubj", "LEFT-ARC:obj", "RIGHT-ARC:nsubj", "RIGHT-ARC:obj", "SWAP"),
    ]
    assert ARC_EAGER.actions(["a"])[-1] == Action(Transition.REDUCE)


# The dynamic oracle


@given(SEEDS, st.integers(1, 5), st.integers(0, 9))
def test_costs_are_the_arcs_that_are_lost(seed: int, n: int, n_steps: int) -> None:
    """Compared with a search of all arcs that can still be built, after random transitions."""
    draw = Random(seed)
    gold = plain.random_projective_heads(draw, n)
    best = plain.best_reachable(gold)
    configuration = ARC_EAGER.initial(n)
    for _ in range(n_steps):
        if ARC_EAGER.is_final(configuration):
            break
        configuration = ARC_EAGER.apply(configuration, draw.choice(ARC_EAGER.legal(configuration)))
    front = configuration.buffer[0] if configuration.buffer else n + 1
    state = (configuration.stack, front, configuration.heads)
    lost = {name: best(state) - best(follower) for name, follower in plain.eager_steps(state)}
    assert {str(step): cost for step, cost in ARC_EAGER.costs(configuration, gold).items()} == lost


@given(SEEDS, st.integers(1, 12))
def test_a_free_transition_leads_to_the_tree(seed: int, n: int) -> None:
    """From the start, there is always a transition without cost, and the static oracle's is one of them."""
    tree = plain.random_projective_heads(Random(seed), n)
    configuration = ARC_EAGER.initial(n)
    for step in ARC_EAGER.oracle(tree):
        assert ARC_EAGER.costs(configuration, tree)[step] == 0
        configuration = ARC_EAGER.apply(configuration, step)
    assert ARC_EAGER.costs(configuration, tree) == {}


def test_only_arc_eager_has_costs() -> None:
    with pytest.raises(InputError, match="no-dynamic-oracle"):
        SWAP_LAZY.costs(SWAP_LAZY.initial(1), [0])


# Treebanks

CROSSING = sentence_of([3, 4, 0, 1])


def test_errors_name_the_sentence() -> None:
    """With file, line and number; lifting avoids them."""
    treebank = from_conllu(sentence_of([0]) + CROSSING + CROSSING)
    with pytest.raises(InputError) as caught:
        derive(treebank, ARC_STANDARD)
    (fault,) = caught.value.faults
    assert (fault.slug, fault.place.line, fault.place.sentence, fault.count) == ("not-derivable", 3, 2, 2)
    derivations = derive(treebank, ARC_STANDARD, lift=True)
    assert derivations.n_lifted == 4
    assert derivations.heads.tolist() == [0, *(3, 1, 0, 3), *(3, 1, 0, 3)]
    assert derive(treebank, SWAP_LAZY, lift=True).n_lifted == 0


def test_derivations_of_a_treebank() -> None:
    """Labeled transitions, the order, and swaps."""
    derivations = derive(from_conllu(sentence_of([2, 0]) + CROSSING), SWAP_LAZY)
    assert [str(action) for action in derivations.actions(0)] == ["SHIFT", "SHIFT", "LEFT-ARC:dep", "RIGHT-ARC:dep"]
    assert derivations.order[:2].tolist() == [0, 1]
    assert derivations.swaps.tolist() == [0, swaps_of(oracles.oracle(*arrays_of([(3, 4, 0, 1)]), 3, 9))[0]]
    assert sorted(derivations.order.tolist()) == [*range(6)]
    assert len(derivations) == 2


def test_orders_of_words() -> None:
    """Spaces inside words become underscores; words that become equal count as one."""
    text = sentence_of([2, 0, 2]).replace("\ta\t", "\tx y\t", 1).replace("3\ta\t", "3\tx_y\t")
    treebank = from_conllu(text)
    assert list(sequences_of(treebank).words) == ["x_y", "a", "x_y"]
    assert len({*sequences_of(treebank).words.codes.tolist()}) == 2
    assert list(sequences_of(treebank, "arc-standard").words) == ["x_y", "x_y", "a"]
    with pytest.raises(InputError, match="unknown-order"):
        sequences_of(treebank, "no such order")


@pytest.mark.parametrize("system", [ARC_EAGER, SWAP_LAZY], ids=str)
def test_a_sentence_of_a_hundred_thousand_words(system: TransitionSystem) -> None:
    """Chains and combs do not cause deep recursion."""
    n = 100_000
    trees = [range(n), [*range(2, n + 1), 0], [0, *[1] * (n - 1)]]
    heads, starts = arrays_of(trees)
    found = oracles.oracle(heads, starts, system.code, 10**6)
    assert not found[3].any()
    assert replayed(*found[:2], starts, system) == heads.tolist()
    assert (lift(heads, starts, 10**6)[0] == heads).all()


def test_many_swaps_make_room() -> None:
    """Transitions can outnumber words by far; a sentence with too many is an error."""
    n = 300
    tree = [0, *(word % 2 + 1 if word > 2 else 1 for word in range(2, n + 1))]  # odd words below 2, even ones below 1
    heads, starts = arrays_of([tree, tree, (0,), tree])
    found = oracles.oracle(heads, starts, SWAP_EAGER.code, 10**9)
    assert len(found[0]) > 10 * len(heads)
    assert replayed(*found[:2], starts, SWAP_EAGER) == heads.tolist()
    assert oracles.oracle(heads, starts, SWAP_EAGER.code, 100)[3].tolist() == [3, 3, 0, 3]


def expected_swaps(data: Path) -> list[dict[str, str]]:
    """The rows of the table of perplexities."""
    with (data / "perplexity" / "expected.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_swaps_of_real_treebanks(data: Path) -> None:
    """Equal to the independent oracle that made the table; and replaying gives all trees."""
    rows = [row for row in expected_swaps(data) if row["order"] != "string"]
    assert len(rows) == 8
    read_once = cache(read)
    for row in rows:
        system = SYSTEMS[row["order"]]
        for part in ("train", "dev"):
            treebank = read_once(data / "ud" / "r2.0" / f"{row['code']}-ud-{part}.conllu.xz")
            derivations = derive(treebank, system)
            assert derivations.swaps.sum() == int(row[f"{part}_swaps"])
            starts = treebank.sentence_starts
            found = replayed(derivations.transitions, derivations.offsets, starts, system)
            assert found == treebank.local_heads().tolist()
