"""Restricted, weighted and exact measures, breakdowns and kinds of errors: two implementations, and laws."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conftest import one_in
from fair_counts import EXAMPLES, both, broken_down, counts_of, matched
from levelhead.analysis import Training
from levelhead.analysis.confusion import (
    MOST_RELATIONS,
    OTHER,
    cascading_errors,
    count_confusions,
    error_types,
    examples_of,
)
from levelhead.analysis.word_properties import PropertySettings
from levelhead.comparison.system_errors import Confusions
from levelhead.errors import MeasureError
from levelhead.measures.registry import REGISTRY, parse_measure
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import count
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.relations import SCHEMES
from oracle import fair
from oracle.damage import damaged_bytes
from oracle.measures import Counted, match as oracle_match, same_arc
from strategies import SEEDS, examples, pairs

RESTRICTIONS = (
    *("@CORE", "@NONCORE", "@FUN", "@MWE", "@PUNCT", "@UNKNOWN", "@nsubj", "@obl:agent", "@nivre-fang:CORE"),
    *("@callin:CONTENT", "@callin:FUNCTION", "@callin:OTHER", "@callin-code:CONTENT", "@kohita:CONTENT", "-FUN-PUNCT"),
    *("-det", "-acl:relcl", "-callin:FUNCTION", "-UNKNOWN-nsubj-punct", "-CORE-kohita:FUNCTION", ""),
)


def our_count(matches: Matches, text: str, weights: dict[str, float] | None = None) -> Counted:
    measure = parse_measure(text)
    found = count(matches, measure, REGISTRY[measure.name], weights=weights)
    aligned = None if found.aligned is None else found.aligned[0]
    return Counted(found.correct[0], found.gold[0], found.system[0], aligned)


def names_of(restriction: str) -> tuple[str | None, tuple[str, ...]]:
    """Read a restriction; none of the lists tried here has a scheme with a hyphen."""
    if restriction.startswith("@"):
        return restriction[1:], ()
    return None, tuple(filter(None, restriction.split("-")))


@EXAMPLES
@given(texts=both(), turn=st.integers(0, 1))
def test_measures_of_classes_and_relations(texts, turn):
    """Alone or left out, of heads, labels, both, with subtypes, of tags."""
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    for restriction in one_in(2, RESTRICTIONS, turn):
        keeps = fair.kept(*names_of(restriction))
        for name, agrees in fair.AGREE.items():
            assert our_count(ours, f"{name}{restriction}") == fair.restricted(theirs, agrees, keeps), restriction
        for name, agrees in (("UEM", fair.AGREE["UAS"]), ("LEM", fair.AGREE["LAS"])):
            assert our_count(ours, f"{name}{restriction}") == fair.exact_matches(theirs, agrees, keeps), restriction


def test_sentences_without_a_word_of_the_class_do_not_count():
    """Three sentences: one vocative found, one missed, none in the third; exact match is 1 of 2 and of 1."""
    row = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n"
    with_one = row.format(1, "a", 0, "root") + row.format(2, "b", 1, "vocative") + "\n"
    without = with_one.replace("vocative", "obj")
    gold, system = levelhead.from_conllu(2 * with_one + without), levelhead.from_conllu(with_one + 2 * without)
    for name in ("UEM@vocative", "LEM@vocative", "LEM-obj-root"):
        score = levelhead.score(gold, system, measures=[name])[name]
        assert (score.correct, score.gold, score.system) == (1, 2, 1), name
    rows = counts_of(match(gold, system, RULES["ud"]), "UEM@vocative", by_sentence=True)
    assert [rows.correct.tolist(), rows.gold.tolist(), rows.system.tolist()] == [[1, 0, 0], [1, 1, 0], [1, 0, 0]]
    whole = levelhead.score(gold, system, measures=["UEM"])["UEM"]
    assert (whole.correct, whole.gold, whole.system) == (3, 3, 3)


def test_exact_match_of_a_class_needs_every_word_of_the_sentence_aligned():
    """Two sentences whose objects are right; in the second, another word is cut in two. The printed formula says so."""
    row = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t{}\n"
    start = row.format(1, "a", 0, "root", "_") + row.format(2, "b", 1, "obj", "_")
    cut = row.format(3, "c", 1, "dep", "SpaceAfter=No") + row.format(4, "d", 1, "dep", "_")
    gold = levelhead.from_conllu(2 * (start + row.format(3, "cd", 1, "dep", "_") + "\n"))
    system = levelhead.from_conllu(start + row.format(3, "cd", 1, "obl", "_") + "\n" + start + cut + "\n")
    for name in ("UEM", "LEM"):
        score = levelhead.score(gold, system, measures=[f"{name}@obj"])[f"{name}@obj"]
        assert (score.correct, score.gold, score.system) == (1, 2, 2)
        of_class = REGISTRY[name].formula.split(f"{name}@CORE: ")[1]
        assert "all words must be aligned" in of_class


@EXAMPLES
@given(texts=both())
def test_measures_without_punctuation_and_of_roots(texts):
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    for option, rule in (("nopunct", "relation"), ("nopunct=callin", "callin")):
        keeps = fair.is_not_punctuation(theirs, rule)
        for name in ("UAS", "LAS", "LS"):
            assert our_count(ours, f"{name}({option})") == fair.kept_by_gold(theirs, fair.AGREE[name], keeps)
        full = fair.kept_by_gold(theirs, fair.AGREE["LAS(full)"], keeps)
        assert our_count(ours, f"LAS(full,{option})") == full
    assert our_count(ours, "Roots") == fair.roots(theirs)
    assert our_count(ours, "CNC") == fair.restricted(theirs, same_arc, fair.counts_in_cnc)


@EXAMPLES
@given(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=6), seed=SEEDS)
def test_trees_and_roots_of_files_that_allow_several_roots(lengths, seed):
    """CoNLL-X: words hang from earlier ones or from the root, so that many sentences have several roots."""
    draw = Random(seed)
    both_heads = [[[draw.randint(0, word - 1) for word in range(1, n + 1)] for n in lengths] for _ in range(2)]
    gold, system = (levelhead.from_conllu(conllx(sentences), format="conllx") for sentences in both_heads)
    ours = match(gold, system, RULES["ud"])
    n_trees = sum(map(fair.is_tree, both_heads[1]))
    assert our_count(ours, "Trees") == Counted(n_trees, len(lengths), len(lengths))
    flat = [[head for sentence in side for head in sentence] for side in both_heads]
    n_right = sum(one == other == 0 for one, other in zip(*flat))
    n_gold, n_system = (side.count(0) for side in flat)
    assert our_count(ours, "Roots") == Counted(n_right, n_gold, n_system, n_gold)


def conllx(sentences: list[list[int]]) -> str:
    rows = [[f"{i}\ta\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(one, 1)] for one in sentences]
    return "".join("".join(one) + "\n" for one in rows)


@EXAMPLES
@given(texts=both(), turn=st.integers(0, 1))
def test_classes_by_the_gold_label_alone(texts, turn):
    """With nopunct too, gold decides all that is kept."""
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    for restriction in one_in(2, RESTRICTIONS[:-1], turn):
        keeps = fair.kept(*names_of(restriction))
        for name, agrees in (("UAS", "UAS"), ("LAS", "LAS"), ("LS", "LS")):
            expected = fair.kept_by_gold(theirs, fair.AGREE[agrees], keeps)
            assert our_count(ours, f"{name}(class=gold){restriction}") == expected, restriction
        for option, rule in (("nopunct", "relation"), ("nopunct=callin", "callin"), ("nopunct,class=gold", "relation")):
            no_mark = fair.is_not_punctuation(theirs, rule)
            both_tests = lambda word: keeps(word) and no_mark(word)  # noqa: B023, E731
            expected = fair.kept_by_gold(theirs, same_arc, both_tests)
            assert our_count(ours, f"LAS({option}){restriction}") == expected, restriction


def test_recall_of_content_words_by_each_label_and_by_gold_alone():
    """Two words with the right head, one of them labeled `det` instead of `nsubj`."""
    text = "1\ta\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    names = [
        "UAS@callin:CONTENT.recall",
        "UAS(class=gold)@callin:CONTENT.recall",
        "LAS(class=gold)@callin:CONTENT.recall",
    ]
    pair = levelhead.from_conllu(text), levelhead.from_conllu(text.replace("nsubj", "det"))
    assert [score.value for score in levelhead.score(*pair, measures=names).values()] == [50, 100, 50]


@EXAMPLES
@given(texts=both(), seed=SEEDS)
def test_weighted_measures(texts, seed):
    """Weights that are multiples of 1/8 add up without rounding."""
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    draw = Random(seed)
    relations = {word.relation for side in (theirs.gold, theirs.system) for word in side.words}
    weights = {relation: draw.randint(0, 16) / 8 for relation in sorted(relations)}
    for name, by_gold in (("WLAS", False), ("CallinWLAS", True)):
        for restriction in ("", "@CORE", "-FUN-PUNCT", "@callin:CONTENT", "-acl:relcl"):
            keeps = fair.kept(*names_of(restriction))
            expected = fair.weighted(theirs, weights, by_gold=by_gold, keeps=keeps)
            assert vars(our_count(ours, f"{name}(w){restriction}", weights)) == vars(expected), restriction
    missing = dict(list(weights.items())[1:])
    used = {word.relation for side in (theirs.gold, theirs.system) for word in side.words}
    if used - missing.keys():
        with pytest.raises(MeasureError, match="has no weight"):
            our_count(ours, "WLAS(w)", missing)
        with_default = {**weights, next(iter(weights)): 0.5}
        assert our_count(ours, "WLAS(w,default=0.5)", missing) == our_count(ours, "WLAS(w)", with_default)


@EXAMPLES
@given(texts=both(), by=st.lists(st.sampled_from(fair.BUCKETS), min_size=1, max_size=2), seed=SEEDS)
def test_breakdowns(texts, by, seed):
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    forms = Counter(
        {word.columns[1]: Random(seed + i).choice((0, 1, 2, 5, 6, 30, 200)) for i, word in enumerate(theirs.gold.words)}
    )
    forms = +forms
    chosen = PropertySettings(SCHEMES["nivre-fang"], Training(forms, frozenset(), frozenset(), frozenset(), "", ""))
    for name in ("LAS", "UAS"):
        found = broken_down(ours, parse_measure(name), by, chosen)
        rows = {values: Counted(s.correct, s.gold, s.system, s.aligned) for values, s in found.rows}
        assert len(rows) == len(found.rows)
        assert rows == fair.breakdown(theirs, fair.AGREE[name], tuple(by), forms)


@EXAMPLES
@given(texts=both())
def test_breakdown_without_punctuation_and_of_a_class(texts):
    """The words of a measure are chosen first: the rows sum up to it, but for arcs that change their bucket."""
    ours, _ = matched(texts) or (None, None)
    if ours is None:
        return
    for text in ("LAS(nopunct)", "LAS@CORE", "LAS-FUN", "UPOS", "CLAS"):
        if text == "UPOS" and not ours.gold.upos.has_values:
            with pytest.raises(levelhead.InputError, match="not annotated in gold: UPOS"):
                broken_down(ours, parse_measure(text), ["upos"], PropertySettings(SCHEMES["nivre-fang"]))
            continue
        whole = our_count(ours, text)
        found = broken_down(ours, parse_measure(text), ["upos"], PropertySettings(SCHEMES["nivre-fang"]))
        sums = [
            sum(getattr(score, part) for _, score in found.rows) for part in ("correct", "gold", "system", "aligned")
        ]
        assert Counted(*sums) == whole


def test_confusion_of_many_relations_keeps_the_most_frequent():
    """Thirty relations more than are kept, each of one word, meet one relation of gold; memory does not grow with them."""
    row = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
    n_words = MOST_RELATIONS + 30
    root, heads = row.format(1, "a", 0, "root"), [1 + n % 2 for n in range(n_words)]
    gold = "".join(row.format(n + 2, "b", 1, "dep") for n in range(n_words))
    system = "".join(row.format(n + 2, "b", heads[n], f"r{n}") for n in range(n_words)).replace("\tr5\t", "\tdep\t")
    confusion = count_confusions(
        match(levelhead.from_conllu(root + gold + "\n"), levelhead.from_conllu(root + system + "\n"), RULES["ud"])
    )
    assert len(confusion.names) == MOST_RELATIONS + 1
    assert (confusion.names[0], confusion.names[-1]) == ("dep", OTHER)
    assert confusion.counts.shape == confusion.right_heads.shape == (MOST_RELATIONS + 1, MOST_RELATIONS + 1)
    n_others = n_words - 1 + 2 - MOST_RELATIONS
    assert (confusion.counts[0, -1], confusion.counts.sum()) == (n_others, n_words + 1)
    of_kept = [n for n in range(n_words) if f"r{n}" in confusion.names or n == 5]
    right = sum(heads[n] == 1 for n in range(n_words) if n not in of_kept)
    assert confusion.right_heads[0, -1] == right
    table = Confusions({"x": confusion}, Provenance({}, {})).table()
    assert ("dep", OTHER, n_others, right, 100 * n_others / n_words) in table.rows
    assert any(OTHER in note for note in table.notes)


def test_confusion_of_as_many_relations_as_are_kept_is_whole():
    row = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
    words = "".join(row.format(n + 2, "b", 1, f"r{n}") for n in range(MOST_RELATIONS - 1))
    itself = levelhead.from_conllu(row.format(1, "a", 0, "root") + words + "\n")
    confusion = count_confusions(match(itself, itself, RULES["ud"]))
    assert (len(confusion.names), OTHER in confusion.names) == (MOST_RELATIONS, False)
    assert (confusion.counts == np.eye(MOST_RELATIONS)).all()
    assert not any(OTHER in note for note in Confusions({"x": confusion}, Provenance({}, {})).table().notes)


@EXAMPLES
@given(texts=both())
def test_confusion_kinds_of_errors_and_cascading_errors(texts):
    ours, theirs = matched(texts) or (None, None)
    if ours is None:
        return
    confusion, expected = count_confusions(ours), fair.confusion(theirs)
    for g, gold in enumerate(confusion.names):
        for s, system in enumerate(confusion.names):
            cell = (confusion.counts[g, s], confusion.right_heads[g, s])
            assert cell == expected.get((gold, system), (0, 0))
            assert len(list(examples_of(ours, gold, system))) == cell[0]
    assert confusion.counts.sum() == len(theirs.pairs)
    cells = {cell[:2]: cell[2:4] for cell in confusion.cells() if None not in cell[:2]}
    assert cells == {key: tuple(map(int, cell)) for key, cell in expected.items() if cell[0]}
    for side, alone in ((theirs.gold, confusion.unaligned_gold), (theirs.system, confusion.unaligned_system)):
        aligned = {pair[side is theirs.system] for pair in theirs.pairs}
        left = Counter(word.relation for n, word in enumerate(side.words) if n not in aligned)
        assert dict(zip(confusion.names, alone.tolist())) == {name: left[name] for name in confusion.names}
    kinds = Counter(fair.error_type(theirs, *pair) for pair in theirs.pairs)
    assert {kind: n for kind, n in error_types(ours).items() if n} == dict(kinds)
    for name in ("nivre-fang", "callin", "callin-code"):
        found = {
            (one.name, one.labeled): (one.wrong, one.parent_correct) for one in cascading_errors(ours, SCHEMES[name])
        }
        assert {key: cell for key, cell in found.items() if cell[0]} == fair.cascading(theirs, name)


@EXAMPLES
@given(texts=both())
def test_examples_are_the_words_of_their_cell(texts):
    ours, _ = matched(texts) or (None, None)
    if ours is None:
        return
    for gold in ("nsubj", "det"):
        for system in ("obj", "det"):
            for one in examples_of(ours, gold, system):
                ours_there = ours.gold[one.gold_sentence].relations[one.gold_word]
                theirs_there = ours.system[one.system_sentence].relations[one.system_word]
                assert (ours_there.split(":")[0], theirs_there.split(":")[0]) == (gold, system)


@settings(max_examples=examples(50))
@given(texts=pairs(max_sentences=3, max_words=6), seed=SEEDS)
def test_damaged_systems_that_are_read_are_counted_alike(texts, seed):
    """Unknown relations, forms of spaces, other sentences: whatever is read is counted like the oracle does."""
    draw = Random(seed)
    system = damaged_bytes(draw, texts[1], draw.choice((1, 2)))
    try:
        text = system.decode()
        theirs = oracle_match(texts[0], text, "ud")
    except (UnicodeDecodeError, ValueError):
        return
    ours = match(levelhead.from_conllu(texts[0]), levelhead.from_conllu(system), RULES["ud"])
    for restriction in ("@CORE", "-FUN-PUNCT", "@UNKNOWN"):
        keeps = fair.kept(*names_of(restriction))
        assert our_count(ours, f"LAS{restriction}") == fair.restricted(theirs, same_arc, keeps)
    assert our_count(ours, "LEM") == fair.exact_matches(theirs, same_arc, lambda _: True)
