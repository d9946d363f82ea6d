"""Tables as plain text fit a terminal, and say what they leave out; files have everything."""

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len

from levelhead.tables.table import Column, Screen, Table
from levelhead.tables.writers import folded, to_latex, to_markdown, to_text
from strategies import examples

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=12).map(" ".join)
KINDS = st.sampled_from(["text", "number"])
COLUMNS = st.lists(st.tuples(WORDS, KINDS).map(lambda pair: Column(*pair)), min_size=2, max_size=15)


def words_of(text: str) -> set[str]:
    return {word for line in text.split("\n") for cell in line.split("|") for word in cell.split()}


@st.composite
def tables(draw) -> Table:
    columns = draw(COLUMNS)
    row = st.tuples(*(WORDS if column.kind == "text" else st.integers(0, 10**6) for column in columns))
    return Table(tuple(columns), tuple(draw(st.lists(row, min_size=1, max_size=4))), summary=(draw(row),))


@settings(max_examples=examples(25), deadline=None)
@given(tables(), st.integers(60, 240))
def test_every_table_fits_a_terminal_and_files_have_every_word(table: Table, width: int) -> None:
    expected = {word for column in table.columns for word in column.name.split()}
    expected |= {
        word
        for row in table.every_row
        for cell in row
        for word in (f"{cell:,}" if isinstance(cell, int) else str(cell)).split()
    }
    assert expected == {word for word in words_of(to_text(table)) if not set(word) <= set("-+")}
    text = to_text(table, screen=Screen(width, is_terminal=True))
    assert max(map(len, text.split("\n"))) <= width
    if "not shown" not in text:
        assert expected == {word for word in words_of(text) if not set(word) <= set("-+")}


def numbered(n_rows: int, *columns: Column) -> Table:
    return Table(
        (Column("System", "text"), *columns), tuple((f"s{i}", *range(i, len(columns) + i)) for i in range(n_rows))
    )


NARROW = Screen(60, is_terminal=True)


def test_columns_are_left_out_by_rank_and_from_the_right() -> None:
    table = numbered(3, *(Column(f"column{i:02}", "number", rank=int(i == 1)) for i in range(8)))
    head, *_, first, second = to_text(table, screen=NARROW).splitlines()
    assert head.split(" | ") == ["System", "column00", "column02", "column03", "column04"]
    left_out = "column01, column05, column06, column07"
    assert f"{first} {second.strip()}" == f"not shown: {left_out} (use a wider window or --format tsv)"
    in_file = to_text(table).splitlines()
    assert in_file[0].split(" | ") == ["System", *(f"column{i:02}" for i in range(8))]
    assert "not shown" not in in_file[-1]


def test_a_mark_is_left_out_with_its_number() -> None:
    columns = [Column("first number", "number", 40), Column("p", "number", 30), Column("", "text")]
    assert to_text(numbered(3, *columns), screen=NARROW).splitlines()[0].split() == ["System", "|", "first", "number"]


@pytest.mark.parametrize("screen", [Screen(), Screen(100, is_terminal=True)])
def test_one_or_two_wide_rows_are_columns(screen: Screen) -> None:
    table = numbered(2, *(Column(f"column{i:02}", "number") for i in range(14)), Column("", "text"))
    lines = to_text(table, screen=screen).splitlines()
    assert [cell.strip() for cell in lines[0].split("|")] == ["System", "s0", "s1"]
    assert [cell.strip() for cell in lines[-1].split("|")] == ["column13", "13 14", "14 15"]
    assert len(lines) == 16


@pytest.mark.parametrize("n_words", [15, 40])
def test_a_long_text_is_wrapped_in_its_column(n_words: int) -> None:
    table = Table((Column("System", "text"), Column("Reason", "text")), (("a", "wrong " * n_words), ("b", "")))
    head, _, *rows = to_text(table).rstrip("\n").split("\n")
    assert head == "System | Reason"
    assert "".join(row.partition("|")[2] for row in rows).split() == ["wrong"] * n_words
    assert [row[0] for row in rows] == ["a", *" " * (len(rows) - 2), "b"]


@pytest.mark.parametrize("n_texts", [1, 2, 3, 4])
@pytest.mark.parametrize("n_numbers", [1, 12])
def test_long_names_are_broken(n_texts: int, n_numbers: int) -> None:
    """Names of systems, treebanks and files have no spaces; all their characters are shown, in order."""
    names = tuple(f"{'a-system_of-long/name.' * 9}{i}" for i in range(n_texts))
    columns = [Column(f"Text {i}", "text") for i in range(n_texts)]
    columns += [Column(f"number {i}", "number") for i in range(n_numbers)]
    rows = ((*names, *range(1000, 1000 + n_numbers)),) * 3
    text = to_text(Table(tuple(columns), rows), screen=Screen(100, is_terminal=True))
    assert max(map(len, text.split("\n"))) <= 100
    shown = dict.fromkeys(range(n_texts), "")
    for line in text.split("\n")[2:]:
        for i, cell in enumerate(line.removesuffix(" |").split(" | ")[:n_texts]):
            shown[i] += cell.strip()
    assert shown[0].startswith(3 * names[0])


def test_a_terminal_shows_no_columns_and_rows_without_values() -> None:
    columns = (Column("Metric", "text"), Column("F1"), Column("Diff.", "points"), Column("", "text"))
    table = Table(
        columns,
        (("LAS", 90.0, None, ""), ("CLAS", None, None, ""), ("ELAS", None, None, "")),
        ("ELAS: why",),
        explained=frozenset({"ELAS"}),
    )
    shown = [line.split(" | ") for line in to_text(table, screen=NARROW).splitlines() if " | " in line]
    assert shown == [["Metric", "   F1"], ["LAS   ", "90.00"], ["CLAS  ", "    -"]]
    assert to_text(table).splitlines()[-2].split() == ["ELAS", "|", "-", "|", "-"]


def test_columns_that_share_a_name_are_told_apart_and_notes_on_hidden_ones_are_counted() -> None:
    columns = (
        Column("System", "text"),
        Column("Score"),
        Column("95% CI", rank=1, width=40),
        Column("95% CI", width=20),
    )
    rows = tuple((f"s{i}", 1.0 * i, 2.0 * i, 3.0 * i) for i in range(3))
    table = Table(columns, rows, ("Score: of words", "95% CI: by document"))
    lines = to_text(table, screen=NARROW._replace(all_notes=False)).splitlines()
    hint = ["not shown: the first 95% CI (use a wider window or --format", "  tsv)"]
    assert lines[5:] == [*hint, *table.notes]
    lines = to_text(table.of_columns([0, 1, 2]), screen=NARROW._replace(all_notes=False, width=40)).splitlines()
    assert lines[-2:] == ["Score: of words", "1 more note: --notes"]
    assert to_text(table.of_columns([0, 1, 2]), screen=NARROW._replace(width=40)).splitlines()[-2:] == [*table.notes]


def test_columns_with_equal_cells_are_the_first_left_out() -> None:
    columns = (Column("System", "text"), Column("Unit", "text", 20), Column("LAS", width=20), Column("UAS", width=20))
    table = Table(columns, tuple((f"s{i}", "word", 1.0 * i, 2.0 * i) for i in range(3)))
    head, *_, note = to_text(table, screen=NARROW).splitlines()
    assert head.split() == ["System", "|", "LAS", "|", "UAS"]
    assert note.startswith("not shown: Unit (word) (")


def test_a_terminal_that_cuts_shows_averages_before_single_treebanks() -> None:
    columns = (Column("Treebank", "text"), Column("n", "number"))
    table = Table(columns, tuple(("en", i) for i in range(9)), summary=(("Average", 1), ("Average", 2), ("Average", 3)))
    assert table.cut(2, "all").rows == (("Average", 1), ("Average", 2))
    assert table.cut(2, "all").more == "... 10 more (all)"
    assert table.cut(9, "all") == table


def test_notes_are_folded_by_the_cells_of_their_characters() -> None:
    lines = folded("日本語 パーサー " * 8, 60).split("\n")
    assert max(map(cell_len, lines)) <= 60
    assert cell_len(lines[0]) > 40


def test_verdicts_are_folded_within_names_that_are_too_long() -> None:
    lines = folded(f"{'x' * 200} is the best.", 80, in_words=True).split("\n")
    assert max(map(len, lines)) <= 80
    assert "".join(lines).replace(" ", "") == f"{'x' * 200}isthebest."
    assert len(folded("x" * 200, 80)) == 200  # a path in a note stays whole


def test_a_table_without_rows_leaves_its_notes_on_a_terminal() -> None:
    table = Table((Column("Error", "text"), Column("Words", "number")), (), ("a note",))
    assert to_text(table, screen=NARROW) == "a note\n"
    assert to_text(table) == "Error | Words\n------+-------\na note\n"


@pytest.mark.parametrize("write", [to_text, to_markdown, to_latex])
def test_files_have_a_column_of_marks_only_if_a_row_has_one(write) -> None:
    columns = Column("System", "text"), Column("Diff.", "points"), Column("", "text"), Column("Words", "number")
    marked = Table(columns, (("first", 1.0, "*", 3), ("second", 2.0, "", 4)))
    bare = marked._replace(rows=tuple((*row[:2], "", row[3]) for row in marked.rows))
    assert write(bare, 2) == write(bare.of_columns([0, 1, 3]), 2)
    assert "*" in write(marked, 2)
