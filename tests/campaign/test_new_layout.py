"""A new layout of files is one entry of `LAYOUTS`, and works wherever folders of treebanks are read."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.report.page.blocks import treebank_name
from levelhead.studies.request import StudyRequest, parts_of
from levelhead.treebank.layouts import gold as layouts
from levelhead.treebank.layouts.gold import LAYOUTS, FolderLayout

PARALLEL = EXAMPLES / "parallel"
CODES = ("en", "fi", "tr")


NAMES = {"gold": "gold.txt.conllu", "systems/alpha": "out.conllu", "systems/udp": "out.conllu"}


def has_treebank(folder: Path) -> bool:
    return any((folder / name).is_file() for name in NAMES.values())


def name_of_folder(path: Path) -> str | None:
    return path.parent.name if path.name in NAMES.values() else None


FOLDER_EACH = FolderLayout(has_treebank, name=name_of_folder)
"""Each treebank is a file in a folder of its own, which has its name: `gold/en/gold.txt.conllu`, `alpha/en/out.conllu`.

Any folder could have the name of a treebank, also that of the system `udp`.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The examples in both layouts: `files`, and `folders`."""
    monkeypatch.setattr(layouts, "LAYOUTS", {**LAYOUTS, "a folder each": FOLDER_EACH})
    for part, name in NAMES.items():
        for code in CODES:
            for place in (f"folders/{part}/{code}/{name}", f"files/{part}/{code}.conllu"):
                (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(PARALLEL / part.replace("udp", "beta") / f"{code}.conllu", tmp_path / place)
    return tmp_path


def without_paths(document: Any) -> Any:
    if isinstance(document, dict):
        named = ((n if "/" in key else key, value) for n, (key, value) in enumerate(document.items()))
        return {key: without_paths(value) for key, value in named}
    if isinstance(document, list):
        return [without_paths(value) for value in document]
    return None if isinstance(document, str) and "/" in document else document


@pytest.mark.parametrize(
    ("verb", "parts", "options"),
    [
        ("score", ["gold", "systems/alpha"], []),
        ("rank", ["gold", "systems"], ["--no-significance"]),
        ("compare", ["gold", "systems/alpha", "systems/udp"], []),
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
    if verb == "rank":
        assert {row["system"] for row in documents[0]["tables"]["outputs"]} == {"alpha", "udp"}


def test_a_file_has_the_name_that_its_layout_gives(folder: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    gold, *systems = (folder / "folders" / part / "en" / name for part, name in NAMES.items())
    code, printed, _ = run("compare", gold, *systems, "-m", "LAS", "--format", "json")
    assert (code, {result["treebank"] for result in json.loads(printed)["tables"]["results"]}) == (0, {"en"})
    treebank = levelhead.read(gold)
    assert treebank_name(treebank) == "en"
    assert [*levelhead.profile(treebank)] == ["en"]
    assert [*parts_of(StudyRequest((gold,)))] == ["en"]


def test_messages_name_the_folders(folder: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    gold, systems = folder / "folders/gold", folder / "folders/systems"
    shutil.rmtree(gold / "en")
    (systems / "alpha/fi/out.conllu").unlink()
    assert "(ignored): en/out.conllu;" in " ".join(run("score", gold, systems / "alpha")[2].split())
    shutil.rmtree(systems / "alpha/tr")
    assert "found en/out.conllu" in " ".join(run("score", gold, systems / "alpha")[2].split())
    shutil.copyfile(gold / "fi/gold.txt.conllu", gold / "fi.conllu")
    assert "both treebanks (fi.conllu) and folders of treebanks (fi):" in run("score", gold, systems / "udp")[2]
