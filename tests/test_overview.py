"""What one meets first: the overview, `doctor`, completion in shells."""

import importlib
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from levelhead._version import VERSION
from levelhead.cli import program


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(program.cli, arguments)
    assert done.exit_code == 0
    return done.output


def test_alone_it_gives_an_overview() -> None:
    for verb in ("score", "compare", "rank", "validate", "profile", "train", "task", "reproduce", "doctor"):
        assert f"levelhead {verb}" in printed()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    assert "_LEVELHEAD_COMPLETE" in printed("completion", shell)


def test_shells_are_answered() -> None:
    asked = {"_LEVELHEAD_COMPLETE": "bash_complete", "COMP_WORDS": "levelhead sc", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "levelhead"]
    done = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "plain,score\n")


def test_doctor_says_what_is_installed() -> None:
    installed = json.loads(printed("doctor", "--format", "json"))["installed"]
    assert installed["levelhead"] == VERSION
    assert installed["numpy"].count(".") == 2
    assert installed["kernels"] == "compiled"


def test_doctor_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("levelhead.cli.doctor")
    monkeypatch.setattr(module, "EXTRAS", {"no_such_library": ("some", "something")})
    line = printed("doctor").splitlines()[-1]
    assert line.split("|")[1].strip() == "missing"
    assert "for something: pip install 'levelhead[some]'" in line
