"""Partial scores of real answers, piece by piece: those of reading the files whole."""

import csv
from pathlib import Path

import pytest

import levelhead
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.report.scores import score_document
from levelhead.treebank.blocks import PieceSizes


@pytest.mark.slow
def test_real_answers_in_pieces(data: Path, tmp_path: Path) -> None:
    """As models wrote them, and recovered; all measures and counts, both policies, the coverage and the signature."""
    n_scored = 0
    manifest = (data / "llm/MANIFEST.tsv").read_text(encoding="utf-8").splitlines()
    for entry in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
        if not entry["gold"]:
            continue
        gold, answers = (data / "llm" / entry[column] for column in ("gold", "path"))
        levelhead.recover(answers, gold).write(tmp_path / "recovered.conllu")
        for output in (answers, tmp_path / "recovered.conllu"):
            setup = setup_of(None, partial=True)
            try:
                whole = score_document(score_files(gold, output, setup, PieceSizes(1 << 40, 1)))
            except levelhead.InputError as error:
                whole = str(error)
            for size in (1, 20_000):
                try:
                    found = score_document(score_files(gold, output, setup, PieceSizes(0, size)))
                except levelhead.InputError as error:
                    found = str(error)
                assert found == whole, (output, size)
            n_scored += isinstance(whole, dict)
    assert n_scored >= 37
