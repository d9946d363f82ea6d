"""`validate` hides nothing: every error and warning has its line, also after errors in other trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import levelhead
from command_line import levelhead as run
from levelhead.treebank import input_bytes, validation
from levelhead.treebank.input_bytes import PieceSizes

GOOD = "# sent_id = {0}\n1\ta\u00a0b\t_\t_\t_\tX\t0\troot\t_\t_\n2\tc\t_\t_\t_\t_\t1\tfoo\t5:x\t_\n\n"
NO_ROOT = "1\ta\t_\t_\t_\tX\t2\tdep\t_\t_\n2\tc\t_\t_\t_\t_\t1\tfoo\t1:\t_\n\n"
SHORT = "1\ta\t_\t_\tX\n\n"
COMMENT = "# alone\n\n"


def file_of(folder: Path, text: str) -> Path:
    path = folder / "f.conllu"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [1, 120, 1 << 22])
def test_every_incident_has_its_place(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, size))
    path = file_of(tmp_path, GOOD.format(1) + NO_ROOT + "\n \n" + SHORT + GOOD.format(1) + COMMENT + GOOD.format(1))
    found = levelhead.validate(path)
    assert [(fault.slug, fault.place.line, fault.place.sentence, fault.count) for fault in found.faults] == [
        ("no-root", 5, 2, 1),
        ("number-of-columns", 10, 3, 1),
        ("empty-sentence", 16, None, 1),
        ("blank-line-with-spaces", 9, None, 1),
        ("extra-blank-line", 8, None, 2),
        *(("unusual-character", line, sentence, 1) for line, sentence in ((2, 1), (13, 4), (19, 5))),
        *(("invalid-feats", line, sentence, 1) for line, sentence in ((2, 1), (5, 2), (13, 4), (19, 5))),
        ("invalid-deps", 6, 2, 1),
        *(("unknown-relation", line, sentence, 1) for line, sentence in ((3, 1), (6, 2), (14, 4), (20, 5))),
        *(("invalid-deps", line, sentence, 1) for line, sentence in ((3, 1), (14, 4), (20, 5))),
        *(("duplicate-sent-id", line, sentence, 1) for line, sentence in ((12, 4), (18, 5))),
    ]


def test_formats_list_what_text_counts(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD.format(1) * 3)
    lines = {2, 6, 10}
    jsonl = [json.loads(line) for line in run("validate", path, "--format", "jsonl").stdout.splitlines()]
    assert {one["line"] for one in jsonl if one["slug"] == "unusual-character"} == lines
    github = run("validate", path, "--format", "github").stdout
    assert all(f"line={line},title=unusual-character" in github for line in lines)
    text = run("validate", path).stdout
    assert text.count("unusual-character: FORM") == 1
    assert "(and 2 more such cases)" in text
    blank = run("validate", file_of(tmp_path, "\n" * 1000 + GOOD.format(1))).stdout
    assert "(and 999 more such cases)" in blank


def test_strict_fails_with_warnings(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD.format(1))
    assert run("validate", path).returncode == 0
    assert run("validate", path, "--strict").returncode == 2
    assert run("validate", "examples/parallel/gold/en.conllu", "--strict").returncode == 0


@pytest.mark.parametrize("size", [1, 1 << 22])
def test_lists_are_limited(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, size))
    monkeypatch.setattr(validation, "MOST_LISTED", 3)
    faults = levelhead.validate(file_of(tmp_path, GOOD.format(1) * 9)).faults
    assert [fault.count for fault in faults if fault.slug == "unusual-character"] == [1, 1, 7]
    assert [fault.count for fault in faults if fault.slug == "duplicate-sent-id"] == [1, 1, 6]
    errors = levelhead.validate(file_of(tmp_path, SHORT * 9)).faults
    assert [(fault.slug, fault.place.line) for fault in errors if fault.severity == "error"] == [
        *(("number-of-columns", line) for line in (1, 3)),
        ("number-of-columns", 5),
        ("too-many-errors", 7),
    ]


@pytest.mark.parametrize("size", [1, 12, 40, 1 << 22])
def test_many_blank_lines_of_morphosyntactic_files(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blank lines at the end are warnings, before words errors; beyond the most that are listed, the last counts."""
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, size))
    monkeypatch.setattr(validation, "MOST_LISTED", 3)
    words = "1\ta\t_\t_\t_\t|\t0\troot\t_\t_\n\n"
    path = file_of(tmp_path, words + "\n" * 50)
    faults = [(fault.slug, fault.place.line, fault.count) for fault in levelhead.validate(path, rules="msp25").faults]
    assert faults == [("extra-blank-line", line, 48 if line == 5 else 1) for line in (3, 4, 5)]
    path = file_of(tmp_path, "\n\n" + words)
    faults = [(fault.slug, fault.place.line, fault.count) for fault in levelhead.validate(path, rules="msp25").faults]
    assert faults == [("refused-by-rules", line, 1) for line in (1, 2)]


def test_millions_of_blank_lines_take_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "MOST_LISTED", 10)
    path = file_of(tmp_path, "\n" * 20_000_000)
    slugs = [(fault.slug, fault.count) for fault in levelhead.validate(path, rules="msp25").faults]
    assert slugs == [("empty-file", 1), *[("extra-blank-line", 1)] * 9, ("extra-blank-line", 19_999_991)]
    last = levelhead.validate(path, rules="msp25").faults[-1]
    assert "(and 19,999,990 more such cases)" in str(last)
