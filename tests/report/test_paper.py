"""Tables for papers: every format holds the numbers of the ranking or comparison, and says how they were computed."""

import re
from html.parser import HTMLParser

import pytest

import levelhead
from conftest import ROOT
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.comparison.systems import Comparison
from levelhead.errors import InputError
from levelhead.report.paper import comparison_papers, ranking_papers

EXAMPLES = ROOT / "examples" / "parallel"
FOLDERS = {name: EXAMPLES / "systems" / name for name in ("alpha", "beta", "gamma")}
FORMATS = ("latex", "markdown", "html")


@pytest.fixture(scope="module")
def board() -> RankedSystems:
    return levelhead.rank(EXAMPLES / "gold", FOLDERS, measures=["LAS", "CLAS"], groups=["all"], significance=True)


@pytest.fixture(scope="module")
def by_treebank() -> RankedSystems:
    return levelhead.rank(EXAMPLES / "gold", FOLDERS, measures=["LAS"], groups=["each", "all"], significance=True)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return levelhead.compare(
        EXAMPLES / "gold", {name: FOLDERS[name] for name in ("alpha", "beta")}, measures=["UAS", "LAS"]
    )


def test_systems_by_measures(board: RankedSystems) -> None:
    (table,) = ranking_papers(board)
    assert table.heads == ("LAS", "CLAS")
    for column, measure in enumerate(table.heads):
        standings = {one.system: one for one in board[measure].standings}
        for system, cells in table.rows:
            assert standings[system].value is not None
            assert cells[column].value == f"{standings[system].value:.2f}"
            assert cells[column].raised == standings[system].letters
            assert cells[column].best == (standings[system].rank == 1)


def test_treebanks_by_systems(by_treebank: RankedSystems) -> None:
    (table,) = ranking_papers(by_treebank)
    assert table.heads == ("alpha", "gamma", "beta")
    assert [name for name, _ in table.rows] == [*(one.code for one in by_treebank.results.test_sets), "Macro-average"]
    assert table.rules_before == {len(table.rows) - 1}
    for name, cells in table.rows[:-1]:
        for system, cell in zip(table.heads, cells, strict=True):
            result = by_treebank.results.results[system, name]
            value = f"{float(result.values['LAS'] or 0):.2f}"
            assert cell.value == (value if result.state == "valid" else "-")
    gamma = dict(table.rows)["tr"][1]
    assert (gamma.value, gamma.raised, gamma.interval, gamma.best) == ("-", "", "", False)


def test_letters_of_a_test_set_are_those_of_its_own_ranking(by_treebank: RankedSystems) -> None:
    gold, one = EXAMPLES / "gold" / "en.conllu", {name: path / "en.conllu" for name, path in FOLDERS.items()}
    alone = levelhead.rank(
        {"en": gold}, {name: {"en": path} for name, path in one.items()}, measures=["LAS"], significance=True
    )
    (table,) = ranking_papers(by_treebank)
    letters = dict(zip(table.heads, (cell.raised for cell in dict(table.rows)["en"]), strict=True))
    assert letters == {standing.system: standing.letters for standing in alone["LAS"].standings}


def test_comparison(comparison: Comparison) -> None:
    table = comparison_papers(comparison)[0]
    averages = [one for one in comparison.results if one.average == "macro"]
    assert [name for name, _ in table.rows] == ["alpha", "beta"]
    for system, cells in table.rows:
        for measure, cell in zip(table.heads, cells, strict=True):
            (found,) = (one for one in averages if (one.system, one.measure) == (system, measure))
            assert cell.value == f"{found.value:.2f}"
            assert (cell.raised != "") == (found.p is not None and found.p < 0.05)
    assert "Significantly different from alpha: * p < .05" in table.caption


def test_comparison_of_each_treebank(comparison: Comparison) -> None:
    tables = comparison_papers(comparison, each=True)
    assert [table.label for table in tables] == ["comparison-UAS", "comparison-LAS"]
    names = [name for name, _ in tables[0].rows]
    assert [name for name in names if "average" in name] == names[-2:] == ["Macro-average", "Micro-average"]


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_has_every_number(output_format: str, board: RankedSystems) -> None:
    (table,) = ranking_papers(board)
    text = levelhead.paper_table(board, output_format)
    for _, cells in table.rows:
        for cell in cells:
            assert cell.value in text
    assert "8 test sets" in text
    assert "levelhead 0.2.0, rules ud" in text


def test_caption_counts_all_test_sets_of_the_rows() -> None:
    alpha = {"alpha": FOLDERS["alpha"]}
    groups = levelhead.rank(EXAMPLES / "gold", alpha, measures=["LAS"], groups=["language:English", "language:German"])
    (table,) = ranking_papers(groups)
    assert table.caption.startswith("LAS (%) on 2 test sets.")


def test_caption_says_what_was_done(board: RankedSystems) -> None:
    caption = ranking_papers(board)[0].caption
    for said in ("(%)", "bold", "share a letter", "all pairs", "Sidak", "95% confidence", "160 sentences"):
        assert said in caption
    assert "invalid outputs count as 0" in caption  # gamma's Turkish output
    untested = levelhead.rank(EXAMPLES / "gold", {"alpha": FOLDERS["alpha"]}, measures=["LAS"])
    caption = ranking_papers(untested)[0].caption
    assert not re.search("letter|confidence|invalid|seed", caption)


def test_latex_is_balanced_and_has_intervals_below(board: RankedSystems) -> None:
    text = levelhead.paper_table(board, "latex")
    assert text.count("{") == text.count("}")
    for name in ("table", "tabular"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}") == 1
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {row.count("&") for row in rows} == {2}
    assert sum(r"{\scriptsize " in row for row in rows) == 3


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.append(tag)


@pytest.mark.parametrize("output_format", FORMATS)
def test_names_are_escaped(output_format: str) -> None:
    name = "<script>alert(1)</script>|*_&%"
    gold = EXAMPLES / "gold" / "en.conllu"
    board = levelhead.rank({"en": gold}, {name: {"en": FOLDERS["alpha"] / "en.conllu"}}, measures=["LAS"])
    text = levelhead.paper_table(board, output_format)
    if output_format == "html":
        parser = _Tags()
        parser.feed(text)
        assert "script" not in parser.tags
    assert "<script>" not in text
    if output_format == "latex":
        assert r"|*\_\&\%" in text


def test_other_results_are_refused() -> None:
    gold = EXAMPLES / "gold" / "en.conllu"
    with pytest.raises(InputError, match="result must be a ranking or a comparison"):
        levelhead.paper_table(levelhead.score(gold, gold))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="format"):
        levelhead.paper_table(levelhead.rank(EXAMPLES / "gold", FOLDERS), "text")  # type: ignore[arg-type]
