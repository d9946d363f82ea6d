"""Explanations, scores of epochs, assertions."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

import levelhead
from conftest import EXAMPLES
from levelhead.analysis.rule_differences import explain
from levelhead.evaluation.epochs import EpochScorer
from levelhead.testing import assert_las, assert_score
from oracle import measures as oracle_measures
from strategies import examples, treebanks

GOLD, INVALID = EXAMPLES / "parallel/gold/tr.conllu", EXAMPLES / "parallel/systems/gamma/tr.conllu"


@settings(max_examples=examples(30))
@given(text=treebanks())
def test_epoch_scores_equal_those_of_files(text):
    gold = levelhead.from_conllu(text)
    draw = np.random.default_rng(len(text))
    labels = [*gold.relations[:3], "nsubj", "case", "unheard-of"]
    relations = draw.choice(labels, gold.n_words).tolist()
    system = gold.replace(relations=relations)
    scorer = EpochScorer(gold, labels=labels)
    ours = scorer.score(system.local_heads(), scorer.ids(relations))
    expected = oracle_measures.score(text, "".join(sentence.conllu for sentence in system), "ud")
    for name, score in ours.items():
        assert oracle_measures.Counted(score.correct, score.gold, score.system, score.aligned) == expected[name], name


IGNORED = -100
"""The index that PyTorch leaves out of losses."""


@pytest.mark.parametrize("side", ["heads", "relations", "both"])
def test_words_with_the_ignored_index_are_left_out(side):
    """Counted by hand from the words that are left."""
    gold = levelhead.read(GOLD)
    scorer = EpochScorer(gold)
    heads, relations = gold.local_heads().copy(), scorer.ids(gold.relations)
    heads[::3] += 1
    relations[::4] = scorer.ids(["det"])[0]
    left = [word for word in range(gold.n_words) if word % 5]
    expected_heads = [heads[word] == gold.local_heads()[word] for word in left]
    same_label = [scorer.labels[relations[word]].split(":")[0] == gold.relations[word].split(":")[0] for word in left]
    if side != "relations":
        heads[::5] = IGNORED
    if side != "heads":
        relations[::5] = IGNORED
    scores = scorer.score(heads, relations)
    uas, las, clas = scores["UAS"], scores["LAS"], scores["CLAS"]
    assert (uas.correct, uas.gold, uas.system, uas.aligned) == (sum(expected_heads), *3 * [len(left)])
    assert las.correct == sum(head and label for head, label in zip(expected_heads, same_label))
    assert (las.gold, las.system) == (len(left), len(left))
    content = [oracle_measures.CONTENT & {gold.relations[word].split(":")[0]} for word in left]
    assert clas.gold == sum(map(bool, content))
    theirs = [
        oracle_measures.CONTENT & {scorer.labels[relations[word]].split(":")[0]} for word in left if side == "heads"
    ]
    assert side != "heads" or clas.system == sum(map(bool, theirs))


@pytest.mark.parametrize("wrong", [-2, -99, -101, "n", 10**6, 0.5])
def test_indices_that_are_no_label_are_an_error(wrong):
    gold = levelhead.read(GOLD)
    scorer = EpochScorer(gold)
    wrong = len(scorer.labels) if wrong == "n" else wrong
    relations = [wrong, *scorer.ids(gold.relations).tolist()[1:]]
    with pytest.raises(
        levelhead.ConlluError,
        match=r"relations: .* for word 1 of sentence 1, expected .*indices into labels, -1 .* -100",
    ) as refusal:
        scorer.score(gold.local_heads(), relations)
    assert refusal.value.slug == "invalid-columns"


def test_epoch_scores_want_one_head_a_word():
    scorer = EpochScorer(levelhead.read(GOLD))
    with pytest.raises(levelhead.ConlluError):
        scorer.score([0], [0])


def test_assertions():
    system = EXAMPLES / "parallel/systems/alpha/tr.conllu"
    assert_las(GOLD, system, at_least=87)
    with pytest.raises(AssertionError, match=r"LAS is 87\.0370, under 88"):
        assert_las(GOLD, system, at_least=88)
    with pytest.raises(AssertionError, match="not annotated"):
        assert_score(GOLD, system, "ELAS", at_least=0)


def test_assertions_about_perplexity_have_an_upper_bound():
    """Lower is better: a floor would pass for every bad parser, and a ceiling of a percentage too."""
    system = EXAMPLES / "parallel/systems/alpha/tr.conllu"
    measure = f"DPPL({GOLD})"
    value = levelhead.score(GOLD, system, measures=[measure])[measure].value
    assert_score(GOLD, system, measure, at_most=value)
    with pytest.raises(AssertionError, match=rf"{value:.4f}, over {value - 0.01:g}"):
        assert_score(GOLD, system, measure, at_most=value - 0.01)
    for bounds, word in (({"at_least": 1}, "at_most"), ({}, "at_most"), ({"at_least": 1, "at_most": 9}, "at_most")):
        with pytest.raises(levelhead.MeasureError, match=f"lower values of .* are better: give only {word}") as refusal:
            assert_score(GOLD, system, measure, **bounds)
        assert refusal.value.slug == "invalid-gate"
    for bounds in ({"at_most": 90}, {}, {"at_least": 1, "at_most": 90}):
        with pytest.raises(levelhead.MeasureError, match=r"higher values of .* are better: give only at_least"):
            assert_score(GOLD, system, "LAS", **bounds)


@pytest.mark.parametrize("spelling", ["las", "LAS", "LAS(nopunct,full)", "las(full,nopunct)", " clas"])
def test_scores_are_found_by_any_spelling_of_a_measure(spelling):
    result = levelhead.score(GOLD, EXAMPLES / "parallel/systems/alpha/tr.conllu", measures=[spelling])
    assert result[spelling] is next(iter(result.values()))
    assert spelling in result
    assert_score(GOLD, GOLD, spelling, at_least=100)
    with pytest.raises(AssertionError, match="under 100"):
        assert_score(GOLD, EXAMPLES / "parallel/systems/alpha/tr.conllu", spelling, at_least=100)


@pytest.mark.parametrize("name", ["UAS", "nonsense", "LAS(", ""])
def test_scores_that_were_not_asked_for_are_a_key_error(name):
    result = levelhead.score(GOLD, GOLD, measures=["LAS", "CLAS"])
    assert name not in result
    with pytest.raises(KeyError, match="was not requested: use LAS, CLAS"):
        result[name]


@pytest.mark.parametrize("bound", [float("nan"), float("inf"), float("-inf"), np.float32("nan")])
def test_bounds_of_assertions_are_finite(bound):
    for measure, side in (("LAS", "at_least"), (f"DPPL({GOLD})", "at_most")):
        with pytest.raises(levelhead.MeasureError, match="is not a valid bound") as refusal:
            assert_score(GOLD, GOLD, measure, **{side: bound})
        assert refusal.value.slug == "invalid-gate"


def test_a_share_in_place_of_a_percentage_is_warned_about(recwarn):
    for bound in (0.95, 1, np.float32(0.5)):
        with pytest.warns(UserWarning, match=r"scores are percentages; if you meant a share, write .*=(95|100|50)"):
            assert_las(GOLD, GOLD, at_least=bound)
    recwarn.clear()
    for bound in (0, 1.5, 95):
        assert_las(GOLD, GOLD, at_least=bound)
    assert not recwarn.list


def test_explanations_name_decision_numbers_and_words():
    """One layered feature that differs, one unknown relation, and one missing lemma: three decisions, by hand."""
    row = "1\ta\t{}\tNOUN\t_\t{}\t0\troot\t_\t_\n2\tb\tb\tNOUN\t_\t_\t1\t{}\t_\t_\n\n"
    gold = levelhead.from_conllu(row.format("_", "Number[psor]=Sing", "nsubj"))
    system = levelhead.from_conllu(row.format("x", "Number[psor]=Plur", "strange"))
    found = explain(gold, system).differences
    changed = {name for one in found for name in one.changes}
    assert {"UFeats", "AllTags", "CLAS", "Lemmas", "BLEX", "MLAS"} <= changed
    words = [form for one in found for _, form in one.words]
    assert {"a", "b"} <= set(words)


def test_explanations_on_the_command_line():
    command = [
        sys.executable,
        "-m",
        "levelhead",
        "explain",
        GOLD,
        EXAMPLES / "parallel/systems/alpha/tr.conllu",
    ]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert text.partition("\n\n")[2].split("\n")[0].split() == [
        "Metric",
        "|",
        "conll17",
        "|",
        "conll18",
        "|",
        "udtools",
        "|",
        "ud",
    ]
    document = json.loads(subprocess.run([*command, "--format", "json"], capture_output=True, check=True).stdout)
    assert document["kind"] == "explain"


def test_faults_as_annotations():
    command = [sys.executable, "-m", "levelhead", "validate", "--format", "github", INVALID]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[0].startswith(f"::error file={INVALID},line=49,title=cycle::")
