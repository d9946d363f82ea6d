"""Outputs of external parsers are checked, and repaired or rejected."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from levelhead import InputError, build, read
from levelhead.messages import MESSAGES
from levelhead.parsing.external import checked, plain_conllu, rows_of
from levelhead.parsing.parser_input import with_flat_trees


def sentence(*rows: tuple[str, str, str], start: int = 1) -> bytes:
    """CoNLL-U for words given as form, head and relation."""
    lines = (f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{name}\t_\t_" for i, (form, head, name) in enumerate(rows, start))
    return ("\n".join(lines) + "\n\n").encode()


WORDS_TEXT = sentence(*((form, "0" if form == "a" else "1", "x") for form in "abcd")).decode()
WORDS = build([["a", "b", "c", "d"]], [[0, 1, 1, 1]], [["root", "x", "x", "x"]])


def trees_of(output: bytes, *, repair: bool = False) -> tuple[list[int], list[str], list[str]]:
    """The heads and relations after the check, and the slugs of faults."""
    parsed = checked(output, WORDS, "output", repair=repair)
    slugs = [fault.slug for fault in parsed.repairs]
    return parsed.treebank.local_heads().tolist(), list(parsed.treebank.relations), slugs


@pytest.mark.parametrize(
    ("heads", "slugs", "repaired"),
    [
        ([2, 0, 2, 3], [], [2, 0, 2, 3]),
        ([0, 0, 2, 0], ["several-roots"], [0, 1, 2, 1]),
        ([2, 3, 1, 3], ["no-root"], [0, 3, 1, 3]),
        ([2, 1, 0, 3], ["cycle"], [3, 1, 0, 3]),
        (["_", 0, 9, 4], ["invalid-head", "head-outside-sentence", "cycle"], [2, 0, 2, 2]),
        (["_", "_", 1, 1], ["invalid-head", "no-root", "invalid-head"], [0, 1, 1, 1]),
        ([0, 3, 2, 1], ["cycle"], [0, 1, 2, 1]),
        (["-1", "1x", "", "²"], ["invalid-head", "no-root", *["invalid-head"] * 3], [0, 1, 1, 1]),
        (["2", "0", "9" * 20, "9" * 5000], ["head-outside-sentence"] * 2, [2, 0, 2, 2]),
        (["02", "0", "0" * 5000 + "2", "3"], [], [2, 0, 2, 3]),
    ],
)
def test_wrong_trees(heads: list[object], slugs: list[str], repaired: list[int]) -> None:
    """All are reported, and repaired as documented if requested."""
    output = sentence(*((form, str(head), "root" if head == 0 else "x") for form, head in zip("abcd", heads)))
    if slugs:
        with pytest.raises(InputError) as caught:
            trees_of(output)
        assert [fault.slug for fault in caught.value.faults] == slugs
        assert all(fault.slug in MESSAGES for fault in caught.value.faults)
        numbers = [int(str(fault.place.word)) for fault in caught.value.faults]
        assert numbers == sorted(numbers)
    found, relations, reported = trees_of(output, repair=True)
    assert reported == slugs
    assert found == repaired
    assert [relation == "root" for relation in relations] == [head == 0 for head in found]
    assert set(relations) <= {"root", "x", "dep"}


@pytest.mark.parametrize("name", ["a b\u00a0c", "a b", "\x1b[31m", "a\0", "\u2028", "\ufffd", "", "_"])
def test_wrong_relations(name: str) -> None:
    """Reported at their words, and replaced by `dep` if repairs are requested; the root always gets `root`."""
    rows = [("a", "0", "root"), ("b", "1", name), ("c", "1", "y:ü"), ("d", "3", name)]
    output = "".join("\t".join((str(i), form, *"____", head, relation, "_", "_")) + "\n"
                     for i, (form, head, relation) in enumerate(rows, 1)).encode()  # fmt: skip
    with pytest.raises(InputError) as caught:
        trees_of(output)
    slug = "invalid-relation" if name not in {"", "_"} else "empty-relation"
    assert [(fault.slug, fault.place.word) for fault in caught.value.faults] == [(slug, "2"), (slug, "4")]
    assert str(caught.value).isprintable() or "\n" in str(caught.value)
    assert trees_of(output, repair=True) == ([0, 1, 1, 3], ["root", "dep", "y:ü", "dep"], [slug] * 2)


def test_faults_are_where_the_words_were(tmp_path: Path) -> None:
    """Faults are placed in the parsed file, not in the output, which is gone; in the order of the words."""
    path = tmp_path / "in.conllu"
    path.write_text("# x\n1-2\tab\t" + "\t".join("_" * 8) + "\n" + WORDS_TEXT + "# y\n# z\n" + WORDS_TEXT)
    good = [("a", "0", "root"), ("b", "1", "x"), ("c", "1", "x"), ("d", "1", "x")]
    output = sentence(*good) + sentence(("a", "9" * 20, "x"), ("b", "3", "x"), ("c", "2", ""), ("d", "5", "x"))
    with pytest.raises(InputError) as caught:
        checked(output, read(path), "output of x")
    where = f"{path}:10: {{}}: sentence 2 in the output of x: "
    told = str(caught.value).splitlines()
    assert [line.split(": ")[0].removeprefix(f"{path}:") for line in told] == ["10", "10", "11", "12", "13"]
    out_of_range = f"the head '{'9' * 20}' is out of range: the sentence has 4 words"
    assert told[0] == where.format("head-outside-sentence") + out_of_range
    assert told[1] == where.format("no-root") + "no word is the root"
    assert [fault.place.sentence for fault in caught.value.faults] == [2] * 5


@pytest.mark.parametrize("n", [2, 5, 7, 11, 20])
def test_the_wrong_number_of_columns(n: int) -> None:
    """Reported, and never repaired: such a file is not CoNLL-U."""
    cells = ["2", "b", *"____", "1", "x", "_", "_", *"_" * 10][:n]
    output = sentence(("a", "0", "root")).strip() + ("\n" + "\t".join(cells) + "\n").encode()
    for repair in (False, True):
        with pytest.raises(InputError) as caught:
            checked(output + b"3\tc\n4\td\n", WORDS, "output of x", repair=repair)
        assert caught.value.slug == "number-of-columns"
        assert f"sentence 1 in the output of x: {n} columns instead of 10" in str(caught.value)
        assert (len(caught.value.faults), caught.value.place.word) == (1, "2")


@given(st.lists(st.integers(-1, 6), min_size=4, max_size=4))
def test_every_repair_is_a_tree(heads: list[int]) -> None:
    """For any heads; valid trees do not change."""
    output = sentence(*((form, str(head), "x") for form, head in zip("abcd", heads)))
    found, _, slugs = trees_of(output, repair=True)
    assert found.count(0) == 1
    for word in range(1, 5):
        for _ in range(5):
            word = found[word - 1] if word else 0  # noqa: PLW2901 -- up the tree
        assert word == 0
    if not slugs:
        assert found == heads


@pytest.mark.parametrize(
    "output",
    [
        b"",
        sentence(("a", "0", "root")),
        sentence(("a", "0", "root"), ("b", "1", "x"), ("c", "1", "x"), ("e", "1", "x")),
        sentence(("a", "0", "root"), ("b", "1", "x")) + sentence(("c", "0", "root"), ("d", "1", "x")),
        b"\xff\x00nonsense",
    ],
)
def test_other_words(output: bytes) -> None:
    """An output for other words is rejected, with and without repairs."""
    for repair in (False, True):
        with pytest.raises(InputError) as caught:
            checked(output, WORDS, "output", repair=repair)
        assert caught.value.slug == "parser-words"


def test_rows() -> None:
    """Outputs can have comments, multiword tokens, empty nodes, CRLF and missing cells."""
    text = b"# c\r\n1-2\tab\t_\r\n1\ta\t_\t_\t_\t_\t2\tx\r\n1.1\tz\n2\tb\n\n\n\n1\tc\n"
    rows = rows_of(text)
    assert [[(row.form, row.head, row.relation) for row in one] for one in rows] == [
        [("a", "2", "x"), ("b", "", "")], [("c", "", "")]
    ]  # fmt: skip


def test_parsers_are_not_shown_trees() -> None:
    """Only words are written for them, with underscores instead of spaces, which some cannot read."""
    treebank = build([["x y", "b"], ["c"]], [[2, 0], [0]], [["dep", "root"], ["root"]])
    blank = plain_conllu(with_flat_trees(treebank))
    assert [[(row.form, row.head) for row in rows] for rows in rows_of(blank)] == [
        [("x_y", "0"), ("b", "1")],
        [("c", "0")],
    ]
    assert [[row.head for row in rows] for rows in rows_of(plain_conllu(treebank))] == [["2", "0"], ["0"]]
    assert list(checked(blank, treebank, "output").treebank.forms) == ["x y", "b", "c"]
