"""The official tables of the shared tasks: every average and rank, from files and from published scores."""

import csv
import json
import lzma
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from levelhead import campaign as c
from levelhead.campaign.ranking import official_groups
from levelhead.evaluation.setup import setup_of
from levelhead.report.prototext import prototext

SYSTEMS = ("ArmParser", "HIT-SCIR-18", "ONLP-lab", "Stanford-18", "UDPipe-Future", "conll18-baseline")

ROUNDED_DOWN_2018 = {("all", "UAS", "AntNLP"), ("all", "LAS", "UniMelb")}
"""Averages that end in exactly half a hundredth, which the tables round down."""

NOT_HALF_WAY_2017 = ("all", "LAS", "METU (Ankara)")
"""61.98 in the table; the mean of its 81 published scores is 61.98506. (The task took this one average from its
evaluator, which averages scores that are not rounded.)"""

SPLIT_TIE_2017 = ("surprise", "LAS", "UT (Tartu)")
"""Two teams have 0.00 on all surprise languages: both are 32nd by UAS and by CLAS, but 32nd and 33rd by LAS."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def official(data: Path, year: int) -> dict[tuple[str, str], list[dict[str, str]]]:
    """The rows of the official tables by group and measure."""
    found = defaultdict(list)
    for row in rows(data / f"conll{year}" / "official" / f"aggregate_20{year}.tsv"):
        found[row["group"], row["metric"]].append(row)
    return found


@cache
def scored_2018(data: Path) -> c.Results:
    """The six systems on the 14 test sets of the two groups that are complete here."""
    campaign = c.find_plan(data / "conll18" / "gold", data / "conll18" / "systems")
    wanted = {code for group in ("pud", "lowres") for code in official_groups()["conll18"][group]}
    campaign = campaign._replace(test_sets=tuple(one for one in campaign.test_sets if one.code in wanted))
    return c.score_plan(campaign, setup_of(rules="conll18"))


def ranking(results: c.Results, measure: str, group: str, rule: str) -> c.Ranking:
    (chosen,) = c.groups_named([group], results.test_sets, ranking=rule)
    return c.rank(results, measure, chosen, rule)


def hundredths(value) -> int:
    """A percentage as hundredths, halves up."""
    return (2 * value * 100 + 1) // 2


def test_the_groups_that_are_shipped_are_the_official_ones(data: Path) -> None:
    for year in (17, 18):
        path = data / f"conll{year}" / "official" / f"treebank_groups_20{year}.json"
        assert official_groups()[f"conll{year}"] == json.loads(path.read_text())


@pytest.mark.parametrize(("group", "n"), [("pud", 5), ("lowres", 9)])
def test_groups_rebuilt_from_the_files_are_the_official_ones(data: Path, group: str, n: int) -> None:
    """All 13 measures of the six systems, cell by cell."""
    results = scored_2018(data)
    measures = [measure for of_group, measure in official(data, 18) if of_group == group]
    assert len(measures) == 13
    for measure in measures:
        ours = ranking(results, measure, group, "conll18")
        assert (len(ours.group.codes), ours.group.lacks) == (n, ())
        theirs = {row["team"]: row["F1"] for row in official(data, 18)[group, measure]}
        shown = {one.system: f"{one.value:.2f}" for one in ours.standings}
        assert shown == {system: theirs[system] for system in SYSTEMS}


def test_missing_outputs_are_zero_and_named(data: Path) -> None:
    results = scored_2018(data)
    missing = Counter(system for (system, _), result in results.results.items() if result.state == "missing")
    assert missing == {"ArmParser": 11, "ONLP-lab": 1}
    result = results.results["ONLP-lab", "th_pud"]
    assert set(result.values.values()) == {0}
    assert result.status == "Error: Cannot open generated CoNLL-U file"
    assert all(one.value_of_valid_sentences is None for one in ranking(results, "LAS", "all", "exact").standings)


def test_gold_sizes_and_languages(data: Path) -> None:
    results = scored_2018(data)
    sizes = {row["treebank"]: row for row in rows(data / "conll18" / "treebanks.tsv")}
    for code, gold in results.gold.items():
        row = sizes[code]
        assert (gold.words, gold.sentences) == (int(row["gold_words"]), int(row["gold_sentences"]))
    languages = {test_set.code: test_set.language for test_set in results.test_sets}
    assert languages["hsb_ufal"] == ("Upper Sorbian", "Indo-European", "Slavic", "hsb", "uppe1395")
    assert languages["fi_pud"].family == "Uralic"
    assert all(language.name and language.family for language in languages.values())


@pytest.fixture(scope="module")
def published_2018(data: Path, tmp_path_factory: pytest.TempPathFactory) -> c.Results:
    """The published scores of 26 teams by their printed names, which decide the order of ties."""
    printed = {row["team"]: row["team_print"] for row in rows(data / "conll18" / "official" / "aggregate_2018.tsv")}
    path = tmp_path_factory.mktemp("t") / "scores.tsv"
    lines = ["treebank\tmetric\tsystem\tF1"]
    lines += [
        "\t".join([row["treebank"], row["metric"], printed[row["team"]], row["F1"]])
        for row in rows(data / "conll18" / "official" / "pertreebank_2018_LAS_MLAS_BLEX_UAS_Words.tsv")
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return c.read_scores(path)


@pytest.mark.parametrize("measure", ["LAS", "MLAS", "BLEX", "UAS", "Words"])
@pytest.mark.parametrize("group", ["all", "big", "small", "pud", "lowres", "old"])
def test_every_cell_and_rank_of_2018(data: Path, published_2018: c.Results, group: str, measure: str) -> None:
    """26 teams in order, with their ranks and averages, except for two averages exactly between two decimals."""
    theirs = official(data, 18)[group, measure]
    ours = ranking(published_2018, measure, group, "conll18").standings
    ranks = [(str(one.rank), one.system) for one in ours]
    assert len(ranks) == 26
    assert ranks == sorted(
        ((row["shared_rank"], row["team_print"]) for row in theirs), key=lambda place: (int(place[0]), place[1])
    )
    cells = {one.system: f"{one.value:.2f}" for one in ours}
    wrong = {row["team"] for row in theirs if cells[row["team_print"]] != row["F1"]}
    assert {(group, measure, team) for team in wrong} == {
        cell for cell in ROUNDED_DOWN_2018 if cell[:2] == (group, measure)
    }
    for row in theirs:
        assert abs(float(cells[row["team_print"]]) - float(row["F1"])) < 0.0101


def test_the_half_way_cells_of_2018_lie_half_way(published_2018: c.Results) -> None:
    for group, measure, team in ROUNDED_DOWN_2018:
        standings = ranking(published_2018, measure, group, "conll17").standings  # averages as they are
        (value,) = [one.exact for one in standings if one.system.startswith(team)]
        assert (value * 100).denominator == 2


@cache
def published_2017(data: Path) -> c.Results:
    """The published scores of 33 teams."""
    return c.read_scores(data / "conll17" / "official" / "pertreebank_2017_LAS_UAS_CLAS.tsv")


@pytest.mark.parametrize("measure", ["LAS", "UAS", "CLAS"])
@pytest.mark.parametrize("group", ["all", "big", "small", "pud", "surprise"])
def test_every_cell_and_rank_of_2017(data: Path, group: str, measure: str) -> None:
    """33 teams with their ranks and averages, except for averages exactly between two decimals."""
    results = published_2017(data)
    ours = {one.system: one for one in ranking(results, measure, group, "conll17").standings}
    theirs = official(data, 17)[group, measure]
    assert len(theirs) == len(ours) == 33
    for row in theirs:
        cell, one = (group, measure, row["team"]), ours[row["team"]]
        if cell == SPLIT_TIE_2017:
            assert (one.value, one.rank, row["rank"]) == (0, 32, "33")
        else:
            assert str(one.rank) == row["rank"], cell
        printed = round(100 * float(row["F1"]))
        if hundredths(one.exact) != printed:
            assert hundredths(one.exact) == printed + 1, cell
            assert (one.exact * 100).denominator == 2 or cell == NOT_HALF_WAY_2017


def test_teams_with_equal_printed_averages_may_differ_in_2017(data: Path) -> None:
    """UParse and darc are both printed with 68.46, and are 14th and 15th."""
    results = published_2017(data)
    standings = {one.system: one for one in ranking(results, "CLAS", "big", "conll17").standings}
    one, other = standings["UParse (Edinburgh)"], standings["darc (Tübingen)"]
    assert (one.rank, other.rank) == (14, 15)
    assert hundredths(one.exact) == hundredths(other.exact)


@pytest.fixture(scope="module")
def invalid_2017(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, str]], c.Results]:
    """A campaign of the runs whose outputs the evaluator rejected, and of the baseline, on four more sets than those."""
    folder = tmp_path_factory.mktemp("invalid")
    cases = rows(data / "conll17" / "invalid" / "invalid_cases.tsv")
    for case in cases:
        system = folder / "systems" / f"{case['team']}-{case['system_run']}"
        system.mkdir(parents=True, exist_ok=True)
        output = lzma.decompress((data / "conll17" / "invalid" / "outputs" / case["file"]).read_bytes())
        (system / f"{case['treebank']}.conllu").write_bytes(output)
    (folder / "systems" / "baseline").symlink_to(data / "conll17" / "systems" / "conll17-baseline")
    campaign = c.find_plan(data / "conll17" / "gold", folder / "systems")
    return cases, c.score_plan(campaign, setup_of(["LAS", "UAS"], rules="conll17"))


def test_the_invalid_files_of_2017_are_zero_with_the_official_reason(invalid_2017) -> None:
    cases, results = invalid_2017
    assert len(cases) == 29
    for case in cases:
        result = results.results[f"{case['team']}-{case['system_run']}", case["treebank"]]
        assert result.status == case["official_status"]
        assert set(result.values.values()) == {0} or case["category"] == "valid-but-zero-LAS"
        assert result.values["LAS"] == 0
        assert result.reasons or case["category"] == "valid-but-zero-LAS"


def test_the_rest_of_the_campaign_goes_on(data: Path, invalid_2017) -> None:
    _, results = invalid_2017
    official_scores = {
        (row["treebank"], row["metric"]): row["F1_official_evaluator"]
        for row in rows(data / "conll17" / "official" / "scores_conll17-baseline.tsv")
    }
    for test_set in results.test_sets:
        result = results.results["baseline", test_set.code]
        assert result.status == "OK: Evaluated non-zero LAS F1 score"
        for measure in ("LAS", "UAS"):
            assert f"{float(result.values[measure]):.2f}" == official_scores[test_set.code, measure]


def test_one_bad_sentence_does_not_hide_a_parser(invalid_2017) -> None:
    """The scores over valid sentences are shown next to the official zeros, and do not replace them."""
    cases, results = invalid_2017
    for case in cases:
        result = results.results[f"{case['team']}-{case['system_run']}", case["treebank"]]
        if case["category"] in {"empty", "valid-but-zero-LAS"}:
            assert result.coverage is None
        elif case["category"] in {"cycle", "multiple-roots", "no-final-empty-line"}:
            assert result.coverage.scored > 0.05 * result.coverage.gold
            assert result.secondary["LAS"].value > 10
    standings = ranking(results, "LAS", "all", "exact").standings
    for one in standings:
        assert one.value_of_valid_sentences is None or one.value_of_valid_sentences >= one.value
    assert [one.rank for one in standings] == sorted(one.rank for one in standings)
    assert sum(one.value_of_valid_sentences is not None for one in standings) > 10


@pytest.mark.parametrize("system", ["HIT-SCIR-18", "ArmParser"])
def test_the_file_that_the_evaluator_wrote(data: Path, system: str) -> None:
    """Built from the official scores, in the wording and order of the task's evaluator."""
    results = scored_2018(data)
    table = {
        row["treebank"]: row
        for row in rows(data / "conll18" / "official" / "official_scores_share.tsv")
        if row["system"] == system
    }
    values, totals = [], Counter()
    for test_set in results.test_sets:
        row = table[test_set.code]
        f1 = {m: float(row[f"{m}_F1"]) for m in results.measures if row["status"] == "OK"}
        if f1:
            shown = " ".join(f"{m}={round(100 * f1[m] / 5) * 5}%" for m in ("LAS", "MLAS", "BLEX"))
            status = f"OK: Result F1 scores rounded to 5% are {shown}"
        else:
            status = "Error: Cannot open generated CoNLL-U file"
        values.append((f"{test_set.code}-Status", status))
        values += [(f"{test_set.code}-{m}-F1", f"{100 * f1[m]:.2f}") for m in f1]
        totals.update(f1)
    n = len(results.test_sets)
    lines = [(f"total-{m}-F1", f"{100 * totals[m] / n:.2f}") for m in results.measures] + values
    expected = "".join(f'measure{{\n  key: "{key}"\n  value: "{value}"\n}}\n' for key, value in lines)
    assert prototext(results, system) == expected
