"""Confidence sets of ranks, letters, and failures: second implementations, laws, simulated coverage."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from conftest import EXAMPLES, library
from levelhead import campaign as c
from levelhead.campaign.ranking_tables import test_notes as notes_on_tests, undecided_ranks
from levelhead.evaluation.setup import setup_of
from levelhead.significance.corrections import PairTests, compact_letters, compare_pairs, evidence
from levelhead.significance.estimates import STANDARD
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.scopes import CountedUnits, Scope
from levelhead.significance.units import Units
from oracle import rank_sets as plain

PARALLEL = EXAMPLES / "parallel"


def scope_of(rows: list[list[tuple[int, int]]]) -> Scope:
    """The scope of one test set, by its units, for any number of systems."""
    parts = np.array(rows, dtype=np.float64)[:, :, None]
    table = SystemCounts(tuple("ABCDEFG"[: parts.shape[1]]), ("LAS",), parts)
    return Scope("x", {"x": CountedUnits(table, "document")})


def all_pairs(rows: list[list[tuple[int, int]]], level: float = 0.95) -> PairTests:
    tests = compare_pairs(scope_of(rows), np.zeros((1, len(rows[0])), dtype=bool), level)
    assert tests is not None
    return tests


def sampled(seed: int, n_systems: int = 5, n_units: int = 40, spacing: float = 0.02) -> list[list[tuple[int, int]]]:
    """Units of uneven sizes, each easy or hard for all; systems are a bit better, one than the next."""
    rng = np.random.default_rng(seed)
    shares = 0.8 - spacing * np.arange(n_systems)
    return [
        [(int(rng.binomial(size, np.clip(share + easy, 0, 1))), int(size)) for share in shares]
        for size, easy in zip(rng.integers(20, 200, n_units), rng.normal(0, 0.05, n_units))
    ]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.95, 0.6])
def test_sets_are_those_of_the_second_implementation(seed: int, level: float) -> None:
    library("scipy.stats")
    from oracle import intervals

    rows, n = sampled(seed, 4, 30), 4
    ahead = set()
    for one, other in combinations(range(n), 2):
        every = intervals.with_influence([rows], {one: 1.0, other: -1.0})
        p = intervals.p_of_all(every)
        if p is not None and intervals.sidak(p, 6) < 1 - level:
            ahead.add((one, other) if every[0].value > 0 else (other, one))
    found = all_pairs(rows, level)
    assert {(int(i), int(j)) for i, j in zip(*np.nonzero(found.better))} == ahead
    assert [found.ranks(system) for system in range(n)] == [plain.ranks(ahead, system, n) for system in range(n)]


@pytest.mark.slow
@pytest.mark.parametrize("spacing", [0.0, 0.02])
def test_sets_hold_the_true_ranks(spacing: float) -> None:
    """Of 50 samples at least 95% but for chance; systems that do not differ have all ranks."""
    held = []
    for seed in range(50):
        tests = all_pairs(sampled(seed, 6, 60, spacing))
        ranks = [tests.ranks(system) for system in range(6)]
        truth = [(1, 6)] * 6 if spacing == 0 else [(place, place) for place in range(1, 7)]
        held.append(all(low <= best and worst <= high for (low, high), (best, worst) in zip(ranks, truth)))
        assert spacing == 0 or ranks != [(1, 6)] * 6  # the sets say something
    assert np.mean(held) >= 0.9


@st.composite
def different(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(1, 7))
    upper = np.triu(draw(arrays(bool, (n, n))), 1)
    return upper | upper.T


@given(different())
def test_two_share_a_letter_if_and_only_if_they_do_not_differ(differ: np.ndarray) -> None:
    letters = compact_letters(differ)
    for i, own in enumerate(letters):
        for j, other in enumerate(letters[:i]):
            assert bool({*own} & {*other}) is not bool(differ[i, j])
    pairs = {frozenset((int(i), int(j))) for i, j in zip(*np.nonzero(differ))}
    groups = [{i for i, own in enumerate(letters) if name in own} for name in sorted({*"".join(letters)})]
    possible = plain.cliques(pairs, len(letters))
    assert all(letters)
    assert all(group in possible for group in groups)
    assert len({frozenset(one) for one in groups}) == len(groups)


def test_letters_of_overlapping_groups() -> None:
    """First and fourth differ though no neighbors do."""
    differ = np.zeros((4, 4), dtype=bool)
    differ[0, 3] = differ[0, 2] = differ[1, 3] = True
    assert compact_letters(differ) == ["a", "ab", "bc", "c"]


def test_letters_go_on_after_the_alphabet() -> None:
    letters = compact_letters(~np.eye(120, dtype=bool))
    assert len({*letters}) == 120
    assert (letters[0], letters[51], letters[52], letters[119]) == ("a", "Z", "a1", "p2")


# Missing and invalid outputs


def campaign_of(scores: dict[str, list[int | None]], n_rows: int = 30) -> c.Results:
    """Test sets of units with scores around a percentage; None: no valid output."""
    rng, results = np.random.default_rng(1), {}
    n_test_sets = len(next(iter(scores.values())))
    units = Units("sentence", np.arange(n_rows))
    for t in range(n_test_sets):
        noise = rng.integers(-9, 10, n_rows)
        for place, (system, own) in enumerate(scores.items()):
            if own[t] is None:
                results[system, f"t{t}"] = c.OutputResult(
                    "invalid", {"LAS": Fraction(0)}, "x", ("broken",), units=units
                )
                continue
            above = np.clip(own[t] + noise + rng.integers(-3, 4, n_rows) * (place > 0), 0, 100)
            value = Fraction(int(above.sum()), n_rows)
            parts = np.stack([above, np.full(n_rows, 100)]).astype(np.float64)
            results[system, f"t{t}"] = c.OutputResult(
                "valid", {"LAS": value}, "OK", sentences={"LAS": parts}, units=units
            )
    golds = {f"t{t}": c.results.FileSummary(f"hash {t}", n_rows, n_rows) for t in range(n_test_sets)}
    codes = tuple(c.TestSet(f"t{t}") for t in range(n_test_sets))
    return c.Results(codes, tuple(scores), ("LAS",), results, golds, {})


def significance_of(results: c.Results) -> c.Ranking:
    (everything,) = c.groups_named(["all"], results.test_sets)
    (found,) = c.with_intervals(results, [c.rank(results, "LAS", everything)], STANDARD)
    return found


def summary(results: c.Results) -> list[tuple[str, tuple[int, int], str]]:
    return [(one.system, one.rank_interval, one.letters) for one in significance_of(results).standings]


def test_one_invalid_output_decides_nothing() -> None:
    """Equal on six test sets, invalid on the seventh: the zero costs 11 points, and shows nothing."""
    results = campaign_of({"A": [80] * 7, "B": [80] * 6 + [None]})
    found = significance_of(results)
    assert summary(results) == [("A", (1, 2), "a"), ("B", (1, 2), "a")]
    assert found.lines == frozenset()
    assert [(pair.significant, pair.wins, pair.losses) for pair in found.pairs] == [(False, 0, 0)]


def test_what_the_valid_outputs_show_stays_significant() -> None:
    results = campaign_of({"A": [80] * 7, "B": [70] * 6 + [None]})
    found = significance_of(results)
    assert summary(results) == [("A", (1, 1), "a"), ("B", (2, 2), "b")]
    assert found.lines == {1}
    assert [(pair.significant, pair.wins, pair.losses) for pair in found.pairs] == [(True, 6, 0)]


def test_a_zero_against_the_rest_leaves_the_order_open() -> None:
    """B is better on six test sets, but last by its zero: neither order is significant."""
    results = campaign_of({"A": [80] * 7, "B": [85] * 6 + [None]})
    assert summary(results) == [("A", (1, 2), "a"), ("B", (1, 2), "a")]
    assert significance_of(results).lines == frozenset()


@pytest.mark.parametrize(("n_failed", "decided"), [(4, False), (5, False), (6, True), (9, True)])
def test_many_failures_are_as_many_events(n_failed: int, decided: bool) -> None:
    """Without a valid output in common: a sign test, 2 / 2 ** 5 > .05 > 2 / 2 ** 6."""
    results = campaign_of({"A": [80] * n_failed, "B": [None] * n_failed})
    assert (significance_of(results).lines == {1}) is decided
    assert [one.rank_interval for one in significance_of(results).standings] == (
        [(1, 1), (2, 2)] if decided else [(1, 2)] * 2
    )


@given(st.lists(st.tuples(*[st.none() | st.integers(1, 9)] * 2), min_size=1, max_size=6))
def test_evident_differences_are_those_of_the_second_implementation(rows: list[tuple[int | None, int | None]]) -> None:
    failed = np.array([[one is None for one in row] for row in rows])
    scores = np.array([[one or 0 for one in row] for row in rows], dtype=np.float64)
    differences, failure_p = evidence(scores, failed)
    assert differences[0, 1] == -differences[1, 0]
    if (failed[:, 0] != failed[:, 1]).sum() > (~failed.any(axis=1)).sum():
        assert 0 < failure_p[0, 1] <= 1
    else:
        assert np.isnan(failure_p[0, 1])
        assert differences[0, 1] == pytest.approx(plain.evident(rows))


def examples(*systems: str) -> c.Results:
    campaign = c.find_plan(PARALLEL / "gold", PARALLEL / "systems")
    kept = tuple(one for one in campaign.systems if one.name in systems)
    return c.score_plan(campaign._replace(systems=kept), setup_of(["LAS"]), by_sentence=True)


def test_the_invalid_output_of_the_examples_draws_no_line() -> None:
    """On seven test sets alpha and gamma do not differ; the eighth, on which gamma is invalid, costs 12 points."""
    results = examples("alpha", "gamma")
    ranking = significance_of(results)
    assert ranking.standings[0].value - ranking.standings[1].value > 10
    assert ranking.pairs[0].difference == pytest.approx(ranking.standings[0].value - ranking.standings[1].value)
    assert ranking.lines == frozenset()
    assert summary(results) == [("alpha", (1, 2), "a"), ("gamma", (1, 2), "a")]
    assert undecided_ranks(ranking) == "undecided ranks by LAS: 1-2 (alpha, gamma)"


def test_the_examples_keep_their_clear_difference() -> None:
    ranking = significance_of(examples("alpha", "beta", "gamma"))
    assert [(one.system, one.letters) for one in ranking.standings] == [("alpha", "a"), ("gamma", "a"), ("beta", "b")]
    assert ranking.lines == {2}


# Sentences on undecided ranks


def test_ranks_are_undecided_where_sets_have_several_ranks() -> None:
    names = "ABCDEFGHI"
    ranks = [(1, 1), (2, 3), (2, 3), (4, 4), (5, 9), (5, 9), (5, 9), (5, 9), (5, 9)]
    standings = tuple(c.Standing(name, 1, 100, 1, 1, rank_interval=own) for name, own in zip(names, ranks))
    ranking = c.Ranking("LAS", c.Group("all", ("t0",)), "exact", standings)
    assert undecided_ranks(ranking) == "undecided ranks by LAS: 2-3, 5-9 (B, C, E, F, G, H and 1 more)"
    decided = ranking._replace(standings=standings[:1])
    assert undecided_ranks(decided) == "no undecided ranks by LAS"
    assert undecided_ranks(ranking._replace(standings=(standings[0]._replace(rank_interval=None),))) == ""


def test_notes_name_groups_and_failures() -> None:
    results = campaign_of({"A": [80] * 7, "B": [80] * 6 + [None]})
    ranking = significance_of(results)
    assert notes_on_tests(results, [ranking]) == [
        "confidence intervals and p-values by sentence: 210 sentences",
        "systems that share a letter do not differ significantly",
        "each interval is for one average only",
        "undecided ranks by LAS: 1-2 (A, B)",
        "a missing or invalid output alone never makes a difference significant",
    ]
    part = ranking._replace(group=c.Group("part", ("t0", "t1")))
    assert notes_on_tests(results, [part, part])[3:] == ["part: undecided ranks by LAS: 1-2 (A, B)"] * 2
    assert len(notes_on_tests(results, [part])) == 4, "no output of this part failed"


def test_a_pair_is_tested_where_neither_failed() -> None:
    """A test set with a failure adds nothing to the difference, and no variance: p is that of the other test set."""
    here, elsewhere = (sampled(seed, 2, spacing=0.05) for seed in (1, 2))
    failed = [[(3, 5), (0, 1)] if unit % 2 else [(5, 5), (0, 1)] for unit in range(len(elsewhere))]
    both = {"x": scope_of(here).test_sets["x"], "y": scope_of(failed).test_sets["x"]}
    tests = compare_pairs(Scope("average", both, "macro"), np.array([[False, False], [False, True]]), 0.95)
    alone = all_pairs(here)
    assert tests is not None
    assert tests.better.sum() == alone.better.sum() == 1
    assert tests.p[0, 1] == pytest.approx(alone.p[0, 1])
