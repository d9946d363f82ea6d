"""Every `--help` ends with the example that is on the reference page, and all examples run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import click
import pytest

from conftest import EXAMPLES, ROOT
from levelhead.cli import program

SHOWN = tomllib.loads((ROOT / "src/levelhead/cli/examples.toml").read_text(encoding="utf-8"))
GROUPS = {"levelhead", "levelhead task"}
WIDTH = 80
NEED_A_SERVER = {"levelhead task serve", "levelhead submit"}
"""Run by the tests of shared tasks."""
NEED_SUBMISSIONS = {"levelhead task rank", "levelhead task close", "levelhead task export"}
"""Refused, with a reason, while nobody has submitted anything."""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the examples are commands of POSIX shells")


def names(command: click.Command, path: str = "levelhead") -> Iterator[str]:
    """The commands and groups."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from names(below, f"{path} {name}")


def test_every_help_ends_with_its_example_which_its_page_shows(capfd: pytest.CaptureFixture[str]) -> None:
    page = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/commands").glob("*.md"))
    assert sorted(SHOWN) == sorted(names(program.cli))
    for name, example in SHOWN.items():
        assert re.search(rf"\b{name}\b", example)
        assert program.run([*name.split()[1:], "--help"]) == program.DONE
        shown, heading, said = capfd.readouterr().out.partition("\nExample:\n")
        assert (said, heading in shown) == (indent(f"{example.strip()}\n", "  "), False), name
        assert max(map(len, said.split("\n"))) <= WIDTH, name
        if name not in GROUPS:
            assert page.partition(f"# {name}\n")[2].partition("```sh\n")[2].startswith(f"{example.strip()}\n```"), name


@pytest.mark.slow
def test_examples_of_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    for name in ("pud", "parallel", "diff", "difficulty", "language-models"):
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
    """Run a line, in this process alone if it is a single command of levelhead, and return its exit code."""
    if line.startswith("levelhead "):
        return program.run(shlex.split(line.replace("crossval ", "crossval -j 1 "))[1:])
    return subprocess.run(["bash", "-e", "-c", line], check=False).returncode
