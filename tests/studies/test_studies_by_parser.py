"""Findings by parser: the study on UD v2, and a page recomputed in part."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from conftest import EXAMPLES, one_in
from documentation import rows_on
from levelhead.parsing import Recipe, parse_treebank, train
from levelhead.studies import Study, StudyRequest, kohita, reproduce, request
from levelhead.studies.request import FOUR_MEMBERS, IN_ENSEMBLE, SEED, built_in
from levelhead.treebank import read

GOLD = EXAMPLES / "parallel" / "gold"


def test_ensembles_learn_from_the_first_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    treebank, words = read(GOLD / "de.conllu"), read(GOLD / "en.conllu")
    monkeypatch.setattr(request, "ENSEMBLE_SENTENCES", 8)
    capped = built_in("ensemble", [treebank], None, words)
    settings = {"beam": 1, "seed": SEED, "schedule": IN_ENSEMBLE, "members": FOUR_MEMBERS}
    model = train(treebank[:8], Recipe("ensemble", **settings))
    assert np.array_equal(capped.heads, parse_treebank(model, words).heads)
    whole = train(treebank, Recipe("ensemble", **settings))
    assert not np.array_equal(capped.heads, parse_treebank(whole, words).heads), "or the test shows nothing"


@pytest.fixture(scope="module")
def ud2(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study on two treebanks with training sets and one without."""
    folder = tmp_path_factory.mktemp("treebanks")
    for code in ("de", "en"):
        for part in ("train", "test"):
            (folder / f"{code}-ud-{part}.conllu").write_bytes((GOLD / f"{code}.conllu").read_bytes())
    (folder / "fi-ud-test.conllu").write_bytes((GOLD / "fi.conllu").read_bytes())
    return reproduce("kohita-2017-ud2", StudyRequest((folder,), trainer=built_in, outputs=folder / "outputs"))


def test_the_study_on_ud2_is_labeled_and_takes_treebanks_with_training_sets(ud2: Study) -> None:
    assert ud2.title.endswith("on UD 2.0")
    assert "2 treebanks, all with a training set." in ud2.setting
    sections = {section.title: section for section in ud2.sections}
    for name in ("UAS", "LAS", "CNC"):
        assert sections[name].table is not None
        assert [row[0] for row in sections[name].table.rows] == ["de", "en", "average"]
    relations = [row[0] for row in sections["F1 by relation"].table.rows]
    assert {"obj", "obl"} <= set(relations)
    assert "dobj" not in relations
    assert all("of 19" not in claim.evidence for claim in ud2.claims)


def test_claims_name_every_parser(ud2: Study) -> None:
    (claim,) = (claim for claim in ud2.claims if claim.text.startswith("Parsing through function heads"))
    assert all(f"{parser}: LAS" in claim.evidence for parser in ("graph", "swap-lazy", "ensemble"))
    assert {claim.verdict for claim in ud2.claims if claim.text.startswith("On average")} == {"different data"}


def printed(page: str, title: str, code: str, parsers: Sequence[str]) -> list[str]:
    """The cells of some parsers in a treebank's row of a section of a page."""
    head, *rows = rows_on(page, title)
    (row,) = [row for row in rows if row[0] == code]
    return [cell for name, cell in zip(head, row, strict=True) if name.startswith(tuple(parsers))]


def test_a_row_of_the_page_on_ud2_is_recomputed(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row of the smallest treebank with the parser that trains fastest; other cells come from the same functions."""
    code, parsers = "lt", one_in(3, kohita.PARSERS, 1)
    monkeypatch.setattr(kohita, "PARSERS", parsers)
    parts = [data / "ud" / "r2.0" / f"{code}-ud-train.conllu.xz", data / "ud" / "r2.0" / f"{code}-ud-dev.conllu.xz"]
    test = data / "ud" / "r2.0-test" / f"{code}-ud-test.conllu.xz"
    study = reproduce("kohita-2017-ud2", StudyRequest((*parts, test), trainer=built_in, outputs=tmp_path))
    sections = {section.title: section for section in study.sections}
    for name in ("UAS", "LAS", "CNC"):
        ours = sections[name].table.rows[0][1:]
        assert [f"{value:.2f}" for value in ours] == [
            cell.removeprefix("+") for cell in printed("kohita-2017-ud2", name, code, parsers)
        ]
