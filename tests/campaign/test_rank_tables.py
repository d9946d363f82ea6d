"""Tables of scores and manifests of campaigns, and their errors."""

from fractions import Fraction
from pathlib import Path

import pytest

from campaigns import everything, scored
from levelhead import campaign as c
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.errors import InputError
from levelhead.tables.data import DataColumn, DataTable
from levelhead.tables.writers import data_to_tsv

# Tables of scores


LONG = "Treebank\tMetric\tTeam\tF1\nen\tLAS\tx\t80.01\nen\tLAS\ty\t79.5\nfr\tLAS\tx\t70\n"


def table(folder: Path, text: str) -> Path:
    path = folder / "table.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_long_tables(tmp_path: Path) -> None:
    results = c.read_scores(table(tmp_path, LONG))
    assert results.systems == ("x", "y")
    assert results.results["x", "en"].values == {"LAS": Fraction(8001, 100)}
    assert results.results["y", "fr"].state == "missing"
    assert results.results["y", "fr"].values == {"LAS": 0}


def test_wide_tables(tmp_path: Path) -> None:
    text = "system\ttreebank\tLAS\tMyScore\tRank\nx\ten\t80\t5e1\t1\nx\tfr\t\t-\t2\n"
    results = c.read_scores(table(tmp_path, text))
    assert results.measures == ("LAS", "MyScore")
    assert results.results["x", "en"].values == {"LAS": 80, "MyScore": 50}
    assert results.results["x", "fr"].values == {"LAS": 0, "MyScore": 0}


def test_a_treebank_on_which_nobody_has_a_score_counts_too(tmp_path: Path) -> None:
    results = c.read_scores(table(tmp_path, "system\ttreebank\tLAS\nx\ten\t80\nx\tfr\t\ny\ten\t\n"))
    standings = c.rank(results, "LAS", everything(results)).standings
    assert [(one.system, one.value) for one in standings] == [("x", 40), ("y", 0)]


def test_our_own_tables_are_read_again(folders: Path, tmp_path: Path) -> None:
    results = scored(folders)
    data = RankedSystems((c.rank(results, "LAS", everything(results)),), results, results.provenance()).data("scores")
    again = c.read_scores(table(tmp_path, data_to_tsv(data)))
    assert again.systems == results.systems
    for key, result in results.results.items():
        assert again.results[key].values == pytest.approx(dict(result.values), abs=1e-12)
        assert again.results[key].state == result.state
    assert {result.state for result in results.results.values()} == {"valid", "invalid"}


def test_odd_names_are_read_again(tmp_path: Path) -> None:
    """Quotes, tabs, line breaks and formulas."""
    names = ['"', 'a"b', "a\tb", "a\nb", "a\r\nb", "=1+1", "+x", "@", "'+x", "''", "#", "\\", '"un', '""']
    columns = tuple(DataColumn(name, "text", "") for name in ("system", "treebank", "measure"))
    rows = [(name, "en", "LAS", 50.0) for name in names]
    path = tmp_path / "table.tsv"
    path.write_bytes(data_to_tsv(DataTable((*columns, DataColumn("value", "number", "")), rows)).encode())
    assert list(c.read_scores(path).systems) == names


def test_tables_of_long_cells_are_read(tmp_path: Path) -> None:
    """Cells longer than the limit of Python's CSV reader."""
    results = c.read_scores(table(tmp_path, f"system\ttreebank\tLAS\n{'x' * 140_000}\ten\t80\n"))
    assert results.systems == ("x" * 140_000,)


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "system\ttreebank\tLAS\n", "a\tb\tc\nx\ten\t5\n", "system\tLAS\nx\t5\n", LONG + "en\tLAS\tx\t80.01\n",
        LONG + "en\tLAS\n", LONG + "en\tLAS\tz\teighty\n", LONG + "en\tLAS\tz\tnan\n", LONG + "en\tLAS\tz\t101\n",
        LONG + "en\tLAS\tz\t-1\n", LONG + "\tLAS\tz\t1\n", LONG + "en\tLAS\tz\tInfinity\n", "system\tsystem\ttreebank\n",
        "system\ttreebank\tLAS\nx\ten\tbad\n", LONG + "en\tLAS\tz\t1_0\n" * 2,
    ],
)  # fmt: skip
def test_bad_tables(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="invalid-table") as refusal:
        c.read_scores(table(tmp_path, text))
    assert refusal.value.place.file.endswith("table.tsv")


def test_a_table_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(LONG.encode() + b"\xff")
    with pytest.raises(InputError, match="invalid-table"):
        c.read_scores(tmp_path / "t")


# Manifests


MANIFEST = """
[campaign]
measures = ["LAS", "CLAS.recall"]
rules = "conll18"
ranking = "conll18"
show = ["all", "north"]
systems = "systems"

[[treebank]]
code = "tr"
gold = "gold/tr.conllu"
groups = ["south"]

[[treebank]]
code = "fi"
gold = "gold/fi.conllu"
language = "Suomi"
family = "Uralic"
genus = "Finnic"
output = "fi.conllu"

[groups]
north = ["fi"]
"""


def manifest(folder: Path, text: str) -> Path:
    path = folder / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_manifest(folders: Path) -> None:
    found = c.read_manifest(manifest(folders, MANIFEST))
    assert (found.measures, found.rules, found.ranking) == (("LAS", "CLAS.recall"), "conll18", "conll18")
    assert found.groups == {"north": ["fi"], "south": ["tr"]}
    campaign = found.campaign()
    assert [(one.code, one.language.name) for one in campaign.test_sets] == [("tr", "Turkish"), ("fi", "Suomi")]
    assert [system.name for system in campaign.systems] == ["alpha", "beta", "gamma"]


def test_a_manifest_declares_parallel_test_sets(folders: Path) -> None:
    text = '[campaign]\ngold = "gold"\nsystems = "systems"\nparallel = ["same"]\n[groups]\nsame = ["fi", "tr"]'
    found = c.read_manifest(manifest(folders, text)).campaign()
    assert {one.code: one.parallel for one in found.test_sets if one.parallel} == {"fi": "same", "tr": "same"}


def test_a_manifest_of_systems(folders: Path) -> None:
    text = """
[campaign]
gold = "gold"
[[system]]
name = "Alpha (Berlin)"
folder = "systems/alpha"
[[system]]
folder = "systems/beta"
"""
    campaign = c.read_manifest(manifest(folders, text)).campaign()
    assert [system.name for system in campaign.systems] == ["Alpha (Berlin)", "beta"]
    assert len(campaign.test_sets) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[campaign", "not TOML"),
        ("x = 1", "the manifest: unknown key 'x'"),
        ("campaign = 1", "campaign is not a table"),
        ("[campaign]\nmesures = ['LAS']", "campaign: unknown key 'mesures': did you mean measures?"),
        ("[campaign]\nmeasures = 'LAS'", "campaign.measures is not a list of strings"),
        ("[campaign]\nmeasures = ['LAS', 'LAS']", "campaign.measures has 'LAS' twice"),
        ("[campaign]\nrules = 'conll19'", "campaign.rules: unknown rules 'conll19'"),
        ("[campaign]\nranking = 'best'", "campaign.ranking: unknown ranking 'best': use exact, conll17, conll18"),
        ("[campaign]\ngold = 5", "campaign.gold is not a string"),
        ("treebank = 5", "treebank is not a list of tables"),
        ("[[treebank]]\ngold = 'gold/en.conllu'", "treebank 1 has no code"),
        ("[[treebank]]\ncode = 'xx'", "treebank 1: no gold file for xx"),
        ("[[treebank]]\ncode = 'xx'\ngold = 'gold/xx.conllu'", "treebank 1: no gold file for xx"),
        ("[[treebank]]\ncode = 'en'\ngold = 'gold/en.conllu'\n" * 2, "[[treebank]] has 'en' twice"),
        ("[[system]]\nname = 'a'\nfolder = 'x'\n[[system]]\nname = 'a'\nfolder = 'y'\n", "[[system]] has 'a' twice"),
        ("[[system]]\nfolder = 'x/a'\n[[system]]\nfolder = 'y/a'\n", "[[system]] has 'a' twice"),
        ("[[treebank]]\ncode = 'en'\ngold = 'gold/en.conllu'\n[groups]\na = ['fr']", "groups.a has test sets that"),
        (
            "[[treebank]]\ncode = 'en'\nlanguege = 'x'\ngold = 'gold/en.conllu'",
            "unknown key 'languege': did you mean language?",
        ),
        ("[[system]]\nname = 'x'", "system 1 has no folder"),
        ("[campaign]\nparallel = ['a']\n[groups]\nb = ['en']", "campaign.parallel: unknown group 'a'"),
        ("[groups]\na = 5", "groups.a is not a list of strings"),
        ('[campaign]\ngold = "a\\u0000"', "campaign.gold is not a string"),
    ],
)
def test_bad_manifests(folders: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match="invalid-manifest") as refusal:
        c.read_manifest(manifest(folders, text))
    assert message in str(refusal.value)


@pytest.mark.parametrize("text", ["", "[campaign]\ngold = 'gold'", "[campaign]\nsystems = 'systems'"])
def test_manifests_that_leave_out_what_is_needed(folders: Path, text: str) -> None:
    with pytest.raises(InputError, match="invalid-manifest: the manifest names no"):
        c.read_manifest(manifest(folders, text)).campaign()


def test_all_that_is_wrong_is_told_at_once(folders: Path) -> None:
    with pytest.raises(InputError) as refusal:
        c.read_manifest(manifest(folders, "x = 1\n[campaign]\nrules = 'a'\nranking = 'b'\n"))
    assert len(refusal.value.faults) == 3
