"""The CoNLL 2017 shared task: official scores of the baseline, and what became of 29 invalid files really submitted."""

import csv
import lzma
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import levelhead
from levelhead.treebank.official_reader import SCORERS, read_officially

REFUSED = {
    "cycle": r"cycle|root",  # where a cycle leaves no root, we say so first
    "multiple-roots": r"root",
    "wrong-column-count": r"columns? instead of 10",
    "incorrect-id": r"the ID is",
    "empty-form": r"FORM is empty",
    "no-final-empty-line": r"does not end with a blank line",
}
"""The categories of files that the script of 2017 refuses on reading, and what our refusal says."""

CASES = {
    "cycle": 4,
    "empty": 4,
    "empty-form": 3,
    "incorrect-id": 4,
    "multiple-roots": 4,
    "no-final-empty-line": 1,
    "text-mismatch": 4,
    "valid-but-zero-LAS": 1,
    "wrong-column-count": 4,
}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def invalid_cases(data: Path, *categories: str) -> list[dict[str, str]]:
    cases = rows(data / "conll17" / "invalid" / "invalid_cases.tsv")
    return [case for case in cases if case["category"] in categories]


def score_case(data: Path, case: dict[str, str]) -> levelhead.Evaluation:
    gold = data / "conll17" / "gold" / f"{case['treebank']}.conllu.xz"
    return levelhead.score(gold, data / "conll17" / "invalid" / "outputs" / case["file"], rules="conll17")


@cache
def baseline(data: Path) -> dict[tuple[str, str], levelhead.Score]:
    """Score the baseline on all test sets."""
    folder = data / "conll17"
    found = {}
    for gold in sorted((folder / "gold").glob("*.conllu.xz")):
        scores = levelhead.score(gold, folder / "systems" / "conll17-baseline" / gold.name, rules="conll17")
        found |= {(gold.name.removesuffix(".conllu.xz"), measure): score for measure, score in scores.items()}
    return found


@pytest.fixture
def official(data: Path) -> dict[tuple[str, str], dict[str, str]]:
    table = rows(data / "conll17" / "official" / "scores_conll17-baseline.tsv")
    return {(row["treebank"], row["metric"]): row for row in table}


def test_every_f1_of_the_baseline_is_that_of_the_script(data: Path, official: dict) -> None:
    """All 11 measures of all 24 test sets, at full precision."""
    ours = {key: repr(score.ratio("f1")) for key, score in baseline(data).items()}
    theirs = {key: row["F1_recomputed_full_precision"] for key, row in official.items()}
    assert len(theirs) == 24 * 11
    assert ours == theirs


def test_every_f1_of_the_baseline_prints_as_the_evaluator_printed_it(data: Path, official: dict) -> None:
    """The two decimals of the task's own pages."""
    ours = {key: f"{score.f1 or 0.0:.2f}" for key, score in baseline(data).items()}
    assert ours == {key: row["F1_official_evaluator"] for key, row in official.items()}


def test_all_invalid_cases_are_covered_here(data: Path) -> None:
    """29 files in nine categories; each category has a test below."""
    assert Counter(case["category"] for case in rows(data / "conll17" / "invalid" / "invalid_cases.tsv")) == CASES


@pytest.mark.parametrize("category", REFUSED)
def test_files_that_the_script_refused_on_reading(data: Path, category: str) -> None:
    """They are refused by name, for the reason the script gave, in the line that its successor of 2018 adds."""
    for case in invalid_cases(data, category):
        with pytest.raises(levelhead.ConlluError, match=REFUSED[category]) as refusal:
            score_case(data, case)
        assert refusal.value.slug == "refused-by-rules"
        assert Path(refusal.value.place.file or "").name == case["file"]
        line = re.search(r" at line (\d+)", case["error_conll18_script"])
        assert line is None or refusal.value.place.line == int(line[1]), case["file"]


def test_other_texts_are_read_and_then_found_to_differ(data: Path) -> None:
    """The script loads these files, with as many characters as the evaluator counted, and refuses the pair."""
    for case in invalid_cases(data, "text-mismatch"):
        system = lzma.decompress((data / "conll17" / "invalid" / "outputs" / case["file"]).read_bytes())
        treebank = read_officially(system, SCORERS["conll17"])
        forms = [treebank.strings[code] for code in treebank.tokens.forms.tolist()]
        n_characters = sum(len(form.replace(" ", "")) for form in forms)
        assert f"(loads) {n_characters} characters" == case["error_conll17_script"]
        with pytest.raises(levelhead.TextMismatch):
            score_case(data, case)


def test_an_empty_file_loads_but_is_no_text_of_a_gold_that_has_one(data: Path) -> None:
    """The script reads an empty file as no sentences; the task's evaluator says that it is empty. No score either way.

    Rules follow the script: a pair with a gold that has words is a text mismatch.
    """
    for case in invalid_cases(data, "empty"):
        empty = (data / "conll17" / "invalid" / "outputs" / case["file"]).read_bytes()
        assert lzma.decompress(empty) == b""
        with pytest.raises(levelhead.TextMismatch):
            score_case(data, case)


def test_nothing_against_nothing_is_zero() -> None:
    """The script prints 0.00 for every measure of two empty files; our own rules refuse an empty file."""
    nothing = read_officially(b"", SCORERS["conll17"])
    assert (len(nothing), nothing.n_words) == (0, 0)
    scores = levelhead.score(nothing, nothing, rules="conll17")
    assert {(score.precision, score.recall, score.f1) for score in scores.values()} == {(0.0, 0.0, 0.0)}
    with pytest.raises(levelhead.ConlluError, match="empty-file"):
        levelhead.from_conllu(b"")


def test_a_valid_file_can_score_zero(data: Path) -> None:
    """The evaluator's odd ninth status, an LAS of nothing, is no error: the words are there, no arc is right."""
    (case,) = invalid_cases(data, "valid-but-zero-LAS")
    scores = score_case(data, case)
    assert scores["LAS"].correct == 0
    assert scores["LAS"].f1 == 0.0
    assert f"{scores['LAS'].f1:.2f}" == case["LAS_in_that_evaluator_run"]
    assert scores["Words"].correct > 0.9 * scores["Words"].gold
