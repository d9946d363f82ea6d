"""Confidence sets of ranks, letters, and failures: second implementations, laws, simulated coverage."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from conftest import EXAMPLES
from levelhead import campaign as c
from levelhead.campaign.ranking_tables import test_notes as notes_on_tests
from levelhead.campaign.ranking_tables import undecided_ranks
from levelhead.evaluation.setup import setup_of
from levelhead.significance import InferenceSettings
from levelhead.significance.rankings import (
    better,
    compact_letters,
    critical_value,
    evidence,
    pair_differences,
    sets_of_ranks,
)
from levelhead.significance.resampling import correlated_errors
from levelhead.significance.units import Units
from oracle import rank_sets as plain

PARALLEL = EXAMPLES / "parallel"


FREEDOM = 39.0


def drawn(scores: np.ndarray, covariance: np.ndarray, errors: np.ndarray):
    return pair_differences(scores[None], np.zeros((1, len(scores)), dtype=bool), covariance, FREEDOM, errors)


def sampled(seed: int, n_systems: int = 5, n_units: int = 40, draws: int = 99):
    """Systems about two standard errors apart: averages, their covariance, drawn errors."""
    rng = np.random.default_rng(seed)
    units = rng.standard_normal((n_units, n_systems)) - 0.3 * np.arange(n_systems)
    covariance = np.cov(units.T) / n_units
    return units.mean(axis=0), covariance, correlated_errors(covariance, n_units - 1, draws, rng)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("level", [0.95, 0.6])
def test_sets_are_those_of_the_second_implementation(seed: int, level: float) -> None:
    observed, covariance, errors = sampled(seed)
    n = len(observed)
    found = drawn(observed, covariance, errors)
    known = (observed.tolist(), covariance.tolist(), errors.tolist())
    ahead = plain.rejected(*known, plain.all_pairs(n), level)
    assert {(int(i), int(j)) for i, j in zip(*np.nonzero(better(found, level)))} == ahead
    assert sets_of_ranks(found, level, jointly=True) == [plain.ranks(ahead, system, n) for system in range(n)]
    for system, ranks in enumerate(sets_of_ranks(found, level, jointly=False)):
        pairs = {pair for pair in plain.all_pairs(n) if system in pair}
        alone = plain.rejected(*known, pairs, level)
        assert ranks == plain.ranks(alone, system, n)


def test_a_second_step_finds_more() -> None:
    """What is rejected lowers the critical value: with one step a pair of the second implementation is missing."""
    more = 0
    for seed in range(40):
        observed, covariance, errors = sampled(seed)
        found = drawn(observed, covariance, errors)
        largest = np.max([
            (found.deviations[:, i] - found.deviations[:, j]) / found.errors[i, j]
            for i, j in plain.all_pairs(len(observed))
        ], axis=0)  # fmt: skip
        more += int((better(found, 0.8) & (found.statistics <= critical_value(largest, 0.8))).sum())
    assert more > 5


def ranges(spacing: float, correlation: float, samples: int = 120, n_systems: int = 10) -> np.ndarray:
    """Both kinds of sets in simulated samples of 200 units, shape (samples, 2, systems, 2)."""
    rng, found = np.random.default_rng(5), []
    for _ in range(samples):
        noise = np.sqrt(1 - correlation) * rng.standard_normal((200, n_systems))
        noise += np.sqrt(correlation) * rng.standard_normal((200, 1))
        units = np.sqrt(200) * noise - spacing * np.arange(n_systems)
        covariance = np.cov(units.T) / 200
        differences = drawn(units.mean(axis=0), covariance, correlated_errors(covariance, 199, 199, rng))
        found.append([sets_of_ranks(differences, 0.95, jointly=False), sets_of_ranks(differences, 0.95, jointly=True)])
    return np.array(found)


@pytest.mark.parametrize("spacing", [0.02, 0.3])
@pytest.mark.parametrize("correlation", [0, 0.8])
def test_sets_hold_the_true_ranks(spacing: float, correlation: float) -> None:
    """Of 120 samples at least 95% but for chance; percentiles of ranks hold half as often in the worst case."""
    found, truth = ranges(spacing, correlation), np.arange(1, 11)
    held = (found[..., 0] <= truth) & (found[..., 1] >= truth)
    assert held[:, 0].mean(axis=0).min() > 0.91
    assert held[:, 1].all(axis=1).mean() > 0.91
    width = (found[..., 1] - found[..., 0]).mean(axis=(0, 2))
    assert width[0] < width[1]
    if spacing == 0.3:
        assert width[1] < 8.9  # nine is all ranks: the sets say something


def test_with_too_few_draws_nothing_is_significant() -> None:
    observed, errors = np.array([5.0, 0.0]), np.random.default_rng(0).normal(0, 0.1, (18, 2))
    found = drawn(observed, 0.01 * np.eye(2), errors)
    assert sets_of_ranks(found, 0.95, jointly=False) == [(1, 2), (1, 2)]
    assert sets_of_ranks(found, 0.9, jointly=False) == [(1, 1), (2, 2)]


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
            value = Fraction(int(above.sum()), 100 * n_rows)
            parts = np.stack([above, np.full(n_rows, 100)]).astype(np.float64)
            results[system, f"t{t}"] = c.OutputResult(
                "valid", {"LAS": value}, "OK", sentences={"LAS": parts}, units=units
            )
    golds = {f"t{t}": c.results.FileSummary(f"hash {t}", n_rows, n_rows) for t in range(n_test_sets)}
    codes = tuple(c.TestSet(f"t{t}") for t in range(n_test_sets))
    return c.Results(codes, tuple(scores), ("LAS",), results, golds, {})


def significance_of(results: c.Results, **more) -> c.RankedIntervals:
    (everything,) = c.groups_named(["all"], results.test_sets)
    return c.with_intervals(results, [c.rank(results, "LAS", everything)], InferenceSettings(999), **more)


def summary(results: c.Results) -> list[tuple[str, tuple[int, int], str]]:
    return [(one.system, one.ranks, one.letters) for one in significance_of(results).rankings[0].standings]


def test_one_invalid_output_decides_nothing() -> None:
    """Equal on six test sets, invalid on the seventh: the zero costs 11 points, and shows nothing."""
    results = campaign_of({"A": [80] * 7, "B": [80] * 6 + [None]})
    found = significance_of(results)
    assert summary(results) == [("A", (1, 2), "a"), ("B", (1, 2), "a")]
    assert found.rankings[0].lines == frozenset()
    assert found.wins == ({("A", "B"): 0, ("B", "A"): 0},)


def test_what_the_valid_outputs_show_stays_significant() -> None:
    results = campaign_of({"A": [80] * 7, "B": [70] * 6 + [None]})
    found = significance_of(results)
    assert summary(results) == [("A", (1, 1), "a"), ("B", (2, 2), "b")]
    assert found.rankings[0].lines == {1}
    assert found.wins[0]["A", "B"] == 6


def test_a_zero_against_the_rest_leaves_the_order_open() -> None:
    """B is better on six test sets, but last by its zero: neither order is significant."""
    results = campaign_of({"A": [80] * 7, "B": [85] * 6 + [None]})
    assert summary(results) == [("A", (1, 2), "a"), ("B", (1, 2), "a")]
    assert significance_of(results).rankings[0].lines == frozenset()


@pytest.mark.parametrize(("n_failed", "decided"), [(4, False), (5, False), (6, True), (9, True)])
def test_many_failures_are_as_many_events(n_failed: int, decided: bool) -> None:
    """Without a valid output in common: a sign test, 2 / 2 ** 5 > .05 > 2 / 2 ** 6."""
    results = campaign_of({"A": [80] * n_failed, "B": [None] * n_failed})
    assert (significance_of(results).rankings[0].lines == {1}) is decided
    assert [one.ranks for one in significance_of(results).rankings[0].standings] == (
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
    ranking = significance_of(results).rankings[0]
    assert ranking.standings[0].value - ranking.standings[1].value > Fraction(1, 10)
    assert ranking.lines == frozenset()
    assert summary(results) == [("alpha", (1, 2), "a"), ("gamma", (1, 2), "a")]
    assert undecided_ranks(ranking) == "undecided ranks by LAS: 1-2 (alpha, gamma)"


def test_the_examples_keep_their_clear_difference() -> None:
    ranking = significance_of(examples("alpha", "beta", "gamma")).rankings[0]
    assert [(one.system, one.letters) for one in ranking.standings] == [("alpha", "a"), ("gamma", "a"), ("beta", "b")]
    assert ranking.lines == {2}


# Sentences on undecided ranks


def test_ranks_are_undecided_where_sets_have_several_ranks() -> None:
    names = "ABCDEFGHI"
    ranks = [(1, 1), (2, 3), (2, 3), (4, 4), (5, 9), (5, 9), (5, 9), (5, 9), (5, 9)]
    standings = tuple(c.Standing(name, 1, Fraction(1), None, 1, None, own) for name, own in zip(names, ranks))
    ranking = c.Ranking("LAS", c.Group("all", ("t0",)), "exact", standings)
    assert undecided_ranks(ranking) == "undecided ranks by LAS: 2-3, 5-9 (B, C, E, F, G, H and 1 more)"
    decided = ranking._replace(standings=standings[:1])
    assert undecided_ranks(decided) == "no undecided ranks by LAS"
    assert undecided_ranks(ranking._replace(standings=(standings[0]._replace(ranks=None),))) == ""


def test_notes_name_groups_and_failures() -> None:
    results = campaign_of({"A": [80] * 7, "B": [80] * 6 + [None]})
    (ranking,) = significance_of(results).rankings
    assert notes_on_tests(results, [ranking]) == [
        "undecided ranks by LAS: 1-2 (A, B)",
        "systems that share a letter do not differ significantly",
        "confidence intervals and p-values by sentence: 210 sentences",
        "a missing or invalid output alone never makes a difference significant",
    ]
    part = ranking._replace(group=c.Group("part", ("t0", "t1")))
    assert notes_on_tests(results, [part, part])[:2] == ["part: undecided ranks by LAS: 1-2 (A, B)"] * 2
    assert len(notes_on_tests(results, [part])) == 3


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_simultaneous_sets_hold_marginal_ones(seed: int) -> None:
    """A letter of its own is a decided place in simultaneous sets, too."""
    found = drawn(*sampled(seed))
    for (low, high), (lowest, highest) in zip(
        sets_of_ranks(found, 0.9, jointly=False), sets_of_ranks(found, 0.9, jointly=True)
    ):
        assert lowest <= low <= high <= highest
