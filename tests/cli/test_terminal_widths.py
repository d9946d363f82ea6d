"""Text on terminals of 60 to 200 columns: no line is longer; trees, paths and signatures aside."""

import io
from itertools import chain
from pathlib import Path

import pytest
from rich.cells import cell_len

from documentation import Screen
from json_outputs import OF_RESULTS, arguments_in
from levelhead.cli import program

WIDTHS = (60, 80, 100, 200)
NOT_TABLES = {"words", "sentences", "trees", "recover", "cite"}
COMMANDS = [
    command for command in chain(*OF_RESULTS.values()) if command[0] not in NOT_TABLES and "--cite" not in command
]


def shown(arguments: list[str], width: int, monkeypatch) -> list[str]:
    terminal = Screen(io.BytesIO(), encoding="utf-8")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout", terminal)
    program.run(arguments)
    monkeypatch.undo()
    terminal.seek(0)
    return terminal.read().splitlines()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(map(str, command[:1])))
def test_no_line_is_longer_than_the_terminal(command, tmp_path: Path, monkeypatch) -> None:
    arguments = arguments_in(tmp_path, command)
    for width in WIDTHS:
        lines = shown(arguments, width, monkeypatch)
        assert lines
        long = [
            line for line in lines if cell_len(line) > width and len(line.split()) > 1
        ]  # a path or signature is one
        assert long == [], width
