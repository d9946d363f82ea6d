"""spaCy holds trees of words; white space, unparsed Docs and tangled arcs are where it hurts."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, strategies as st

import levelhead
from conftest import library
from levelhead.interop import from_spacy, to_spacy
from levelhead.treebank import to_conllu
from strategies import SEEDS, treebanks


@pytest.fixture(autouse=True, scope="module")
def _spacy():
    """Loaded only where these tests run, since it takes a second."""
    library("spacy")


@cache
def blank(language):
    """Return a pipeline without components."""
    return library("spacy").blank(language)


def vocabulary():
    return blank("xx").vocab


def doc_of(words, heads, deps, spaces=None, **more):
    return library("spacy").tokens.Doc(vocabulary(), words=words, heads=heads, deps=deps, spaces=spaces, **more)


def plain(text, seed):
    """Leave out what spaCy has no place for: ranges, empty nodes, comments, DEPS, MISC; sort features."""
    draw = Random(seed)
    return "\n".join(
        "\t".join(plain_cells(line.split("\t"), draw))
        for line in text.split("\n")
        if line[:1] != "#" and not {"-", "."} & {*line.partition("\t")[0]}
    )


def plain_cells(cells, draw):
    if len(cells) == 10:
        features = {item.partition("=")[0]: item for item in cells[5].split("|") if "=" in item}
        cells[5] = "|".join(sorted(features.values())) or "_"
        cells[8:] = ["_", draw.choice(("_", "SpaceAfter=No"))]
    return cells


@given(st.builds(plain, treebanks(), SEEDS))
def test_trees_of_words_come_back_as_they_were(text):
    treebank = levelhead.from_conllu(text)
    doc = to_spacy(treebank, vocabulary())
    assert [sentence.start for sentence in doc.sents] == treebank.sentence_starts[:-1].tolist()
    assert to_conllu(from_spacy(doc)).decode() == text


@given(treebanks())
def test_of_any_treebank_the_trees_come_back(text):
    treebank = levelhead.from_conllu(text)
    without_features = treebank.replace(feats=["_"] * treebank.n_words)
    back = from_spacy(to_spacy(without_features, vocabulary()))
    assert [list(back.forms), list(back.relations)] == [list(treebank.forms), list(treebank.relations)]
    assert [back.heads.tolist(), back.sentence_starts.tolist()] == [
        treebank.heads.tolist(),
        treebank.sentence_starts.tolist(),
    ]


def test_words_of_multiword_tokens_have_spaces_between_them():
    text = (
        "1-2\tdes\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tde\t_\t_\t_\t_\t3\tcase\t_\tSpaceAfter=No\n"
        "2\tles\t_\t_\t_\t_\t3\tdet\t_\t_\n3\teaux\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    )
    assert to_spacy(levelhead.from_conllu(text)).text == "de leseaux "


def test_the_vocabulary_can_be_given():
    treebank = levelhead.build([["hi"]], [[0]], [["root"]])
    assert to_spacy(treebank, vocabulary()).vocab is vocabulary()
    assert to_spacy(treebank)[0].is_alpha


def test_nothing_becomes_nothing():
    assert len(to_spacy(levelhead.build([["hi"]], [[0]], [["root"]])[:0])) == 0


def test_root_is_renamed_on_request():
    treebank = levelhead.build([["a", "b"]], [[0, 1]], [["root", "root"]])
    assert [token.dep_ for token in to_spacy(treebank)] == ["root", "root"]
    renamed = to_spacy(treebank, rename_root=True)
    assert [token.dep_ for token in renamed] == ["ROOT", "root"]
    assert list(from_spacy(renamed).relations) == ["ROOT", "root"]
    assert list(from_spacy(renamed, rename_root=True).relations) == ["root", "root"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"upos": ["FOO", "X"]}, "sentence 2: word 1: spaCy does not know the UPOS 'FOO'"),
        ({"feats": ["Abbr", "_"]}, "cannot read the features 'Abbr'"),
        ({"feats": ["_", "A=b=c"]}, "sentence 2: word 2: spaCy cannot read the features 'A=b=c'"),
        ({"forms": ["\x0b", "b"]}, "only white space"),
    ],
)
def test_what_the_library_cannot_hold_is_refused_with_the_place(columns, message):
    one = levelhead.build([["x"], ["a", "b"]], [[0], [0, 1]], [["root"], ["root", "dep"]])
    kept = {"forms": ["x"], "upos": ["_"], "feats": ["_"]}
    changed = one.replace(**{name: kept[name] + values for name, values in columns.items()})
    with pytest.raises(levelhead.InputError) as caught:
        to_spacy(changed, vocabulary())
    assert caught.value.slug == "cannot-hold"
    assert message in str(caught.value)


def zigzag(size):
    """Heads that lead from both ends to the middle in turns, which spaCy follows eleven times only."""
    order = [end for pair in zip(range(size // 2), range(size - 1, 0, -1)) for end in pair]
    heads = dict(zip(order, order[1:]))
    return [heads.get(word, -1) + 1 for word in range(size)]


def test_trees_too_tangled_for_the_library_are_refused():
    good, bad = (levelhead.build([["w"] * n], [zigzag(n)], [["dep"] * n]) for n in (20, 60))
    assert to_conllu(from_spacy(to_spacy(good))) == to_conllu(good)
    with pytest.raises(levelhead.InputError, match="sentence 1: spaCy cannot find the end of the sentence"):
        to_spacy(bad)


# From spaCy


def test_several_docs_are_one_treebank():
    docs = [doc_of(["a", "b"], [0, 1], ["root", "root"]), doc_of(["c"], [0], ["root"])]
    assert list(from_spacy(iter(docs)).forms) == ["a", "b", "c"]
    assert len(from_spacy(docs)) == 3


def test_white_space_goes_to_misc():
    words = ["\n", "Hi", "\n\n", "  ", "you", " ", "Go", "\t"]
    deps = ["dep", "ROOT", "dep", "dep", "obj", "dep", "ROOT", "dep"]
    doc = doc_of(words, [1, 1, 1, 2, 1, 6, 6, 6], deps, spaces=[False, True, False, False, True, False, False, False])
    treebank = from_spacy(doc)
    assert list(treebank.forms) == ["Hi", "you", "Go"]
    assert list(treebank.misc) == [r"SpacesBefore=\n|SpacesAfter=\s\n\n\s\s", r"SpacesAfter=\s\s", r"SpacesAfter=\t"]
    assert treebank.local_heads().tolist() == [0, 1, 0]


def test_a_sentence_of_white_space_is_no_sentence():
    doc = doc_of(["a", "\n", "b"], [0, 1, 2], ["root", "ROOT", "root"], spaces=[True, False, False])
    assert len(list(doc.sents)) == 3
    assert from_spacy(doc).misc[0] == r"SpacesAfter=\s\n"
    assert len(from_spacy(doc)) == 2


def test_what_hangs_on_white_space_is_hung_on_its_head():
    onto_word = doc_of(["a", "\n", "b", "c"], [0, 0, 1, 2], ["root", "dep", "obj", "x"])
    assert from_spacy(onto_word).local_heads().tolist() == [0, 1, 2]
    onto_root = doc_of(["a", "\n"], [1, 1], ["dep", "ROOT"])
    word = from_spacy(onto_root)[0][0]
    assert (word.head, word.deprel) == (0, "ROOT")
    with pytest.raises(levelhead.ConlluError, match=r"spaCy: several-roots: sentence 1: 2 words have HEAD 0$"):
        from_spacy(doc_of(["a", "\n", "b"], [1, 1, 1], ["dep", "ROOT", "dep"]))


@pytest.mark.parametrize("text", ["Hello there", "Hello"])
def test_a_doc_that_is_not_parsed_is_refused(text):
    with pytest.raises(levelhead.ConlluError, match="not parsed") as caught:
        from_spacy(blank("en")(text))
    assert caught.value.slug == "empty-relation"


@pytest.mark.parametrize("form", ["New\nYork", "a\tb", "a\rb"])
def test_forms_with_line_ends_inside_are_refused(form):
    with pytest.raises(levelhead.ConlluError, match=r"spaCy: invalid-columns: sentence 1: .* tab or a line end"):
        from_spacy(doc_of([form], [0], ["root"]))


def test_forms_with_spaces_inside_are_kept():
    assert list(from_spacy(doc_of(["10 000", "a\u00a0b"], [0, 0], ["root", "dep"])).forms) == ["10 000", "a\u00a0b"]


def test_a_head_in_another_sentence_is_refused():
    class Crossed:
        """A Doc whose sentences a component has set without regard to the parse."""

        def __init__(self, doc):
            self.doc, self.has_annotation = doc, doc.has_annotation

        def __iter__(self):
            return iter(self.doc)

        def __len__(self):
            return len(self.doc)

        @property
        def sents(self):
            return [self.doc[:1], self.doc[1:]]

    with pytest.raises(levelhead.ConlluError, match="another sentence") as caught:
        from_spacy(Crossed(doc_of(["a", "b"], [0, 0], ["root", "dep"])))
    assert caught.value.slug == "head-outside-sentence"


def test_docs_of_nothing_are_refused():
    with pytest.raises(levelhead.ConlluError) as caught:
        from_spacy(library("spacy").tokens.Doc(vocabulary()))
    assert caught.value.slug == "empty-file"
