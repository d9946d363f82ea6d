"""Invalid development treebanks and model files: errors name what is wrong, where, and what to do."""

from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead import InputError, from_conllu, read
from levelhead.cli.parsers import progress_of_passes
from levelhead.cli.program import run
from levelhead.parsing import Recipe, Report, Schedule, read_model, train, training, write_model
from levelhead.treebank import to_conllu

GOLD = EXAMPLES / "parallel/gold/en.conllu"
LONG = "".join(f"{i}\tw\tw\tNOUN\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i in range(1, 602)) + "\n"


@pytest.fixture
def untreed(tmp_path: Path) -> Path:
    """A development treebank without trees."""
    path = tmp_path / "dev.conllu"
    path.write_text("1\ta\ta\tDET\t_\t_\t_\t_\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n\n")
    return path


@pytest.mark.parametrize(
    ("parser", "with_dev"), [("swap-lazy", False), ("swap-lazy", True), ("ensemble", True), ("baseline-left", True)]
)
def test_without_trees(untreed: Path, parser: str, with_dev: bool) -> None:
    with pytest.raises(InputError) as caught:
        train(read(GOLD), Recipe(parser, beam=1), dev=read(untreed), with_dev=with_dev)
    assert (caught.value.slug, caught.value.faults[0].place.file) == ("no-trees", str(untreed))


def test_without_trees_as_command(untreed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "swap-lazy", str(GOLD), str(tmp_path / "m"), "--dev", str(untreed)]) == 2
    assert f"{untreed}: no-trees" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_relations_that_cannot_be_learned_are_placed_in_the_development_treebank(tmp_path: Path) -> None:
    dev = tmp_path / "dev.conllu"
    dev.write_text("1\tA\ta\tDET\t_\t_\t2\tde\u200bt\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(InputError) as caught:
        train(read(GOLD), Recipe("swap-lazy", beam=1), dev=read(dev), with_dev=True)
    assert (caught.value.slug, str(caught.value.faults[0].place)) == ("invalid-relation", f"{dev}:1")
    train(read(GOLD), Recipe("swap-lazy", beam=1), dev=read(dev))


def test_sentences_that_are_not_learned_from_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the development treebank, if the parser learns from it."""
    monkeypatch.setitem(training._SCHEDULES, "graph", Schedule(1, 1, 1))
    few, dev = tmp_path / "few.conllu", tmp_path / "dev.conllu"
    few.write_bytes(to_conllu(read(GOLD)[:4]))
    dev.write_bytes(to_conllu(read(GOLD)[:2]) + LONG.encode())
    command = ["train", "graph", str(few), str(tmp_path / "m"), "--dev", str(dev)]
    for options, reported in (([], False), (["--with-dev"], True)):
        assert run([*command, *options]) == 0
        assert (f"{dev}:" in (told := capsys.readouterr().err)) == reported == ("long-sentence" in told)


def test_only_long_sentences() -> None:
    with pytest.raises(InputError, match=r"long\.conllu: nothing-to-train-on: .*: split them"):
        train(from_conllu(LONG.encode(), name="long.conllu"), Recipe("graph"))


def test_models_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write_model(train(read(GOLD), Recipe("baseline-left")), path)
    data = path.read_bytes()
    for contents, message in (
        (GOLD.read_bytes(), "give a file written by `levelhead train`"),
        (data[:30], "truncated: copy it again, or train it again"),
        (data[:-1], "checksum is wrong: copy it again, or train it again"),
        (data[:17] + b"\x03" + data[18:], "has version 3, but this levelhead reads version 4: train it again"),
    ):
        path.write_bytes(contents)
        with pytest.raises(InputError, match=message):
            read_model(path)


def test_bar_after_early_stopping(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The bar shows the completed pass, and scores of 0."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_of_passes() as tell:
        assert tell is not None
        for done in (1, 2, 9, 16):
            tell(Report(done, 16, 0.5, 0.0))
    told = capsys.readouterr().err
    assert "pass 9 of 16: UAS 50.00, LAS 0.00" in told
    assert "16 of 16" in told.replace("pass 16 of 16", "")
