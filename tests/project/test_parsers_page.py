"""The tutorial of docs/parsers.md is real: its commands are run in an empty folder beside the examples."""

import os
from pathlib import Path

import pytest

from documentation import CONSOLE, ROOT, run, scrubbed, text_of

PAGE = "docs/parsers.md"


def session_in(folder: Path, session: str) -> str:
    """Return a session with what its commands print now."""
    (folder / "examples").symlink_to(ROOT / "examples")
    commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{run(command, folder)}" for command in commands)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_the_tutorial_prints_what_the_page_shows(tmp_path: Path) -> None:
    """From a treebank to a tested comparison in five commands."""
    (session,) = CONSOLE.findall(text_of(PAGE))
    assert session.count("$ levelhead") == 5
    assert scrubbed(session_in(tmp_path, session)) == scrubbed(session)
