"""Baselines: their heads, uniformly random trees, relations by tag, and the same commands as for parsers."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest

import levelhead
from conftest import EXAMPLES, library, script
from levelhead import InputError, Treebank, from_conllu, read
from levelhead.cli.program import run
from levelhead.jobs import processes
from levelhead.parsing import BASELINES, Baseline, Recipe, cross_validate, parse_any, read_model, train, write_model
from levelhead.parsing.any_parser import random_projective_tree, random_tree
from levelhead.parsing.model_file import model_bytes
from levelhead.treebank import to_conllu

GOLD = EXAMPLES / "parallel/gold/en.conllu"
EACH = pytest.mark.parametrize("parser", BASELINES)
Heads = tuple[int, ...]


def conllu(*sentences: str) -> Treebank:
    """Sentences whose words are written as FORM/UPOS/HEAD/DEPREL."""
    lines: list[str] = []
    for sentence in sentences:
        for number, word in enumerate(sentence.split(), 1):
            form, tag, head, relation = word.split("/")
            lines.append(f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n")
        lines.append("\n")
    return from_conllu("".join(lines).encode())


def heads_of(treebank: Treebank) -> list[Heads]:
    """The heads of each sentence."""
    heads, starts = treebank.local_heads().tolist(), treebank.sentence_starts.tolist()
    return [tuple(heads[start:end]) for start, end in zip(starts, starts[1:])]


def is_tree(heads: Heads) -> bool:
    """Whether there is one root that dominates all words."""
    reached = {0}
    for _ in heads:
        reached |= {word for word, head in enumerate(heads, 1) if head in reached}
    return heads.count(0) == 1 and len(reached) == len(heads) + 1


def is_projective(heads: Heads) -> bool:
    """Whether no two arcs cross, including the root's, which comes from before the sentence."""
    arcs = [tuple(sorted(arc)) for arc in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


@cache
def every_tree(n_words: int) -> list[Heads]:
    """All trees, projective or not."""
    return [heads for heads in product(range(n_words + 1), repeat=n_words) if is_tree(heads)]


def population(parser: str, n_words: int) -> list[Heads]:
    """The trees from which a baseline draws."""
    every = every_tree(n_words)
    return every if parser == "baseline-random" else [heads for heads in every if is_projective(heads)]


def p_of_uniform(drawn: Counter[Heads], trees: list[Heads]) -> float:
    """The p-value of the chi-square test that all trees are equally likely."""
    assert set(drawn) == set(trees)
    expected = drawn.total() / len(trees)
    return float(
        library("scipy.stats").chi2.sf(sum((drawn[tree] - expected) ** 2 / expected for tree in trees), len(trees) - 1)
    )


# Trees


@pytest.mark.parametrize(("n_words", "trees", "projective"), [(2, 2, 2), (3, 9, 7), (4, 64, 30), (5, 625, 143)])
def test_random_trees_are_uniform(n_words: int, trees: int, projective: int) -> None:
    """Every tree is drawn equally often, with 80 draws per tree on average."""
    draws: dict[str, Callable[[int, Random], list[int]]] = {
        "baseline-random": random_tree, "baseline-random-projective": random_projective_tree,
    }  # fmt: skip
    for (parser, draw), n_trees in zip(draws.items(), (trees, projective), strict=True):
        expected, random = population(parser, n_words), Random(1)
        assert len(expected) == n_trees
        drawn = Counter(tuple(draw(n_words, random)) for _ in range(80 * n_trees))
        assert p_of_uniform(drawn, expected) > 0.01


@pytest.mark.parametrize("parser", BASELINES[2:])
def test_trees_of_different_sentences_are_uniform(parser: str) -> None:
    """So are the trees of a file, although each depends on the words of its sentence."""
    words = conllu(*(f"a{i}/X/0/root b/X/1/dep c/X/1/dep d/X/1/dep" for i in range(3000)))
    model = train(words, Recipe(parser))
    drawn = Counter(heads_of(parse_any(model, words).treebank))
    assert p_of_uniform(drawn, population(parser, 4)) > 0.01


@pytest.mark.parametrize("n_words", [1, 2, 50, 20_000])
def test_trees_of_any_length(n_words: int) -> None:
    """The reader would reject cycles and several roots."""
    for draw in (random_tree, random_projective_tree):
        heads = draw(n_words, Random(3))
        words = conllu(" ".join(f"x/X/{head}/dep" for head in heads))
        assert words.local_heads().tolist() == heads
    if n_words <= 50:
        assert is_projective(tuple(random_projective_tree(n_words, Random(3))))


def test_heads_of_neighbors() -> None:
    words = conllu("a/X/0/root b/X/1/dep c/X/1/dep", "a/X/0/root")
    for parser, expected in {"baseline-left": [(0, 1, 2), (0,)], "baseline-right": [(2, 3, 0), (0,)]}.items():
        assert heads_of(parse_any(train(words, Recipe(parser)), words).treebank) == expected


# The seed


@pytest.mark.parametrize("parser", BASELINES[2:])
def test_the_same_words_get_the_same_tree(parser: str) -> None:
    """The tree does not depend on earlier sentences, trees, tags or relations, but on the seed and the baseline."""
    treebank = read(GOLD)
    model = train(treebank, Recipe(parser, seed=5))
    trees = heads_of(parse_any(model, treebank).treebank)
    backwards = [treebank.select([i == row for i in range(len(treebank))]) for row in reversed(range(len(treebank)))]
    assert [heads_of(parse_any(model, one).treebank)[0] for one in backwards] == trees[::-1]
    untagged = treebank.replace(upos=["X"] * treebank.n_words, relations=["dep"] * treebank.n_words)
    assert heads_of(parse_any(train(untagged, Recipe(parser, seed=5)), untagged).treebank) == trees
    for other in (Recipe(parser, seed=6), Recipe(*(set(BASELINES[2:]) - {parser}), seed=5)):
        assert heads_of(parse_any(train(treebank, other), treebank).treebank) != trees


def test_trees_that_never_change() -> None:
    """The tree of a seed is the same on every machine and in every version of Python and numpy."""
    words = conllu("one/X/0/root two/X/1/dep three/X/1/dep four/X/1/dep five/X/1/dep six/X/1/dep")
    expected = {"baseline-random": (2, 5, 2, 2, 6, 0), "baseline-random-projective": (0, 3, 1, 6, 4, 3)}
    for parser, heads in expected.items():
        assert heads_of(parse_any(train(words, Recipe(parser, seed=1)), words).treebank) == [heads]


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("parser", BASELINES[2:])
def test_crossval_with_any_number_of_workers(parser: str) -> None:
    """The same bytes, and the trees of one model trained on everything."""
    treebank = read(GOLD)
    one = cross_validate(treebank, Recipe(parser, seed=2), folds=3).treebank
    two = cross_validate(treebank, Recipe(parser, seed=2), folds=3, workers=processes(2)).treebank
    assert to_conllu(one) == to_conllu(two)
    whole = parse_any(train(treebank, Recipe(parser, seed=2)), treebank).treebank
    assert heads_of(one) == heads_of(whole)


# Relations


def test_relations_are_the_most_frequent_of_each_tag() -> None:
    """Roots are counted separately; the first of equally frequent relations wins; unknown tags get the most frequent."""
    trees = conllu(
        "a/V/0/root b/N/1/obj c/N/1/nsubj d/D/2/det",
        "a/V/0/root b/N/1/nsubj c/D/2/det d/D/2/nmod:poss e/A/2/nmod:poss f/A/2/amod g/D/1/det",
        "a/N/0/root b/V/1/acl:relcl",
    )
    model = train(trees, Recipe("baseline-left", relations="full"))
    assert isinstance(model, Baseline)
    assert model.relations == {"N": "nsubj", "D": "det", "A": "nmod:poss", "V": "acl:relcl"}
    assert (model.root, model.other) == ("root", "det")
    universal = train(trees, Recipe("baseline-left"))
    assert isinstance(universal, Baseline)
    assert universal.relations == {"N": "nsubj", "D": "det", "A": "nmod", "V": "acl"}
    parsed = parse_any(model, conllu("x/N/0/x y/Q/1/x z/V/1/x")).treebank
    assert list(parsed.relations) == ["root", "det", "acl:relcl"]


def test_training_without_dependents() -> None:
    """Only roots: other words get `dep`."""
    parsed = parse_any(train(conllu("a/V/0/top"), Recipe("baseline-right")), conllu("a/V/0/x b/V/1/x")).treebank
    assert list(parsed.relations) == ["dep", "top"]


def test_nothing_to_learn_from() -> None:
    treebank = read(GOLD)
    with pytest.raises(InputError) as caught:
        train(treebank.select([False] * len(treebank)), Recipe("baseline-left"))
    assert caught.value.slug == "nothing-to-train-on"


def test_function_heads(tmp_path: Path) -> None:
    """Random trees count as function-head trees, and are converted back."""
    treebank = read(GOLD)
    model = train(treebank, Recipe("baseline-right", heads="function"))
    write_model(model, tmp_path / "m")
    parsed = parse_any(read_model(tmp_path / "m"), treebank).treebank
    assert heads_of(parsed) != heads_of(parse_any(train(treebank, Recipe("baseline-right")), treebank).treebank)


# Files and commands


@EACH
def test_model_files(parser: str, tmp_path: Path) -> None:
    """They are read as they were written, and parse alike."""
    treebank = read(GOLD)
    model = train(treebank, Recipe(parser, seed=2**70))
    assert isinstance(model, Baseline)
    write_model(model, tmp_path / "m")
    again = read_model(tmp_path / "m")
    assert isinstance(again, Baseline)
    assert model_bytes(again) == (tmp_path / "m").read_bytes()
    assert (again.seed, again.relations, repr(again)) == (2**70, model.relations, f"<Baseline: {parser}, 14 tags>")
    assert to_conllu(parse_any(again, treebank).treebank) == to_conllu(parse_any(model, treebank).treebank)


@pytest.mark.parametrize(
    "change",
    [
        {"relations": []}, {"relations": {"X": "a b"}}, {"relations": {"X": 1}}, {"root": ""}, {"other": "a\tb"},
        {"other": None}, {"seed": 0.5}, {"seed": None}, {"function_head": 3}, {"parser": "baseline"},
    ],
)  # fmt: skip
def test_damaged_models(change: dict[str, object], tmp_path: Path) -> None:
    """A changed description with a valid checksum is rejected."""
    fuzz = script("full/fuzz_models.py")
    parts = fuzz.taken_apart(model_bytes(train(read(GOLD), Recipe("baseline-random"))))
    (tmp_path / "m").write_bytes(fuzz.put_together(parts))
    read_model(tmp_path / "m")
    parts.description.update(change)
    (tmp_path / "m").write_bytes(fuzz.put_together(parts))
    with pytest.raises(InputError) as caught:
        read_model(tmp_path / "m")
    assert caught.value.slug == "damaged-model"
    parts = fuzz.taken_apart(model_bytes(train(read(GOLD), Recipe("baseline-random"))))
    parts.contents[:] = [b"left over"]
    (tmp_path / "m").write_bytes(fuzz.put_together(parts))
    with pytest.raises(InputError):
        read_model(tmp_path / "m")


@EACH
def test_commands(parser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`train`, `parse`, `crossval` and the library give the same trees; words without heads are parsed."""
    monkeypatch.chdir(tmp_path)
    text = GOLD.read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n")]
    bare = "\n".join(
        "\t".join([*row[:6], "_", "_", *row[8:]]) if len(row) > 1 and row[0].isdigit() else "\t".join(row)
        for row in rows
    )
    Path("words.conllu").write_text(bare, encoding="utf-8")
    assert run(["train", parser, str(GOLD), "model", "--seed", "3", "--dev", str(GOLD)]) == 0
    assert run(["parse", "model", "words.conllu", "--output", "parsed.conllu"]) == 0
    assert run(["crossval", parser, str(GOLD), "--seed", "3", "--output", "crossed.conllu", "--jobs", "1"]) == 0
    parsed = read("parsed.conllu")
    assert heads_of(parsed) == heads_of(read("crossed.conllu"))
    assert heads_of(levelhead.parse(levelhead.train(GOLD, parser, seed=3), GOLD)) == heads_of(parsed)
    assert 0 <= levelhead.score(GOLD, parsed)["LAS"].value < 50
