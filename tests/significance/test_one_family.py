"""One family of tests: p-values, intervals, gates, stars, ranks, letters and lines never contradict each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import library
from levelhead.comparison.regression import gate_results
from levelhead.significance import ComparedScore, InferenceSettings, SystemCounts, count_wins, differences
from levelhead.significance.corrections import PairTests, compare_pairs
from levelhead.significance.estimates import STANDARD
from levelhead.significance.jackknife import ratios
from levelhead.significance.scopes import CountedUnits, Scope
from levelhead.significance.units import DOCUMENT, ParallelUnits, Units, parallel_units
from ratios import as_ratios
from strategies import examples

library("scipy.stats")
from oracle import intervals as plain  # noqa: E402 -- needs scipy

Rows = list[list[tuple[int, int]]]
LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.99])


@st.composite
def counts(draw: st.DrawFn, n_systems: int = 3, n_runs: int = 1) -> Rows:
    """Documents of uneven sizes and some difference between systems; one may be very influential."""
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    n_units = draw(st.integers(9, 30))
    sizes = rng.integers(5, 60, n_units)
    if draw(st.booleans()):
        sizes[0] *= draw(st.integers(2, 30))
    shares = 0.7 + draw(st.sampled_from([0.0, 0.02, 0.05, 0.1])) * rng.standard_normal(n_systems)
    shares = np.repeat(shares, n_runs) + (0.01 * rng.standard_normal(n_systems * n_runs) if n_runs > 1 else 0)
    easy = rng.normal(0, 0.1, n_units)
    right = [rng.binomial(sizes, np.clip(share + easy, 0, 1)) for share in shares]
    return [[(int(own[i]), int(sizes[i])) for own in right] for i in range(n_units)]


def table_of(rows: Rows, systems: str = "ABC", measures: tuple[str, ...] = ("LAS",)) -> SystemCounts:
    parts = np.array(rows, dtype=np.float64)[:, :, None]
    return SystemCounts(tuple(systems), measures, np.repeat(parts, len(measures), axis=2))


def scope_of(rows: Rows, systems: str = "ABC") -> Scope:
    return Scope("x", {"x": CountedUnits(table_of(rows, systems), DOCUMENT)})


def gates_of(tables: dict[str, SystemCounts], results: list[ComparedScore], how: InferenceSettings) -> list:
    return list(gate_results(tables, results, ["LAS"], how, {}))


def consistent(tables: dict[str, SystemCounts], how: InferenceSettings) -> None:
    """Corrected p, simultaneous interval, one-sided p, margin and gate of all results agree."""
    results = differences(tables, how)
    gates = {(gate.system, gate.treebank): gate for gate in gates_of(tables, results, how)}
    plainly = {(gate.system, gate.treebank): gate for gate in gates_of(tables, results, how._replace(margin=None))}
    for one in results:
        if one.difference is None or one.p is None:
            continue
        low, high = one.difference_interval
        alpha = round(1 - how.level, 12)
        real = one.p < alpha
        assert real == (not low <= 0 <= high)
        if real:
            assert (low > 0) == (one.difference > 0)
        if one.p_equivalent is not None and one.enough_runs:
            inside = -how.margin < low and high < how.margin
            assert (one.equivalent == "yes") == (one.p_equivalent < alpha) == inside
        if gate := plainly.get((one.system, one.treebank)):
            worse = real and one.difference < 0 and one.enough_runs
            assert (gate.reason == "worse") == (gate.verdict == "not met") == worse
            if how.level == 0.95 and one.enough_runs:
                assert bool(one.stars) == (gate.decided)
            limit = gates[one.system, one.treebank]
            assert not (limit.reason == "within margin" and low <= -how.margin)
            assert limit.verdict in ({"not met"} if not one.enough_runs or low <= -how.margin else {"met"})


@given(counts(), counts(), LEVELS, st.sampled_from([0.5, 2.0, 5.0]), st.booleans())
@settings(max_examples=examples(60))
def test_p_intervals_margins_and_gates_agree(rows, others, level: float, margin: float, several: bool) -> None:
    tables = {"x": table_of(rows), **({"y": table_of(others)} if several else {})}
    consistent(tables, InferenceSettings(level, margin))


@given(counts(2, 3), LEVELS, st.sampled_from(["AAABBB", "ABBBBB", "AABBBB"]))
@settings(max_examples=examples(25))
def test_the_same_of_several_runs(rows, level: float, systems: str) -> None:
    consistent({"x": table_of(rows, systems)}, InferenceSettings(level, 1.0))


@given(counts(2), st.floats(-0.1, 0.1))
def test_one_sided_tests_of_a_limit_are_ends_of_intervals(rows, limit: float) -> None:
    """The lower end of the 90% interval is above a limit exactly if the one-sided p is below 5%."""
    (estimate,) = scope_of(rows, "AB").estimates([[[1], [0]]], 0)
    if estimate.has_tests:
        low, high = estimate.interval(0.9)
        assert (estimate.p_above(limit) < 0.05) == (low > limit)
        assert (estimate.p_below(limit) < 0.05) == (high < limit)
        within = estimate.p_within(abs(limit)) < 0.05
        assert within == (-abs(limit) < low and high < abs(limit))


# Influence


@given(counts(2))
@settings(max_examples=examples(50))
def test_p_is_never_below_that_with_or_without_an_influential_unit(rows) -> None:
    scope = scope_of(rows, "AB")
    (estimate,) = scope.estimates([[[1], [0]]], 0)
    ((_, alone),) = scope.with_spreads([[[1], [0]]], 0)
    every = plain.with_influence([rows], {1: 1.0, 0: -1.0})
    assert (estimate.influence is None) == (len(every) == 1)
    if estimate.influence is None:
        assert estimate.p() == alone.p()
        return
    rest = estimate.influence.without
    assert rest.value == pytest.approx(every[1].value, abs=1e-12)
    if rest.n_units < 10:
        assert estimate.p() is estimate.p_above(0) is estimate.p_below(0) is None
    else:
        assert estimate.p() >= max(alone.p(), rest.p())
        low, high = estimate.interval(0.95)
        for one in (alone, rest):
            assert low <= one.interval(0.95)[0] <= one.interval(0.95)[1] <= high
        if alone.value * rest.value < 0:
            assert estimate.p() > 0.5


def test_a_single_document_makes_nothing_significant() -> None:
    """All of the difference is in one document: without it there is none."""
    rows = [[(8, 10), (8 + (-1) ** i, 10)] for i in range(20)] + [[(100, 400), (390, 400)]]
    (_, other) = differences({"x": table_of(rows, "AB")}, STANDARD)
    (influence,) = (one for one in other.influence if one.statistic == "difference")
    assert (influence.unit, str(influence.unit)) == (("unit", 21, None, ()), "unit 21")
    assert influence.value == pytest.approx(0)
    assert 90 < influence.share <= 100
    assert other.p > 0.5
    assert not other.stars


def test_with_fewer_than_ten_other_units_nothing_is_significant() -> None:
    rows = [[(8, 10), (9, 10)]] * 9 + [[(100, 400), (390, 400)]]
    other = differences({"x": table_of(rows, "AB")}, STANDARD)[1]
    assert (other.p, other.stars, other.detectable) == (None, "", None)
    assert other.difference_interval is not None
    assert compare_pairs(scope_of(rows, "AB"), np.array([[False, False]]), 0.95).better.sum() == 0


# Nothing beside a family changes it


@given(counts(), counts())
@settings(max_examples=examples(15))
def test_other_measures_and_test_sets_change_no_p(rows, others) -> None:
    alone = differences({"x": table_of(rows)}, STANDARD)
    both = differences({"x": table_of(rows), "y": table_of(others)}, STANDARD)
    assert [one for one in both if one.treebank == "x"] == alone
    turned = np.array(rows, dtype=np.float64)[::-1, ::-1]
    parts = np.stack([turned, np.array(rows, dtype=np.float64)], axis=2)
    more = differences({"x": SystemCounts(tuple("ABC"), ("UAS", "LAS"), parts)}, STANDARD)
    assert [one for one in more if one.measure == "LAS"] == alone


# Rankings


def better_of(rows: Rows, level: float) -> PairTests | None:
    return compare_pairs(scope_of(rows, "ABCDE"), np.zeros((1, 5), dtype=bool), level)


@given(counts(5), LEVELS)
@settings(max_examples=examples(60))
def test_ranks_letters_and_lines_say_the_same(rows, level: float) -> None:
    tests = better_of(rows, level)
    if tests is None:
        return
    scope = scope_of(rows, "ABCDE")
    order = sorted(range(5), key=lambda system: -scope.values[system, 0])
    letters = dict(zip(order, tests.letters(order)))
    for one, other in combinations(range(5), 2):
        (estimate,) = scope.estimates([[[one], [other]]], 0)
        p, between = estimate.p(), estimate.interval(level ** (1 / 10))
        differ = p is not None and 1 - (1 - p) ** 10 < round(1 - level, 12)
        assert differ == bool(tests.better[one, other] or tests.better[other, one])
        assert differ == (not {*letters[one]} & {*letters[other]})
        if p is not None:
            assert differ == (not between[0] <= 0 <= between[1])
        if differ:
            assert tests.better[one, other] == (estimate.value > 0)
            assert not (tests.better[one, other] and tests.better[other, one])
    for system in range(5):
        above, below = tests.better[:, system].sum(), tests.better[system].sum()
        assert tests.ranks(system) == (1 + above, 5 - below)
        place = 1 + order.index(system)
        assert tests.ranks(system)[0] <= place <= tests.ranks(system)[1]
    neighbors = {place for place in range(1, 5) if not {*letters[order[place - 1]]} & {*letters[order[place]]}}
    assert tests.lines(order) == neighbors


@given(counts(2))
@settings(max_examples=examples(40))
def test_a_line_between_two_systems_is_a_star_in_compare(rows) -> None:
    other = differences({"x": table_of(rows, "AB")}, STANDARD)[1]
    tests = compare_pairs(scope_of(rows, "AB"), np.array([[False, False]]), 0.95)
    assert (tests is not None and bool(tests.lines([0, 1]))) == bool(other.stars)


@given(st.lists(counts(4), min_size=3, max_size=3))
@settings(max_examples=examples(20))
def test_wins_are_the_stars_of_treebanks(rows) -> None:
    tables = {f"t{i}": table_of(some, "ABCD") for i, some in enumerate(rows)}
    results = [one for one in differences(tables, STANDARD) if one.system == "B" and not one.average]
    wins = count_wins(results, {code: code for code in tables}, 0.05, sign=1, wilcoxon=False)
    assert wins.won == sum(bool(one.stars) and one.difference > 0 for one in results)
    assert wins.lost == sum(bool(one.stars) and one.difference < 0 for one in results)
    assert wins.won + wins.tied + wins.lost == 3
    assert wins.better_on_at_least + wins.worse_on_at_least <= 3
    assert wins.better_on_at_least <= wins.won
    assert wins.worse_on_at_least <= wins.lost


# Parallel test sets


def documents(ids: list[str]) -> Units:
    return Units(DOCUMENT, np.arange(len(ids)), ids=tuple(ids))


def joint(ids: dict[str, list[str]], contents: dict[str, str] | None = None) -> ParallelUnits:
    names = {code: documents(own) for code, own in ids.items()}
    return parallel_units(names, contents or {}, dict.fromkeys(ids, "group"))


def average_of(tables: dict[str, SystemCounts], parallel: ParallelUnits, kind: str) -> list[ComparedScore]:
    return [one for one in differences(tables, STANDARD, parallel.units, parallel) if one.average == kind]


@given(counts(2))
@settings(max_examples=examples(25))
def test_one_test_set_under_two_names_has_the_interval_of_one(rows) -> None:
    ids, table = [f"d{i}" for i in range(len(rows))], table_of(rows, "AB")
    parallel = joint({"x": ids, "y": ids}, {"x": "same", "y": "same"})
    alone = differences({"x": table}, STANDARD)
    for one, expected in zip(average_of({"x": table, "y": table}, parallel, "macro"), alone, strict=True):
        assert one.n_units == expected.n_units
        for name in ("interval", "difference_interval", "p", "detectable"):
            value = getattr(expected, name)
            assert getattr(one, name) == (None if value is None else pytest.approx(value, rel=1e-6, abs=1e-10))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["macro", "micro"])
def test_documents_are_left_out_of_all_parallel_sets(seed: int, kind: str) -> None:
    """Three sets in other orders, of which two lack a document; and one that is parallel to none."""
    rng, ids = np.random.default_rng(seed), [f"d{i}" for i in range(22)]
    names = {code: [ids[i] for i in rng.permutation(22)][:n] for code, n in (("x", 22), ("y", 21), ("z", 21))}
    names["w"] = [f"w{i}" for i in range(15)]
    easy = dict(zip([*ids, *names["w"]], rng.normal(0.7, 0.1, 37)))
    sets = [
        [
            [(int(rng.binomial(size, min(1, easy[name] + more))), int(size)) for more in (0, 0.03)]
            for name, size in zip(own, rng.integers(10, 80, len(own)))
        ]
        for own in names.values()
    ]
    tables = {code: table_of(rows, "AB") for code, rows in zip(names, sets)}
    declared = dict.fromkeys("xyz", "group")
    parallel = parallel_units({code: documents(own) for code, own in names.items()}, {}, declared)
    base, other = map(as_ratios, average_of(tables, parallel, kind))
    own = plain.estimate(sets, {0: 1.0}, kind, names=list(names.values()))
    near = {"rel": 1e-6} if kind == "macro" else {"rel": 0.02, "abs": 1e-3}  # effects on micro-averages nearly add up
    assert base.interval == pytest.approx(plain.wilson(own, 0.95), **near)
    every = plain.with_influence(sets, {1: 1.0, 0: -1.0}, kind, names=list(names.values()))
    assert other.n_units == every[0].n_units == 37
    assert other.difference_interval == pytest.approx(plain.hull(every, 0.95), **near)
    if kind == "macro":
        assert other.p == pytest.approx(plain.p_of_all(every), rel=1e-6)
    apart = [as_ratios(one) for one in differences(tables, STANDARD, parallel.units) if one.average == kind]
    assert np.ptp(base.interval) > 1.1 * np.ptp(apart[0].interval), "documents are hard in all languages"


def test_a_macro_average_of_parallel_sets_has_the_summed_effects() -> None:
    rng, ids = np.random.default_rng(5), [f"d{i}" for i in range(30)]
    sets = [[[(int(rng.binomial(40, 0.8)), 40) for _ in "AB"] for _ in ids] for _ in "xyz"]
    tables = {code: table_of(rows, "AB") for code, rows in zip("xyz", sets)}
    parallel = joint(dict.fromkeys("xyz", ids))
    effects = 0.0
    for table in tables.values():
        total = table.parts.sum(axis=0)
        effects = effects + (ratios(total) - ratios(total - table.parts))[:, :, 0] / 3
    (_, other) = map(as_ratios, average_of(tables, parallel, "macro"))
    moved = effects[:, 1] - effects[:, 0]
    variance = float((moved**2).sum()) + (2 / (3 * 40 * 30)) ** 2
    summed = plain.Estimate(other.difference, variance, 29, 30, float((moved**3).sum()) / variance**1.5)
    assert other.difference_interval == pytest.approx(plain.skewed_interval(summed, 0.95), rel=1e-9)
