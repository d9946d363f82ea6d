"""Laws of fair measures: sums, bounds and what must not change."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from fair_counts import EXAMPLES, both, broken_down, counts_of, matched
from levelhead.analysis.word_properties import PropertySettings
from levelhead.measures.registry import REGISTRY, parse_measure
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import count
from levelhead.treebank.relations import SCHEMES
from oracle import fair
from oracle.measures import home_sentences, match as oracle_match
from strategies import SEEDS, examples, pairs


def parts(counts: Counts) -> list[int]:
    columns = [counts.correct, counts.gold, counts.system, *([] if counts.aligned is None else [counts.aligned])]
    return [int(column.sum()) for column in columns]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("rules", ["ud", "conll17"])
@settings(max_examples=examples(15))
@given(texts=both())
def test_classes_sum_to_the_whole(scheme, rules, texts):
    """All classes, UNKNOWN included: gold, system and aligned. So do the correct ones where labels must agree."""
    ours, _ = matched(texts, rules) or (None, None)
    if ours is None:
        return
    for name in ("LAS", "LS"):
        each = [parts(counts_of(ours, f"{name}@{scheme}:{label}")) for label in SCHEMES[scheme].names]
        assert [sum(column) for column in zip(*each)] == parts(counts_of(ours, name))
        for label in SCHEMES[scheme].names:
            alone, without = (parts(counts_of(ours, f"{name}{sign}{scheme}:{label}")) for sign in "@-")
            assert [one + other for one, other in zip(alone, without)] == parts(counts_of(ours, name))
    heads = [parts(counts_of(ours, f"UAS@{scheme}:{label}")) for label in SCHEMES[scheme].names]
    whole = parts(counts_of(ours, "UAS"))
    assert [sum(column) for column in zip(*heads)][1:] == whole[1:]
    assert sum(column[0] for column in heads) <= whole[0]


@EXAMPLES
@given(texts=both())
def test_relations_sum_to_las(texts):
    ours, _ = matched(texts) or (None, None)
    if ours is None:
        return
    found = broken_down(ours, parse_measure("LAS"), ["relation"], PropertySettings(SCHEMES["nivre-fang"]))
    sums = [sum(getattr(score, part) for _, score in found.rows) for part in ("correct", "gold", "system")]
    assert sums == parts(counts_of(ours, "LAS"))[:3]
    for (relation,), score in found.rows:
        if relation in {"nsubj", "obl", "det", "punct", "neg", "dobj"}:
            assert [score.correct, score.gold, score.system] == parts(counts_of(ours, f"LAS@{relation}"))[:3]


SYMMETRIC = (
    "LAS",
    "UAS",
    "LS",
    "LAS(full)",
    "LAS@CORE",
    "UAS@FUN",
    "LAS-FUN-PUNCT",
    "CLAS",
    "CNC",
    "UEM",
    "LEM",
    "Roots",
)


@EXAMPLES
@given(texts=both())
def test_swapping_gold_and_system_swaps_precision_and_recall(texts):
    """But for words inside multiword tokens, whose alignment prefers to leave out gold words: these are taken out."""
    one, other = (levelhead.from_conllu(text) for text in texts)
    if len(one.multiword) or len(other.multiword):
        return
    there, back = match(one, other, RULES["ud"]), match(other, one, RULES["ud"])
    for text in SYMMETRIC:
        forth, reverse = parts(counts_of(there, text)), parts(counts_of(back, text))
        assert forth[:3] == [reverse[0], reverse[2], reverse[1]], text


MEASURES = (
    *SYMMETRIC,
    "UPOS",
    "MLAS",
    "BLEX",
    "LAS(nopunct)",
    "UAS(nopunct=callin)",
    "LAS@UNKNOWN",
    "LAS@nsubj",
    "Trees",
)


@pytest.mark.parametrize("rules", ["ud", "conll18"])
@EXAMPLES
@given(texts=both())
def test_gold_against_itself_is_100_on_whatever_there_is(rules, texts):
    gold = levelhead.from_conllu(texts[0])
    weights = {"nsubj": 2.0}
    itself = match(gold, gold, RULES[rules])
    for text in (*MEASURES, "WLAS(w,default=1)", "CallinWLAS(w,default=1)"):
        measure = parse_measure(text)
        found = parts(count(itself, measure, REGISTRY[measure.name], weights=weights if "WLAS" in text else None))
        assert len(set(found)) == 1, text


@EXAMPLES
@given(texts=both())
def test_no_ratio_is_over_100_and_sentences_add_up(texts):
    ours, _ = matched(texts) or (None, None)
    if ours is None:
        return
    for text in MEASURES:
        whole, rows = counts_of(ours, text), counts_of(ours, text, by_sentence=True)
        correct, gold, system, *aligned = parts(whole)
        assert 0 <= correct <= min(gold, system, *aligned), text
        assert len(rows) == len(ours.gold)
        assert parts(rows) == parts(whole), text
        first, rest = (rows_of(rows, part) for part in (slice(0, 1), slice(1, None)))
        assert parts(first + rest) == parts(whole)


def rows_of(counts: Counts, part: slice) -> Counts:
    aligned = None if counts.aligned is None else counts.aligned[part]
    return Counts(counts.correct[part], counts.gold[part], counts.system[part], aligned)


@EXAMPLES
@given(texts=pairs(max_sentences=4, max_words=10))
def test_clas_is_las_without_function_words_and_punctuation(texts):
    """With conll17's black list always, on labels of UD v2; with the white list but for labels that are on none."""
    for rules in ("conll17", "conll18", "ud"):
        ours, _ = matched(texts, rules) or (None, None)
        if ours is None:
            continue
        rest = parts(counts_of(ours, "LAS-FUN-PUNCT"))
        unknown = parts(counts_of(ours, "LAS@UNKNOWN")) if rules != "conll17" else [0, 0, 0, 0]
        assert parts(counts_of(ours, "CLAS")) == [one - other for one, other in zip(rest, unknown)]


@EXAMPLES
@given(texts=both(), scale=st.sampled_from([0.25, 2.0, 8.0]))
def test_weights(texts, scale):
    """All weights 1 is LAS; a scale changes nothing; function words without weight are CLAS of 2017."""
    ours, _ = matched(texts, "conll17") or (None, None)
    if ours is None:
        return
    measure, definition = parse_measure("WLAS(w,default=1)"), REGISTRY["WLAS"]
    assert parts(count(ours, measure, definition, weights={})) == parts(counts_of(ours, "LAS"))
    weights = {"nsubj": 0.5, "det": 0.125, "obj": 3.0}
    one = count(ours, measure, definition, weights=weights)
    scaled = {relation: scale * weights.get(relation, 1.0) for relation in distinct_relations(ours)}
    other = count(ours, parse_measure("WLAS(w)"), definition, weights=scaled)
    assert other.correct[0] == scale * one.correct[0]
    assert other.system[0] + other.gold[0] == scale * (one.system[0] + one.gold[0])
    nothing = dict.fromkeys("aux case cc clf cop det mark punct".split(), 0.0)
    assert parts(count(ours, measure, definition, weights=nothing)) == parts(counts_of(ours, "CLAS"))


def distinct_relations(matches: Matches) -> Iterator[str]:
    for side in (matches.gold, matches.system):
        yield from (relation.split(":")[0] for relation in side.relations)


@EXAMPLES
@given(texts=both(), seed=SEEDS)
def test_moving_function_words_leaves_clas_alone(texts, seed):
    """Hang a word that both sides label FUN elsewhere in the system's output: CLAS does not care, LAS may."""
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    system = ours.system
    leaves = [
        s for g, s in theirs.pairs
        if fair.class_in("nivre-fang", theirs.gold.words[g].relation) == fair.class_in("nivre-fang", theirs.system.words[s].relation) == "FUN"
        and system.heads[s] >= 0 and s not in system.heads.tolist()
    ]  # fmt: skip
    if not leaves:
        return
    moved = Random(seed).choice(leaves)
    sentence = int(system.sentence_of_word[moved])
    others = [n for n in range(*system.sentence_starts[sentence : sentence + 2].tolist()) if n != moved]
    heads = system.heads.tolist()
    heads[moved] = Random(seed).choice(others)
    after = match(ours.gold, system.replace(heads=heads), RULES["ud"])
    for text in ("CLAS", "LAS-FUN-PUNCT", "LAS@CORE"):
        assert parts(counts_of(after, text)) == parts(counts_of(ours, text))


@EXAMPLES
@given(texts=both())
def test_uas_and_label_score_bound_las(texts):
    ours, _ = matched(texts) or (None, None)
    if ours is None:
        return
    for restriction in ("", "@CORE", "-FUN-PUNCT", "@callin:CONTENT"):
        las = parts(counts_of(ours, f"LAS{restriction}"))
        for bound in ("UAS", "LS"):
            assert las[0] <= parts(counts_of(ours, f"{bound}{restriction}"))[0]
            assert las[1:] == parts(counts_of(ours, f"{bound}{restriction}"))[1:]
    assert parts(counts_of(ours, "LEM"))[0] <= parts(counts_of(ours, "UEM"))[0] <= len(ours.gold)


def test_home_of_words_is_that_of_the_oracle():
    """A law of the oracle itself: words of gold are at home in their own sentence."""
    text = "1\tab\t_\t_\t_\t_\t0\troot\t_\t_\n2\tc\t_\t_\t_\t_\t1\tdep\t_\t_\n\n1\td\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    document = oracle_match(text, text, "ud").gold
    assert home_sentences(document, document) == fair.sentence_of(document) == [0, 0, 1]
