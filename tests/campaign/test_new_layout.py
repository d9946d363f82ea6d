"""A new layout of files is one entry of `LAYOUTS`, and works wherever folders of treebanks are read."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.treebank.layouts import gold as layouts
from levelhead.treebank.layouts.gold import LAYOUTS, FolderLayout

PARALLEL = EXAMPLES / "parallel"
CODES = ("en", "fi", "tr")


def name_of_folder(path: Path) -> str | None:
    return path.parent.name if path.name == "words.conllu" else None


FOLDER_EACH = FolderLayout(CODES.__contains__, name=name_of_folder)
"""Each treebank is the file `words.conllu` of a folder of its own, which has its name: `gold/en/words.conllu`."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The examples in both layouts: `files`, and `folders`."""
    monkeypatch.setattr(layouts, "LAYOUTS", {**LAYOUTS, "a folder each": FOLDER_EACH})
    for part in ("gold", "systems/alpha", "systems/beta"):
        for code in CODES:
            target = tmp_path / "folders" / part / code / "words.conllu"
            target.parent.mkdir(parents=True)
            shutil.copyfile(PARALLEL / part / f"{code}.conllu", target)
            target = tmp_path / "files" / part / f"{code}.conllu"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PARALLEL / part / f"{code}.conllu", target)
    return tmp_path


def without_paths(document: object) -> object:
    if isinstance(document, dict):
        return {key: without_paths(value) for key, value in document.items()}
    if isinstance(document, list):
        return [without_paths(value) for value in document]
    return None if isinstance(document, str) and "/" in document else document


@pytest.mark.parametrize(
    ("verb", "parts", "options"),
    [
        ("score", ["gold", "systems/alpha"], []),
        ("rank", ["gold", "systems"], ["--no-significance"]),
        ("compare", ["gold", "systems/alpha", "systems/beta"], []),
        ("profile", ["gold"], []),
        ("validate", ["gold"], []),
    ],
)
def test_a_new_layout_is_one_entry(
    verb: str, parts: list[str], options: list[str], folder: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    documents = []
    for layout in ("folders", "files"):
        code, printed, _ = run(verb, *(folder / layout / part for part in parts), *options, "--format", "json")
        assert code == 0
        documents.append(without_paths(json.loads(printed)))
    assert documents[0] == documents[1]
