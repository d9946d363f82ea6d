"""Files that are read in a thread while the program is loaded give what files that are read later give."""

import hashlib
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import levelhead
from levelhead.errors import ConlluError, UnreadableFile
from levelhead.evaluation.pair import load
from levelhead.kernels import scan
from levelhead.scoring.rules import RULES
from levelhead.treebank.input_bytes import PrefetchedFile, ScannedBytes, sha256_of
from levelhead.treebank.scanner import scan_treebank

WORD = "1\tthé\tthe\tDET\tDT\t_\t0\troot\t_\tSpaceAfter=No\n"
OTHERS = "2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n2\tde\t_\t_\t_\t_\t1\tcase\t_\t_\n3\tle\t_\t_\t_\t_\t1\tdet\t_\t_\n"
TEXT = f"# sent_id = 1\n{WORD}{OTHERS}3.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_\n\n# sent_id = 2\n# more\n{WORD}\n"


def written(folder: Path, text: str) -> str:
    path = folder / "x.conllu"
    path.write_bytes(text.encode())
    return str(path)


@pytest.mark.parametrize("rules", ["ud", "conll18", "udtools"])
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "", "# global.columns = ID FORM\n1\ta\n\n"])
def test_the_same_treebank(rules: str, text: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    try:
        expected = load(path, RULES[rules])
    except ConlluError as error:
        with PrefetchedFile(path) as file, pytest.raises(ConlluError) as caught:
            load(file, RULES[rules])
        assert list(map(str, caught.value.faults)) == list(map(str, error.faults))
        return
    with PrefetchedFile(path) as file:
        found = load(file, RULES[rules])
    assert levelhead.treebank.to_conllu(found) == levelhead.treebank.to_conllu(expected)
    assert found.source.sha256 == expected.source.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert found.warnings == expected.warnings
    assert np.array_equal(found.source.lines, expected.source.lines)


def test_contents_are_scanned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with PrefetchedFile(written(tmp_path, TEXT)) as file:
        data = file.contents()
    assert isinstance(data, ScannedBytes)
    assert data == TEXT.encode()
    with monkeypatch.context() as patch:
        patch.setattr(scan, "begin", None)
        assert scan_treebank(data) is not None
    assert scan_treebank(data, conllx=True) is None  # which has to scan again: the file has comments
    assert sha256_of(data) is data.sha256


def test_errors_are_raised_when_contents_are_needed(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with PrefetchedFile(missing) as file, pytest.raises(UnreadableFile, match="missing"):
        file.contents()


def test_no_thread_is_left_after_an_error(tmp_path: Path) -> None:
    before = threading.active_count()
    with (
        pytest.raises(ZeroDivisionError),
        PrefetchedFile(written(tmp_path, TEXT)),
        PrefetchedFile(str(tmp_path / "missing")),
    ):
        raise ZeroDivisionError
    assert threading.active_count() == before


def test_scanning_in_two_steps() -> None:
    pool, offsets, columns, heads, multiword, empty, starts, lines, comments, places = scan.arrays_of(
        scan.begin(TEXT.encode())
    )
    assert pool.split(b"\n")[:2] == [b"_", "thé".encode()]
    assert offsets[-1] == len(pool)
    assert len(columns) == 8
    assert heads.tolist() == [0, 1, 1, 0]
    assert multiword[:, :3].tolist() == [[1, 0, 2]]
    assert empty[:, :3].tolist() == [[3, 0, 1]]
    assert (starts.tolist(), lines.tolist()) == ([0, 3, 4], [2, 10])
    assert comments[places[1] :] == b"# sent_id = 2\n# more\n"
    assert scan.arrays_of(scan.begin(b"1\tx\n")) == 1


def test_reading_ahead_loads_no_numpy() -> None:
    """Otherwise the threads would wait for what they should run next to."""
    code = "import sys, levelhead.cli.scoring, levelhead.treebank.input_bytes; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
