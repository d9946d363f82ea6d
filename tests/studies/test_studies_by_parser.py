"""Findings by parser: verdicts side by side, the study on UD v2, and a page recomputed in part."""

import re
from pathlib import Path

import numpy as np
import pytest

from conftest import EXAMPLES, ROOT
from levelhead.parsing import Recipe, parse_treebank, train
from levelhead.studies import Claim, Study, StudyRequest, parsers, reproduce
from levelhead.studies.parsers import FOUR_MEMBERS, IN_ENSEMBLE, SEED, built_in
from levelhead.studies.study import verdicts_by_parser
from levelhead.studies.verdicts import Verdict
from levelhead.treebank import read

GOLD = EXAMPLES / "parallel" / "gold"


def judged(*verdicts: Verdict) -> list[Claim]:
    return [Claim(f"claim {i}", "page 1", verdict, "") for i, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (("holds", "no data"), ("holds", "no data"), "All parsers agree on all 2 claims."),
        (("holds", "inconclusive"), ("holds", "holds"), "Parsers differ on 1 of 2 claims. No claim holds for one"),
        (("holds", "holds"), ("does not hold", "holds"), "differ on 1 of 2 claims. 1 holds for one parser and fails"),
        (("holds", "holds"), ("does not hold", "does not hold"), "2 hold for one parser and fail for another."),
    ],
)
def test_disagreements_are_counted(one: tuple[Verdict, ...], other: tuple[Verdict, ...], told: str) -> None:
    section = verdicts_by_parser({"graph": judged(*one), "ensemble": judged(*other)})
    assert told in section.text[0]
    assert section.table is not None
    assert [column.name for column in section.table.columns] == ["claim", "graph", "ensemble"]
    assert section.table.rows == tuple((f"claim {i}", *pair) for i, pair in enumerate(zip(one, other)))


def test_one_parser_is_not_compared() -> None:
    assert verdicts_by_parser({"graph": judged("holds")}).text == (
        "Each verdict rests on the scores of a single parser.",
    )


def test_ensembles_learn_from_the_first_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    treebank, words = read(GOLD / "de.conllu"), read(GOLD / "en.conllu")
    monkeypatch.setattr(parsers, "ENSEMBLE_SENTENCES", 8)
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
    assert "2 treebanks, all with a training set: de, en." in ud2.setting
    sections = {section.title: section for section in ud2.sections}
    for name in ("UAS", "LAS", "CNC"):
        assert sections[name].table is not None
        assert [row[0] for row in sections[name].table.rows] == ["de", "en", "average"]
    relations = [row[0] for row in sections["F1 by relation"].table.rows]
    assert {"obj", "obl"} <= set(relations)
    assert "dobj" not in relations
    assert all("of 19" not in claim.evidence for claim in ud2.claims)


def test_parsers_are_judged_alone_and_together(ud2: Study) -> None:
    """A claim holds if it holds for every parser, so the verdicts by parser imply the verdict on all."""
    table = next(section.table for section in ud2.sections if section.title == "Do the findings depend on the parser?")
    assert table is not None
    assert [column.name for column in table.columns] == ["claim", "graph", "swap-lazy", "ensemble"]
    together = {claim.text: claim.verdict for claim in ud2.claims}
    for text, *alone in table.rows[1:]:
        assert together[text] == (alone[0] if len(set(alone)) == 1 else together[text])
    assert len(table.rows) == 5


def printed_gain(page: str, title: str, code: str) -> list[str]:
    """The cells in a treebank's row of a section of a page."""
    section = (ROOT / "docs" / "studies" / page).read_text(encoding="utf-8").split(f"## {title}\n")[1]
    return re.search(rf"^\| {code} \| (.*) \|$", section, re.MULTILINE)[1].split(" | ")


def test_a_row_of_the_page_on_ud2_is_recomputed(data: Path, tmp_path: Path) -> None:
    """The row of the smallest treebank, which trains in seconds; other rows come from the same functions."""
    code = "lt"
    parts = [data / "ud" / "r2.0" / f"{code}-ud-train.conllu.xz", data / "ud" / "r2.0" / f"{code}-ud-dev.conllu.xz"]
    test = data / "ud" / "r2.0-test" / f"{code}-ud-test.conllu.xz"
    study = reproduce("kohita-2017-ud2", StudyRequest((*parts, test), trainer=built_in, outputs=tmp_path))
    sections = {section.title: section for section in study.sections}
    for name in ("UAS", "LAS", "CNC"):
        ours = [100 * value for value in sections[name].table.rows[0][1:]]
        assert [f"{value:.2f}" for value in ours] == [
            cell.removeprefix("+") for cell in printed_gain("kohita-2017-ud2.md", name, code)
        ]
