"""The sessions of docs/parsers.md are real: their commands are run in an empty folder next to the examples."""

import os
from pathlib import Path

import pytest

from documentation import CONSOLE, ROOT, console, scrubbed, text_of

PAGE = "docs/parsers.md"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_the_sessions_print_what_the_page_shows(tmp_path: Path) -> None:
    """A parser and a baseline are trained, run and compared in five commands."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    sessions = CONSOLE.findall(text_of(PAGE))
    assert [session.count("$ levelhead") for session in sessions] == [5]
    for session in sessions:
        assert scrubbed(console(session, tmp_path)) == scrubbed(session)
