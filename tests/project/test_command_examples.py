"""Every command has an example on its page of the reference, and all examples run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from conftest import EXAMPLES, ROOT
from levelhead.cli import program

SHOWN = tomllib.loads((ROOT / "scripts" / "command_examples.toml").read_text(encoding="utf-8"))
NEED_A_SERVER = {"levelhead task serve", "levelhead submit"}
"""Run by the tests of shared tasks."""
NEED_SUBMISSIONS = {"levelhead task rank", "levelhead task close", "levelhead task export"}
"""Refused, with a reason, while nobody has submitted anything."""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the examples are commands of POSIX shells")


def names(command: click.Command, path: str = "levelhead") -> list[str]:
    """The commands without commands below them."""
    if not isinstance(command, click.Group):
        return [path]
    context = click.Context(command)
    below = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return [full for name, one in below.items() if one and not one.hidden for full in names(one, f"{path} {name}")]


def test_every_command_has_an_example() -> None:
    assert sorted(SHOWN) == sorted(names(program.cli))
    for name, example in SHOWN.items():
        assert re.search(rf"\b{name}\b", example)
        assert max(map(len, example.split("\n"))) <= 100


@pytest.mark.slow
def test_examples_of_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    for name in ("pud", "parallel", "diff", "language-models"):
        shutil.copytree(EXAMPLES / name, tmp_path / "examples" / name)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "levelhead").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m levelhead "$@"\n')
    (programs / "levelhead").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.chdir(tmp_path / "examples" / "pud")
    for name, example in SHOWN.items():
        if name not in NEED_A_SERVER:
            for line in example.strip().replace("\\\n", "").splitlines():
                code, said = ran(line), capfd.readouterr().err
                refused = name in NEED_SUBMISSIONS and code == program.BAD_INPUT and "task" in said
                assert code == 0 or refused, (line, code, said)


def ran(line: str) -> int:
    """Run a line, in this process if it is a single command of levelhead, and return its exit code."""
    if line.startswith("levelhead "):
        return program.run(shlex.split(line)[1:])
    return subprocess.run(["bash", "-e", "-c", line], check=False).returncode
