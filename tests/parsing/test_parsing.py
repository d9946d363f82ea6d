"""Transition-based parsers: the oracle, a second implementation, single-rooted trees, learning, unusual input."""

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from levelhead import InputError, Treebank, build, from_conllu, read
from levelhead.errors import Fault
from levelhead.kernels.oracles import projective_order
from levelhead.kernels.transition_parser import Parser
from levelhead.kernels.trees import lift
from levelhead.parsing import PARSERS, Model, Recipe, Schedule, features as wording, parse_treebank, train
from levelhead.parsing.features import columns_of, compiled_for
from levelhead.parsing.model import GRAPH_PARSERS, TRANSITION_SYSTEMS, Trees
from levelhead.parsing.parser_input import (
    LONGEST_LEARNED,
    LONGEST_SEARCHED,
    LONGEST_WHOLE,
    long_parsing_warnings,
    longest_with_beam,
    training_warnings,
)
from levelhead.parsing.search import train_transitions
from levelhead.parsing.training import parse_columns
from levelhead.treebank import to_conllu
from oracle import derivation as plain
from oracle.parsing import Configuration, Slow
from parsed import GOLD, las, rows_of
from strategies import SEEDS, examples, treebanks

EACH_SYSTEM = pytest.mark.parametrize("system", TRANSITION_SYSTEMS)
QUICK = Schedule(first=2, second=1, runs=1)


def long_training_warnings(treebank: Treebank, parser: str) -> tuple[Fault, ...]:
    return tuple(fault for fault in training_warnings(treebank, parser) if fault.slug == "long-sentence")


def arbitrary_model(seed: int, parser: str, beam: int, labels: tuple[str, ...] = ("root", "a", "b", "c")) -> Model:
    """A model with random weights, which can make any decision."""
    draw = np.random.default_rng(seed)
    tables = {
        "actions": draw.integers(-9, 10, (1 << 10, 4)).astype(np.int16),
        "labels": draw.integers(-9, 10, (1 << 8, 8)).astype(np.int16),
    }
    return Model(parser, labels, 0, wording.templates_for(parser), beam, tables, {})


# Oracles


FEW_TEMPLATES = {"actions": "s0.form s1.form b0.form | s0.form b0.form", "labels": "h.form d.form | d.form"}
"""Words have different forms, so that the features show where training is."""


def trains_alike(seed: int, system: str, heads: tuple[int, ...], oracle: Callable, *, explore: int = 0) -> None:
    """Compare greedy training on one tree with the slow implementation: all weights, sums, steps and mistakes.

    To explore, mistakes are followed, in several turns.
    """
    model, n = replace(arbitrary_model(seed, system, 1), templates=FEW_TEMPLATES), len(heads)
    draw = np.random.default_rng(seed)
    labels = [draw.integers(1, 4).item() if head else 0 for head in heads]
    treebank = build([[f"w{i}" for i in range(n)]], [heads], [["dep"] * n])
    columns, starts = tuple(columns_of(treebank, FEW_TEMPLATES.values())), treebank.sentence_starts
    tables = tuple(table.copy() for table in model.tables.values())
    sums = tuple(np.zeros(table.shape, np.float32) for table in tables)
    kernel = Parser(TRANSITION_SYSTEMS.index(system), compiled_for(system, FEW_TEMPLATES), tables, sums, 4, 0, 1)
    local = np.array(heads, np.int32)
    gold = (local, np.array(labels, np.int32), *projective_order(local, starts))
    for _ in range(explore or 1):
        before = [total.copy() for total in sums]
        found = kernel.train(columns, starts, *gold, np.zeros(1, np.int64), 1.0, min(explore, 1), 1)
        changes, *numbers = Slow(model).learn(heads, labels, rows_of(treebank, 0, n), oracle, explore=explore > 0)
        assert list(found) == numbers
        for name, table, total, old in zip(model.tables, tables, sums, before):
            expected = np.zeros(table.shape)
            for (_, *place), change in (one for one in changes.items() if one[0][0] == name):
                expected[tuple(place)] = change
            assert np.array_equal(table, model.tables[name])
            assert np.array_equal(total - old, expected)


def gold_steps(heads: Sequence[int], system: str) -> list[str]:
    """The transitions of the static oracle, by their names in the slow parser; arc-eager then clears its stack."""
    steps = [step.lower().removesuffix("-arc") for step in plain.derivation(tuple(heads), system)[0]]
    left = steps.count("shift") + steps.count("right") - steps.count("left") - steps.count("reduce")
    return steps + ["reduce"] * (left if system == "arc-eager" else 0)


@EACH_SYSTEM
def test_what_training_follows_is_the_static_oracle(system: str) -> None:
    """Greedy training follows the transitions of the definitions, for random trees."""
    draw = Random(3)
    for seed in range(60):
        heads = plain.random_heads(draw, draw.randint(1, 25))
        heads = heads if system.startswith("swap") else plain.lifted(heads)
        trains_alike(seed, system, heads, partial(lambda steps, _: next(steps), iter(gold_steps(heads, system))))


@settings(max_examples=examples(60))
@given(SEEDS, st.integers(1, 5))
def test_training_of_arc_eager_after_mistakes(seed: int, n: int) -> None:
    """Wherever the parser goes, training wants the transition that costs least, by a search of all possible arcs."""
    gold = plain.random_projective_heads(Random(seed), n)
    best = plain.best_reachable(gold, one_root=True)

    def cheapest(c: Configuration) -> str:
        if not c.buffer:
            return "reduce" if c.stack[-1] in c.head else "right"
        state = tuple(c.stack), c.buffer[0], tuple(c.head.get(word, -1) for word in range(1, n + 1))
        followers = {name.lower().removesuffix("-arc"): new for name, new in plain.eager_steps(state, one_root=True)}
        lost = {name: best(state) - best(new) for name, new in followers.items()}
        assert min(lost.values()) == 0
        return min((name for name in ("left", "right", "shift", "reduce") if name in lost), key=lost.__getitem__)

    trains_alike(seed, "arc-eager", gold, cheapest, explore=3)


# The second implementation


def agrees(model: Model, treebank: Treebank) -> None:
    """Compare the kernel's greedy parse with the slow implementation, sentence by sentence."""
    parsed = parse_treebank(model, treebank)
    slow = Slow(model)
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        heads, relations = slow.parse(rows_of(treebank, start, end))
        assert parsed.local_heads()[start:end].tolist() == heads
        assert list(parsed.relations[start:end]) == relations


@EACH_SYSTEM
def test_the_second_implementation_parses_alike(system: str) -> None:
    """With a trained model, on real sentences."""
    treebank = read(GOLD)
    agrees(train(treebank, Recipe(system, beam=1, schedule=QUICK)), treebank[:8])


@EACH_SYSTEM
@settings(max_examples=examples(12))
@given(text=treebanks(max_sentences=2, max_words=9), seed=SEEDS)
def test_the_second_implementation_on_anything(system: str, text: str, seed: int) -> None:
    """With random weights, on random words, which leads to many swaps and unusual arcs."""
    agrees(arbitrary_model(seed, system, 1), from_conllu(text))


@pytest.mark.slow
@EACH_SYSTEM
@settings(max_examples=examples(8))
@given(text=treebanks(max_sentences=1, max_words=3), seed=SEEDS)
def test_a_beam_that_holds_all_derivations_finds_the_best(system: str, text: str, seed: int) -> None:
    """No other derivation of the sentence has a higher score; all of them are tried."""
    treebank, model = from_conllu(text), arbitrary_model(seed, system, 1)
    words = rows_of(treebank, 0, treebank.n_words)
    derivations, most = Slow(model).all_derivations(words)
    parsed = parse_treebank(replace(model, beam=most), treebank)
    highest = max(derivation.score for derivation in derivations)
    best = [derivation.passed[-1] for derivation in derivations if derivation.score == highest]
    numbers = range(1, len(words) + 1)
    trees = [[(c.head[i], model.relations[c.label[i]]) for i in numbers] for c in best]
    assert list(zip(parsed.local_heads().tolist(), parsed.relations)) in trees


@pytest.mark.slow
@EACH_SYSTEM
@settings(max_examples=examples(9))
@given(text=treebanks(max_sentences=1, max_words=7), seed=SEEDS, beam=st.integers(2, 5))
def test_training_with_a_beam_makes_the_update_of_the_largest_violation(
    system: str, text: str, seed: int, beam: int
) -> None:
    """One sentence, random weights: all weights and sums for averaging change as in a plain implementation."""
    treebank, model = from_conllu(text), arbitrary_model(seed, system, beam)
    starts, heads = treebank.sentence_starts, treebank.local_heads()
    if not system.startswith("swap"):
        heads, _ = lift(heads, starts, 10**9)
    draw = np.random.default_rng(seed)
    labels = np.where(heads == 0, 0, draw.integers(1, 4, len(heads))).astype(np.int32)
    number = TRANSITION_SYSTEMS.index(system)
    slow, words = Slow(model), rows_of(treebank, 0, treebank.n_words)
    right = slow.right(gold_steps(heads.tolist(), system), labels.tolist(), words)
    expected = {name: np.zeros(table.shape, np.int64) for name, table in model.tables.items()}
    for (name, row, label), change in slow.update(right, beam, words).items():
        expected[name][row, label] = change
    tables = tuple(table.copy() for table in model.tables.values())
    sums = tuple(np.zeros(table.shape, np.float32) for table in tables)
    kernel = Parser(number, compiled_for(model.parser, model.templates), tables, sums, 4, 0, beam)
    columns = tuple(columns_of(treebank, model.templates.values()))
    gold = (heads, labels, *projective_order(heads, starts))
    step, wrong = kernel.train(columns, starts, *gold, np.zeros(1, np.int64), 3.0, 0.0, 1)
    assert (step, wrong > 0) == (4.0, expected["actions"].any() or expected["labels"].any())
    for name, table, total in zip(model.tables, tables, sums):
        assert np.array_equal(table - model.tables[name], expected[name])
        assert np.array_equal(total, 3 * expected[name])


# What always holds


@EACH_SYSTEM
@settings(max_examples=examples(20))
@given(text=treebanks(), seed=SEEDS, beam=st.sampled_from([1, 2, 7]))
def test_one_root_always(system: str, text: str, seed: int, beam: int) -> None:
    """For any weights, the tree has one root, and only the root has the relation root."""
    parsed = parse_treebank(arbitrary_model(seed, system, beam), from_conllu(text))
    parsed.replace(heads=parsed.heads.tolist())  # refuses anything that is not a tree
    roots = parsed.heads < 0
    assert roots.sum() == len(parsed)
    assert [relation == "root" for relation in parsed.relations] == roots.tolist()


@EACH_SYSTEM
@pytest.mark.parametrize("beam", [1, 4])
def test_learning_by_heart(system: str, beam: int) -> None:
    """After enough passes, twenty sentences are parsed correctly; non-projective arcs only by swap systems."""
    treebank = read(GOLD)
    parsed = parse_treebank(train(treebank, Recipe(system, beam=beam, schedule=Schedule(12, 8, 1))), treebank)
    assert las(treebank, parsed) > (99 if system.startswith("swap") else 97)


def test_swap_systems_learn_crossing_arcs() -> None:
    """On a tree that no projective system can derive."""
    crossing = build(
        [["a", "hearing", "is", "on", "it"]] * 3, [[2, 3, 0, 2, 4]] * 3, [["det", "s", "root", "n", "p"]] * 3
    )
    for system, right in (("swap-eager", True), ("swap-lazy", True), ("arc-standard", False), ("arc-eager", False)):
        parsed = parse_treebank(train(crossing, Recipe(system, beam=1, schedule=Schedule(15, 0, 1))), crossing)
        assert (parsed.heads.tolist() == crossing.heads.tolist()) == right


def test_every_update_rewards_as_much_as_it_punishes() -> None:
    """The weights of a feature sum to 0 over classes, since a mistake raises one and lowers another."""
    treebank = read(GOLD)
    labels = np.unique(treebank.relations.codes, return_inverse=True)[1].astype(np.int32)
    columns = columns_of(treebank, wording.templates_for("swap-lazy").values())
    trees = Trees(columns, treebank.sentence_starts, treebank.local_heads(), labels)
    names = tuple(map(str, range(int(labels.max()) + 1)))
    root = int(labels[treebank.heads < 0][0])
    model = Model("swap-lazy", names, root, wording.templates_for("swap-lazy"), 1, {}, {})
    passes = train_transitions(trees, model, Schedule(2, 0, 1), 0)
    for tables in list(passes):
        for table in tables:
            assert np.abs(table).max() > 0.1
            assert np.allclose(table.sum(axis=1), 0, atol=1e-3)


# Determinism


def test_the_same_seed_gives_the_same_weights() -> None:
    """Another seed gives other weights."""
    treebank = read(GOLD)
    one, same, other = (train(treebank, Recipe(beam=2, schedule=QUICK, seed=seed)) for seed in (5, 5, 6))
    assert all(np.array_equal(one.tables[name], same.tables[name]) for name in one.tables)
    assert not np.array_equal(one.tables["actions"], other.tables["actions"])


def test_sentences_do_not_influence_one_another() -> None:
    """Each sentence is parsed as if it were alone."""
    treebank = read(GOLD)
    model = train(treebank, Recipe(beam=4, schedule=QUICK))
    whole = parse_treebank(model, treebank)
    alone = [parse_treebank(model, treebank[i : i + 1]).local_heads().tolist() for i in range(len(treebank))]
    assert [head for heads in alone for head in heads] == whole.local_heads().tolist()


# Relations, development, errors


def test_relations_with_and_without_subtypes() -> None:
    """Universal relations by default; full relations if requested."""
    treebank = build([["a", "b"]], [[0, 1]], [["root", "acl:relcl"]])
    assert train(treebank, Recipe(schedule=QUICK)).relations == ("root", "acl")
    assert train(treebank, Recipe(schedule=QUICK, relations="full")).relations == ("root", "acl:relcl")


def test_the_best_pass_on_development_data_is_kept() -> None:
    """Progress reports the scores of each pass, and training stops when they no longer improve."""
    treebank, reports = read(GOLD), []
    model = train(
        treebank[:15], Recipe(beam=1, schedule=Schedule(30, 0, 1)), dev=treebank[15:], progress=reports.append
    )
    assert len(reports) < 30
    best = max(report.las for report in reports)
    assert las(treebank[15:], parse_treebank(model, treebank[15:])) == pytest.approx(100 * best)


def test_an_unknown_parser_and_nothing_to_learn_from() -> None:
    """The errors have slugs."""
    with pytest.raises(InputError, match="swap-lazy") as caught:
        train(read(GOLD), Recipe("swap-lasy"))
    assert caught.value.slug == "unknown-parser"
    with pytest.raises(InputError) as caught:
        train(read(GOLD)[:0])
    assert caught.value.slug == "nothing-to-train-on"
    assert set(TRANSITION_SYSTEMS) <= set(PARSERS)


# Hostile input


@pytest.fixture(scope="module")
def long() -> Treebank:
    """One sentence of more words than 16 bits can count."""
    n = 70_000
    return build([["a", "b"] * (n // 2)], [[0] + [1] * (n - 1)], [["root"] + ["dep"] * (n - 1)])


@EACH_SYSTEM
def test_a_sentence_of_seventy_thousand_words(system: str, long: Treebank) -> None:
    """The cost of a transition does not depend on its position."""
    model = train(read(GOLD), Recipe(system, beam=2, schedule=QUICK))
    assert (parse_treebank(model, long).heads < 0).sum() == 1


@pytest.fixture(scope="module")
def both(long: Treebank) -> Treebank:
    """A treebank whose tenth sentence is the long one."""
    treebank = read(GOLD)
    return from_conllu(to_conllu(treebank[:9]) + to_conllu(long) + to_conllu(treebank[9:]), name="both")


@pytest.mark.parametrize(
    ("system", "beam"), [(system, 1 if i % 2 else 4) for i, system in enumerate(TRANSITION_SYSTEMS)]
)
def test_training_leaves_long_sentences_out(system: str, beam: int, long: Treebank, both: Treebank) -> None:
    """Training time grows with the square of the length; the model is that of the other sentences."""
    treebank = read(GOLD)
    model = train(both, Recipe(system, beam=beam, schedule=QUICK))
    alone = train(treebank, Recipe(system, beam=beam, schedule=QUICK))
    assert all(np.array_equal(model.tables[name], alone.tables[name]) for name in alone.tables)
    (warning,) = long_training_warnings(both, system)
    assert (warning.slug, warning.severity, warning.place.sentence, warning.count) == (
        "long-sentence",
        "warning",
        10,
        1,
    )
    assert f"70000 words; {system} does not learn from more than {LONGEST_LEARNED}" in warning.message
    assert long_training_warnings(treebank, system) == long_training_warnings(both, "udpipe") == ()
    with pytest.raises(InputError, match="all sentences have more than 2000 words"):
        train(long, Recipe(system))


@EACH_SYSTEM
def test_long_sentences_are_parsed_without_the_beam(system: str) -> None:
    """They are parsed greedily with the same weights; other sentences, up to the limit, with the beam."""
    draw, words = Random(5), read(GOLD).forms
    sizes = [7, LONGEST_SEARCHED + 1, LONGEST_SEARCHED + 2, 9, LONGEST_SEARCHED, 8, LONGEST_SEARCHED + 3]
    treebank = build(
        [[draw.choice(words) for _ in range(n)] for n in sizes],
        [list(range(n)) for n in sizes],
        [["root"] + ["x"] * (n - 1) for n in sizes],
    )
    model = arbitrary_model(1, system, 3)
    found, greedy = parse_treebank(model, treebank), parse_treebank(replace(model, beam=1), treebank)
    differ = [
        i
        for i, (start, end) in enumerate(pairwise(treebank.sentence_starts.tolist()))
        if (found.local_heads()[start:end] != greedy.local_heads()[start:end]).any()
    ]
    short = [i for i, n in enumerate(sizes) if n <= LONGEST_SEARCHED]
    assert 4 in differ
    assert set(differ) <= set(short)
    searched = treebank.select(np.isin(np.arange(len(sizes)), short))
    rows = np.isin(treebank.sentence_of_word, short)
    expected = parse_treebank(model, searched)
    assert found.local_heads()[rows].tolist() == expected.local_heads().tolist()
    assert [label for label, row in zip(found.relations, rows) if row] == list(expected.relations)
    (warning,) = long_parsing_warnings(treebank, system, 3)
    assert (warning.slug, warning.severity, warning.place.sentence, warning.count) == ("long-sentence", "warning", 2, 3)
    assert f"5001 words, more than 5000; {system} parses it greedily, without its beam" in warning.message
    assert long_parsing_warnings(treebank, system, 1) == long_parsing_warnings(searched, system, 3) == ()
    assert long_parsing_warnings(treebank, "udpipe", 4) == ()
    assert [longest_with_beam(beam) for beam in (2, 40, 41, 1024)] == [5000, 5000, 4878, 195]
    (warning,) = long_parsing_warnings(treebank, system, 50)
    assert f"5001 words, more than 4000; {system} parses it greedily" in warning.message


def test_the_longest_sentence_that_is_learned_from() -> None:
    """One word more is too long, for every parser."""
    for parser in PARSERS:
        n = LONGEST_WHOLE if parser in GRAPH_PARSERS else LONGEST_LEARNED
        two = build(
            [["a"] * n, ["a"] * (n + 1)], [[0] + [1] * (n - 1), [0] + [1] * n],
            [["root"] + ["x"] * (n - 1), ["root"] + ["y"] * n],
        )  # fmt: skip
        assert len(long_training_warnings(two, parser)) == 1
        assert train(two, Recipe(parser, beam=1, schedule=Schedule(1, 1, 1))).relations == ("x", "root")


def test_words_like_none_in_training() -> None:
    """Unknown tags, empty or absurd FEATS, forms of one odd character."""
    model = train(read(GOLD), Recipe(schedule=QUICK))
    odd = build(
        [["\U0001f9ff", "\u202e", "ß" * 1000]], [[0, 1, 1]], [["root", "dep", "dep"]],
        upos=[["FOO", "_", "|"]], feats=[["|", "=", "|".join(f"A{i}={i}" for i in range(5000))]],
    )  # fmt: skip
    assert (parse_treebank(model, odd).heads < 0).sum() == 1


def test_a_treebank_with_one_word_or_one_relation() -> None:
    """The smallest possible treebanks."""
    one = build([["a"]], [[0]], [["root"]])
    for beam in (1, 3):
        for system in TRANSITION_SYSTEMS:
            parsed = parse_treebank(train(one, Recipe(system, beam=beam, schedule=QUICK)), one)
            assert (parsed.heads.tolist(), list(parsed.relations)) == ([-1], ["root"])
            same = build([["a", "b", "c"]], [[2, 0, 2]], [["root", "root", "root"]])
            assert parse_treebank(train(same, Recipe(system, beam=beam, schedule=QUICK)), same).n_words == 3


def test_a_sentence_whose_swaps_are_many() -> None:
    """Training ends even if nearly all arcs of a tree cross."""
    n = 60
    heads = [0] + [i + 2 if i + 2 <= n else 1 for i in range(2, n + 1)]
    tangled = build([["w"] * n], [heads], [["root"] + ["dep"] * (n - 1)])
    for system in TRANSITION_SYSTEMS:
        assert train(tangled, Recipe(system, beam=2, schedule=QUICK)).parser == system


# Templates


@pytest.mark.parametrize(
    "text", ["", "s9.form", "s0.nothing", "s0", "h.form", "s0.feat s1.feat b0.feat", "between s0.feat"]
)
def test_templates_that_mean_nothing(text: str) -> None:
    """They are rejected when compiled."""
    with pytest.raises(ValueError, match=r"."):
        wording.compiled(text, arcs=False)


def test_templates_about_arcs() -> None:
    """They have other positions than templates about configurations."""
    assert len(wording.compiled("h.form | d.upos between | d.feat h.feat", arcs=True)[-1]) == 3
    with pytest.raises(ValueError, match=r"s0\.form"):
        wording.compiled("s0.form", arcs=True)


# Real treebanks


def test_a_real_treebank(data: Path) -> None:
    """Hungarian of UD 2.0, greedy: above the paper's 77.34 (development/parser-experiments.md has the whole table)."""
    gold = read(data / "ud/r2.0/hu-ud-dev.conllu.xz")
    model = train(read(data / "ud/r2.0/hu-ud-train.conllu.xz"), Recipe(beam=1))
    assert las(gold, parse_treebank(model, gold)) > 77.34


@pytest.mark.parametrize(("parser", "copies"), [("arc-standard", 300), ("graph", 30)])
def test_kernels_can_be_interrupted(parser: str, copies: int) -> None:
    """Between two sentences, not only at the end of the treebank."""
    source = read(GOLD)
    model = train(source, Recipe(parser, beam=1, schedule=QUICK))
    treebank = from_conllu(to_conllu(source) * copies)

    def stop(*_: object) -> None:
        raise InterruptedError

    def seconds() -> float:
        start = time.process_time()
        parse_columns(model, columns, treebank.sentence_starts)
        return time.process_time() - start

    columns = columns_of(treebank, model.templates.values())
    _, whole, start = seconds(), seconds(), time.process_time()
    before = signal.signal(signal.SIGPROF, stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, whole / 20)
        with pytest.raises(InterruptedError):
            seconds()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert time.process_time() - start < whole / 2
