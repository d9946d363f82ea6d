"""A treebank in memory: what people ask of it, that nothing can change it, and how to get a changed one."""

import sys
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from hypothesis import given, strategies as st

import levelhead
from levelhead import ConlluError, Treebank, from_conllu
from levelhead.treebank import to_conllu
from levelhead.treebank.tokens import COLUMNS
from strategies import treebanks

TEXT = """\
# newdoc
# sent_id = one
# text = Zur Stadt geht er.
# note: a = b
1-2\tZur\t_\t_\t_\t_\t_\t_\t_\t_
1\tZu\tzu\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tder\tder\tDET\tART\tCase=Dat\t3\tdet\t_\t_
3\tStadt\tStadt\tNOUN\tNN\t_\t4\tobl\t_\t_
4\tgeht\tgehen\tVERB\tVVFIN\t_\t0\troot\t_\t_
5\ter\ter\tPRON\tPPER\t_\t4\tnsubj\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t$.\t_\t4\tpunct\t_\t_

# sent_id = two
1\tIm\tim\tADP\t_\t_\t2\tcase\t_\t_
2\tHaus\tHaus\tNOUN\t_\t_\t0\troot\t0:root\tGloss=house|SpaceAfter=No
2.1\t_\t_\t_\t_\t_\t_\t_\t2:dep\t_
3\t!\t!\tPUNCT\t_\t_\t2\tpunct\t_\tSpaceAfter=No

1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_

1-2\tvom\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tvon\tvon\tADP\t_\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\t_\t_\t3\tdet\t_\t_
3\tBaum\tBaum\tNOUN\t_\t_\t0\troot\t_\t_
4-5\tzum\t_\t_\t_\t_\t_\t_\t_\t_
4\tzu\tzu\tADP\t_\t_\t6\tcase\t_\tSpaceAfter=No
5\tdem\tder\tDET\t_\t_\t6\tdet\t_\t_
6\tDach\tDach\tNOUN\t_\t_\t3\tnmod\t_\tSpaceAfter=No

"""
SENTENCES = TEXT.removesuffix("\n\n").split("\n\n")


@pytest.fixture(scope="module")
def tb() -> Treebank:
    """Four sentences with two kinds of text, multiword tokens and an empty node."""
    return from_conllu(TEXT)


def slug_of(error: pytest.ExceptionInfo[ConlluError]) -> str:
    """Return the slug of an error that was raised, whose message must be one line."""
    assert len(str(error.value).splitlines()) == 1
    return error.value.slug


def test_sizes(tb: Treebank) -> None:
    """Sentences, words and surface tokens are counted; empty nodes are neither."""
    assert (len(tb), len(tb.sentences), tb.n_words, tb.n_tokens) == (4, 4, 16, 13)
    assert [len(sentence) for sentence in tb] == [6, 3, 1, 6]
    assert (len(tb.multiword), len(tb.empty), len(tb.comments)) == (3, 1, 4)


def test_text_comes_from_the_comment(tb: Treebank) -> None:
    """The comment is the text, even where the tokens say something else."""
    assert tb[0].text == "Zur Stadt geht er."


def test_text_is_spelled_from_tokens_without_a_comment(tb: Treebank) -> None:
    """Multiword tokens stand for their words, SpaceAfter=No counts wherever MISC has it, but not inside a token."""
    assert [sentence.text for sentence in tb.sentences[1:]] == ["Im Haus!", "Ja", "vomBaum zum Dach"]


def lines_run(text: str, n_sentences: int) -> int:
    """Count the lines of Python that run to spell all sentences of a treebank."""
    tb = from_conllu(text * n_sentences)
    count = 0

    def trace(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        spelled = [sentence.text for sentence in tb]
    finally:
        sys.settrace(before)
    assert len(spelled) == n_sentences
    return count


def test_the_texts_of_many_sentences_take_linear_time() -> None:
    """Four times the sentences, four times the work: a sentence does not look at the tokens of all others."""
    text = SENTENCES[2] + "\n\n"
    assert lines_run(text, 80) < 6 * lines_run(text, 20)


def test_the_last_sentence_and_a_slice(tb: Treebank) -> None:
    """Negative indices count from the end, slices are treebanks, and there is nothing past the end."""
    assert tb[-1].forms == ["von", "dem", "Baum", "zu", "dem", "Dach"]
    assert isinstance(tb[1:3], Treebank)
    assert [sentence.text for sentence in tb[1:3]] == ["Im Haus!", "Ja"]
    assert [sentence.id for sentence in tb[::-2]] == [None, "two"]
    assert len(tb[4:]) == 0
    with pytest.raises(IndexError):
        tb[4]


def test_iteration_is_indexing(tb: Treebank) -> None:
    """Treebanks and sentences behave as sequences do."""
    assert list(tb) == [tb[i] for i in range(4)]
    assert list(tb[3]) == [tb[3][i] for i in range(6)]
    assert tb[3][-1] == tb[3][5]
    assert [sentence.index for sentence in reversed(tb)] == [3, 2, 1, 0]


def test_a_column_is_a_sequence_of_strings(tb: Treebank) -> None:
    """It has a length, indices, slices, membership and counts."""
    assert len(tb.relations) == 16
    assert (tb.relations[0], tb.relations[-1]) == ("case", "nmod")
    assert list(tb.relations[6:9]) == ["case", "root", "punct"]
    assert "nsubj" in tb.relations
    assert "obj" not in tb.relations
    assert tb.relations.count("root") == 4
    assert repr(tb.relations[:2]) == "Column(['case', 'det'], length 2)"


def test_frequencies(tb: Treebank) -> None:
    """Values are counted, most frequent first."""
    expected = {"case": 4, "root": 4, "det": 3, "punct": 2, "obl": 1, "nsubj": 1, "nmod": 1}
    assert tb.relations.frequencies() == expected
    assert list(tb.relations.frequencies().values()) == sorted(expected.values(), reverse=True)
    assert sum(tb.forms[:3].frequencies().values()) == 3


def test_values_from_distinct_strings(tb: Treebank) -> None:
    """A function of the strings is computed once for each distinct string, and only for strings that occur."""
    seen: list[str] = []

    def length(text: str) -> int:
        seen.append(text)
        return len(text)

    assert tb.relations.mapped(length, np.int64).tolist() == list(map(len, tb.relations))
    assert sorted(seen) == sorted(set(tb.relations))
    assert tb.relations[:0].mapped(length, np.int64).tolist() == []


def test_metadata(tb: Treebank) -> None:
    """Comments of the form `# name = value` are metadata; the others are still comments."""
    assert tb[0].metadata == {"sent_id": "one", "text": "Zur Stadt geht er.", "note: a": "b"}
    assert tb[0].comments == ["# newdoc", "# sent_id = one", "# text = Zur Stadt geht er.", "# note: a = b"]
    assert [sentence.id for sentence in tb] == ["one", "two", None, None]
    assert (tb[2].comments, tb[2].metadata) == ([], {})


def test_one_sentence_as_conllu(tb: Treebank) -> None:
    """It is what stood in the file, with its comments, multiword tokens and empty nodes."""
    assert [sentence.conllu for sentence in tb] == [f"{sentence}\n\n" for sentence in SENTENCES]


def test_looks_are_short(tb: Treebank) -> None:
    """What an interactive session prints is one line."""
    assert repr(tb) == "<Treebank: 4 sentences, 16 words>"
    assert repr(from_conllu(TEXT, name="a.conllu")) == "<Treebank of a.conllu: 4 sentences, 16 words>"
    assert repr(tb[2:3]) == "<Treebank: 1 sentence, 1 word>"
    assert repr(tb[2]) == "<Sentence 3: Ja>"


@pytest.mark.parametrize("chosen", [[2, 0], [1, 1, 3], [], [0, 1, 2, 3]])
def test_select_by_indices(tb: Treebank, chosen: list[int]) -> None:
    """Order and repeats are kept, with lists, ranges and arrays alike."""
    expected = "".join(f"{SENTENCES[i]}\n\n" for i in chosen)
    assert to_conllu(tb.select(chosen)).decode() == expected
    assert to_conllu(tb.select(np.array(chosen, dtype=np.int64))).decode() == expected
    assert to_conllu(tb.select(iter(chosen))).decode() == expected


def test_select_by_mask(tb: Treebank) -> None:
    """One bool for each sentence, in a list or an array, is a choice; not 0 and 1 as indices."""
    mask = [False, True, False, True]
    assert [sentence.index for sentence in tb.select(mask)] == [0, 1]
    assert to_conllu(tb.select(mask)) == to_conllu(tb.select(np.array(mask))) == to_conllu(tb.select([1, 3]))


def test_select_counts_from_the_end(tb: Treebank) -> None:
    """Negative indices mean what they mean elsewhere; never words of one sentence with comments of another."""
    assert to_conllu(tb.select([-1, -3])) == to_conllu(tb.select([3, 1]))


@pytest.mark.parametrize("chosen", [[4], [-5], [True], [False] * 3, [False] * 5, [True] * 5])
def test_select_refuses_what_does_not_fit(tb: Treebank, chosen: list[int]) -> None:
    """An index that is not there or a mask of another length is a mistake."""
    with pytest.raises((IndexError, ValueError)):
        tb.select(chosen)


def arrays_of(tb: Treebank) -> list[np.ndarray]:
    """Collect all arrays of a treebank's columns and parts."""
    parts = [*(getattr(tb, name) for name in COLUMNS), tb.multiword, tb.empty, tb]
    values = [getattr(part, field.name) for part in parts for field in fields(part)]
    return [value for value in values if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("change", [lambda tb: tb, lambda tb: tb[1:], lambda tb: tb.replace(upos=["X"] * 16)])
def test_nothing_can_be_changed(tb: Treebank, change) -> None:
    """No array takes new values, and no attribute can be set, in treebanks read, selected or replaced."""
    changed = change(tb)
    assert len(arrays_of(changed)) == 18
    assert not any(array.flags.writeable for array in arrays_of(changed))
    for thing in (changed, changed.forms, changed.multiword, changed.source, changed[0]):
        with pytest.raises(FrozenInstanceError):
            thing.heads = None


def test_replace_gives_a_new_treebank(tb: Treebank) -> None:
    """Columns and heads change together, all else stays, and the old treebank too."""
    labels = [f"r{i}" for i in range(16)]
    changed = tb.replace(relations=labels, upos=iter(["X"] * 16), heads=[1, 2, 3, -1, 3, 3, *tb.heads[6:]])
    assert list(changed.relations) == labels
    assert set(changed.upos) == {"X"}
    assert changed[0].heads == [2, 3, 4, 0, 4, 4]
    assert to_conllu(tb).decode() == TEXT
    back = changed.replace(relations=tb.relations, upos=tb.upos, heads=tb.heads)
    assert to_conllu(back).decode() == TEXT
    assert changed.source.sha256 is None


@pytest.mark.parametrize(
    ("columns", "slug"),
    [
        ({"relations": ["x"] * 15}, "invalid-columns"),
        ({"relations": ["x"] * 17}, "invalid-columns"),
        ({"deprel": ["x"] * 16}, "invalid-columns"),
        ({"upos": [""] * 16}, "invalid-columns"),
        ({"misc": ["a\tb"] * 16}, "invalid-columns"),
        ({"misc": ["a\nb"] * 16}, "invalid-columns"),
        ({"heads": [-1] * 15}, "invalid-columns"),
        ({"heads": [-1] * 17}, "invalid-columns"),
    ],
)
def test_replace_refuses_columns(tb: Treebank, columns: dict, slug: str) -> None:
    """A wrong length, an unknown name, and values that no file can hold."""
    with pytest.raises(ConlluError) as error:
        tb.replace(**columns)
    assert slug_of(error) == slug


@pytest.mark.parametrize(
    ("word", "head", "slug"),
    [
        (0, -1, "several-roots"),
        (3, 2, "no-root"),
        (0, 0, "cycle"),
        (2, 0, "cycle"),
        (0, 6, "head-outside-sentence"),
        (0, 16, "head-outside-sentence"),
        (0, -2, "head-outside-sentence"),
        (0, 2**31 - 1, "head-outside-sentence"),
        (0, 2**40, "head-outside-sentence"),
        (6, 0, "head-outside-sentence"),
        (6, 5, "head-outside-sentence"),
        (7, 5, "head-outside-sentence"),
    ],
)
def test_replace_refuses_what_is_no_tree(tb: Treebank, word: int, head: int, slug: str) -> None:
    """Heads are indices into all words; one in another sentence, the one right before included, is outside."""
    heads = tb.heads.tolist()
    heads[word] = head
    with pytest.raises(ConlluError) as error:
        tb.replace(heads=heads)
    assert slug_of(error) == slug


@given(treebanks(max_sentences=2, max_words=4), st.sampled_from(COLUMNS), st.data())
def test_what_replace_takes_can_be_read_back(text: str, name: str, data: st.DataObject) -> None:
    """Whatever the values, they are refused with a ConlluError or survive writing and reading."""
    tb = from_conllu(text)
    values = st.text(max_size=2) | st.sampled_from(["\r", "\0", "\ud800", " ", "\u3000", "#", "_"])
    texts = data.draw(st.lists(values, min_size=tb.n_words, max_size=tb.n_words))
    try:
        changed = tb.replace(**{name: texts})
    except ConlluError:
        return
    assert list(getattr(from_conllu(to_conllu(changed)), name)) == texts


def test_warnings_are_of_the_file(tb: Treebank) -> None:
    """A treebank tells what was odd where it was read, with its place; most have nothing to tell."""
    assert tb.warnings == ()
    odd = from_conllu("\ufeff1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", name="odd.conllu")
    assert [str(fault) for fault in odd.warnings] == [
        "odd.conllu:1: byte-order-mark: the byte order mark at the start is ignored"
    ]
    assert odd.source.path == "odd.conllu"
    assert odd.source.lines.tolist() == [1]


@pytest.mark.parametrize("head", [0.5, 0.0, "0", None, float("nan")])
def test_heads_that_are_not_integers_are_refused(head) -> None:
    """Nothing is cut or converted."""
    treebank = from_conllu("1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(ConlluError, match=r"invalid-columns: the head .* of word 1 is not an integer"):
        treebank.replace(heads=[-1, head])
    with pytest.raises(ConlluError, match="of word 0 is not an integer"):
        treebank.replace(heads=np.array([1.5, -1]))
    assert treebank.replace(heads=np.array([-1, 0], dtype=np.int64)).heads.tolist() == [-1, 0]


def test_formats_are_checked_without_files_too() -> None:
    treebank = from_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for settings in ({"format": "conll"}, {"gold_format": "conllux"}, {"format": "conll", "rules": "conll18"}):
        with pytest.raises(ValueError, match=r"unknown (gold_)?format 'conll.*': "):
            levelhead.score(treebank, treebank, **settings)


def test_scores_can_be_hashed() -> None:
    treebank = from_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    first, second = (levelhead.score(treebank, treebank)["LAS"] for _ in range(2))
    assert first == second
    assert {first, second} == {first}
