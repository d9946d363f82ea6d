"""Every table as TSV: one line of unique names, then one row for each thing measured, and no rows that sum others up."""

import csv
import re
from pathlib import Path

import pytest

from conftest import EXAMPLES, library
from levelhead.cli import program
from levelhead.errors import number_of, percent_text, with_minus
from levelhead.tables.frames import to_pandas, to_polars
from levelhead.tables.table import Column, IntervalCell, Table, interval_cell
from levelhead.tables.writers import to_latex, to_markdown, to_text, to_tsv

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta"
EN, EN_ALPHA, EN_BETA = (folder / "en.conllu" for folder in (GOLD, ALPHA, BETA))
CODES = {path.stem for path in GOLD.iterdir()}
SUMMARY = re.compile(r"(macro|micro)-average|(macro-)?average of |total of |mean\b|all\b", re.IGNORECASE)

TABLES = {
    "score pair": ["score", EN, EN_ALPHA],
    "score perplexity": ["score", EN, EN_ALPHA, "-m", "LAS", "-m", f"DPPL({EN})"],
    "score counts": ["score", EN, EN_ALPHA, "--counts"],
    "score folders": ["score", GOLD, ALPHA, "-m", "LAS", "-m", "CLAS"],
    "explain": ["explain", EN, EN_ALPHA],
    **{
        f"breakdown {where} {by}": ["breakdown", *pair, "--by", by]
        for where, pair in (("pair", (EN, EN_ALPHA)), ("folders", (GOLD, ALPHA)))
        for by in ("class", "deprel", "error", "cascading", "upos")
    },
    "confusion pair": ["confusion", EN, EN_ALPHA],
    "confusion folders": ["confusion", GOLD, ALPHA],
    "breakdown by two": ["breakdown", EN, EN_ALPHA, "--by", "upos,direction", "-m", "UAS"],
    "breakdown by several": ["breakdown", GOLD, ALPHA, "--by", "upos", "--by", "deprel,length", "--by", "direction"],
    "breakdown systems": ["breakdown", GOLD, ALPHA, BETA, "--by", "upos,direction"],
    "agree": ["agree", EN, EN_ALPHA],
    "diff": ["diff", EN, EN_ALPHA],
    "diff sentences": ["diff", EN, EN_ALPHA, "--by", "sentence"],
    "suspects": ["suspects", EN, EN_ALPHA],
    "rank": ["rank", GOLD, PARALLEL / "systems", "-m", "LAS", "-m", "CLAS", "-m", "UAS"],
    "rank significance": ["rank", GOLD, PARALLEL / "systems", "-m", "LAS", "--significance"],
    "rank groups": ["rank", GOLD, PARALLEL / "systems", "-m", "LAS", "--group", "all", "--group", "family:Uralic"],
    "rank by treebank": ["rank", GOLD, PARALLEL / "systems", "-m", "LAS", "--by-treebank"],
    "profile": ["profile", GOLD, "-c", "all"],
    "profile long": ["profile", GOLD, "-c", "words,wde", "--by", "value"],
    "profile columns": ["profile", "--list-columns"],
    "similarity": ["similarity", GOLD],
    "select": ["select", GOLD],
    "profile rarefied": ["profile", GOLD, "--rarefy", "50,100"],
    "correlate": ["correlate", "{table}"],
    "correlate families": ["correlate", "{table}", "-c", "a", "-c", "b", "--family", "family"],
    "correlate variance": ["correlate", "{table}", "--cumulative-variance", "-c", "a", "-c", "b"],
    "judge": ["judge", EN, EN_ALPHA, EN_BETA, "-j", "{choices}"],
    "perplexity": ["perplexity", EN, GOLD / "de.conllu", "--order", "swap-lazy"],
    "perplexity sentences": ["perplexity", EN, GOLD / "de.conllu", "--sentences"],
    "convert": ["convert", "--check", GOLD],
    "measures": ["measures"],
    "doctor": ["doctor"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """A table and choices, by the name that stands for them above."""
    folder = tmp_path_factory.mktemp("tsv")
    found = {name: folder / name for name in ("table", "choices")}
    rows = "".join(f"t{i}\t{i}\t{i * i % 7}\t{-i % 3}\t{'xy'[i % 2]}\n" for i in range(12))
    found["table"].write_text("treebank\ta\tb\tc\tfamily\n" + rows, encoding="utf-8")
    n_sentences = EN.read_text(encoding="utf-8").count("\n\n")
    found["choices"].write_text("".join(f"{1 + i % 2}\n" for i in range(n_sentences)), encoding="utf-8")
    return found


def tsv_of(arguments, files, capfd) -> list[list[str]]:
    asked = [str(argument).format(**files) if "{" in str(argument) else str(argument) for argument in arguments]
    code = program.run([*asked, "--format", "tsv"])
    done = capfd.readouterr()
    assert code == 0, done.err
    return list(csv.reader(done.out.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("name", TABLES)
def test_names_are_unique_and_no_row_sums_others_up(name, files, capfd) -> None:
    head, *rows = tsv_of(TABLES[name], files, capfd)
    assert len(set(head)) == len(head)
    assert all(head)
    assert rows
    assert {len(row) for row in rows} == {len(head)}
    if name not in {"rank groups", "measures", "doctor", "profile columns"}:
        assert not [row for row in rows if SUMMARY.match(row[0])]
    if name in {"score folders", "convert", "profile"} or name.startswith("score folders"):
        assert {row[0] for row in rows} <= CODES


def test_summaries_are_in_the_other_formats(capfd) -> None:
    """Text, Markdown and LaTeX have the rows below a rule, JSON has them as values of their own."""
    for arguments, text, key in (
        (TABLES["score folders"], "Macro-average of 8", '"macro_average"'),
        (["compare", GOLD, ALPHA, BETA, "-m", "LAS", "--each"], "macro-average", '"macro-average"'),
        (TABLES["breakdown folders class"], "Average of 8", '"averages"'),
        (TABLES["convert"], "Average of 8", '"averages"'),
    ):
        for output_format in ("text", "markdown", "latex", "json"):
            assert program.run([*map(str, arguments), "--format", output_format]) == 0
            out = capfd.readouterr().out
            assert (key if output_format == "json" else text) in out, (arguments, output_format)


def test_tsv_has_no_total(capfd) -> None:
    """The option is accepted, and has no effect."""
    texts = []
    for total in ([], ["--total"]):
        assert program.run(["profile", str(GOLD), *total, "--format", "tsv"]) == 0
        texts.append(capfd.readouterr().out)
    assert texts[0] == texts[1]
    assert program.run(["profile", str(GOLD), "--total"]) == 0
    assert "\nTotal of 8" in capfd.readouterr().out


def test_tables_are_read_back(tmp_path, capfd) -> None:
    """`correlate` reads what `score`, `profile` and `convert --check` print, and says nothing of rows left out."""
    for name, arguments in (("s", TABLES["score folders"]), ("p", TABLES["profile"]), ("c", TABLES["convert"])):
        assert program.run([*map(str, arguments), "--format", "tsv", "-o", str(tmp_path / f"{name}.tsv")]) == 0
    capfd.readouterr()
    paths = [f"{name}={tmp_path / name}.tsv" for name in "spc"]
    assert program.run(["correlate", *paths, "-c", "s.LAS", "-c", "p.words", "-c", "c.words"]) == 0
    out = capfd.readouterr().out
    assert "is not a treebank" not in out
    assert "8 treebanks" in out


def test_intervals_are_one_column_for_people_and_two_for_programs() -> None:
    columns = (
        Column("System", "text"),
        Column("95% CI", ends=("low", "high")),
        Column("95% CI", "difference", ends=("diff_low", "diff_high")),
        Column("p", "probability", tidy_only=True),
    )
    interval = interval_cell((0.5, 0.75), perplexity=False)
    rows = (("a", interval, interval_cell((-0.25, 0.5), perplexity=False), 0.25), ("b", interval, "", ""))
    table = Table(columns, rows, summary=(("mean", None, None, None),))
    assert to_text(table) == (
        "System |      95% CI |           95% CI\n"
        "-------+-------------+------------------\n"
        "a      | 50.00-75.00 | -25.00 to +50.00\n"
        "b      | 50.00-75.00 |\n"
        "-------+-------------+------------------\n"
        "mean   |           - |                -\n"
    )
    assert to_tsv(table) == (
        "System\tlow\thigh\tdiff_low\tdiff_high\tp\na\t50.0\t75.0\t-25.0\t50.0\t0.25\nb\t50.0\t75.0\t\t\t\n"
    )
    scores = Table(
        (Column("Score", "percent"), Column("95% CI", "percent")), ((87.5, IntervalCell(80, 90)), (50, None))
    )
    assert to_tsv(scores) == "Score\tScore low\tScore high\n87.5\t80.0\t90.0\n50.0\t\t\n"
    assert "mean & - & - \\\\" in to_latex(table)
    assert "| a | 12.50-20.00 |" in to_markdown(
        Table(columns[:2], (("a", interval_cell((12.5, 20.0), perplexity=True)),))
    )


@pytest.mark.parametrize("name", ["polars", "pandas"])
def test_intervals_are_two_columns_of_data_frames(name) -> None:
    library(name)
    table = Table((Column("95% CI", ends=("low", "high")),), ((interval_cell((0.5, 0.75), perplexity=False),),))
    frame = to_polars(table) if name == "polars" else to_pandas(table)
    assert [(column, float(frame[column][0])) for column in frame.columns] == [("low", 0.5), ("high", 0.75)]


def test_numbers_for_readers() -> None:
    """Commas from 1,000 on, but not in positions and data; minus signs, not hyphens; singular and plural."""
    columns = (Column("n", "number"), Column("x", "number", key="x"), Column("Line", "position"), Column("p", "text"))
    table = Table(columns, ((999, 1000.5, 12345, "1000"), (1222143, -1234.0, 1000, "x")))
    for text in (to_text(table), to_markdown(table)):
        found = [re.findall(r"[-\w.,]+", line) for line in text.splitlines()[2:]]
        assert found == [["999", "1,000.50", "12345", "1000"], ["1,222,143", "-1,234", "1000", "x"]]
    assert to_tsv(table, 2).splitlines()[1:] == ["999\t1000.50\t12345\t1000", "1222143\t-1234\t1000\tx"]
    assert [number_of(n, "treebank") for n in (1, 2, 1109)] == ["1 treebank", "2 treebanks", "1,109 treebanks"]
    assert percent_text(0.644) == "64.4%"
    text = "r = -0.52 (-.3 to -1), CLAS - LAS, pages 2-15, en-ud-2, 5%-6%"
    assert with_minus(text) == "r = −0.52 (−.3 to −1), CLAS - LAS, pages 2-15, en-ud-2, 5%-6%"
