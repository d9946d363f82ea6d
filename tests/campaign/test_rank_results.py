"""Rankings of results of `score` and of data frames are those of the files; intervals and tests need the files."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.comparison.evaluations import averaged
from official_2018 import SYSTEMS

GOLD = EXAMPLES / "parallel/gold"
OUTPUTS = {name: EXAMPLES / "parallel/systems" / name for name in ("alpha", "beta")}
SMALL = ("br_keb", "da_ddt", "fo_oft", "hsb_ufal", "pcm_nsc")


@pytest.fixture(scope="module")
def scores() -> dict[str, Any]:
    return {name: levelhead.score(GOLD, path, measures="LAS,CLAS,XPOS") for name, path in OUTPUTS.items()}


def check_same(found: RankedSystems, expected: RankedSystems) -> None:
    for how in ({}, {"by_treebank": True}):
        assert found.table(**how).rows == expected.table(**how).rows
    assert found.provenance.signature == expected.provenance.signature
    assert found.provenance.files == expected.provenance.files
    assert {*found.provenance.notes} == {*expected.provenance.notes}


@pytest.mark.parametrize("how", [{}, {"partial": True}, {"rules": "conll18"}, {"rules": "udtools"}])
@pytest.mark.parametrize("ranking", ["exact", "conll18"])
def test_results_are_ranked_like_their_files(how: dict[str, Any], ranking: str) -> None:
    measures = "LAS,CLAS,XPOS"
    scores = {name: levelhead.score(GOLD, path, measures=measures, **how) for name, path in OUTPUTS.items()}
    expected = levelhead.rank(GOLD, OUTPUTS, measures=measures, ranking=ranking, **how)
    check_same(levelhead.rank(scores=scores, ranking=ranking), expected)


@pytest.mark.slow
def test_real_results_are_ranked_like_their_files(data: Path) -> None:
    folder = data / "conll18"
    gold = {code: folder / f"gold/{code}.conllu.xz" for code in SMALL}
    outputs = {
        system: {code: path for code in SMALL if (path := folder / f"systems/{system}/{code}.conllu.xz").exists()}
        for system in SYSTEMS
    }
    outputs = {system: paths for system, paths in outputs.items() if paths}
    assert len(outputs) >= 3
    measures = "LAS,MLAS,BLEX"
    scores = {
        system: levelhead.score({c: gold[c] for c in paths}, {system: paths}, measures=measures, rules="conll18")
        for system, paths in outputs.items()
    }
    expected = levelhead.rank(gold, outputs, measures=measures, rules="conll18", ranking="conll18")
    found = levelhead.rank(scores=scores, ranking="conll18")
    assert found["LAS"].standings == expected["LAS"].standings
    assert found.table().rows == expected.table().rows


def test_a_test_set_without_an_evaluation_counts_0(scores: dict[str, Any]) -> None:
    part = {code: evaluation for code, evaluation in scores["beta"].treebanks.items() if code != "en"}
    ranked = levelhead.rank(scores=scores | {"beta": averaged(part)}, measures="LAS")
    beta = next(standing for standing in ranked["LAS"].standings if standing.system == "beta")
    assert (beta.n_valid, beta.exact) == (7, sum(part[code]["LAS"].exact for code in part) / 8)
    assert ranked.results.results["beta", "en"].state == "missing"


def test_single_evaluations_are_ranked() -> None:
    scores = {name: levelhead.score(GOLD / "en.conllu", path / "en.conllu") for name, path in OUTPUTS.items()}
    ranked = levelhead.rank(scores=scores, measures="LAS,UAS", only="beta,alpha".split(","))
    assert [(one.system, one.exact) for one in ranked["UAS"].standings] == [
        (name, scores[name]["UAS"].exact) for name in ("alpha", "beta")
    ]


def test_main_measures_come_first_unless_measures_were_chosen() -> None:
    paths = {name: path / "en.conllu" for name, path in OUTPUTS.items()}
    for chosen, first in ((None, ["LAS", "CLAS", "MLAS", "BLEX", "Tokens"]), ("XPOS,LAS", ["XPOS", "LAS"])):
        scores = {name: levelhead.score(GOLD / "en.conllu", path, measures=chosen) for name, path in paths.items()}
        ranked = levelhead.rank(scores=scores)
        assert [ranking.measure for ranking in ranked.rankings][: len(first)] == first


def test_a_manifest_is_read_whatever_its_name(tmp_path: Path) -> None:
    (path := tmp_path / "campaign.conf").write_text('[campaign]\nmeasures = ["UAS"]\n', encoding="utf-8")
    ranked = levelhead.rank(GOLD / "en.conllu", {"alpha": OUTPUTS["alpha"] / "en.conllu"}, manifest=path)
    assert [ranking.measure for ranking in ranked.rankings] == ["UAS"]


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_ranked_like_its_file(library: Any, scores: dict[str, Any], tmp_path: Path) -> None:
    rows = [
        {"system": name, "treebank": code, "LAS": evaluation["LAS"].f1, "CLAS": evaluation["CLAS"].f1}
        for name, some in scores.items()
        for code, evaluation in some.treebanks.items()
    ]
    lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
    (tmp_path / "scores.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found, expected = (levelhead.rank(scores=one) for one in (library.DataFrame(rows), tmp_path / "scores.tsv"))
    assert found.table().rows == expected.table().rows
    ratios = library.DataFrame([row | {"LAS": row["LAS"] / 100, "CLAS": row["CLAS"] / 100} for row in rows])
    with pytest.raises(levelhead.InputError, match="no score is above 1: give percentages, not ratios"):
        levelhead.rank(scores=ratios)


@pytest.mark.parametrize("how", [{"significance": True}, {"prepare": "page"}])
def test_intervals_and_tests_need_the_files(how: dict[str, Any], scores: dict[str, Any]) -> None:
    with pytest.raises(levelhead.InputError, match="give files instead of results"):
        levelhead.rank(scores=scores, **how)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beta": 5}, r"scores\['beta'\] must be a result of levelhead.score, not 5"),
        ({"beta": levelhead.score(GOLD, OUTPUTS["beta"], measures="LAS")}, "with the measures LAS, others with LAS, CLAS"),
        ({"beta": levelhead.score(GOLD, OUTPUTS["beta"], measures="LAS,CLAS,XPOS", partial=True)}, "different settings"),
        (
            {"beta": levelhead.score({"en": GOLD / "de.conllu"}, {"beta": {"en": OUTPUTS["beta"] / "de.conllu"}}, measures="LAS,CLAS,XPOS")},
            "'beta' on en was scored on a different gold file than 'alpha'",
        ),
    ],
)  # fmt: skip
def test_results_that_cannot_be_compared_are_refused(
    change: dict[str, Any], message: str, scores: dict[str, Any]
) -> None:
    with pytest.raises(levelhead.InputError, match=message):
        levelhead.rank(scores=scores | change)


@pytest.mark.parametrize("given", [5, [1], {}])
def test_other_values_are_refused(given: Any) -> None:
    with pytest.raises(levelhead.InputError, match=r"scores must be|there are no evaluations"):
        levelhead.rank(scores=given)
