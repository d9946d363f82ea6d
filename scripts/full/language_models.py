"""The scores of real answers of language models; docs/language-models.md has the lowest and the highest.

The last line counts answers to another text, as they are and if all are shifted by one sentence.

LEVELHEAD_DATA=FOLDER python scripts/full/language_models.py
"""

import csv
import lzma
import os
import tempfile
from functools import cache
from pathlib import Path

import levelhead
from levelhead.recovery import Layout
from levelhead.recovery.answers import read_answers

FOLDER = Path(os.environ["LEVELHEAD_DATA"]) / "llm"
BASELINES = ("left", "right", "random", "random-projective")
RULES = "conll18"


def file_of_answers() -> list[dict[str, str]]:
    """Return the files of answers about gold sentences."""
    text = (FOLDER / "MANIFEST.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [row for row in rows if row["gold"]]


def valid_answers() -> dict[str, list[bool]]:
    """Say of the answers in each file which an official scorer would take as they are."""
    text = lzma.decompress((FOLDER / "faults.tsv.xz").read_bytes()).decode()
    found: dict[str, list[bool]] = {}
    for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        found.setdefault(row["file"], []).append(row["valid"] == "as-is")
    return found


@cache
def floor(gold: str) -> float:
    """Return the LAS of the best baseline, whose relations come from other parts of the gold file."""
    treebank = levelhead.read(FOLDER / gold)
    outputs = (levelhead.crossval(treebank, f"baseline-{name}") for name in BASELINES)
    return max(las(levelhead.score(treebank, output, measures="LAS")["LAS"]) for output in outputs)


def las(score: levelhead.Score) -> float:
    """Return F1 in percent."""
    return score.f1 or 0.0


def official(gold: Path, output: Path) -> float:
    """Return the official LAS of a file: 0 if the scorer refuses it."""
    try:
        return las(levelhead.score(gold, output, measures="LAS", rules=RULES)["LAS"])
    except levelhead.InputError:
        return 0.0


def row(entry: dict[str, str], valid: list[bool], folder: str) -> str:
    """Return the row of one file of answers."""
    gold, output = FOLDER / entry["gold"], Path(folder) / "recovered.conllu"
    recovery = levelhead.recover(FOLDER / entry["path"], gold)
    recovery.write(output)
    partial = levelhead.score(gold, output, measures="LAS", rules=RULES, partial=True)
    words, found = (sum(getattr(one, name) for one in recovery.answers) for name in ("words", "recovered"))
    name = Path(entry["gold"]).name.partition(".")[0].removesuffix("-ud-test").removeprefix("gold_file_")
    cells = [
        *(entry["model"], entry["setting"], name, str(len(valid))),
        *(f"{100 * sum(valid) / len(valid):.1f}", f"{100 * found / words:.1f}"),
        *(f"{number:.2f}" for number in (official(gold, output), las(partial["LAS"]), las(partial.valid_trees["LAS"]))),
        f"{floor(entry['gold']):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def other_texts(entry: dict[str, str]) -> tuple[int, int, int]:
    """Return the number of answers, of those to another text, and of those to another text if answers are shifted."""
    gold = levelhead.read(FOLDER / entry["gold"])
    texts = [answer.text for answer in read_answers(FOLDER / entry["path"], Layout(), len(gold))]
    as_they_are, shifted = (levelhead.recover(some, gold) for some in (texts, [*texts[1:], texts[0]]))
    return len(texts), *(len(found.classes["another text"]) for found in (as_they_are, shifted))


if __name__ == "__main__":
    known = valid_answers()
    with tempfile.TemporaryDirectory() as temporary:
        for one in file_of_answers():
            print(row(one, known[one["path"].removesuffix(".xz")], temporary), flush=True)
    print(*map(sum, zip(*map(other_texts, file_of_answers()))))
