"""Jobs of the engine on files read in pieces: the same records, output and messages as for whole files."""

import gzip
import hashlib
import json
import lzma
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from conftest import EXAMPLES
from levelhead.campaign import records as gold_of_jobs
from levelhead.campaign.outputs import JobSetup, OutputJob, count_output
from levelhead.campaign.records import GOLD, File, LargeFile, json_of, unchanged, whole_contents
from levelhead.cli import program
from levelhead.errors import LevelheadError
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import StaleInput
from levelhead.treebank import input_bytes, ud_reader
from levelhead.treebank.input_bytes import PieceSizes
from models import MODELS
from oracle.damage import damaged_bytes
from oracle.drawing import some_system, some_treebank
from strategies import SEEDS, examples

RULES = ("ud", "udtools", "conll18", "conll17")
WEIGHTS = {"nsubj": 0.1, "det": 0.2, "root": 1 / 3, "punct": 0.7, "obj": 1e-9, "conj": 3.3}
MORE = {
    "ud": (
        "UAS(nopunct) UAS(nopunct=callin) LAS(class=gold)@CORE UEM LEM@CORE Roots Trees WLAS(w,default=0.25)"
    ).split(),
    "udtools": ["LAS(nopunct=callin)", "WLAS(w,default=0.25)", "CNC", "DPPL(d,order=swap-lazy)"],
    "conll18": ["CallinWLAS(w,default=0.25)", "UEM", "LAS", "DPPL(d,order=arc-eager)"],  # LAS twice
    "conll17": ["WeightedLAS(w,default=0.25)", "DPPL(d,order=string)"],
}
WHOLE = PieceSizes(1 << 40, 1)
TINY = tuple(PieceSizes(0, size) for size in (1, 300, 5000))
UNITS = (None, "auto", "sentence", "document", "comment:genre")
CORPUS = "# newdoc\n", "# newdoc id = d\n", "# genre = a\n", "# genre = b\n# newdoc\n", "", ""


@cache
def settings_of(rules: str, resample_by: str | None, **more: Any) -> JobSetup:
    weights = {"w": WEIGHTS, **MODELS}
    setup = setup_of([*setup_of(rules=rules).names, *MORE[rules]], rules=rules, weights=weights)
    return JobSetup(setup, resample_by=resample_by, **more)


def file_of(path: Path, data: bytes, *, at_hand: bool = False) -> File:
    path.write_bytes(data)
    return File(str(path), hashlib.sha256(data).hexdigest(), data if at_hand else None)


def outcome(gold: File, system: File | None, setup: JobSetup, sizes: PieceSizes) -> object:
    """Return the record of a job, or its error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_bytes, "SIZES", sizes)
        try:
            return json_of(count_output(gold, system, setup))
        except LevelheadError as error:
            return type(error), str(error)


def compare(gold: File, system: File | None, setup: JobSetup, tiny: tuple[PieceSizes, ...] = TINY) -> Any:
    """Count the whole file, and pieces of several sizes; check that the records are equal, and return the record."""
    whole = outcome(gold, system, setup, WHOLE)
    for sizes in tiny:
        gold_of_jobs._shared_facts.cache_clear()  # as if no output had been scored before
        assert outcome(gold, system, setup, sizes) == whole
    return json.loads(whole) if isinstance(whole, bytes) else whole


def test_gold_that_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings of gold are found once; the records of later outputs have the same warnings."""
    gold = (EXAMPLES / "parallel/gold/en.conllu").read_text()
    gold = gold.replace("# sent_id = ", "# sent_id = x\n# ") + "1\t \u200b\t_\t_\t_\tX\t0\troot\t_\t_\n"
    file = file_of(tmp_path / "gold", gold.encode())
    outputs = [file_of(tmp_path / f"output{i}", gold.replace("\tNOUN\t", f"\tX{i}\t").encode()) for i in range(2)]
    searched = []
    search = ud_reader.warnings_by_kind
    monkeypatch.setattr(
        ud_reader,
        "warnings_by_kind",
        lambda piece, most: searched.append(piece.source.path) or search(piece, most),
    )
    for number, output in enumerate([*outputs, None], 1):
        setup = settings_of("ud", "sentence")
        whole = outcome(file, output, setup, WHOLE)
        assert all(outcome(file, output, setup, sizes) == whole for sizes in TINY)
        assert isinstance(whole, bytes)
        assert {fault[1] for fault in json.loads(whole)["gold"][4]} >= {"duplicate-sent-id", "unusual-character"}
        if number == 1:
            first = searched.count(GOLD)
    assert searched.count(GOLD) == first


def with_marks(random: Random, text: str) -> str:
    """Return a treebank with `# newdoc` and other comments."""
    return "\n\n".join(random.choice(CORPUS) + one if one.strip() else one for one in text.split("\n\n"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs")


@settings(max_examples=examples(12))
@given(
    seed=SEEDS,
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=12),
    rules=st.sampled_from(RULES),
    unit=st.sampled_from(UNITS),
)
def test_random_pairs(folder: Path, seed: int, sizes: list[int], rules: str, unit: str | None) -> None:
    """Records of valid outputs in pieces equal those of whole files, byte by byte."""
    random = Random(seed)
    gold = with_marks(random, some_treebank(random, sizes))
    files = file_of(folder / "gold", gold.encode()), file_of(folder / "system", some_system(random, gold).encode())
    setup = settings_of(rules, unit)
    record = compare(*files, setup)
    if record.get("state") == "valid":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(input_bytes, "SIZES", PieceSizes(0, 1))
            assert OutputJob(*files, setup.setup, unit).record_in_pieces() is not None
    compare(files[0], None, setup)


@settings(max_examples=examples(12))
@given(
    seed=SEEDS,
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=12),
    rules=st.sampled_from(RULES),
    unit=st.sampled_from(UNITS),
    edits=st.tuples(st.integers(0, 2), st.integers(0, 2)),
)
def test_damaged_pairs(
    folder: Path, seed: int, sizes: list[int], rules: str, unit: str | None, edits: tuple[int, int]
) -> None:
    """Whatever the damage to one file or both, the record equals that of whole files."""
    random = Random(seed)
    gold = some_treebank(random, sizes)
    system = some_system(random, gold)
    data = [damaged_bytes(random, text, n) for text, n in zip((gold, system), edits, strict=True)]
    files = file_of(folder / "gold", data[0]), file_of(folder / "system", data[1])
    compare(*files, settings_of(rules, unit))
    compare(files[0], None, settings_of(rules, unit))


def test_conllx_against_conllu(tmp_path: Path) -> None:
    """The multiword tokens of gold are split into words."""
    gold = some_treebank(Random(5), [4] * 12)
    words = [line for line in gold.split("\n") if not line.startswith("#") and "-" not in line.partition("\t")[0]]
    system = "\n".join(line for line in words if "." not in line.partition("\t")[0])
    files = file_of(tmp_path / "gold", gold.encode()), file_of(tmp_path / "system", system.encode())
    setup = JobSetup(setup_of("UAS,LAS,UEM", format="conllx", gold_format="conllu"), resample_by="auto")
    assert compare(*files, setup)["state"] == "valid"
    compare(files[0], None, setup)


@pytest.mark.parametrize(
    ("pack", "at_hand"), [(bytes, False), (gzip.compress, True), (lzma.compress, False)], ids=["plain", "gz", "xz"]
)
def test_compressed_files(tmp_path: Path, pack: Callable[[bytes], bytes], at_hand: bool) -> None:
    """Compressed files, damaged files, and contents in memory."""
    gold, system = (EXAMPLES / f"parallel/{name}/en.conllu" for name in ("gold", "systems/alpha"))
    ours = file_of(tmp_path / "gold", pack(gold.read_bytes()), at_hand=at_hand)
    theirs = pack(system.read_bytes())
    for data in (theirs, theirs[: len(theirs) // 2], b"", b"PK\x03\x04"):
        output = file_of(tmp_path / "system", data, at_hand=at_hand)
        compare(ours, output, settings_of("ud", "auto"), TINY[1:2])
        compare(output, ours, settings_of("conll18", None), TINY[1:2])
    with pytest.raises(LargeFile):
        whole_contents(ours, 5)


def test_missing_weights(tmp_path: Path) -> None:
    """The message names the same relation."""
    gold = EXAMPLES / "parallel/gold/en.conllu"
    file = file_of(tmp_path / "gold", gold.read_bytes())
    found = compare(file, file, JobSetup(setup_of("LAS,WLAS(w)", weights={"w": WEIGHTS})))
    assert "weight" in found[1]


def damage(path: Path) -> None:
    """Write to a file while it is read, so that its contents seem invalid."""
    path.write_bytes(b"other")
    raise ValueError(path)


def test_files_that_change(tmp_path: Path) -> None:
    """Changes are noticed before and after a file is read, and before its errors are reported."""
    file = file_of(tmp_path / "gold", (EXAMPLES / "parallel/gold/en.conllu").read_bytes())
    with unchanged(file):
        pass
    with pytest.raises(StaleInput, match="written to"), unchanged(file):
        damage(Path(file.path))
    assert outcome(file, file, settings_of("ud", None), TINY[0]) == outcome(file, file, settings_of("ud", None), WHOLE)
    with pytest.raises(StaleInput, match="written to"), unchanged(file):
        pass
    Path(file.path).unlink()
    with pytest.raises(StaleInput, match="No such file"), unchanged(file):
        pass


COMMANDS = {
    "rank": ["rank", "gold", "systems"],
    "score": ["score", "gold", "systems/alpha"],
    "compare": ["compare", "gold/en.conllu", "systems/alpha/en.conllu", "systems/beta/en.conllu"],
    "languages": ["languages", "gold", "systems/alpha", "-m", "LAS"],
    "compare folders": ["compare", "gold", "systems/alpha", "systems/beta", "-m", "LAS,MLAS"],
}


@pytest.mark.parametrize("case", COMMANDS)
def test_the_commands(
    case: str, folders: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Output, messages and exit codes of the commands that use the engine; every valid pair is read in pieces."""
    for path in {*folders.rglob("*.conllu")} - {*folders.rglob("ar.*"), *folders.rglob("en.*"), *folders.rglob("tr.*")}:
        path.unlink()
    monkeypatch.chdir(folders)
    seen = []
    for sizes in (WHOLE, TINY[1]):
        monkeypatch.setattr(input_bytes, "SIZES", sizes)
        code = program.run([*COMMANDS[case], "--format", "json"])
        seen.append((code, *capfd.readouterr()))
    assert all(one == seen[0] for one in seen)
    assert seen[0][0] == os.EX_OK, seen[0]


@pytest.mark.parametrize("rules", ["udtools", "conll18", "conll17"])
def test_documents_of_files_with_unusual_numbers(tmp_path: Path, rules: str) -> None:
    """Comments are kept even if numbers are written unusually, so units do not depend on them."""
    text = some_treebank(Random(3), [3, 4, 5, 4])
    marked = "# newdoc\n" + "\n\n# newdoc\n".join(text.split("\n\n"))
    marked = marked.removesuffix("# newdoc\n")
    unusual = marked.replace("\t1\t", "\t01\t")
    assert unusual != marked
    found = []
    for data in (marked, unusual):
        file = file_of(tmp_path / "gold", data.encode())
        record = compare(file, file, settings_of(rules, "document"))
        found.append(record["units"])
    assert found[0] == found[1]
    assert found[0]["kind"] == "document"
