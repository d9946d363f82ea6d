"""The sessions of docs/language-models.md are real: they are run in a folder with the examples."""

import shutil
from pathlib import Path

import pytest

from documentation import CONSOLE, PYTHON, ROOT, python, run, scrubbed, text_of

PAGE = "docs/language-models.md"


def page_in(folder: Path) -> str:
    """Return the page with what its sessions print now."""

    def console(session: str) -> str:
        commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
        return "".join(f"$ {command}\n{run(command, folder)}" for command in commands)

    names: dict[str, object] = {}
    text = CONSOLE.sub(lambda match: console(match[0]), text_of(PAGE))
    return PYTHON.sub(lambda match: python(match[0], names), text)


def test_sessions_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    folder = tmp_path / "examples/language-models"
    monkeypatch.chdir(folder)
    assert scrubbed(page_in(folder)) == scrubbed(text_of(PAGE))
