"""Where answers are found: markers, blank lines, JSON lines, CSV, folders; and which gold sentence each belongs to."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import levelhead
from conftest import EXAMPLES, library
from levelhead import InputError, UnreadableFile
from levelhead.recovery import answers as reading
from levelhead.treebank.input_bytes import Limits

FOLDER = EXAMPLES / "recover"
GOLD = levelhead.read(FOLDER / "gold.conllu")
ANSWERS = (FOLDER / "answers.txt").read_text(encoding="utf-8").split("==========\n")
BASE = levelhead.recover(ANSWERS, GOLD)
IDS = [sentence.id for sentence in GOLD]
BARE = ["\n".join(line for line in text.strip().split("\n") if line) for text in ANSWERS]
"""The answers without blank lines."""


def parted(before: str = "", between: str = "", after: str = "") -> str:
    return before.format(1) + "".join(
        text.rstrip("\n") + "\n" + (after if number == len(ANSWERS) else between).format(number + 1)
        for number, text in enumerate(ANSWERS, 1)
    )


TEXTS = {
    "a rule after each": parted(between="===\n=====\n", after="=====\n"),
    "a rule between": parted(between="-----\n"),
    "a rule before each": parted("#####\n", "#####\n"),
    "a rule with blanks": parted(between="  *********  \n"),
    "a line before each": parted("Model output:\n", "Model output:\n"),
    "a numbered line before each": parted("### Answer {} ###\n", "### Answer {} ###\n"),
    "a line after each": parted(between="[end]\n", after="[end]\n"),
    "line ends of Windows": parted(between="=====\n").replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + parted(between="=====\n"),
    "blank lines": "\n\n".join(BARE),
    "many blank lines": "\n \n\n" + "\n\n \n".join(BARE) + "\n\n\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(tmp_path: Path, name: str) -> None:
    path = tmp_path / "answers.txt"
    path.write_bytes(TEXTS[name].encode())
    found = levelhead.recover(path, GOLD)
    assert [one.recovered for one in found.answers] == [one.recovered for one in BASE.answers]
    assert words_of(found.conllu) == words_of(BASE.conllu)


def words_of(conllu: bytes) -> list[str]:
    return [line for line in conllu.decode().split("\n") if not line.startswith("# recovery")]


def test_separators(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt.gz"
    path.write_bytes(gzip.compress(parted("@ one\n", "@ {}, who knows\n").encode()))
    assert levelhead.recover(path, GOLD, separator="@").answers == BASE.answers
    path.write_bytes(gzip.compress("\n\n".join(BARE).encode()))
    assert levelhead.recover(path, GOLD, separator="").answers[0] == BASE.answers[0]
    with pytest.raises(InputError, match=r"no-answers: no line starts with the separator '@'"):
        levelhead.recover(path, GOLD, separator="@")


def test_an_empty_answer_keeps_its_place(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    for empty, between, after in ((0, "=====\n", ""), (2, "=====\n", "=====\n"), (5, "=====\n", "")):
        texts = [*ANSWERS[:empty], "", *ANSWERS[empty + 1 :]]
        path.write_text(between.join(texts) + after, encoding="utf-8")
        found = levelhead.recover(path, GOLD)
        assert [one.category == "unreadable" for one in found.answers] == [one in (empty, 5) for one in range(6)]


def test_one_sentence(tmp_path: Path) -> None:
    """An answer with blank lines is one answer, but several sentences are several."""
    path = tmp_path / "answers.txt"
    path.write_text(ANSWERS[1], encoding="utf-8")
    assert levelhead.recover(path, GOLD[1:2]).answers[0].category == "unpacked"
    path.write_text("\n\n".join([BARE[0], "# sent_id = x\n" + BARE[0]]), encoding="utf-8")
    with pytest.raises(InputError, match=r"2 answers for 1 gold sentence, and answer 1 has no sent_id"):
        levelhead.recover(path, GOLD[:1])


def lines_of(**names: str) -> bytes:
    field, id_field = names.get("field", "answer"), names.get("id", "id")
    return "".join(json.dumps({id_field: one, field: text}) + "\n\n" for one, text in zip(IDS, ANSWERS)).encode()


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(lines_of())
    assert levelhead.recover(path, GOLD, field="answer").answers == BASE.answers
    assert levelhead.recover(path, GOLD, field="answer", id_field="id").answers == BASE.answers
    shuffled = b"\n".join(sorted(lines_of().split(b"\n"), reverse=True))
    (tmp_path / "shuffled").write_bytes(shuffled)
    assert levelhead.recover(tmp_path / "shuffled", GOLD, field="answer", id_field="id").answers == BASE.answers
    nested = [{"id": one, "choices": [{"message": {"content": text}}]} for one, text in zip(IDS, ANSWERS)]
    path.write_text("\n".join(map(json.dumps, nested)), encoding="utf-8")
    assert levelhead.recover(path, GOLD, field="choices.0.message.content").answers == BASE.answers
    row = '{"rows": [{"id": 1, "form": "%s", "head": 0, "deprel": "root"}]}\n{"rows": null}\n'
    path.write_text("".join(row % GOLD[at].forms[0] for at in (0, 2, 4)), encoding="utf-8")
    assert [one.recovered for one in levelhead.recover(path, GOLD, field="rows").answers] == [1, 0, 1, 0, 1, 0]


def test_csv(tmp_path: Path) -> None:
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t"), ("", ",")):
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter).writerows([["id", "answer"], *zip(IDS, ANSWERS)])
        path = tmp_path / f"answers{suffix}"
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
        assert levelhead.recover(path, GOLD, field="answer", id_field="id").answers == BASE.answers
    limit = csv.field_size_limit()
    path.write_text("id,answer\n1," + "x" * 200_000 + "\n", encoding="utf-8")
    assert levelhead.recover(path, GOLD[:1], field="answer").answers[0].category == "unreadable"
    assert csv.field_size_limit() == limit


def test_folders(tmp_path: Path) -> None:
    """In natural order of names."""
    for number, text in enumerate(ANSWERS, 8):
        (tmp_path / f"answer {number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / ".hidden").write_text("no answer", encoding="utf-8")
    assert levelhead.recover(tmp_path, GOLD).answers == BASE.answers


def test_comments_with_ids() -> None:
    """If all answers have one of their own, it decides; copied from an example in the prompt it does not."""
    named = [f"# sent_id = {one}\n{text}" for one, text in zip(IDS, ANSWERS)]
    assert levelhead.recover(named[::-1], GOLD).answers == BASE.answers
    some = levelhead.recover(named[1:3], GOLD)
    assert [one.category for one in some.answers] == ["no answer", "unpacked", "respaced", *["no answer"] * 3]
    copied = [f"# sent_id = example\n{text}" for text in ANSWERS]
    assert levelhead.recover(copied, GOLD).answers == BASE.answers
    assert levelhead.recover(dict(zip(IDS[::-1], ANSWERS[::-1])), GOLD).answers == BASE.answers


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (ANSWERS[:4], "4 answers for 6 gold sentences, and answer 1 has no sent_id"),
        ([*ANSWERS, ""], "7 answers for 6 gold sentences"),
        (["# sent_id = p02\n", "# sent_id = p02\n"], "2 answers for 6 gold sentences, and answer 2 repeats the sent_id 'p02'"),
        (["# sent_id = p01\n"], "1 answer for 6 gold sentences, and answer 1 has the sent_id 'p01', which is not in gold"),
    ],
)  # fmt: skip
def test_answers_that_belong_to_no_sentence(answers: list[str], says: str) -> None:
    with pytest.raises(InputError, match="unpaired-answers") as raised:
        levelhead.recover(answers, GOLD)
    assert says in str(raised.value)


@pytest.mark.parametrize("answers", [5, "frame"])
def test_other_values_than_answers(answers: object) -> None:
    if answers == "frame":
        answers = library("polars").DataFrame({"answer": ANSWERS})
    expected = "answers must be a path, a list of answers, or a mapping of sent_ids to answers, not"
    with pytest.raises(InputError, match=expected):
        levelhead.recover(answers, GOLD)  # type: ignore[arg-type]


BAD = {
    # a file, options, what is said
    "empty": (b"", {}, "no-answers: the file is empty"),
    "blank": (b" \n\n", {}, "no-answers: the file is empty"),
    "latin": ("1\tcaf\xe9\n".encode("latin-1"), {}, "x:1: encoding: the byte 0xe9 is not UTF-8"),
    "later": (b"a\n=====\nb\n=====\n\xe9\n", {}, "x:5: encoding: the byte 0xe9 is not UTF-8"),
    "utf-16": ("1\tcafé\n".encode("utf-16"), {}, "x:1: encoding: the file is UTF-16, not UTF-8"),
    "zip": (b"PK\x03\x04", {}, "x: archive"),
    "cut": (gzip.compress(b"1\ta")[:-4], {}, "x: damaged-compression"),
    "id field": (b"x", {"id_field": "id"}, "--id-field requires JSON lines or CSV: add --field"),
    "no json": (b"{\n", {"field": "a"}, "x:1: invalid-answers: the line is not JSON"),
    "deep": (b'{"a":' + b"[" * 100_000, {"field": "a"}, "x:1: invalid-answers: the line is not JSON"),
    "list": (b'{"a": 1}\n[]', {"field": "a"}, "x:2: invalid-answers: the line is not a JSON object with named fields"),
    "field": (
        b'{"answer": 1}',
        {"field": "anser"},
        "x:1: invalid-answers: unknown field 'anser': did you mean answer?",
    ),
    "json latin": (b'{"a": 1}\n{"a": "\xe9"}', {"field": "a"}, "x:2: encoding"),
    "no column": (b"id,text\n1,a\n", {"field": "a"}, "x:1: invalid-answers: unknown field 'a'"),
    "short": (b"id,a\n1\n", {"field": "a"}, "x:2: invalid-answers: the row has only 1 field"),
    "quotes": (b'id,a\n1,"b"c\n', {"field": "a"}, "x:2: invalid-answers: the file is not CSV"),
    "header": (b"id,a\n", {"field": "a"}, "x: no-answers: the file has no answers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    contents, options, says = BAD[name]
    monkeypatch.chdir(tmp_path)
    Path("x").write_bytes(contents)
    with pytest.raises(InputError) as raised:
        levelhead.recover("x", GOLD, **options)
    assert says in str(raised.value)


def test_fields_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(lines_of())
    with pytest.raises(InputError, match=r"name the field of answers with --field \(available: id, answer\)"):
        levelhead.recover(path, GOLD)


def test_folders_without_answers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-answers: the folder has no files"):
        levelhead.recover(tmp_path, GOLD)


def test_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too large is refused before it is read; files of a folder together count."""
    path = tmp_path / "answers.txt"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(UnreadableFile, match="file-too-large: more than 512 MiB"):
        levelhead.recover(path, GOLD)
    path.unlink()
    monkeypatch.setattr(reading, "LIMITS", Limits(size=2000))
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("x" * 900, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="file-too-large: the files have more than 2000 bytes together"):
        levelhead.recover(tmp_path, GOLD)


def test_gold_without_ids() -> None:
    gold = levelhead.build([["a"], ["b"]], [[0], [0]], [["root"], ["root"]])
    with pytest.raises(InputError, match="the gold sentences do not have unique sent_ids"):
        levelhead.recover({"1": "1\ta"}, gold)
    assert len(levelhead.recover(["", ""], gold).answers) == 2


def test_a_file_of_too_many_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blank lines and markers are counted only so far, whatever the file has."""
    monkeypatch.setattr(reading, "_MOST_ANSWERS", 50)
    path = tmp_path / "answers.txt"
    for between in ("\n\n", "\n==========\n", "\n=====\n"):
        path.write_text(between.join(["word"] * 52), encoding="utf-8")
        with pytest.raises(InputError, match="no-answers: the file has more than 50 parts"):
            levelhead.recover(path, GOLD)


def test_an_empty_last_answer_after_its_marker(tmp_path: Path) -> None:
    path = tmp_path / "answers.txt"
    path.write_text("".join(f"=====\n{text}" for text in [*ANSWERS[:5], "\n"]), encoding="utf-8")
    assert [one.recovered for one in levelhead.recover(path, GOLD).answers] == [one.recovered for one in BASE.answers]


PIECES = st.sampled_from(["=====\n", "-----\n", "\n", "\n\n", "1\ta", "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "# sent_id = p02\n",
                          "Answer 1:\n", "Answer 2:\n", "```\n", '"', ",", "{", '{"a": 1}\n', "a,b\n", "\xe9", "\r"])  # fmt: skip
NOISE = st.one_of(st.lists(PIECES, max_size=30).map(lambda parts: "".join(parts).encode()), st.binary(max_size=50))


@given(NOISE, st.sampled_from([".txt", ".jsonl", ".csv", ".tsv", ""]), st.integers(1, 6), st.sampled_from([None, "a"]))
def test_any_file_is_read_or_refused(contents: bytes, suffix: str, n_gold: int, field: str | None) -> None:
    layout = reading.Layout(None, field, None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"answers{suffix}")
        path.write_bytes(contents)
        try:
            found = reading.read_answers(path, layout, n_gold)
        except InputError as error:
            assert all(fault.place.file == str(path) for fault in error.faults)
        else:
            assert found
            assert all(isinstance(answer.text, str) for answer in found)
