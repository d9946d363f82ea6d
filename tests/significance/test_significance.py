"""Tests of significance: against enumeration, under the null, and where the answer is known."""

import tracemalloc
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

import levelhead
from conftest import EXAMPLES, library
from levelhead.campaign import find_plan
from levelhead.comparison import compare
from levelhead.errors import LevelheadError
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.counts import Counts
from levelhead.significance import (
    Run,
    SystemCounts,
    differences,
    resampled,
    resampling,
    sign_test,
    signed_rank_test,
    system_counts,
)
from levelhead.significance.estimates import STANDARD
from levelhead.significance.jackknife import ratios
from oracle import resampling as oracle

PARALLEL = EXAMPLES / "parallel"
PART = st.tuples(st.integers(0, 6), st.integers(0, 3)).map(lambda part: (part[0], part[0] + part[1]))


def table_of(rows: oracle.Table, names: tuple[str, ...] | None = None) -> SystemCounts:
    """Put the parts of one measure into the form that tests take."""
    parts = np.array(rows, dtype=np.float64)[:, :, None, :]
    return SystemCounts(names or tuple(f"s{i}" for i in range(parts.shape[1])), ("LAS",), parts)


def counts_from(*columns: list[int]) -> Counts:
    return Counts(*(np.array(column) for column in columns), np.array(columns[1]))


# Corrections and tests over treebanks


@given(signs=st.lists(st.sampled_from([-1.5, -1e-9, 0.0, 2.0]), max_size=30))
def test_sign_test_is_the_binomial_one(signs):
    """By exact fractions; ties are left out, and nothing but ties has no p-value."""
    positive, negative = sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)
    if not positive + negative:
        assert sign_test(signs) is None
    else:
        assert sign_test(signs) == pytest.approx(float(oracle.binomial_two_sided(positive, negative)), rel=1e-12)


def test_sign_test_by_hand():
    """Nine of ten treebanks: 2 x (1 + 10) / 1024."""
    assert sign_test([1.0] * 9 + [-1.0]) == 22 / 1024
    assert sign_test([0.1] * 5 + [-0.1] * 5) == 1.0
    assert sign_test([]) is None


def test_wilcoxon_is_scipys_and_says_what_it_needs(monkeypatch):
    stats = library("scipy.stats")
    changes = [0.4, -0.1, 0.3, 0.25, 0.6, 0.05, -0.2, 0.7]
    assert signed_rank_test(changes) == stats.wilcoxon(changes).pvalue
    assert signed_rank_test([0.0, 0.0]) is None
    monkeypatch.setitem(__import__("sys").modules, "scipy", None)
    with pytest.raises(LevelheadError, match="stats") as refusal:
        signed_rank_test(changes)
    assert refusal.value.slug == "missing-extra"


# Against enumeration


TABLES = st.integers(2, 5).flatmap(lambda n: st.lists(st.tuples(PART, PART, PART), min_size=n, max_size=n))
RESAMPLES = 4_000


def near(found: float, expected: float, resamples: int = RESAMPLES) -> bool:
    """Within five standard errors of a share, and the one that every p-value adds."""
    return abs(found - expected) <= 5 * (expected * (1 - expected) / resamples) ** 0.5 + 2 / resamples


def test_sums_of_resamples_are_of_as_many_rows_and_unbiased():
    table = np.arange(12.0).reshape(6, 2)
    ones = np.column_stack([np.ones(6), table])
    sums = resampled(ones, 20_000, np.random.default_rng(1))
    assert (sums[:, 0] == 6).all()
    assert sums.mean(axis=0) == pytest.approx(ones.sum(axis=0), rel=0.01)
    assert sums.var(axis=0) == pytest.approx(6 * ones.var(axis=0), rel=0.05, abs=1e-9)


# Where the answer is known


def never_worse(n_sentences: int, n_better: int) -> SystemCounts:
    """Two systems that differ in some sentences by a word; the second is never worse."""
    draw = Random(0)
    gold = [draw.randint(5, 30) for _ in range(n_sentences)]
    right = [draw.randint(0, size - 1) for size in gold]
    better = [n + (i < n_better) for i, n in enumerate(right)]
    runs = [Run(name, {"LAS": (counts_from(n, gold, gold), "f1")}) for name, n in (("A", right), ("B", better))]
    return system_counts(runs)


def test_systems_that_differ_in_40_sentences_of_2001():
    """B is never worse: an unpaired test would see nothing."""
    base, result = differences({"one": never_worse(2001, 40)}, STANDARD)
    assert result.p < 1e-6
    assert result.difference_interval[0] > 0
    assert result.interval[0] < base.interval[1], "the intervals of the two systems overlap"
    assert base.interval[0] < result.interval[1]


def test_equal_systems_never_differ():
    table = never_worse(50, 0)
    result = differences({"one": table}, STANDARD)[1]
    assert (result.difference, result.p) == (0.0, 1.0)
    low, high = result.difference_interval
    n_words = table.parts[:, 0, 0, 1].sum() / 2
    assert low == -high
    assert 200 / n_words < high < 300 / n_words, "one more word might make a difference, for all that is known"
    assert high < result.detectable < 2 * high


def test_the_detectable_difference_is_found_in_about_80_percent():
    """Two systems that differ by just so much: 8 of 10 tests of fresh sentences find it."""
    draw = np.random.default_rng(5)
    n = 400

    def sample(gain: float) -> SystemCounts:
        size = draw.integers(5, 30, n)
        one = 1 + draw.binomial(size - 3, 0.8)
        two = one + draw.binomial(2, 0.5, n) - 1 + (draw.random(n) < gain)  # from 0 to size
        return system_counts(
            [Run(name, {"LAS": (counts_from(k, size, size), "f1")}) for name, k in (("A", one), ("B", two))]
        )

    detectable = np.mean([differences({"x": sample(0.0)}, STANDARD)[1].detectable for seed in range(5)])
    gain = detectable / 100 * 17  # a word more in so many sentences of 17 words on average
    found = [differences({"x": sample(gain)}, STANDARD)[1].p < 0.05 for seed in range(150)]
    assert 0.68 < np.mean(found) < 0.92


def null_tables(n: int, n_sentences: int, seed: int) -> list[SystemCounts]:
    """Two systems that are one: in every sentence their two results are dealt out by chance."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        size = draw.integers(3, 40, n_sentences)
        one, other = (draw.binomial(size, draw.uniform(0.6, 0.95, n_sentences)) for _ in range(2))
        swap = draw.random(n_sentences) < 0.5
        pair = np.where(swap, other, one), np.where(swap, one, other)
        found.append(
            system_counts([Run(name, {"LAS": (counts_from(k, size, size), "f1")}) for name, k in zip("AB", pair)])
        )
    return found


def test_under_the_null_p_is_uniform_and_intervals_cover():
    """300 pairs of systems."""
    results = [differences({"x": one}, STANDARD)[1] for seed, one in enumerate(null_tables(300, 120, 11))]
    p_values = np.sort([result.p for result in results])
    distance = np.abs(p_values - (np.arange(300) + 0.5) / 300).max()
    assert distance < 1.63 / 300**0.5, "Kolmogorov and Smirnov at 1%"
    covered = np.mean([low <= 0 <= high for low, high in (result.difference_interval for result in results)])
    assert 0.90 < covered < 0.985


# Averages, runs, what is missing


def two_treebanks() -> dict[str, SystemCounts]:
    return {"big": never_worse(60, 9), "small": never_worse(20, 0)}


def test_macro_and_micro_averages_are_those_of_direct_computing():
    tables = two_treebanks()
    results = differences(tables, STANDARD)
    by = {(one.treebank, one.system): one for one in results}
    sums = {name: table.parts.sum(axis=0)[:, 0, :] for name, table in tables.items()}
    for number, system in enumerate("AB"):
        each = [Fraction(*map(int, sums[name][number])) for name in tables]
        assert by["macro-average", system].value == pytest.approx(float(100 * sum(each) / 2), abs=1e-10)
        pooled = Fraction(*(int(sum(sums[name][number][part] for name in tables)) for part in (0, 1)))
        assert by["micro-average", system].value == pytest.approx(float(100 * pooled), abs=1e-10)
    assert by["macro-average", "B"].p < 0.05, "the treebank on which they are equal adds no doubt"
    assert by["small", "B"].p == 1.0


def test_averages_are_stratified_by_treebank():
    """Sentences are left out within each: the interval of the average is narrower than of sentences thrown together."""
    draw = np.random.default_rng(2)
    easy, hard = ([[(2 * int(k), 40)] * 2 for k in draw.binomial(20, share, 30)] for share in (0.9, 0.1))
    average = next(
        one for one in differences({"easy": table_of(easy), "hard": table_of(hard)}, STANDARD)
        if one.treebank == "macro-average"
    )  # fmt: skip
    together = differences({"all": table_of(easy + hard)}, STANDARD)[0]
    assert together.value == pytest.approx(average.value)
    assert together.interval[1] - together.interval[0] > 3 * (average.interval[1] - average.interval[0])


def test_one_average_without_a_value_has_none():
    """A class that does not occur in one treebank has no value there, and none in the macro-average."""
    empty = table_of([((0, 0), (0, 0))] * 3)
    results = {
        (one.treebank, one.system): one
        for one in differences({"a": table_of([((1, 2), (2, 2))] * 3), "b": empty}, STANDARD)
    }
    assert (results["b", "s1"].value, results["b", "s1"].interval, results["b", "s1"].p) == (None, None, None)
    assert results["macro-average", "s1"].value is None
    assert results["micro-average", "s1"].value == 100


@given(parts=st.tuples(PART, PART))
def test_one_sentence(parts):
    """Nothing can be said of one sentence but its scores; no warning is raised."""
    first, second = differences({"x": table_of([parts])}, STANDARD)
    for result, part in zip((first, second), parts):
        assert result.value == (None if part[1] == 0 else pytest.approx(100 * part[0] / part[1]))
        assert (result.interval, result.p, result.detectable) == (None, None, None)
    if None not in (first.value, second.value):
        assert second.difference == pytest.approx(second.value - first.value, abs=1e-10)
        assert second.difference_interval is None


def test_units_without_anything_to_count_are_no_units():
    """Two words of a rare class in ten sentences: one unit, of which no error can be known."""
    rows = [((0, 0), (0, 0))] * 9 + [((0, 2), (2, 2))]
    result = differences({"x": table_of(rows)}, STANDARD)[1]
    assert (result.difference, result.n_units) == (100, 1)
    assert (result.difference_interval, result.p) == (None, None)


def runs_of(values: dict[str, list[float]], n: int = 200, seed: int = 0) -> SystemCounts:
    """Give several runs of each system; in each run a share of words is right."""
    draw = np.random.default_rng(seed)
    size = draw.integers(5, 30, n)
    return system_counts([
        Run(system, {"LAS": (counts_from(draw.binomial(size, share), size, size), "f1")})
        for system, shares in values.items() for share in shares
    ])  # fmt: skip


def test_several_runs_have_a_mean_and_a_spread():
    table = runs_of({"A": [0.80, 0.82, 0.84], "B": [0.81, 0.83]})
    a, b = differences({"x": table}, STANDARD)
    own = 100 * ratios(table.parts.sum(axis=0))[:, 0]
    assert a.value == pytest.approx(own[:3].mean())
    assert b.spread == pytest.approx(own[3:].std(ddof=1))
    assert (a.system, b.system) == ("A", "B")
    assert b.difference == pytest.approx(own[3:].mean() - own[:3].mean())
    assert b.p > 0.05, "what differs between runs of one system is no difference of systems"
    low, high = b.interval
    alone = differences({"x": runs_of({"A": [0.8], "B": [0.81]})}, STANDARD)[1].interval
    assert high - low > 0.9 * (alone[1] - alone[0])


def test_runs_that_spread_widen_the_interval():
    near_runs, far_runs = (
        differences({"x": runs_of({"A": [0.8, 0.8], "B": shares})}, STANDARD)[1]
        for shares in ([0.82, 0.82, 0.82], [0.72, 0.82, 0.92])
    )
    narrow, wide = (result.difference_interval[1] - result.difference_interval[0] for result in (near_runs, far_runs))
    assert wide > 2 * narrow
    assert far_runs.p > near_runs.p


def test_measures_do_not_disturb_each_other():
    """What is measured beside decides nothing."""
    gold = levelhead.read(PARALLEL / "gold/en.conllu")
    systems = {name: levelhead.read(PARALLEL / f"systems/{name}/en.conllu") for name in ("alpha", "beta")}
    alone = compare(find_plan(gold, systems), setup_of(["LAS"]))
    beside = compare(find_plan(gold, systems), setup_of(["UAS", "LAS"]))
    assert next(one for one in beside.results if one.measure == "LAS") == alone.results[0]


def test_memory_does_not_grow_with_resamples_times_sentences(monkeypatch):
    """10,000 sentences x 500 resamples would be 40 MB; batches hold a few, and give the same numbers."""
    table = np.ones((10_000, 4))
    table[::3] = 0
    monkeypatch.setattr(resampling, "CELLS", 1 << 18)
    tracemalloc.start()
    sums = resampled(table, 500, np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    monkeypatch.undo()
    assert (sums == resampled(table, 500, np.random.default_rng(1))).all()
