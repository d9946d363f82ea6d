"""Partial scores of real answers, piece by piece: those of reading the files whole."""

import csv
from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank.input_bytes import PieceSizes


@pytest.mark.slow
def test_real_answers_in_pieces(data: Path, tmp_path: Path) -> None:
    """As models wrote them, and recovered; all measures and counts, both policies, the coverage and the signature."""
    n_scored, sizes = 0, one_in(2, (20_000, 1))
    manifest = (data / "llm/MANIFEST.tsv").read_text(encoding="utf-8").splitlines()
    entries = csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE)
    given = [entry for entry in entries if entry["gold"]]
    for entry in (read := one_in(18, given, 16)):
        gold, answers = (data / "llm" / entry[column] for column in ("gold", "path"))
        levelhead.recover(answers, gold).write(tmp_path / "recovered.conllu")
        for output in (answers, tmp_path / "recovered.conllu"):
            setup = setup_of(None, partial=True)
            try:
                whole = score_files(gold, output, setup, PieceSizes(1 << 40, 1)).to_dict()
            except levelhead.InputError as error:
                whole = str(error)
            for size in sizes:
                try:
                    found = score_files(gold, output, setup, PieceSizes(0, size)).to_dict()
                except levelhead.InputError as error:
                    found = str(error)
                assert found == whole, (output, size)
            n_scored += isinstance(whole, dict)
    assert n_scored >= 37 * len(read) // len(given)
