"""Every real answer keeps its heads and relations where it is valid, once unpacked or respaced."""

import ast
import csv
import lzma
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from levelhead.recovery import Layout, recover_answers
from levelhead.recovery.answers import read_answers
from levelhead.recovery.recovery import GoldSentence, recovered

VALID = {"as-is": "as is", "unpacked": "unpacked", "respaced": "respaced"}


def table(path: Path) -> list[dict[str, str]]:
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode()
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_valid_answers_keep_their_heads_and_relations(data: Path) -> None:
    folder = data / "llm"
    faults: dict[str, list[dict[str, str]]] = {}
    for line in table(folder / "faults.tsv.xz"):
        faults.setdefault(line["file"], []).append(line)
    read = cache(levelhead.read)
    seen, classes = Counter(), Counter()
    for entry in one_in(18, [entry for entry in table(folder / "MANIFEST.tsv") if entry["gold"]], 9):
        gold = read(folder / entry["gold"])
        found = recover_answers(folder / entry["path"], gold)
        expected = faults[entry["path"].removesuffix(".xz")]
        assert len(found.answers) == len(expected) == len(gold)
        sentences = found.conllu.decode().split("\n\n")[:-1]
        for one, line, text, trees in zip(found.answers, expected, sentences, gold):
            seen[line["valid"]] += 1
            if line["valid"] == "no":
                continue
            classes[line["valid"], one.category] += 1
            assert (one.tree, one.recovered) == ("tree", len(trees)), line
            rows = [row.split("\t") for row in text.split("\n") if row[0] != "#" and "-" not in row.split("\t")[0]]
            right = [
                (row[6] == str(word.head), universal(row[7]) == universal(word.relation))
                for row, word in zip(rows, trees)
            ]
            assert sum(head for head, _ in right) == int(line["heads_right"]), line
            assert sum(map(all, right)) == int(line["heads_and_relations_right"]), line
    assert min(seen[kind] for kind in (*VALID, "no")) > 100
    one = classes.pop(("respaced", "as is"), 0)  # has a form with a blank inside, as gold has it
    assert one <= 1
    assert classes == {(kind, name): seen[kind] - one * (kind == "respaced") for kind, name in VALID.items()}


def universal(relation: str) -> str:
    return relation.partition(":")[0]


@pytest.mark.parametrize("name", ["spanish_english", "spanish_guarani"])
def test_lists_of_python_in_csv(data: Path, name: str) -> None:
    """There is no gold: the forms that the answer has are taken for it, so every row is a word."""
    path = data / f"llm/codeswitch/{name}.sample.csv.xz"
    answers = read_answers(path, Layout(field="UD_depd"), 0)
    lines = [row["valid"] for row in table(data / "llm/faults.tsv.xz") if name in row["file"]]
    assert len(answers) == len(lines)
    for answer in answers:
        rows = ast.literal_eval(answer.text)
        found = recovered(answer.text, GoldSentence([str(row["FORM"]) for row in rows]))
        ids = [row["ID"] for row in rows]
        written = [row["HEAD ID"] for row in rows]
        if sorted(ids) == list(range(1, len(ids) + 1)):
            assert [head or 0 for head in found.heads] == [head if head in (0, *ids) else 0 for head in written]
        assert found.answer.category in {"unpacked", "repaired"}
