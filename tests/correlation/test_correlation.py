"""Correlations: Callin's published tables, a second implementation, scipy, and properties."""

import csv
import json
import math
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from levelhead.correlation import Measurements, cumulative_variance, read_tables
from levelhead.correlation.coefficients import correlations, midranks
from levelhead.correlation.correlate import correlate
from levelhead.correlation.measurements import join
from levelhead.errors import InputError
from oracle import correlation as oracle

BOTH = {"methods": ("pearson", "spearman")}


def table(**columns: list[float]) -> Measurements:
    n = len(next(iter(columns.values())))
    numbers = {name: np.array(values, dtype=float) for name, values in columns.items()}
    return Measurements(tuple(f"t{i}" for i in range(n)), numbers)


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
    result = correlate(languages, list(mine), **BOTH)
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
        pair = (
            correlate(wider, ["sttr.mean", f"diff(LAS,{name})"], methods=("pearson",)).pairs[0].coefficients["pearson"]
        )
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
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(values), np.full(len(values), 1 / len(values)), size=3).astype(np.float64)
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


@given(COLUMNS)
def test_coefficients_are_those_of_scipy(columns):
    x, y = columns[:2]
    if len(set(x)) > 1 and len(set(y)) > 1:
        pair = correlate(table(x=x, y=y), **BOTH).pairs[0].coefficients
        for method, theirs in (("pearson", stats.pearsonr(x, y)), ("spearman", stats.spearmanr(x, y))):
            assert pair[method].value == pytest.approx(theirs.statistic, abs=1e-12)


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


# Tables


def test_pairs_with_missing_values():
    """They are left out everywhere, left out of pairs, or an error."""
    nan = math.nan
    values = table(x=[1, 2, 3, 5, 4], y=[2, 1, 4, 3, nan], z=[nan, 3, 2, 5, 4])
    dropped, paired = (correlate(values, missing=missing, **BOTH) for missing in ("drop", "pairwise"))
    assert [pair.n for pair in dropped.pairs] == [3, 3, 3]
    assert dropped.provenance.notes[:2] == ("left out: t0 has no value in z", "left out: t4 has no value in y")
    assert any("no interval: fewer than 4 languages" in note for note in dropped.provenance.notes)
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


ROWS = {
    "rows": '[{"code": "de", "size": 1, "share": 0.5, "done": true}, {"code": "cs", "size": 2, "done": false}]',
    "lines": '{"code": "de", "size": 1, "share": 0.5, "done": true}\n{"code": "cs", "size": 2, "share": null, "done": false}',
    "treebank and measure": json.dumps(
        [{"treebank": code, "measure": name, "value": value, "unit": "percent"}
         for code, name, value in (("de", "size", 1), ("cs", "size", 2), ("de", "share", 0.5))]
    ),
    "quoted": 'code\tsize\tshare\tdone\n"de"\t1\t"0.5"\ttrue\n# a comment\n"cs"\t2\t\tfalse\n',
    "long": "system,treebank,measure,value\nx,de,size,1\nx,cs,size,2\nx,de,share,0.5\n",
    "Treebank is not first": "done;Treebank;size;share\ntrue;de;1;0.5\nfalse;cs;2;NA\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_forms_of_tables(name, tmp_path):
    """A row per treebank, or per treebank and measure; a missing value is null, empty or not there."""
    (tmp_path / "x").write_text(ROWS[name], encoding="utf-8")
    read = read_tables([str(tmp_path / "x")])
    assert read.treebanks == ("de", "cs")
    assert read.number("size").tolist() == [1, 2]
    assert read.number("share")[0] == 0.5
    assert np.isnan(read.number("share")[1])
    if "measure" not in ROWS[name]:
        assert read.text("done") == ("true", "false")


def test_a_text_can_have_separators_and_line_breaks(tmp_path):
    """Quoted as in any CSV; faults name the first line of their row."""
    text = 'code,size,about\n"de,1",1,"one\nand ""two"""\ncs,2,#\n'
    (tmp_path / "x").write_text(text, encoding="utf-8")
    read = read_tables([str(tmp_path / "x")])
    assert (read.treebanks, read.text("about")) == (("de,1", "cs"), ('one\nand "two"', "#"))
    (tmp_path / "x").write_text(text + '"cs",3,\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"x:5: invalid-table: 'cs' already has a row \(first on line 4\)"):
        read_tables([str(tmp_path / "x")])


def test_measures_of_several_systems_are_ambiguous(tmp_path):
    """Of one treebank and measure there is one value."""
    head = "treebank\tsystem\tmeasure\tvalue\n"
    (tmp_path / "x").write_text(f"{head}de\ta\tLAS\t1\nde\tb\tLAS\t2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"several systems \(2\): keep one, as with rank --system NAME"):
        read_tables([str(tmp_path / "x")])
    (tmp_path / "x").write_text(f"{head}de\ta\tLAS\t1\nde\ta\tLAS\t2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"x:3: invalid-table: 'de' already has a value of LAS \(first on line 2\)"):
        read_tables([str(tmp_path / "x")])


def test_documents_of_results(tmp_path):
    """The main table is read if it has treebanks, or else the one of values by treebank and measure."""
    path = tmp_path / "x.json"
    other, wide = [{"treebank": "de", "words": 9}], [{"treebank": "de", "words": 5}, {"treebank": "cs", "words": 6}]
    long = [{"system": "x", "treebank": code, "measure": "LAS", "value": 50.5} for code in ("de", "cs")]
    for tables, column, values in (
        ({"standings": [{"system": "x", "value": 1}], "units": other, "scores": long}, "LAS", [50.5, 50.5]),
        ({"wide": wide, "scores": long[:1], "empty": []}, "words", [5, 6]),
    ):
        path.write_text(json.dumps({"schema": 2, "kind": "x", "tables": tables}), encoding="utf-8")
        read = read_tables([str(path)])
        assert (read.treebanks, read.number(column).tolist()) == (("de", "cs"), values)
    for document, message in (
        ({"schema": 1, "kind": "profile"}, "has schema 1; this version of levelhead reads 2"),
        ({"schema": 2, "tables": None}, "it has no tables of rows"),
        ({"schema": 2, "tables": {"a": [{"x": 1}]}}, "no values by treebank: no column 'treebank'"),
        ({"schema": 2, "tables": {"a": [], "units": other}}, "no values by treebank"),
        ({"schema": 2, "tables": {"a": 1}}, "it has no tables of rows"),
        ({"schema": 2, "tables": {"a": [2]}}, "it has no tables of rows"),
        (
            [{"treebank": "de", "values": {"words": 1}}],
            "rows must be JSON objects of strings and numbers",
        ),
        ([1, 2], "rows must be JSON objects of strings and numbers"),
    ):
        path.write_text(json.dumps(document), encoding="utf-8")
        with pytest.raises(InputError, match=message):
            read_tables([str(path)])


SOUP = st.one_of(
    st.binary(max_size=60),
    st.text(alphabet='ab1.-\t,\n"#=;\u00e9', max_size=60).map(str.encode),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["schema", "tables", "treebank", "measure", "system", "value", "x"]),
                inner | st.just(2),
            )
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
            correlate(table)
        except InputError as error:
            assert error.faults


@pytest.mark.parametrize(
    "text", ["[" * 5000 + "]" * 5000, '{"treebanks":[' * 900 + "]}" * 900, '{"treebank": "a", "x": ' + "9" * 5000 + "}"]
)
def test_hostile_json(text, tmp_path):
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="invalid-table"):
        read_tables([str(tmp_path / "x.json")])
