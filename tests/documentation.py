"""The README and the documentation: their pages, and the sessions shown there, run again.

`python tests/documentation.py` writes the sessions again, after a change of what a command prints. A page whose first
session begins with `$ cd FOLDER` runs all its sessions in that folder. Lines of more than 100 columns are folded.
"""
# ruff: noqa: ARG002 -- doctest tells its runner more than is needed here

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import traceback
from pathlib import Path
from unittest import mock

from levelhead.cli import program

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        ROOT / "README.md",
        *(path for folder in ("docs", "development") for path in (ROOT / folder).glob("*.md")),
        ROOT / "docs/studies/callin-correlations.md",
    ]
)
PAGES_WITH_SESSIONS = (
    "README.md", "docs/index.md", "docs/tutorial.md", "docs/score.md", "docs/compare.md", "docs/errors.md", "docs/ci.md",
    "docs/power.md",
    "docs/concepts.md", "docs/release.md", "docs/agreement.md", "docs/typology.md", "development/contributing.md",
    "docs/classes.md", "docs/own-measures.md", "docs/leakage.md", "docs/migration.md", "docs/morphosyntax.md", "docs/studies.md",
    "docs/derivation.md", "docs/rank.md", "docs/input.md", "docs/suspects.md", "docs/papers.md", "docs/difficulty.md",
    "docs/conversion.md",
)  # fmt: skip
COLUMNS, TERMINAL = 100, 80
"""How wide a line of a code block may be, and the terminal of sessions."""
CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
FOLDER = re.compile(r"^\$ cd (\S+)$", re.MULTILINE)
INLINE = re.compile(r"`(levelhead [^`]+)`")
PYTHON = re.compile(r"(?<=```pycon\n).*?(?=```)", re.DOTALL)


def text_of(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def rows_on(study: str, heading: str) -> list[list[str]]:
    """Return the cells of the table that a study's page links under a heading."""
    (file,) = re.findall(rf"\*\*\[{re.escape(heading)}\]\((.*?)\)\*\*", text_of(f"docs/studies/{study}.md"))
    return [line.split("\t") for line in text_of(f"docs/studies/{file}").splitlines()]


class Screen(io.TextIOWrapper):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def run(command: str, folder: Path = ROOT) -> str:
    """Run a `levelhead` command here, in a folder (the repository itself by default), and return all it prints."""
    assert command.startswith("levelhead "), command
    out, err = Screen(io.BytesIO(), encoding="utf-8"), io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    surroundings = mock.patch.dict(os.environ, {"COLUMNS": str(TERMINAL), "NO_COLOR": "1"})
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), surroundings:
        program.run(shlex.split(command)[1:])
    return "".join(_text_in(stream) for stream in (out, err))


def _text_in(stream: io.TextIOWrapper) -> str:
    """Return all that was written to a stream in memory."""
    stream.seek(0)
    return stream.read()


def console(session: str, folder: Path = ROOT) -> str:
    """Return a session with what its commands print now in a folder, the repository itself by default."""
    commands = re.findall(r"^\$ (?:.*\\\n)*.*\n", session, re.MULTILINE)
    return "".join(command + _printed(command, folder) for command in commands)


def _printed(command: str, folder: Path) -> str:
    """Return what a command of a session prints; `cd` prints nothing."""
    words = re.sub(r"\\\n(?:> )? *", "", command.removeprefix("$ ")).strip()
    return "" if words.startswith("cd ") else folded(run(os.path.expandvars(words), folder))


def folded(text: str) -> str:
    """Return text whose long lines go on in the next line, as in a narrow terminal."""
    return "".join(_folded(line) for line in text.splitlines(keepends=True))


def _folded(line: str) -> str:
    """Fold a line at spaces, a signature at `|`."""
    if len(line.rstrip("\n")) <= COLUMNS or line.startswith("|"):  # rows of Markdown
        return line
    end = line.rfind("|" if SIGNATURE.match(line) else " ", 1, COLUMNS)
    if end < COLUMNS // 4 or not line[:end].strip():
        return line
    return f"{line[: end + 1].rstrip(' ')}\n" + _folded(f"  {line[end + 1 :]}")


SIGNATURE = re.compile(r" *[\w.-]+:[^ ]+\|")


def folder_of(page: str | Path) -> Path:
    """Return the folder in which the sessions of a page run."""
    found = FOLDER.search(text_of(page))
    return ROOT / found[1] if found else ROOT


class Recorder(doctest.DocTestRunner):
    """Keeps what each example prints, by its line; what was expected where that is as good."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.printed: dict[int, str] = {}

    def report_start(self, out, test, example) -> None:
        pass

    def report_success(self, out, test, example, got) -> None:
        self.printed[example.lineno] = example.want

    def report_failure(self, out, test, example, got) -> None:
        frames = r"(?<=^Traceback \(most recent call last\):\n)(?:.*\n)* .*\n"  # of causes too
        self.printed[example.lineno] = re.sub(frames, "  ...\n", got)

    def report_unexpected_exception(self, out, test, example, exc_info) -> None:
        raised = "".join(traceback.format_exception_only(exc_info[1]))
        self.printed[example.lineno] = f"Traceback (most recent call last):\n  ...\n{raised}"


def python(session: str, names: dict[str, object]) -> str:
    """Return a session with what its lines print now; names live on to the page's next session."""
    parser, recorder = doctest.DocTestParser(), Recorder()
    test = parser.get_doctest(session, names, "session", None, 0)
    test.globs = names
    recorder.run(test, out=lambda _: None, clear_globs=False)
    parts = []
    for part in parser.parse(session):
        if isinstance(part, doctest.Example):
            first, *rest = part.source.splitlines()
            parts += [f">>> {first}\n", *(f"... {line}\n" for line in rest), recorder.printed[part.lineno]]
        else:
            parts.append(part)
    return "".join(parts)


def scrubbed(text: str) -> str:
    """Leave out what depends on the Python and numpy that run it, and fold all lines alike."""
    unfolded = re.sub(r"\|\n  (?=\S+$)", "|", folded(text), flags=re.MULTILINE)  # versions are of different lengths
    return re.sub(r"(unicode|numpy):[0-9.]+", r"\1:*", re.sub(r"\bid [0-9a-f]{8} \|", "id * |", unfolded))


def page_in(page: str, folder: Path = ROOT) -> str:
    """Return a page with what its sessions print now; those of Python run where this program does."""
    names: dict[str, object] = {}
    text = CONSOLE.sub(lambda match: console(match[0], folder), text_of(page))
    return PYTHON.sub(lambda match: python(match[0], names), text)


def write_sessions(page: str) -> None:
    """Put the present output into a page."""
    with contextlib.chdir(folder_of(page)):
        (ROOT / page).write_text(page_in(page, folder_of(page)), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES_WITH_SESSIONS:
        write_sessions(name)
