"""Results that cannot be written, and optional libraries that are missing, are reported before any work is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.cli.shared.inputs import ResultPath

INPUTS = {
    # the options and arguments with paths that are only read: every other one must be a ResultPath
    "answers", "dev", "definitions", "explain", "files", "first", "folder", "gold", "inputs", "jar", "judgments", "manifest", "model",
    "new", "old",
    "archive", "scores", "second", "system", "systems", "targets", "test", "tls_ca", "tls_cert", "tls_key",
    "token_file", "train", "treebank", "treebanks", "weights", "words",
}  # fmt: skip


def commands() -> Iterator[tuple[list[str], click.Command]]:
    """Give every command with the words that call it."""
    for name in program.COMMANDS:
        command = program.cli.get_command(click.Context(program.cli), name)
        if isinstance(command, click.Group):
            yield from (([name, inner], one) for inner, one in command.commands.items())
        else:
            yield [name], command


RESULTS = [
    pytest.param(words, command, one, id=f"{' '.join(words)} {one.opts[0]}")
    for words, command in commands()
    for one in command.params
    if isinstance(one.type, ResultPath)
]


def needed_by(command: click.Command, result: click.Parameter) -> Iterator[str]:
    """Give arguments and options that a command must have, with inputs that do not exist."""
    for one in command.params:
        required = one.required or (isinstance(one, click.Argument) and one.type.name == "path")
        if one is result or not required:
            continue
        yield from one.opts[:1] if isinstance(one, click.Option) else ()
        yield next(iter(one.type.choices)) if isinstance(one.type, click.Choice) else "/no/such/input"


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must refuse its arguments, and return what it says."""
    assert program.run(arguments) == program.BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_every_path_is_known_as_an_input_or_a_result() -> None:
    paths = [
        (words, one) for words, command in commands() for one in command.params if isinstance(one.type, click.Path)
    ]
    unknown = [
        (words, one.name) for words, one in paths if not isinstance(one.type, ResultPath) and one.name not in INPUTS
    ]
    assert not unknown
    assert {one.name for _, one in paths} >= {"output", "report_file", "figures", "store", "wde_table", "write_arpa"}


@pytest.mark.parametrize(("words", "command", "result"), RESULTS)
def test_a_result_that_cannot_be_written_is_the_first_error(
    words: list[str],
    command: click.Command,
    result: click.Parameter,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    path = os.fspath(tmp_path / "file" / "result.html")
    option = result.opts[:1] if isinstance(result, click.Option) else []
    said = refused([*words, *needed_by(command, result), *option, path], capsys)
    assert said == f"{path}: output: {tmp_path / 'file'} is not a folder\n"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_the_result_of_convert_is_checked_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(["convert", "forward", "/no/such/input", os.fspath(tmp_path / "no" / "out")], capsys)
    assert said.endswith(f"output: the folder {tmp_path / 'no'} does not exist\n")


GOLD, SYSTEM = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"


def test_a_folder_is_not_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(["score", "/no/gold", "/no/system", "-o", os.fspath(tmp_path)], capsys)
    assert said == f"{tmp_path}: output: this is the name of a folder: name a file\n"


def test_prototext_of_several_systems_needs_a_folder_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("levelhead.api.ranking.score_plan", None)
    (tmp_path / "file").touch()
    folders = [os.fspath(EXAMPLES / "parallel" / name) for name in ("gold", "systems")]
    rank = ["rank", *folders, "--format", "prototext"]
    assert "prototext requires --output FOLDER" in refused(rank, capsys)
    assert f"output: {tmp_path / 'file'} is not a folder" in refused(
        [*rank, "-o", os.fspath(tmp_path / "file")], capsys
    )


def test_checks_leave_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = os.fspath(tmp_path / "new" / "figures")
    said = refused(["score", "/no/gold", "/no/system", "-o", os.fspath(tmp_path / "out"), "--figures", figures], capsys)
    assert "/no/gold: unreadable-file" in said
    assert not list(tmp_path.iterdir())


NEEDED = {
    # a command whose inputs do not exist, and the library that it needs
    "score /no /no --report r.html": ("jinja2", "report"),
    "score /no /no --figures f": ("vl_convert", "figures"),
    "compare /no /no --report r.html": ("jinja2", "report"),
    "compare /no /no --figures f": ("vl_convert", "figures"),
    "compare GOLDS ALPHA BETA --wilcoxon": ("scipy", "stats"),
    "rank /no /no --report r.html": ("jinja2", "report"),
    "rank /no /no --figures f": ("vl_convert", "figures"),
    "correlate /no --figure f.png": ("vl_convert", "figures"),
    "reproduce callin --treebanks /no --report r.html": ("jinja2", "report"),
    "train udpipe EN model": ("ufal.udpipe", "parsers"),
    "crossval udpipe EN": ("ufal.udpipe", "parsers"),
    "rank GOLDS SYSTEMS --cluster local": ("distributed", "cluster"),
}


@pytest.mark.parametrize("line", NEEDED)
def test_a_missing_library_is_the_first_error(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, extra = NEEDED[line]
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr("levelhead.treebank.input_bytes.open", None, raising=False)  # nothing is read
    monkeypatch.chdir(tmp_path)
    parallel = EXAMPLES / "parallel"
    places = {"GOLDS": parallel / "gold", "SYSTEMS": parallel / "systems", "EN": GOLD}
    places |= {"ALPHA": parallel / "systems/alpha", "BETA": parallel / "systems/beta"}
    said = refused([os.fspath(places.get(word, word)) for word in line.split()], capsys)
    assert "missing-extra: " in said
    assert f"pip install '.[{extra}]' in a checkout" in said
    assert f"pip install 'levelhead[{extra}]' with a release" in said
    assert not list(tmp_path.iterdir())


def test_an_output_of_zstandard_is_not_scored_as_invalid_without_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    gold, system = tmp_path / "gold", tmp_path / "systems" / "alpha"
    gold.mkdir()
    system.mkdir(parents=True)
    (gold / "en.conllu").write_bytes(GOLD.read_bytes())
    (system / "en.conllu.zst").write_bytes(b"(\xb5/\xfd")
    said = refused(["rank", os.fspath(gold), os.fspath(tmp_path / "systems")], capsys)
    assert "missing-extra: .zst files require zstandard: pip install '.[zstd]'" in said


MISSING = (
    "train swap-lazy EN model --dev /no/such",
    "perplexity /no/such EN",
    "breakdown EN EN --by frequency --train /no/such",
    "breakdown EN EN2 EN3 --by frequency --train /no/such",
    "judge EN EN EN --judgments /no/such",
    "profile EN /no/such",
    "parse EN /no/such",
    "convert --check EN /no/such",
)


@pytest.mark.parametrize("line", MISSING)
def test_a_missing_input_is_reported_before_any_file_is_read(
    line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("levelhead.treebank.input_bytes.open", None, raising=False)  # nothing is read
    places = {"EN": GOLD, "EN2": SYSTEM, "EN3": EXAMPLES / "parallel/systems/beta/en.conllu"}
    said = refused([os.fspath(places.get(word, word)) for word in line.split()], capsys)
    assert said == "/no/such: unreadable-file: No such file or directory\n"
