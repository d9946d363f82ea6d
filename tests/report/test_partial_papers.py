"""Tables for papers of partial scores: each twice, with all rows and with valid trees only."""

import levelhead
from conftest import EXAMPLES
from levelhead.report.paper import comparison_papers, ranking_papers

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
STRICT = "Valid trees: words in sentences without a valid tree count as wrong."


def cells(table) -> dict[str, str]:
    return {name: some[0].value for name, some in table.rows}


def test_a_ranking_has_both_scores() -> None:
    found = levelhead.rank(GOLD, SYSTEMS, measures="LAS", partial=True, significance=True)
    both, strict = ranking_papers(found)
    standings = found.rankings[0].standings
    assert cells(both) == {one.system: f"{one.value:.2f}" for one in standings}
    assert cells(strict) == {one.system: f"{one.value_of_valid_trees:.2f}" for one in standings}
    assert float(cells(strict)["gamma"]) < float(cells(both)["gamma"])  # its Turkish trees are broken
    assert (STRICT in both.caption, STRICT in strict.caption) == (False, True)
    assert strict.label == f"{both.label}-valid-trees"
    assert "share a letter" in both.caption
    assert "share a letter" not in strict.caption  # it is not tested
    assert not any(cell.raised or cell.interval for _, some in strict.rows for cell in some)
    assert both.rows[0][1][0].interval
    assert STRICT not in levelhead.paper_table(levelhead.rank(GOLD, SYSTEMS, measures="LAS"))


def test_test_sets_have_a_table_of_their_own() -> None:
    found = levelhead.rank(GOLD, SYSTEMS, measures=["LAS", "UAS"], partial=True, groups=["each", "all"])
    labels = [table.label for table in ranking_papers(found)]
    assert labels == ["scores-LAS", "scores-UAS", "scores-LAS-valid-trees", "scores-UAS-valid-trees"]


def test_a_comparison_has_both_scores() -> None:
    systems = {name: SYSTEMS / name / "tr.conllu" for name in ("alpha", "gamma")}
    found = levelhead.compare(GOLD / "tr.conllu", systems, measures="LAS", partial=True)
    both, strict = comparison_papers(found)
    assert cells(both)["alpha"] == cells(strict)["alpha"]
    assert float(cells(strict)["gamma"]) < float(cells(both)["gamma"])
    assert STRICT in strict.caption


def test_a_single_system_has_no_letter() -> None:
    found = levelhead.rank(GOLD, {"alpha": SYSTEMS / "alpha"}, measures="LAS", significance=True)
    (table,) = ranking_papers(found)
    assert table.rows[0][1][0].raised == ""
    assert "letter" not in table.caption
