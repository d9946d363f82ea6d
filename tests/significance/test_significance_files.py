"""Comparisons of files: found, refused where something is missing, and the same as other commands."""

import dataclasses
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.campaign import find_plan, groups_named, rank, score_plan, with_intervals
from levelhead.comparison import compare
from levelhead.comparison.evaluations import averaged, score_and_look
from levelhead.errors import InputError, MeasureError
from levelhead.evaluation.fold import counts_by_sentence
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import parse_measure
from levelhead.scoring.matches import match
from levelhead.scoring.rules import UD
from levelhead.significance import Run, Wins, sign_test, system_counts
from levelhead.significance.estimates import STANDARD
from levelhead.significance.jackknife import ratios
from levelhead.treebank.provenance import contents_hash

PARALLEL = EXAMPLES / "parallel"


@pytest.mark.slow
def test_values_are_those_of_score():
    """All systems, all languages, all kinds of ratios; and averages of folders."""
    asked = ["LAS", "UAS.precision", "CLAS.recall", "UPOS.aligned_accuracy", "LAS@CORE", "UEM", "Words", "MLAS"]
    outputs = find_plan(PARALLEL / "gold", [PARALLEL / "systems/alpha", PARALLEL / "systems/beta"])
    comparison = compare(outputs, setup_of(asked))

    @cache
    def scores(system, code):
        pair = (PARALLEL / folder / f"{code}.conllu" for folder in ("gold", f"systems/{system}"))
        return levelhead.score(*pair, measures=asked)

    @cache
    def averages(system):
        return averaged(
            score_and_look(find_plan(PARALLEL / "gold", [PARALLEL / "systems" / system]), setup_of(asked))[0]
        )

    assert comparison.systems == ("alpha", "beta")
    assert len(comparison.results) == (8 + 2) * len(asked) * 2
    for one in comparison.results:
        if one.treebank in {"macro-average", "micro-average"}:
            continue
        assert one.value == pytest.approx(scores(one.system, one.treebank)[one.measure].value)
    for one in comparison.results:
        if one.treebank == "macro-average":
            assert one.value == pytest.approx(float(averages(one.system)[one.measure]), abs=1e-10)


def test_wins_over_treebanks():
    outputs = find_plan(PARALLEL / "gold", [PARALLEL / "systems/alpha", PARALLEL / "systems/beta"])
    (wins,) = compare(outputs, setup_of(["LAS"])).wins
    assert (wins.measure, wins.system, wins.better, wins.worse) == ("LAS", "beta", 0, 8)
    assert wins.won == 0
    assert wins.won + wins.tied + wins.lost == 8
    assert wins.sign_p == 2 / 2**8


def test_outputs_are_found(tmp_path):
    """A file for a file, a folder for a folder, and folders of runs."""
    gold, text = tmp_path / "gold", (PARALLEL / "gold/en.conllu").read_text(encoding="utf-8")
    for folder in ("gold", "one", "two/seed1", "two/seed2"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "en.conllu").write_text(text, encoding="utf-8")
    outputs = find_plan(gold, [tmp_path / "one", tmp_path / "two"])
    assert [(one.name, one.run) for one in outputs.systems] == [("one", ""), ("two", "seed1"), ("two", "seed2")]
    comparison = compare(outputs, setup_of(["LAS"]))
    assert [one.spread for one in comparison.results] == [None, 0.0]
    assert {*comparison.provenance.files["en"]} == {"gold", "one", "two/seed1", "two/seed2"}
    single = find_plan(gold / "en.conllu", [tmp_path / "one/en.conllu", tmp_path / "two/seed1/en.conllu"])
    assert [one.label for one in single.systems] == ["one", "seed1"]
    of_runs = find_plan(gold / "en.conllu", [tmp_path / "one/en.conllu", tmp_path / "two/seed1"])
    assert of_runs.systems[1][0] == "seed1"
    assert of_runs.systems[1].run == "", "the only output of the name of gold is no run among others"


def test_what_is_missing_is_told(tmp_path):
    gold, text = tmp_path / "gold", (PARALLEL / "gold/en.conllu").read_text(encoding="utf-8")
    for folder in ("gold", "one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "en.conllu").write_text(text, encoding="utf-8")
    (gold / "de.conllu").write_text(text, encoding="utf-8")
    (tmp_path / "two/de.conllu").write_text("1\tx\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="no output for 1 of 2 gold treebanks: de") as refusal:
        compare(find_plan(gold, [tmp_path / "one", tmp_path / "two"]), setup_of(["LAS"]))
    assert refusal.value.slug == "missing-system-file"
    assert refusal.value.faults[-1].place.file == str(tmp_path / "two/de.conllu"), "invalid outputs are reported, too"
    with pytest.raises(InputError, match="GOLD is a folder, but this is a file: give a folder of outputs"):
        compare(find_plan(gold, [tmp_path / "one/en.conllu", tmp_path / "two/en.conllu"]), setup_of(["LAS"]))
    with pytest.raises(InputError, match="this output is given twice"):
        find_plan(gold, [tmp_path / "one", tmp_path / "two", tmp_path / "one"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder has no CoNLL-U file"):
        find_plan(tmp_path / "empty", [tmp_path / "one"])
    (tmp_path / "one/de.conllu").write_text("1\tx\ty\n\n", encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        compare(find_plan(gold, [tmp_path / "one", tmp_path / "two"]), setup_of(["LAS"]))
    assert sorted(Path(fault.place.file).parent.name for fault in refusal.value.faults) == ["one", "two"]


def test_measures_without_a_value_are_refused():
    """Of several systems there is no table with holes: a column that gold lacks, DEPS that cannot be read."""
    bare = "1\ta\t_\t_\t_\t_\t0\troot\t{}\t_\n\n"
    gold, broken = levelhead.from_conllu(bare.format("0:root")), levelhead.from_conllu(bare.format("x"))
    with pytest.raises(InputError, match="UPOS: the gold standard has no universal tags") as refusal:
        compare(find_plan(gold, {"a": gold, "b": gold}), setup_of(["UPOS"]))
    assert refusal.value.slug == "not-annotated"
    with pytest.raises(InputError, match=r"ELAS: DEPS of .* cannot be read: 'x'") as refusal:
        compare(find_plan(gold, {"a": gold, "b": broken}), setup_of(["ELAS"]))
    assert refusal.value.slug == "unreadable-deps"
    with pytest.raises(MeasureError):
        compare(find_plan(gold, {"a": gold}), setup_of(["LSA"]))


def test_the_parts_of_a_ratio():
    """F1 is 2 correct over both wholes, in every sentence."""
    gold = levelhead.read(PARALLEL / "gold/en.conllu")
    beta = levelhead.read(PARALLEL / "systems/beta/en.conllu")
    asked = [
        parse_measure(text)
        for text in ("LAS", "LAS.precision", "LAS.recall", "LAS.aligned_accuracy", "Tokens.aligned_accuracy")
    ]
    counts = counts_by_sentence(match(gold, beta, UD), Setup(tuple(asked), UD))
    own = {str(measure): (counts[str(measure)], measure.component or "f1") for measure in asked}
    table = system_counts([Run("beta", own)])
    assert table.parts.shape == (20, 1, 5, 2)
    las = levelhead.score(gold, beta, measures=["LAS"])["LAS"]
    assert table.parts.sum(axis=0)[0, :4].tolist() == [
        [2 * las.correct, las.gold + las.system],
        [las.correct, las.system],
        [las.correct, las.gold],
        [las.correct, las.aligned],
    ]
    assert np.isnan(ratios(table.parts.sum(axis=0))[0, 4]), "there is no aligned accuracy of tokens"


def test_a_small_p_of_the_sign_test_is_never_printed_as_zero():
    """Twenty treebanks won of twenty: p is 2 / 2 ** 20."""
    gold = levelhead.read(PARALLEL / "gold/en.conllu")
    comparison = compare(find_plan(gold, {"a": gold, "b": gold}), setup_of(["LAS"]))
    won = Wins("LAS", "b", 20, 0, 0, 20, 0, sign_test([1.0] * 20), 0.03, 20, 20)
    table = dataclasses.replace(comparison, wins=(won,)).table()
    (line,) = [note for note in table.notes if "sign test" in note]
    assert line.endswith("sign test p < .001, Wilcoxon p = .030 (20 votes, one per treebank)")


def test_compare_and_rank_give_the_same_intervals(tmp_path):
    """Neither the command nor the name of the file matters."""
    renamed = tmp_path / "renamed.conllu"
    renamed.write_bytes((PARALLEL / "gold/tr.conllu").read_bytes())
    tests = STANDARD
    compared = compare(find_plan(renamed, [PARALLEL / f"systems/{name}/tr.conllu" for name in ("alpha", "beta")]),
                       setup_of(["LAS"]), settings=tests)  # fmt: skip
    campaign = find_plan(PARALLEL / "gold", PARALLEL / "systems")
    results = score_plan(campaign, setup_of(["LAS"]), by_sentence=True)
    (group,) = groups_named(["language:Turkish"], results.test_sets)
    (ranking,) = with_intervals(results, [rank(results, "LAS", group)], tests)
    ranked = {one.system: one.interval for one in ranking.standings}
    assert [one.interval for one in compared.results] == [ranked["alpha"], ranked["beta"]]


def test_a_treebank_in_memory_has_the_draws_of_its_text():
    gold = levelhead.read(PARALLEL / "gold/tr.conllu")
    assert contents_hash(gold) == gold.source.sha256
    made = gold.replace(upos=list(gold.upos))
    assert made.source.sha256 is None
    assert contents_hash(made) == contents_hash(gold.replace(upos=list(gold.upos)))
    assert contents_hash(made) != contents_hash(gold.replace(upos=["X"] * gold.n_words))
