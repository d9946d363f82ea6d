"""Checks by language family, and one vote per language."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from levelhead.correlation import Measurements, coefficients
from levelhead.correlation.coefficients import FamilyChecks
from levelhead.correlation.correlate import correlate
from levelhead.errors import InputError
from oracle import correlation as oracle

NUMBERS = st.integers(min_value=-8, max_value=8).map(float)  # few values, so that there are ties
DRAWN = st.lists(st.sampled_from("abc"), min_size=4, max_size=6).flatmap(
    lambda names: st.tuples(
        st.just(names), *(st.lists(NUMBERS, min_size=len(names), max_size=len(names)) for _ in "xy")
    )
)


def check_of(values, names, method="pearson", permutations=1000):
    return FamilyChecks(np.array(values, dtype=float), names, method, 0, permutations, 0)[0, 1]


@given(DRAWN, st.sampled_from(["pearson", "spearman"]))
def test_permutations_within_families(drawn, method):
    """All permutations, counted one by one; a family with one treebank adds nothing."""
    names, *columns = drawn
    found = check_of(np.array(columns).T, names, method)
    x, y = map(oracle.ranks, columns) if method == "spearman" else columns
    if any(all(len({v for v, f in zip(c, names) if f == g}) == 1 for g in names) for c in (x, y)):
        assert (found.within, found.p) == (None, None)
    else:
        value, p = oracle.within(x, y, names)
        assert found.within == pytest.approx(value, abs=1e-9)
        assert found.p == pytest.approx(p)
    assert found.p_error is None
    coefficient = {"pearson": oracle.pearson, "spearman": oracle.spearman}[method]
    for family, value in found.without.items():
        kept = [[v for v, f in zip(c, names) if f != family] for c in columns]
        expected = coefficient(*kept) if len(kept[0]) >= 3 else math.nan
        assert (math.nan if value is None else value) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_random_permutations_are_near_the_exact_ones():
    """If there are more permutations than requested, random ones are drawn; the Monte Carlo error says how near."""
    values = np.random.default_rng(5).normal(size=(9, 2))
    values[:, 1] += values[:, 0]
    names = ["a"] * 6 + ["b"] * 3
    exact, drawn = (check_of(values, names, "spearman", permutations) for permutations in (4320, 4319))
    assert exact.p_error is None
    assert drawn.within == exact.within
    assert drawn.p != exact.p
    assert drawn.p_error == pytest.approx(math.sqrt(drawn.p * (1 - drawn.p) / 4319))
    assert abs(drawn.p - exact.p) < 4 * drawn.p_error


def test_pairs_share_their_orders():
    """Each pair has the p that it has alone."""
    values = np.random.default_rng(8).normal(size=(12, 3))
    names = ["a"] * 7 + ["b"] * 5
    every = FamilyChecks(values, names, "pearson", 0, 500, 1)
    for pair in ((0, 1), (0, 2), (1, 2)):
        alone = FamilyChecks(values[:, pair], names, "pearson", 0, 500, 1)[0, 1]
        assert alone.p == every[pair].p
        assert alone.within == pytest.approx(every[pair].within)


def test_blocks_change_nothing(monkeypatch):
    """All orders are computed in blocks to limit memory."""
    values, names = np.random.default_rng(8).normal(size=(8, 2)), ["a"] * 5 + ["b"] * 3
    whole = check_of(values, names)
    monkeypatch.setattr(coefficients, "_CELLS_AT_ONCE", 100)
    assert check_of(values, names) == whole


def test_one_family_can_make_a_correlation():
    """Two families that differ in both columns: a high coefficient, but no correlation within families."""
    rng = np.random.default_rng(0)
    shift = np.repeat([0.0, 20.0], 6)
    numbers = {"x": shift + rng.normal(size=12), "y": shift + rng.normal(size=12)}
    texts = {"family": ("Slavic",) * 6 + ("Turkic",) * 6}
    table = Measurements(tuple(f"t{i}" for i in range(12)), numbers, texts)
    one = correlate(table, family="family").pairs[0].coefficients["pearson"]
    assert one.value > 0.95
    assert one.p < 0.01
    assert one.families.p > 0.05
    assert abs(one.families.without["Slavic"]) < 0.8


# One vote per language

NAMES = ("fr_gsd", "de_gsd", "fr_sequoia", "cs_pdt-ud-test", "fr_partut", "Klingon", "fi_tdt")
VALUES = {"x": [1.0, 5.0, 2.0, 7.0, 6.0, 4.0, 3.0], "y": [3.0, 4.0, 6.0, 5.0, 9.0, 2.0, 1.0]}
BY_LANGUAGE = {"x": [3.0, 5, 7, 4, 3], "y": [6.0, 4, 5, 2, 1]}


def treebanks(texts=None, **columns) -> Measurements:
    return Measurements(NAMES, {name: np.array(values) for name, values in columns.items()}, texts or {})


def test_treebanks_of_a_language_have_one_vote():
    """Three French treebanks count as their mean, unless each treebank votes."""
    result = correlate(treebanks(**VALUES), methods=("pearson",))
    pair = result.pairs[0]
    assert (pair.n, len(result.treebanks)) == (5, 7)
    assert pair.coefficients["pearson"].value == pytest.approx(oracle.pearson(*BY_LANGUAGE.values()))
    note = "one vote per language, the mean of its treebanks: French (fr_gsd, fr_sequoia, fr_partut)"
    assert result.provenance.notes == (note,)
    assert result.provenance.signature["votes"] == "language"
    each = correlate(treebanks(**VALUES), votes="treebank", methods=("pearson",))
    assert (each.pairs[0].n, each.provenance.notes) == (7, ())
    assert each.pairs[0].coefficients["pearson"].value == pytest.approx(oracle.pearson(*VALUES.values()))


def test_a_column_names_languages():
    """It is preferred to codes; where it has no value, codes are used."""
    languages = ("French", "-", "French", "Czech", "Walloon", "", "-")
    result = correlate(treebanks({"language": languages}, **VALUES), methods=("spearman",))
    assert result.pairs[0].n == 6
    assert "French (fr_gsd, fr_sequoia)" in result.provenance.notes[0]


def test_treebanks_without_values_have_no_part_in_means():
    """By pairs of columns: fr_gsd has no z, so the mean of x and z is that of the others."""
    z = [math.nan, 1.0, 3.0, 2.0, 5.0, 4.0, 6.0]
    result = correlate(treebanks(**VALUES, z=z), missing="pairwise", methods=("pearson",))
    assert result["x", "y"].coefficients["pearson"].value == pytest.approx(oracle.pearson(*BY_LANGUAGE.values()))
    expected = oracle.pearson([4.0, 5, 7, 4, 3], [4.0, 1, 2, 4, 6])
    assert result["x", "z"].coefficients["pearson"].value == pytest.approx(expected)


def test_too_few_languages():
    table = treebanks(**VALUES).rows([0, 2, 4, 1])
    with pytest.raises(InputError, match="2 languages have values in x and y; a correlation requires 3"):
        correlate(table)
    assert correlate(table, votes="treebank").pairs[0].n == 4


def test_a_language_has_one_family():
    mixed = ("Romance", "Germanic", "Italic", "Slavic", "Romance", "Other", "Uralic")
    table = treebanks({"family": mixed}, **VALUES)
    with pytest.raises(InputError, match=r"French have several values .*\(Romance, Italic\): use --votes treebank"):
        correlate(table, family="family")
    assert correlate(table, family="family", votes="treebank").pairs[0].n == 7
