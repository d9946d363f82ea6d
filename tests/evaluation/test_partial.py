"""Partial scores against a plain second implementation, and the laws that they obey."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from levelhead.errors import InputError
from levelhead.evaluation.fold import fold
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import whole_partial_pair
from levelhead.evaluation.setup import setup_of
from oracle import partial as oracle
from oracle.damage import damaged_bytes
from oracle.document import Refused
from oracle.measures import Counted
from oracle.strict import blocks
from strategies import SEEDS, examples, pairs

PARTIAL = setup_of(None, partial=True)
MORE = setup_of(["UEM", "LEM", "Trees", "Roots", "LS", "CNC", "LAS@CORE", "LAS(nopunct)", "CallinWLAS(w,default=1)"], partial=True,
                weights={"w": {"det": 0.1, "nsubj": 1.0, "punct": 0.3}})  # fmt: skip


WITHOUT_ROOTS = MORE.with_measures(one for one in MORE.measures if one.name != "Roots")
"""The system's words with HEAD 0 are what Roots counts: with one less it may be more precise."""


def partial(gold: str, system: str, setup=PARTIAL) -> Evaluation:
    return fold(whole_partial_pair(levelhead.from_conllu(gold), system.encode(), setup), setup)


def sentences_of(text: str) -> list[list[str]]:
    """The lines of each sentence, without comments."""
    return [[line for line in block if not line.startswith("#")] for block in blocks(text)]


def written(sentences: Sequence[Sequence[str]], ids: Sequence[object] | None = None) -> str:
    named = ids if ids is not None else [None] * len(sentences)
    heads = ([] if one is None else [f"# sent_id = {one}"] for one in named)
    return "".join("\n".join([*head, *lines, "", ""]) for head, lines in zip(heads, sentences, strict=True))


def set_cell(draw: Random, sentence: list[str], column: int, values: Sequence[str]) -> None:
    """Change a cell of a word."""
    words = [i for i, line in enumerate(sentence) if line.split("\t")[0].isdigit()]
    if not words:
        return
    at = draw.choice(words)
    cells = sentence[at].split("\t")
    cells[column] = draw.choice(values)
    sentence[at] = "\t".join(cells)


def answers(draw: Random, gold: str, system: str) -> tuple[str, str]:
    """Make what language models make of a text: sentences left out, repeated, renamed, moved; words and heads changed."""
    ours, theirs = sentences_of(gold), sentences_of(system)
    if draw.random() < 0.7:
        theirs = [list(one) for one in ours]
    ids = [str(number) for number in range(len(theirs))]
    with_ids = draw.random() < 0.6
    for _ in range(draw.randrange(6)):
        at = draw.randrange(len(theirs))
        kind = draw.randrange(7)
        if kind == 0 and len(theirs) > 1:
            del theirs[at], ids[at]
        elif kind == 1:
            theirs.insert(at, list(draw.choice(theirs)))
            ids.insert(at, draw.choice(ids))
        elif kind == 2:
            set_cell(draw, theirs[at], 1, ["a", "ab", "x y", "é", "Berlin"])
        elif kind == 3:
            set_cell(draw, theirs[at], 6, ["_", "0", "1", "2", "9", "x"])
        elif kind == 4:
            set_cell(draw, theirs[at], 7, ["det", "case", "nsubj", "_", ""])
        elif kind == 5 and len(theirs[at]) > 1:
            del theirs[at][draw.randrange(len(theirs[at]))]
        elif kind == 6 and draw.random() < 0.3:
            draw.shuffle(theirs)
    own = [str(number) for number in range(len(ours))]
    return (written(ours, own), written(theirs, ids)) if with_ids else (written(ours), written(theirs))


def counted(evaluation: Evaluation, which: str) -> dict[str, Counted]:
    return {
        name: Counted(one.correct, one.gold, one.system, one.aligned)
        for name, one in getattr(evaluation, which).items()
        if one.reason is None and name not in {"ELAS", "EULAS"}
    }


def check(gold: str, system: str) -> None:
    try:
        expected = oracle.score(gold, system)
    except Refused:
        with pytest.raises(InputError):
            partial(gold, system)
        return
    ours = partial(gold, system)
    for which, theirs in (("scores", expected.every), ("valid_trees", expected.valid_trees)):
        found = counted(ours, which)
        assert found == {name: theirs[name] for name in found}, which
    coverage = ours.coverage
    assert coverage is not None
    assert (coverage.paired_by, coverage.answered, coverage.aligned, coverage.forms_matched) == (
        expected.paired_by, expected.answered, expected.n_aligned, expected.n_equal,
    )  # fmt: skip
    assert (coverage.other_text, coverage.fits_next, coverage.fits_previous) == (
        len(expected.other_text), expected.fits_next, expected.fits_previous,
    )  # fmt: skip


@settings(max_examples=examples(30))
@given(files=pairs(3, 4), seed=SEEDS)
def test_every_count_is_that_of_the_definition(files, seed):
    check(*answers(Random(seed), *files))


@settings(max_examples=examples(25))
@given(files=pairs(3, 4), seed=SEEDS, n_edits=st.integers(0, 4))
def test_damaged_files_are_read_row_by_row(files, seed, n_edits):
    gold, system = files
    data = damaged_bytes(Random(seed), system, n_edits)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        with pytest.raises(InputError, match="UTF-8"):
            fold(whole_partial_pair(levelhead.from_conllu(gold), data, PARTIAL), PARTIAL)
        return
    check(gold, text)


@settings(max_examples=examples(25))
@given(files=pairs())
def test_without_differences_scores_are_the_usual_ones(files):
    """All measures, all counts, and both policies; tokens and sentences may be cut in other ways."""
    gold, system = files
    for setup in (PARTIAL, MORE):
        usual = levelhead.evaluation.fold.score_treebanks(
            levelhead.from_conllu(gold), levelhead.from_conllu(system), setup_of(setup.names, weights=setup.weights)
        )
        found = partial(gold, system, setup)
        for name, one in usual.items():
            for other in (found.scores[name], found.valid_trees[name]):
                numbers = [(s.correct, s.gold, s.system, s.aligned, s.reason) for s in (one, other)]
                assert numbers[0] == numbers[1], name


def ratios(evaluation: Evaluation) -> dict[str, float]:
    found = {}
    for which in ("scores", "valid_trees"):
        for name, one in getattr(evaluation, which).items():
            if one.reason is None:
                found |= {f"{which} {name} {kind}": getattr(one, kind) or 0.0 for kind in ("precision", "recall", "f1")}
    return found


def never_higher(before: Evaluation, after: Evaluation, kinds: Sequence[str] = ("",)) -> None:
    ours, theirs = ratios(before), ratios(after)
    for name, value in theirs.items():
        if any(kind in name for kind in kinds):
            assert value <= ours[name] + 1e-12, name


def n_words(sentence: Sequence[str]) -> int:
    return sum(line.split("\t")[0].isdigit() for line in sentence)


def short(draw: Random, gold: str, system: str) -> tuple[list[list[str]], list[list[str]], list[int]]:
    """Answers by id with no more words than gold: some words and heads are wrong, some are missing."""
    ours = sentences_of(gold)
    theirs = [list(one) for one in ours]
    analyses = sentences_of(system)
    for number, one in enumerate(theirs):
        if number < len(analyses) and n_words(analyses[number]) <= n_words(one) and draw.random() < 0.5:
            theirs[number] = list(analyses[number])
        for _ in range(draw.randrange(4)):
            column = draw.choice([1, 6, 7])
            set_cell(
                draw, theirs[number], column, [["x"], [], [], [], [], ["_", "0", "1", "2"], ["det", "_"]][column - 1]
            )
    return ours, theirs, list(range(len(ours)))


@settings(max_examples=examples(25))
@given(files=pairs(4, 5), seed=SEEDS)
def test_leaving_out_an_answer_never_raises_a_score(files, seed):
    """Of words: an answer with no more words than gold; recall of all measures."""
    draw = Random(seed)
    ours, theirs, ids = short(draw, *files)
    if len(ours) < 2:
        return
    left_out = draw.randrange(len(ours))
    fewer = [one for number, one in enumerate(theirs) if number != left_out]
    gold = written(ours, ids)
    before = partial(gold, written(theirs, ids))
    after = partial(gold, written(fewer, [number for number in ids if number != left_out]))
    whole_words = ("Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "LAS(full)")
    never_higher(before, after, [*(f" {name} " for name in whole_words), " recall"])


@settings(max_examples=examples(30))
@given(files=pairs(3, 6), seed=SEEDS, with_ids=st.booleans())
def test_leaving_out_a_head_never_raises_a_score(files, seed, with_ids):
    draw = Random(seed)
    ours, theirs, ids = short(draw, *files)
    gold, setup = (
        written(ours, ids if with_ids else None),
        draw.choice([PARTIAL, PARTIAL, MORE.with_measures(MORE.measures[:3] + MORE.measures[4:])]),
    )
    before = partial(gold, written(theirs, ids if with_ids else None), setup)
    set_cell(draw, theirs[draw.randrange(len(theirs))], 6, ["_"])
    never_higher(before, partial(gold, written(theirs, ids if with_ids else None), setup))


@settings(max_examples=examples(25))
@given(files=pairs(3, 6), seed=SEEDS)
def test_valid_trees_never_score_more_than_all_rows(files, seed):
    try:
        found = partial(*answers(Random(seed), *files))
    except InputError:  # no row is left
        return
    for name, one in found.scores.items():
        other = found.valid_trees[name]
        assert other.correct <= one.correct
        assert (other.gold, other.system, other.aligned) == (one.gold, one.system, one.aligned)
