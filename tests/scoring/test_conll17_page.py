"""Every example on the evaluation page of the CoNLL 2017 shared task, with counts made by hand.

Quotations are from that page. What it says holds under all rules, so each example is scored under all of them.
"""

import pytest

import levelhead
from levelhead.scoring.rules import WORD_RULES
from levelhead.treebank.official_reader import SCORERS, read_officially

Four = tuple[int, int, int, int]
"""Correct, gold, system, aligned."""

BOOKS = """\
1	They	they	PRON	PRP	Case=Nom|Number=Plur	2	nsubj	_	_
2	buy	buy	VERB	VBP	Number=Plur|Person=3|Tense=Pres	0	root	_	_
3	and	and	CONJ	CC	_	2	cc	_	_
4	sell	sell	VERB	VBP	Number=Plur|Person=3|Tense=Pres	2	conj	_	_
5	books	book	NOUN	NNS	Number=Plur	2	dobj	_	SpaceAfter=No
6	.	.	PUNCT	.	_	2	punct	_	_

"""

ZUR = """\
1-2	zur	_	_	_	_	_	_	_	_
1	zu	_	ADP	_	_	3	case	_	_
2	der	_	DET	_	_	3	det	_	_
3	Stadt	_	NOUN	_	_	0	root	_	SpaceAfter=No
4	,	_	PUNCT	_	_	3	punct	_	_
5-6	zum	_	_	_	_	_	_	_	_
5	zu	_	ADP	_	_	7	case	_	_
6	dem	_	DET	_	_	7	det	_	_
7	Haus	_	NOUN	_	_	3	conj	_	_

"""


def sentence(*rows: str) -> str:
    """Write a sentence; a row is `ID FORM` for a multiword token, `ID FORM HEAD DEPREL` for a word."""
    lines = []
    for row in rows:
        number, form, head, relation = [*row.split(), "_", "_"][:4]
        lines.append(f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n")
    return "".join(lines) + "\n"


def read(text: str, rules: str) -> levelhead.Treebank:
    """Read as the rules do."""
    return read_officially(text.encode(), SCORERS[rules]) if rules in SCORERS else levelhead.from_conllu(text)


@pytest.fixture(params=WORD_RULES)
def rules(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def scores(gold: str, system: str, rules: str, *measures: str) -> levelhead.Evaluation:
    return levelhead.score(read(gold, rules), read(system, rules), measures=measures or None, rules=rules)


def four(score: levelhead.Score) -> Four:
    return tuple(map(int, (score.correct, score.gold, score.system, score.aligned or 0)))


def las(gold: str, system: str, rules: str) -> Four:
    return four(scores(gold, system, rules, "LAS")["LAS"])


def words(gold: str, system: str, rules: str) -> Four:
    return four(scores(gold, system, rules, "Words")["Words"])


def test_the_page_own_sentences_are_perfect_against_themselves(rules: str) -> None:
    """Both snippets of the page are valid and score 100."""
    for text in (BOOKS, ZUR):
        n_words = len(read(text, rules).heads)
        assert las(text, text, rules) == (n_words,) * 4
        assert n_words == {BOOKS: 6, ZUR: 7}[text]


def test_contractions_are_one_token_of_two_words(rules: str) -> None:
    """`zur Stadt, zum Haus` has five tokens and seven words."""
    found = scores(ZUR, ZUR, rules, "Tokens", "Words", "Sentences")
    assert {name: four(score)[:3] for name, score in found.items()} == {
        "Tokens": (5, 5, 5),
        "Words": (7, 7, 7),
        "Sentences": (1, 1, 1),
    }


UNSPLIT_ZUR = sentence(
    *("1 zur 2 case", "2 Stadt 0 root", "3 , 2 punct"),
    *("4-5 zum", "4 zu 6 case", "5 dem 6 det", "6 Haus 2 conj"),
)


def test_zur_not_recognised_as_a_contraction(rules: str) -> None:
    """`any relations going [...] from the node zur [are] incorrect`: of 7 and 6 words, 5 are aligned and right."""
    assert words(ZUR, UNSPLIT_ZUR, rules)[:3] == (5, 7, 6)
    assert las(ZUR, UNSPLIT_ZUR, rules) == (5, 7, 6, 5)


def test_precision_recall_and_f1_are_as_defined(rules: str) -> None:
    """`LAS as the F1 score = 2PR / (P+R)`: P is of the system's nodes, R of gold's."""
    score = scores(ZUR, UNSPLIT_ZUR, rules, "LAS")["LAS"]
    precision, recall = 500 / 6, 500 / 7
    assert (score.precision, score.recall) == (precision, recall)
    assert score.f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert score.f1 == 1000 / 13


def test_relations_to_a_node_that_is_not_there_are_incorrect(rules: str) -> None:
    """`any relations going to [...] the node zur`: hang the comma and the house on it, and two more are lost."""
    on_zur = UNSPLIT_ZUR.replace("\t2\tpunct", "\t1\tpunct").replace("\t2\tconj", "\t1\tconj")
    assert las(ZUR, on_zur, rules) == (3, 7, 6, 5)


def test_a_root_that_hangs_on_a_node_that_is_not_there_is_incorrect(rules: str) -> None:
    """A head that stands for no gold word is not the root either, whatever the relation says."""
    system = UNSPLIT_ZUR.replace("\t2\tcase", "\t0\troot").replace("\t0\troot\t_\t_\n3", "\t1\troot\t_\t_\n3")
    found = scores(ZUR, system, rules, "UAS", "LAS")
    assert four(found["UAS"]) == four(found["LAS"]) == (4, 7, 6, 5)


def test_neither_contraction_recognised(rules: str) -> None:
    """`zum` as one word costs the same again: the town, the comma and the house remain."""
    system = sentence("1 zur 2 case", "2 Stadt 0 root", "3 , 2 punct", "4 zum 5 case", "5 Haus 2 conj")
    assert las(ZUR, system, rules) == (3, 7, 5, 3)
    assert scores(ZUR, system, rules, "Tokens")["Tokens"].f1 == 100


def test_a_contraction_where_gold_has_none(rules: str) -> None:
    """The other way round, `zu` and `der` stand for no gold word."""
    assert las(UNSPLIT_ZUR, ZUR, rules) == (5, 6, 7, 5)


def test_a_comma_not_separated_from_its_word(rules: str) -> None:
    """`The same will happen with the node "Stadt,"`: only zu and dem, which hang on Haus, remain right."""
    system = sentence(
        *("1-2 zur", "1 zu 3 case", "2 der 3 det", "3 Stadt, 0 root"),
        *("4-5 zum", "4 zu 6 case", "5 dem 6 det", "6 Haus 3 conj"),
    )
    assert four(scores(ZUR, system, rules, "Tokens")["Tokens"])[:3] == (3, 5, 4)
    assert words(ZUR, system, rules)[:3] == (5, 7, 6)
    assert las(ZUR, system, rules) == (2, 7, 6, 5)


def test_haus_wrongly_split_into_hau_and_das(rules: str) -> None:
    """`relations involving either Hau or das will be considered incorrect`: zu and dem hang on it, and it on Stadt."""
    system = sentence(
        *("1-2 zur", "1 zu 3 case", "2 der 3 det", "3 Stadt 0 root", "4 , 3 punct"),
        *("5-6 zum", "5 zu 7 case", "6 dem 7 det", "7-8 Haus", "7 Hau 3 conj", "8 das 7 det"),
    )
    assert scores(ZUR, system, rules, "Tokens")["Tokens"].f1 == 100
    assert words(ZUR, system, rules)[:3] == (6, 7, 8)
    assert las(ZUR, system, rules) == (4, 7, 8, 6)
    on_das = system.replace("\t7\tcase", "\t8\tcase").replace("\t7\tdet\t_\t_\n7-8", "\t8\tdet\t_\t_\n7-8")
    assert las(ZUR, on_das, rules) == (4, 7, 8, 6)


def test_wrong_words_inside_a_contraction(rules: str) -> None:
    """`1-2 zur, 1 zur, 2 der`: `node 1 [is] incorrect but relations involving node 2 may be correct`."""
    system = ZUR.replace("1\tzu\t", "1\tzur\t", 1)
    assert system.splitlines()[1].startswith("1\tzur\t")
    assert words(ZUR, system, rules)[:3] == (6, 7, 7)
    assert las(ZUR, system, rules) == (6, 7, 7, 6)


def test_what_hangs_on_a_wrong_word_inside_a_contraction_is_lost_too(rules: str) -> None:
    """Hang node 2 on the incorrect node 1, and it is aligned but wrong, although gold has the same arc."""
    gold = ZUR.replace("2\tder\t_\tDET\t_\t_\t3", "2\tder\t_\tDET\t_\t_\t1")
    assert las(gold, gold, rules) == (7, 7, 7, 7)
    assert las(gold, gold.replace("1\tzu\t", "1\tzur\t", 1), rules) == (5, 7, 7, 6)


@pytest.mark.parametrize(("token", "gold", "system"), [("Zum", "Zu", "zu"), ("zum", "zu", "Zu"), ("Zum", "zu", "ZU")])
def test_words_inside_contractions_match_whatever_their_case(token: str, gold: str, system: str, rules: str) -> None:
    """`splitting Zum to zu dem or zum to Zu dem are both OK`."""
    texts = [sentence(f"1-2 {token}", f"1 {zu} 3 case", "2 dem 3 det", "3 Haus 0 root") for zu in (gold, system)]
    assert las(*texts, rules) == (3, 3, 3, 3)


def test_the_text_itself_keeps_its_case(rules: str) -> None:
    """The exception is for the words: a token `zum` for `Zum` is another text."""
    texts = [sentence(f"1-2 {token}", "1 zu 3 case", "2 dem 3 det", "3 Haus 0 root") for token in ("Zum", "zum")]
    with pytest.raises(levelhead.TextMismatch):
        las(*texts, rules)


def test_a_contraction_without_its_line_is_another_text(rules: str) -> None:
    """`it must not forget to also generate the multi-word token line 5-6 zum`."""
    with pytest.raises(levelhead.TextMismatch):
        las(ZUR, ZUR.replace("5-6\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n", ""), rules)


def test_space_after_is_not_evaluated(rules: str) -> None:
    """`We will not evaluate whether the system correctly generated the SpaceAfter=No attribute`."""
    before, after = (scores(BOOKS, text, rules) for text in (BOOKS, BOOKS.replace("SpaceAfter=No", "_")))
    assert list(map(four, before.values())) == list(map(four, after.values()))


def test_tags_do_not_matter_to_las(rules: str) -> None:
    """`POS tags, lemmas and morphological features are not counted in the main evaluation metric`."""
    bare = sentence("1 They 2 nsubj", "2 buy 0 root", "3 and 2 cc", "4 sell 2 conj", "5 books 2 dobj", "6 . 2 punct")
    assert las(BOOKS, bare, rules) == (6, 6, 6, 6)
    assert scores(BOOKS, bare, rules, "UPOS")["UPOS"].correct == 0


def test_without_contractions_equal_character_ranges_are_aligned(rules: str) -> None:
    """`Tokens can be represented as character ranges`: ab c d against a bc d shares d alone, white space is no text."""
    gold = sentence("1 ab 0 root", "2 c 1 dep", "3 d 1 dep")
    system = sentence("1 a 0 root", "2 bc 1 dep", "3 d 1 dep")
    assert words(gold, system, rules)[:3] == (1, 3, 3)
    assert las(gold, system, rules) == (0, 3, 3, 1)


TWO_SENTENCES = sentence("1 a 0 root", "2 b 1 obj") + sentence("1 c 0 root", "2 d 1 obj")


@pytest.mark.parametrize("arc", ["1 root", "1 parataxis", "2 conj"])
def test_a_relation_across_a_gold_sentence_boundary_is_incorrect(arc: str, rules: str) -> None:
    """One system sentence for two of gold must hang c on a or b; whatever it says there, it is wrong."""
    system = sentence("1 a 0 root", "2 b 1 obj", f"3 c {arc}", "4 d 3 obj")
    found = scores(TWO_SENTENCES, system, rules, "Words", "Sentences", "UAS", "LAS")
    assert four(found["Words"])[:3] == (4, 4, 4)
    assert four(found["Sentences"])[:3] == (0, 2, 1)
    assert four(found["UAS"]) == four(found["LAS"]) == (3, 4, 4, 4)


def test_a_false_sentence_break_costs_the_relation_across_it_alone(rules: str) -> None:
    """`it will not be penalized directly, but there will necessarily be at least one gold relation [...] missed`."""
    gold = sentence("1 a 0 root", "2 b 1 obj", "3 c 1 parataxis", "4 d 3 obj")
    found = scores(gold, TWO_SENTENCES, rules, "Tokens", "Words", "Sentences", "UAS", "LAS")
    assert four(found["Tokens"])[:3] == four(found["Words"])[:3] == (4, 4, 4)
    assert four(found["Sentences"])[:3] == (0, 1, 2)
    assert four(found["UAS"]) == four(found["LAS"]) == (3, 4, 4, 4)


@pytest.mark.parametrize(("gold", "system"), [("acl:relcl", "acl"), ("acl", "acl:relcl"), ("acl:relcl", "acl:x:y")])
def test_subtypes_are_cut_on_both_sides(gold: str, system: str, rules: str) -> None:
    """`acl:relcl [...] will be truncated to acl both in the gold standard and in the parser output`."""
    texts = [sentence("1 a 0 root", f"2 b 1 {relation}") for relation in (gold, system)]
    assert las(*texts, rules) == (2, 2, 2, 2)
    assert scores(*texts, rules, "LAS(full)")["LAS(full)"].correct == 1


def test_an_unknown_relation_costs_one_point(rules: str) -> None:
    """`an unknown dependency relation label will only cost one point in the labeled accuracy score`."""
    system = BOOKS.replace("nsubj", "subject")
    found = scores(BOOKS, system, rules, "UAS", "LAS")
    assert four(found["UAS"]) == (6, 6, 6, 6)
    assert four(found["LAS"]) == (5, 6, 6, 6)


NO_TREE = {
    "a cycle": "12",
    "a word that is its own head": "02",
    "a cycle beside the root": "032",
    "several roots": "00",
}


@pytest.mark.parametrize("heads", NO_TREE.values(), ids=NO_TREE)
def test_what_is_no_tree_is_invalid(heads: str, rules: str) -> None:
    """`cycles, multiple root nodes [...] will be considered invalid output`."""
    with pytest.raises(levelhead.ConlluError):
        read(sentence(*(f"{number} a {head} dep" for number, head in enumerate(heads, 1))), rules)


@pytest.mark.parametrize("row", ["\t_\n", "\t_\t_\t_\n", "\n"])
def test_a_wrong_number_of_columns_is_invalid(row: str, rules: str) -> None:
    """`wrong number of columns`: nine, eleven or eight in place of ten."""
    with pytest.raises(levelhead.ConlluError):
        read(BOOKS.replace("dobj\t_\tSpaceAfter=No\n", f"dobj{row}"), rules)


@pytest.mark.parametrize("numbers", ["112", "134", "234", "012", "132", "12x"])
def test_wrong_indexing_is_invalid(numbers: str, rules: str) -> None:
    """`wrong indexing of nodes`: an id twice, a gap, a start at 2 or 0, a swap, no number."""
    rows = [f"{number} a {head} dep" for number, head in zip(numbers, "011", strict=True)]
    with pytest.raises(levelhead.ConlluError):
        read(sentence(*rows), rules)
    assert read(sentence("1 a 0 dep", "2 a 1 dep", "3 a 1 dep"), rules).n_words == 3
