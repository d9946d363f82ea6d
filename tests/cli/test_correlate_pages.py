"""The sessions of docs/correlate.md, docs/judge.md and docs/studies/callin-correlations.md print what the pages show."""

import re
import shutil
from pathlib import Path

import pytest

from conftest import EXAMPLES
from documentation import CONSOLE, ROOT, console, scrubbed, text_of

CORRELATE, JUDGE, REPLICATION = (
    CONSOLE.findall(text_of(f"docs/{name}.md")) for name in ("correlate", "judge", "studies/callin-correlations")
)


def test_the_how_to(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy of the examples, since the first session writes the tables of the others."""
    monkeypatch.setenv("JUDGED", str(data / "human-judgments"))
    folder = shutil.copytree(EXAMPLES / "parallel", tmp_path / "parallel")
    for session in (*CORRELATE, *JUDGE):
        assert scrubbed(console(session, folder)) == scrubbed(session)


@pytest.mark.parametrize("session", REPLICATION, ids=[session[:40] for session in REPLICATION])
def test_the_replication(session: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLIN", str(data / "callin/expected"))
    assert scrubbed(console(session, ROOT)) == scrubbed(session)


def test_table_3_of_the_replication() -> None:
    """The paper's numbers stand left of ours, which are those of the session above."""
    session = next(one for one in REPLICATION if "--matrix" in one).partition("-+-")[2]
    ours = [[cell.strip() for cell in line.split("|")] for line in session.split("\n")[1:8]]
    rows = re.findall(
        r"^\| ([A-Z][A-Za-z ]+) \| (.*/.*) \|$", text_of("docs/studies/callin-correlations.md"), re.MULTILINE
    )
    assert [name for name, _ in rows] == [line[0] for line in ours]
    for (_, cells), line in zip(rows, ours):
        assert [cell.strip().rpartition(" / ")[2] for cell in cells.split("|")] == line[1:]
