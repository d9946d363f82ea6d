"""Pages of partial scores: they say that they are not official, and show both numbers."""

import re

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.evaluation.partial import whole_partial_pair
from levelhead.evaluation.setup import setup_of
from levelhead.report.page.examples import OutputTrees, sentence

GOLD = EXAMPLES / "parallel" / "gold"
SYSTEMS = EXAMPLES / "parallel" / "systems"
LABEL = "Partial scores, not official"


@pytest.fixture
def answers(tmp_path):
    """An output in which the first sentence is a cycle, the second has no heads, and the third is missing."""
    blocks = (SYSTEMS / "alpha/en.conllu").read_text().split("\n\n")
    blocks[0] = re.sub(r"(?m)^(1\t(?:[^\t]*\t){5})\d+", r"\g<1>2", blocks[0])
    blocks[0] = re.sub(r"(?m)^(2\t(?:[^\t]*\t){5})\d+", r"\g<1>1", blocks[0])
    blocks[1] = re.sub(r"(?m)^(\d+\t(?:[^\t]*\t){5})\d+", r"\g<1>_", blocks[1])
    path = tmp_path / "answers.conllu"
    path.write_text("\n\n".join(blocks[:2] + blocks[3:]))
    return path


def text_of(path):
    page = re.sub(r"<(script|style|svg).*?</\1>", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def shown(value):
    return f"{value:.2f}"


@pytest.mark.parametrize("options", [[], ["--store", "store"], ["--jobs", "2"]])
def test_the_page_of_a_score_has_both_numbers(run, answers, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    files = GOLD / "en.conllu", answers
    code, out, _ = run("score", *files, "--partial", "-m", "UAS,LAS", "--report", "page.html", *options)
    assert (code, out) == (0, run("score", *files, "--partial", "-m", "UAS,LAS")[1])
    page, found = text_of(tmp_path / "page.html"), levelhead.score(*files, partial=True, measures="UAS,LAS")
    assert LABEL in page
    assert "18 of 20 sentences answered, 17 valid trees" in page
    for measure in ("UAS", "LAS"):
        all_rows, strict = (one[measure].value for one in (found, found.valid_trees))
        assert strict < all_rows
        assert re.search(rf"{measure} .*{shown(all_rows)} .*{shown(strict)}", page)
    assert "Recall of LAS by property" in page


def test_the_page_of_folders_has_both_averages(run, tmp_path):
    code, _, err = run("score", GOLD, SYSTEMS / "gamma", "--partial", "-m", "LAS", "--report", tmp_path / "page.html")
    assert (code, err) == (0, "")
    page, found = (
        text_of(tmp_path / "page.html"),
        levelhead.score(GOLD, SYSTEMS / "gamma", partial=True, measures="LAS"),
    )
    (average,) = found.tables["averages"].documents()
    averages = average["value"], average["value_of_valid_trees"]
    assert averages[0] == found["LAS"].value > averages[1]
    assert LABEL in page
    assert "Macro-average of 8 {} {}".format(*map(shown, averages)) in page


def test_the_page_and_the_summary_of_a_comparison_have_both_numbers(run, answers, tmp_path):
    files = GOLD / "en.conllu", SYSTEMS / "beta/en.conllu", answers
    results = "--report", tmp_path / "page.html", "--summary", tmp_path / "summary.md"
    assert run("compare", *files, "--partial", "-m", "LAS", *results)[0] == 0
    page = text_of(tmp_path / "page.html")
    found = levelhead.compare(files[0], list(files[1:]), partial=True, measures="LAS")
    assert LABEL in page
    assert "Valid trees: words in sentences without a valid tree count as wrong" in page
    summary = (tmp_path / "summary.md").read_text()
    assert "partial scores, not official" in summary
    for one, strict in zip(found.results, found.valid_trees, strict=True):
        numbers = shown(one.value), shown(strict.value)
        assert "LAS {} {} {}".format(one.system, *numbers) in page
        assert "| LAS | {} | {} | {} |".format(one.system, *numbers) in summary


def test_the_page_of_a_ranking_has_both_averages(run, folders, tmp_path):
    (folders / "systems/beta/en.conllu").write_text("I cannot do this.\n")
    arguments = "rank", folders / "gold", folders / "systems", "--partial", "-m", "LAS"
    assert run(*arguments, "--report", tmp_path / "page.html")[0] == 0
    page = text_of(tmp_path / "page.html")
    found = levelhead.rank(folders / "gold", folders / "systems", partial=True, measures="LAS")
    assert LABEL in page
    assert "LAS (valid trees)" in page
    for one in found["LAS"].standings:
        assert f"{one.system} {shown(one.value)} {shown(one.value_of_valid_trees)}" in page


def test_the_page_of_a_ranking_counts_answers_to_another_text(run, folders, tmp_path):
    _, *others = (folders / "systems/beta/en.conllu").read_text(encoding="utf-8").split("\n\n")
    (folders / "systems/beta/en.conllu").write_text("\n\n".join([others[0], *others]), encoding="utf-8")
    arguments = "rank", folders / "gold", folders / "systems", "--partial", "-m", "LAS"
    code, printed, _ = run(*arguments, "--report", tmp_path / "page.html")
    note = "beta: 1 answer to another text, not aligned: fewer than half of the forms match"
    assert (code, note in printed) == (0, True)
    assert note in text_of(tmp_path / "page.html")


@pytest.mark.parametrize("command", ["score", "compare"])
def test_other_pages_do_not_have_the_label(run, tmp_path, command):
    systems = [SYSTEMS / name / "en.conllu" for name in ("alpha", "beta")][: 1 if command == "score" else 2]
    code = run(command, GOLD / "en.conllu", *systems, "-m", "UAS", "--report", tmp_path / "page.html")[0]
    page = text_of(tmp_path / "page.html")
    assert (code, "not official" in page, "alid trees" in page) == (0, False, False)


def test_words_without_a_head_have_no_arc(answers):
    """Heads of cycles stay, a missing HEAD is drawn outside, and a missing sentence has no words."""
    setup = setup_of(["LAS"], partial=True)
    gold = levelhead.read(GOLD / "en.conllu")
    matches = whole_partial_pair(gold, answers.read_bytes(), setup).pairs[0].matches
    output = OutputTrees("answers", matches)
    cycle, headless, missing = (output.tree(i) for i in range(3))
    assert cycle["h"][:2] == [2, 1]
    assert headless["h"] == [-1] * len(gold[1])
    assert set(headless["e"]) <= set("hb")
    assert missing["h"] == []
    assert [len(sentence([output], i)["f"]) for i in range(len(gold))] == np.diff(gold.sentence_starts).tolist()
