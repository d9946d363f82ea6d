"""Values and paths of options that would hang, crash, or write among the inputs."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, SYSTEMS = EXAMPLES / "parallel/gold", EXAMPLES / "parallel/systems"
EN, ALPHA, BETA = (str(path / "en.conllu") for path in (GOLD, SYSTEMS / "alpha", SYSTEMS / "beta"))


@pytest.mark.parametrize("bound", ["1e400", "1e999999999", "1e-999999999", "1_0", "\u0665", "nan", "inf", "1/0", ""])
def test_bounds_that_are_not_numbers(bound: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An exponent of nine digits would take hours to compute."""
    assert program.run(["score", EN, ALPHA, "-m", "LAS", "--fail-under", f"LAS={bound}"]) == program.BAD_INPUT
    assert "is not MEASURE=NUMBER" in capsys.readouterr().err


@pytest.mark.parametrize(("bound", "code"), [("89", 0), ("8.9e1", 0), ("+89.", 0), ("179/2", 1), (".9e2", 1)])
def test_bounds_that_are_numbers(bound: str, code: int) -> None:
    assert program.run(["score", EN, ALPHA, "-m", "LAS", "--fail-under", f"LAS={bound}"]) == code


def test_the_highest_confidence_level(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", EN, ALPHA, BETA, "-m", "LAS", "--level", "0.999999"]
    assert program.run(arguments) == program.DONE, capsys.readouterr().err


@pytest.mark.parametrize("score", ["1e-999999999", "0.1e-500"])
def test_tables_of_scores_with_tiny_numbers(score: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scores.tsv").write_text(f"system\ttreebank\tLAS\na\ten\t{score}\n")
    assert program.run(["rank", "--scores", str(tmp_path / "scores.tsv")]) == program.BAD_INPUT
    assert f"scores.tsv:2: invalid-table: '{score}' is not a score" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["score gold systems/alpha --figures gold", "score gold systems/alpha --figures systems/alpha/",
     "compare gold systems/alpha systems/beta --figures systems/../gold", "rank gold systems --figures systems",
     "rank gold systems --rules conll18 --format prototext --output gold"],
)  # fmt: skip
def test_results_among_the_inputs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next run would read charts and tables as treebanks."""
    shutil.copytree(GOLD.parent, tmp_path / "in")
    monkeypatch.chdir(tmp_path / "in")
    before = sorted(Path().rglob("*"))
    assert program.run(command.split()) == program.BAD_INPUT
    assert "name another folder" in capsys.readouterr().err
    assert sorted(Path().rglob("*")) == before


def test_figures_among_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of the page has the name of a link to gold; only older figures are replaced."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EN, "en.conllu")
    command = ["compare", "en.conllu", ALPHA, BETA, "-m", "LAS", "--quiet", "--figures", "f"]
    assert program.run(command) == 0
    for inside in (["--report", "f/page.html"], ["-o", "f"], ["-o", "f/table.tex"]):
        assert program.run([*command, *inside]) == program.BAD_INPUT
    assert "the folder of figures is replaced whole" in capsys.readouterr().err
    (tmp_path / "f/old.svg").touch()
    assert program.run(command) == program.BAD_INPUT
    assert "not from an older report or figures (old.svg)" in capsys.readouterr().err
    (tmp_path / "f/old.svg").unlink()
    (tmp_path / "f/comparison-las.tsv").unlink()
    (tmp_path / "f/comparison-las.tsv").symlink_to(tmp_path / "en.conllu")
    assert program.run(command) == 0
    assert (tmp_path / "en.conllu").read_bytes() == Path(EN).read_bytes()


@pytest.mark.parametrize(("systems", "names"), [((".", "../beta"), ("alpha", "beta")), (("../beta", "../../systems/gamma/../alpha"), ("beta", "alpha"))])  # fmt: skip
def test_names_of_systems_with_dots(
    systems: tuple[str, str],
    names: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(SYSTEMS / "alpha")
    assert program.run(["compare", "../../gold", *systems, "-m", "LAS", "--format", "tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert tuple(dict.fromkeys(line.split("\t")[lines[0].split("\t").index("system")] for line in lines[1:])) == names


def test_one_system_by_two_paths(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(SYSTEMS)
    assert program.run(["compare", "../gold", "alpha", "beta/../alpha"]) == program.BAD_INPUT
    assert "alpha: invalid-argument: this output is given twice" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_a_report_of_files_whose_names_are_not_utf8(tmp_path: Path) -> None:
    for folder in ("gold", "alpha"):
        (tmp_path / folder).mkdir()
        shutil.copy(EN, os.fsencode(tmp_path / folder) + b"/\xff.conllu")
    paths = [str(tmp_path / "gold"), str(tmp_path / "alpha")]
    assert program.run(["score", *paths, "-m", "LAS", "--report", str(tmp_path / "report.html")]) == program.DONE
    assert "\\udcff" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "message"),
    [("score EN EN -o", "output: the path is empty: name a file"), ("reproduce", "Use nivre-fang-2017, callin")],
)
def test_messages(command: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = command.replace("EN", EN).split() + ([""] if command.endswith("-o") else [])
    assert program.run(arguments) == program.BAD_INPUT
    said = capsys.readouterr().err
    assert message in said
    assert "\\t" not in said


def test_a_group_of_commands_prints_its_usage_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run(["task"]) == program.BAD_INPUT
    assert capsys.readouterr().err.count("Usage:") == 1
