"""Real treebanks of eight UD releases: read, written back, counted, and scored against themselves."""

import csv
import hashlib
from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from levelhead.treebank import to_conllu
from levelhead.typology.counts import count_sizes

N_FILES = {
    "r1.2": 67,
    "r1.3": 36,
    "r1.4": 12,
    "r2.0": 76,
    "r2.0-test": 79,
    "r2.16": 13,
    "r2.17": 27,
    "r2.18": 8,
}

ALWAYS_DEFINED = {"Tokens", "Sentences", "Words", "UPOS", "UAS", "LAS", "LAS(full)", "CLAS"}
"""What every treebank of the collection has annotated."""

SEVERAL_COLUMNS = {"AllTags": ("upos", "xpos", "feats"), "MLAS": ("upos",)}
"""What has a value where all columns are annotated."""


def manifest(data: Path, folder: str) -> list[dict[str, str]]:
    with (data / "ud" / "MANIFEST.tsv").open(encoding="utf-8", newline="") as table:
        rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row for row in rows if row["path"].split("/")[0] == folder]


def faults(data: Path, row: dict[str, str]) -> list[str]:
    """Say all that is not as it should be with one file."""
    treebank = levelhead.read(data / "ud" / row["path"])
    found = []
    if hashlib.sha256(to_conllu(treebank)).hexdigest() != row["sha256_raw"]:
        found.append("does not have the form back byte for byte")
    counts = {
        "sentences": len(treebank),
        "words": treebank.n_words,
        "multiword_tokens": len(treebank.multiword),
        "empty_nodes": len(treebank.empty),
    }
    sizes = count_sizes(treebank)
    for name, n in counts.items():
        if not n == getattr(sizes, name) == int(row[name]):
            found.append(f"has {n} {name}, the profile {getattr(sizes, name)}, the manifest {row[name]}")
    return [f"{row['path']} {fault}" for fault in (*found, *imperfections(treebank))]


def imperfections(treebank: levelhead.Treebank) -> list[str]:
    """Score a treebank against itself: every percentage is 100, or its measure is not annotated; nothing else."""
    found = []
    for name, score in levelhead.score(treebank, treebank).items():
        ratios = {score.precision, score.recall, score.f1}
        if score.aligned is not None:
            ratios.add(score.aligned_accuracy)
        annotated = name in ALWAYS_DEFINED or score.reason is None
        if name in SEVERAL_COLUMNS:
            annotated = all(getattr(treebank, column).has_values for column in SEVERAL_COLUMNS[name])
        if ratios != ({100} if annotated else {None}):
            found.append(f"against itself: {name} {ratios} {score.reason}")
        if score.reason is not None and not score.reason.startswith("not annotated in gold: "):
            found.append(f"has no {name}: {score.reason}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("folder", N_FILES)
def test_every_file_of_a_release(data: Path, folder: str) -> None:
    """A file is read, written back byte for byte, has the manifest's counts, and is perfect against itself."""
    rows = manifest(data, folder)
    assert len(rows) == N_FILES[folder]
    found = [fault for row in one_in(16, rows, 5) for fault in faults(data, row)]
    assert not found, "\n".join(found)


def test_the_manifest_names_no_other_folder(data: Path) -> None:
    """So that no file goes unchecked."""
    with (data / "ud" / "MANIFEST.tsv").open(encoding="utf-8") as table:
        assert sum(1 for _ in table) - 1 == sum(N_FILES.values())


def test_a_whole_file_written_to_disk(data: Path, tmp_path: Path) -> None:
    """Through `write` as well, from a compressed file with empty nodes and multiword tokens to a plain one."""
    row = next(
        row for row in manifest(data, "r2.17") if int(row["empty_nodes"]) > 0 and int(row["multiword_tokens"]) > 0
    )
    levelhead.write(levelhead.read(data / "ud" / row["path"]), tmp_path / "copy.conllu")
    assert hashlib.sha256((tmp_path / "copy.conllu").read_bytes()).hexdigest() == row["sha256_raw"]


def printed(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def test_the_table_that_udtools_prints(data: Path) -> None:
    """A parser's output for Czech PUD of 2025, with the table that the scorer of udtools printed for it."""
    folder = data / "ud-validate-cases" / "eval"
    system = folder / "cs_pud-udpipe-pdtc-ud-2.17-251125.conllu"
    scores = levelhead.score(folder / "cs_pud-gold.conllu", system, rules="udtools")
    ours = {
        name: [printed(value) for value in (score.precision, score.recall, score.f1, score.aligned_accuracy)]
        for name, score in scores.items()
    }
    lines = (folder / "eval.txt").read_text(encoding="utf-8").splitlines()[2:]
    table = {name: cells for name, *cells in ([cell.strip() for cell in line.split("|")] for line in lines)}
    assert ours == table
    assert list(ours) == list(table)
