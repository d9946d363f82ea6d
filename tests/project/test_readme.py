"""The sessions shown in the README and in the documentation are real: they are run and their output compared."""

from pathlib import Path

import pytest

from conftest import library
from documentation import CONSOLE, PAGES_WITH_SESSIONS, PYTHON, console, folder_of, python, scrubbed, text_of
from levelhead._version import VERSION

SESSIONS = [
    pytest.param(session, folder_of(page), id=f"{page}: {session[:60]}")
    for page in PAGES_WITH_SESSIONS
    for session in CONSOLE.findall(text_of(page))
]


@pytest.mark.parametrize(("session", "folder"), SESSIONS)
def test_console_sessions_print_what_the_page_shows(session: str, folder: Path) -> None:
    assert scrubbed(console(session, folder)) == scrubbed(session)


@pytest.mark.parametrize("page", [page for page in PAGES_WITH_SESSIONS if PYTHON.search(text_of(page))])
def test_python_sessions_print_what_the_page_shows(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder_of(page))
    if '"pandas"' in text_of(page):
        library("pandas")
    names: dict[str, object] = {}
    for session in PYTHON.findall(text_of(page)):
        assert python(session, names) == session


def test_definitions_on_the_page_are_those_of_the_examples() -> None:
    definitions = text_of("examples/definitions.toml")
    assert f"```toml\n{definitions}```" in text_of("docs/own-measures.md")


def test_stale_sessions_are_written_anew() -> None:
    stale = ">>> a = 1\n>>> a\n2\n>>> for i in range(a):\n...     i\n>>> 1 / 0\n>>> int('x')\nTraceback\n  x\nValueError: y\n"
    fresh = python(stale, {})
    assert fresh == (
        ">>> a = 1\n>>> a\n1\n>>> for i in range(a):\n...     i\n0\n"
        ">>> 1 / 0\nTraceback (most recent call last):\n  ...\nZeroDivisionError: division by zero\n"
        ">>> int('x')\nTraceback (most recent call last):\n  ...\n"
        "ValueError: invalid literal for int() with base 10: 'x'\n"
    )
    assert python(fresh, {}) == fresh
    assert console("$ levelhead --version\nstale\n") == f"$ levelhead --version\nlevelhead, version {VERSION}\n"
