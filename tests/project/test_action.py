"""The GitHub Action: its steps are run as a runner would, without the installation."""

import os
import re
import subprocess
import sys

import pytest

from conftest import EXAMPLES, ROOT, library

GOLD, ALPHA, BETA = (EXAMPLES / "parallel" / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the steps are run by bash")


def action():
    return library("yaml").safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def holds(condition, inputs, *, failed):
    """Whether a step runs: conditions are comparisons with the empty text, joined by `&&`."""
    parts = condition.split(" && ") if condition else []
    if "always()" not in parts and failed:
        return False
    compared = [re.fullmatch(r"inputs\.(\S+) != ''", part) for part in parts if part != "always()"]
    return all(inputs[found[1]] != "" for found in compared)


def run_action(folder, **given):
    """Run the steps after the installation; the exit code of the first that fails, all output, and the summary."""
    wanted = action()
    inputs = {name: one["default"] for name, one in wanted["inputs"].items()}
    inputs |= {name.replace("_", "-"): str(value) for name, value in given.items()}
    (folder / "levelhead").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m levelhead "$@"\n')
    (folder / "levelhead").chmod(0o755)
    summary = folder / "summary.md"
    surroundings = {
        "PATH": f"{folder}:{os.environ['PATH']}", "RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(summary)
    }  # fmt: skip
    code, said = 0, ""
    for step in wanted["runs"]["steps"]:
        if "run" not in step or "pip install" in step["run"] or not holds(step.get("if"), inputs, failed=code != 0):
            continue
        values = {
            name: inputs[re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", text)[1]] for name, text in step["env"].items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **surroundings, **values}, capture_output=True, text=True, check=False
        )
        code, said = code or done.returncode, said + done.stdout + done.stderr
    return code, said, summary.read_text(encoding="utf-8") if summary.exists() else ""


CASES = {
    "nothing requested": ({}, 0, ""),
    "one score": ({"system": ALPHA}, 0, "| LAS | 89.02 |"),
    "several gates": ({"system": ALPHA, "fail_under": "LAS=80 UPOS=90\nUAS=90"}, 0, "| UPOS | 97.56 |"),
    "one of several gates": ({"system": ALPHA, "fail_under": "LAS=80 UPOS=99"}, 1, "| UPOS | 97.56 |"),
    "worse": ({"system": BETA, "baseline": ALPHA, "fail_if_worse": "LAS UAS"}, 1, "gate not met: LAS of beta"),
    "no gate": ({"system": BETA, "baseline": ALPHA}, 0, "| LAS | beta | 71.83 | 63.70-78.74 | -17.20 | -27.35 to -10.12 |"),
    "margin": ({"system": BETA, "baseline": ALPHA, "fail_if_worse": "LAS", "margin": 40}, 0, "gate met: LAS of beta"),
    "a low score, and no worse": (
        {"system": ALPHA, "baseline": BETA, "fail_under": "LAS=99", "fail_if_worse": "LAS"}, 1, "gate met: LAS of alpha"
    ),
    "invalid baseline": ({"system": ALPHA, "baseline": EXAMPLES / "parallel/gold/fi.conllu"}, 2, "| LAS | 89.02 |"),
    "unknown measure": ({"system": BETA, "baseline": ALPHA, "fail_if_worse": "LSA"}, 2, "| LAS | 72.96 |"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_steps(case, tmp_path):
    given, code, written = CASES[case]
    inputs = {"files": "", "gold": GOLD} if given else {"files": "examples/parallel/gold/*.conllu"}
    found, said, summary = run_action(tmp_path, **inputs, **given)
    assert found == code, said
    assert written in summary
    if case == "worse":
        losses = summary.partition("## Sentences with the most additional errors (LAS)")[2]
        assert len(re.findall(r"^\| en \| beta \|", losses, re.MULTILINE)) == 10


def test_an_invalid_system_fails_and_is_named(tmp_path):
    invalid = tmp_path / "bad.conllu"
    invalid.write_text(ALPHA.read_text(encoding="utf-8").replace("\t0\troot", "\t99\troot", 1), encoding="utf-8")
    code, said, summary = run_action(tmp_path, files="", gold=GOLD, system=invalid, baseline=ALPHA, fail_if_worse="LAS")
    assert code != 0
    assert "bad.conllu:" in said
    assert "gate not met: LAS of bad: 1 error in the output" in summary


def test_invalid_files_are_annotated(tmp_path):
    code, said, _ = run_action(tmp_path, files="examples/parallel/systems/gamma/tr.conllu")
    assert code == 2
    assert "::error file=examples/parallel/systems/gamma/tr.conllu,line=49" in said


def test_no_file_matches(tmp_path):
    code, said, _ = run_action(tmp_path, files="nowhere/**/*.conllu")
    assert code == 2
    assert "::error title=levelhead::no file matches the input files (nowhere/**/*.conllu)" in said


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"fail_under": "LAS=80"}, "the input gold is missing"),
        ({"gold": GOLD, "fail_under": "LAS=80"}, "the input system is missing"),
        ({"gold": GOLD, "baseline": ALPHA}, "the input system is missing"),
        ({"gold": GOLD, "system": BETA, "fail_if_worse": "LAS"}, "need the input baseline"),
        ({"gold": GOLD, "system": BETA, "baseline": ALPHA, "margin": 1}, "margin needs the input fail-if-worse"),
    ],
)
def test_a_gate_that_would_not_be_checked_is_an_error(tmp_path, given, reason):
    code, said, _ = run_action(tmp_path, files="", **given)
    assert code == 2
    assert reason in said


def test_the_example_workflow_uses_inputs_of_the_action():
    steps = library("yaml").safe_load((EXAMPLES / "gate/workflow.yml").read_text(encoding="utf-8"))
    (step,) = [one for job in steps["jobs"].values() for one in job["steps"] if "levelhead" in one.get("uses", "")]
    assert set(step["with"]) <= set(action()["inputs"])


def hooks():
    return library("yaml").safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def with_documents(folder, n):
    """The gold treebank with a mark for a document above each of its first sentences."""
    first, *others = GOLD.read_text(encoding="utf-8").split("\n\n")
    marked = [first, *(f"# newdoc\n{text}" for text in others[: n - 1]), *others[n - 1 :]]
    (folder / "gold.conllu").write_text("\n\n".join(marked), encoding="utf-8")
    return folder / "gold.conllu"


def test_steps_and_hooks_decide_by_sentence_where_documents_are_few(tmp_path):
    gold = with_documents(tmp_path, 4)
    hook = hooks()[1]
    for unit, code in ("auto", 2), ("sentence", 1):
        given = {"gold": gold, "system": BETA, "baseline": ALPHA, "fail_if_worse": "LAS", "resample_by": unit}
        found, said, _ = run_action(tmp_path, files="", **given)
        assert found == code
        assert ("use --resample-by sentence" in said) is (unit == "auto")
        arguments = [gold, ALPHA, BETA, "--fail-if-worse=LAS", f"--resample-by={unit}"]
        command = [sys.executable, "-m", *hook["entry"].split(), *map(str, arguments)]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == code


def test_warnings_fail_strict_steps_and_hooks(tmp_path):
    file = tmp_path / "warned.conllu"
    file.write_text("1\ta\t_\t_\t_\t_\t0\tfoo\t_\t_\n\n")
    for strict, code in (("false", 0), ("true", 2)):
        assert run_action(tmp_path, files=file, strict=strict)[0] == code
    hook, _ = hooks()
    for arguments, code in ((hook["args"], 0), (["--strict", "--"], 2)):
        command = [sys.executable, "-m", *hook["entry"].split(), *arguments, str(file)]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == code
