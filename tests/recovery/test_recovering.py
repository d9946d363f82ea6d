"""Answers over gold words: what is thrown away, what is repaired, and what is never made up."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

import levelhead
from levelhead.recovery import CLASSES, STEPS, TREES, rows
from levelhead.recovery.recovery import GoldSentence, Recovered, recovered
from levelhead.recovery.tables import LONGEST_ANSWER
from oracle.forms import ROOTS, recovered_heads
from strategies import WORDS, answers

FORMS = "The dog barked .".split()
HEADS = ["2 det", "3 nsubj", "0 root", "3 punct"]
WORD_ROWS = [
    [str(i), form, "_", "_", "_", "_", *arc.split(), "_", "_"] for i, (form, arc) in enumerate(zip(FORMS, HEADS), 1)
]
TABLE = "\n".join("\t".join(row) for row in WORD_ROWS)


def of(text: str, forms: list[str] = FORMS) -> tuple[str, tuple[str, ...], list[object]]:
    """What is recovered: the class, the steps, the arcs."""
    found = recovered(text, GoldSentence(forms))
    arcs = [f"{head} {row.relation}" if row else None for row, head in zip(found.rows, found.heads)]
    return found.answer.category, found.answer.steps, arcs


def cells(*names: int, gap: str = "\t") -> str:
    return "\n".join(gap.join(row[name] for name in names) for row in WORD_ROWS)


UNPACKED = {
    "a fence": (f"```conllu\n{TABLE}\n```", ("fences",)),
    "prose before and after": (f"Sure, 1 answer:\n{TABLE}\nI hope that 2 words help.", ("prose",)),
    "a numbered explanation": (f"{TABLE}\n1. The is a DET and depends on 2 words.\n2. dog is a NOUN", ("prose",)),
    "rows quoted in prose": (f"{TABLE}\nNote:\n- `2\tdog\t_\t_\t_\t_\t1\tobj\t_\t_`: wrong", ("prose",)),
    "comments": (f"# sent_id = x\n# text = The dog\n{TABLE}", ()),
    "a broken table before": ("1\tThe\t_\t_\t_\t_\t3\tdet\t_\t_\nLet me try again:\n" + TABLE, ("prose", "attempts")),
    "a correction of a row after": (f"{TABLE}\nWrong is:\n2\tdog\t_\t_\t_\t_\t1\tobj\t_\t_", ("prose", "attempts")),
    "a second table": (TABLE.replace("\t0\troot", "\t1\troot") + f"\n\n{TABLE}", ("blank lines", "attempts")),
    "a second table cut off": (f"{TABLE}\n\n" + TABLE[:40], ("blank lines", "attempts")),
    "two halves": (TABLE.replace("\n3", "\n```\nand\n```\n3"), ("fences", "prose")),
    "remarks after rows": (TABLE.replace("root\t_\t_", "root\t_\t_\t# the verb"), ("remarks",)),
    "a list of objects": (json.dumps([{"ID": i, "FORM": f, "HEAD": int(a.split()[0]), "DEPREL": a.split()[1]} for i, (f, a) in enumerate(zip(FORMS, HEADS), 1)]), ("list",)),
    "a Python list of lists": (f"Here: {WORD_ROWS!r}.", ("list",)),
    "objects one after another": ("\n".join(json.dumps({"id": r[0], "word": r[1], "head": float(r[6]), "head_word": "x", "rel": r[7]}) for r in WORD_ROWS), ("list",)),
    "a list inside": (json.dumps({"answer": {"rows": WORD_ROWS, "ok": True}}), ("list",)),
    "a list of lines": (json.dumps({"conllu": TABLE.split("\n")}), ("list",)),
}  # fmt: skip


@pytest.mark.parametrize("name", UNPACKED)
def test_unpacking(name: str) -> None:
    text, steps = UNPACKED[name]
    assert of(text) == ("unpacked" if steps else "as is", steps, HEADS)


RESPACED = {
    "spaces": cells(*range(10), gap="   "),
    "single spaces": cells(*range(10), gap=" "),
    "a blank before the number": " " + TABLE,
    "blanks after": TABLE.replace("\n", "  \n"),
    "a blank for a tab": TABLE.replace("3\tnsubj", "3 nsubj"),
}


@pytest.mark.parametrize("name", RESPACED)
def test_respacing(name: str) -> None:
    assert of(RESPACED[name]) == ("respaced", ("white space",), HEADS)


REPAIRED = {
    "glued numbers": "\n".join(row[0] + row[1] + "\t" + "\t".join(row[2:]) for row in WORD_ROWS),
    "numbers glued by a blank, a column more": "\n".join(f"{r[0]} {r[1]}\t_\t" + "\t".join(r[2:]) for r in WORD_ROWS),
    "numbers with points": "\n".join(row[0] + ". " + "\t".join(row[1:]) for row in WORD_ROWS),
    "numbers in parentheses": "\n".join(f"({row[0]})\t" + "\t".join(row[1:]) for row in WORD_ROWS),
    "a list of items": "\n".join("- " + "\t".join(row) for row in WORD_ROWS),
    "no numbers": cells(*range(1, 10)),
    "no trailing columns": cells(*range(8)),
    "a column less": cells(0, 1, 2, 3, 4, 6, 7, 8, 9),
    "a column more": cells(0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9),
    "number, form, head, relation": cells(0, 1, 6, 7),
    "the same with blanks": cells(0, 1, 6, 7, gap=" "),
    "a Markdown table": "| ID | FORM | HEAD | DEPREL |\n|---|---|---|---|\n| " + cells(0, 1, 6, 7, gap=" | ").replace("\n", " |\n| ") + " |",
    "ids that skip": TABLE.replace("\n4\t", "\n7\t"),
}  # fmt: skip


@pytest.mark.parametrize("name", REPAIRED)
def test_repairing(name: str) -> None:
    category, steps, arcs = of(REPAIRED[name])
    assert arcs == HEADS
    assert category == ("unpacked" if name == "a list of items" else "repaired"), steps


ROOT_HEADS = ["ROOT", "root", "_", "-", "null", "None", "0 (ROOT)", "**0**"]


@pytest.mark.parametrize("head", ROOT_HEADS)
def test_names_of_the_root(head: str) -> None:
    """In rows, short tables, tables with a header and objects; only the relation root makes them the root."""
    short = cells(0, 1, 6, 7, gap=" | ")
    table = "| ID | Word | Head | Relation |\n| " + short.replace("\n", " |\n| ") + " |"
    rows = json.dumps(
        [{"id": i, "form": f, "head": int(a[0]), "rel": a[2:]} for i, (f, a) in enumerate(zip(FORMS, HEADS), 1)]
    )
    texts = [text.replace(old, new) for text, old, new in (
        (TABLE, "\t0\troot", f"\t{head}\troot"), (short, "| 0 | root", f"| {head} | root"),
        (table, "| 0 | root", f"| {head} | root"), (rows, '"head": 0', f'"head": {json.dumps(head)}'),
        (rows, '"head": 0', '"head": null'),
    )]  # fmt: skip
    assert [of(text)[2] for text in texts] == [HEADS] * len(texts)
    noun = "0 nsubj" if head == "0 (ROOT)" else "None nsubj"
    assert of(TABLE.replace("\t3\tnsubj", f"\t{head}\tnsubj"))[2][1] == noun


def test_words_counted_from_0() -> None:
    rows = [[str(int(row[0]) - 1), *row[1:6], str(int(row[6]) - 1), *row[7:]] for row in WORD_ROWS]
    text = "\n".join(map("\t".join, rows))
    assert of(text)[2] == HEADS
    assert of(text.replace("\t-1\t", "\tROOT\t"))[2] == HEADS
    assert of(text.replace("\t-1\troot", "\t-1\tdep"))[2][2] == "None dep"


def test_heads_as_words_are_not_relations() -> None:
    """Next to numbers, and instead of them: a tag after a number is not a relation, either."""
    heads = ["dog", "barked", "ROOT", "barked"]
    both = [[*row[:2], row[6], word, row[7]] for row, word in zip(WORD_ROWS, heads)]
    assert of("\n".join(map("\t".join, both)))[2] == HEADS
    words = [[*row[:6], word, *row[7:]] for row, word in zip(WORD_ROWS, heads)]
    assert of("\n".join(map("\t".join, words)))[2] == ["None det", "None nsubj", "0 root", "None punct"]
    numeral = "1\t2013\t2013\tNUM\tCD\t_\tcats\tnummod\t_\t_\n2\tcats\tcat\tNOUN\t_\t_\t0\troot\t_\t_"
    assert of(numeral, ["2013", "cats"])[2] == ["None nummod", "0 root"]


def test_numbers_written_twice() -> None:
    assert of("\n".join(f"{row[0]}\t" + "\t".join(row) for row in WORD_ROWS))[2] == HEADS
    assert of("\n".join(f"{row[0]}\t" + "\t".join(row[:9]) for row in WORD_ROWS))[2] == HEADS
    assert of("1\t1\t_\t_\t_\t_\t0\troot\t_\t_", ["1"])[2] == ["0 root"]


def test_answers_to_another_text() -> None:
    """Less than half of the forms match, of gold and of the answer; a part of an answer is not another text."""
    assert of(TABLE, ["The", "x", "y", "z", "u"]) == ("another text", (), [None] * 5)
    assert of(TABLE, ["The", "dog", "x", "y", "z"])[0] == "rows missing or extra"
    assert of("\n".join(TABLE.split("\n")[:2]), ["The", *map(str, range(20, 40))])[0] == "rows missing or extra"
    other = TABLE.replace("dog", "cat").replace("barked", "slept").replace("The", "A")
    assert of(f"{other}\n\n" + "\n".join(TABLE.split("\n")[:3]))[2] == [*HEADS[:3], None]


@pytest.mark.parametrize(("by", "step"), [(1, "fits next"), (-1, "fits previous")])
def test_shifted_answers(by: int, step: str) -> None:
    sentences = [[f"{word}{n}" for word in "abc"] for n in range(100)]
    gold = levelhead.build(sentences, [[2, 0, 2]] * 100, [["dep", "root", "dep"]] * 100)
    texts = ["\n".join(f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{name}\t_\t_" for i, (form, head, name) in
             enumerate(zip(forms, (2, 0, 2), ("dep", "root", "dep")), 1)) for forms in sentences]  # fmt: skip
    found = levelhead.recover([texts[(n + by) % 100] for n in range(100)], gold)
    assert {(one.category, one.recovered, one.matched) for one in found.answers} == {("another text", 0, 0)}
    assert sum(one.steps == (step,) for one in found.answers) == 99
    name = step.removeprefix("fits ")
    assert f"the answers are shifted: 99 of them fit the {name} gold sentence" in found.table().notes[1]
    assert f"another text ({step}), 0 of 3 forms, 0 of 3 words, 3 rows dropped" in found.conllu.decode()


def test_numbers_glued_to_numbers() -> None:
    """Gold tells where the number ends."""
    text = "12013\t_\t_\t_\t_\t2\tnummod\t_\t_\n2.\t_\t_\t_\t_\t0\troot\t_\t_"
    assert of(text, ["2013", "."])[2] == ["2 nummod", "0 root"]
    text = "20-е\t_\t_\t_\t_\t_\t2\tamod\t_\t_\nгоды\t_\t_\t_\t_\t_\t0\troot\t_\t_"
    assert of(text, ["20-е", "годы"])[2] == ["2 amod", "0 root"]


def test_forms_with_a_blank_inside() -> None:
    text = "1\t100 000\t_\t_\t_\t_\t2\tnummod\t_\t_\n2\tdogs\t_\t_\t_\t_\t0\troot\t_\t_"
    assert of(text, ["100 000", "dogs"]) == ("as is", (), ["2 nummod", "0 root"])


def test_heads_follow_their_words() -> None:
    """Rows that gold has not are dropped, and heads are numbered as gold numbers words."""
    extra = "1\tBig\t_\t_\t_\t_\t3\tamod\t_\t_\n" + "\n".join(
        "\t".join([str(int(r[0]) + 1), *r[1:6], str(int(r[6]) + 1 if r[6] != "0" else 0), *r[7:]]) for r in WORD_ROWS
    )
    assert of(extra) == ("rows missing or extra", (), HEADS)
    assert recovered(extra, GoldSentence(FORMS)).answer.extra == 1
    missing = "\n".join(TABLE.split("\n")[1:])
    assert of(missing) == ("rows missing or extra", ("ids",), [None, *HEADS[1:]])
    assert of(TABLE.replace("dog", "dogs")) == ("words changed", (), HEADS)


@pytest.mark.parametrize(
    ("old", "new", "arcs"),
    [
        ("\t0\troot", "\t9\troot", [*HEADS[:2], "None root", HEADS[3]]),
        ("\t0\troot", "\tbarked\troot", [*HEADS[:2], "None root", HEADS[3]]),
        ("\t0\troot", "\t-1\troot", [*HEADS[:2], "None root", HEADS[3]]),
        ("\t0\troot", "\t99999999999\troot", [*HEADS[:2], "None root", HEADS[3]]),
        ("4\t.", "2\t.", ["None det", *HEADS[1:]]),
    ],
)
def test_nothing_is_made_up(old: str, new: str, arcs: list[str]) -> None:
    """A head that is no number of a row, or that of two, is none."""
    assert of(TABLE.replace(old, new))[2] == arcs
    assert recovered(TABLE.replace(old, new), GoldSentence(FORMS)).answer.tree == "incomplete"


@pytest.mark.parametrize(
    ("root", "noun", "tree"),
    [("0", "3", "tree"), ("0", "0", "several roots"), ("2", "3", "no root"), ("0", "1", "cycle"), ("0", "2", "cycle")],
)
def test_broken_trees_stay_as_they_are(root: str, noun: str, tree: str) -> None:
    text = TABLE.replace("\t0\troot", f"\t{root}\troot").replace("\t3\tnsubj", f"\t{noun}\tnsubj")
    found = recovered(text, GoldSentence(FORMS))
    assert (found.answer.category, found.answer.tree) == ("as is", tree)
    assert found.heads == (2, int(noun), int(root), 3)


@pytest.mark.parametrize(("size", "arc"), [(1, "None _"), (2, "3 _"), (4, "3 punct")])
def test_the_last_column_of_an_answer_cut_off_is_not_trusted(size: int, arc: str) -> None:
    """`3` may be half of `31`, and `punc` half of `punct`."""
    text = "\n".join([*TABLE.split("\n")[:3], "\t".join(WORD_ROWS[3][: 6 + size])])
    assert of(text)[2][3] == arc


UNREADABLE = ["", " \n", "I cannot do this.", "1Таким_advmod_2", "[[[[", '{"a": ' * 5000, "[" * 100_000, "1\tThe",
              "```\n```", "1. The dog is 3 words long and barked at 2 cats", "\ud800", "| | | |"]  # fmt: skip


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_unreadable(text: str) -> None:
    assert of(text) == ("unreadable", (), [None] * 4)


def test_an_answer_that_is_too_long_is_not_read() -> None:
    assert of(TABLE + "\n" * LONGEST_ANSWER)[:2] == ("unreadable", ("too long",))


def test_ten_thousand_rows() -> None:
    """In one table, and in a table again and again: less than a second."""
    many = "\n".join(f"{i}\tword\t_\t_\t_\t_\t0\troot\t_\t_" for i in range(1, 10_001))
    found = recovered(many, GoldSentence(FORMS))
    assert (found.answer.category, found.answer.extra) == ("another text", 10_000)
    again = recovered("\n\n".join([TABLE] * 2_500), GoldSentence(FORMS))
    assert (again.answer.category, again.answer.tree, again.answer.extra) == ("unpacked", "tree", 0)
    long = recovered(TABLE + "\n" + "x " * rows.LONGEST_LINE, GoldSentence(FORMS))
    assert (long.answer.category, long.answer.tree) == ("unpacked", "tree")


BAD = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"


@given(answers(), st.lists(WORDS, min_size=1, max_size=6))
def test_whatever_the_answer_the_output_is_over_gold(text: str, forms: list[str]) -> None:
    found = recovered(text, GoldSentence(forms))
    assert isinstance(found, Recovered)
    assert found.answer.category in CLASSES
    assert found.answer.tree in TREES
    assert set(found.answer.steps) <= set(STEPS)
    assert len(found.rows) == len(found.heads) == len(forms)
    assert all(head is None or 0 <= head <= len(forms) for head in found.heads)
    gold = levelhead.build([forms], [[0] + [1] * (len(forms) - 1)], [["dep"] * len(forms)])
    written = levelhead.recover([text], gold).conllu.decode()
    lines = written.split("\n")
    assert lines[-2:] == ["", ""]
    columns = [line.split("\t") for line in lines[1:-2]]
    assert [row[1] for row in columns] == forms
    assert all(len(row) == 10 and all(row) and not re.search(BAD, "".join(row)) for row in columns)
    if found.answer.tree == "tree":
        read = levelhead.from_conllu(written)
        assert read[0].forms == forms
        assert tuple(read[0].heads) == found.heads


HEADS_AS_WRITTEN = st.one_of(st.integers(-1, 6), st.sampled_from([*ROOTS, "dog", ""]))
ROWS = st.lists(
    st.tuples(st.integers(0, 5), WORDS, HEADS_AS_WRITTEN, st.sampled_from(["root", "dep"])), min_size=1, max_size=5
)


@given(ROWS, st.lists(WORDS, min_size=1, max_size=5))
def test_heads_are_those_of_the_definition(given_rows: list[tuple[int, str, Any, str]], forms: list[str]) -> None:
    """A list of objects is one table, whatever its numbers."""
    text = json.dumps(
        [{"id": number, "form": form, "head": head, "deprel": name} for number, form, head, name in given_rows]
    )
    found = recovered(text, GoldSentence(forms))
    assert list(found.heads) == recovered_heads(forms, given_rows)


def test_numbers_among_the_columns_are_not_heads() -> None:
    text = "1\t2013\t2013\tNUM\t_\t_\t_\t2\tnummod\t_\t_\n2\tcats\tcat\tNOUN\t_\t_\t_\t0\troot\t_\t_"
    assert of(text, ["2013", "cats"]) == ("repaired", ("columns",), ["2 nummod", "0 root"])
    assert of("1 2013 2013 NUM 2 nummod\n2 cats cat NOUN 0 root", ["2013", "cats"])[2] == ["2 nummod", "0 root"]


def test_numbers_of_heads_count_and_not_their_words() -> None:
    values = [{"ID": 1, "FORM": "a", "HEAD": "b", "HEAD ID": 2}, {"ID": 2, "FORM": "b", "HEAD": "root", "HEAD ID": 0.0}]
    assert of(str(values), ["a", "b"]) == ("unpacked", ("list",), ["2 _", "0 _"])


def test_the_last_of_equal_attempts_counts() -> None:
    """Also where no attempt has the words of gold."""
    first = TABLE.replace("dog", "dogs").replace("\t3\tpunct", "\t2\tpunct")
    second = TABLE.replace("dog", "dogs")
    assert of(f"{first}\n\n{second}") == ("words changed", ("blank lines", "attempts"), HEADS)
    assert of(f"{second}\n\n{first}")[2][3] == "2 punct"
    assert of(f"{second}\n\n{first}\n\n" + "\n".join(first.split("\n")[:3]))[2][3] == "2 punct"


def test_values_that_fit_no_column() -> None:
    long, strange = "x" * 1001, "\\u0000\\ud800\\n\\t a b"
    text = f'[{{"id": 1, "form": "a", "head": 0, "deprel": "{long}", "lemma": "{strange}", "upos": "", "feats": null}}]'
    assert recovered(text, GoldSentence(["a"])).rows[0][3:5] == ("_", ("a b", "_", "_", "_"))


SLOW = {
    "blanks before a pipe": " " * 60_000 + "x | y",
    "blanks in a sent_id": "# sent_id = x" + " " * 200_000 + "y",
    "many pipes": "|" * 60_000,
    "bullets": "- " * 30_000,
    "brackets": "[1, " * 50_000,
    "a long list of Python": "[" + "'a', " * 50_000 + "]",
    "digits": "1" * 60_000,
    "glued": ("1" * 9 + "x") * 6_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_hostile_lines_take_no_time(name: str) -> None:
    """Five lines each; a pattern that tries again at each character would take minutes."""
    lines = "\n".join([SLOW[name]] * 5)
    levelhead.recover([f"# sent_id = s\n{lines}\n{TABLE}"], levelhead.build([FORMS], [[2, 3, 0, 3]], [["dep"] * 4]))
    assert recovered(lines, GoldSentence(FORMS)).answer.category == "unreadable"
