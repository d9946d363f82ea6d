"""Tests of significance: several runs of a system, and draws that nothing beside changes."""

from math import erfc, sqrt

import numpy as np
import pytest

from conftest import library, one_in
from levelhead.scoring.counts import Counts
from levelhead.significance import ComparedScore, Estimate, Run, SystemCounts, count_wins, differences, system_counts
from levelhead.significance.estimates import STANDARD, run_errors


def constant_runs(a: list[int], b: list[int], n: int = 50) -> SystemCounts:
    """Give runs that are right in the same share of each sentence of 100 words: no sampling of sentences matters."""
    rows = np.array([[[(right, 100)] for right in (*a, *b)]] * n, dtype=np.float64)
    return SystemCounts(("A",) * len(a) + ("B",) * len(b), ("LAS",), rows)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([80, 82], [83, 85]),
        ([80, 82, 81], [83, 85, 88]),
        ([80, 81, 79, 84, 82], [83, 85]),
        ([70, 90, 80], [81, 82, 81]),
        ([80, 82], [84, 85, 83, 86, 85, 84, 85, 87, 84, 85]),
    ],
)
def test_runs_alone_are_tested_by_banerjees_intervals(a, b):
    """If all sentences are alike, only the runs vary."""
    library("scipy.stats")
    from oracle import runs as oracle

    found = differences({"x": constant_runs(a, b)}, STANDARD)[1]
    assert found.p == pytest.approx(oracle.p(a, b), abs=1e-3)
    low, high = oracle.interval(a, b, 0.95)
    assert found.difference_interval == pytest.approx((low, high), rel=0.005)


def test_errors_of_units_and_runs_together():
    """A known error of units, and two samples of runs."""
    library("scipy.stats")
    from oracle import runs as oracle

    a, b = [1.0, 1.2, 0.7], [3.1, 3.0, 3.4, 2.7, 3.3]
    errors = tuple(run_errors([np.array(b), np.array(a)]))
    found = Estimate(float(np.mean(b) - np.mean(a)), 0.3**2, 1e9, 50, errors)
    assert found.interval(0.95) == pytest.approx(oracle.interval(a, b, 0.95, 0.3), rel=1e-6)
    low, high = found.interval(1 - found.p())
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-4)


def test_two_runs_against_ten_are_not_significant_where_welch_finds_a_difference():
    """The two runs happen to be close together, so Welch's test takes all its degrees of freedom from the ten."""
    stats = library("scipy.stats")
    a, b = [80, 81], [84, 80, 86, 83, 85, 87, 82, 84, 88, 81]
    assert stats.ttest_ind(b, a, equal_var=False).pvalue < 0.02
    assert differences({"x": constant_runs(a, b)}, STANDARD)[1].p > 0.05


def test_a_single_run_is_assumed_to_vary_as_those_of_the_other_system():
    """The t-test with equal variances, which needs only one sample with several values."""
    stats = library("scipy.stats")
    found = differences({"x": constant_runs([80], [82, 83, 81, 84])}, STANDARD)[1]
    assert found.p == pytest.approx(stats.ttest_ind([80], [82, 83, 81, 84], equal_var=True).pvalue, abs=0.01)


@pytest.mark.parametrize(
    ("a", "b", "enough"),
    [(1, 1, True), (1, 5, False), (5, 1, False), (2, 2, False), (2, 10, False), (3, 3, True), (10, 3, True)],
)
def test_fewer_than_three_runs_have_no_significance_marks(a, b, enough):
    """The difference is large and certain; p stays."""
    table = constant_runs([50] * a, [80 + number % 2 for number in range(b)])
    results = differences({"x": table, "y": table}, STANDARD)
    for found in results[1::2]:
        assert (found.n_runs, found.n_baseline_runs, found.enough_runs) == (b, a, enough)
        assert found.p < 0.05 or (a, b) == (2, 2)
    own = [one for one in results[1::2] if one.average is None]
    wins = count_wins(own, {"x": "x", "y": "y"}, 0.2, sign=1, wilcoxon=False)
    assert (wins.won, wins.better_on_at_least) == ((2, 2) if enough else (0, 0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "spreads"), one_in(3, [((2, 10), (0.02, 0.005)), ((2, 10), (0.02, 0.02)), ((3, 10), (0.02, 0.005))])
)
def test_few_runs_against_many_hold_their_level(k, spreads):
    """A small version of scripts/full/runs.py: Welch's degrees of freedom find 10 to 12% at .05 with 2 runs."""
    draw = np.random.default_rng(k)
    found = []
    for seed in range(100):
        shares = {name: (0.8 + draw.normal(0, s, n)).tolist() for name, n, s in zip("AB", k, spreads)}
        found.append(differences({"x": chance(shares, seed, 100)}, STANDARD)[1])
    assert np.mean([one.p <= 0.05 for one in found]) <= 0.06
    assert np.mean([low <= 0 <= high for low, high in (one.difference_interval for one in found)]) >= 0.94


def test_equal_runs_leave_the_doubt_of_one_observation():
    one, two = differences({"x": constant_runs([80, 80], [80, 80])}, STANDARD)
    assert (two.difference, two.p) == (0.0, 1.0)
    low, high = two.difference_interval
    assert -low == high == pytest.approx(201 * 2 / 5000, rel=0.01)  # t, and 2 of the denominator's 5,000
    assert one.spread == 0.0


def chance(shares: dict[str, list[float]], seed: int, n: int = 300) -> SystemCounts:
    draw = np.random.default_rng(seed)
    size = draw.integers(5, 40, n)
    difficulty = draw.beta(8, 2, n) - 0.8
    runs = []
    for system, own in shares.items():
        for share in own:
            right = draw.binomial(size, np.clip(share + difficulty, 0, 1))
            counts = Counts(right, size, size, size)
            runs.append(Run(system, {"LAS": (counts, "f1")}))
    return system_counts(runs)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "spread"), one_in(4, [(2, 0.02), (3, 0.02), (5, 0.02), (3, 0.0)]))
def test_equal_systems_are_seldom_told_apart(k, spread):
    """A small version of scripts/full/runs.py: a bootstrap of runs alone found 12 to 27% at .05."""
    draw = np.random.default_rng(k)
    found = [
        differences({"x": chance({name: (0.8 + draw.normal(0, spread, k)).tolist() for name in "AB"}, seed)}, STANDARD)[
            1
        ]
        for seed in range(100)
    ]
    assert np.mean([one.p <= 0.05 for one in found]) <= 0.10
    assert np.mean([low <= 0 <= high for low, high in (one.difference_interval for one in found)]) >= 0.90


def test_runs_of_one_system_leave_the_test_of_others():
    """Three systems, of which one has runs: the other pair is tested as if it were alone, but as one of two."""
    alone = differences({"x": chance({"A": [0.80], "B": [0.82]}, 1)}, STANDARD)[1]
    beside = differences({"x": chance({"A": [0.80], "B": [0.82], "C": [0.8, 0.81]}, 1)}, STANDARD)
    assert beside[1].p == pytest.approx(1 - (1 - alone.p) ** 2)
    assert (beside[1].difference, beside[1].interval) == (alone.difference, alone.interval)


def test_nothing_beside_a_pair_changes_its_numbers():
    """Another measure or treebank changes no number, another system only the number of tests."""
    draw = np.random.default_rng(3)
    size = draw.integers(5, 30, 90)
    one = size - 3
    two = one + (np.arange(90) % 7 == 0) - (np.arange(90) % 11 == 0)
    other = one + (np.arange(90) % 2 == 0)

    def table(measures: tuple[str, ...], *systems: tuple[str, np.ndarray]) -> SystemCounts:
        def counts(name: str, right: np.ndarray) -> Counts:
            return Counts(right if name == "LAS" else other if right is two else one, size, size, size)

        return system_counts([Run(name, {m: (counts(m, right), "f1") for m in measures}) for name, right in systems])

    def las(tables: dict[str, SystemCounts], treebank: str = "x") -> ComparedScore:
        results = differences(tables, STANDARD)
        return next(one for one in results if (one.treebank, one.measure, one.system) == (treebank, "LAS", "B"))

    alone = table(("LAS",), ("A", one), ("B", two))
    expected = las({"x": alone})
    assert 0.05 < expected.p < 1
    assert las({"x": table(("UAS", "LAS"), ("A", one), ("B", two))}) == expected
    assert las({"w": alone, "x": alone}) == expected
    of_two = las({"x": table(("LAS",), ("A", one), ("C", other), ("B", two))})
    assert of_two.p == pytest.approx(1 - (1 - expected.p) ** 2)
    same = expected._replace(p=of_two.p, difference_interval=of_two.difference_interval)
    assert of_two == same


def test_an_unpaired_test_misses_what_a_paired_one_finds():
    """40 of 2,001 sentences are parsed right by B alone, none by A alone: two shares compared give p = .07."""
    right = np.arange(2001) < 1717, np.arange(2001) < 1757
    whole = np.ones(2001, dtype=int)
    runs = [Run(n, {"LEM": (Counts(k.astype(int), whole, whole, whole), "f1")}) for n, k in zip("AB", right)]
    share = (1717 + 1757) / 4002
    z = 40 / 2001 / sqrt(share * (1 - share) * 2 / 2001)
    assert erfc(z / sqrt(2)) == pytest.approx(0.07, abs=0.01)
    assert differences({"x": system_counts(runs)}, STANDARD)[1].p < 1e-6
