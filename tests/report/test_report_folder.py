"""Reports in folders: names of files, what is refused, and that a folder is never half a report."""

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

import levelhead
from levelhead.cli import program
from levelhead.errors import InputError, OutputError
from levelhead.report.page.ranking_report import INDEX, MARKER, file_names, is_folder

pytestmark = pytest.mark.usefixtures("few")

GOLD, SYSTEMS = Path("gold"), Path("systems")  # in the folder `few`
N_TREEBANKS = 4


@cache
def ranking() -> object:
    return levelhead.rank(GOLD, SYSTEMS, measures="LAS", significance=False, prepare="pages")


def report(path: object) -> None:
    levelhead.write_report(ranking(), path)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report in a new folder of a new folder; tests change a copy."""
    folder = tmp_path_factory.mktemp("written") / "new" / "pages"
    report(f"{folder}/")
    return folder


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_valid_output_has_a_page_and_every_link_leads_to_one(written: Path) -> None:
    found = files(written)
    pages = found - {INDEX, MARKER}
    assert len(pages) == 3 * N_TREEBANKS - 1  # one output of gamma is invalid
    assert set(json.loads((written / MARKER).read_text())["files"]) == {INDEX, *pages}
    for name in (INDEX, *sorted(pages)[:3]):
        links = re.findall(r'href="([^"#]+\.html)"', (written / name).read_text(encoding="utf-8"))
        assert links
        assert all(((written / name).parent / link).is_file() for link in links)


def test_an_older_report_is_replaced_as_a_whole(tmp_path: Path, written: Path) -> None:
    first = files(shutil.copytree(written, tmp_path / "pages"))
    (tmp_path / "pages" / INDEX).write_text("older")
    levelhead.write_report(
        levelhead.rank(GOLD, {"alpha": SYSTEMS / "alpha"}, measures="LAS", prepare="pages"), tmp_path / "pages"
    )
    assert files(tmp_path / "pages") == {name for name in first if not name.startswith(("beta", "gamma"))}
    assert (tmp_path / "pages" / INDEX).read_text(encoding="utf-8") != "older"
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


@pytest.mark.parametrize("name", ["notes.txt", "alpha/notes.txt", ".hidden"])
def test_what_is_not_ours_is_kept(tmp_path: Path, written: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(written, tmp_path / "pages")
    (folder / name).write_text("mine")
    before = files(folder)
    with pytest.raises(OutputError, match=re.escape(name)):
        report(folder)
    command = ["rank", GOLD, SYSTEMS, "--report", folder]
    assert program.run(list(map(str, command))) == 2
    assert name in capsys.readouterr().err
    assert files(folder) == before


def test_a_folder_with_a_false_marker_is_refused(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"kind": "levelhead report", "files": 3}', '{"files": ["x"]}'):
        (tmp_path / MARKER).write_text(text)
        (tmp_path / "x").write_text("mine")
        with pytest.raises(OutputError, match="not from an older report"):
            report(tmp_path)


def test_when_writing_fails_the_older_report_stays(
    tmp_path: Path, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(written, tmp_path / "pages")
    before = (tmp_path / "pages" / INDEX).read_bytes()

    rename = Path.rename

    def full(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OutputError, match="No space left"):
        report(f"{tmp_path}/pages/")
    assert (tmp_path / "pages" / INDEX).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


ODD = [
    "plain-1.2_x", "a/b", "a b", "../up", "..", ".", "", "CON", "con.x", "Ä", "ä", "x'\"<i>", "A", "a", "index.html",
    "\udcff", "n" * 300, "\u202eevil", "-dash", MARKER,
]  # fmt: skip


def test_file_names_are_safe_and_differ() -> None:
    found = file_names(ODD)
    assert found["plain-1.2_x"] == "plain-1.2_x"
    assert len({name.lower() for name in found.values()}) == len(ODD)
    for name in found.values():
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,80}", name)
        assert not re.fullmatch(r"(?i)(con|prn|aux|nul)(\..*)?", name)
    assert file_names(ODD) == found


def test_systems_with_odd_names_have_pages(tmp_path: Path) -> None:
    systems = {"<b>a/b": SYSTEMS / "alpha", "Alpha": SYSTEMS / "beta", "alpha": SYSTEMS / "alpha"}
    levelhead.write_report(
        levelhead.rank(GOLD, systems, measures="LAS", significance=False, prepare="pages"), f"{tmp_path}/pages/"
    )
    assert len(files(tmp_path / "pages")) == 2 + 3 * N_TREEBANKS
    assert "<b>a/b" not in (tmp_path / "pages" / INDEX).read_text(encoding="utf-8")


def test_what_cannot_be_written_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert program.run(["rank", "/no", "/no", "--report", f"{tmp_path}/file/"]) == 2
    with pytest.raises(InputError, match="a table of scores cannot be reported to a folder"):
        levelhead.rank(scores="/no", prepare="pages")
    assert program.run(["rank", "--scores", "/no", "--report", f"{tmp_path}/pages/"]) == 2
    with pytest.raises(InputError, match="partial scores cannot be reported to a folder"):
        levelhead.rank("/no", "/no", partial=True, prepare="pages")
    assert program.run(["rank", "/no", "/no", "--partial", "--report", f"{tmp_path}/pages/"]) == 2
    with pytest.raises(OutputError):
        report(f"{tmp_path}/file/")
    assert not (tmp_path / "pages").exists()


def test_a_file_is_one_page(tmp_path: Path) -> None:
    report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "95% CI" not in text  # without significance
    assert not is_folder(tmp_path / "page.html")
    levelhead.write_report(levelhead.rank(GOLD, SYSTEMS, measures="LAS", prepare="page"), tmp_path / "page.html")
    assert "95% CI" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
