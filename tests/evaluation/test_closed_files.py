"""Every function that reads files closes them on every way out, at once: also while its error is being handled."""

import gc
import gzip
import hashlib
import os
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from conftest import EXAMPLES, one_in
from levelhead.campaign.find import find_plan
from levelhead.campaign.outputs import JobSetup, count_output
from levelhead.campaign.profile_jobs import profile_files
from levelhead.campaign.records import File
from levelhead.campaign.results import read_scores
from levelhead.comparison.word_tables import sentences_of_outputs, words_of_outputs
from levelhead.correlation import read_tables
from levelhead.derivation import read_arpa
from levelhead.errors import LevelheadError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.pair import load
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import StaleInput
from levelhead.measures.user_definitions import read_definitions
from levelhead.parsing.model_file import read_model
from levelhead.recovery.answers import Layout, read_answers
from levelhead.scoring.rules import RULES
from levelhead.scoring.selection import read_weights
from levelhead.treebank import faults_of, input_bytes, read
from levelhead.treebank.input_bytes import PieceSizes, PrefetchedFile, parts_of, read_bytes
from levelhead.treebank.validation import write_fixed
from levelhead.typology.collection import sampled, similarities, survey
from levelhead.typology.profile import ProfileTask, files_of
from naming import naming

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list open files")

GOLD, SYSTEM = (
    b"\n\n".join((EXAMPLES / f"parallel/{name}/en.conllu").read_bytes().split(b"\n\n")[:6]) + b"\n\n"
    for name in ("gold", "systems/alpha")
)


def contents_of(kind: str, data: bytes) -> bytes:
    """A file with errors at several places, or one that cannot be read."""
    packed = gzip.compress(data)
    half = data.index(b"\n\n", len(data) // 2) + 2
    start, end = data[:half], data[half:]
    return {
        "valid": data,
        "compressed": packed,
        "damaged-early": data.replace(b"\t", b" ", 3),
        "damaged": start + end.replace(b"\t0\t", b"\tx\t", 1),
        "refused": start + end.replace(b"\t0\t", b"\t_\t", 1),
        "other-text": start + end.replace(b"\te", b"\tE", 1).replace(b"\ta", b"\tA", 1),
        "not-text": start + b"\xff" + end,
        "cut": data[: half + 30],
        "truncated": packed[: len(packed) // 2],
        "damaged-compression": packed[: len(packed) // 2] + b"\0" * 50,
        "archive": b"PK\x03\x04",
        "empty": b"",
    }[kind]


INVALID = (
    "damaged-early damaged refused other-text not-text cut truncated damaged-compression archive empty missing".split()
)
PAIRS = [
    *(("valid", kind) for kind in ["valid", "compressed", *INVALID]),
    *((kind, "valid") for kind in ["compressed", *INVALID]),
    *((kind, kind) for kind in INVALID),
]


def file_of(path: Path) -> File:
    return File(str(path), hashlib.sha256(path.read_bytes() if path.exists() else b"").hexdigest())


def first_part(path: Path) -> bytes:
    with parts_of(path) as parts:
        return next(parts, b"")


def read_ahead(path: Path) -> Any:
    with PrefetchedFile(str(path)) as file:
        return load(file, RULES["ud"])


OF_ONE: list[Callable[[Path], Any]] = [
    read,
    read_bytes,
    first_part,
    read_ahead,
    faults_of,
    lambda path: faults_of(path, rules="msp25"),
    lambda path: write_fixed(path, path.with_name("copy")),
    lambda path: survey(files_of([path]), columns=["mattr"]),
    lambda path: similarities(files_of([path, path.with_name("gold")])),
    lambda path: sampled(files_of([path]), [10]),
    lambda path: profile_files([(str(path), file_of(path))], ProfileTask(("mattr",))),
]


def scored(measures: list[str] | None = None, **settings: Any) -> Callable[[Path, Path], Any]:
    return lambda gold, system: score_files(gold, system, setup_of(measures, **settings))


def counted(measures: list[str] | None = None, **settings: Any) -> Callable[[Path, Path], Any]:
    job = JobSetup(setup_of(measures, **settings), resample_by="sentence")
    return lambda gold, system: count_output(file_of(gold), file_of(system), job)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"measures": ["UAS(nopunct=callin)"]},
    {"partial": True},
    {"measures": ["LAS(nopunct=callin)"], "partial": True},
    *({"rules": rules} for rules in ("udtools", "conll18", "conll17", "msp25")),
]
OF_PAIRS: list[Callable[[Path, Path], Any]] = [
    *(how(**settings) for settings in SETTINGS for how in (scored, counted)),
    lambda gold, system: sentences_of_outputs(find_plan(gold, [system]), setup_of(["LAS"])),
    lambda gold, system: words_of_outputs(find_plan(gold, [system]), setup_of([])),
]


OF_OTHER_FILES: list[tuple[Callable[[Path], Any], bytes]] = [
    (lambda path: read_answers(path, Layout(), 20), b"1 a 0 root\n\n1 b 0 root\n"),
    (lambda path: read_answers(path, Layout(field="answer"), 20), b'{"answer": "1 a 0 root"}\n'),
    (read_weights, b"det 0.1\nnsubj 0.9\n"),
    (read_definitions, (EXAMPLES / "definitions.toml").read_bytes()),
    (read_scores, b"system\ttreebank\tLAS\nx\tfr\t80\n"),
    (lambda path: read_tables([str(path)]), b"treebank\tA\nfr\t1\nen\t2\n"),
    (read_arpa, b"\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<s>\n-1\t</s>\n-1\t<unk>\n\n\\end\\\n"),
    (read_model, b"levelhead model"),
]
"""Functions that read files of other kinds, each with a file."""


def open_files() -> dict[str, str]:
    """The open files, without the folder that is being listed."""
    found = {number: os.path.join("/proc/self/fd", number) for number in os.listdir("/proc/self/fd")}
    return {number: os.readlink(path) for number, path in found.items() if os.path.lexists(path)}


def check_closed(function: Callable[..., Any], *paths: Path) -> bool:
    """Require that no file is open after a call, even if nothing collects garbage; return whether it succeeded."""
    before = open_files()
    try:
        function(*paths)
    except (LevelheadError, StaleInput):
        assert open_files() == before
        return False
    assert open_files() == before
    return True


@pytest.fixture
def tidy() -> Any:
    """Collect no garbage during a test; afterwards, no file may be found that was never closed."""
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            yield
            gc.collect()
    finally:
        gc.enable()
    assert [str(one.message) for one in found] == []


def write(path: Path, kind: str, data: bytes) -> Path:
    path.unlink(missing_ok=True)
    if kind != "missing":
        path.write_bytes(contents_of(kind, data))
    return path


def both_sizes(test: Any) -> Any:
    sizes = pytest.mark.parametrize("sizes", [PieceSizes(), PieceSizes(0, 1500)], ids=["whole", "pieces"])
    return pytest.mark.usefixtures("tidy")(sizes(test))


@both_sizes
def test_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: PieceSizes) -> None:
    monkeypatch.setattr(input_bytes, "SIZES", sizes)
    write(tmp_path / "gold", "valid", GOLD)
    for kind in ("valid", "compressed", *INVALID):
        path = write(tmp_path / "system", kind, SYSTEM)
        for number, function in enumerate(OF_ONE):
            with naming(kind, number):
                assert check_closed(function, path) or kind != "valid"


@both_sizes
def test_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: PieceSizes) -> None:
    """Of the pairs and functions, each is tried with a seventh of the others: another one whole and in pieces."""
    monkeypatch.setattr(input_bytes, "SIZES", sizes)
    assert len(OF_PAIRS) % 7
    for kinds, (number, function) in one_in(7, list(product(PAIRS, enumerate(OF_PAIRS))), 2 * (sizes.large == 0)):
        with naming(kinds, number):
            gold, system = write(tmp_path / "gold", kinds[0], GOLD), write(tmp_path / "system", kinds[1], SYSTEM)
            assert check_closed(function, gold, system) or kinds != ("valid", "valid")


@pytest.mark.usefixtures("tidy")
def test_files_of_other_kinds(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for number, (function, data) in enumerate(OF_OTHER_FILES):
        packed = gzip.compress(data)
        variants = [data, packed, b"", b"\xff\0" + data, data[: len(data) // 2], packed[: len(packed) // 2], GOLD]
        for kind, contents in enumerate(variants):
            path.write_bytes(contents)
            with naming(number, kind):
                assert check_closed(function, path) or kind > 0 or function is read_model
        path.unlink()
        assert not check_closed(function, path)
