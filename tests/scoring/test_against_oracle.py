"""Two implementations of reading, alignment and every measure, ours and the oracle's, on random and damaged files."""

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conllu_cases import VERDICTS
from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.setup import setup_of
from levelhead.measures.registry import REGISTRY, parse_measure
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.rules import RULES, WORD_RULES
from levelhead.scoring.score import count
from levelhead.treebank.official_reader import SCORERS, read_officially
from oracle.align import TextDiffers, align
from oracle.conllu import read, read_bytes
from oracle.damage import damaged_bytes
from oracle.document import DEPS, FEATS, LEMMA, UPOS, XPOS, Document, Refused
from oracle.drawing import RELATIONS
from oracle.measures import Counted, per_sentence, score, weighted_las
from strategies import SEEDS, examples, pairs

EVERY_RULES = pytest.mark.parametrize("rules", WORD_RULES)
EXAMPLES = settings(max_examples=examples(40))

COLUMNS = {
    "UPOS": (UPOS,),
    "XPOS": (XPOS,),
    "UFeats": (FEATS,),
    "AllTags": (UPOS, XPOS, FEATS),
    "Lemmas": (LEMMA,),
    "MLAS": (UPOS,),
    "BLEX": (LEMMA,),
    "ELAS": (DEPS,),
    "EULAS": (DEPS,),
}
"""Under `ud` a measure is not scored where gold has no value in one of these columns."""

RELATION_WEIGHTS = st.dictionaries(
    st.sampled_from(sorted({relation.split(":")[0] for relation in RELATIONS} - {"_"})),
    st.floats(min_value=0, max_value=10, allow_subnormal=False),
)


def our_read(data: bytes, rules: str) -> levelhead.Treebank:
    """Read as the rules do."""
    return read_officially(data, SCORERS[rules]) if rules in SCORERS else levelhead.from_conllu(data)


def our_verdict(gold: bytes, system: bytes, rules: str) -> str | dict[str, Counted]:
    """Refuse one of the files, find the texts to differ, or count every measure that has a value."""
    try:
        gold_treebank, system_treebank = our_read(gold, rules), our_read(system, rules)
        setup = setup_of(dict.fromkeys((*RULES[rules].measures, "LAS(full)")), rules=rules)
        scores = score_treebanks(gold_treebank, system_treebank, setup)
    except levelhead.TextMismatch:
        return "text differs"
    except levelhead.ConlluError:
        return "refused"
    return {
        name: Counted(each.correct, each.gold, each.system, each.aligned)
        for name, each in scores.items()
        if each.reason is None
    }


def oracle_verdict(gold: bytes, system: bytes, rules: str) -> str | dict[str, Counted]:
    """Say the same by the oracle."""
    try:
        document = read_bytes(gold, rules)
        read_bytes(system, rules)
        counted = score(gold.decode(), system.decode(), rules)
    except TextDiffers:
        return "text differs"
    except Refused:
        return "refused"
    return {name: each for name, each in counted.items() if rules != "ud" or is_annotated(document, name)}


def is_annotated(gold: Document, measure: str) -> bool:
    columns = COLUMNS.get(measure, ())
    return all(any(word.columns[i] not in {"", "_"} for word in gold.words) for i in columns)


def our_matches(gold: str, system: str, rules: str) -> Matches:
    return match(our_read(gold.encode(), rules), our_read(system.encode(), rules), RULES[rules])


@EVERY_RULES
def test_verdict_and_counts_of_corner_cases(rules: str) -> None:
    """The oracle's own table of odd files, each against itself."""
    for case, (text, _) in VERDICTS.items():
        data = text.encode()
        assert our_verdict(data, data, rules) == oracle_verdict(data, data, rules), case


@EVERY_RULES
@EXAMPLES
@given(texts=pairs())
def test_every_count_of_random_pairs(rules: str, texts: tuple[str, str]) -> None:
    """Valid files over the same text: the same measures have a value, and every count of theirs is the same.

    Where a file is valid under some rules only (an empty node in a multiword token), so is the verdict.
    """
    gold, system = (text.encode() for text in texts)
    assert our_verdict(gold, system, rules) == oracle_verdict(gold, system, rules)


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs(max_sentences=3, max_words=6), seed=SEEDS)
def test_verdict_and_counts_of_a_damaged_system(rules: str, texts: tuple[str, str], seed: int) -> None:
    """Refused, other text, or scored: the same, with the same counts."""
    draw = Random(seed)
    gold, system = texts[0].encode(), damaged_bytes(draw, texts[1], draw.choice((1, 1, 2, 3)))
    assert our_verdict(gold, system, rules) == oracle_verdict(gold, system, rules)


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs(max_sentences=3, max_words=6), seed=SEEDS)
def test_verdict_and_counts_of_a_damaged_file_against_itself(rules: str, texts: tuple[str, str], seed: int) -> None:
    """The texts agree, so whatever is not refused is scored."""
    draw = Random(seed)
    both = damaged_bytes(draw, texts[0], draw.choice((1, 1, 2, 3)))
    found = our_verdict(both, both, rules)
    assert found == oracle_verdict(both, both, rules)
    assert found != "text differs"


def both_damaged(seed: int, texts: tuple[str, str]) -> tuple[bytes, bytes]:
    draw = Random(seed)
    gold, system = (damaged_bytes(draw, text, 1) for text in texts)
    return gold, system


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs(max_sentences=3, max_words=6), seed=SEEDS)
def test_verdict_and_counts_of_two_damaged_files(rules: str, texts: tuple[str, str], seed: int) -> None:
    """Damage in gold that leaves it readable: unknown relations, empty cells, other spaces, broken graphs."""
    gold, system = both_damaged(seed, texts)
    assert our_verdict(gold, system, rules) == oracle_verdict(gold, system, rules)


def readable(texts: tuple[str, str], rules: str) -> bool:
    try:
        return bool(read(texts[0], rules) and read(texts[1], rules))
    except Refused:
        return False


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs())
def test_alignment_pairs(rules: str, texts: tuple[str, str]) -> None:
    """The pairs themselves, not only how many there are."""
    if readable(texts, rules):
        alignment = our_matches(*texts, rules).alignment
        found = list(zip(alignment.gold.tolist(), alignment.system.tolist(), strict=True))
        assert found == align(*(read(text, rules) for text in texts))


def one_token(forms: str) -> str:
    """Write a sentence of one multiword token; the first word governs the others."""
    rows = [f"1-{len(forms)}\txyz" + "\t_" * 8]
    rows += [f"{i}\t{form}\t_\t_\t_\t_\t{int(i > 1)}\tdep\t_\t_" for i, form in enumerate(forms, start=1)]
    return "\n".join(rows) + "\n\n"


@settings(max_examples=examples(20))
@given(seed=SEEDS, sizes=st.tuples(st.integers(1, 400), st.integers(1, 400)), kinds=st.integers(1, 12))
def test_alignment_inside_one_long_token(seed: int, sizes: tuple[int, int], kinds: int) -> None:
    """Hundreds of words of few kinds, so that most longest common subsequences are ties; more than one block of ours."""
    draw = Random(seed)
    gold, system = (one_token("".join(draw.choices("abcdefABCDEF"[:kinds], k=size))) for size in sizes)
    alignment = our_matches(gold, system, "ud").alignment
    found = list(zip(alignment.gold.tolist(), alignment.system.tolist(), strict=True))
    assert found == align(read(gold, "ud"), read(system, "ud"))


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs())
def test_counts_by_sentence(rules: str, texts: tuple[str, str]) -> None:
    """One row a gold sentence: a system word belongs where its first character lies."""
    if not readable(texts, rules):
        return
    matches = our_matches(*texts, rules)
    expected = per_sentence(*texts, rules)
    for name in ("Words", "UAS", "LAS", "CLAS"):
        rows = count(matches, parse_measure(name), REGISTRY[name], by_sentence=True)
        aligned = [None] * len(rows) if rows.aligned is None else rows.aligned.tolist()
        columns = (rows.correct.tolist(), rows.gold.tolist(), rows.system.tolist(), aligned)
        assert [Counted(*row) for row in zip(*columns, strict=True)] == [row[name] for row in expected]


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs(), weights=RELATION_WEIGHTS)
def test_weighted_las_to_the_last_bit(rules: str, texts: tuple[str, str], weights: dict[str, float]) -> None:
    """Sums of real weights, added up in the order of the text, as the script of 2017 does with its option -w."""
    if readable(texts, rules):
        measure = parse_measure("WeightedLAS(weights)")
        found = count(our_matches(*texts, rules), measure, REGISTRY[measure.name], weights=weights)
        expected = weighted_las(*texts, weights, rules)
        assert found.aligned is not None
        assert [part.tolist() for part in (found.correct, found.gold, found.system, found.aligned)] == [
            [expected.correct],
            [expected.gold],
            [expected.system],
            [expected.aligned],
        ]


@pytest.mark.slow
@EVERY_RULES
@EXAMPLES
@given(texts=pairs())
def test_counts_by_sentence_add_up_in_every_measure(rules: str, texts: tuple[str, str]) -> None:
    """Also of the measures that the oracle does not split: tokens, sentences, tags, enhanced edges."""
    if not readable(texts, rules):
        return
    matches = our_matches(*texts, rules)
    for name, expected in score(*texts, rules).items():
        measure = parse_measure(name)
        rows = count(matches, measure, REGISTRY[measure.name], by_sentence=True)
        total = rows.total()
        aligned = None if total.aligned is None else total.aligned[0]
        assert len(rows) == len(matches.gold)
        assert Counted(total.correct[0], total.gold[0], total.system[0], aligned) == expected, name
