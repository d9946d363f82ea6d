"""Paths of results that cannot be written: the message says what is wrong in plain words."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.errors import OutputError
from levelhead.treebank.write import check_file, check_folder, replace_file

GOLD, SYSTEM = EXAMPLES / "parallel/gold/en.conllu", EXAMPLES / "parallel/systems/alpha/en.conllu"


@pytest.mark.parametrize("write", [check_file, lambda path: replace_file(path, [b"x"])])
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("folder", "this is the name of a folder: name a file"),
        ("folder/", "this is the name of a folder: name a file"),
        ("new/", "this is the name of a folder: name a file"),
        ("none/a/b", "the folder {}/none does not exist"),
        ("file/a", "{}/file is not a folder"),
        ("file/a/b", "{}/file is not a folder"),
        ("link/a", "{}/link is not a folder"),
    ],
)
def test_a_file_that_cannot_be_written(write: Callable[[str], None], path: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OutputError) as caught:
        write(f"{tmp_path}/{path}")
    assert str(caught.value) == f"{tmp_path}/{path}: output: {reason.format(tmp_path)}"
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "file/a"):
        with pytest.raises(OutputError, match=rf"output: {tmp_path}/file is not a folder$"):
            check_folder(tmp_path / name)


def test_a_page_of_scores_is_not_written_to_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`rank` writes folders; `score` refuses one before it reads anything, and leaves no file of that name."""
    assert program.run(["score", os.fspath(GOLD), os.fspath(SYSTEM), "--report", f"{tmp_path}/report/"]) == 2
    assert capsys.readouterr() == ("", f"{tmp_path}/report/: output: this is the name of a folder: name a file\n")
    assert not list(tmp_path.iterdir())
