"""levelhead train and levelhead parse, and the model files between them."""

import contextlib
import hashlib
import lzma
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from command_line import levelhead
from conftest import EXAMPLES
from levelhead import InputError, read, score
from levelhead.cli.parsers import progress_of_passes
from levelhead.cli.program import run
from levelhead.messages import MESSAGES
from levelhead.parsing import (
    Model,
    Recipe,
    Report,
    Schedule,
    parse_treebank,
    read_model,
    read_words,
    train,
    write_model,
)
from levelhead.parsing.model_file import FORMAT, MAGIC, model_bytes
from terminal import Terminal

GOLD = EXAMPLES / "parallel/gold/en.conllu"
GERMAN = EXAMPLES / "parallel/gold/de.conllu"


@pytest.fixture(scope="module")
def model() -> Model:
    """A quickly trained parser."""
    return train(read(GOLD), Recipe(beam=2, schedule=Schedule(3, 1, 1)))


# The two verbs


def test_train_parse_and_score(tmp_path: Path) -> None:
    """From a treebank to a scored output in three commands."""
    target, output = tmp_path / "model", tmp_path / "out.conllu"
    done = levelhead("train", "swap-lazy", GOLD, target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = levelhead("parse", target, GOLD, "--output", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert score(GOLD, output, measures=["LAS"])["LAS"].value > 99
    assert levelhead("parse", target, GOLD).stdout == output.read_text(encoding="utf-8")


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """In processes of their own, whatever their hash seeds."""
    hashes = set()
    for number in range(2):
        path = tmp_path / str(number)
        environment = os.environ | {"PYTHONHASHSEED": str(number)}
        assert (
            levelhead("train", "arc-eager", GOLD, path, "--beam", "2", "--seed", "7", env=environment).returncode == 0
        )
        hashes.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(hashes) == 1


def test_only_heads_relations_and_deps_change(tmp_path: Path, model: Model) -> None:
    """Comments, multiword tokens, empty nodes, tags and MISC stay; words need no trees; DEPS becomes empty."""
    text = GERMAN.read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.split("\n")]
    for line in lines:
        if len(line) == 10 and line[0].isdigit():
            line[8] = f"{line[6]}:{line[7]}"
    lines.insert(-2, ["11.1", "e", *"_" * 6, "1:conj", "_"])
    bare = ["\t".join([*line[:6], "_", "_", *line[8:]]) if len(line) == 10 else line[0] for line in lines]
    path, packed = tmp_path / "words.conllu", tmp_path / "words.conllu.xz"
    path.write_text("\n".join(bare), encoding="utf-8")
    packed.write_bytes(lzma.compress(path.read_bytes()))
    write_model(model, tmp_path / "model")
    done = levelhead("parse", tmp_path / "model", packed)
    assert done.returncode == 0, done.stderr
    found = [line.split("\t") for line in done.stdout.split("\n")]
    assert [line[:6] + line[9:] for line in found] == [line[:6] + line[9:] for line in lines]
    deps = {line[8] for line in lines if len(line) == 10 and line[0].isdigit()}
    assert len(deps) > 20
    assert {line[8] for line in found if len(line) == 10 and line[0].isdigit()} == {"_"}
    assert [line[8] for line in found if "." in line[0] and len(line) == 10] == ["1:conj"]
    whole = tmp_path / "whole.conllu"
    whole.write_text("\n".join(map("\t".join, lines)), encoding="utf-8")
    assert levelhead("parse", tmp_path / "model", whole).stdout == done.stdout
    assert levelhead("parse", tmp_path / "model", "-", input="\n".join(bare)).stdout == done.stdout


def test_sentences_that_are_too_long_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty thousand words: left out of training with a note, and parsed, in seconds."""
    n, path, target = 20_000, tmp_path / "long.conllu", str(tmp_path / "m")
    words = "".join(f"{i}\tw\t_\tX\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i in range(1, n + 1))
    path.write_text(GOLD.read_text(encoding="utf-8") + words + "\n", encoding="utf-8")
    assert run(["train", "swap-lazy", str(path), target]) == 0
    note = "long-sentence: the sentence has 20000 words; swap-lazy does not learn from more than 2000"
    assert note in capsys.readouterr().err
    assert run(["parse", target, str(path), "-o", str(tmp_path / "out")]) == 0
    hasty = (
        "long-sentence: the sentence has 20000 words, more than 5000; swap-lazy parses it greedily, without its beam"
    )
    line = GOLD.read_text(encoding="utf-8").count("\n") + 1
    assert capsys.readouterr().err == f"warning: {path}:{line}: {hasty}\n"
    assert (read(tmp_path / "out").heads < 0).sum() == len(read(GOLD)) + 1
    capsys.readouterr()
    assert run(["train", "swap-lazy", str(GOLD), target, "--beam", "1"]) == 0
    assert run(["parse", target, str(path), "-o", str(tmp_path / "out")]) == 0
    assert "long-sentence" not in capsys.readouterr().err
    assert run(["crossval", "swap-lazy", str(path), "--folds", "2", "-j", "1", "-o", str(tmp_path / "out")]) == 0
    assert f"warning: {path}:{line}: {hasty}" in capsys.readouterr().err


def test_progress_goes_to_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """A line for each pass, with scores where there is a development treebank, and a bar."""
    command = ["train", "swap-lazy", str(GOLD), str(tmp_path / "m"), "--beam", "1", "--dev", str(GOLD)]
    assert run(command) == 0
    assert capsys.readouterr().err == ""
    terminal = on_a_terminal(monkeypatch)
    assert run(command) == 0
    lines = re.findall(r"pass (\d+) of 8: UAS [\d.]+, LAS [\d.]+", terminal.text)
    assert lines == [str(number) for number in range(1, len(lines) + 1)]
    assert len(lines) > 3
    assert re.search(r"training .*1 of 8", terminal.text)


def test_the_bar_of_training_shows_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten passes of a minute each: after four, six minutes are left."""
    terminal, now = on_a_terminal(monkeypatch), [0]
    monkeypatch.setattr("rich.console.monotonic", lambda: now[0])
    with progress_of_passes() as tell:
        for done in range(1, 5):
            now[0] += 60
            tell(Report(done, 10))
    assert "pass 4 of 10" in terminal.text
    assert "0:06:00" in terminal.text.rpartition("4 of 10")[2]


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Let standard error be a terminal, and return it."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def test_relations_with_subtypes(tmp_path: Path) -> None:
    """Learned where they are asked for."""
    for kind, subtypes in (("universal", False), ("full", True)):
        assert run(["train", "swap-lazy", str(GOLD), str(tmp_path / "m"), "--beam", "1", "--relations", kind]) == 0
        assert any(":" in relation for relation in read_model(tmp_path / "m").relations) == subtypes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "swap-lasy", GOLD, "out"], "unknown-parser: unknown parser 'swap-lasy': did you mean swap-lazy?"),
        (["train", "swap-lazy", "none.conllu", "out"], "unreadable-file"),
        (["train", "swap-lazy", GOLD, GOLD], "is an input file"),
        (["train", "swap-lazy", GOLD, "out", "--beam", "0"], "Invalid value"),
        (["train", "swap-lazy", GOLD, "none/out"], "output: the folder none does not exist"),
        (["parse", GOLD, GOLD], "not-a-model"),
        (["parse", "none", GOLD], "unreadable-file"),
        (["parse", "-", "-"], "only one file can be standard input"),
    ],
)
def test_mistakes(arguments: list[object], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One line and exit code 2."""
    with contextlib.chdir(tmp_path):
        assert run(list(map(str, arguments))) == 2
    said = capfd.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_words_that_are_not_valid(tmp_path: Path) -> None:
    """Broken trees do not matter to `parse`; everything else does."""
    path = tmp_path / "words.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t9\tx\t_\t_\n2\tb\t_\t_\t_\t_\t\t\t_\t_\n\n", encoding="utf-8")
    assert list(read_words(path).forms) == ["a", "b"]
    path.write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n3\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_words(path)
    assert {fault.slug for fault in caught.value.faults} == {"word-id-sequence"}


# Model files


def test_a_model_is_read_as_it_was_written(tmp_path: Path, model: Model) -> None:
    """Every part of it, and it parses alike."""
    write_model(model, tmp_path / "m")
    again = read_model(tmp_path / "m")
    assert repr(again) == repr(model) == f"<Model: swap-lazy, beam 2, {len(model.relations)} relations>"
    assert model_bytes(again) == model_bytes(model)
    treebank = read(GERMAN)
    one, other = (parse_treebank(each, treebank) for each in (model, again))
    assert one.heads.tolist() == other.heads.tolist()
    assert list(one.relations) == list(other.relations)


def refusal(data: bytes, path: Path) -> str:
    """Write bytes, read them as a model, and return the slug of the error."""
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert caught.value.slug in MESSAGES
    assert caught.value.place.file == str(path)
    return caught.value.slug


def signed(body: bytes) -> bytes:
    """Add the checksum, as somebody would who wants to deceive."""
    return body + hashlib.sha256(body).digest()


def test_damage_is_found(tmp_path: Path, model: Model) -> None:
    """Any byte changed, any end cut off."""
    data, draw, path = model_bytes(model), Random(1), tmp_path / "m"
    for _ in range(40):
        place = draw.randrange(len(MAGIC) + 8, len(data))
        damaged = data[:place] + bytes([data[place] ^ (1 + draw.randrange(255))]) + data[place + 1 :]
        assert refusal(damaged, path) == "damaged-model"
        assert refusal(data[: draw.randrange(len(MAGIC), len(data))], path) in {"damaged-model", "model-version"}
    assert refusal(b"", path) == "not-a-model"
    assert refusal(b"x" + data, path) == "not-a-model"
    for version in (0, FORMAT - 1, FORMAT + 1):
        other = MAGIC + bytes([version]) + data[len(MAGIC) + 1 :]
        assert refusal(other, path) == "model-version"


@pytest.mark.parametrize(
    "change",
    [
        lambda m: replace(m, parser="none"),
        lambda m: replace(m, root=len(m.relations)),
        lambda m: replace(m, root=-1),
        lambda m: replace(m, beam=0),
        lambda m: replace(m, beam=10**9),
        lambda m: replace(m, relations=m.relations * 9),
        lambda m: replace(m, templates={**m.templates, "actions": "h.form"}),
        lambda m: replace(m, templates={**m.templates, "labels": "h.nothing"}),
        lambda m: replace(m, templates={"actions": m.templates["actions"]}),
        lambda m: replace(m, tables={**m.tables, "actions": np.zeros((24, 4), np.int16)}),
        lambda m: replace(m, tables={**m.tables, "actions": np.zeros((64, 3), np.int16)}),
        lambda m: replace(m, tables={"labels": m.tables["labels"]}),
    ],
)
def test_models_that_nobody_trained(change, tmp_path: Path, model: Model) -> None:
    """A right checksum over contents that the kernel must never see."""
    assert refusal(model_bytes(change(model)), tmp_path / "m") == "damaged-model"


@pytest.mark.parametrize(
    "name", ["a\tb\nc", "a\nb", "a b", "a\u00a0b", "\0", "\x1b[31m", "a\r", "\u2028", "\u202e", "\ud800", "", "\x85"]
)
def test_relations_that_no_file_can_hold(name: str, tmp_path: Path, model: Model) -> None:
    """They would break the output, or the terminal; with a right checksum, too."""
    first, *others = model.relations
    changed = replace(model, relations=(name, *others))
    if name == "\ud800":  # JSON has an escape for it
        data = model_bytes(replace(model, relations=("SURROGATE", *others)))[:-32].replace(b"SURROGATE", rb"\ud800   ")
        data = signed(data.replace(rb'"\ud800   "', rb'   "\ud800"'))
    else:
        data = model_bytes(changed)
    assert refusal(data, tmp_path / "m") == "damaged-model"
    write_model(replace(model, relations=(f"{first}:ü", *others)), tmp_path / "m")
    assert read_model(tmp_path / "m").relations[0] == f"{first}:ü"


def test_relations_are_a_list_of_different_names(tmp_path: Path, model: Model) -> None:
    """Not two alike, not numbers, not one text."""
    others = model.relations[1:]
    last, n = others[-1], len(model.relations)
    for names in ((last, *others), (1, *others), (None, *others), (["a"], *others), "abcdefghijklmnopqrstuvwxyz"[:n]):
        assert len(names) == n
        assert refusal(model_bytes(replace(model, relations=names)), tmp_path / "m") == "damaged-model"


def test_relations_that_no_model_may_hold_are_not_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told with their line before training, and not trained into a model that nobody can read."""
    lines, path = GOLD.read_text(encoding="utf-8").split("\n"), tmp_path / "t.conllu"
    number = next(i for i, line in enumerate(lines) if line.startswith("3\t"))
    cells = lines[number].split("\t")
    for name in ("a b", "a\u00a0b", "a\x1b"):
        cells[7] = name
        path.write_text("\n".join([*lines[:number], "\t".join(cells), *lines[number + 1 :]]), encoding="utf-8")
        for parser, more in (("swap-lazy", []), ("graph", []), ("command", ["--train-cmd", "x {train} {model}"])):
            assert run(["train", parser, str(path), str(tmp_path / "m"), *more]) == 2
            assert f"{path}:{number + 1}: invalid-relation: the relation '" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_descriptions_that_are_no_descriptions(tmp_path: Path) -> None:
    """Signed nonsense."""
    for text in (b"", b"[]", b"{}", b"nonsense", b"[" * 100_000, b'{"tables": [["actions", 16, 4, 1]]}', b"\xff"):
        body = MAGIC + FORMAT.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
        assert refusal(signed(body), tmp_path / "m") == "damaged-model"
