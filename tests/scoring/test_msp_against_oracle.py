"""Morphosyntactic parsing by two implementations, ours and the oracle's, on random files; and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from levelhead.errors import InputError, MeasureError
from levelhead.evaluation.epochs import EpochScorer
from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.pair import parse_as
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.morphosyntactic_matches import match_content
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import match_pair
from levelhead.treebank.morphosyntactic_reader import content_faults
from levelhead.treebank.validation import MOST_LISTED
from oracle import content
from oracle.content import Counted, Refused
from oracle.content_drawing import draw_pair
from strategies import SEEDS, examples

NAMES = ("msp25", "msp25-sorted")
CONTENT_RULES = st.sampled_from(NAMES)
EXAMPLES = settings(max_examples=examples(40))


def read(data: bytes) -> levelhead.Treebank:
    return parse_as(data, None, RULES["msp25"])


def our_verdict(gold: bytes, system: bytes, rules: str) -> str | dict[str, Counted]:
    try:
        scores = score_treebanks(read(gold), read(system), setup_of(rules=rules))
    except InputError:
        return "refused"
    return {name: Counted(one.correct, one.gold, one.system, int(one.aligned or 0)) for name, one in scores.items()}


def oracle_verdict(gold: bytes, system: bytes, rules: str) -> str | dict[str, Counted]:
    try:
        return content.score(gold, system, rules)
    except Refused:
        return "refused"


def is_valid(data: bytes) -> bool:
    try:
        content.read(data)
    except Refused:
        return False
    return True


@EXAMPLES
@given(seed=SEEDS, rules=CONTENT_RULES)
def test_sound_files_have_the_counts_of_the_oracle(seed: int, rules: str) -> None:
    """Equal to the last digit."""
    gold, system = draw_pair(seed)
    assert our_verdict(gold, system, rules) == oracle_verdict(gold, system, rules)


@EXAMPLES
@given(seed=SEEDS, rules=CONTENT_RULES)
def test_files_with_errors_are_refused_where_the_oracle_refuses_them(seed: int, rules: str) -> None:
    """Wrong heads, features, columns, ids, blank lines and ends of files."""
    gold, system = draw_pair(seed, errors=True)
    assert our_verdict(gold, system, rules) == oracle_verdict(gold, system, rules)


def test_random_files_are_of_all_kinds() -> None:
    """Most sound pairs are scored, with fractions; with errors, some are scored and some are refused."""
    sound = [oracle_verdict(*draw_pair(seed), "msp25") for seed in range(300)]
    scored = [one for one in sound if not isinstance(one, str)]
    assert len(scored) > 150
    assert sum(one["MSLAS"].correct % 1 > 0 for one in scored) > 20
    assert sum(len({counted.aligned for counted in one.values()}) > 1 for one in scored) > 5
    assert sum(draw_changes_by_order(seed) for seed in range(300)) > 5
    wrong = [oracle_verdict(*draw_pair(seed, errors=True), "msp25") for seed in range(300)]
    assert 60 < wrong.count("refused") < 280


def draw_changes_by_order(seed: int) -> bool:
    gold, system = draw_pair(seed)
    return oracle_verdict(gold, system, "msp25") != oracle_verdict(gold, system, "msp25-sorted")


@EXAMPLES
@given(seed=SEEDS)
def test_validation_reports_errors_of_exactly_the_files_that_are_refused(seed: int) -> None:
    """And none of a file that is read; sentences with errors do not hide those of others."""
    for data in draw_pair(seed, errors=True):
        faults = content_faults(iter([data]), None, len(data), MOST_LISTED)
        assert any(fault.severity == "error" for fault in faults) != is_valid(data)
        with_errors = [fault.place.line for fault in faults if fault.severity == "error"]
        for line in filter(None, with_errors):
            assert line <= data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1


@given(seed=SEEDS, rules=CONTENT_RULES)
def test_counts_add_up_over_sentences(seed: int, rules: str) -> None:
    """Those of the file are the sums of those of its sentences, each read as a file of its own."""
    gold, system = draw_pair(seed)
    if oracle_verdict(gold, system, rules) == "refused":
        return
    ours, theirs = read(gold), read(system)
    whole = match_content(ours, theirs, RULES[rules]).counts
    alone = [match_content(ours[i : i + 1], theirs[i : i + 1], RULES[rules]).counts for i in range(len(ours))]
    for name, counts in whole.items():
        for part in ("correct", "gold", "system", "aligned"):
            assert getattr(counts, part).tolist() == [getattr(one[name], part)[0] for one in alone]
    of_oracle = content.score_sentences(content.read(gold), content.read(system), rules)
    assert [one["MSLAS"].correct for one in of_oracle] == whole["MSLAS"].correct.tolist()


@given(seed=SEEDS, rules=CONTENT_RULES)
def test_gold_against_itself_is_right(seed: int, rules: str) -> None:
    """Unless a feature has no value; heads on function words do not occur here."""
    gold, _ = draw_pair(seed)
    if not is_valid(gold) or b"Number=|" in gold or b"Number=\t" in gold:
        return
    for score in score_treebanks(read(gold), read(gold), setup_of(rules=rules)).values():
        assert score.correct == score.gold == score.system == score.aligned
        assert score.value == (100 if score.gold else 0)


@given(seed=SEEDS)
def test_mslas_is_at_most_las_and_feats(seed: int) -> None:
    """Its credit is that of Feats where LAS is right; so sums in both directions are no larger."""
    gold, system = draw_pair(seed)
    found = our_verdict(gold, system, "msp25")
    if not isinstance(found, str):
        assert found["MSLAS"].correct <= found["LAS"].correct + 1e-9
        assert found["MSLAS"].correct <= found["Feats"].correct + 1e-9


def sentence(*rows: str) -> bytes:
    """A sentence of rows `ID FORM FEATS HEAD DEPREL`."""
    cells = (row.split(" ") for row in rows)
    return "".join(f"{i}\t{f}\t_\t_\t_\t{feats}\t{h}\t{r}\t_\t_\n" for i, f, feats, h, r in cells).encode() + b"\n"


def test_chains_of_any_length_are_scored() -> None:
    """100,000 words, each the head of the one before."""
    n = 100_000
    rows = [f"{i} w | {i + 1 if i < n else 0} x" for i in range(1, n + 1)]
    found = our_verdict(sentence(*rows), sentence(*rows), "msp25")
    assert found == dict.fromkeys(("MSLAS", "LAS", "Feats"), Counted(n, n, n, n))


def test_a_treebank_in_memory_is_scored_by_its_columns() -> None:
    """Words without FEATS are function words there, too; nothing has to be a file."""
    gold = levelhead.build([["the", "dog", "barks"]], [[2, 3, 0]], [["det", "nsubj", "root"]], feats=[["_", "|", "|"]])
    system = gold.replace(relations=["det", "obj", "root"])
    scores = levelhead.score(gold, system, rules="msp25")
    assert [(one.correct, one.gold) for one in scores.values()] == [(1, 2), (1, 2), (2, 2)]


def test_gold_without_trees_has_no_attachment_score() -> None:
    """A treebank in memory may have none: MSLAS and LAS are not annotated, Feats is counted."""
    text = "1\ta\t_\t_\t_\tCase=Nom\t_\t_\t_\t_\n\n"
    treebank = levelhead.from_conllu(text)
    scores = levelhead.score(treebank, treebank, rules="msp25")
    assert [one.reason for one in scores.values()] == [*["not annotated in gold: HEAD"] * 2, None]
    assert scores["Feats"].value == 100


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("measure", ["UAS", "CLAS", "LAS(full)", "LAS@CORE", "LAS-FUN", "LAS(nopunct)", "MSLAS(x)"])
def test_other_measures_arguments_and_classes_are_refused(name: str, measure: str) -> None:
    """Only MSLAS, LAS and Feats as they are, and their components, are defined."""
    with pytest.raises(MeasureError):
        setup_of(measure, rules=name)
    assert setup_of(["MSLAS.precision", "Feats.recall"], rules=name).names == ("MSLAS.precision", "Feats.recall")


@pytest.mark.parametrize("name", [name for name in RULES if name not in NAMES])
def test_mslas_is_refused_under_other_rules(name: str) -> None:
    """The message names the rules that have it."""
    with pytest.raises(MeasureError, match="use the rules msp25, msp25-sorted"):
        setup_of("MSLAS", rules=name)


GOOD, BAD = sentence("1 a | 0 root"), sentence("1 a Case 0 root")


@pytest.mark.parametrize(
    ("gold", "system", "place"),
    [
        (GOOD + GOOD, GOOD + BAD, ("system", 3)),
        (GOOD + BAD, BAD + GOOD, ("system", 1)),
        (BAD + GOOD, GOOD + BAD, ("gold", 1)),
        (GOOD + BAD, GOOD + BAD, ("gold", 3)),
    ],
)
def test_the_first_malformed_features_are_reported(gold: bytes, system: bytes, place: tuple[str, int]) -> None:
    """In order of sentences, gold's before the system's, with the line."""
    sides = (parse_as(data, name, RULES["msp25"]) for data, name in ((gold, "gold"), (system, "system")))
    with pytest.raises(InputError) as refusal:
        match_pair(*sides, RULES["msp25"])
    assert refusal.value.slug == "refused-by-rules"
    assert refusal.value.place[:2] == place


def test_malformed_features_of_words_that_are_not_aligned_do_not_matter() -> None:
    """The system's second word has no partner from the start, and its third none from the end."""
    gold = sentence("1 a | 0 root")
    system = sentence("1 a | 0 root", "2 b Case 1 x", "3 c | 1 x")
    matches = match_content(read(gold), read(system), RULES["msp25"])
    assert np.array_equal(matches.counts["LAS"].correct, [1])


def test_words_are_not_compared_one_by_one() -> None:
    """What needs to know which words agree says so."""
    treebank = read(sentence("1 a | 0 root"))
    with pytest.raises(MeasureError, match="only score whole files"):
        levelhead.agree(treebank, treebank, rules="msp25")
    with pytest.raises(MeasureError, match="only score whole files"):
        EpochScorer(treebank, rules="msp25")
