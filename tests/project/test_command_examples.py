"""Every command has an example on its page of the reference, and all examples run."""

import os
import re
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
def test_examples_of_commands_run(tmp_path: Path) -> None:
    for name in ("parallel", "diff", "language-models"):
        shutil.copytree(EXAMPLES / name, tmp_path / "examples" / name)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "levelhead").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m levelhead "$@"\n')
    (programs / "levelhead").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
    for name, example in SHOWN.items():
        if name not in NEED_A_SERVER:
            run = ["bash", "-e", "-c", example]
            folder = tmp_path / "examples" / "parallel"
            done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            refused = name in NEED_SUBMISSIONS and done.returncode == program.BAD_INPUT and "task" in done.stderr
            assert done.returncode == 0 or refused, (name, done.returncode, done.stderr)
