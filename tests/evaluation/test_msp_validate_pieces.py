"""Files of morphosyntactic parsing are checked piece by piece, with the errors and warnings of one piece."""

import lzma
from pathlib import Path
from random import Random

import pytest

from levelhead.treebank import faults_of, input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.pieces import ByteBlocks
from oracle.damage import damaged_bytes

SENTENCES = b"""# sent_id = 1
1\tdog\tdog\tNOUN\t_\tNumber=Sing\t2\tnsubj\t_\t_
2\tbarks\tbark\tVERB\t_\tTense=Pres|bad\t0\troot\t_\t_

"""
CASES = {
    "valid": SENTENCES.replace(b"|bad", b"") * 5,
    "warnings": SENTENCES * 5,
    "errors": SENTENCES + (SENTENCES + SENTENCES.replace(b"\t0\t", b"\t7\t")) * 3,
    "columns": SENTENCES * 3 + SENTENCES.replace(b"\tNOUN", b""),
    "no end": (SENTENCES * 3)[:-1],
    "half": (SENTENCES * 3)[:-20],
    "encoding": SENTENCES * 3 + SENTENCES.replace(b"dog", b"d\xffg") * 2,
    "error before encoding": SENTENCES.replace(b"\t0\t", b"\t7\t") + SENTENCES.replace(b"dog", b"d\xffg"),
    "blank lines": SENTENCES * 2 + b"\n\n" + SENTENCES,
    "returns": (SENTENCES * 3).replace(b"\n", b"\r\n"),
    "empty": b"",
    "comments": SENTENCES + b"# the end\n",
}


def check(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Require the same of one piece and of many."""
    found = []
    for size in (1 << 40, 1, 200):
        monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, size))
        found.append(faults_of(path, rules="msp25"))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("case", CASES)
def test_pieces_have_the_faults_of_the_file(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.conllu"
    path.write_bytes(CASES[case])
    check(path, monkeypatch)


@pytest.mark.parametrize("seed", range(30))
def test_damaged_files(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.conllu"
    path.write_bytes(damaged_bytes(Random(seed), (CASES["valid"] * 3).decode(), 3))
    check(path, monkeypatch)


def test_places_are_those_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, 1))
    path = tmp_path / "file.conllu.xz"
    path.write_bytes(lzma.compress(CASES["valid"] + SENTENCES * 2))
    found = [(fault.slug, fault.count, fault.place) for fault in faults_of(path, rules="msp25")]
    places = [(str(path), 23, 6, "2"), (str(path), 27, 7, "2")]
    assert found == [("invalid-feats", 1, place) for place in places]


def test_no_more_than_a_piece_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, 1))
    sizes: list[int] = []
    read = ByteBlocks.read

    def counted(self: ByteBlocks, size: int) -> bytes:
        block = read(self, size)
        sizes.append(len(block))
        return block

    monkeypatch.setattr(ByteBlocks, "read", counted)
    path = tmp_path / "file.conllu"
    path.write_bytes(CASES["valid"])
    assert faults_of(path, rules="msp25") == ()
    assert sizes == [len(CASES["valid"]) // 5] * 5
