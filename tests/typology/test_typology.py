"""Profiles: a second implementation on random treebanks, properties, and the meaning of numbers."""

import itertools
import math
import random
import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import levelhead
from conftest import EXAMPLES, library
from levelhead.api.treebanks import Distance, Rows
from levelhead.errors import InputError, MeasureError
from levelhead.scoring.selection import read_weights
from levelhead.treebank.layouts.gold import treebank_of
from levelhead.treebank.relations import SCHEMES, UD1, UD2
from levelhead.typology import (
    COLUMNS,
    GROUPS,
    SUMMARY,
    Chunks,
    Criteria,
    Profile,
    averaged_entropy,
    count_treebank,
    profile,
    rarefied_entropy,
    select,
    similarity,
    word_dependency_entropy,
)
from levelhead.typology.collection import survey
from levelhead.typology.languages import language_code, languages
from levelhead.typology.profile import TABLES, columns_named
from levelhead.typology.profile_columns import KINDS, OF_TRAINING
from levelhead.typology.tally import Histogram, Tally
from levelhead.typology.vocabulary import CALLIN_CHUNKS, weights_text
from oracle import typology as oracle
from strategies import examples, treebanks

WITHOUT_TRAINING = {name: column for name, column in COLUMNS.items() if name not in OF_TRAINING}
"""The columns that need no training treebanks; those that do are compared with the second implementation elsewhere."""

SCALARS = tuple(column.name for column in WITHOUT_TRAINING.values() if column.by is None)
FAMILIES = tuple(column.name for column in COLUMNS.values() if column.by is not None)
RUNNING_TEXT = {"sttr", "sttr_sd", "mattr"}
"""The columns that depend on the order of sentences."""

SOME = treebanks(max_sentences=8, max_words=12)

FEW = settings(max_examples=examples(20))
"""Laws that follow from how things are added up need no more."""


def close(value: object, expected: object) -> bool:
    """Whether two values are equal except for rounding."""
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(close(value[name], expected[name]) for name in value)
    if value is None or expected is None:
        return value is expected
    return value == pytest.approx(expected, abs=1e-9, rel=1e-12)


# Against the second implementation


@given(SOME, st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_every_column_of_one_number(text: str, chunk: int, window: int, least: int, partial: bool) -> None:
    ours = profile(levelhead.from_conllu(text), chunks=Chunks(chunk, partial, window), least=least)
    expected = oracle.profile(oracle.read(text), chunk, window, least, partial=partial)
    assert expected.keys() == set(SCALARS)
    assert {name: (ours[name], expected[name]) for name in SCALARS if not close(ours[name], expected[name])} == {}


@given(SOME, st.integers(1, 4))
def test_every_column_of_many_numbers(text: str, least: int) -> None:
    ours = profile(levelhead.from_conllu(text), least=least, scheme="callin-code")
    expected = oracle.families(oracle.read(text), least)
    expected["class"] = dict.fromkeys(SCHEMES["callin-code"].names, 0)
    for relation, share in expected["relation"].items():
        expected["class"][SCHEMES["callin-code"].class_of(relation)] += share
    assert expected.keys() == set(FAMILIES)
    assert {name: (ours[name], expected[name]) for name in FAMILIES if not close(ours[name], expected[name])} == {}


@given(SOME, SOME)
@FEW
def test_similarity(one: str, other: str) -> None:
    texts = oracle.read(one), oracle.read(other)
    ours = similarity(*(count_treebank(levelhead.from_conllu(text)).distributions for text in (one, other)))
    has_tags = all(any(word[oracle.UPOS] != "_" for word in oracle.words_of(text)) for text in texts)
    has_arcs = all(map(oracle.arcs, texts))
    expected = (
        oracle.klcpos3(*texts) if has_tags else None,
        oracle.klcpos3(*texts[::-1]) if has_tags else None,
        oracle.jensen_shannon(*texts),
        oracle.vaserstein(*texts) if has_arcs else None,
    )
    assert all(close(value, other) for value, other in zip(ours, expected, strict=True)), (ours, expected)


# Laws


@given(SOME, SOME)
@FEW
def test_counts_of_treebanks_add_up_to_those_of_both(one: str, other: str) -> None:
    """Except for statistics of running text, which do not cross the border of the parts."""
    added = profile(count_treebank(levelhead.from_conllu(one)) + count_treebank(levelhead.from_conllu(other)))
    both = profile(levelhead.from_conllu(one + other))
    different = {name for name in WITHOUT_TRAINING if name not in RUNNING_TEXT and not close(added[name], both[name])}
    assert different == set()
    assert added.signature == both.signature


@given(SOME)
@FEW
def test_counts_can_be_summed(text: str) -> None:
    """`sum` starts from 0; three copies of a treebank have the shares, entropies and distances of one."""
    counts = count_treebank(levelhead.from_conllu(text))
    once, thrice = profile(counts, least=1), profile(sum([counts, counts, counts]), least=1)
    assert thrice["words"] == 3 * once["words"]
    kept = {"wde", "head_entropy", "direction_entropy", "distance", "relation", "types", "sttr", "nonprojective_trees"}
    assert {name for name in kept if not close(once[name], thrice[name])} == set()


@given(SOME, st.randoms(use_true_random=False))
@FEW
def test_the_order_of_sentences_does_not_matter(text: str, draw: random.Random) -> None:
    treebank = levelhead.from_conllu(text)
    order = draw.sample(range(len(treebank)), k=len(treebank))
    one, other = profile(treebank), profile(treebank.select(order))
    assert {
        name for name in WITHOUT_TRAINING if name not in RUNNING_TEXT and not close(one[name], other[name])
    } == set()


@given(SOME)
@FEW
def test_bounds(text: str) -> None:
    ours = profile(levelhead.from_conllu(text), chunks=Chunks(5, window=3), least=1)
    assert all(0 <= value <= 1 for value in ours.numbers("wde").values())
    for column in WITHOUT_TRAINING.values():
        values = [ours[column.name]] if column.by is None else [*ours.numbers(column.name).values()]
        assert all(value is None or value >= 0 for value in values)
        assert column.unit != "percent" or all(value is None or value <= 100 for value in values)
    assert sum(ours.numbers("relation").values()) == pytest.approx(100)
    assert sum(ours.numbers("class").values()) == pytest.approx(100)


@given(SOME)
@FEW
def test_a_treebank_is_no_distance_from_itself(text: str) -> None:
    distributions = count_treebank(levelhead.from_conllu(text)).distributions
    assert all(
        value is None or value == pytest.approx(0, abs=1e-12) for value in similarity(distributions, distributions)
    )


def flat(forms: list[str], relations: list[str]) -> levelhead.Treebank:
    """Return a sentence in which all words depend on the first."""
    return levelhead.build([forms], [[0, *[1] * (len(forms) - 1)]], [relations])


def test_entropy_of_one_word_and_of_all_alike() -> None:
    """WDE is 0 if a relation has a single word, and 1 if its words are the whole vocabulary, equally often."""
    one = flat(["a", "b", "b", "b"], ["root", "det", "det", "det"])
    assert profile(one)["wde"] == {"root": 0, "det": 0}
    even = flat(["a", "b", "c", "d"] * 3, ["root"] + ["obj"] * 11)
    assert word_dependency_entropy(Tally.of(even.relations, even.forms)).keys() == {"root", "obj"}
    every = levelhead.build([["a"], ["b"], ["c"]] * 2, [[0]] * 6, [["root"]] * 6)
    assert profile(every)["wde"] == {"root": 1}
    assert profile(flat(["a"], ["root"]))["wde"] == {"root": 0}


def test_absent_relations_count_half() -> None:
    averaged = averaged_entropy([{"obj": 1.0, "det": 0.2}, {"obj": 0.6}], ["iobj"])
    assert averaged == {"det": 0.35, "iobj": 0.5, "obj": 0.8}
    assert list(averaged) == ["det", "iobj", "obj"]
    with pytest.raises(ValueError, match="no treebank"):
        averaged_entropy([])


def test_the_table_of_weights_is_what_weights_are_read_from(tmp_path) -> None:
    """The table has all relations of the version of UD."""
    for tables, relations in (
        ([{"dobj": 0.9, "det": 0.1}, {"dobj": 0.7}], UD1),
        ([{"obl": 0.9}], UD2),
        ([{"det": 0.25, "strange": 0.3}], UD1 | UD2 | {"strange"}),
    ):
        path = tmp_path / "weights.tsv"
        path.write_text(weights_text(tables), encoding="utf-8")
        assert read_weights(path).values == averaged_entropy(tables, relations)
    for name in ("a b", "#a", "a,b", "\u3000"):
        with pytest.raises(InputError, match="cannot contain the relation"):
            weights_text([{name: 0.5}])


def test_chunks_and_windows() -> None:
    """Ten tokens: chunks of four, with and without the rest; windows of four; none if the text is too short."""
    treebank = flat(list("abacabadab"), ["root"] + ["dep"] * 9)
    ours = profile(treebank, chunks=Chunks(4, window=4))
    assert ours["sttr"] == pytest.approx((3 / 4 + 3 / 4) / 2)
    assert profile(treebank, chunks=Chunks(4, partial=True))["sttr"] == pytest.approx((3 / 4 + 3 / 4 + 2 / 2) / 3)
    windows = ["abac", "baca", "acab", "caba", "abad", "bada", "adab"]
    assert ours["mattr"] == pytest.approx(sum(len(set(window)) / 4 for window in windows) / 7)
    short = profile(treebank)
    assert (short["sttr"], short["sttr_sd"], short["mattr"]) == (None, None, None)
    with pytest.raises(ValueError, match="cannot be added"):
        count_treebank(treebank) + count_treebank(treebank, CALLIN_CHUNKS)


def test_what_is_not_annotated_has_no_value() -> None:
    ours = profile(flat(["a", "b"], ["root", "dep"]))
    names = ("lemmas", "forms_per_lemma", "features_per_word", "words_per_token", "head_entropy")
    assert {name: ours[name] for name in names} == dict.fromkeys(names)
    assert (ours["upos"], ours["feature"], ours["features_per_upos"]) == ({}, {}, {})


def test_expected_distance_is_the_mean_over_all_orders() -> None:
    """For a tree of four words and its 24 orders (Ferrer-i-Cancho 2004: (n + 1) / 3)."""
    from itertools import permutations

    edges = [(0, 1), (0, 2), (2, 3)]
    sums = [abs(order[a] - order[b]) for order in permutations(range(4)) for a, b in edges]
    ours = profile(levelhead.build([list("abcd")], [[0, 1, 1, 3]], [["root", "a", "b", "c"]]))
    assert ours["random_distance"] == pytest.approx(sum(sums) / len(sums))


# Samples


def test_samples_are_of_whole_sentences_and_repeatable() -> None:
    """Four sentences of four words, each with its own relation: 10 words are two and a half sentences."""
    sentences, n = range(6), 4
    forms = [[f"s{one}w{number}" for number in range(n)] for one in sentences]
    relations = [[f"s{one}"] * n for one in sentences]
    treebank = levelhead.build(forms, [[0] + [1] * (n - 1)] * len(sentences), relations)
    sizes = [24, 10, 25]
    rows = rarefied_entropy(treebank, sizes, samples=1, seed=3)
    assert {row.words for row in rows} == {24, 10}
    assert {row.relation for row in rows if row.words == 24} == {f"s{one}" for one in sentences}
    part = sorted(row.mean for row in rows if row.words == 10)
    whole = math.log(n) / math.log(10)
    assert part == pytest.approx([math.log(2) / math.log(10), whole, whole]), "two whole sentences, and one cut"
    assert rows == rarefied_entropy(treebank, sizes, samples=1, seed=3)
    drawn = {tuple(row.relation for row in rarefied_entropy(treebank, [10], samples=1, seed=seed)) for seed in range(9)}
    assert len(drawn) > 1


# Selection


def some_profile(tokens: int, features: float | None = 1.0, true: float = 10.0, callin: float = 5.0) -> Profile:
    values = {
        "tokens": tokens, "features_per_word": features, "nonprojective_trees": true, "right_crossed_trees": callin,
    }  # fmt: skip
    return Profile(values, {})


def test_selection_gives_every_reason() -> None:
    profiles = {
        "xx_a": some_profile(30_000),
        "xx_b": some_profile(40_000),
        "xx_c": some_profile(50_000, None),
        "yy": some_profile(29_999, None, 50.0, 25.0),
        "zz": some_profile(30_000, 1.0, 25.0, 24.99),
    }
    reasons = {one.treebank: one.reasons for one in select(profiles)}
    assert reasons == {
        "xx_a": ("xx_b of the same language has more tokens",),
        "xx_b": (),
        "xx_c": ("no morphological features",),
        "yy": (
            "no morphological features",
            "29,999 tokens, fewer than 30,000",
            "25.0% non-projective trees, at least 25%",
        ),
        "zz": (),
    }
    loose = Criteria(features=False, tokens=0, nonprojective=100.0, one_per_language=False)
    assert all(one.selected for one in select(profiles, loose))
    true = select(profiles, Criteria(right_crossed=False))
    assert [one.treebank for one in true if one.selected] == ["xx_b"]
    assert {one.language_code for one in true} == {"xx", "yy", "zz"}
    assert [one.nonprojective_trees for one in true] == [10, 10, 10, 50, 25]
    assert [(one.tokens, one.nonprojective_trees) for one in select(profiles)][-1] == (30_000, 24.99)


def test_names_of_treebanks_and_languages() -> None:
    names = {"cu-ud-train": "cu", "en_ewt-ud-dev": "en_ewt", "train": "train", "pl.dev": "pl", "xtrain": "xtrain"}
    assert {name: treebank_of(name) for name in names} == names
    codes = {"cs_cac": "cs", "got": "got", "Greek": "Greek", "en-x": "en", "/a/b": "/a/b"}
    assert {name: language_code(name) for name in codes} == codes


# Columns


def test_columns_are_found_by_name_and_group() -> None:
    assert [column.name for column in columns_named(["summary"])] == list(SUMMARY)
    assert [column.name for column in columns_named(["all"])] == list(WITHOUT_TRAINING)
    assert [column.name for column in columns_named(["summary"], "upos")] == ["upos", "features_per_upos"]
    assert [column.name for column in columns_named(["vocabulary"], "relation")] == ["wde", "head_entropy_by_relation"]
    for name, by in (("words", "relation"), ("wde", "deprel"), ("sizes", "upos")):
        with pytest.raises(MeasureError, match=f"unknown column '{name}'"):
            columns_named([name], by)
    assert [column.name for group in GROUPS for column in columns_named([group])] == list(COLUMNS)
    assert [column.name for column in columns_named(["words", "sizes", "words"])][:2] == ["words", "sentences"]
    with pytest.raises(MeasureError, match=r"unknown column 'wordz': did you mean words") as caught:
        columns_named(["wordz"])
    assert caught.value.slug == "unknown-column"
    with pytest.raises(MeasureError, match="unknown scheme 'x'"):
        profile(flat(["a"], ["root"]), scheme="x")


def test_a_profile_is_a_mapping() -> None:
    ours = profile(flat(["a", "b"], ["root", "det"]), columns=["words", "relation"])
    assert dict(ours) == {"words": 2, "relation": {"det": 50, "root": 50}}
    assert len(ours) == 2
    assert repr(ours).startswith("<Profile: words=2, ")
    assert isinstance(ours, levelhead.Profile)
    with pytest.raises(TypeError, match="relation has many values"):
        ours.number("relation")
    with pytest.raises(TypeError, match="words has one value"):
        ours.numbers("words")


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_defined(name: str) -> None:
    column = COLUMNS[name]
    assert column.meaning.endswith(".")
    assert column.formula
    assert column.source
    assert name not in GROUPS
    assert column.by is None or column.name_in_rows != name or name in {"wde", "features_per_upos"}


def test_rows_by_every_kind_of_keys() -> None:
    """Names of columns do not repeat, and options list every kind."""
    assert get_args(Rows) == ("treebank", "value", *KINDS)
    treebank = flat(["a", "b"], ["root", "det"])
    for kind in KINDS:
        profiles = levelhead.profile(treebank, columns="all", by=kind)
        table, data = profiles.table(), profiles.data(TABLES[kind])
        names = [column.name.removesuffix(" (%)") for column in table.columns]
        assert names[:3] == ["Treebank", kind.capitalize(), "share"]
        assert len(set(names)) == len(names)
        assert sum(row[2] for row in table.rows) == pytest.approx(len(table.rows) and 100)
        assert data.rows == list(table.rows)
        assert profiles.data() == data
        assert not data.rows or data.names == ["treebank", kind, *names[2:]]
    with pytest.raises(InputError, match="training treebanks cannot be combined with rows by upos"):
        levelhead.profile(treebank, by="upos", train=[treebank])


@pytest.mark.parametrize("kind", get_args(Distance))
def test_a_square_matrix(kind: str) -> None:
    """Every pair in both directions, from the table of pairs; in a row are the distances from its treebank."""
    codes = ["de", "en", "ja", "tr"]
    paths = [EXAMPLES / "parallel" / "gold" / f"{code}.conllu" for code in codes]
    frame = levelhead.similarity(*paths, matrix=kind).to_frame(library="pandas")
    matrix = frame.set_index("treebank_a").loc[codes, codes].to_numpy()
    assert list(frame.columns) == ["treebank_a", *codes]
    assert not matrix.diagonal().any()
    assert (matrix == matrix.T).all() == (kind != "klcpos3")
    distributions = [count_treebank(levelhead.read(path)).distributions for path in paths]
    for (i, one), (j, other) in itertools.permutations(enumerate(distributions), 2):
        assert matrix[i, j] == pytest.approx(getattr(similarity(one, other), kind), rel=1e-12)


def test_names_of_given_treebanks() -> None:
    """Mappings give names; lists and arguments mix treebanks and paths, which are named after their files."""
    english, german = (EXAMPLES / "parallel" / "gold" / f"{code}.conllu" for code in ("en", "de"))
    treebank = levelhead.read(english)
    assert list(levelhead.profile({"x": treebank, "y": str(german)})) == ["x", "y"]
    assert list(levelhead.profile([treebank, german], {"x": english})) == ["en", "de", "x"]
    assert list(levelhead.similarity({"x": treebank}, german).pairs) == [("x", "de")]
    assert levelhead.profile({"x": german})["x"] == levelhead.profile(german)["de"]
    parts = {"en_a-ud-train": treebank, "en_a-ud-dev": german}
    assert list(levelhead.profile(parts, merge=True)) == ["en_a"]
    assert [one.treebank for one in levelhead.select(parts).decisions] == ["en_a"]
    for same in (({"en": treebank}, english), ({"en": english}, {"en": german})):
        with pytest.raises(InputError, match="invalid-argument: two treebanks have the name 'en'"):
            levelhead.profile(*same)


def test_codes_of_languages() -> None:
    """Codes have the form of ISO 639-3 and Glottolog, and belong to one language each; code switching has none."""
    known = languages()
    for pattern, codes in (
        ("[a-z]{3}", [language.iso_639_3 for language in known.values()]),
        ("[a-z]{4}[0-9]{4}", [language.glottocode for language in known.values()]),
    ):
        certain = [code for code in codes if code]
        assert len(certain) == len(set(certain)) > 0.9 * len(known)
        assert all(re.fullmatch(pattern, code) for code in certain)
    three = {code: language.iso_639_3 for code, language in known.items() if len(code) == 3}
    assert [code for code, iso in three.items() if iso not in {code, ""}] == ["ajp"]  # merged into apc in 2023
    assert not any(any(language[3:]) for language in known.values() if language.family == "Code switching")
    assert known["zh"][3:] == ("cmn", "mand1415")


# Counting


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "yy", "é"])), max_size=30), st.integers(0, 30))
@settings(max_examples=examples(25))
def test_tallies(rows: list[tuple[str, str]], cut: int) -> None:
    """Counts, sums and marginals, compared with a dictionary; the axes have exactly the strings that occur."""
    from collections import Counter

    from levelhead.treebank import StringColumn, Strings

    def tally(some: list[tuple[str, str]]) -> Tally:
        strings, codes = Strings.of(["unused", "also unused"]).with_texts([text for row in some for text in row])
        return Tally.of(StringColumn(codes[0::2], strings), StringColumn(codes[1::2], strings))

    def shown(some: Tally) -> dict[tuple[str, ...], int]:
        columns = [StringColumn(codes, axis) for codes, axis in zip(some.keys, some.axes, strict=True)]
        return dict(zip(zip(*columns, strict=True), some.counts.tolist(), strict=True))

    whole, added = tally(rows), tally(rows[:cut]) + tally(rows[cut:])
    assert shown(whole) == shown(added) == dict(Counter(rows))
    assert set(added.axes[1].texts) == {second for _, second in rows}
    assert shown(whole.marginal(1)) == {(second,): n for second, n in Counter(second for _, second in rows).items()}
    assert whole.frequencies(0) == dict(
        sorted(Counter(first for first, _ in rows).items(), key=lambda p: (-p[1], p[0]))
    )
    firsts = Counter(first for first, _ in rows)
    assert whole.totals_of(0).tolist() == [firsts[first] for first in StringColumn(whole.keys[0], whole.axes[0])]


def test_keys_too_large_for_one_number() -> None:
    """Tuples are distinguished even if their codes do not fit into 64 bits."""
    from levelhead.treebank import StringColumn, Strings

    draw = np.random.default_rng(0)
    strings = Strings.of([str(number) for number in range(70_000)])
    columns = [np.concatenate([np.arange(70_000), draw.integers(0, 70_000, 500)]).astype(np.int32) for _ in range(4)]
    for column in columns:
        column[-1] = column[0]
    tally = Tally.of(*(StringColumn(column, strings) for column in columns))
    assert (len(tally), tally.total) == (70_499, 70_500)


def test_histograms() -> None:
    one, other = Histogram.of(np.array([3, 1, 3])), Histogram.of(np.array([2, 3]))
    both = one + other
    assert (both.values.tolist(), both.counts.tolist()) == ([1, 2, 3], [1, 1, 3])
    assert (both.mean, both.max, both.total, both.share(lambda values: values > 2)) == (2.4, 3, 5, 60)
    empty = Histogram.of(np.array([]))
    assert (empty.mean, empty.max, empty.share(lambda values: values > 2)) == (None, None, None)


# Frames


def test_frames() -> None:
    library("polars")
    library("pandas")
    treebanks = {"a": [flat(["a", "b"], ["root", "det"])], "b": [flat(["a"], ["root"])]}
    profiles = survey(treebanks)
    frame = profiles.to_frame(library="polars")
    assert frame["treebank"].to_list() == ["a", "b"]
    assert frame["words"].to_list() == [2, 1]
    assert frame["relation:det"].to_list() == [50, 0]
    assert frame["wde:det"].to_list() == [0, None]
    values = profiles.to_frame("values", library="pandas")
    rows = replace(profiles, by="value").table().rows
    assert values["unit"].tolist().count("percent") == sum("%" in row for row in rows) > 0
    assert list(values.columns) == ["treebank", "column", "part", "value", "unit"]
    assert len(values) == len(rows)


def test_the_total_is_apart() -> None:
    """It is no treebank: only the text and the table of totals have it."""
    treebanks = [flat(["a", "b"], ["root", "det"]), flat(["a"], ["root"])]
    profiles = levelhead.profile(*treebanks, columns="words,relation", total=True)
    assert [row[0] for row in profiles.table().every_row][2:] == ["Total of 2"]
    totals = profiles.data("totals").rows
    assert totals == [
        ("words", None, 3, ""), ("relation", "det", pytest.approx(100 / 3), "percent"),
        ("relation", "root", pytest.approx(200 / 3), "percent"),
    ]  # fmt: skip
    for name in ("treebanks", "values", "relations", "vocabularies"):
        assert {row["treebank"] for row in profiles.data(name).documents()} == set(profiles.of_treebanks)
