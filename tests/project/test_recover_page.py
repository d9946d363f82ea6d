"""The sessions of docs/recover.md are real: they are run in a folder with the examples."""

import shutil
from pathlib import Path

import pytest

from documentation import ROOT, page_in, text_of

PAGE = "docs/recover.md"


def test_sessions_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples/recover", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert page_in(PAGE, tmp_path) == text_of(PAGE)
    assert (tmp_path / "recovered.conllu").exists()
