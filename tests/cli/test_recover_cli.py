"""The command `levelhead recover`."""

import json
import os
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from result_rows import rows_in

FOLDER = EXAMPLES / "recover"
GOLD, ANSWERS = FOLDER / "gold.conllu", FOLDER / "answers.txt"


def test_the_table_and_the_file(run, tmp_path: Path) -> None:
    code, output, error = run("recover", ANSWERS, "--gold", GOLD, "-o", tmp_path / "out.conllu")
    assert (code, error) == (0, "")
    found = levelhead.recover(ANSWERS, GOLD)
    assert str(found) == output.rstrip("\n")
    assert (tmp_path / "out.conllu").read_bytes() == found.conllu
    assert repr(found) == "<Recovery: 33 of 44 words have a head; 4 of 6 answers have a valid tree.>"
    gold, written = (path.read_text(encoding="utf-8").split("\n\n")[:-1] for path in (GOLD, tmp_path / "out.conllu"))
    assert len(gold) == len(written)
    for one, other in zip(gold, written):
        rows = [[line.split("\t") for line in text.split("\n") if line[0] != "#"] for text in (one, other)]
        assert [row[:2] for row in rows[0]] == [row[:2] for row in rows[1]]
        assert one.split("\n")[0] == other.split("\n")[0]
        assert other.split("\n")[2].startswith("# recovery = ")


def test_json(run, tmp_path: Path) -> None:
    command = ["recover", ANSWERS, "--gold", GOLD, "-o", tmp_path / "out.conllu", "--format"]
    document = json.loads(run(*command, "json")[1])
    found = levelhead.recover(ANSWERS, GOLD)
    assert document == json.loads(json.dumps(found.to_dict()))
    rows = document["tables"]["classes"]
    assert {row["category"]: row["answers"] for row in rows} == {
        "as is": 1, "unpacked": 1, "respaced": 1, "repaired": 1, "words changed": 0, "rows missing or extra": 1,
        "another text": 0, "unreadable": 1, "no answer": 0,
    }  # fmt: skip
    sums = {
        name: sum(row[name] for row in rows) for name in ("tree", "several_roots", "no_root", "cycle", "incomplete")
    }
    assert list(sums.values()) == [4, 0, 0, 0, 2]
    assert [sum(row[name] for row in rows) for name in ("words", "recovered", "extra_rows")] == [44, 33, 0]
    lines = [json.loads(line) for line in run(*command, "jsonl", "--table", "answers")[1].splitlines()]
    assert [line["sent_id"] for line in lines] == [sentence.id for sentence in levelhead.read(GOLD)]
    assert [line["category"] for line in lines[:2]] == ["as is", "unpacked"]
    assert [row["step"] for row in rows_in(document, "steps", sentence=2)] == ["fences", "prose", "blank lines"]


def test_answers_to_other_sentences_have_one_warning(run, tmp_path: Path) -> None:
    """The table has it as a note, and JSON does not; their rows are readable, so it does not say that none is."""
    first, *others = GOLD.read_text(encoding="utf-8").strip().split("\n\n")
    rows = ["\n".join(line for line in text.split("\n") if line[0] != "#") for text in (*others, first)]
    (tmp_path / "answers.txt").write_text("\n\n".join(rows), encoding="utf-8")
    command = ("recover", tmp_path / "answers.txt", "--gold", GOLD, "-o", tmp_path / "out.conllu")
    _, table, error = run(*command)
    assert (table.count("6 answers to another text"), error) == (1, "")
    error = run(*command, "--format", "json")[2]
    assert error.startswith("warning: 6 answers to another text")
    assert error.count("warning") == 1
    assert run(*command, "--format", "tsv")[2].count("6 answers to another text") == 1
    (tmp_path / "answers.txt").write_text("no rows\n\n" * 6, encoding="utf-8")
    error = run("recover", tmp_path / "answers.txt", "--gold", GOLD, "-o", tmp_path / "out.conllu")[2]
    assert "has a readable row" in error


def test_ranges_and_documents_of_gold_are_kept(run, tmp_path: Path) -> None:
    """Tags of gold are not: they are what an answer is scored for."""
    gold = tmp_path / "gold.conllu"
    gold.write_text(
        "# newdoc id = d\n# sent_id = s\n# text = zum Haus\n# note = gold tag\n"
        "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\tTypo=Yes\n1\tzu\tzu\tADP\t_\t_\t3\tcase\t3:case\tGloss=to\n"
        "2\tdem\tder\tDET\t_\t_\t3\tdet\t3:det\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t3:dep\t_\n"
        "3\tHaus\tHaus\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No\n\n",
        encoding="utf-8",
    )
    (tmp_path / "answer").write_text(
        "1\tzu\t_\tADP\t_\t_\t3\tcase\t_\t_\n3\tHaus\t_\tNOUN\t_\tA=B\t0\troot\t_\tx", encoding="utf-8"
    )
    assert run("recover", tmp_path / "answer", "--gold", gold, "-o", tmp_path / "out")[0] == 0
    assert (tmp_path / "out").read_text(encoding="utf-8") == (
        "# newdoc id = d\n# sent_id = s\n# text = zum Haus\n"
        "# recovery = rows missing or extra (ranges, ids), 2 of 3 forms, 2 of 3 words, incomplete\n"
        "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\t_\tADP\t_\t_\t3\tcase\t_\t_\n2\tdem\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tHaus\t_\tNOUN\t_\tA=B\t0\troot\t_\tSpaceAfter=No\n\n"
    )


def test_a_file_without_any_answer_is_doubted(run, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no\n=====\n" * 6, encoding="utf-8")
    code, output, error = run("recover", tmp_path / "x", "--gold", GOLD, "-o", tmp_path / "out")
    assert code == 0
    assert "no answer in" in error
    assert "Unreadable" in output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["/no/such", "--gold", GOLD, "-o", "out"], "/no/such: unreadable-file"),
        ([ANSWERS, "--gold", "/no/such", "-o", "out"], "/no/such: unreadable-file"),
        ([ANSWERS, "--gold", ANSWERS, "-o", "out"], "number-of-columns"),
        ([GOLD, "--gold", ANSWERS.with_name("answers.jsonl"), "-o", "out"], "number-of-columns"),
        ([ANSWERS, "--gold", GOLD], "Missing option '--output'"),
        ([ANSWERS, "--gold", GOLD, "-o", "-"], "the table goes to standard output"),
        (["-", "--gold", "-", "-o", "out"], "only one file can be standard input"),
        ([ANSWERS.with_name("answers.jsonl"), "--gold", GOLD, "--field", "response.text", "-o", "out"],
         "unpaired-answers: 3 answers for 6 gold sentences"),
    ],
)  # fmt: skip
def test_what_cannot_be_used(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output, error = run("recover", *arguments)
    assert (code, output) == (2, "")
    assert says in error
    assert not list(tmp_path.iterdir())


def test_inputs_are_not_overwritten(run, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_bytes(ANSWERS.read_bytes())
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "1").write_bytes(b"1\ta")
    for given, target in ((answers, answers), (folder, folder / "1")):
        code, _, error = run("recover", given, "--gold", GOLD, "-o", target)
        assert code == 2
        assert "is an input file" in error
    assert answers.read_bytes() == ANSWERS.read_bytes()


def test_the_output_does_not_become_an_answer(run, tmp_path: Path) -> None:
    """Otherwise the next run would find one answer more."""
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "1").write_bytes(b"1\ta")
    (tmp_path / "link").symlink_to(folder)
    for target in (folder / "out.conllu", tmp_path / "link" / "out.conllu", folder / ".." / "answers" / "out.conllu"):
        code, _, error = run("recover", folder, "--gold", GOLD, "-o", target)
        assert (code, "would be one of the answers: write the output to another folder" in error) == (2, True)
    assert [path.name for path in folder.iterdir()] == ["1"]


def test_an_empty_folder_has_no_answers(run, tmp_path: Path) -> None:
    (tmp_path / "answers" / "inner").mkdir(parents=True)
    code, _, error = run("recover", tmp_path / "answers", "--gold", GOLD, "-o", tmp_path / "out.conllu")
    assert (code, "no-answers: the folder has no files" in error) == (2, True)


def test_names_and_answers_that_would_write_on_a_terminal(run, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/a\x1b[31m\xff"
    Path(os.fsdecode(path)).write_bytes(b'{"\x1b[31m": 1}'.replace(b"\x1b", b"\\u001b"))
    code, output, error = run(
        "recover", os.fsdecode(path), "--gold", GOLD, "--field", "\x1b[31mx", "-o", tmp_path / "out"
    )
    assert code == 2
    assert "\x1b" not in output + error


def test_answers_to_another_text_have_readable_rows(run, tmp_path: Path) -> None:
    blocks = GOLD.read_text(encoding="utf-8").strip("\n").split("\n\n")
    (tmp_path / "shifted.conllu").write_text("\n\n".join([*blocks[1:], blocks[0]]) + "\n\n", encoding="utf-8")
    gold = tmp_path / "gold.conllu"
    gold.write_text(GOLD.read_text(encoding="utf-8").replace("# sent_id", "# id"), encoding="utf-8")
    _, table, error = run("recover", tmp_path / "shifted.conllu", "--gold", gold, "-o", tmp_path / "out.conllu")
    assert "readable row" not in error
    assert "to another text" in table
