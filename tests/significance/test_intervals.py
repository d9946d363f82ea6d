"""Intervals and p-values: against a second implementation, scipy, and laws that must hold whatever the counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import library
from levelhead.significance import ComparedScore, Estimate, InferenceSettings, SystemCounts, differences
from levelhead.significance.estimates import STANDARD, quantile, two_sided_p
from ratios import as_ratios
from strategies import examples

library("scipy.stats")
from oracle import intervals as plain  # noqa: E402 -- needs scipy

WITHIN = {"rel": 1e-6, "abs": 1e-9}

Rows = list[list[tuple[int, int]]]


def rows_of(seed: int, n_units: int, n_outputs: int = 2, *, empty: float = 0.1) -> Rows:
    """Units of uneven sizes, in some of which nothing counts; the same gold words for all outputs."""
    draw = np.random.default_rng(seed)
    sizes = np.where(draw.random(n_units) < empty, 0, 2 * draw.integers(1, 60, n_units))
    sizes[:2] = 10
    right = [draw.binomial(sizes, share) for share in draw.uniform(0.4, 0.95, n_outputs)]
    return [[(int(own[i]), int(sizes[i])) for own in right] for i in range(n_units)]


def table_of(rows: Rows, systems: str = "AB", powers: tuple[int, ...] = ()) -> SystemCounts:
    return SystemCounts(tuple(systems), ("LAS",), np.array(rows, dtype=np.float64)[:, :, None, :], powers)


def found(tables: dict[str, SystemCounts], how: InferenceSettings = STANDARD) -> dict[tuple[str, str], ComparedScore]:
    of_perplexities = any(table.perplexities for table in tables.values())
    results = differences(tables, how) if of_perplexities else map(as_ratios, differences(tables, how))
    return {(one.treebank, one.system): one for one in results}


# Student's t


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3.7, 9, 19, 57.25, 299, 1000, 99_999, 1e6])
def test_students_t_is_scipys(freedom: float) -> None:
    stats = library("scipy.stats")
    for t in (0.0, 1e-6, 0.3, 1.0, 1.96, 2.5, 6.0, *((40.0,) if freedom < 1e5 else ())):
        assert two_sided_p(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-6, abs=1e-300)
        assert two_sided_p(-t, freedom) == two_sided_p(t, freedom)
    for tail in (1e-8, 0.0005, 0.005, 0.025, 0.05, 0.2, 0.4999):
        assert quantile(tail, freedom) == pytest.approx(stats.t.isf(tail, freedom), rel=1e-6, abs=1e-7)
    assert quantile(0.5, freedom) == 0
    assert two_sided_p(float("inf"), freedom) == 0


@given(st.floats(0.001, 0.999), st.floats(1, 5000))
def test_a_quantile_has_its_probability(level: float, freedom: float) -> None:
    tail = (1 - level) / 2
    assert two_sided_p(quantile(tail, freedom), freedom) == pytest.approx(2 * tail, rel=1e-9)


# The second implementation


def same(result, test_sets: list[Rows], average: str, how: InferenceSettings, systems: str = "AB", **more) -> None:
    """Score, difference, their intervals and p-values are those of the second implementation."""
    place, n_tests = systems.index(result.system), len(systems) - 1
    own = plain.estimate(test_sets, {place: 1.0}, average, **more)
    assert result.value == pytest.approx(own.value, **WITHIN)
    assert result.interval == pytest.approx(plain.wilson(own, how.level), **WITHIN)
    if result.difference is None:
        assert result.n_units == own.n_units
        return
    every = plain.with_influence(test_sets, {place: 1.0, 0: -1.0}, average, **more)
    assert result.n_units == every[0].n_units
    assert result.difference == pytest.approx(every[0].value, **WITHIN)
    low, high = plain.hull(every, how.level ** (1 / n_tests))
    assert result.difference_interval == pytest.approx((max(-1.0, low), min(1.0, high)), **WITHIN)
    without = [one.value for one in result.influence if one.statistic == "difference"]
    assert without == pytest.approx([one.value for one in every[1:]], **WITHIN)
    p = plain.p_of_all(every)
    assert result.p == (None if p is None else pytest.approx(plain.sidak(p, n_tests), **WITHIN))


@pytest.mark.parametrize("level", [0.95, 0.6])
@pytest.mark.parametrize("seed", range(6))
def test_one_treebank(seed: int, level: float) -> None:
    rows, how = rows_of(seed, 16 + 3 * seed, 3), InferenceSettings(level)
    for result in map(as_ratios, differences({"x": table_of(rows, "ABC")}, how)):
        same(result, [rows], "macro", how, "ABC")


@pytest.mark.parametrize("sizes", [(12, 15), (10, 40, 3), (200, 6, 7, 8)])
def test_averages_of_treebanks(sizes: tuple[int, ...]) -> None:
    """Treebanks of very different sizes; one has too few units for an interval of its own."""
    test_sets = [rows_of(n, n) for n in sizes]
    results = found({f"t{i}": table_of(rows) for i, rows in enumerate(test_sets)})
    for average in ("macro", "micro"):
        for system in "AB":
            same(results[f"{average}-average", system], test_sets, average, STANDARD)


def test_perplexities() -> None:
    """Denominators are words, numerators sums of logarithms; nothing is added for one more word."""
    draw = np.random.default_rng(4)
    rows = [[(float(draw.normal(0.8, 0.1)) * n, int(n)) for _ in range(2)] for n in draw.integers(3, 40, 25)]
    results = found({"x": table_of(rows, powers=(0,))})
    own = plain.estimate([rows], {1: 1.0}, perplexity=True)
    both = plain.with_influence([rows], {1: 1.0, 0: -1.0}, perplexity=True)
    low, high = results["x", "B"].interval
    assert low * high == pytest.approx(own.value**2)
    half = plain.student.ppf(0.975, own.freedom) * own.variance**0.5
    assert high / own.value == pytest.approx(np.exp(half / own.value))
    assert results["x", "B"].difference_interval == pytest.approx(plain.hull(both, 0.95))


def test_equal_runs_leave_the_error_of_units() -> None:
    """Three runs of each system that do the same: the interval of single outputs."""
    rows = rows_of(3, 40)
    single = found({"x": table_of(rows)})["x", "B"]
    runs = found({"x": table_of([[one] * 3 + [other] * 3 for one, other in rows], "AAABBB")})["x", "B"]
    assert runs.spread == pytest.approx(0, abs=1e-15)
    assert runs.interval == pytest.approx(single.interval)
    assert runs.difference_interval == pytest.approx(single.difference_interval)
    assert runs.p == pytest.approx(single.p)


@pytest.mark.parametrize("level", [0.95, 0.6])
@pytest.mark.parametrize(("systems", "seed"), [("AAABBB", 1), ("AABBBBB", 2), ("ABBB", 3), ("AAAAB", 4)])
def test_runs(systems: str, seed: int, level: float) -> None:
    """Units and runs each have their own degrees of freedom; what units and runs do together counts once."""
    rows = rows_of(seed, 30, len(systems))
    result = found({"x": table_of(rows, systems)}, InferenceSettings(level))["x", "B"]
    each = [[i for i, name in enumerate(systems) if name == one] for one in "BA"]
    value, (low, high) = plain.of_runs(rows, *each, level)
    assert result.difference == pytest.approx(value)
    assert result.difference_interval == pytest.approx((max(-1.0, low), min(1.0, high)), rel=1e-6)
    reached = plain.of_runs(rows, *each, 1 - result.p)[1]
    assert min(map(abs, reached)) == pytest.approx(0, abs=1e-5)


# Laws


ROW = st.integers(0, 12).flatmap(lambda n: st.tuples(*[st.tuples(st.integers(0, n), st.just(n))] * 2))
TABLES = st.lists(ROW, min_size=10, max_size=30).filter(lambda rows: sum(row[0][1] > 0 for row in rows) >= 10)


@given(TABLES)
@settings(max_examples=examples(30))
def test_intervals_hold_the_score_and_stay_between_0_and_100(rows: Rows) -> None:
    for one in differences({"x": table_of(rows), "y": table_of(rows)}, STANDARD):
        low, high = one.interval
        assert -1e-10 <= low <= one.value + 1e-10
        assert one.value - 1e-10 <= high <= 100 + 1e-10
        assert low < high


@given(TABLES)
@settings(max_examples=examples(20))
def test_swapped_systems_negate_the_difference(rows: Rows) -> None:
    there, back = (found({"x": table_of(some)})["x", "B"] for some in (rows, [row[::-1] for row in rows]))
    assert there.difference == -back.difference
    assert there.p == pytest.approx(back.p)
    assert there.difference_interval == pytest.approx(tuple(-end for end in back.difference_interval[::-1]))


@given(TABLES, TABLES)
@settings(max_examples=examples(20))
def test_a_unit_of_which_nothing_counts_changes_nothing(rows: Rows, others: Rows) -> None:
    more = [*rows, ((0, 0), (0, 0)), ((0, 0), (0, 0))]
    plainly, extended = (differences({"x": table_of(some), "y": table_of(others)}, STANDARD) for some in (rows, more))
    for one, other in zip(plainly, extended, strict=True):
        assert (one.value, one.difference, one.n_units) == (other.value, other.difference, other.n_units)
        assert one.interval == pytest.approx(other.interval)
        assert one.difference_interval == pytest.approx(other.difference_interval)


@given(TABLES)
@settings(max_examples=examples(20))
def test_larger_units_of_the_same_kind_are_as_many(rows: Rows) -> None:
    """Twice the sentences in every document: as many documents, and the same errors but for that of one word."""
    twice = [[(2 * right, 2 * whole) for right, whole in row] for row in rows]
    one, other = (found({"x": table_of(some)})["x", "A"] for some in (rows, twice))
    assert one.n_units == other.n_units
    assert one.interval == pytest.approx(other.interval)


def test_a_tiny_treebank_does_not_widen_the_micro_average() -> None:
    """One word more of thousands moves it little, wherever the word is."""
    tables = {"big": table_of(rows_of(1, 600)), "tiny": table_of(rows_of(2, 3))}
    alone = found({"big": tables["big"]})["big", "B"].difference_interval
    micro = found(tables)["micro-average", "B"].difference_interval
    assert micro[1] - micro[0] < 1.2 * (alone[1] - alone[0])


# Few units


@pytest.mark.parametrize(("n_units", "known"), [(1, False), (9, False), (10, True)])
def test_fewer_than_ten_units_have_no_interval(n_units: int, known: bool) -> None:
    rows = [[(3, 4), (2, 4)]] * n_units + [[(0, 0), (0, 0)]] * 5
    for one in differences({"x": table_of(rows)}, InferenceSettings(margin=90)):
        assert one.n_units == n_units
        assert one.value in {75, 50}
        assert (one.interval is not None) is known
        if one.system == "B":
            assert one.difference == -25
            tested = (one.difference_interval, one.p, one.detectable, one.p_equivalent)
            assert all((part is not None) is known for part in tested)
            assert one.equivalent == ("yes" if known else "not shown")


def test_an_average_of_a_treebank_with_one_unit_has_no_interval() -> None:
    """Nothing says how much a single document of its kind may differ from others."""
    tables = {"x": table_of(rows_of(1, 30)), "y": table_of(rows_of(2, 2)[:1])}
    for average in ("macro-average", "micro-average"):
        one = found(tables)[average, "B"]
        assert one.value is not None
        assert (one.interval, one.p, one.n_units) == (None, None, 0)


def test_units_without_any_variation() -> None:
    """Scores of 0 and 1, and units that are all alike: each unit counts as one observation."""
    for right in (0, 7, 10):
        one = found({"x": table_of([[(right, 10), (right, 10)]] * 12)})["x", "B"]
        expected = plain.wilson(plain.Estimate(right / 10, 0.0, 11, 12), 0.95)
        assert one.interval == pytest.approx(expected)
        assert one.p == 1
    almost = Estimate(0.7, 1e-33, 11, 12)
    assert almost.score_interval(0.95) == Estimate(0.7, 0.0, 11, 12).score_interval(0.95)
    assert Estimate(0.5, 1e-4, 11, 12).score_interval(1e-17) == pytest.approx((0.5, 0.5))
