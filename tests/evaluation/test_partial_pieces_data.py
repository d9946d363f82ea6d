"""Partial scores of real answers, piece by piece: those of reading the files whole."""

import csv
import os
from pathlib import Path

import pytest

import levelhead
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank.blocks import PieceSizes

EVERY = int(os.environ.get("LEVELHEAD_EVERY", "9"))
"""Which files of answers are read: one of so many. All of them take minutes: LEVELHEAD_EVERY=1."""
SIZES = (1, 20_000) if EVERY == 1 else (20_000,)
"""How many bytes a piece has."""


@pytest.mark.slow
def test_real_answers_in_pieces(data: Path, tmp_path: Path) -> None:
    """As models wrote them, and recovered; all measures and counts, both policies, the coverage and the signature."""
    n_scored = 0
    manifest = (data / "llm/MANIFEST.tsv").read_text(encoding="utf-8").splitlines()
    entries = csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE)
    for entry in [entry for entry in entries if entry["gold"]][::EVERY]:
        gold, answers = (data / "llm" / entry[column] for column in ("gold", "path"))
        levelhead.recover(answers, gold).write(tmp_path / "recovered.conllu")
        for output in (answers, tmp_path / "recovered.conllu"):
            setup = setup_of(None, partial=True)
            try:
                whole = score_files(gold, output, setup, PieceSizes(1 << 40, 1)).to_dict()
            except levelhead.InputError as error:
                whole = str(error)
            for size in SIZES:
                try:
                    found = score_files(gold, output, setup, PieceSizes(0, size)).to_dict()
                except levelhead.InputError as error:
                    found = str(error)
                assert found == whole, (output, size)
            n_scored += isinstance(whole, dict)
    assert n_scored >= 37 // EVERY
