"""`validate --fix`: copies in which everything is repaired that can be repaired in one way only."""

from __future__ import annotations

import cProfile
import gzip
import os
import pstats
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import command_line
import levelhead
from levelhead.errors import ConlluError, InputError, OutputError
from levelhead.treebank import input_bytes
from levelhead.treebank.validation import write_fixed

EXAMPLE = Path("examples/parallel/gold/fr.conllu")
WORDS = b"# text = a b\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
FIXED_SLUGS = {
    "byte-order-mark",
    "line-ends",
    "blank-line-with-spaces",
    "extra-blank-line",
    "missing-final-blank-line",
    "surrounding-space",
    "empty-column",
}


def fixed(data: bytes, folder: Path) -> tuple[bytes, dict[str, tuple[int | None, int]]]:
    """The copy of a file, and the first line and number of each kind of change."""
    source, copy = folder / "source.conllu", folder / "copy.conllu"
    source.write_bytes(data)
    changes = write_fixed(source, copy)
    assert {change.place.file for change in changes} <= {os.fspath(source)}
    return copy.read_bytes(), {change.slug: (change.place.line, change.count) for change in changes}


@pytest.mark.parametrize(
    ("damage", "changes"),
    [
        (lambda data: b"\xef\xbb\xbf" + data, {"byte-order-mark": (1, 1)}),
        (lambda data: data.replace(b"\n", b"\r\n"), {"line-ends": (1, 4)}),
        (lambda data: data.replace(b"\n", b"\r"), {"line-ends": (1, 4)}),
        (lambda data: data[:-1] + b" \t\n", {"blank-line-with-spaces": (4, 1)}),
        (lambda data: b"\n" + data + b"\n\n", {"extra-blank-line": (1, 3)}),
        (lambda data: data[:-1], {"missing-final-blank-line": (4, 1)}),
        (lambda data: data[:-2], {"missing-final-blank-line": (3, 1)}),
        (lambda data: data.replace(b"2\tb", b" 2 \tb "), {"surrounding-space": (3, 1)}),
        (lambda data: data.replace(b"dep\t_\t_", b"dep\t_\t_ "), {"surrounding-space": (3, 1)}),
        (lambda data: data.replace(b"dep\t_\t_", b"dep\t\t"), {"empty-column": (3, 1)}),
        (lambda data: data.replace(b"a\t_\t_", b"a\t\t"), {"empty-column": (2, 1)}),
        (lambda data: data.replace(b"dep\t_\t_", b"dep\t_\t_\t\t "), {"number-of-columns": (3, 1)}),
        (lambda data: data.replace(b"a\t_", b"a\t "), {"surrounding-space": (2, 1), "empty-column": (2, 1)}),
        (lambda data: b"\n" + data.replace(b"dep\t_", b"dep\t"), {"extra-blank-line": (1, 1), "empty-column": (4, 1)}),
    ],
)  # fmt: skip
def test_each_repair(damage: Callable[[bytes], bytes], changes: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    copy, found = fixed(damage(WORDS), tmp_path)
    assert copy == WORDS
    assert found == changes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"1\ta", b"1\t"),  # a form
        (b"1\ta", b"1\t "),
        (b"\t1\tdep", b"\t\tdep"),  # a head
        (b"\tdep\t", b"\t\t"),  # a relation
        (b"1\ta\t_", b"1\ta"),  # nine columns
        (b"1\ta", b"1\ta\xc2\xa0"),  # a no-break space may be meant
        (b"1\ta", b"1\ta b"),
        (b"# text = a b", b"#  text =  a b "),  # comments are the maintainer's
        (b"\t_\n2", b"\tSpaceAfter=No| X= \xe3\x80\x80\n2"),
    ],
)
def test_nothing_is_guessed(old: bytes, new: bytes, tmp_path: Path) -> None:
    damaged = WORDS.replace(old, new, 1)
    assert damaged != WORDS
    assert fixed(damaged, tmp_path) == (damaged, {})


def test_ranges_and_empty_nodes_get_their_underscores(tmp_path: Path) -> None:
    range_line, node = b"1-2\tab\t\t\t\t\t\t\t\t\n", b"1.1\tx\t\t\t\t\t\t\t0:root\t\n"
    head = WORDS.index(b"1\ta")
    second = WORDS.index(b"2\tb")
    data = WORDS[:head] + range_line + WORDS[head:second] + node + WORDS[second:]
    copy, changes = fixed(data, tmp_path)
    assert (
        copy
        == WORDS[:head]
        + b"1-2\tab"
        + b"\t_" * 8
        + b"\n"
        + WORDS[head:second]
        + (b"1.1\tx" + b"\t_" * 6 + b"\t0:root\t_\n")
        + WORDS[second:]
    )
    assert changes == {"empty-column": (2, 2)}


def damaged(data: bytes, seed: int) -> bytes:
    """A valid file with faults that can be repaired in one way only, at random places."""
    draw = random.Random(seed)
    lines = []
    for line in data.split(b"\n")[:-1]:
        cells = line.split(b"\t")
        if len(cells) == 10:
            for column in (2, 3, 4, 5, 8, 9):
                if cells[column] == b"_" and draw.random() < 0.05:
                    cells[column] = b""
            if draw.random() < 0.1:
                column = draw.randrange(10)
                cells[column] = draw.choice([b" %s", b"%s ", b" %s "]) % cells[column]
        elif not line:
            cells = draw.choice([[b""], [b"", b""], [b" ", b""], [b"", b" "]])
            line = b"\n".join(cells)  # noqa: PLW2901 -- one blank line or two
            cells = [line]
        lines.append(b"\t".join(cells))
    end = draw.choice([b"\n", b"\r\n"])
    text = b"\n".join(lines).rstrip(b" \n").replace(b"\n", end)
    return draw.choice([b"", b"\xef\xbb\xbf"]) + text + draw.choice([b"", end, 2 * end])


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_are_restored_in_pieces_or_whole(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = EXAMPLE.read_bytes()
    whole, changes = fixed(damaged(original, seed), tmp_path)
    assert whole == original
    monkeypatch.setattr(input_bytes, "SIZES", input_bytes.PieceSizes(100, 700))
    assert fixed(damaged(original, seed), tmp_path) == (whole, changes)
    assert fixed(whole, tmp_path) == (whole, {})


@pytest.mark.data
def test_files_of_the_shared_task_get_better_and_stay_the_same_treebank(data: Path, tmp_path: Path) -> None:
    files = sorted((data / "bad-conllu").rglob("*.conllu"))
    assert len(files) > 20
    valid = 0
    for file in files:
        copy = tmp_path / "copy.conllu"
        before = levelhead.validate(file)
        try:
            changes = write_fixed(file, copy)
        except InputError:
            assert not before.valid
            continue
        after = levelhead.validate(copy)
        assert not {fault.slug for fault in after.faults} & (FIXED_SLUGS - {"surrounding-space"})
        assert after.valid or not before.valid
        assert bool(changes) or copy.read_bytes() == file.read_bytes()
        if before.valid:
            valid += 1
            one, two = levelhead.read(file), levelhead.read(copy)
            assert one.heads.tolist() == two.heads.tolist()
            assert [text.strip(" ") for text in one.forms] == [*two.forms]
    assert valid


def test_the_command_lists_changes_and_checks_the_copy(tmp_path: Path) -> None:
    source, copy = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_bytes(WORDS.replace(b"\t1\tdep\t_", b"\t2\tdep\t")[:-1])
    result = command_line.levelhead("validate", str(source), "--fix", str(copy))
    assert result.returncode == 2
    verdict, _, *lines = result.stdout.splitlines()
    assert verdict == "The file is invalid: 1 error."
    assert lines[0].startswith(f"fixed: {source}:4: missing-final-blank-line: ")
    assert lines[1].startswith(f"fixed: {source}:3: empty-column: ")
    assert lines[2].startswith(f"{copy}:2: cycle: ")
    assert copy.read_bytes() == WORDS.replace(b"\t1\tdep", b"\t2\tdep")


def test_json_and_tables_have_the_changes(tmp_path: Path) -> None:
    source = tmp_path / "in.conllu"
    source.write_bytes(WORDS[:-1])
    found = levelhead.validate(source, fix=tmp_path / "out.conllu")
    assert found.valid
    (change,) = found.to_dict()["tables"]["changes"]
    assert (change["file"], change["copy"]) == (str(source), str(tmp_path / "out.conllu"))
    assert (change["slug"], change["line"], change["cases"]) == ("missing-final-blank-line", 4, 1)
    assert found.table().rows == (
        (str(source), 4, "fixed", "missing-final-blank-line", "no blank line follows the last sentence"),
    )
    assert levelhead.validate(source).to_dict()["tables"]["changes"] == []


def test_a_folder_is_copied_to_a_folder(tmp_path: Path) -> None:
    golds = tmp_path / "golds"
    golds.mkdir()
    (golds / "a.conllu").write_bytes(WORDS[:-1])
    (golds / "b.conllu.gz").write_bytes(gzip.compress(WORDS))
    assert command_line.levelhead("validate", str(golds), "--fix", str(tmp_path / "fixed")).returncode == 0
    assert {file.name: file.read_bytes() for file in (tmp_path / "fixed").iterdir()} == {
        "a.conllu": WORDS,
        "b.conllu": WORDS,
    }


def test_an_existing_folder_takes_the_copy_of_a_single_file(tmp_path: Path) -> None:
    (tmp_path / "fixed").mkdir()
    assert command_line.levelhead("validate", str(EXAMPLE), "--fix", str(tmp_path / "fixed")).returncode == 0
    assert (tmp_path / "fixed" / "fr.conllu").read_bytes() == EXAMPLE.read_bytes()


@pytest.mark.parametrize("data", [b"1\t\xff\t_\n\n", b"1\ta\0\t_\n\n", "1\ta\n\n".encode("utf-16")])
def test_what_is_not_text_is_not_copied(data: bytes, tmp_path: Path) -> None:
    source, copy = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_bytes(data)
    copy.write_text("kept")
    with pytest.raises(ConlluError):
        write_fixed(source, copy)
    result = command_line.levelhead("validate", str(source), "--fix", str(copy))
    assert result.returncode == 2
    assert str(source) in result.stdout
    assert copy.read_text() == "kept"
    assert {path.name for path in tmp_path.iterdir()} == {"in.conllu", "out.conllu"}


def test_copies_never_replace_what_is_read(tmp_path: Path) -> None:
    source = tmp_path / "in.conllu"
    source.write_bytes(WORDS[:-1])
    (tmp_path / "link.conllu").symlink_to(source)
    for arguments in (
        [str(source), "--fix", str(source)],
        [str(source), "--fix", str(tmp_path / "link.conllu")],
        [str(source), "--fix", str(tmp_path)],
        [str(tmp_path), "--fix", str(tmp_path)],
        [str(source), "--fix", "-"],
        [str(source), "--fix", str(tmp_path / "out.conllu.gz")],
        [str(source), "--fix", str(tmp_path / "out"), "-o", str(tmp_path / "out")],
    ):
        result = command_line.levelhead("validate", *arguments)
        assert result.returncode == 2, arguments
        assert "Traceback" not in result.stderr
        assert (result.stdout, result.stderr) != ("", "")
        assert source.read_bytes() == WORDS[:-1]


def test_the_library_never_replaces_what_is_read(tmp_path: Path) -> None:
    source = tmp_path / "in.conllu"
    source.write_bytes(WORDS[:-1])
    for copies in (source, tmp_path):
        with pytest.raises(OutputError, match="the copy would replace the file"):
            levelhead.validate(source, fix=copies)
    assert source.read_bytes() == WORDS[:-1]


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.conllu").write_bytes(WORDS)
    with pytest.raises(OutputError, match="two copies"):
        levelhead.validate(tmp_path / "one", tmp_path / "two", fix=tmp_path / "fixed")
    assert not (tmp_path / "fixed").exists()


def test_a_copy_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        levelhead.validate(EXAMPLE, fix=tmp_path / "missing" / "copy.conllu")


@pytest.mark.parametrize("line", [b"\n", b" \n", b"\t\n\n"])
def test_blank_lines_are_not_handled_one_by_one(line: bytes, tmp_path: Path) -> None:
    """A small archive can hold hundreds of millions of them."""
    file = tmp_path / "blank.conllu"
    calls = []
    for n in (200, 200_000):
        file.write_bytes(WORDS + line * n)
        profile = cProfile.Profile()
        profile.enable()
        found = levelhead.validate(file)
        write_fixed(file, tmp_path / "copy.conllu")
        profile.disable()
        assert found.faults[-1].count == n * line.count(b"\n")
        calls.append(pstats.Stats(profile).total_calls)
    assert calls[1] < calls[0] + 1000
