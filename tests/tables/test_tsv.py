"""Tables for readers, and their numbers as TSV; tables of data: tests/report/test_result_tables.py."""

import re

from conftest import EXAMPLES
from levelhead.cli import program
from levelhead.errors import number_of, with_minus
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import to_latex, to_markdown, to_text, to_tsv

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta"


def test_summaries_are_rows_for_readers_only(capfd) -> None:
    """Text, Markdown and LaTeX have the rows below a rule; averages are a table of their own in JSON."""
    for arguments, text in (
        (["score", GOLD, ALPHA, "-m", "LAS"], "Macro-average of 8"),
        (["compare", GOLD, ALPHA, BETA, "-m", "LAS", "--each"], "macro-average"),
        (["breakdown", GOLD, ALPHA, "--by", "class"], "Average of 8"),
        (["convert", "--check", GOLD], "Average of 8"),
        (["profile", GOLD, "--total"], "Total of 8"),
    ):
        for output_format in ("text", "markdown", "latex", "tsv"):
            assert program.run([*map(str, arguments), "--format", output_format]) == 0
            has_text = text in capfd.readouterr().out
            assert has_text == (output_format != "tsv") or arguments[0] == "compare", (arguments, output_format)


def test_tables_are_read_back(tmp_path, capfd) -> None:
    """`correlate` reads what `score`, `profile` and `convert --check` print."""
    for name, arguments in (
        ("s", ["score", GOLD, ALPHA, "-m", "LAS"]), ("p", ["profile", GOLD]), ("c", ["convert", "--check", GOLD]),
    ):  # fmt: skip
        assert program.run([*map(str, arguments), "--format", "tsv", "-o", str(tmp_path / f"{name}.tsv")]) == 0
    capfd.readouterr()
    paths = [f"{name}={tmp_path / name}.tsv" for name in "spc"]
    assert program.run(["correlate", *paths, "-c", "s.LAS", "-c", "p.words", "-c", "c.words"]) == 0
    assert "8 treebanks" in capfd.readouterr().out


def test_intervals_are_one_column_for_people_and_two_in_files() -> None:
    columns = (
        *(Column("System", "text"), Column("Score"), Column("95% CI")),
        *(Column("Diff.", "points"), Column("95% CI", "points"), Column("", "text")),
    )
    interval = (50, 75)
    rows = (("a", 62.5, interval, 12.5, (-25, 50), "*"), ("b", 50, interval, "", "", ""))
    table = Table(columns, rows, summary=(("mean", None, None, None, None, None),))
    assert to_text(table) == (
        "System | Score |      95% CI |  Diff. |           95% CI |\n"
        "-------+-------+-------------+--------+------------------+---\n"
        "a      | 62.50 | 50.00-75.00 | +12.50 | -25.00 to +50.00 | *\n"
        "b      | 50.00 | 50.00-75.00 |        |                  |\n"
        "-------+-------+-------------+--------+------------------+---\n"
        "mean   |     - |           - |      - |                - | -\n"
    )
    assert to_tsv(table) == (
        "System\tScore\tScore low\tScore high\tDiff.\tDiff. low\tDiff. high\t95% CI mark\n"
        "a\t62.5\t50.0\t75.0\t12.5\t-25.0\t50.0\t*\n"
        "b\t50.0\t50.0\t75.0\t\t\t\t\n"
    )
    assert "mean & - & - & - & - & - \\\\" in to_latex(table)
    assert "| b | 50.00 | 50.00-75.00 |" in to_markdown(table)


def test_numbers_for_readers() -> None:
    """Commas from 1,000 on, but not in positions and data; minus signs, not hyphens; singular and plural."""
    columns = (Column("n", "number"), Column("x", "number"), Column("Line", "position"), Column("p", "text"))
    table = Table(columns, ((999, 1000.5, 12345, "1000"), (1222143, -1234.0, 1000, "x")))
    for text in (to_text(table), to_markdown(table)):
        found = [re.findall(r"[-\w.,]+", line) for line in text.splitlines()[2:]]
        assert found == [["999", "1,000.50", "12345", "1000"], ["1,222,143", "-1,234.00", "1000", "x"]]
    assert to_tsv(table, 2).splitlines()[1:] == ["999\t1000.50\t12345\t1000", "1222143\t-1234\t1000\tx"]
    assert [number_of(n, "treebank") for n in (1, 2, 1109)] == ["1 treebank", "2 treebanks", "1,109 treebanks"]
    text = "r = -0.52 (-.3 to -1), CLAS - LAS, pages 2-15, en-ud-2, 5%-6%"
    assert with_minus(text) == "r = −0.52 (−.3 to −1), CLAS - LAS, pages 2-15, en-ud-2, 5%-6%"
