"""The sessions of docs/recover.md are real: they are run in a folder with the examples."""

import shutil
from pathlib import Path

import pytest

from documentation import CONSOLE, PYTHON, ROOT, python, run, text_of

PAGE = "docs/recover.md"


def page_in(folder: Path) -> str:
    """Return the page with what its sessions print now."""
    shutil.copytree(ROOT / "examples/recover", folder, dirs_exist_ok=True)
    names: dict[str, object] = {}

    def console(session: str) -> str:
        commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
        return "".join(f"$ {command}\n{run(command, folder)}" for command in commands)

    text = CONSOLE.sub(lambda match: console(match[0]), text_of(PAGE))
    return PYTHON.sub(lambda match: python(match[0], names), text)


def test_sessions_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert page_in(tmp_path) == text_of(PAGE)
    assert (tmp_path / "recovered.conllu").exists()
