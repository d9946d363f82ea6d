"""A shared task on morphosyntactic parsing."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.task.description import SharedTask, check_measures, measures_of, read_task
from levelhead.task.folders import create_task
from levelhead.task.gold_trees import check_inputs
from levelhead.task.scoring import score_submission


@pytest.fixture
def task(tmp_path: Path) -> SharedTask:
    """A task whose organizer wrote the description and added gold and inputs."""
    folder = create_task(tmp_path / "task", None)
    text = folder.description.read_text()
    text = text.replace('rules = "ud"', 'rules = "msp25"').replace('measures = ["LAS", "MLAS", "BLEX", "CLAS"]\n', "")
    folder.description.write_text(text)
    for gold in (EXAMPLES / "msp/gold").iterdir():
        shutil.copy(gold, folder.gold)
        lines = gold.read_text().splitlines()
        covered = (line for line in lines if line.startswith("#") or not line)
        (folder.blind / gold.name).write_text("".join(f"{line}\n" for line in covered))
    return read_task(tmp_path / "task")


def test_a_submission_is_scored(task: SharedTask, tmp_path: Path) -> None:
    """By MSLAS, LAS and Feats, with the exact values of `levelhead score`."""
    check_inputs(task)
    check_measures(task)
    assert measures_of(task) == ("MSLAS", "LAS", "Feats")
    document = score_submission(task, EXAMPLES / "msp/systems/beta", tmp_path / "result.json")
    assert document["signature"]["rules"] == "msp25"
    values = document["results"]["tr"]["values"]
    assert {name: Fraction(value) for name, value in values.items()} == {
        "MSLAS": Fraction(13, 14),
        "LAS": Fraction(1),
        "Feats": Fraction(13, 14),
    }


def test_an_output_that_is_refused_counts_0_and_says_why(task: SharedTask, tmp_path: Path) -> None:
    """The reason names the line, if any, and reveals nothing about gold."""
    shutil.copytree(EXAMPLES / "msp/systems/beta", tmp_path / "outputs")
    english, turkish = tmp_path / "outputs/en.conllu", tmp_path / "outputs/tr.conllu"
    english.write_text(english.read_text().replace("\t3\tobj", "\t99\tobj"))
    turkish.write_text(turkish.read_text().split("\n\n")[0] + "\n\n")
    results = score_submission(task, tmp_path / "outputs", tmp_path / "result.json")["results"]
    assert results["en"]["reasons"] == [
        "line 7: refused-by-rules: the HEAD 99 points outside of the sentence, which has 8 words"
    ]
    assert results["tr"]["reasons"] == [
        "sentence-mismatch: The two files have different numbers of sentences, but are compared sentence by sentence."
    ]
    assert all(value == "0" for result in results.values() for value in result["values"].values())
