"""The README's session is real: its commands are run and its output compared."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)


def run(command: str) -> str:
    """Run a `levelhead` command in the repository and return all it prints."""
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8")
    return done.stdout + done.stderr


def scrubbed(text: str) -> str:
    """Leave out what depends on the Python that runs it."""
    return re.sub(r"unicode:[0-9.]+", "unicode:*", text)


@pytest.mark.parametrize("session", SESSIONS, ids=[session.split("\n")[0][2:60] for session in SESSIONS])
def test_console_sessions_print_what_the_readme_shows(session: str) -> None:
    command, _, expected = session.partition("\n")
    assert scrubbed(run(command.removeprefix("$ "))) == scrubbed(expected)


def test_python_session_prints_what_the_readme_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", README, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def write_sessions() -> None:
    """Put the present output into the README; for whoever changed a command on purpose."""
    text = README
    for session in SESSIONS:
        command = session.partition("\n")[0]
        text = text.replace(f"```console\n{session}```", f"```console\n{command}\n{run(command.removeprefix('$ '))}```")
    (ROOT / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__" and os.environ.get("UPDATE"):
    write_sessions()
