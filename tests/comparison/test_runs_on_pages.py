"""The page of a comparison of systems with several training runs."""

import re

import pytest

from conftest import EXAMPLES
from levelhead.cli import program

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
RUNS = {"old": ("alpha", "gamma"), "new": ("beta", "alpha")}


@pytest.fixture
def page(tmp_path):
    """The page of two systems with two runs each, on as many treebanks as are named."""

    def written(*treebanks: str) -> str:
        for code in treebanks:
            _link(GOLD / f"{code}.conllu", tmp_path / "gold" / f"{code}.conllu")
            for system, runs in RUNS.items():
                for number, run in enumerate(runs, 1):
                    _link(SYSTEMS / run / f"{code}.conllu", tmp_path / system / f"seed{number}" / f"{code}.conllu")
        target = tmp_path / "page.html"
        paths = [str(tmp_path / name) for name in ("gold", "old", "new")]
        assert program.run(["compare", *paths, "-m", "LAS", "--report", str(target)]) == 0
        return target.read_text(encoding="utf-8")

    return written


def _link(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source)


def test_runs_of_other_systems_are_chosen_before_those_of_the_baseline(page):
    options = re.findall(r"<option[^>]*>([^<]*)", page("de"))
    assert options == ["new/seed1", "new/seed2", "old/seed2", "old/seed1"]


def test_captions_name_the_run_that_others_are_compared_with(page):
    text = page("de")
    assert "Differences in LAS from old/seed1 by property of words" in text
    assert "than in the output of old/seed1" in text
    assert "Differences from old in points" in text  # the means of runs


def test_means_of_runs_are_shown_on_each_treebank(page):
    text = page("de", "fr")
    assert "new on each treebank" in text
    assert "old/seed2" in text
