"""What one meets first: the overview, `doctor`, completion in shells."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conftest import ROOT
from levelhead._version import VERSION
from levelhead.api import listings
from levelhead.cli import program
from levelhead.cli.shared import command as option_groups
from levelhead.extras import Library
from result_rows import rows_in


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(program.cli, arguments)
    assert done.exit_code == 0
    return done.output


def test_alone_it_gives_an_overview() -> None:
    for verb in ("score", "compare", "rank", "validate", "profile", "train", "task", "reproduce", "doctor"):
        assert f"levelhead {verb}" in printed()


UNKNOWN = {
    "scroe gold system": "unknown command 'scroe': did you mean score?",
    "Score": "unknown command 'Score': did you mean score?",
    "task srve": "unknown command 'srve': did you mean serve?",
    "x": "unknown command 'x': use score, breakdown, analyze,",
}


@pytest.mark.parametrize("line", UNKNOWN)
def test_unknown_commands_get_a_suggestion(line: str) -> None:
    done = CliRunner().invoke(program.cli, line.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert UNKNOWN[line] in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    assert "_LEVELHEAD_COMPLETE" in printed("completion", shell)


def test_help_of_completion_has_a_line_for_each_shell() -> None:
    lines = [line.strip() for line in printed("completion", "--help").splitlines()]
    assert 'zsh:  eval "$(levelhead completion zsh)" in ~/.zshrc' in lines
    assert "\\b" not in printed("completion", "--help")


def test_shells_are_answered() -> None:
    asked = {"_LEVELHEAD_COMPLETE": "bash_complete", "COMP_WORDS": "levelhead sco", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "levelhead"]
    done = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "plain,score\n")


def installed_parts() -> dict[str, str]:
    document = json.loads(printed("doctor", "--format", "json"))
    return {row["part"]: row["version"] for row in rows_in(document, "parts")}


def test_doctor_says_what_is_installed() -> None:
    installed = installed_parts()
    assert installed["levelhead"] == VERSION
    assert installed["numpy"].count(".") == 2
    assert installed["kernels"] == "compiled"


def test_doctor_looks_at_all_kernels() -> None:
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    built = re.search(r"^KERNELS = \((.*?)\)", setup, re.DOTALL | re.MULTILINE)
    assert built
    assert sorted(re.findall(r"(\w+)\.pyx?", built[1])) == sorted(listings._KERNELS)


def test_doctor_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    some = Library("some", "something", "library")
    libraries = {"no_such_library": some, "no_such_folder.library": some}
    monkeypatch.setattr(listings, "LIBRARIES", libraries)
    for line in printed("doctor", "--format", "tsv").splitlines()[-2:]:
        assert line.split("\t")[1] == "missing"
        assert "for something: pip install '.[some]' in a checkout" in line
        assert "pip install 'levelhead[some]'" in line


def test_doctor_looks_for_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("bwrap", "java"):
        (tmp_path / name).touch(mode=0o755)
    for found, path in (("found", tmp_path), ("missing", tmp_path / "nothing")):
        monkeypatch.setenv("PATH", os.fspath(path))
        installed = installed_parts()
        assert (installed["bwrap"], installed["java"]) == (found, found)
    assert "in a sandbox" in printed("doctor")


def test_help_lists_commands_in_groups() -> None:
    lines = printed("--help").splitlines()
    for group in program.GROUPS:
        assert f"{group}:" in lines
    assert lines.index("Treebanks:") < lines.index("  similarity  Measure how similar treebanks are")
    assert lines.index("  similarity  Measure how similar treebanks are") < lines.index("Convert:")


def test_help_loads_no_command() -> None:
    code = "import sys; from levelhead.cli.program import run; run(['--help']); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "rich", *(f"levelhead.cli.{name}" for name in program.FILES.values())} & {*modules}


def long_names(command: click.Command) -> list[str]:
    options = (one for one in command.params if isinstance(one, click.Option) and not one.hidden)
    return [max(option.opts, key=len) for option in options]


def test_options_that_commands_share_have_one_order() -> None:
    """What people use first is first: what to compute, then how to print it; rules, input and processes are last."""
    ranked = [f"--{name}" for group in option_groups.GROUPS.values() for name in group.split()]
    assert len(set(ranked)) == len(ranked)
    for name in {*program.COMMANDS} - {"task"}:
        command = program.cli.get_command(click.Context(program.cli), name)
        assert command is not None
        shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", printed(name, "--help"), re.MULTILINE)
        assert sorted(shown) == sorted(long_names(command))
        places = [ranked.index(option) for option in shown if option in ranked]
        assert places == sorted(places), name


def test_options_that_commands_share_have_a_place() -> None:
    commands = (program.cli.get_command(click.Context(program.cli), name) for name in program.COMMANDS)
    names = Counter(name for command in commands if command is not None for name in long_names(command))
    ranked = {f"--{name}" for group in option_groups.GROUPS.values() for name in group.split()}
    own = {*"--seed --lift --system --scores --all-measures --matrix".split()}
    assert {name for name, n in names.items() if n > 1} - ranked == own


def test_the_help_of_score_begins_with_measures_and_formats() -> None:
    shown = printed("score", "--help")
    options = ("-m, --measure", "--format", "-o, --output", "--fail-under", "--rules", "-j, --jobs")
    places = [shown.index(f"\n  {option}") for option in options]
    assert places == sorted(places)
