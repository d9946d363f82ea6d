"""Tests over treebanks: one vote per treebank, language or family, and on how many treebanks a system is better."""

import json
import shutil
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from conftest import EXAMPLES, library
from levelhead.campaign import find_plan
from levelhead.comparison import compare
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.significance import ComparedScore, better_on_at_least, count_wins, sign_test
from levelhead.significance.corrections import mean_votes
from levelhead.typology.languages import Language, treebanks_voting
from oracle import across as oracle

PARALLEL = EXAMPLES / "parallel"
FOLDERS = (PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta")
SHARES = st.integers(0, 400).map(lambda number: Fraction(number, 400))


def result(treebank: str, difference: float, p: float | None = 0.5, runs: tuple[int, int] = (1, 1)) -> ComparedScore:
    return ComparedScore(
        treebank, "LAS", "b", 50.0, None, difference=difference, p=p, n_runs=runs[0], n_baseline_runs=runs[1]
    )


# On how many treebanks


@given(p_values=st.lists(SHARES, max_size=7))
def test_partial_conjunction_against_all_subsets(p_values):
    level = Fraction(1, 20) - Fraction(1, 10**6)  # no product of the shares is equal to it
    expected = oracle.better_on_at_least(p_values, level)
    assert better_on_at_least([float(p) for p in p_values], float(level)) == expected


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([], 0),
        ([0.04], 1),
        ([0.04, 0.04], 0),  # 2 x .04: nothing is shown of any
        ([0.02, 0.04], 2),
        ([0.01, 0.02, 0.03], 3),
        ([0.01, 0.03, 0.03], 1),  # 2 x .03 is too much for "on at least two", although .03 would do for three
        ([0.001] * 8, 8),
        ([0.001] * 7 + [0.9], 7),
    ],
)
def test_partial_conjunction_by_hand(p_values, expected):
    assert better_on_at_least(p_values, 0.05) == expected


def test_both_directions_hold_jointly():
    """p = .08 would be .04 in one direction: nothing is shown, as nothing is significant."""
    own = {"a": "a"}
    for p, k in ((0.08, 0), (0.04, 1)):
        better = count_wins([result("a", 0.1, p)], own, 0.05, sign=1, wilcoxon=False)
        assert (better.won, better.better_on_at_least, better.worse_on_at_least) == (k, k, 0)
        worse = count_wins([result("a", 0.1, p)], own, 0.05, sign=-1, wilcoxon=False)
        assert (worse.lost, worse.better_on_at_least, worse.worse_on_at_least) == (k, 0, k)
    none = count_wins([result("a", 0.1, None)], own, 0.05, sign=1, wilcoxon=False)
    assert (none.tied, none.better, none.better_on_at_least) == (1, 1, 0)


def test_few_runs_show_nothing():
    found = count_wins([result("a", 0.1, 0.001, (2, 10))], {"a": "a"}, 0.05, sign=1, wilcoxon=False)
    assert (found.won, found.better, found.better_on_at_least) == (0, 1, 0)


# Votes


@given(
    table=st.dictionaries(
        st.text("abcdef", min_size=1, max_size=2), st.tuples(st.integers(-50, 50), st.sampled_from("xyz")), min_size=1
    )
)
def test_votes_are_means(table):
    differences = {code: number for code, (number, _) in table.items()}
    voters = {code: voter for code, (_, voter) in table.items()}
    expected = oracle.votes({code: Fraction(number) for code, number in differences.items()}, voters)
    assert sorted(mean_votes(differences, voters)) == pytest.approx(sorted(map(float, expected.values())))


def test_treebanks_of_one_language_have_one_vote():
    """Six of English and one each of Czech and Finnish: 8 votes of 8, or 3 of 3."""
    codes = {"en_a": 1.0, "en_b": 2.0, "en_c": 3.0, "en_d": 1.0, "en_e": 1.0, "en_f": -0.5, "cs_a": 0.1, "fi_a": 0.2}
    results = [result(code, difference) for code, difference in codes.items()]
    languages = {code: Language(code[:2]) for code in codes}
    found = {kind: count_wins(results, treebanks_voting(languages, kind), 0.05, sign=1, wilcoxon=False)
             for kind in ("treebank", "language")}  # fmt: skip
    assert [(one.votes, one.sign_p) for one in found.values()] == [(8, sign_test([1.0] * 7 + [-1.0])), (3, 0.25)]
    assert {one.better for one in found.values()} == {7}, "treebanks are counted as before"


def test_languages_and_families_of_the_examples(run):
    """Eight languages of five families; each vote is the mean of the differences that JSON has."""
    stats = library("scipy.stats")
    command = ("compare", *FOLDERS, "-m", "LAS", "--each", "--wilcoxon", "--format", "json")
    documents = {kind: json.loads(run(*command, "--votes", kind)[1]) for kind in ("treebank", "language", "family")}
    wins = {kind: document["tables"]["wins"][0] for kind, document in documents.items()}
    assert {kind: one["votes"] for kind, one in wins.items()} == {"treebank": 8, "language": 8, "family": 5}
    assert wins["language"] == wins["treebank"]
    own = {one["treebank"]: one["difference"] for one in documents["family"]["tables"]["results"]
           if one["difference"] is not None and not one["average"]}  # fmt: skip
    indo_european = [own.pop(code) for code in ("cs", "de", "en", "fr")]
    votes = [sum(indo_european) / 4, *own.values()]
    assert wins["family"]["sign_p"] == 2 / 2**5
    assert wins["family"]["wilcoxon_p"] == pytest.approx(stats.wilcoxon(votes).pvalue)
    assert "votes" not in documents["treebank"]["provenance"]["signature"]
    assert documents["family"]["provenance"]["signature"]["votes"] == "family"


def test_the_sentence_under_the_table(run):
    _, out, _ = run("compare", *FOLDERS, "-m", "LAS", "--votes", "family", "--quiet")
    assert " ".join(out.split()).count("LAS: ") == 1
    assert (
        "LAS: beta is better than alpha on 0 of 8 treebanks (0 significant), worse on 8 (8 significant);"
        " worse on at least 8 (95% confidence); sign test p = .062 (5 votes, one per family)"
    ) in " ".join(out.split())


def test_the_page_has_the_sentence(run, tmp_path):
    page = tmp_path / "page.html"
    run("compare", *FOLDERS, "-m", "LAS", "--votes", "family", "--report", page)
    assert "sign test p = .062 (5 votes, one per family)" in page.read_text(encoding="utf-8")


def test_unknown_languages_are_refused(tmp_path):
    for folder, source in zip("gab", FOLDERS, strict=True):
        (tmp_path / folder).mkdir()
        for code, name in (("en", "en"), ("fr", "xyz_one"), ("de", "xyz_two")):
            shutil.copy(source / f"{code}.conllu", tmp_path / folder / f"{name}.conllu")
    plan = find_plan(tmp_path / "g", [tmp_path / "a", tmp_path / "b"])
    for kind in ("language", "family"):
        with pytest.raises(InputError, match=f"unknown {kind} of xyz_one, xyz_two: start the names") as refusal:
            compare(plan, setup_of(["LAS"]), votes=kind)
        assert refusal.value.slug == "unknown-language"
    (wins,) = compare(plan, setup_of(["LAS"])).wins
    assert wins.votes == 3
