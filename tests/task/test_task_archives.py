"""Untrusted archives: nothing is written outside the folder, and limits hold."""

import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from contextlib import nullcontext

import pytest
from hypothesis import given, strategies as st

from levelhead.task.archives import UnsafeArchive, check_archive, unpack
from levelhead.task.description import SubmissionLimits
from task.task_server import tar

LIMITS = SubmissionLimits(unpacked_megabytes=1, files=50)
MEGABYTE = 1 << 20


def zipped(files, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def members(*infos, mode="w"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for info in infos:
            archive.addfile(info, io.BytesIO(b"x" * info.size))
    return buffer.getvalue()


def member(name="a.conllu", size=1, kind=tarfile.REGTYPE, link="", **more):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, link
    for key, value in more.items():
        setattr(info, key, value)
    return info


def linked_zip():
    info = zipfile.ZipInfo("a.conllu")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped({info: "/etc/passwd"})


def zip_of_many():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for i in range(LIMITS.files + 1):
            archive.writestr(f"{i}", "")
    return buffer.getvalue()


def zip_that_lies():
    """A zip file whose directory states a smaller size than the entry has."""
    data = bytearray(zipped({"a.conllu": b"\0" * (8 * MEGABYTE)}))
    at = data.rindex(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 10)
    return bytes(data)


def encrypted_zip():
    data = bytearray(zipped({"a.conllu": b"x"}))
    for at in (data.index(b"PK\x03\x04") + 6, data.rindex(b"PK\x01\x02") + 8):
        data[at] |= 1
    return bytes(data)


def tar_with_long_header(kind):
    """A header that announces a name of 4 GB."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, 1 << 32
    return info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 10240


BOMB = bytes(32 * MEGABYTE)

HOSTILE = {
    "parent": lambda: tar({"../evil": b"x"}),
    "parent inside": lambda: tar({"a/../../evil": b"x"}),
    "absolute": lambda: tar({"/tmp/evil": b"x"}),
    "backslash": lambda: tar({"..\\evil": b"x"}),
    "drive": lambda: tar({"C:\\evil": b"x"}),
    "line feed": lambda: tar({"a\nb": b"x"}),
    "nul": lambda: zipped({"a": b"x"}).replace(b"a", b"\0"),
    "deep": lambda: tar({"a/" * 40 + "b": b"x"}),
    "long name": lambda: tar({"a" * 300: b"x"}),
    "only a dot": lambda: members(member(".")),
    "symbolic link": lambda: members(member(size=0, kind=tarfile.SYMTYPE, link="/etc/passwd")),
    "hard link": lambda: members(member(size=0, kind=tarfile.LNKTYPE, link="/etc/passwd")),
    "fifo": lambda: members(member(size=0, kind=tarfile.FIFOTYPE)),
    "device": lambda: members(member(size=0, kind=tarfile.CHRTYPE)),
    "contiguous": lambda: members(member(kind=tarfile.CONTTYPE)),
    "write through a link": lambda: members(
        member("out", size=0, kind=tarfile.SYMTYPE, link="/tmp"), member("out/evil")
    ),
    "twice": lambda: members(member(), member()),
    "file as folder": lambda: members(member("a"), member("a/b")),
    "folder as file": lambda: members(member("a/b"), member("a")),
    "sparse": lambda: members(member(pax_headers={"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9"})),
    "too many": lambda: members(*(member(f"{i}", size=0) for i in range(LIMITS.files + 1))),
    "too many folders": lambda: members(*(member(f"{i}", size=0, kind=tarfile.DIRTYPE) for i in range(LIMITS.files + 1))),
    "too large": lambda: tar({"a": b"x" * ((1 << 20) + 1)}, mode="w"),
    "gzip bomb": lambda: gzip.compress(BOMB),
    "bzip2 bomb": lambda: bz2.compress(BOMB),
    "xz bomb": lambda: lzma.compress(BOMB, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 8 * MEGABYTE}]),
    "gzip bomb in tar": lambda: tar({"a": BOMB}),
    "zip bomb": lambda: zipped({"a": BOMB}),
    "zip that lies": zip_that_lies,
    "zip too many": zip_of_many,
    "zip parent": lambda: zipped({"../evil": b"x"}),
    "zip absolute": lambda: zipped({"/evil": b"x"}),
    "zip link": linked_zip,
    "zip encrypted": encrypted_zip,
    "zip lzma": lambda: zipped({"a": b"x"}, zipfile.ZIP_LZMA),
    "long name of 4 GB": lambda: tar_with_long_header(tarfile.GNUTYPE_LONGNAME),
    "pax header of 4 GB": lambda: tar_with_long_header(tarfile.XHDTYPE),
    "empty": lambda: b"",
    "nothing in it": lambda: tar({}),
    "zip with nothing": lambda: zipped({}),
    "text": lambda: b"1\tword\n",
    "truncated gzip": lambda: tar({"a": os.urandom(5000)})[:-2000],
    "truncated zip": lambda: zipped({"a": b"x" * 100})[:-30],
    "truncated tar": lambda: tar({"a": b"x" * 5000}, mode="w")[:2000],
    "xz that needs memory": lambda: lzma.compress(b"x", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]),
    "rar": lambda: b"Rar!\x1a\x07\x00" + b"\0" * 100,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archive_is_refused_and_leaves_nothing_outside(name, tmp_path):
    path, target = tmp_path / "archive", tmp_path / "deep" / "target"
    path.write_bytes(HOSTILE[name]())
    target.mkdir(parents=True)
    with pytest.raises(UnsafeArchive) as refused:
        check_archive(path, LIMITS)
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 200
    empty = refused.value.message == "it contains no files"  # like the outputs of a system that writes nothing
    with nullcontext() if empty else pytest.raises(UnsafeArchive):
        unpack(path, target, LIMITS)
    assert {p.name for p in tmp_path.iterdir()} == {"archive", "deep"}
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["target"]
    assert not any(p.is_symlink() for p in target.rglob("*"))
    assert sum(p.stat().st_size for p in target.rglob("*") if p.is_file()) <= 1 << 20


COMPRESSIONS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_members_are_read_one_after_the_other_but_not_too_many(name, tmp_path):
    """An empty member has about 20 bytes, so a small archive could contain millions."""
    compress, path = COMPRESSIONS[name], tmp_path / "archive"
    whole = tar(FILES, "w")
    parts = b"".join(compress(whole[at : at + 900]) for at in range(0, len(whole), 900))
    for data in (parts, parts + bytes(100_000), compress(b"") * 9_000 + compress(whole)):
        path.write_bytes(data)
        assert check_archive(path, LIMITS) == sorted(FILES)
    for small in (b"", bytes(100)):
        path.write_bytes(compress(small) * 10_000 + compress(whole))
        with pytest.raises(UnsafeArchive, match="compressed in more than 10000 parts"):
            check_archive(path, LIMITS)
    path.write_bytes(parts[:-1])
    with pytest.raises(UnsafeArchive, match="damaged"):
        check_archive(path, LIMITS)


@pytest.mark.parametrize("name", ["gzip bomb", "zip bomb", "xz bomb", "long name of 4 GB", "pax header of 4 GB"])
def test_bombs_take_little_memory(name, tmp_path):
    path = tmp_path / "archive"
    path.write_bytes(HOSTILE[name]())
    tracemalloc.start()
    try:
        with pytest.raises(UnsafeArchive):
            check_archive(path, LIMITS)
        assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE  # of 32; xz keeps 8 to decompress
    finally:
        tracemalloc.stop()


FILES = {"a.conllu": b"x" * 1000, "folder/b.conllu": b"", "folder/run": b"#!/bin/sh\n"}


@pytest.mark.parametrize("pack", [
    lambda: tar(FILES, "w"), lambda: tar(FILES, "w:gz"), lambda: tar(FILES, "w:bz2"), lambda: tar(FILES, "w:xz"),
    lambda: zipped(FILES), lambda: zipped(FILES, zipfile.ZIP_STORED),
])  # fmt: skip
def test_what_is_in_order_is_unpacked_as_it_is(pack, tmp_path):
    path, target = tmp_path / "archive", tmp_path / "target"
    path.write_bytes(pack())
    target.mkdir()
    assert check_archive(path, LIMITS) == unpack(path, target, LIMITS) == sorted(FILES)
    assert {str(p.relative_to(target)): p.read_bytes() for p in target.rglob("*") if p.is_file()} == FILES


def test_modes_owners_and_set_user_bits_are_not_taken_over(tmp_path):
    path, target = tmp_path / "archive", tmp_path / "target"
    path.write_bytes(members(member("run", mode=0o6777, uid=0), member("data", mode=0o666)))
    target.mkdir()
    unpack(path, target, LIMITS)
    assert stat.S_IMODE((target / "run").stat().st_mode) & ~0o755 == 0
    assert stat.S_IMODE((target / "data").stat().st_mode) & ~0o644 == 0


def test_nothing_is_written_over_what_is_there(tmp_path):
    path, target = tmp_path / "archive", tmp_path / "target"
    path.write_bytes(tar({"a": b"new"}))
    target.mkdir()
    (target / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="exists"):
        unpack(path, target, LIMITS)
    assert not (tmp_path / "elsewhere").exists()


@given(st.data())
def test_damaged_archives_are_refused_or_read_never_more(tmp_path_factory, data):
    whole = data.draw(st.sampled_from([tar(FILES, "w"), tar(FILES), zipped(FILES), lzma.compress(tar(FILES, "w"))]))
    damaged = bytearray(whole)
    for at, byte in data.draw(st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), max_size=6)):
        damaged[at] = byte
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "archive").write_bytes(bytes(damaged[: data.draw(st.integers(0, len(whole)))] or damaged))
    (folder / "target").mkdir()
    try:
        names = unpack(folder / "archive", folder / "target", LIMITS)
    except UnsafeArchive:
        names = None
    assert {p.name for p in folder.iterdir()} == {"archive", "target"}
    if names is not None:
        assert names == sorted(
            str(p.relative_to(folder / "target")) for p in (folder / "target").rglob("*") if p.is_file()
        )


def test_the_shared_hostile_zip_file_is_refused(data, tmp_path):
    (tmp_path / "archive").write_bytes((data / "bad-conllu" / "67-zip-slip.zip").read_bytes())
    with pytest.raises(UnsafeArchive, match="not a relative path"):
        check_archive(tmp_path / "archive", LIMITS)


def test_crc_of_zip_files_is_checked(tmp_path):
    data = bytearray(zipped({"a": b"hello world"}, zipfile.ZIP_STORED))
    data[data.index(b"hello")] ^= 1
    (tmp_path / "archive").write_bytes(bytes(data))
    with pytest.raises(UnsafeArchive, match="damaged"):
        check_archive(tmp_path / "archive", LIMITS)


@pytest.mark.parametrize(("name", "said"), [
    ("a" * 256, "is too long: the limit is 255 bytes"), ("ä" * 128, "is too long"),
    ("/".join(["a" * 200] * 6), "1024 for a path"), ("a\nb", "contains unprintable characters"),
    ("a\u202eb", "contains unprintable characters"), ("a/" * 16 + "b", "is in more than 15 folders"),
    ("../b", "is not a relative path"),
])  # fmt: skip
def test_what_is_wrong_with_a_name_is_said(tmp_path, name, said):
    (tmp_path / "archive").write_bytes(tar({name: b"x"}))
    with pytest.raises(UnsafeArchive, match=said):
        check_archive(tmp_path / "archive", LIMITS)
