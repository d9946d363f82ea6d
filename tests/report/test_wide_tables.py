"""Tables as plain text fit a terminal of 100 columns, and lose nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelhead.tables.table import Column, Table
from levelhead.tables.writers import to_text

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


@settings(max_examples=25, deadline=None)
@given(tables())
def test_every_table_fits_and_has_every_word(table: Table) -> None:
    text = to_text(table)
    assert max(map(len, text.split("\n"))) <= 100
    expected = {word for column in table.columns for word in column.name.split()}
    expected |= {
        word
        for row in table.every_row
        for cell in row
        for word in (f"{cell:,}" if isinstance(cell, int) else str(cell)).split()
    }
    assert expected == {word for word in words_of(text) if not set(word) <= set("-+")}


def test_columns_that_do_not_fit_are_continued_below() -> None:
    names = [f"column{i:02}" for i in range(14)]
    table = Table((Column("System", "text"), *(Column(name, "number") for name in names)), (("a", *range(14)),))
    first, second = (part.split("\n") for part in to_text(table).rstrip("\n").split("\n\n"))
    assert first[0].split(" | ") == ["System", *names[:8]]
    assert second[0].split(" | ") == ["System", *names[8:]]
    assert [cell.strip() for cell in second[2].split("|")] == ["a", *map(str, range(8, 14))]


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
    text = to_text(Table(tuple(columns), ((*names, *range(1000, 1000 + n_numbers)),)))
    assert max(map(len, text.split("\n"))) <= 100
    shown = dict.fromkeys(range(n_texts), "")
    first = text.split("\n\n")[0].split("\n")
    for line in first[2:]:
        for i, cell in enumerate(line.removesuffix(" |").split(" | ")[:n_texts]):
            shown[i] += cell.strip()
    assert shown[0] == names[0]
