"""The oracle itself, against what the papers say and against counts made by hand."""

from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from conllu_cases import VERDICTS, A, row, sentence
from oracle.align import TextDiffers, align
from oracle.conllu import read, read_bytes
from oracle.document import RULES, Document, Refused
from oracle.measures import Counted, per_sentence, score, weighted_las
from oracle.strict import blocks, repaired
from strategies import damaged, pairs, treebanks


def flat(*tokens: str) -> str:
    """Write a sentence of tokens, `surface=word+word` being a multiword one; the first word governs the others."""
    rows: list[str] = []
    number = 0
    for token in tokens:
        surface, _, words = token.partition("=")
        forms = words.split("+") if words else [surface]
        if words:
            rows.append(row(f"{number + 1}-{number + len(forms)}", surface))
        for form in forms:
            number += 1
            rows.append(row(str(number), form, "0" if number == 1 else "1", "root" if number == 1 else "dep"))
    return sentence(*rows)


def aligned(gold: str, system: str, rules: str = "conll17") -> list[tuple[int, int]]:
    return align(read(gold, rules), read(system, rules))


def accepts(data: bytes, rules: str) -> bool:
    try:
        read_bytes(data, rules)
    except Refused:
        return False
    return True


def f1(counted: Counted) -> float:
    return round(200 * counted.correct / (counted.gold + counted.system), 2)


ZUR = ("zur=zu+der", "Stadt", ",", "zum=zu+dem", "Haus")

ALIGNMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], list[tuple[int, int]]]] = {
    "the same": (ZUR, ZUR, [(i, i) for i in range(7)]),
    "contraction not recognised": (ZUR[:3], ("zur", "Stadt", ","), [(2, 1), (3, 2)]),
    "punctuation not separated": (("Stadt", ","), ("Stadt,",), []),
    "word wrongly split": (("Haus",), ("Haus=Hau+das",), []),
    "wrong words of a contraction": (("zur=zu+der",), ("zur=zur+der",), [(1, 1)]),
    "case of the surface": (("Zum=zu+dem",), ("Zum=Zu+dem",), [(0, 0), (1, 1)]),
    "lower case, not case folding": (("x=strasse+a",), ("x=straße+a",), [(1, 1)]),
    "a tie drops the gold word": (("ab=a+b",), ("ab=b+a",), [(1, 0)]),
    "a longer match is not given up": (("x=a+b+c",), ("x=b+c+a",), [(1, 0), (2, 1)]),
    "a region may join plain words": (("abc=a+b+c",), ("a", "b", "c"), [(0, 0), (1, 1), (2, 2)]),
    "multiword tokens that overlap": (("a", "bcd=b+c+d", "e"), ("abc=a+b+c", "de=d+e"), [(i, i) for i in range(5)]),
    "a word before the region sticks out": (("ab", "c=b+c"), ("a", "bc"), []),
    "a word that starts with the region is taken": (("ab",), ("a=ab+x", "b"), [(0, 0)]),
    "a word that starts before is left": (("xab",), ("x", "a=xab", "b"), []),
}


@pytest.mark.parametrize("rules", RULES)
def test_alignment(rules: str) -> None:
    for case, (gold, system, pairs_due) in ALIGNMENTS.items():
        assert aligned(flat(*gold), flat(*system), rules) == pairs_due, case


def test_the_end_of_one_file_ends_the_search_for_regions() -> None:
    assert aligned(flat("a", "b"), flat("a", "b=b+b")) == [(0, 0), (1, 1)]
    assert aligned(flat("ab"), flat("a", "b=ab")) == []


@pytest.mark.parametrize(
    ("gold", "system", "same_in"),
    [
        ("a b", "ab", RULES),
        ("a\u00a0b", "ab", RULES[1:]),
        ("a\u3000b", "a b", RULES[1:]),
        ("a\u200bb", "ab", ()),
        ("\u00e9", "e\u0301", ()),
        ("a", "A", ()),
        ("a", "ab", ()),
    ],
)
def test_text_match(gold: str, system: str, same_in: tuple[str, ...]) -> None:
    for rules in RULES:
        if rules in same_in:
            assert aligned(flat(gold), flat(system), rules) == [(0, 0)]
        else:
            with pytest.raises(TextDiffers):
                aligned(flat(gold), flat(system), rules)


def test_only_plain_words_lose_their_spaces_before_forms_are_compared() -> None:
    assert aligned(flat("x=a b"), flat("x=ab")) == []
    assert aligned(flat("a b"), flat("ab=ab")) == [(0, 0)]


def test_verdicts() -> None:
    for case, (text, accepted_by) in VERDICTS.items():
        short = {"conll17": "17", "conll18": "18", "udtools": "ut", "ud": "ud"}
        assert " ".join(short[rules] for rules in RULES if accepts(text.encode(), rules)) == accepted_by, case


@pytest.mark.parametrize("data", [b"\xff", b"\xed\xa0\x80", b"\xc0\x80", sentence(A).encode("utf-16")])
def test_what_is_not_utf8_is_refused(data: bytes) -> None:
    assert not any(accepts(data, rules) for rules in RULES)


def test_a_negative_head_finds_a_word_by_python_indexing_in_2017() -> None:
    second = sentence(row("1-2", "ab"), row("1", "a", "0", "root"), row("2", "b", "-1", "dep"))
    assert [word.parent for word in read(sentence(A, row("2", "b", "1", "x")) + second, "conll17").words] == [
        None,
        0,
        None,
        0,
    ]


TWO = sentence(A, row("2", "b", "1", "obl")) + sentence(row("1", "c", "0", "root"), row("2", "d", "1", "obl"))
ONE = sentence(A, *(row(str(i), form, str(head), "obl") for i, form, head in ((2, "b", 1), (3, "c", 1), (4, "d", 3))))


@pytest.mark.parametrize("rules", RULES)
def test_two_gold_sentences_against_one(rules: str) -> None:
    counted = score(TWO, ONE, rules)
    assert counted["Tokens"] == Counted(4, 4, 4)
    assert counted["Sentences"] == Counted(0, 2, 1)
    assert counted["Words"] == Counted(4, 4, 4)
    assert counted["UAS"] == counted["LAS"] == counted["CLAS"] == Counted(3, 4, 4, 4)
    assert [each["LAS"] for each in per_sentence(TWO, ONE, rules)] == [Counted(2, 2, 2, 2), Counted(1, 2, 2, 2)]


def test_an_unknown_relation_counts_in_2017_only() -> None:
    gold, system = (sentence(A, row("2", "b", "1", relation)) for relation in ("obl", "foo"))
    assert score(gold, system, "conll17")["CLAS"] == Counted(1, 2, 2, 2)
    assert score(gold, system, "conll18")["CLAS"] == Counted(1, 2, 1, 2)
    assert [f1(score(gold, system, rules)["CLAS"]) for rules in RULES] == [50.0, 66.67, 66.67, 66.67]


def test_subtypes_count_in_full_las_only() -> None:
    gold, system = (sentence(A, row("2", "b", "1", relation)) for relation in ("obl:agent", "obl"))
    for rules in RULES:
        assert score(gold, system, rules)["LAS"] == Counted(2, 2, 2, 2)
        assert score(gold, system, rules)["LAS(full)"] == Counted(1, 2, 2, 2)


@pytest.mark.parametrize(("gold", "system", "in_2017", "since"), [("_", "x", 0, 1), ("x", "_", 0, 0), ("_", "_", 1, 1)])
def test_a_missing_gold_lemma(gold: str, system: str, in_2017: int, since: int) -> None:
    gold, system = (sentence(row("1", "a", "0", "root", lemma=lemma)) for lemma in (gold, system))
    assert [score(gold, system, rules)["Lemmas"].correct for rules in RULES] == [in_2017, since, since, since]
    assert [score(gold, system, rules)["BLEX"].correct for rules in RULES[1:]] == [since] * 3


@pytest.mark.parametrize("system", ["Case=Nom|Number=Sing", "Number=Sing|Case=Nom|Number[psor]=Plur|Typo=Yes"])
def test_only_universal_features_count_since_2018(system: str) -> None:
    gold = sentence(row("1", "a", "0", "root", feats="Case=Nom|Number=Sing|ExtPos=X"))
    system = sentence(row("1", "a", "0", "root", feats=system))
    in_2017 = score(gold, system, "conll17")
    assert in_2017["Feats"].correct == in_2017["AllTags"].correct == 0
    for rules in RULES[1:]:
        counted = score(gold, system, rules)
        assert counted["UFeats"].correct == counted["AllTags"].correct == 1


def test_a_function_word_at_the_wrong_head_fails_both_heads_in_mlas() -> None:
    gold, system = (sentence(A, row("2", "b", "1", "obj"), row("3", "c", head, "det")) for head in "12")
    counted = score(gold, system, "conll18")
    assert counted["CLAS"] == counted["BLEX"] == Counted(2, 2, 2, 2)
    assert counted["MLAS"] == Counted(0, 2, 2, 2)


def test_equal_enhanced_edges_are_counted_every_pair_by_udtools_and_once_by_us() -> None:
    suffixes = sentence(A.replace("root\t_", "root\t0:root"), row("2", "b", "1", "conj", deps="1:conj:and|1:conj:or"))
    assert score(suffixes, suffixes, "udtools")["EULAS"] == Counted(5, 3, 3)
    assert score(suffixes, suffixes, "ud")["EULAS"] == score(suffixes, suffixes, "udtools")["ELAS"] == Counted(3, 3, 3)
    doubled = suffixes.replace("conj:or", "conj:and")
    assert score(doubled, doubled, "udtools")["ELAS"] == Counted(5, 3, 3)
    assert score(doubled, suffixes, "udtools")["ELAS"] == Counted(3, 3, 3)
    assert score(doubled, suffixes, "ud")["ELAS"] == Counted(2, 3, 3)


def test_paths_through_empty_nodes_become_edges() -> None:
    text = sentence(
        row("1", "a", "0", "root", deps="0:root"),
        row("1.1", "_", deps="1:conj|1.2:dep"),
        row("1.2", "_", deps="1.1:x:y|0:root"),
        row("2", "b", "1", "orphan", deps="1.1:nsubj|1.2:obj|1:conj>nsubj"),
    )
    from_root, from_word = [(None, "root>dep>nsubj"), (None, "root>obj")], [(0, "conj>nsubj"), (0, "conj>x:y>obj")]
    assert sorted(read(text, "ud").words[1].edges, key=str) == from_word + from_root
    assert read(text, "udtools").words[1].edges == [(0, "conj>nsubj")]
    assert score(text, text, "ud")["ELAS"] == Counted(5, 5, 5)


def test_broken_deps_cost_only_the_enhanced_measures() -> None:
    broken = sentence(row("1", "a", "0", "root", deps="7:root"))
    assert set(score(broken, broken, "conll18")) | {"ELAS", "EULAS"} == set(score(sentence(A), sentence(A), "ud"))
    assert "ELAS" not in score(broken, sentence(A), "ud")


def test_nothing_against_nothing() -> None:
    assert set(score("", "", "conll18").values()) == {Counted(0, 0, 0), Counted(0, 0, 0, 0)}
    with pytest.raises(TextDiffers):
        score(sentence(A), "", "conll18")


def test_weights_are_those_of_gold_but_for_the_system_total() -> None:
    gold, system = (sentence(A, row("2", "b", "1", relation)) for relation in ("obl:x", "det"))
    weighed: Any = weighted_las(gold, system, {"obl": 0.5, "det": 0.125}, "conll17")
    assert (weighed.correct, weighed.gold, weighed.system, weighed.aligned) == (1.0, 1.5, 1.125, 1.5)


# Laws, on random treebanks


def read_or_none(text: str, rules: str) -> Document | None:
    try:
        return read(text, rules)
    except Refused:
        return None


@given(treebanks())
def test_a_treebank_against_itself_is_perfect(text: str) -> None:
    for rules in RULES:
        if read_or_none(text, rules):
            for name, counted in score(text, text, rules).items():
                if rules != "udtools" or name not in {"ELAS", "EULAS"}:
                    assert counted.correct == counted.gold == counted.system, name


@given(pairs())
def test_ours_differs_from_udtools_in_enhanced_edges_only(texts: tuple[str, str]) -> None:
    ours, theirs = score(*texts, "ud"), score(*texts, "udtools")
    assert [name for name in ours if ours[name] != theirs[name] and name not in {"ELAS", "EULAS"}] == []
    assert all(counted.correct <= min(counted.gold, counted.system) for counted in ours.values())


@given(pairs(), st.sampled_from(("udtools", "ud")))
def test_sentences_add_up(texts: tuple[str, str], rules: str) -> None:
    total, parts = score(*texts, rules), per_sentence(*texts, rules)
    for name in ("UAS", "LAS", "CLAS"):
        sums = [sum(getattr(part[name], side) for part in parts) for side in ("correct", "gold", "system", "aligned")]
        assert Counted(*sums) == total[name]


WITHOUT_HEADS = "1\tÉ\t_\tDET\t_\tNumber[psor]=Plur|Number=Plur|Number=Sing\t_\troot\t0:root|1:conj:and\t_\n\n".encode()


@settings(max_examples=50)
@example(WITHOUT_HEADS)
@given(treebanks(max_sentences=2, max_words=6).flatmap(damaged))
def test_verdicts_on_damaged_files_are_ordered(spoilt: bytes) -> None:
    """The 2017 script takes whatever the 2018 script takes, and udtools takes whatever `ud` takes, once repaired.

    Of treebanks without heads, the official scripts take none.
    """
    assert accepts(spoilt, "conll17") or not accepts(spoilt, "conll18")
    if accepts(spoilt, "ud") and not (document := read_bytes(spoilt, "ud")).deps_are_broken:
        text = "".join(sentence(*block) for block in blocks(repaired(spoilt.decode())))
        assert accepts(text.encode(), "udtools") == document.has_trees
        assert score(text, text, "ud") == score(spoilt.decode(), spoilt.decode(), "ud")
