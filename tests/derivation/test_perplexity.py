"""The n-gram model and perplexity: KenLM's and SRILM's numbers, a plain second implementation, and properties."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import one_in
from heads import sentence_of
from levelhead import InputError, Treebank, UnreadableFile, from_conllu, read
from levelhead.derivation import (
    SRILM_MINIMUM_COUNTS,
    NgramModel,
    Perplexity,
    estimate,
    perplexity,
    read_arpa,
    sentence_sums,
    sequences_from,
    sequences_of,
    write_arpa,
)
from levelhead.derivation.ngram_model import framed
from oracle.ngrams import PlainModel
from strategies import examples

Corpus = list[list[str]]


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a table of tab-separated values."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(scope="module")
def english(data: Path) -> tuple[Treebank, Treebank]:
    """The training and development sets of English EWT in UD 2.0."""
    return tuple(read(data / f"ud/r2.0/en-ud-{part}.conllu.xz") for part in ("train", "dev"))


def test_the_table_of_kenlm_and_srilm(data: Path) -> None:
    """All columns: KenLM's two, SRILM's with all trigrams, and SRILM's default."""
    rows = rows_of(data / "perplexity" / "expected.tsv")
    assert len(rows) == 12
    for row in one_in(2, rows, 1):
        train, test = (read(data / f"ud/r2.0/{row['code']}-ud-{part}.conllu.xz") for part in ("train", "dev"))
        sequences = sequences_of(train, row["order"])
        found = perplexity(estimate(sequences), test, row["order"])
        default = perplexity(estimate(sequences, minimum_counts=SRILM_MINIMUM_COUNTS[:3]), test, row["order"])
        assert (found.events, found.oov, found.swaps) == tuple(int(row[k]) for k in ("events", "oov", "dev_swaps"))
        assert (len(train), found.n_training_words) == (int(row["train_sents"]), int(row["train_words"]))
        assert found.excluding_oov == pytest.approx(float(row["kenlm_excl_oov"]), rel=1e-6)
        assert found.including_oov == pytest.approx(float(row["kenlm_incl_oov"]), rel=1e-6)
        assert found.excluding_oov == pytest.approx(float(row["srilm_gt3min1"]), rel=1e-4)
        assert default.excluding_oov == pytest.approx(float(row["srilm_default"]), rel=1e-4)


def test_discounts_and_ends_of_sentences(english: tuple[Treebank, Treebank]) -> None:
    """KenLM's discounts of the string order, and SRILM's ppl1 with both cut-offs."""
    train, test = english
    sequences = sequences_of(train)
    model = estimate(sequences)
    expected = [(0.640351, 1.04541, 1.4997), (0.807773, 1.2105, 1.40131), (0.867999, 1.33848, 1.6902)]
    for discounts, numbers in zip(model.discounts, expected):
        assert discounts[:3] == pytest.approx(numbers, rel=5e-5)
        assert discounts.estimated
    assert perplexity(model, test, ends="ppl1").excluding_oov == pytest.approx(384.88, rel=2e-5)
    cut = estimate(sequences, minimum_counts=(1, 1, 2))
    assert perplexity(cut, test, ends="ppl1").excluding_oov == pytest.approx(393.57, rel=2e-5)
    assert (model.discounts, model.n_words) == (cut.discounts, 204_585)


# KenLM's lmplz -o N on the Swap-Lazy order of the training set, query on that of the development set
KENLM = {2: (706.3205204, 432.9695320), 4: (636.3503762, 387.3735246), 5: (635.6283856, 387.0087365)}


@pytest.mark.parametrize("order", KENLM)
def test_other_orders_as_kenlm(english: tuple[Treebank, Treebank], order: int) -> None:
    train, test = english
    found = perplexity(estimate(sequences_of(train, "swap-lazy"), order), test, "swap-lazy")
    assert (found.including_oov, found.excluding_oov) == pytest.approx(KENLM[order], rel=1e-6)


# KenLM's lmplz -o N --discount_fallback on the first 20 sentences, in the order of the string
FALLBACK = {2: (211.6057029, 57.9163641, (2,)), 3: (216.7272353, 58.4972892, (2, 3))}


@pytest.mark.parametrize("order", FALLBACK)
def test_small_data_as_kenlm_with_its_fallback(english: tuple[Treebank, Treebank], order: int) -> None:
    """If discounts cannot be estimated, SRILM stops; here, fallbacks are used and reported."""
    train, test = english
    model = estimate(sequences_of(train[:20]), order)
    found = perplexity(model, test)
    assert (found.including_oov, found.excluding_oov) == pytest.approx(FALLBACK[order][:2], rel=1e-6)
    assert model.fallback_orders == FALLBACK[order][2]
    assert all(model.discounts[n - 1][:3] == (0.5, 1.0, 1.5) for n in model.fallback_orders)


# The second implementation

CORPORA = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=7), min_size=1, max_size=25)


@settings(max_examples=examples(30))
@given(CORPORA, CORPORA, st.integers(1, 5))
def test_against_plain_kneser_ney(train: Corpus, test: Corpus, order: int) -> None:
    """The probability of every word and end of sentence, including unknown words."""
    test = [[*sentence, "unknown", *sentence[:2]] for sentence in test]
    model, plain = estimate(sequences_from(train), order), PlainModel(train, order)
    sequences = sequences_from(test)
    tokens = framed(model.encode(sequences), sequences.starts)
    found = model.log_probabilities(tokens)
    assert (found[tokens.places == 0] == 0).all()
    expected = [log for sentence in test for log in plain.log10_of(sentence)]
    assert found[tokens.places > 0].tolist() == pytest.approx(
        expected, abs=2e-12
    )  # two numbers of 12 decimals are added
    assert [discounts[:3] for discounts in model.discounts] == [
        pytest.approx(plain.discounts[n]) for n in range(1, order + 1)
    ]


# Laws


@st.composite
def models(draw: st.DrawFn) -> NgramModel:
    """A model of any order, with and without cut-offs."""
    order = draw(st.integers(1, 5))
    least = [1, *draw(st.lists(st.integers(1, 3), min_size=order - 1, max_size=order - 1))]
    return estimate(
        sequences_from(draw(CORPORA)), order, minimum_counts=least, minimum_word_count=draw(st.integers(1, 2))
    )


CONTEXTS = st.lists(st.sampled_from(["a", "b", "c", "never seen"]), max_size=6)


@given(models(), CONTEXTS)
def test_next_words_sum_to_one(model: NgramModel, context: list[str]) -> None:
    """Each probability equals the one from scoring a sentence."""
    distribution = model.distribution(context)
    assert distribution.sum() == pytest.approx(1, abs=1e-9)
    assert distribution[1] == 0
    assert (np.delete(distribution, 1) > 0).all()
    for word in ("a", "never seen"):
        sequences = sequences_from([[*context, word]])
        codes = model.encode(sequences)
        logs = model.log_probabilities(framed(codes, sequences.starts))
        assert logs[-2] == pytest.approx(math.log10(distribution[codes[-1]]), abs=1e-12)


@given(models())
def test_arpa_round_trip(tmp_path_factory: pytest.TempPathFactory, model: NgramModel) -> None:
    """Every number is read back exactly, in the same place."""
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    write_arpa(model, path)
    again = read_arpa(path)
    assert list(again.words) == list(model.words)
    for one, other in zip(model.tables, again.tables, strict=True):
        assert [part.tolist() for part in one] == [part.tolist() for part in other]
    assert again.vocabulary_size == model.vocabulary_size == len(model.words) + 3
    assert model.order == again.order


ARPA = """
\\data\\
ngram 1={size}

\\1-grams:
-99\t<s>
{lines}
\\end\\
"""


def unigrams(tmp_path: Path, faces: Sequence[str], log: float) -> NgramModel:
    """A model with the same probability for all faces of a die."""
    lines = "".join(f"{log!r}\t{face}\n" for face in faces)
    path = tmp_path / "die.arpa"
    path.write_text(ARPA.format(size=len(faces) + 1, lines=lines), encoding="utf-8")
    return read_arpa(path)


@pytest.mark.parametrize("k", [1, 2, 6, 1000])
def test_a_die(tmp_path: Path, k: int) -> None:
    """A fair die with k sides has perplexity k for any rolls; one that always shows the same face has 1."""
    model = unigrams(tmp_path, [f"side{i}" for i in range(k)], math.log10(1 / k))
    throws = sequences_from([[f"side{i * i % k}"] * 3 for i in range(10)])
    found = Perplexity(sentence_sums(model, throws), "string", "out")
    assert found.excluding_oov == found.including_oov == pytest.approx(k, rel=1e-12)
    assert found.per_sentence == pytest.approx(k**3, rel=1e-12)
    assert found.log10_per_sentence == pytest.approx(3 * math.log10(k), abs=1e-12)
    assert Perplexity(sentence_sums(model, throws), "string", "in").excluding_oov is None  # no end in the model
    assert (found.events, found.oov, found.sentences, found.size_over_perplexity) == (30, 0, 10, None)


def test_unknown_words_without_a_probability(tmp_path: Path) -> None:
    """Without <unk> in the model, there is no perplexity with unknown words."""
    model = unigrams(tmp_path, ["a", "</s>"], -1.0)
    found = Perplexity(sentence_sums(model, sequences_from([["a", "b"], ["a"]])), "string")
    assert (found.excluding_oov, found.including_oov) == (pytest.approx(10), None)
    assert (found.events, found.oov) == (5, 1)


@given(CORPORA, CORPORA, CORPORA)
def test_sums_are_those_of_sentences(train: Corpus, one: Corpus, other: Corpus) -> None:
    """The sums of two corpora add up to those of both together, and the order of sentences does not matter."""
    model = estimate(sequences_from(train))
    alone = [sentence_sums(model, sequences_from(corpus)) for corpus in (one, other)]
    both = sentence_sums(model, sequences_from([*one, *other]))
    for parts in zip(*alone, both):
        assert np.concatenate(parts[:2]).tolist() == parts[2].tolist()
    logs, events = both.sums()
    assert Perplexity(both, "string").excluding_oov == pytest.approx(10 ** (-logs.sum() / events.sum()))
    for ends, per_sentence in (("in", 1), ("out", 0), ("ppl1", 0)):
        found = Perplexity(both, "string", ends)
        assert found.events == sum(map(len, [*one, *other])) + per_sentence * len([*one, *other])


def test_rare_words_as_unknown_ones() -> None:
    """With a minimum count of words, <unk> also occurs in the training set."""
    model = estimate(sequences_from([["a", "a", "b"], ["a", "c"]]), 2, minimum_word_count=2)
    assert list(model.words) == ["a"]
    found = Perplexity(sentence_sums(model, sequences_from([["b", "a"]])), "string")
    assert found.oov == 1
    plain = PlainModel([["a", "a", "<unk>"], ["a", "<unk>"]], 2)
    assert math.log10(found.including_oov) * -3 == pytest.approx(sum(plain.log10_of(["<unk>", "a"])))


def test_a_perplexity_too_large_for_a_number() -> None:
    """The perplexity of a sentence of a thousand words has only a logarithm."""
    model = estimate(sequences_from([["a", "b", "c"]] * 3))
    found = Perplexity(sentence_sums(model, sequences_from([["a", "c", "b"] * 500])), "string")
    assert found.per_sentence is None
    assert found.log10_per_sentence > 308
    assert Perplexity(sentence_sums(model, sequences_from([])), "string").log10_per_sentence is None


def test_derivation_orders_have_their_own_model() -> None:
    """The model and the measured sentences have the same order of words."""
    treebank = from_conllu(sentence_of([3, 4, 0, 1]).replace("\ta\t", "\tb\t", 2) * 5)
    values = {order: perplexity(estimate(sequences_of(treebank, order)), treebank, order) for order in
              ("string", "swap-lazy")}  # fmt: skip
    assert values["string"].swaps == 0
    assert values["swap-lazy"].swaps > 0
    assert values["string"].excluding_oov != values["swap-lazy"].excluding_oov
    with pytest.raises(InputError, match="not-derivable"):
        perplexity(estimate(sequences_of(treebank)), treebank, "arc-eager")
    assert perplexity(estimate(sequences_of(treebank)), treebank, "arc-eager", lift=True).swaps == 0


def test_a_model_of_which_nothing_longer_is_kept() -> None:
    """If cut-offs remove all longer n-grams, single words remain."""
    model = estimate(sequences_from([["a"]]), 3, minimum_counts=(1, 2, 2))
    assert [len(table.keys) for table in model.tables] == [4, 0, 0]
    assert model.distribution(["a"]).tolist() == model.distribution([]).tolist()


BAD_SETTINGS = [
    {"order": 0},
    {"order": 6},
    {"minimum_counts": (1, 1)},
    {"minimum_counts": (2, 1, 1)},
    {"minimum_counts": (1, 0, 1)},
    {"minimum_word_count": 0},
]


@pytest.mark.parametrize("bad", BAD_SETTINGS, ids=str)
def test_settings_that_make_no_sense(bad: dict[str, object]) -> None:
    with pytest.raises(InputError, match="invalid-model-settings"):
        estimate(sequences_from([["a"]]), **bad)


def test_no_sentences() -> None:
    with pytest.raises(InputError, match="invalid-model-settings"):
        estimate(sequences_from([]))


# ARPA files

GOOD = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-1\t<unk>
-99\t<s>\t-0.5
-1\t</s>
-1\ta\t0.25
-0.5\tb

\\2-grams:
-0.25\t<s> a
-0.125\ta b

\\end\\
"""


def write(tmp_path: Path, content: str) -> Path:
    """Write a file; a lone surrogate becomes a byte that is not UTF-8."""
    path = tmp_path / "some.arpa"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    return path


@pytest.mark.parametrize("content", [GOOD, "\n \n" + GOOD, GOOD.replace("\t", " "), GOOD.replace("\n", "\r\n")])
def test_a_small_model(tmp_path: Path, content: str) -> None:
    """Probabilities and back-off weights computed by hand."""
    model = read_arpa(write(tmp_path, content))
    sums = sentence_sums(model, sequences_from([["a", "b"], ["b", "z", "a"]]))
    assert sums.log_known.tolist() == [-0.25 - 0.125, -0.5 - 0.5 - 1]
    assert sums.log_unknown.tolist() == [0, -1]
    assert sums.log_ends.tolist() == [-1, -1 + 0.25]
    assert repr(model) == "<NgramModel of order 2: 5, 2 n-grams>"


BAD_ARPA = {
    # what is changed, into what, and the line that shows it
    "empty": (GOOD, "", 1),
    "no header": ("\\data\\", "data", 1),
    "no sizes": ("ngram 1=5\nngram 2=2\n", "", 2),
    "orders": ("ngram 2=2", "ngram 3=2", 3),
    "too few": ("ngram 1=5", "ngram 1=6", 11),
    "too many": ("ngram 1=5", "ngram 1=4", 10),
    "huge": ("ngram 1=5", "ngram 1=99999999999999999", 11),
    "section": ("\\2-grams:", "\\3-grams:", 12),
    "number": ("-0.25\t", "x\t", 13),
    "nan": ("-0.25\t", "nan\t", 13),
    "positive": ("-0.25\t", "0.25\t", 13),
    "back-off": ("\t-0.5", "\tinf", 7),
    "huge back-off": ("\t-0.5", "\t1.7e308", 7),
    "huge negative back-off": ("\t-0.5", "\t-1.7e308", 7),
    "huge log-probability": ("-0.25\t", "-1.7e308\t", 13),
    "columns": ("a b", "a b c d", 14),
    "unknown word": ("a b", "a c", 14),
    "unknown context": ("a b", "c a", 14),
    "word twice": ("-0.5\tb", "-0.5\ta", 10),
    "n-gram twice": ("a b", "<s> a", 14),
    "not UTF-8": ("-0.5\tb", "-0.5\t\udcff", 10),
    "no end": ("\\end\\\n", "", 16),
}


@pytest.mark.parametrize("case", BAD_ARPA)
def test_files_that_are_no_models(tmp_path: Path, case: str) -> None:
    """The error names the line."""
    old, new, line = BAD_ARPA[case]
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    (fault,) = caught.value.faults
    assert (fault.slug, fault.place.line, fault.place.file) == ("invalid-arpa", line, str(path))


@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.sampled_from("\\ \n\t0a1-.:\udcff")), max_size=4))
def test_damaged_models_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, edits: list) -> None:
    text = GOOD
    for at, character in edits:
        text = text[:at] + character + text[at + 1 :]
    try:
        model = read_arpa(write(tmp_path_factory.mktemp("arpa"), text))
    except InputError:
        return
    sentence_sums(model, sequences_from([["a", "b"]]))


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "<UNK>", "a\vb"])
def test_words_that_arpa_cannot_hold(tmp_path: Path, word: str) -> None:
    """They are allowed in memory, but cannot be written."""
    model = estimate(sequences_from([["a", word]]))
    assert Perplexity(sentence_sums(model, sequences_from([[word]])), "string").oov == 0
    with pytest.raises(InputError, match="reserved-word"):
        write_arpa(model, tmp_path / "model.arpa")
    assert not (tmp_path / "model.arpa").exists()


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        read_arpa(tmp_path / "none.arpa")
