"""Answers and files of answers that are made to do harm, or are in the wrong format."""

import json
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead import InputError

GOLD = levelhead.read(EXAMPLES / "recover" / "gold.conllu")
ANSWERS = (EXAMPLES / "recover" / "answers.txt").read_text(encoding="utf-8").split("==========\n")
HUGE = "0x" + "f" * 5000
"""A number that Python reads but refuses to write with decimal digits."""


@pytest.mark.parametrize(
    "answer",
    [
        f"[{{'id': 1, 'form': {HUGE}, 'head': 2}}, {{'id': 2, 'form': 'x', 'head': 0}}]",
        f"[{{{HUGE}: 1, 'form': 'x', 'head': 2}}, {{'id': 2, 'form': 'x', 'head': 0}}]",
        f"[[1, {HUGE}, 2, 'dep'], [2, 'x', 0, 'root']]",
    ],
)
def test_numbers_that_cannot_be_written(answer: str) -> None:
    found = levelhead.recover([answer, *ANSWERS[1:]], GOLD)
    assert found.answers[0].words == len(GOLD[0].words)
    assert [one.recovered for one in found.answers[1:]] == [
        one.recovered for one in levelhead.recover(ANSWERS, GOLD).answers[1:]
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "answers.txt"
    text = "\n\n".join(ANSWERS)
    path.write_bytes(("\ufeff" if encoding == "utf-16-be" else "").encode(encoding) + text.encode(encoding))
    with pytest.raises(InputError, match="the file is UTF-16, not UTF-8"):
        levelhead.recover(path, GOLD)


def test_marker_lines_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    path.write_bytes(b"".join(b"R\xe9ponse\n" + answer.encode() for answer in ANSWERS))
    with pytest.raises(InputError, match=r"answers\.txt:1: encoding: the byte 0xe9 is not UTF-8"):
        levelhead.recover(path, GOLD)


@pytest.mark.parametrize("field", [None, "answer"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_json(tmp_path: Path, field: str | None, indent: int | None) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([{"answer": answer} for answer in ANSWERS], indent=indent), encoding="utf-8")
    with pytest.raises(InputError, match="one object per line") as caught:
        levelhead.recover(path, GOLD, field=field)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("field", [None, "answer"])
def test_names_of_fields_that_are_long(tmp_path: Path, field: str | None) -> None:
    for name, text in (("a.csv", "x" * 100_000 + ",b\n1,2\n"), ("a.jsonl", json.dumps({"x" * 100_000: 1}) + "\n")):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            levelhead.recover(path, GOLD, field=field)
        assert len(str(caught.value)) < 400


def test_a_separator_that_no_file_can_have(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    path.write_text("\n\n".join(ANSWERS), encoding="utf-8")
    with pytest.raises(InputError, match="no line starts with the separator"):
        levelhead.recover(path, GOLD, separator="\ud800")
