"""Gates next to pages, summaries and several measures; errors of invalid candidates."""

import json
import shutil

from conftest import EXAMPLES

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = (PARALLEL / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))


def test_the_page_has_the_verdict_of_each_gate_and_all_measures(run, tmp_path):
    """One of the three default measures has a gate: the numbers of the others have none."""
    page = tmp_path / "page.html"
    code, _, err = run("compare", GOLD, ALPHA, BETA, "--fail-if-worse", "LAS,UPOS", "--report", page)
    assert code == 1, err
    text = page.read_text(encoding="utf-8")
    assert text.count("gate not met: LAS of beta: ") == 1
    assert text.count("gate met: UPOS of beta: ") == 1


def test_the_page_of_folders_has_the_verdict_on_the_average(run, tmp_path):
    page, folders = tmp_path / "page.html", [PARALLEL / part for part in ("gold", "systems/alpha", "systems/beta")]
    code, _, err = run("compare", *folders, "-m", "UAS,LAS", "--fail-if-worse", "LAS", "--report", page)
    assert code == 1, err
    assert "gate not met: LAS of beta (macro-average): " in page.read_text(encoding="utf-8")


def test_warnings_are_not_errors_of_an_invalid_candidate(run, tmp_path):
    bad = tmp_path / "bad.conllu"
    bad.write_text("x\n")  # the last blank line is missing, too: a warning
    summary = tmp_path / "summary.md"
    more = ("--fail-if-worse", "LAS", "--summary", summary, "--format", "json")
    code, out, err = run("compare", GOLD, ALPHA, bad, *more)
    (error,) = json.loads(out)["tables"]["invalid_outputs"]
    assert (code, error["slug"], error["line"]) == (1, "number-of-columns", 1)
    assert "LAS of bad: 1 error in the output" in summary.read_text(encoding="utf-8")
    assert "missing-final-blank-line" not in err


def test_a_candidate_with_warnings_only_is_valid(run, tmp_path):
    candidate = tmp_path / "candidate.conllu"
    shutil.copy(ALPHA, candidate)
    candidate.write_bytes(candidate.read_bytes().replace(b"\n", b"\r\n"))
    assert run("compare", GOLD, ALPHA, candidate, "-m", "LAS", "--fail-if-worse", "LAS")[0] == 0
