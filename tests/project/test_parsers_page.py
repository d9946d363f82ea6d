"""The sessions of docs/parsers.md are real: their commands are run in an empty folder next to the examples."""

import os
from pathlib import Path

import pytest

from documentation import CONSOLE, ROOT, run, scrubbed, text_of

PAGE = "docs/parsers.md"


def session_in(folder: Path, session: str) -> str:
    """Return a session with what its commands print now."""
    commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{run(command, folder)}" for command in commands)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_the_sessions_print_what_the_page_shows(tmp_path: Path) -> None:
    """From a treebank to a tested comparison in five commands; the ensemble; then the floor, next to a parser of the first session."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    sessions = CONSOLE.findall(text_of(PAGE))
    assert [session.count("$ levelhead") for session in sessions] == [5, 3, 5]
    for session in sessions:
        assert scrubbed(session_in(tmp_path, session)) == scrubbed(session)
