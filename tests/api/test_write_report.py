"""Python writes the pages that commands write."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import levelhead
from levelhead.cli.program import cli

pytestmark = pytest.mark.usefixtures("few")

GOLDS, SYSTEMS = Path("gold"), Path("systems")  # in the folder `few`
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha" / "en.conllu", SYSTEMS / "beta" / "en.conllu"

CASES: dict[str, tuple[list[object], Callable[[], Any]]] = {
    "agree": ([GOLD, ALPHA], lambda: levelhead.agree(GOLD, ALPHA)),
    "compare": ([GOLD, ALPHA, BETA], lambda: levelhead.compare(GOLD, [ALPHA, BETA], prepare="page")),
    "diff": ([GOLD, ALPHA], lambda: levelhead.diff(GOLD, ALPHA)),
    "diff of folders": ([GOLDS, SYSTEMS / "alpha"], lambda: levelhead.diff(GOLDS, SYSTEMS / "alpha")),
    "profile": ([GOLDS], lambda: levelhead.profile(GOLDS, columns=["summary", "relation", "upos"])),
    "score": ([GOLD, ALPHA], lambda: levelhead.score(GOLD, ALPHA, prepare="page")),
    "score of folders": (
        [GOLDS, SYSTEMS / "alpha"],
        lambda: levelhead.score(GOLDS, SYSTEMS / "alpha", prepare="page"),
    ),
    "rank": ([GOLDS, SYSTEMS], lambda: levelhead.rank(GOLDS, SYSTEMS, prepare="page")),
    "rank without tests": (
        [GOLDS, SYSTEMS, "--no-significance", "-m", "LAS"],
        lambda: levelhead.rank(GOLDS, SYSTEMS, measures="LAS", significance=False, prepare="page"),
    ),
    "suspects": ([GOLD, ALPHA, BETA], lambda: levelhead.suspects(GOLD, [ALPHA, BETA])),
}


def without_origin(page: str) -> str:
    return re.sub(r'<p class="files">.*?</p>|<p><code>(cli |levelhead\.rank).*?</code></p>', "", page)


@pytest.mark.parametrize("case", CASES)
def test_page_is_that_of_the_command(case: str, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    arguments, function = CASES[case]
    by_command, by_function = tmp_path / "command.html", tmp_path / "function.html"
    command = [case.split(maxsplit=1)[0], *map(str, arguments), "--report", str(by_command)]
    done = CliRunner().invoke(cli, command)
    assert done.exception is None, done.stderr
    levelhead.write_report(function(), by_function)
    assert without_origin(by_function.read_text("utf-8")) == without_origin(by_command.read_text("utf-8"))


def test_the_page_of_a_table_of_scores_is_that_of_the_command(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    scores = tmp_path / "scores.tsv"
    scores.write_text("treebank\tsystem\tLAS\tUAS\na\tx\t80\t81\na\ty\t75\t80\nb\tx\t70\t75\nb\ty\t60\t61\n")
    done = CliRunner().invoke(cli, ["rank", "--scores", str(scores), "--report", str(tmp_path / "command.html")])
    assert done.exception is None, done.stderr
    levelhead.write_report(levelhead.rank(scores=scores, prepare="page"), tmp_path / "function.html")
    by_command, by_function = ((tmp_path / f"{name}.html").read_text("utf-8") for name in ("command", "function"))
    assert without_origin(by_command) == without_origin(by_function)


def test_pages_of_outputs_are_those_of_the_command(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    done = CliRunner().invoke(cli, ["rank", str(GOLDS), str(SYSTEMS), "--report", f"{tmp_path}/command/"])
    assert done.exception is None, done.stderr
    levelhead.write_report(levelhead.rank(GOLDS, SYSTEMS, prepare="pages"), f"{tmp_path}/function/")
    by_command, by_function = (
        {path.relative_to(folder): without_origin(path.read_text("utf-8")) for path in folder.rglob("*.html")}
        for folder in (tmp_path / "command", tmp_path / "function")
    )
    assert len(by_command) > 3
    assert by_command == by_function


def test_a_ranking_is_prepared_for_its_pages(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    with pytest.raises(levelhead.InputError, match='prepare="page"'):
        levelhead.write_report(levelhead.rank(GOLDS, SYSTEMS), tmp_path / "page.html")
    with pytest.raises(levelhead.InputError, match='prepare="pages"'):
        levelhead.write_report(levelhead.rank(GOLDS, SYSTEMS, prepare="page"), f"{tmp_path}/pages/")


def test_a_comparison_without_trees_has_no_page(tmp_path: Path) -> None:
    with pytest.raises(levelhead.InputError, match='prepare="page"'):
        levelhead.write_report(levelhead.compare(GOLD, [ALPHA, BETA]), tmp_path / "page.html")
