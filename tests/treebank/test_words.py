"""Sentences and words that can be walked: columns, trees, order, equality."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given

import levelhead
from levelhead import ConlluError, InputError, Treebank, from_conllu
from levelhead.treebank import Sentence, Word
from levelhead.treebank.tokens import FIELDS
from oracle import trees
from strategies import treebanks

TEXT = """\
1\tIm\tim\tADP\tAPPR\t_\t2\tcase\t_\t_
2\tHaus\tHaus\tNOUN\tNN\tCase=Dat|Gender=Neut|Number[psor]=Sing\t0\troot\t0:root\tGloss=house|SpaceAfter=No
3\t,\t,\tPUNCT\t$,\t_\t4\tpunct\t_\t_
4\tgebaut\tbauen\tVERB\tVVPP\tfin\t2\tacl:relcl\t_\t_

1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture(scope="module")
def tb() -> Treebank:
    return from_conllu(TEXT)


def rows_of(text: str) -> list[list[list[str]]]:
    """Split CoNLL-U into the rows of words."""
    sentences = ([line.split("\t") for line in block.split("\n") if "\t" in line] for block in text.split("\n\n"))
    return [[row for row in rows if row[0].isdigit()] for rows in sentences if rows]


def walked(word: Word) -> tuple[object, ...]:
    ids = [[other.id for other in others] for others in (word.children, word.descendants)]
    return (word.parent and word.parent.id, *ids, word.depth)


def expected(heads: list[int], word: int) -> tuple[object, ...]:
    """Walk the same way in a list of heads."""
    children = [child for child, head in enumerate(heads, 1) if head == word]
    below = sorted(trees.yields(heads)[word] - {word})
    return (heads[word - 1] or None, children, below, trees.depth(heads, word))


def check(treebank: Treebank, text: str) -> None:
    """Compare the columns and the place of every word with the file's rows."""
    for sentence, rows in zip(treebank, rows_of(text), strict=True):
        assert [[str(getattr(word, name.lower())) for name in FIELDS] for word in sentence] == rows
        heads = [int(row[6]) for row in rows]
        assert list(map(walked, sentence)) == [expected(heads, word) for word in range(1, len(rows) + 1)]


@given(treebanks())
def test_words_of_any_treebank(text: str) -> None:
    check(from_conllu(text), text)


def test_words_of_real_treebanks(data: Path) -> None:
    for code in ("cs_pud", "ja_modern"):
        path = data / "conll18" / "gold" / f"{code}.conllu.xz"
        treebank = levelhead.read(path)[:80]
        check(treebank, "".join(sentence.conllu for sentence in treebank))
        depths = levelhead.treebank.shapes_of(treebank).depths
        assert [[word.depth for word in sentence] for sentence in treebank] == [
            depths[sentence.span].tolist() for sentence in treebank
        ]


def test_numbers_are_numbers(tb: Treebank) -> None:
    word = tb[0][1]
    assert (word.id, word.form, word.head, word.misc) == (2, "Haus", 0, "Gloss=house|SpaceAfter=No")
    assert type(word.id) is type(word.head) is type(word.depth) is int
    assert repr(word) == "<Word 2: Haus>"
    assert (word.parent, tb[0][0].parent) == (None, word)


def test_features_and_relations(tb: Treebank) -> None:
    """Subtypes are part of `deprel` only; in CoNLL-X, a feature can be a value without a name."""
    haus, gebaut = tb[0][1], tb[0][3]
    assert haus.features == {"Case": "Dat", "Gender": "Neut", "Number[psor]": "Sing"}
    assert (tb[0][0].features, gebaut.features) == ({}, {"fin": ""})
    assert (gebaut.deprel, gebaut.relation, haus.relation) == ("acl:relcl", "acl", "root")


def test_order(tb: Treebank) -> None:
    first, second = tb[0][:2]
    assert [first.precedes(second), second.precedes(first), first.precedes(first)] == [True, False, False]
    assert second.precedes(from_conllu(TEXT)[0][3])  # the same sentence, read again
    for other in (tb[1][0], 2):
        with pytest.raises(InputError, match="invalid-argument: other must be a word of the same sentence, not"):
            first.precedes(other)


def test_sentences_are_sequences_of_words(tb: Treebank) -> None:
    sentence = tb[0]
    assert [word.id for word in reversed(sentence)] == [4, 3, 2, 1]
    assert [word.form for word in sentence[-2:]] == [",", "gebaut"]
    assert sentence[::-2] == [sentence[-1], sentence[1]] == [sentence[3], sentence[-3]]
    assert (len(sentence), len(sentence[1:3]), sentence[9:]) == (4, 2, [])
    assert [sentence[2] in sentence, tb[1][0] in sentence, sentence.words == list(sentence)] == [True, False, True]
    for outside in (4, -5):
        with pytest.raises(IndexError):
            sentence[outside]


def test_treebanks_are_sequences_of_sentences(tb: Treebank) -> None:
    assert [sentence.index for sentence in reversed(tb)] == [1, 0]
    assert [tb[1] in tb, tb[1] in tb[1:], tb[1] in tb[:1], tb[:1][0] == tb[0]] == [True, True, False, True]
    assert (tb.index(tb[-1]), tb.count(tb[0]), len(tb[::-1])) == (1, 1, 2)


def test_equal_words(tb: Treebank) -> None:
    """The same word of an equal sentence, wherever it was read; any change of its sentence makes it another word."""
    again, upos = from_conllu("1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n" + TEXT), ["X"] * tb.n_words
    word, same = tb[0][1], again[1][1]
    assert (word, hash(word), tb[0], hash(tb[0])) == (same, hash(same), again[1], hash(again[1]))
    assert tb.replace(upos=upos)[0] != tb[0]
    assert tb.replace(upos=upos)[0][1] != word != tb[0][0]
    assert [word == 2, tb[0] == TEXT, {word, same, tb[0][0]} == {word, tb[0][0]}] == [False, False, True]


def test_words_can_be_pickled(tb: Treebank) -> None:
    word = pickle.loads(pickle.dumps(tb[0][3]))
    assert (word, word.parent, word.sentence.index) == (tb[0][3], tb[0][1], 0)


def test_words_without_trees() -> None:
    """Columns can be read; the tree cannot be walked."""
    word = from_conllu("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")[0][0]
    assert (word.form, word.head) == ("a", None)
    for name in ("parent", "children", "descendants", "depth"):
        with pytest.raises(ConlluError, match="no-trees"):
            getattr(word, name)


def test_long_chains() -> None:
    """A depth of thousands is no recursion."""
    rows = (f"{i}\ta\t_\t_\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i in range(1, 3001))
    sentence = from_conllu("".join(rows) + "\n")[0]
    assert isinstance(sentence, Sentence)
    assert (sentence[-1].depth, len(sentence[-3].descendants)) == (2999, 2)


@pytest.mark.parametrize(("code", "low", "high"), [("en_pud", 0.97, 1), ("fi_pud", 0.7, 0.8), ("ja_modern", 0, 0.01)])
def test_order_of_verb_and_object(data: Path, code: str, low: float, high: float) -> None:
    """The two lines of docs/typology.md."""
    treebank = levelhead.read(data / "conll18" / "gold" / f"{code}.conllu.xz")
    verbs = [word for sentence in treebank for word in sentence if word.upos == "VERB"]
    after = [verb.precedes(obj) for verb in verbs for obj in verb.children if obj.relation == "obj"]
    assert low <= sum(after) / len(after) <= high
    assert len(after) > 300
