"""Intervals and p-values of correlations: a second implementation, their agreement, skewed columns, and coverage."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from levelhead.correlation import Measurements, coefficients
from levelhead.correlation.coefficients import fisher_z, skewness
from levelhead.correlation.correlate import correlate
from oracle import correlation as oracle

NUMBERS = st.integers(min_value=-8, max_value=8).map(float)  # few values, so that there are ties
COLUMNS = st.integers(min_value=4, max_value=9).flatmap(
    lambda n: st.tuples(*(st.lists(NUMBERS, min_size=n, max_size=n) for _ in range(3)))
)
COEFFICIENTS = {"pearson": oracle.pearson, "spearman": oracle.spearman}
LARGEST = {"pearson": lambda _: 1 - 1e-12, "spearman": lambda n: 1 - 6 / (n * (n * n - 1))}


def table(**columns: list[float]) -> Measurements:
    numbers = {name: np.array(values, dtype=float) for name, values in columns.items()}
    return Measurements(tuple(f"t{i}" for i in range(len(next(iter(numbers.values()))))), numbers)


def varies_without_any(column: list[float]) -> bool:
    return all(len({v for k, v in enumerate(column) if k != i}) > 1 for i in range(len(column)))


@given(COLUMNS, st.sampled_from([0.5, 0.9, 0.95]))
def test_intervals_and_p_follow_from_the_jackknife(columns, level):
    """For all three pairs, corrected by Sidak's bound."""
    columns = dict(zip("xyz", columns))
    if not all(map(varies_without_any, columns.values())):
        return
    result = correlate(table(**columns), methods=tuple(COEFFICIENTS), level=level)
    n = len(columns["x"])
    for pair in result.pairs:
        for method, coefficient in COEFFICIENTS.items():
            found = pair.coefficients[method]
            z, error = oracle.fisher([columns[pair.x], columns[pair.y]], coefficient, LARGEST[method](n))
            p = 2 * stats.norm.sf(abs(z / error))
            half = error * stats.norm.isf((1 - level ** (1 / 3)) / 2)
            assert found.p == pytest.approx(max(1 - (1 - p) ** 3, 3e-12), abs=1e-9)
            assert found.low == pytest.approx(min(found.value, math.tanh(z - half)), abs=1e-7)
            assert found.high == pytest.approx(max(found.value, math.tanh(z + half)), abs=1e-7)


@given(COLUMNS, st.sampled_from([None, ("pearson",), ("spearman",)]), st.floats(min_value=0.5, max_value=0.99))
def test_p_and_interval_never_contradict_each_other(columns, methods, level):
    """p is below 1 - level exactly if the interval excludes 0, and the interval has a width and holds the value."""
    columns = dict(zip("xyz", columns))
    if not all(map(varies_without_any, columns.values())):
        return
    for pair in correlate(table(**columns), methods=methods, level=level).pairs:
        for value, low, high, p, _ in pair.coefficients.values():
            assert low <= value <= high
            assert low < high
            if abs(p - (1 - level)) > 1e-9:
                assert (p < 1 - level) == (low > 0 or high < 0)


@pytest.mark.parametrize("method", COEFFICIENTS)
def test_partial_correlations_have_one_row_less_for_each_given_column(method):
    """In this sample, the error is Bonett and Wright's, which depends on the number of rows."""
    x, y, z = np.random.default_rng(7).normal(size=(3, 12)).tolist()
    ranked = oracle.ranks if method == "spearman" else list
    expected, error = oracle.fisher(
        [x, y, z], lambda *columns: oracle.partial(*map(ranked, columns)), LARGEST[method](11), given=1
    )
    found = correlate(table(x=x, y=y, z=z), ["x", "y"], given=["z"], methods=(method,)).pairs[0].coefficients[method]
    assert error == pytest.approx(math.sqrt((1 + found.value**2 / 2) / 8))
    assert found.value == pytest.approx(math.tanh(expected))
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(expected / error)))


@pytest.mark.parametrize("method", COEFFICIENTS)
def test_a_single_column_is_corrected_for_its_own_pairs(method):
    columns = dict(zip("abcd", np.random.default_rng(2).normal(size=(4, 10)).tolist()))
    one, every = (correlate(table(**columns), names, methods=(method,)) for names in (["a"], None))
    assert len(one.pairs) == 3
    for pair in one.pairs:
        few, many = pair.coefficients[method], every[pair.x, pair.y].coefficients[method]
        assert 1 - (1 - few.p) ** 2 == pytest.approx(many.p)  # 3 pairs and 6
        assert many.low < few.low < few.high < many.high
    assert "intervals and p: corrected for 3 pairs" in one.table().notes
    assert not any("corrected" in note for note in correlate(table(**columns), ["a", "b"]).table().notes)


def test_too_few_treebanks_have_no_interval():
    """Four treebanks have one, three have none, and each given column needs one more."""
    x, y, z = np.random.default_rng(0).normal(size=(3, 5)).tolist()
    for n, held, known in ((3, (), False), (4, (), True), (4, ("z",), False), (5, ("z",), True)):
        columns = table(x=x[:n], y=y[:n], z=z[:n])
        found = correlate(columns, ["x", "y"], given=held, methods=("pearson",)).pairs[0].coefficients["pearson"]
        assert found.value is not None
        assert [number is not None for number in found[1:4]] == 3 * [known]


def test_a_column_that_varies_by_one_treebank_has_no_interval():
    found = correlate(table(x=[0, 0, 0, 0, 1], y=[1, 2, 3, 4, 6]), methods=tuple(COEFFICIENTS)).pairs[0].coefficients
    for coefficient in found.values():
        assert coefficient.value > 0.5
        assert coefficient[1:4] == (None, None, None)


def test_a_line():
    """Its interval ends at 1 or -1, and p is not 0. By ranks, four treebanks are never significant."""
    x = [float(i) for i in range(12)]
    for n, significant in ((4, False), (5, True), (12, True)):
        found = correlate(table(x=x[:n], y=[3 * v + 1 for v in x[:n]]), methods=("spearman",)).pairs[0]
        value, low, high, p, _ = found.coefficients["spearman"]
        assert (value, high) == pytest.approx((1, 1))
        assert low < 1
        assert (p < 0.05) == significant
        falling = correlate(table(x=x[:n], y=[-v for v in x[:n]]), methods=("spearman",)).pairs[0]
        assert falling.coefficients["spearman"][:4] == pytest.approx((-1, -high, -low, p))
    pearson = correlate(table(x=x, y=[3 * v + 1 for v in x])).pairs[0].coefficients["pearson"]
    assert pearson.value == pytest.approx(1)
    assert 0 < pearson.p < 1e-6


def test_blocks_change_nothing(monkeypatch):
    """Rows are left out in blocks to limit memory."""
    values = np.random.default_rng(1).normal(size=(11, 5))
    for method, n_given in (("pearson", 0), ("spearman", 1)):
        whole = fisher_z(values, method, n_given)
        with monkeypatch.context() as patched:
            patched.setattr(coefficients, "AT_ONCE", 200)
            parts = fisher_z(values, method, n_given)
        assert parts.errors == pytest.approx(whole.errors, rel=1e-12)


# Skewed columns


@given(st.lists(NUMBERS, min_size=3, max_size=9).filter(lambda column: len(set(column)) > 1))
def test_skewness(column):
    found = skewness(np.array([column]).T)[0]
    assert found == pytest.approx(oracle.skewness(column), abs=1e-9)
    assert found == pytest.approx(stats.skew(column), abs=1e-9)


SKEWED = [1.0, 2.0, 3.0, 2.0, 1.0, 4.0, 90.0]
EVEN = {"y": [1.0, 3.0, 2.0, 5.0, 4.0, 6.0, 7.0], "z": [2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]}


def test_skewed_columns_are_correlated_by_ranks():
    """With no method, each pair has one coefficient; a note names the skewed column."""
    result = correlate(table(x=SKEWED, **EVEN))
    methods = {(pair.x, pair.y): (tuple(pair.coefficients), pair.skewed) for pair in result.pairs}
    by_ranks = (("spearman",), ("x",))
    assert methods == {("x", "y"): by_ranks, ("x", "z"): by_ranks, ("y", "z"): (("pearson",), ())}
    assert "Spearman's coefficient for skewed columns: x" in result.provenance.notes
    rows = result.table().rows
    assert [(row[2], row[-1]) for row in rows] == [("spearman", "x"), ("spearman", "x"), ("pearson", "")]
    given_skewed = correlate(table(x=SKEWED, **EVEN), ["y", "z"], given=["x"]).pairs[0]
    assert (tuple(given_skewed.coefficients), given_skewed.skewed) == by_ranks


def test_a_requested_method_is_obeyed_with_a_note():
    result = correlate(table(x=SKEWED, **EVEN), methods=("pearson",))
    assert {tuple(pair.coefficients) for pair in result.pairs} == {("pearson",)}
    assert any("not reliable for skewed columns: x" in note for note in result.provenance.notes)
    by_ranks = correlate(table(x=SKEWED, **EVEN), methods=("spearman",))
    assert by_ranks.provenance.notes == ()


# Coverage


def test_intervals_of_few_treebanks_hold_with_a_skewed_column():
    """500 samples of 14 with a log-normal column: by percentiles, 44% of Pearson's intervals held the coefficient."""
    rng, held = np.random.default_rng(3), 0
    true = 6 / math.pi * math.asin(0.4)  # Kruskal (1958) of normal variables
    for _ in range(500):
        x, y = rng.normal(size=(2, 14))
        values = np.stack([np.exp(1.5 * x), 0.8 * x + 0.6 * y], axis=1)
        low, high, _ = fisher_z(values, "spearman").test(0, 1, 0.95)
        held += low <= true <= high
    assert held >= 0.93 * 500


def test_p_tests_the_coefficient_and_not_independence():
    """y = x * noise: dependent, but r = 0. The permutation test rejected 24%."""
    rng, rejected = np.random.default_rng(5), 0
    for _ in range(500):
        x, noise = rng.normal(size=(2, 30))
        rejected += fisher_z(np.stack([x, x * noise], axis=1), "pearson").test(0, 1, 0.95)[2] < 0.05
    assert rejected <= 0.12 * 500


def test_pairs_of_a_constant_residual_have_no_value():
    """A column that is a sum of given columns has no residual."""
    rng = np.random.default_rng(6)
    x, z = rng.normal(size=(2, 8))
    result = correlate(table(x=list(x), same=list(2 * z), z=list(z)), ["x", "same"], given=["z"], methods=("pearson",))
    assert result.pairs[0].coefficients["pearson"][:4] == (None, None, None, None)
    assert len(list(combinations(result.columns, 2))) == 1
