"""Warnings about words without UPOS, in training and in parsing."""

from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli.program import run
from levelhead.parsing import (
    Baseline,
    ExternalModel,
    Recipe,
    parsing_warnings,
    read_model,
    train,
    training_warnings,
    write_model,
)
from levelhead.treebank import Treebank, from_conllu, read, to_conllu

GOLD = EXAMPLES / "parallel/gold/en.conllu"


def without_tags(treebank: Treebank, *, first: int = 0) -> Treebank:
    """The treebank, without the tags of all words after the first ones."""
    return treebank.replace(upos=[tag if i < first else "_" for i, tag in enumerate(treebank.upos)])


@pytest.fixture(scope="module")
def gold() -> Treebank:
    return read(GOLD)


@pytest.mark.parametrize("parser", ["swap-lazy", "graph", "ensemble", "baseline-left", "udpipe", "malt"])
def test_training_words_without_tags_are_counted(parser: str, gold: Treebank) -> None:
    n = gold.n_words
    (warning,) = training_warnings(without_tags(gold, first=5), parser)
    assert (warning.slug, warning.severity) == ("missing-tags", "warning")
    assert f"{n - 5} of {n} words have no UPOS tag" in warning.message
    assert (warning.place.sentence, warning.place.word) == (1, "6")
    (warning,) = training_warnings(without_tags(gold, first=n - 1), parser)
    assert f"1 of {n} words has no UPOS tag" in warning.message
    assert training_warnings(gold, parser) == ()


def test_nothing_is_known_about_the_program_of_command(gold: Treebank) -> None:
    untagged = without_tags(gold)
    assert training_warnings(untagged, "command") == ()
    assert parsing_warnings(untagged, ExternalModel("command", b"", {"words": 5}, None)) == ()


def test_parsing_warns_only_if_the_model_learned_from_tags(tmp_path: Path, gold: Treebank) -> None:
    """Which models did is part of their files; models of tagged treebanks have no such entry."""
    untagged = without_tags(gold)
    for number, (source, warns) in enumerate(((gold, True), (without_tags(gold, first=5), True), (untagged, False))):
        path = tmp_path / str(number)
        write_model(train(source, Recipe("baseline-left")), path)
        model = read_model(path)
        assert isinstance(model, Baseline)
        assert ("untagged" in model.training) == (number > 0)
        assert [fault.slug for fault in parsing_warnings(untagged, model)] == ["missing-tags"] * warns
        assert parsing_warnings(gold, model) == ()


def test_commands_warn_and_write_their_results(
    tmp_path: Path, gold: Treebank, capsys: pytest.CaptureFixture[str]
) -> None:
    untagged = tmp_path / "untagged.conllu"
    untagged.write_bytes(to_conllu(without_tags(gold)))
    told = f"{gold.n_words} of {gold.n_words} words have no UPOS tag, but "
    for source, test, warnings in ((untagged, GOLD, [True, False]), (GOLD, untagged, [False, True])):
        for words, command in zip(
            warnings, (["train", "baseline-left", source, tmp_path / "model"], ["parse", tmp_path / "model", test])
        ):
            assert run([str(part) for part in command]) == 0
            out, err = capsys.readouterr()
            assert (told in err) == words
    assert len(from_conllu(out)) == len(gold)
    assert run(["crossval", "baseline-left", str(untagged), "--folds", "2"]) == 0
    assert capsys.readouterr().err.count(told) == 1
