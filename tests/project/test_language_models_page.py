"""The sessions of docs/language-models.md are real: they are run in a folder with the examples."""

import shutil
from pathlib import Path

import pytest

from documentation import ROOT, page_in, scrubbed, text_of

PAGE = "docs/language-models.md"


def test_sessions_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    folder = tmp_path / "examples/language-models"
    monkeypatch.chdir(folder)
    assert scrubbed(page_in(PAGE, folder)) == scrubbed(text_of(PAGE))
