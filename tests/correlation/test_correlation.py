"""Correlations: Callin's published tables, a second implementation, scipy, and properties."""

import csv
import json
import math
import tempfile
import tracemalloc
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from levelhead.correlation import (
    Measurements,
    coefficients,
    correlate,
    cumulative_variance,
    join,
    read_tables,
)
from levelhead.correlation.coefficients import (
    correlations,
    interval,
    intervals,
    midranks,
    p_value,
    permutation_p_values,
)
from levelhead.correlation.correlate import family_check
from levelhead.errors import InputError
from levelhead.significance import holm
from levelhead.significance.resampling import resampled_weights
from oracle import correlation as oracle

FEW = {"resamples": 20}


def table(families: tuple[str, ...] = (), **columns: list[float]) -> Measurements:
    n = len(next(iter(columns.values())))
    numbers = {name: np.array(values, dtype=float) for name, values in columns.items()}
    return Measurements(tuple(f"t{i}" for i in range(n)), numbers, {"family": families} if families else {})


@pytest.fixture(scope="session")
def callin(data):
    return data / "callin/expected"


@pytest.fixture(scope="session")
def languages(callin) -> Measurements:
    """Callin's tables of scores and frequencies, and STTR."""
    paths = ("maltdefault.lang_measures.csv", "content_function_freq.csv", "sttr=standard_ttr.1.2.csv")
    named = (path.rpartition("=") for path in paths)
    return read_tables([f"{name}{equals}{callin / path}" for name, equals, path in named])


def column(path, name: str) -> dict[str, float]:
    """Read a column of one of Callin's tables without levelhead."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row[""]: float(row[name]) for row in csv.DictReader(file)}


# Callin's tables

SCORES = ("WLAS", "LAS", "C prec", "C rec", "F prec", "F rec")


def test_callins_correlation_matrix(callin, languages):
    """Table 3 for the 14 available languages; the 28 coefficients equal an independent computation."""
    mine = {name: column(callin / "maltdefault.lang_measures.csv", name) for name in SCORES}
    mine |= {name: column(callin / "content_function_freq.csv", name) for name in ("C freq", "F freq")}
    result = correlate(languages, list(mine), **FEW)
    assert len(result.treebanks) == 14
    assert len(result.pairs) == 28
    for one, other in combinations(mine, 2):
        values = [[mine[name][language] for language in mine["LAS"]] for name in (one, other)]
        pair = result[one, other].coefficients
        assert pair["pearson"].value == pytest.approx(oracle.pearson(*values), abs=1e-12)
        assert pair["spearman"].value == pytest.approx(oracle.spearman(*values), abs=1e-12)


def test_callins_discussion(callin, languages):
    """The loss of LAS if function words count less, correlated with STTR (section 7): weak, as in the paper."""
    wider = languages.with_difference("LAS", "WLAS").with_difference("LAS", "C prec")
    sttr = column(callin / "standard_ttr.1.2.csv", "mean")
    las = column(callin / "maltdefault.lang_measures.csv", "LAS")
    for name in ("WLAS", "C prec"):
        other = column(callin / "maltdefault.lang_measures.csv", name)
        expected = oracle.pearson(list(sttr.values()), [las[language] - other[language] for language in sttr])
        pair = correlate(wider, ["sttr.mean", f"diff(LAS,{name})"], **FEW).pairs[0].coefficients["pearson"]
        assert pair.value == pytest.approx(expected, abs=1e-12)
        assert -0.5 < pair.value < 0
        assert pair.p > 0.05


def test_callins_cumulative_variance(callin, languages):
    """Figure 5. The best six languages by WLAS are available, so these variances equal those of Callin's notebook."""
    for name in SCORES:
        expected = oracle.cumulative_variance(list(column(callin / "maltdefault.lang_measures.csv", name).values()))
        found = cumulative_variance(languages.treebanks, languages.number(name))
        assert found.variances == pytest.approx(expected, abs=1e-15)
    printed = ["0.000075", "0.000062", "0.000090", "0.000090", "0.000148"]
    found = cumulative_variance(languages.treebanks, languages.number("WLAS"))
    assert [f"{value:.6f}" for value in found.variances[:5]] == printed
    assert found.treebanks[:6] == ("Hindi", "Norwegian", "Italian", "English", "Polish", "Czech")


# A second implementation, and scipy

NUMBERS = st.integers(min_value=-8, max_value=8).map(float)  # few values, so that there are ties
COLUMNS = st.integers(min_value=4, max_value=9).flatmap(
    lambda n: st.tuples(*(st.lists(NUMBERS, min_size=n, max_size=n) for _ in range(4)))
)
SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


@given(COLUMNS, SEEDS)
def test_resamples_are_rows_repeated(columns, seed):
    """Coefficients with weights equal those of rows repeated as often as their weights."""
    values = np.array(columns).T
    draws = resampled_weights(len(values), 3, np.random.default_rng(seed))
    for method, plain in (("pearson", oracle.pearson), ("spearman", oracle.spearman)):
        found = correlations(values, draws, method)
        for sample, weights in zip(found, draws):
            rows = np.repeat(values, weights.astype(int), axis=0).T.tolist()
            for i, j in combinations(range(4), 2):
                assert sample[i, j] == pytest.approx(plain(rows[i], rows[j]), abs=1e-9, nan_ok=True)


@given(SEEDS, st.integers(min_value=9, max_value=14), st.integers(min_value=1, max_value=2))
def test_partial_correlation(seed, n, n_given):
    """Equal to the recursion over given columns, and to residuals of least squares; Spearman's uses ranks."""
    values = np.random.default_rng(seed).normal(size=(n, 2 + n_given))
    one = np.ones((1, n))
    held = np.column_stack([np.ones(n), values[:, 2:]])
    left = values[:, :2] - held @ np.linalg.lstsq(held, values[:, :2], rcond=None)[0]
    found = correlations(values, one, "pearson", n_given)[0, 0, 1]
    assert found == pytest.approx(np.corrcoef(left.T)[0, 1], abs=1e-9)
    assert found == pytest.approx(oracle.partial(*values.T.tolist()), abs=1e-9)
    ranked = [oracle.ranks(x) for x in values.T.tolist()]
    assert correlations(values, one, "spearman", n_given)[0, 0, 1] == pytest.approx(oracle.partial(*ranked), abs=1e-7)


COEFFICIENTS = {"pearson": oracle.pearson, "spearman": oracle.spearman}


@given(COLUMNS)
def test_coefficients_are_those_of_scipy(columns):
    x, y = columns[:2]
    if len(set(x)) > 1 and len(set(y)) > 1:
        pair = correlate(table(x=x, y=y), **FEW).pairs[0].coefficients
        for method, theirs in (("pearson", stats.pearsonr(x, y)), ("spearman", stats.spearmanr(x, y))):
            assert pair[method].value == pytest.approx(theirs.statistic, abs=1e-12)


def few_columns(n: int):
    """Three columns of three to n rows, none of them constant."""
    varying = NUMBERS.flatmap(lambda _: st.lists(NUMBERS, min_size=3, max_size=n))
    return varying.flatmap(
        lambda first: st.tuples(
            st.just(first), *(st.lists(NUMBERS, min_size=len(first), max_size=len(first)) for _ in range(2))
        )
    ).filter(lambda columns: all(len(set(column)) > 1 for column in columns))


@given(few_columns(6))
def test_p_of_few_treebanks_is_exact(columns):
    """The share of all permutations that reach the coefficient, for both methods and every pair, including ties."""
    found = correlate(table(**dict(zip("xyz", columns))), **FEW)
    for pair in found.pairs:
        x, y = (columns["xyz".index(name)] for name in (pair.x, pair.y))
        for method, coefficient in COEFFICIENTS.items():
            assert pair.coefficients[method].p == pytest.approx(oracle.permutation_p(x, y, coefficient))


def test_random_permutations_are_near_the_exact_ones(monkeypatch):
    """For seven treebanks, 20,000 random orders give the p of all 5,040 orders, within five standard errors."""
    values = np.random.default_rng(6).normal(size=(7, 3)) ** 3
    for method in COEFFICIENTS:
        exact = permutation_p_values(values, method, 1, np.random.default_rng(0))
        with monkeypatch.context() as patched:
            patched.setattr(coefficients, "MOST_EXACT", 6)
            drawn = permutation_p_values(values, method, 20_000, np.random.default_rng(0))
        for i, j in combinations(range(3), 2):
            assert drawn[i, j] != exact[i, j]
            assert drawn[i, j] == pytest.approx(exact[i, j], abs=5 * math.sqrt(exact[i, j] / 20_000))


@pytest.mark.parametrize("resamples", [99, 2000])
def test_p_of_a_line_is_the_least_that_permutations_can_give(resamples):
    """Twelve points on a line: by Student's t, p was 0.0 and 4e-78."""
    x = [float(i) for i in range(12)]
    pair = correlate(table(x=x, y=[3 * v + 1 for v in x]), resamples=resamples).pairs[0].coefficients
    for method in COEFFICIENTS:
        assert pair[method].value == pytest.approx(1)
        assert pair[method].p == pytest.approx(1 / (1 + resamples))
    four = correlate(table(x=x[:4], y=[2.0, 4, 6, 8]), resamples=resamples).pairs[0].coefficients
    assert [four[method].p for method in COEFFICIENTS] == pytest.approx([2 / 24, 2 / 24])


def test_blocks_of_permutations_change_nothing(monkeypatch):
    """Orders are computed in blocks to limit memory; the same orders are drawn."""
    for n_rows in (7, 12):
        values = np.random.default_rng(8).normal(size=(n_rows, 4))
        whole = permutation_p_values(values, "pearson", 500, np.random.default_rng(1))
        with monkeypatch.context() as patched:
            patched.setattr(coefficients, "_CELLS_AT_ONCE", 100)
            parts = permutation_p_values(values, "pearson", 500, np.random.default_rng(1))
        assert parts == pytest.approx(whole, nan_ok=True)


def test_heavy_tails_do_not_make_correlations_significant():
    """Of 1,225 pairs of unrelated columns with heavy tails, 5% reach p <= .05 (within four standard errors, doubled
    since pairs share columns); by Student's t, far more than 1% reach p <= .01."""
    values = np.random.default_rng(9).standard_t(1.5, size=(12, 50))
    upper = np.triu_indices(50, 1)
    p = permutation_p_values(values, "pearson", 999, np.random.default_rng(2))[upper]
    for level in (0.05, 0.01):
        error = math.sqrt(level * (1 - level) / len(p))
        assert np.mean(p <= level) == pytest.approx(level, abs=8 * error)
    by_t = [p_value(r, 12) for r in correlations(values, np.ones((1, 12)))[0][upper]]
    assert np.mean(np.array(by_t) <= 0.01) > 2 * np.mean(p <= 0.01)


def test_p_with_columns_held_fixed_is_that_of_t_and_never_impossible():
    """Student's t with n - 3 degrees of freedom; given z, x equals y, so p is 1/9!, not 0."""
    rng = np.random.default_rng(4)
    x, y, z = rng.normal(size=(3, 10))
    values = table(x=list(x), y=list(y), z=list(z), same=list(2 * x + z))
    found = correlate(values, ["x", "y", "same"], given=["z"], resamples=5)
    r = oracle.partial(list(x), list(y), list(z))
    by_t = 2 * stats.t.sf(abs(r) * math.sqrt(7 / (1 - r**2)), 7)
    assert found["x", "y"].coefficients["pearson"].p == pytest.approx(by_t)
    assert found["x", "same"].coefficients["pearson"].p == pytest.approx(1 / math.factorial(9))


def test_too_few_permutations_for_many_pairs_are_reported():
    """With 120 pairs and 2000 permutations, no p after Holm's correction can be below 120/2001."""
    rng = np.random.default_rng(1)
    many = {f"c{i}": list(rng.normal(size=10)) for i in range(16)}
    noted = "120 pairs with 2000 permutations: p after Holm's correction is at least 0.06; choose fewer columns or"
    (note,) = correlate(table(**many), methods=("pearson",)).provenance.notes
    assert note == f"{noted} at least 2400 resamples"
    assert correlate(table(**many), methods=("pearson",), resamples=2400).provenance.notes == ()
    few_rows = {name: values[:5] for name, values in many.items()}
    assert correlate(table(**few_rows), methods=("pearson",)).provenance.notes == ()


@given(st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=12))
def test_holm(p_values):
    corrected = holm(p_values)
    assert corrected == pytest.approx(oracle.holm(p_values))
    assert all(q >= p for p, q in zip(p_values, corrected))
    assert holm([None, *p_values, None]) == [None, *corrected, None]


@given(
    st.lists(st.sampled_from("abc"), min_size=4, max_size=6).flatmap(
        lambda families: st.tuples(
            st.just(families), *(st.lists(NUMBERS, min_size=len(families), max_size=len(families)) for _ in "xy")
        )
    )
)
def test_permutations_within_families(drawn):
    """All permutations, counted one by one; a family with one treebank adds nothing."""
    families, x, y = drawn
    found = family_check(np.array([x, y]).T, families, "pearson", 0, 1000, np.random.default_rng(0))
    constant = [all(len({v for v, f in zip(c, families) if f == g}) == 1 for g in families) for c in (x, y)]
    if any(constant):
        assert (found.within, found.p) == (None, None)
    else:
        value, p = oracle.within(x, y, families)
        assert found.within == pytest.approx(value, abs=1e-9)
        assert found.p == pytest.approx(p)
    for family, value in found.without.items():
        kept = [[v for v, f in zip(c, families) if f != family] for c in (x, y)]
        expected = oracle.pearson(*kept) if len(kept[0]) >= 3 else math.nan
        assert (math.nan if value is None else value) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_sampled_permutations_are_near_the_exact_ones():
    """If there are more permutations than requested, random ones are drawn."""
    rng = np.random.default_rng(5)
    families = ["a"] * 4 + ["b"] * 3
    values = rng.normal(size=(7, 2))
    exact = family_check(values, families, "spearman", 0, 144, np.random.default_rng(0))
    sampled = family_check(values, families, "spearman", 0, 143, np.random.default_rng(0))
    assert exact.p == pytest.approx(oracle.within(*map(oracle.ranks, values.T.tolist()), families)[1])
    assert sampled.within == exact.within
    assert sampled.p != exact.p
    assert sampled.p == pytest.approx(exact.p, abs=0.15)


def test_one_family_can_make_a_correlation():
    """Two families that differ in both columns: a high coefficient, but no correlation within families."""
    rng = np.random.default_rng(0)
    shift = np.repeat([0.0, 20.0], 6)
    x, y = shift + rng.normal(size=12), shift + rng.normal(size=12)
    families = ("Slavic",) * 6 + ("Turkic",) * 6
    one = correlate(table(families, x=list(x), y=list(y)), family="family").pairs[0].coefficients["pearson"]
    assert one.value > 0.95
    assert one.p < 0.01  # by the two groups alone, 2 of 924 ways to choose six: .0022
    assert one.families.p > 0.05
    assert abs(one.families.without["Slavic"]) < 0.8


# Laws


@given(COLUMNS, st.sampled_from([0.001, 3.0, -2.0]), st.integers(min_value=-100, max_value=100))
def test_units_do_not_matter(columns, factor, shift):
    """Coefficients do not depend on scale and zero; Spearman's only on order; a column with itself has 1."""
    values = np.array(columns).T
    one = np.ones((1, len(values)))
    changed = values.copy()
    changed[:, 0] = factor * values[:, 0] + shift
    for method in ("pearson", "spearman"):
        before, after = (correlations(v, one, method)[0] for v in (values, changed))
        assert after[0, 1] == pytest.approx(math.copysign(1, factor) * before[0, 1], abs=1e-9, nan_ok=True)
        assert before == pytest.approx(before.T, nan_ok=True)
        assert np.nan_to_num(np.diagonal(before), nan=1.0) == pytest.approx(1.0)
    cubed = correlations(values**3, one, "spearman")
    assert cubed == pytest.approx(correlations(values, one, "spearman"), nan_ok=True)


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_ranks(column):
    assert midranks(np.array(column), np.ones((1, len(column))))[0] == pytest.approx(oracle.ranks(column))


def test_very_large_and_small_numbers():
    """Squares that overflow or underflow do not make a column constant."""
    x, y = [1.0, 2.0, 4.0, 3.0], [2.0, 1.0, 5.0, 3.0]
    expected = oracle.pearson(x, y)
    for scale in (1e200, 1e-200):
        values = np.array([[scale * v for v in x], y]).T
        assert correlations(values, np.ones((1, 4)))[0, 0, 1] == pytest.approx(expected)


def test_the_seed_decides():
    """The same seed gives the same interval, and another seed another; coefficients do not change."""
    values = table(x=[1, 2, 3, 5, 4, 7], y=[2, 1, 4, 3, 6, 5])
    one, same, other = (correlate(values, seed=seed).pairs[0].coefficients["pearson"] for seed in (1, 1, 2))
    assert one == same
    assert (one.low, one.high) != (other.low, other.high)
    assert one.value == other.value
    assert one.low < one.value < one.high


def test_intervals_hold_what_they_say():
    """In many samples of thirty, about 19 in 20 intervals contain the true coefficient, or slightly fewer."""
    rng, held = np.random.default_rng(3), 0
    for _ in range(100):
        x = rng.normal(size=30)
        y = 0.5 * x + math.sqrt(0.75) * rng.normal(size=30)
        values = np.array([x, y]).T
        low, high = interval(correlations(values, resampled_weights(30, 200, rng))[:, 0, 1], 0.95)
        held += low <= 0.5 <= high
    assert 85 <= held <= 100


def test_perfect_correlation():
    pair = correlate(table(x=[1, 2, 3, 4], y=[2, 4, 6, 8]), **FEW).pairs[0].coefficients["pearson"]
    assert pair.value == pytest.approx(1)
    assert p_value(1.0, 3) == pytest.approx(1 / 6)
    assert p_value(1.0, 400) == 0.0  # 1/400! is no number that a float holds
    assert p_value(0.5, 3, n_given=1) is None


# Tables


def test_pairs_with_missing_values():
    """They are left out everywhere, left out of pairs, or an error."""
    nan = math.nan
    values = table(x=[1, 2, 3, 5, 4], y=[2, 1, 4, 3, nan], z=[nan, 3, 2, 5, 4])
    dropped, paired = (correlate(values, missing=missing, **FEW) for missing in ("drop", "pairwise"))
    assert [pair.n for pair in dropped.pairs] == [3, 3, 3]
    assert dropped.provenance.notes == ("left out: t0 has no value in z", "left out: t4 has no value in y")
    assert [pair.n for pair in paired.pairs] == [4, 4, 3]
    assert paired["x", "z"].coefficients["pearson"].value == pytest.approx(oracle.pearson([2, 3, 5, 4], [3, 2, 5, 4]))
    with pytest.raises(InputError, match="missing-value: t0 has no value in z") as caught:
        correlate(values, missing="error")
    assert len(caught.value.faults) == 2


def test_joining(tmp_path):
    """By treebank, in any order; treebanks that are not in all tables are named."""
    (tmp_path / "a.tsv").write_text("treebank\tLAS\nde\t1\ncs\t2\nfr\t3\nar\t4\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("code,size,family\nfr,30,Romance\nde,10,\ncs,20,Slavic\n", encoding="utf-8")
    joined = read_tables([str(tmp_path / "a.tsv"), f"b={tmp_path / 'b.csv'}"])
    assert joined.treebanks == ("de", "cs", "fr")
    assert joined.number("b.size").tolist() == [10, 20, 30]
    assert joined.text("b.family") == ("", "Slavic", "Romance")
    assert joined.notes == ("left out, not in all tables: ar",)
    everything = read_tables([str(tmp_path / "a.tsv"), str(tmp_path / "b.csv")], missing="pairwise")
    assert everything.treebanks == ("de", "cs", "fr", "ar")
    assert np.isnan(everything.number("size")[3])
    with pytest.raises(InputError, match="missing-treebank: 'ar' is not in"):
        join([read_tables([str(tmp_path / "a.tsv")]), read_tables([str(tmp_path / "b.csv")])], "error")


def test_an_equals_sign_in_a_path_is_part_of_it(tmp_path):
    path = tmp_path / "a=b.tsv"
    path.write_text("treebank\tLAS\nde\t1\n", encoding="utf-8")
    assert list(read_tables([str(path)]).numbers) == ["LAS"]


def test_two_columns_without_names(callin):
    """Several of Callin's tables have no header; the name before the path becomes the column's name."""
    las = read_tables([f"LAS={callin / 'maltdefault.las.csv'}"])
    assert list(las.numbers) == ["LAS"]
    assert len(las) == 14
    assert las.number("LAS")[0] == 0.7492570722859018


JSON = {
    "treebanks by name": '{"kind": "x", "treebanks": {"de": {"size": 1, "wde": {"nsubj": 0.5}}, "cs": {"size": 2}}}',
    "list of treebanks": '{"treebanks": [{"treebank": "de", "size": 1, "wde": {"nsubj": 0.5}}, {"name": "cs", "size": 2}]}',
    "lines": '{"treebank": "de", "size": 1, "wde": {"nsubj": 0.5}}\n{"treebank": "cs", "size": 2, "wde": {"nsubj": null}}\n',
    "list": '[{"code": "de", "size": 1, "wde": {"nsubj": 0.5}}, {"language": "cs", "size": 2}]',
}


@pytest.mark.parametrize("name", JSON)
def test_json(name, tmp_path):
    (tmp_path / "x.json").write_text(JSON[name], encoding="utf-8")
    read = read_tables([str(tmp_path / "x.json")])
    assert read.treebanks == ("de", "cs")
    assert read.number("size").tolist() == [1, 2]
    assert read.number("wde.nsubj")[0] == 0.5
    assert np.isnan(read.number("wde.nsubj")[1])


SOUP = st.one_of(
    st.binary(max_size=60),
    st.text(alphabet='ab1.-\t,\n"#=;\u00e9', max_size=60).map(str.encode),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["treebanks", "treebank", "scores", "gold", "path", "value", "x"]), inner)
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
)


@given(SOUP)
def test_any_bytes_are_a_table_or_an_error(data):
    """Only input errors are raised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(data)
        try:
            table = read_tables([str(path)])
            assert len(table.treebanks) == len(set(table.treebanks)) > 0
            correlate(table, **FEW)
        except InputError as error:
            assert error.faults


@pytest.mark.parametrize(
    "text", ["[" * 5000 + "]" * 5000, '{"treebanks":[' * 900 + "]}" * 900, '{"treebank": "a", "x": ' + "9" * 5000 + "}"]
)
def test_hostile_json(text, tmp_path):
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="invalid-table"):
        read_tables([str(tmp_path / "x.json")])


@pytest.mark.parametrize(
    ("method", "n_given", "level"), [("pearson", 0, 0.95), ("spearman", 1, 0.9), ("pearson", 2, 0.1)]
)
def test_intervals_in_blocks_are_those_of_all_resamples(method, n_given, level, monkeypatch):
    """They equal quantiles of all resamples at once, including resamples without a value."""
    monkeypatch.setattr(coefficients, "AT_ONCE", 2000)
    values = np.random.default_rng(1).normal(size=(8, 6))
    values[:, 1] = [1, 0, 0, 0, 0, 0, 0, 0]
    found = intervals(values, method, n_given, 501, level, np.random.default_rng(5))
    every = correlations(values, resampled_weights(8, 501, np.random.default_rng(5)), method, n_given)
    assert np.isnan(every[:, 0, 1]).any()
    for place, share in zip(found, ((1 - level) / 2, (1 + level) / 2)):
        assert place == pytest.approx(np.nanquantile(every, share, axis=0), abs=1e-14)
    one_by_one = [interval(every[:, 0, j], level) for j in range(6 - n_given)]
    assert np.stack(found, axis=2)[0] == pytest.approx(np.array(one_by_one), abs=1e-14)


def test_memory_does_not_grow_with_resamples_times_pairs():
    """2000 matrices of 60 columns are 58 MB, which once were in memory twice per method."""
    rng = np.random.default_rng(2)
    numbers = {f"c{i}": rng.normal(size=30) for i in range(60)}
    table = Measurements(tuple(f"t{i}" for i in range(30)), numbers)
    tracemalloc.start()
    try:
        correlate(table, methods=("pearson",), resamples=2000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6, peak
