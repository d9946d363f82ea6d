"""Graph-based parsers: decoders compared with all trees, single-rooted trees, learning, unusual input."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from levelhead import InputError, Treebank, build, from_conllu, read, score
from levelhead.kernels.graph_parser import GraphParser
from levelhead.parsing import Model, Recipe, Schedule, features as wording, parse_treebank, train
from levelhead.parsing.features import columns_of, compiled_for
from levelhead.parsing.model import GRAPH_PARSERS
from levelhead.parsing.parser_input import LONGEST_WHOLE, long_parsing_warnings
from oracle.graph_parsing import SlowGraph, projective, trees
from parsed import GOLD, las, rows_of
from strategies import SEEDS, examples, treebanks

EACH_ORDER = pytest.mark.parametrize("parser", GRAPH_PARSERS)
QUICK = Schedule(first=2, second=2, runs=1)
ALL_TREES = {n: list(trees(n)) for n in range(1, 6)}


def arbitrary_model(seed: int, parser: str, bits: int = 9) -> Model:
    """A model with random weights."""
    draw = np.random.default_rng(seed)
    tables = {
        "parts": draw.integers(-9, 10, (1 << bits, 1)).astype(np.int16),
        "labels": draw.integers(-9, 10, (1 << 8, 8)).astype(np.int16),
    }
    if parser == "graph":
        tables["relations"] = draw.integers(-9, 10, (1 << 8, 8)).astype(np.int16)
        tables["first"] = draw.integers(-9, 10, (1 << bits, 1)).astype(np.int16)
    return Model(parser, ("root", "a", "b"), 0, wording.templates_for(parser), 1, tables, {})


# Decoders


TEMPLATES = {
    "arcs": "h.form d.form",
    "siblings": "h.form d.form sib.form",
    "grandparents": "h.form d.form hh.form",
    "labels": "d.form",
    "relations": "d.form",
}
"""Words have different forms, so that each part has one feature, with an arbitrary weight."""


class ArbitraryScores:
    """A sentence, and models in which each of its parts has an arbitrary score."""

    def __init__(self, parser: str, n: int) -> None:
        self.sentence = build([[f"w{i}" for i in range(n)]], [range(n)], [["dep"] * n])
        self.words, self.rows = rows_of(self.sentence, 0, n), dict[tuple, int]()
        self.model = replace(arbitrary_model(0, parser), templates=TEMPLATES)
        self.slow = SlowGraph(self.model)

    def draw(self, seed: int, most: int) -> None:
        """Draw new scores up to a bound: a small one leads to many ties. Relations do not count."""
        draw = np.random.default_rng(seed)
        drawn = {name: draw.integers(-most, most + 1, (1 << 16, 1)).astype(np.int16) for name in ("parts", "first")}
        zero = {name: np.zeros((1 << 8, 8), np.int16) for name in ("labels", "relations")}
        tables = {name: (drawn | zero)[name] for name in self.model.tables}
        self.model = replace(self.model, tables=tables)
        self.slow = SlowGraph(self.model)

    def score(self, part: tuple) -> int:
        if part not in self.rows:
            self.rows[part] = self.slow.part_row(*part, self.words)
        return int(self.model.tables["parts"][self.rows[part], 0])

    def tree_score(self, heads: list[int]) -> int:
        return sum(map(self.score, self.slow.parts(heads)))

    def parsed(self) -> list[int]:
        return parse_treebank(self.model, self.sentence).local_heads().tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_best_spanning_tree(n: int) -> None:
    """No tree with one root has a higher score, for random scores of arcs, with and without ties."""
    scores = ArbitraryScores("graph-first-order", n)
    for number in range(60):
        scores.draw(number, 1 if number % 2 else 9999)
        found = scores.parsed()
        assert found in ALL_TREES[n]
        assert scores.tree_score(found) == max(map(scores.tree_score, ALL_TREES[n]))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_the_best_projective_tree(n: int) -> None:
    """No projective tree with one root has a higher score by arcs, siblings and grandparents, for all or few heads."""
    scores = ArbitraryScores("graph", n)
    all_trees = [heads for heads in trees(n) if projective(heads)]
    parts = {
        part: place for place, part in enumerate({part for heads in all_trees for part in scores.slow.parts(heads)})
    }
    of_trees = [[parts[part] for part in scores.slow.parts(heads)] for heads in all_trees]
    rows, places = np.repeat(np.arange(len(of_trees)), list(map(len, of_trees))), np.concatenate(of_trees)
    columns, starts = tuple(columns_of(scores.sentence, TEMPLATES.values())), scores.sentence.sentence_starts
    n_projective = 0
    for number in range(200):
        scores.draw(number, 2 if number % 2 else 9999)
        flat = tuple(table[:, 0] if table.shape[1] == 1 else table for table in scores.model.tables.values())
        tables = tuple(table.astype(kind) for table, kind in zip(flat, (np.float32, np.int16, np.float32, np.float32)))
        kernel = GraphParser(
            compiled_for("graph", TEMPLATES), tables, (), 3, 0, 8 if number % 4 < 2 else 2 + number % 3
        )
        candidates = kernel.candidates(columns, starts, np.zeros(1, np.int64)).tolist()
        found = kernel.parse(columns, starts)[0].tolist()
        values = np.array([scores.score(part) for part in parts])
        totals = np.bincount(rows, values[places], len(all_trees))
        allowed = [all(map(list.__contains__, candidates, heads)) for heads in all_trees]
        assert all(map(list.__contains__, candidates, found))
        assert scores.tree_score(found) >= totals[allowed].max()
        n_projective += found in all_trees
    assert n_projective > 50  # in which case the climb from the best projective tree changed nothing


def test_spanning_trees_of_long_sentences() -> None:
    """No change of a single head is better, with nested cycles that small matrices do not have."""
    for n in (20, 60):
        scores = ArbitraryScores("graph-first-order", n)
        scores.draw(n, 9999)
        heads = scores.parsed()
        assert heads.count(0) == 1
        for word, old in enumerate(heads, 1):
            for head in range(1, n + 1):
                if old and head != word and not below(heads, head, word):
                    assert scores.score(("arcs", head, word, None)) <= scores.score(("arcs", old, word, None))


def below(heads: list[int], lower: int, upper: int) -> bool:
    """Whether a word is below another word, or the same."""
    while lower not in (0, upper):
        lower = heads[lower - 1]
    return lower == upper


@EACH_ORDER
@settings(max_examples=examples(25))
@given(text=treebanks(max_sentences=1, max_words=4), seed=SEEDS)
def test_against_all_trees(parser: str, text: str, seed: int) -> None:
    """First order finds the best tree; second order finds one at least as good as the best projective tree."""
    treebank, model = from_conllu(text), arbitrary_model(seed, parser)
    slow, parsed = SlowGraph(model), parse_treebank(model, treebank)
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        if end - start > 4:
            continue
        words = rows_of(treebank, start, end)
        found = parsed.local_heads()[start:end].tolist()
        candidates = ALL_TREES[end - start]
        if parser == "graph":
            candidates = [heads for heads in candidates if projective(heads)]
        assert slow.tree_score(found, words) >= max(slow.tree_score(heads, words) for heads in candidates)


@settings(max_examples=examples(15))
@given(text=treebanks(max_sentences=1, max_words=6), seed=SEEDS)
def test_no_neighbor_is_better(text: str, seed: int) -> None:
    """Second order ends when no change of a single head helps (in short sentences, all heads are candidates)."""
    treebank, model = from_conllu(text), arbitrary_model(seed, "graph")
    slow, parsed = SlowGraph(model), parse_treebank(model, treebank)
    for start, end in pairwise(treebank.sentence_starts.tolist()):
        if end - start > 7:
            continue
        words = rows_of(treebank, start, end)
        found = parsed.local_heads()[start:end].tolist()
        best = slow.tree_score(found, words)
        for word, old in enumerate(found, 1):
            for head in range(1, len(found) + 1):
                if old and not below(found, head, word):
                    changed = [*found[: word - 1], head, *found[word:]]
                    assert slow.tree_score(changed, words) <= best


# What always holds


@EACH_ORDER
@settings(max_examples=examples(20))
@given(text=treebanks(), seed=SEEDS)
def test_one_root_always(parser: str, text: str, seed: int) -> None:
    """For any weights, the tree has one root, and only the root has the relation root."""
    parsed = parse_treebank(arbitrary_model(seed, parser), from_conllu(text))
    parsed.replace(heads=parsed.heads.tolist())  # refuses anything that is not a tree
    roots = parsed.heads < 0
    assert roots.sum() == len(parsed)
    assert [relation == "root" for relation in parsed.relations] == roots.tolist()


@EACH_ORDER
def test_learning_by_heart(parser: str) -> None:
    """After enough passes, twenty sentences are parsed correctly."""
    treebank = read(GOLD)
    assert las(treebank, parse_treebank(train(treebank, Recipe(parser, schedule=Schedule(10, 8, 1))), treebank)) > 99


@EACH_ORDER
def test_crossing_arcs_are_learned(parser: str) -> None:
    """On a tree that no projective parser can predict."""
    crossing = build(
        [["a", "hearing", "is", "on", "it"]] * 3, [[2, 3, 0, 2, 4]] * 3, [["det", "s", "root", "n", "p"]] * 3
    )
    parsed = parse_treebank(train(crossing, Recipe(parser, schedule=Schedule(10, 10, 1))), crossing)
    assert parsed.heads.tolist() == crossing.heads.tolist()


def test_relations_speak_for_arcs() -> None:
    """Without the weights of arcs, those of relations still find most heads; without both, few are found."""
    treebank = read(GOLD)
    model = train(treebank, Recipe("graph", schedule=Schedule(4, 4, 1)))
    right = []
    for cleared in (["parts"], ["parts", "relations"]):
        tables = dict(model.tables) | {name: np.zeros_like(model.tables[name]) for name in cleared}
        parsed = parse_treebank(replace(model, tables=tables), treebank)
        right.append((parsed.heads == treebank.heads).mean())
    assert right[0] > 0.6 > 0.5 > right[1]


def test_labels_win_by_a_margin() -> None:
    """The weights of an arc's label rise by one with each pass, until it wins by 150, and then no more."""
    pair = build([["a", "b"]], [[0, 1]], [["root", "right"]])
    wordings = [
        wording.templates_for("graph-first-order")[part] for part in ("arcs", "siblings", "grandparents", "labels")
    ]
    tables = np.zeros(1 << 14, np.float32), np.zeros((1 << 18, 8), np.int16)
    sums = tuple(np.zeros(table.shape, np.float32) for table in tables)
    kernel = GraphParser(tuple(wording.compiled(text, arcs=True) for text in wordings), tables, sums, 3, 0, 8)
    arguments = (np.array([0, 1], np.int32), np.array([0, 2], np.int32), np.zeros(1, np.int64))  # labels 0 and 2
    columns = tuple(columns_of(pair, wordings))
    templates = (text.strip() for line in wordings[3].split("\n") for text in line.split("|") if text.strip())
    plain = [text for text in templates if "between" not in text and ".feat " not in text + " "]
    needed = 150 // (2 * len(plain)) + 1  # each update changes the difference by two for each feature
    for number in range(1, 2 * needed + 2):
        kernel.train(columns, pair.sentence_starts, *arguments, np.zeros((1, 8), np.int32), 1.0, 1.0, 0.1)
        weight = min(number, needed)
        assert np.unique(tables[1][:, 2]).tolist() == [0, weight]
        assert np.unique(tables[1][:, 1]).tolist() == [-weight, 0]
    assert needed > 1


@EACH_ORDER
def test_the_same_seed_gives_the_same_weights(parser: str) -> None:
    """Another seed gives other weights; sentences are parsed as if they were alone."""
    treebank = read(GOLD)
    one, same, other = (train(treebank, Recipe(parser, schedule=QUICK, seed=seed)) for seed in (5, 5, 6))
    assert all(np.array_equal(one.tables[name], same.tables[name]) for name in one.tables)
    assert not np.array_equal(one.tables["parts"], other.tables["parts"])
    whole = parse_treebank(one, treebank).local_heads().tolist()
    alone = [parse_treebank(one, treebank[i : i + 1]).local_heads().tolist() for i in range(len(treebank))]
    assert [head for heads in alone for head in heads] == whole


def test_several_runs_and_early_stopping() -> None:
    """The averages of runs are averaged; the best pass on development data is kept."""
    treebank, reports = read(GOLD), []
    model = train(
        treebank[:15], Recipe("graph", schedule=Schedule(2, 20, 2)), dev=treebank[15:], progress=reports.append
    )
    assert len(reports) < 40
    best = max(report.las for report in reports)
    assert score(treebank[15:], parse_treebank(model, treebank[15:]))["LAS"].value == pytest.approx(100 * best)
    runs = train(treebank, Recipe("graph", schedule=Schedule(1, 1, 2)))
    assert not np.array_equal(
        runs.tables["parts"], train(treebank, Recipe("graph", schedule=Schedule(1, 1, 1))).tables["parts"]
    )


# Hostile input


@EACH_ORDER
def test_very_long_sentences(parser: str) -> None:
    """They are parsed in pieces, with one root; learning leaves them out, which is an error if there are no others."""
    treebank = read(GOLD)
    model = train(treebank, Recipe(parser, schedule=Schedule(1, 1, 1)))
    n = 3 * LONGEST_WHOLE + 7
    long = build([["a", "b"], ["word"] * n, ["c"]], [[0, 1], [0] + [1] * (n - 1), [0]],
                 [["root", "dep"], ["root"] + ["dep"] * (n - 1), ["root"]])  # fmt: skip
    parsed = parse_treebank(model, long)
    parsed.replace(heads=parsed.heads.tolist())
    assert ((parsed.heads < 0) == [relation == "root" for relation in parsed.relations]).all()
    assert (parsed.heads < 0).sum() == 3
    assert train(long, Recipe(parser, schedule=QUICK)).relations == ("root", "dep")
    with pytest.raises(InputError) as caught:
        train(long[1:2], Recipe(parser, schedule=QUICK))
    assert caught.value.slug == "nothing-to-train-on"


@pytest.mark.slow
def test_twelve_thousand_words() -> None:
    """One flat sentence; the scores of all its arcs and pairs of arcs would take gigabytes."""
    n = 12_000
    flat = build([["word"] * n], [[0] + [1] * (n - 1)], [["root"] + ["dep"] * (n - 1)])
    parsed = parse_treebank(arbitrary_model(1, "graph"), flat)
    parsed.replace(heads=parsed.heads.tolist())
    assert (parsed.heads < 0).sum() == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parser", "n", "piece"),
    [
        ("graph", LONGEST_WHOLE + 1, LONGEST_WHOLE),
        ("graph-first-order", 1000, LONGEST_WHOLE),
        ("graph", 2001, 50),
        ("graph-first-order", 5003, 50),
    ],
)
def test_pieces_of_long_sentences(parser: str, n: int, piece: int) -> None:
    """Each has the tree of a separate sentence, with its root attached to the first root; a warning reports this."""
    draw, words = Random(n), read(GOLD)
    rows = [draw.randrange(words.n_words) for _ in range(n)]
    forms, tags = [words.forms[row] for row in rows], [words.upos[row] for row in rows]

    def cut(size: int) -> Treebank:
        sizes = [min(size, n - start) for start in range(0, n, size)]
        ends = np.cumsum(sizes).tolist()
        return build(
            [forms[end - k : end] for end, k in zip(ends, sizes)],
            [list(range(k)) for k in sizes],
            [["root"] + ["x"] * (k - 1) for k in sizes],
            upos=[tags[end - k : end] for end, k in zip(ends, sizes)],
        )

    model = arbitrary_model(3, parser)
    whole, parts = parse_treebank(model, cut(n)), parse_treebank(model, cut(piece))
    first = int(np.flatnonzero(parts.heads < 0)[0])
    expected = np.where(parts.heads < 0, first, parts.heads)
    expected[first] = -1
    assert whole.heads.tolist() == expected.tolist()
    (warning,) = long_parsing_warnings(cut(n), parser, 1)
    assert f"the sentence has {n} words, more than 500; {parser} parses it in pieces of {piece}" in warning.message
    assert long_parsing_warnings(cut(piece), parser, 1) == ()


@EACH_ORDER
def test_words_like_none_in_training(parser: str) -> None:
    """Unknown tags, empty or absurd FEATS; a treebank with one word, or one relation."""
    model = train(read(GOLD), Recipe(parser, schedule=QUICK))
    odd = build(
        [["\U0001f9ff", "\u202e", "ß" * 1000]], [[0, 1, 1]], [["root", "dep", "dep"]],
        upos=[["FOO", "_", "|"]], feats=[["|", "=", "|".join(f"A{i}={i}" for i in range(5000))]],
    )  # fmt: skip
    assert (parse_treebank(model, odd).heads < 0).sum() == 1
    for sentence in (build([["a"]], [[0]], [["root"]]), build([["a", "b", "c"]], [[2, 0, 2]], [["root"] * 3])):
        parsed = parse_treebank(train(sentence, Recipe(parser, schedule=QUICK)), sentence)
        assert list(parsed.relations) == list(sentence.relations)


@settings(max_examples=examples(10))
@given(seed=SEEDS, n=st.integers(9, 40))
def test_many_words_with_few_candidates(seed: int, n: int) -> None:
    """There is always a tree, even if not every head is a candidate."""
    sentence = build([[f"w{i}" for i in range(n)]], [[0] + [1] * (n - 1)], [["root"] + ["dep"] * (n - 1)])
    parsed = parse_treebank(arbitrary_model(seed, "graph"), sentence)
    parsed.replace(heads=parsed.heads.tolist())
    assert (parsed.heads < 0).sum() == 1
