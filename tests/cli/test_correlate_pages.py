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
    session = next(one for one in REPLICATION if "--matrix" in one)
    (names,) = re.findall(r"^Pearson +\|(.*)$", session, re.MULTILINE)
    lines = [line.split("|") for line in session.partition("-+-")[2].split("\n")[1:8]]
    ours = {
        (line[0].strip(), name.strip()): cell.strip()
        for line in lines
        for name, cell in zip(names.split("|"), line[1:], strict=True)
        if cell.strip()
    }
    _, *rows = text_of("docs/studies/callin-correlations-1.tsv").splitlines()
    assert len(rows) == 28
    assert {(x, y): r for x, y, _, r in (row.split("\t") for row in rows)} == ours
