"""Lines that are too long in files read piece by piece: refused as in whole files, without waiting for their end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import EXAMPLES
from levelhead.errors import InputError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank import faults_of, input_bytes, pieces
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.treebank.pieces import ByteBlocks

LONGEST = 1000
SOME = (EXAMPLES / "parallel/gold/en.conllu").read_bytes().partition(b"\n\n")[0] + b"\n\n"
LONG = b"x" * (LONGEST + 1)
FILES = {
    "only one": LONG,
    "ends": LONG + b"\n" + SOME,
    "as long as possible": b"#" + LONG[2:] + b"\n" + SOME,
    "in the middle": SOME + LONG + b"\n" + SOME,
    "at the end": SOME + LONG * 5,
    "in a comment": SOME + b"# " + LONG * 3 + b"\n" + SOME,
    "two": SOME + LONG + b"\n" + LONG * 9 + b"\n",
    "carriage returns": SOME.replace(b"\n", b"\r") + LONG * 3,
    "short lines with carriage returns": SOME.replace(b"\n", b"\r") * 3,
    "carriage returns, then a line feed": SOME.replace(b"\n", b"\r") + LONG * 3 + b"\n" + SOME,
    "line feeds, then carriage returns": SOME + LONG[2:] + b"\r" + LONG + b"\r",
    "invalid before": SOME + b"1\n\n" + LONG * 4,
}


@pytest.fixture(autouse=True)
def _short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (input_bytes, pieces):
        monkeypatch.setattr(module, "LONGEST_LINE", LONGEST)
    monkeypatch.setattr(input_bytes, "_CHUNK", 64)
    monkeypatch.setattr(pieces, "_FURTHER", 64)


@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize("rules", ["ud", "conll18"])
def test_same_errors(case: str, rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors are those of reading the file whole."""
    path = tmp_path / "file"
    path.write_bytes(FILES[case])
    seen = []
    for sizes in (PieceSizes(1 << 40, 1), *(PieceSizes(0, size) for size in (1, 300, 5000))):
        monkeypatch.setattr(input_bytes, "SIZES", sizes)
        try:
            score_files(path, path, setup_of(rules=rules), sizes)
            found: object = None
        except InputError as error:
            found = error.faults
        seen.append((found, faults_of(path)))
    assert all(one == seen[0] for one in seen)
    refused = any(fault.slug == "line-too-long" for fault in seen[0][1])
    assert refused == (case not in {"as long as possible", "short lines with carriage returns"})


def test_memory() -> None:
    """A line is refused once it is too long; no more of it is read."""
    n_read = 0

    def parts() -> Iterator[bytes]:
        nonlocal n_read
        yield SOME
        for _ in range(1000):
            n_read += 64
            yield b"x" * 64

    file = ByteBlocks(parts(), None, spaces=True)
    assert file.read(1) == SOME
    assert len(file.read(1)) == n_read < LONGEST + 128
    sizes = []
    while not file.ended:
        sizes.append(len(file.read(1)))
    assert max(sizes) < LONGEST + 128
    assert n_read == 64_000
