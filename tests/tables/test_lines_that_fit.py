"""Lines of text output: notes of at most 100 columns, names of any script aligned, paths of files whole."""

import re

from rich.cells import cell_len

import levelhead
from conftest import EXAMPLES
from levelhead.campaign.plan import unmatched_note
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import to_text, to_tsv

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"


def test_notes_are_wrapped_between_words() -> None:
    note = "one of many words " * 20
    table = Table((Column("a", "text"),), (("b",),), (note.strip(),), signature={"a": "of several words" * 20})
    lines = to_text(table).split("\n")[3:]
    assert lines[-2:] == ["a:" + "of several words" * 20, ""]  # can be copied as a whole
    assert max(map(len, lines[:-2])) <= 100
    assert " ".join(line.removeprefix("  ") for line in lines[:-2]) == note.strip()
    assert all(line.startswith("  ") for line in lines[1:-2])


def test_numbers_of_a_column_have_equally_many_decimal_places() -> None:
    """But counts have none, and a column of whole numbers neither; a spreadsheet gets the numbers as they are."""
    columns = tuple(Column(name, "number") for name in ("mean", "count and mean", "whole"))
    table = Table(columns, ((4.0, 4, 4.0), (1234.5, 1.5, 2.0), (None, None, None)))
    rows = [re.split(r"\s*\|\s*", line.strip()) for line in to_text(table).splitlines()[2:]]
    assert rows == [["4.00", "4", "4"], ["1,234.50", "1.50", "2"], ["-", "-", "-"]]
    assert to_tsv(table).splitlines()[1:] == ["4\t4\t4", "1234.5\t1.5\t2", "\t\t"]


def test_sentences_on_wins_fit() -> None:
    systems = {name: SYSTEMS / name for name in ("alpha", "beta")}
    printed = str(levelhead.compare(GOLD, systems, measures=["LAS"]))
    assert "better than alpha on" in printed
    assert all(len(line) <= 100 for line in printed.split("\n") if "|" not in line)


def test_columns_are_straight_in_any_script() -> None:
    names = ("日本語パーサー", "e\u0301té", "alpha")
    table = Table((Column("System", "text"), Column("LAS")), tuple((name, 50.0) for name in names))
    lines = to_text(table).split("\n")[2:5]
    assert len({cell_len(line.partition("|")[0]) for line in lines}) == 1


def test_names_of_files_are_whole() -> None:
    name = "a" * 200 + ".conllu"
    assert name in unmatched_note([name, "b"], "gold treebank")


def test_html_has_the_columns_for_people() -> None:
    found = levelhead.compare(GOLD / "en.conllu", {n: SYSTEMS / n / "en.conllu" for n in ("alpha", "beta")})
    assert found._repr_html_().count(">p</th>") == 1


def test_a_citation_prints_itself() -> None:
    cited = levelhead.cite(levelhead.score(GOLD / "en.conllu", SYSTEMS / "alpha" / "en.conllu", measures="CLAS"))
    assert str(cited) == f"{cited.methods}\n\n{cited.bibtex}"
    assert "\\n" not in repr(cited)
