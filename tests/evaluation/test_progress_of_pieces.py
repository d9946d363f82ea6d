"""Scoring a large file says how far it is, on a terminal only."""

import sys

import pytest

from conftest import EXAMPLES
from levelhead import progress
from levelhead.cli import program
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank.input_bytes import PieceSizes
from terminal import Terminal

GOLD, SYSTEM = (EXAMPLES / "parallel" / part / "en.conllu" for part in ("gold", "systems/alpha"))
SIZES = PieceSizes(large=1, piece=2000)


@pytest.mark.parametrize("partial", [False, True])
def test_words_are_counted_on_a_terminal(monkeypatch, capsys, partial: bool) -> None:
    setup = setup_of(["LAS"], partial=partial)
    monkeypatch.setattr(progress, "_SECONDS_BEFORE_BAR", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    silent = score_files(GOLD, SYSTEM, setup, SIZES)
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert score_files(GOLD, SYSTEM, setup, SIZES)["LAS"] == silent["LAS"]
    assert "scoring" in terminal.text
    assert f"{silent.gold.words} words" in terminal.text


def test_nothing_is_said_of_what_is_done_at_once(monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(progress, "_SECONDS_BEFORE_BAR", float("inf"))  # however slow the machine
    monkeypatch.setattr(sys, "stderr", terminal)
    score_files(GOLD, SYSTEM, setup_of(["LAS"]), SIZES)
    assert terminal.text == ""


def test_a_page_that_is_made_says_so(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setenv("TERM", "xterm")
    command = ["score", str(GOLD), str(SYSTEM), "--report", str(tmp_path / "page.html")]
    assert program.run(command) == 0
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert program.run(command) == 0
    assert "making the page" in terminal.text
