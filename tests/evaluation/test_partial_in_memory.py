"""Invalid files in memory: their partial scores are those of the file, and everything else refuses them."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import levelhead
from conftest import EXAMPLES, library, one_in
from levelhead import ConlluError, InputError, Treebank, interop
from levelhead.treebank import to_conllu

GOLD = EXAMPLES / "parallel/gold/en.conllu"
BROKEN = """\
# sent_id = s1
1\ta\t_\tX\t_\t_\t2\tdep\t_\t_
2\tb\t_\tX\t_\t_\t1\tdep\t_\t_

# sent_id = s2
1\tc\t_\tX\t_\t_\t0\troot\t_\t_
2\td\t_\tX\t_\t_\t9\tdep\t_\t_
prose

# sent_id = s3
1\te\t_\tX\t_\t_\t_\t_\t_\t_
2\tf\t_\tX\t_\t_\t0\troot\t_\t_

"""
VALID = (
    BROKEN.replace("1\tdep", "0\troot")
    .replace("9\tdep", "1\tdep")
    .replace("prose\n", "")
    .replace("_\t_\t_\t_\n2\tf", "2\tdep\t_\t_\n2\tf")
)


def counts(result: levelhead.Evaluation) -> list[dict[str, tuple[Any, ...]]]:
    scores: tuple[Any, ...] = (result, result.valid_trees)
    return [{name: (one.correct, one.gold, one.system, one.reason) for name, one in of.items()} for of in scores]


def held_by(result: levelhead.Evaluation) -> Any:
    return result.to_dict() | {"coverage": result.coverage, "valid": dict(result.valid_trees)}


def manifest(data: Path) -> list[dict[str, str]]:
    with (data / "llm/MANIFEST.tsv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["gold"]]


def test_answers_of_language_models(data: Path, tmp_path: Path) -> None:
    """The file, the treebank read from it, and the recovery itself."""
    n_partial = 0
    rows = [row for row in manifest(data) if "russian" not in row["path"]]  # where answers are ten times as long
    for row in one_in(5, rows):
        gold = levelhead.read(data / "llm" / row["gold"])
        recovery = levelhead.recover(data / "llm" / row["path"], gold)
        recovery.write(path := tmp_path / "recovered.conllu")
        read = levelhead.read(path, partial=True)
        n_partial += read.partial is not None
        expected = levelhead.score(gold, path, partial=True)
        assert held_by(levelhead.score(gold, read, partial=True)) == held_by(expected)
        found = levelhead.score(gold, recovery, partial=True)
        assert (found.scores, found.valid_trees, found.coverage) == (
            expected.scores, expected.valid_trees, expected.coverage,
        )  # fmt: skip
        ranked = [
            levelhead.rank({"x": gold}, {"s": {"x": system}}, measures="LAS", partial=True).to_dict()["tables"]
            for system in (path, read, recovery)
        ]
        assert ranked[0] == ranked[1] == ranked[2]
        if read.partial is not None:
            refused = [pytest.raises(ConlluError) for _ in range(2)]
            for expecting, system in zip(refused, (path, recovery)):
                with expecting:
                    levelhead.score(gold, system)
    assert n_partial > 2


@pytest.mark.parametrize("text", [BROKEN, BROKEN.replace("prose", "1\tx"), VALID])
@pytest.mark.parametrize("rules", ["ud", "conll18"])
def test_text_and_frames(text: str, rules: str, tmp_path: Path) -> None:
    gold, path = levelhead.from_conllu(VALID), tmp_path / "system.conllu"
    path.write_text(text, encoding="utf-8")
    expected = levelhead.score(gold, path, rules=rules, partial=True)
    found = levelhead.score(gold, levelhead.from_conllu(text, partial=True), rules=rules, partial=True)
    assert (dict(found), found.valid_trees, found.coverage) == (
        dict(expected), expected.valid_trees, expected.coverage,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["polars", "pandas"])
def test_frames(name: str) -> None:
    """Broken trees go into a frame and back; lines that could not be read are lost."""
    library(name)
    gold, read = levelhead.from_conllu(VALID), levelhead.from_conllu(BROKEN, partial=True)
    frame = getattr(interop, f"to_{name}")(read)
    assert interop.word_table(read)["head"] == [2, 1, 0, None, None, 0]
    found, expected = (levelhead.score(gold, system, partial=True) for system in (frame, read))
    assert counts(found) == counts(expected)
    with pytest.raises(ConlluError, match="invalid-head"):
        interop.from_frame(frame)


def test_what_was_read() -> None:
    read = levelhead.from_conllu(BROKEN, partial=True)
    assert read.partial is not None
    assert (read.partial.intact.tolist(), read.partial.unreadable) == ([True, False, True], 1)
    with pytest.raises(ConlluError) as strict:
        levelhead.from_conllu(BROKEN)
    assert read.partial.faults == strict.value.faults
    assert [word.head for word in read[1]] == read[1].heads == [0, None]
    assert read[1:].partial is not None
    assert read[1:].partial.intact.tolist() == [False, True]
    again = levelhead.from_conllu(to_conllu(read), partial=True)
    assert (again.heads.tolist(), list(again.forms)) == (read.heads.tolist(), list(read.forms))
    assert read.replace(heads=levelhead.from_conllu(VALID).heads).partial is None
    assert levelhead.from_conllu(VALID, partial=True).partial is None


REFUSED: dict[str, Callable[[Treebank, Path], Any]] = {
    "score": lambda broken, _: levelhead.score(GOLD, broken),
    "gold": lambda broken, _: levelhead.score(broken, GOLD, partial=True),
    "gold of a mapping": lambda broken, _: levelhead.rank({"en": broken}, {"en": GOLD}, partial=True),
    "compare": lambda broken, _: levelhead.compare(GOLD, {"s": broken}),
    "confusion": lambda broken, _: levelhead.confusion(GOLD, broken),
    "explain": lambda broken, _: levelhead.explain(GOLD, broken),
    "agree": lambda broken, _: levelhead.agree(GOLD, broken),
    "diff": lambda broken, _: levelhead.diff(GOLD, broken),
    "suspects": lambda broken, _: levelhead.suspects(GOLD, [broken]),
    "profile": lambda broken, _: levelhead.profile(broken),
    "similarity": lambda broken, _: levelhead.similarity(broken, GOLD),
    "select": lambda broken, _: levelhead.select(broken),
    "convert": lambda broken, _: levelhead.convert(broken, "forward"),
    "derive": lambda broken, _: levelhead.derive(broken),
    "perplexity": lambda broken, _: levelhead.perplexity(GOLD, broken),
    "train": lambda broken, _: levelhead.train(broken, "baseline-left"),
    "parse": lambda broken, _: levelhead.parse(levelhead.train(GOLD, "baseline-left"), broken),
    "recover": lambda broken, _: levelhead.recover(["1"], broken),
    "training": lambda broken, _: levelhead.score(GOLD, GOLD, train=broken),
    "spacy": lambda broken, _: interop.to_spacy(broken),
    "shapes": lambda broken, _: levelhead.treebank.shapes_of(broken),
}


@pytest.mark.parametrize("name", REFUSED)
def test_only_partial_scores_accept_it(name: str, tmp_path: Path) -> None:
    """The error says so, and then why the treebank is invalid."""
    if name == "spacy":
        library("spacy")
    path = tmp_path / "broken.conllu"
    path.write_text(BROKEN, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        REFUSED[name](levelhead.read(path, partial=True), tmp_path)
    assert caught.value.faults[0].slug == "partial-treebank"
    assert caught.value.place.file == str(path)
    assert "no-root" in {fault.slug for fault in caught.value.faults}


def test_an_invalid_output_counts_0() -> None:
    """In rankings, as the file does; the error of a comparison names the system."""
    gold, broken = levelhead.from_conllu(VALID), levelhead.from_conllu(BROKEN, partial=True)
    assert "system: 0 on treebank: partial-treebank:" in str(levelhead.rank(gold, broken, measures="LAS"))
    with pytest.raises(InputError, match="alpha on treebank: partial-treebank: "):
        levelhead.compare(gold, {"alpha": broken}, measures="LAS")
