"""Where bytes come from: files and standard input, compressed or not, damaged, hostile or missing."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import zstandard

from conftest import one_in
from levelhead import InputError, LevelheadError, from_conllu, read
from levelhead.errors import ConlluError, UnreadableFile
from levelhead.evaluation.partial import valid_sentences
from levelhead.treebank import Limits, faults_of, validation
from levelhead.treebank.input_bytes import LONGEST_LINE, decompressed, read_bytes
from levelhead.treebank.official_reader import SCORERS, read_officially

DATA = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 50
COMPRESS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": zstandard.compress}
KINDS = pytest.mark.parametrize("kind", COMPRESS)


def refused(path: object, **options) -> UnreadableFile:
    """Return the error of reading a file, which must be one line about this file."""
    with pytest.raises(UnreadableFile) as error:
        read(path, **options)
    assert len(error.value.faults) == len(str(error.value).splitlines()) == 1
    assert error.value.place.file == os.fspath(path)
    return error.value


def file_of(folder: Path, data: bytes, name: str = "a.conllu") -> Path:
    """Write bytes to a file."""
    (folder / name).write_bytes(data)
    return folder / name


def test_the_limit_of_size(tmp_path: Path) -> None:
    """A file of just the limit is read, one byte more is refused."""
    path = file_of(tmp_path, DATA)
    assert read_bytes(path, Limits(size=len(DATA))) == DATA
    assert refused(path, limits=Limits(size=len(DATA) - 1)).slug == "file-too-large"


def test_the_limit_of_size_where_the_size_is_not_known() -> None:
    """A file may say that it is smaller than it is, as one that grows while it is read; Linux has some that do."""
    path = "/proc/self/maps"
    assert os.stat(path).st_size == 0
    assert len(read_bytes(path)) > 1000
    assert refused(path, limits=Limits(size=1000)).slug == "file-too-large"


@KINDS
def test_the_limit_of_size_after_decompression(tmp_path: Path, kind: str) -> None:
    """What counts is the size of the text, and of the file itself where that is larger."""
    path = file_of(tmp_path, COMPRESS[kind](DATA))
    assert read_bytes(path, Limits(size=len(DATA))) == DATA
    assert refused(path, limits=Limits(size=len(DATA) - 1)).slug == "file-too-large"
    assert refused(path, limits=Limits(size=10)).slug == "file-too-large"


@KINDS
def test_the_limit_of_growth(tmp_path: Path, kind: str) -> None:
    """A file that grows too many times is refused, unless it is harmless by size."""
    raw = COMPRESS[kind](b"\n" * 300_000)
    path = file_of(tmp_path, raw)
    assert refused(path, limits=Limits(harmless=1000)).slug == "compression-bomb"
    assert refused(path, limits=Limits(harmless=299_999)).slug == "compression-bomb"
    assert read_bytes(path, Limits(harmless=300_000)) == b"\n" * 300_000
    assert read_bytes(path, Limits(harmless=0, ratio=300_000 // len(raw) + 1)) == b"\n" * 300_000


@KINDS
def test_a_bomb_goes_off_early(kind: str) -> None:
    """A gigabyte of nothing is not expanded to see that it is one."""
    bomb = COMPRESS[kind](bytes(1 << 20)) * 1000
    tracemalloc.start()
    with pytest.raises(UnreadableFile) as error:
        decompressed(bomb, "bomb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.value.slug == "compression-bomb"
    assert peak < 500 << 20


@KINDS
def test_a_file_that_is_cut_off(tmp_path: Path, kind: str) -> None:
    """Wherever it is cut, nothing is read of it; what is left over of a text must not pass for the whole."""
    raw = COMPRESS[kind](DATA)
    for end in range(6, len(raw)):
        path = file_of(tmp_path, raw[:end])
        assert refused(path).slug == "damaged-compression", f"cut at byte {end} of {len(raw)}"


@KINDS
def test_a_large_file_that_is_cut_off(kind: str) -> None:
    """Also where what comes before the cut ends with a whole sentence."""
    raw = COMPRESS[kind](b"".join(DATA[:28].replace(b"a", b"%d" % i) for i in range(5_000)))
    for tenth in one_in(3, range(1, 10)):
        with pytest.raises(UnreadableFile, match="damaged-compression"):
            decompressed(raw[: len(raw) * tenth // 10], "cut")


@KINDS
def test_a_file_that_is_damaged(tmp_path: Path, kind: str) -> None:
    """A changed byte in the middle is found."""
    raw = bytearray(COMPRESS[kind](os.urandom(200).hex().encode()))
    raw[len(raw) // 2] ^= 0xFF
    if kind == "zst":
        raw = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(DATA + os.urandom(100)))
        raw[-1] ^= 0xFF
    assert refused(file_of(tmp_path, bytes(raw))).slug == "damaged-compression"


@KINDS
@pytest.mark.parametrize("rest", [b"garbage", b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"])
def test_what_follows_a_compressed_file(tmp_path: Path, kind: str, rest: bytes) -> None:
    """Bytes that are no further member are not passed over in silence, as if the file ended before them."""
    assert refused(file_of(tmp_path, COMPRESS[kind](DATA) + rest)).slug == "damaged-compression"


@KINDS
def test_a_second_member_that_is_damaged(tmp_path: Path, kind: str) -> None:
    """Half of a joined file is not the file."""
    second = bytearray(COMPRESS[kind](DATA))
    second[2] ^= 0xFF
    assert refused(file_of(tmp_path, COMPRESS[kind](DATA) + bytes(second))).slug == "damaged-compression"


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without zstandard, a .zst file says what to install."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    error = refused(file_of(tmp_path, zstandard.compress(DATA)))
    assert error.slug == "missing-extra"
    assert "levelhead[zstd]" in error.message


def test_an_archive_is_refused(tmp_path: Path) -> None:
    """A zip holds files, not a text, even under the name of one; none of them is unpacked."""
    with zipfile.ZipFile(tmp_path / "a.conllu", "w") as archive:
        archive.writestr("../../evil.conllu", DATA)
    assert refused(tmp_path / "a.conllu").slug == "archive"
    assert [path.name for path in tmp_path.iterdir()] == ["a.conllu"]


@contextmanager
def without_rights() -> Iterator[None]:
    """Be a user who may not open everything, where the tests run as one who may."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """The system's reason is told."""
    path = file_of(tmp_path, DATA)
    path.chmod(0)
    with without_rights():
        error = refused(path)
    assert (error.slug, error.message) == ("unreadable-file", "Permission denied")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "No such file or directory"),
        ("folder", "this is a folder: name a file"),
        ("folder/missing/a", "No such file or directory"),
        ("file/a", "Not a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("a" * 300, "File name too long"),
        ("nul\0", "null byte"),
    ],
)
def test_a_path_that_cannot_be_opened(tmp_path: Path, name: str, reason: str) -> None:
    """Never an error of Python's, always the reason."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    error = refused(tmp_path / name)
    assert error.slug == "unreadable-file"
    assert reason in error.message
    assert [fault.slug for fault in faults_of(tmp_path / name)] == ["unreadable-file"]
    assert isinstance(error, InputError | ValueError | LevelheadError)


def test_an_empty_path() -> None:
    """It names no file."""
    with pytest.raises(InputError, match="path must be a path, not ''"):
        read("")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb.conllu", "a\\nb.conllu"),
        (b"a\xff.conllu", "a\\udcff.conllu"),
        (b"\x1b[31mred.conllu", "\\x1b[31mred.conllu"),
        ("é\u202e中.conllu".encode(), "é\\u202e中.conllu"),
        (b"a b:c.conllu", "a b:c.conllu"),
    ],
)
def test_names_in_messages(tmp_path: Path, name: bytes, shown: str) -> None:
    """A name cannot break a line, color a terminal or fail to print; the file is read all the same."""
    path = os.fsdecode(os.path.join(os.fsencode(tmp_path), name))
    assert str(refused(path)).startswith(f"{tmp_path}/{shown}: unreadable-file: ")
    for text in (DATA.replace(b"root", b"", 1), b"\n" + DATA):
        with open(path, "wb") as file:
            file.write(text)
        (fault,) = faults_of(path)
        assert str(fault).encode().decode().startswith(f"{tmp_path}/{shown}:1: ")


def test_contents_in_messages() -> None:
    """Neither can what stands in a file, and long lines are cut."""
    for cell in ("\x1b[31m", "\u202e", "\u2028", "x" * 10_000):
        with pytest.raises(InputError) as error:
            from_conllu(f"1\t{cell}\n\n2\ta\t_\t_\t_\t_\t{cell}\troot\t_\t_\n{cell}\n\n")
        assert str(error.value).replace("\n", "").isprintable()
        assert max(map(len, str(error.value).split("\n"))) < 200


def test_standard_input_that_python_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash reads whatever stands for standard input, also a stream without a file behind it."""
    for data in (DATA, gzip.compress(DATA)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_bytes("-") == DATA


def test_standard_input_is_limited_too() -> None:
    """An endless pipe ends at the limit."""
    program = "from levelhead.treebank import *; read('-', limits=Limits(size=5_000_000))"
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run([sys.executable, "-c", program], stdin=endless, capture_output=True, check=False)
    assert b"file-too-large" in done.stderr.splitlines()[-1]


LONG_LINE = b"# " + b"x" * (LONGEST_LINE - 2)


def too_long(line: int, data: bytes) -> None:
    """All ways to read a treebank refuse it for that line."""
    ways = [from_conllu, valid_sentences, *(partial(read_officially, official=one) for one in SCORERS.values())]
    for way in (*ways, partial(from_conllu, format="conllx")):
        with pytest.raises(ConlluError) as error:
            way(data)
        assert [(one.slug, one.place.line) for one in error.value.faults] == [("line-too-long", line)]


def test_a_line_may_have_16_mib() -> None:
    """The limit is on bytes between line ends, and one more is refused."""
    data = LONG_LINE + b"\n" + DATA + LONG_LINE + b"\n" + DATA
    assert [len(way(data)) for way in (from_conllu, partial(read_officially, official=SCORERS["udtools"]))] == [
        100,
        100,
    ]
    too_long(1, b"x" + data)
    too_long(1, LONG_LINE + b"x")
    middle = DATA.count(b"\n") + 1
    too_long(middle, DATA + LONG_LINE + b"x\n" + DATA)
    too_long(middle, DATA + LONG_LINE + b"xx")
    assert len(from_conllu(data.replace(b"\n", b"\r"))) == 100
    too_long(middle, (DATA + LONG_LINE + b"x\n").replace(b"\n", b"\r"))


def test_a_long_line_is_refused_in_little_time_and_memory(tmp_path: Path) -> None:
    """Nothing is decoded or split before: the file, and once more while its parts are joined."""
    path = file_of(tmp_path, b"x" * (3 * LONGEST_LINE))
    tracemalloc.start()
    try:
        assert [fault.slug for fault in faults_of(path)] == ["line-too-long"]
        assert tracemalloc.get_traced_memory()[1] < 2.2 * path.stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("line", ["\n", " \n", "é\U0001f600\n"])
def test_faults_of_many_lines_take_little_memory(tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are looked at one by one; only a limited number of errors stays in memory."""
    monkeypatch.setattr(validation, "MOST_LISTED", 1000)
    n_lines = 100_000
    path = file_of(tmp_path, line.encode() * n_lines)
    tracemalloc.start()
    try:
        assert faults_of(path)
        assert tracemalloc.get_traced_memory()[1] < 30 * n_lines + path.stat().st_size
    finally:
        tracemalloc.stop()
