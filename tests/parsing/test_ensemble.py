"""The ensemble: votes, trees with one root, model files, and better scores than its parts."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conftest import EXAMPLES
from levelhead import InputError, Treebank, from_conllu, read
from levelhead.parsing import (
    Ensemble,
    Model,
    Recipe,
    Report,
    Schedule,
    parse_any,
    parse_treebank,
    read_model,
    train,
)
from levelhead.parsing.features import columns_of, of_words, reading_backwards, reversed_heads
from levelhead.parsing.model import MEMBERS
from levelhead.parsing.model_file import model_bytes
from levelhead.parsing.parser_input import LONGEST_WHOLE, long_parsing_warnings, training_warnings
from levelhead.parsing.training import candidates
from parsed import GOLD, las
from strategies import SEEDS, examples, treebanks

QUICK = Schedule(first=2, second=2, runs=1)
GERMAN = EXAMPLES / "parallel/gold/de.conllu"


@pytest.fixture(scope="module")
def ensemble() -> Ensemble:
    """A quickly trained ensemble."""
    return train(read(GOLD), Recipe("ensemble", beam=2, schedule=QUICK))


def with_random_weights(model: Model, seed: int) -> Model:
    """The same parser with small tables of random weights."""
    draw = np.random.default_rng(seed)
    tables = {name: draw.integers(-9, 10, (1 << 8, table.shape[1])) for name, table in model.tables.items()}
    return replace(model, tables={name: table.astype(np.int16) for name, table in tables.items()}, margin=40)


# Reading backwards


@settings(max_examples=examples(30))
@given(text=treebanks())
def test_reading_backwards(text: str) -> None:
    """Sentences keep their order, their words are reversed, and heads stay the same words; twice changes nothing."""
    treebank = from_conllu(text)
    starts, forms, heads = treebank.sentence_starts, list(treebank.forms), treebank.local_heads()
    order, turned = reading_backwards(starts), reversed_heads(heads, starts)
    for start, end in pairwise(starts.tolist()):
        assert [forms[i] for i in order[start:end]] == forms[start:end][::-1]
        for place, word in enumerate(order[start:end].tolist()):
            head = int(turned[start + place])
            assert (int(order[start + head - 1]) if head else -1) == treebank.heads[word]
    assert reversed_heads(turned, starts).tolist() == heads.tolist()
    columns = columns_of(treebank, ["h.form | h.upos h.feat | h.suf2"])
    for once, twice in zip(columns, of_words(of_words(columns, order), order)):
        assert np.array_equal(once, twice)
    back = of_words(columns, order)
    assert back.values[2:].tolist() == columns.values[2:][order].tolist()
    for word, row in zip(order.tolist(), range(2, len(order) + 2)):
        own, other = ((c.feature_starts[r], c.feature_starts[r + 1]) for c, r in ((back, row), (columns, word + 2)))
        assert back.features[slice(*own)].tolist() == columns.features[slice(*other)].tolist()


def test_a_parser_that_reads_backwards() -> None:
    """It learns, differs from a parser that reads forward, and its model can be written."""
    treebank = read(GOLD)
    forwards, backwards = (
        train(treebank, Recipe("arc-standard", beam=1, reverse=reverse)) for reverse in (False, True)
    )
    assert las(treebank, parse_treebank(backwards, treebank)) > 99
    other = read(GERMAN)
    assert parse_treebank(forwards, other).heads.tolist() != parse_treebank(backwards, other).heads.tolist()


# Votes


def test_candidates() -> None:
    """Each head once, the most voted first, always including the previous word; then -1."""
    voted = np.array([[2, 0, 2], [0, 1, 2], [2, 0, 1]], np.int32)
    heads, votes = candidates(voted, np.array([0, 3], np.int32), (0.2, 0.3, 0.4))
    assert heads.tolist() == [[2, 0, -1, -1], [0, 1, -1, -1], [2, 1, -1, -1]]
    assert votes[:, :2].tolist() == pytest.approx(np.array([[0.6, 0.3], [0.6, 0.3], [0.5, 0.4]]))
    assert candidates(voted[:, :1], np.array([0, 1], np.int32), (0.1, 0.3, 0.1))[0].tolist() == [[0, 2, -1, -1]]


@settings(max_examples=examples(30))
@given(n=st.integers(1, 12), seed=SEEDS)
def test_candidates_of_any_votes(n: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    voted = draw.integers(0, n + 1, (4, n)).astype(np.int32)
    worth = draw.choice([0.0, 0.125, 0.25, 0.75], 4)
    heads, votes = candidates(voted, np.array([0, n], np.int32), tuple(worth))
    for word in range(n):
        kept = [head for head in heads[word].tolist() if head >= 0]
        assert sorted(kept) == sorted({*voted[:, word].tolist(), word})
        assert heads[word].tolist() == kept + [-1] * (5 - len(kept))
        sums = [worth[voted[:, word] == head].sum() for head in kept]
        assert sums == sorted(sums, reverse=True)
        assert votes[word, : len(kept)].tolist() == sums


@settings(max_examples=examples(30), deadline=None)
@given(text=treebanks(max_words=8), seed=SEEDS)
def test_trees_with_one_root_whatever_the_weights(ensemble: Ensemble, text: str, seed: int) -> None:
    models = [with_random_weights(model, seed + n) for n, model in enumerate((ensemble.graph, *ensemble.members))]
    treebank = from_conllu(text)
    parsed = parse_treebank(Ensemble(models[0], tuple(models[1:]), ensemble.votes, {}), treebank)
    again = from_conllu(levelhead.treebank.to_conllu(parsed))  # an error if a tree is not valid
    assert list(again.forms) == list(treebank.forms)


def test_members_that_agree_are_followed(ensemble: Ensemble) -> None:
    """If all members agree on a head, it is the only candidate besides the previous word."""
    treebank = read(GERMAN)
    heads = np.array([parse_treebank(member, treebank).local_heads() for member in ensemble.members])
    parsed = parse_treebank(ensemble, treebank).local_heads()
    before = candidates(heads, treebank.sentence_starts, ensemble.votes)[0]
    assert all(head in allowed for head, allowed in zip(parsed.tolist(), before.tolist()))


# Training and model files


def test_the_same_seed_gives_the_same_model(ensemble: Ensemble) -> None:
    assert model_bytes(train(read(GOLD), Recipe("ensemble", beam=2, schedule=QUICK))) == model_bytes(ensemble)
    assert model_bytes(train(read(GOLD), Recipe("ensemble", beam=2, schedule=QUICK, seed=1))) != model_bytes(ensemble)


def test_members_differ(ensemble: Ensemble) -> None:
    described = zip(ensemble.members, ensemble.votes, strict=True)
    assert tuple((member.parser, member.reverse, vote) for member, vote in described) == MEMBERS
    assert len({model_bytes(member) for member in ensemble.members}) == len(MEMBERS)
    assert repr(ensemble).startswith(f"<Ensemble: {len(MEMBERS)} members")


def test_round_trip_of_a_file(ensemble: Ensemble, tmp_path: Path) -> None:
    path = tmp_path / "model"
    levelhead.parsing.write_model(ensemble, path)
    again = read_model(path)
    assert isinstance(again, Ensemble)
    assert model_bytes(again) == path.read_bytes()
    words = read(GERMAN)
    parsed, expected = levelhead.parse(path, words), parse_treebank(ensemble, words)
    assert parsed.heads.tolist() == expected.heads.tolist()
    assert list(parsed.relations) == list(expected.relations)


@pytest.mark.parametrize("part", ["start", "middle", "end"])
def test_damaged_files_are_refused(part: str, ensemble: Ensemble, tmp_path: Path) -> None:
    data = bytearray(model_bytes(ensemble))
    data[{"start": 60, "middle": len(data) // 2, "end": -40}[part]] ^= 1
    (tmp_path / "model").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_model(tmp_path / "model")
    assert caught.value.slug == "damaged-model"


def test_other_members_are_refused(ensemble: Ensemble, tmp_path: Path) -> None:
    """Reading checks that the members and their votes can be used for parsing."""
    graph, members, votes = ensemble.graph, ensemble.members, ensemble.votes
    changed = {
        "no graph": replace(ensemble, graph=members[0]),
        "graph twice": replace(ensemble, members=(graph, *members[1:])),
        "only graph": replace(ensemble, members=(), votes=()),
        "first order": replace(ensemble, graph=replace(graph, parser="graph-first-order")),
        "backwards": replace(ensemble, graph=replace(graph, reverse=True)),
        "too many": replace(ensemble, members=members * 8, votes=votes * 8),
        "votes missing": replace(ensemble, votes=votes[1:]),
        "a vote too many": replace(ensemble, votes=(*votes, 0.1)),
        "votes against": replace(ensemble, votes=(-0.1, *votes[1:])),
        "more than a margin": replace(ensemble, votes=(1.5, *votes[1:])),
        "not a number": replace(ensemble, votes=(float("nan"), *votes[1:])),
        "true": replace(ensemble, votes=(True, *votes[1:])),
        "a word": replace(ensemble, votes=("0.1", *votes[1:])),
    }
    for wrong, model in changed.items():
        (tmp_path / "model").write_bytes(model_bytes(model))
        with pytest.raises(InputError) as caught:
            read_model(tmp_path / "model")
        assert caught.value.slug == "damaged-model", wrong


def test_too_many_relations_are_refused() -> None:
    """The error is raised before the file is written, not when it is read."""
    words = "".join(f"{n}\tw\tw\tNOUN\t_\t_\t{n - 1}\t{'root' if n == 1 else f'r{n}'}\t_\t_\n" for n in range(1, 451))
    treebank = from_conllu(words + "\n")
    with pytest.raises(InputError) as caught:
        train(treebank.select([0] * 800), Recipe("ensemble", beam=1, schedule=Schedule(0, 0, 1)))
    assert caught.value.slug == "model-too-large"


def test_progress_and_development_data() -> None:
    """Every pass of every parser is reported once, in order, with scores if there is development data."""
    reports: list[Report] = []
    recipe = Recipe("ensemble", beam=1)
    trained = train(read(GOLD), recipe, dev=read(GERMAN), progress=reports.append)
    assert isinstance(trained, Ensemble)
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    assert all(report.done <= report.passes and report.las is not None for report in reports)


@pytest.mark.parametrize("parser", ["swap-lazy", "graph", "ensemble", "baseline-right"])
def test_with_dev(parser: str) -> None:
    """The final model learns from both treebanks, for the best number of passes; nothing else changes it."""
    gold, dev = read(GOLD), read(GERMAN)
    alone = train(gold, Recipe(parser, beam=1), dev=dev)
    both = train(gold, Recipe(parser, beam=1), dev=dev, with_dev=True)
    assert alone.training["words"] == gold.n_words
    assert both.training["words"] == gold.n_words + dev.n_words
    if not parser.startswith("baseline"):
        assert las(dev, parse_any(both, dev).treebank) > las(dev, parse_any(alone, dev).treebank) + 5
    again = train(gold, Recipe(parser, beam=1), dev=dev, with_dev=True)
    assert model_bytes(again) == model_bytes(both)


def test_passes_of_the_final_model() -> None:
    """The number of the best pass on the development treebank, here the first, since all words are unknown."""
    gold, dev = read(GOLD), read(GERMAN)
    reports: list[Report] = []
    train(gold, Recipe("swap-lazy", beam=1), dev=dev, with_dev=True, progress=reports.append)
    scores = [report.las or 0 for report in reports if report.las is not None]
    final = [report for report in reports if report.las is None]
    assert len(final) == scores.index(max(scores)) + 1


def test_with_dev_requires_dev() -> None:
    with pytest.raises(InputError, match="with_dev"):
        levelhead.train(GOLD, "swap-lazy", with_dev=True)


# What else holds for other parsers


def test_function_heads_and_full_relations(tmp_path: Path) -> None:
    treebank = read(GOLD)
    for options in ({"heads": "function"}, {"relations": "full"}):
        model = levelhead.train(treebank, "ensemble", beam=1, **options)
        levelhead.parsing.write_model(model, tmp_path / "model")
        assert las(treebank, levelhead.parse(tmp_path / "model", treebank)) > 95


def test_long_sentences(ensemble: Ensemble) -> None:
    """They are parsed in pieces, with a warning, and not learned from."""
    long, short = one_sentence(LONGEST_WHOLE + 1), one_sentence(LONGEST_WHOLE)
    assert [fault.slug for fault in long_parsing_warnings(long, "ensemble", 4)] == ["long-sentence"]
    assert "long-sentence" in [fault.slug for fault in training_warnings(long, "ensemble")]
    assert not long_parsing_warnings(short, "ensemble", 4)
    parsed = parse_treebank(ensemble, long)
    assert np.count_nonzero(parsed.heads < 0) == 1
    levelhead.from_conllu(levelhead.treebank.to_conllu(parsed))
    with pytest.raises(InputError) as caught:
        train(long, Recipe("ensemble"))
    assert caught.value.slug == "nothing-to-train-on"


def one_sentence(n: int) -> Treebank:
    """A sentence with this number of words."""
    lines = (f"{i}\tw{i % 7}\tw\tNOUN\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i in range(1, n + 1))
    return from_conllu("".join(lines) + "\n")


def test_nothing_to_parse(ensemble: Ensemble) -> None:
    empty = read(GOLD).select([])
    assert parse_treebank(ensemble, empty).n_words == 0


@pytest.mark.data
@pytest.mark.slow
def test_better_than_its_parts(data: Path) -> None:
    """On real trees, by more than a point (Hungarian of UD 2.0)."""
    folder = data / "ud/r2.0"
    parts = {"train": 120, "dev": 80}
    treebank, dev = (read(folder / f"hu-ud-{part}.conllu.xz").select(range(n)) for part, n in parts.items())
    model = train(treebank, Recipe("ensemble", schedule=Schedule(first=2, second=2, runs=1)))
    universal = dev.replace(relations=[name.partition(":")[0] for name in dev.relations])
    together = las(universal, parse_treebank(model, dev))
    apart = [las(universal, parse_treebank(part, dev)) for part in (model.graph, *model.members)]
    assert together > max(apart) + 1
