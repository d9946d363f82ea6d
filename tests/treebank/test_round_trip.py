"""What is read is written back byte for byte; what is written is there whole or not at all."""

import bz2
import gzip
import hashlib
import lzma
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, strategies as st

from levelhead import ConlluError, Treebank, build, from_conllu, read, write
from levelhead.errors import OutputError
from levelhead.treebank import to_conllu
from levelhead.treebank.tokens import COLUMNS
from levelhead.treebank.write import replace_file
from strategies import treebanks

ONE = "# text = a\n1\ta\té\t_\t_\t_\t0\troot\t_\t_\n\n"
TWO = "1-2\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n2\tc\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"

WORD_COLUMNS = (
    ("form", "forms"),
    ("lemma", "lemmas"),
    ("upos", "upos"),
    ("xpos", "xpos"),
    ("feats", "feats"),
    ("head", "heads"),
    ("deprel", "relations"),
    ("deps", "deps"),
    ("misc", "misc"),
)

COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
    "": bytes,
}


def same(one: Treebank, other: Treebank) -> bool:
    """Say whether two treebanks agree in every column and part, whatever their pools of strings look like."""
    return (
        all(list(getattr(one, name)) == list(getattr(other, name)) for name in COLUMNS)
        and np.array_equal(one.heads, other.heads)
        and np.array_equal(one.sentence_starts, other.sentence_starts)
        and np.array_equal(one.multiword.first, other.multiword.first)
        and np.array_equal(one.empty.position, other.empty.position)
        and list(one.comments) == list(other.comments)
    )


@given(treebanks())
def test_what_is_read_is_written_back(text: str) -> None:
    """Every byte of a valid file comes back, and reading again gives the same treebank."""
    tb = from_conllu(text)
    assert to_conllu(tb).decode() == text
    assert same(from_conllu(to_conllu(tb)), tb)
    assert from_conllu(text.encode()).source.sha256 == hashlib.sha256(text.encode()).hexdigest()


@given(treebanks())
def test_selecting_all_sentences_changes_nothing(text: str) -> None:
    """Neither does a mask of all, nor a slice of all."""
    tb = from_conllu(text)
    for selected in (tb.select(range(len(tb))), tb.select(np.ones(len(tb), dtype=bool)), tb[:]):
        assert to_conllu(selected).decode() == text
        assert same(selected, tb)


@given(treebanks())
def test_sentences_one_by_one_make_the_whole(text: str) -> None:
    """Each sentence is written alone as it stood in the file, and is a valid file of its own."""
    tb = from_conllu(text)
    parts = [to_conllu(tb.select([i])) for i in range(len(tb))]
    assert b"".join(parts).decode() == text == "".join(sentence.conllu for sentence in tb)
    assert [from_conllu(part)[0].forms for part in parts] == [sentence.forms for sentence in tb]


@given(treebanks(max_words=5), st.data())
def test_any_choice_of_sentences(text: str, data: st.DataObject) -> None:
    """Any order with any repeats is what those sentences say, and its lines are theirs."""
    tb = from_conllu(text)
    chosen = data.draw(st.lists(st.integers(min_value=0, max_value=len(tb) - 1), max_size=6))
    selected = tb.select(chosen)
    blocks = text.split("\n\n")
    assert to_conllu(selected).decode() == "".join(f"{blocks[i]}\n\n" for i in chosen)
    assert selected.source.lines.tolist() == [tb.source.lines[i] for i in chosen]
    again = data.draw(st.lists(st.sampled_from(range(len(chosen))), max_size=4)) if chosen else []
    assert same(selected.select(again), tb.select([chosen[i] for i in again]))


@given(treebanks(max_words=5))
def test_spelled_text_needs_no_comment(text: str) -> None:
    """Where there is no comment, the text has exactly the characters of the surface tokens."""
    tb = from_conllu("".join(f"{line}\n" for line in text.split("\n")[:-1] if not line.startswith("#")))
    surface = "".join(tb.strings[int(code)] for code in tb.tokens.forms)
    spelled = "".join(sentence.text for sentence in tb)
    assert "".join(spelled.split()) == "".join(surface.split())


@given(treebanks())
def test_a_treebank_made_from_lists(text: str) -> None:
    """It has the columns that were given; what lists cannot say, it has not."""
    tb = from_conllu(text)
    columns = {name: [[getattr(word, one) for word in sentence] for sentence in tb] for one, name in WORD_COLUMNS}
    made = build(**columns)
    assert all(list(getattr(made, name)) == list(getattr(tb, name)) for name in COLUMNS)
    assert [sentence.heads for sentence in made] == [sentence.heads for sentence in tb]
    assert made.n_tokens == made.n_words == tb.n_words


@pytest.mark.parametrize("form", ["a\tb", "a\nb", "a\rb", "a\0", "", " ", "\ud800"])
def test_lists_with_what_no_file_can_hold(form: str) -> None:
    """Are refused as files are."""
    with pytest.raises(ConlluError):
        build([["a", form]], [[0, 1]], [["root", "dep"]])


def test_lists_that_do_not_fit() -> None:
    """Other sentences, other words, no tree, nothing at all."""
    for forms, heads, relations in (
        ([["a"]], [[0]], [["root"], ["root"]]),
        ([["a", "b"]], [[0]], [["root", "dep"]]),
        ([["a", "b"]], [[2, 1]], [["dep", "dep"]]),
        ([["a"], []], [[0], []], [["root"], []]),
        ([], [], []),
    ):
        with pytest.raises(ConlluError):
            build(forms, heads, relations)


def test_more_sentences_than_are_written_at_once() -> None:
    """Parts of a large treebank join without a seam."""
    text = (ONE + TWO) * 5001
    assert to_conllu(from_conllu(text)).decode() == text


# Files


def test_write_makes_the_file(tmp_path: Path) -> None:
    """A file is made or replaced, and nothing else is left in the folder."""
    target = tmp_path / "a.conllu"
    for text in (ONE + TWO, TWO):
        write(from_conllu(text), target)
        assert target.read_bytes() == text.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.conllu"]


def test_a_failing_write_leaves_the_old_file(tmp_path: Path) -> None:
    """Whatever breaks on the way, the old file is as it was, and no temporary one stays."""
    target = tmp_path / "a.conllu"
    target.write_text("old")

    def breaking(error: BaseException) -> Iterator[bytes]:
        yield ONE.encode()
        raise error

    for error in (ValueError("broken"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            replace_file(target, breaking(error))
    with pytest.raises(OutputError, match="No space left"):
        replace_file(target, breaking(OSError(28, "No space left on device")))
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.conllu"]


def test_what_cannot_be_encoded_is_not_half_written(tmp_path: Path) -> None:
    """The column of a treebank that was made by hand may fail late."""
    target = tmp_path / "a.conllu"
    target.write_text("old")
    with pytest.raises(ValueError):  # noqa: PT011 -- refused when replaced or when written
        write(from_conllu(ONE).replace(forms=["\ud800"]), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.conllu"]


@pytest.mark.parametrize("name", ["missing/a.conllu", "folder", "a\0b"])
def test_a_place_where_nothing_can_be_written(tmp_path: Path, name: str) -> None:
    """The error says which file, in one line, and is one of ours."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError) as error:
        write(from_conllu(ONE), tmp_path / name)
    assert error.value.slug == "output"
    assert error.value.place.file == str(tmp_path / name)
    assert len(str(error.value).splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_name_as_long_as_the_system_takes(tmp_path: Path) -> None:
    """The temporary name must not be too long where the name itself is not."""
    target = tmp_path / ("a" * 248 + ".conllu")
    target.write_text("old")
    write(from_conllu(ONE), target)
    assert target.read_text() == ONE


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_respect_umask(tmp_path: Path, mask: int) -> None:
    """A new file has the permissions that any program's new file has, and the mask stays as it was."""
    before = os.umask(mask)
    try:
        write(from_conllu(ONE), tmp_path / "a.conllu")
    finally:
        after = os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.conllu").stat().st_mode) == 0o666 & ~mask
    assert after == mask


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """What is no regular file, as a named pipe or /dev/null, takes the bytes and stays what it is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(from_conllu(ONE), pipe)
        assert stat.S_ISFIFO(pipe.lstat().st_mode)
        assert os.read(reader, 1000) == ONE.encode()
    finally:
        os.close(reader)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_read_as_they_are(tmp_path: Path, suffix: str) -> None:
    """The contents decide, not the name; the hash is of what was compressed."""
    data = (ONE + TWO).encode()
    for name in (f"a.conllu{suffix}", "plain.conllu"):
        path = tmp_path / name
        path.write_bytes(COMPRESS[suffix](data))
        tb = read(path)
        assert to_conllu(tb) == data
        assert tb.source.sha256 == hashlib.sha256(data).hexdigest()
        assert tb.source.path == str(path)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_members_one_after_the_other(tmp_path: Path, suffix: str) -> None:
    """Compressed files that were joined, cut in the middle of a line, are one file."""
    data = (ONE + TWO).encode()
    path = tmp_path / f"a.conllu{suffix}"
    path.write_bytes(b"".join(COMPRESS[suffix](part) for part in (data[:20], data[20:60], b"", data[60:])))
    assert to_conllu(read(path)) == data


@pytest.mark.parametrize("suffix", COMPRESS)
def test_standard_input(suffix: str) -> None:
    """A dash is standard input, compressed or not."""
    program = "import sys; from levelhead.treebank import *; sys.stdout.buffer.write(to_conllu(read('-')))"
    data = (ONE + TWO).encode()
    raw = COMPRESS[suffix](data)
    done = subprocess.run([sys.executable, "-c", program], input=raw, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (data, b"")


def test_closed_standard_input() -> None:
    """A dash where nothing is open for reading is an unreadable file like others."""
    program = "import sys, levelhead; sys.stdin = None; levelhead.read('-')"
    done = subprocess.run([sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert b"UnreadableFile" in done.stderr.splitlines()[-1]
    assert b"unreadable-file" in done.stderr.splitlines()[-1]
