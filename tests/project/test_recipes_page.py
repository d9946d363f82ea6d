"""The recipes of docs/recipes.md are run, each in a folder with the examples and for itself; they are short."""

import re
from pathlib import Path

import pytest

from conftest import EXAMPLES, library
from documentation import PYTHON, python, text_of

RECIPES = dict(re.findall(r"^## (.+)\n((?:.*\n)*?)(?=## |\Z)", text_of("docs/recipes.md"), re.MULTILINE))
DATA = "conll18/"  # the folder of the shared task
MOST_LINES = 25


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the examples."""
    for name in ("pandas", "scipy", "statsmodels"):
        library(name)
    for path in EXAMPLES.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def session_of(title: str) -> str:
    (session,) = PYTHON.findall(RECIPES[title])
    return session


def test_there_are_four_short_recipes() -> None:
    lines = {title: len(re.findall(r"^(?:>>>|\.\.\.)", session_of(title), re.MULTILINE)) for title in RECIPES}
    assert len(lines) == 4
    assert {title: n for title, n in lines.items() if not 0 < n <= MOST_LINES} == {}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("title", [title for title in RECIPES if DATA not in session_of(title)])
def test_recipes_print_what_the_page_shows(title: str) -> None:
    assert python(session_of(title), {}) == session_of(title)


@pytest.mark.slow
@pytest.mark.parametrize("title", [title for title in RECIPES if DATA in session_of(title)])
def test_recipes_for_real_treebanks_print_what_the_page_shows(title: str, folder: Path, data: Path) -> None:
    (folder / DATA).symlink_to(data / DATA)
    assert python(session_of(title), {}) == session_of(title)
