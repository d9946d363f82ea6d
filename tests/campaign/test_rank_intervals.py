"""Intervals and tests of rankings: a second implementation, properties, real outputs, tables."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from conftest import EXAMPLES, library
from levelhead import campaign as c
from levelhead.evaluation.setup import setup_of
from levelhead.significance import InferenceSettings
from levelhead.significance.corrections import compare_pairs
from levelhead.significance.estimates import STANDARD
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.scopes import CountedUnits, Scope
from levelhead.significance.units import Units
from levelhead.treebank.provenance import FileSummary
from oracle import campaign_resampling as plain

PARALLEL = EXAMPLES / "parallel"


def results_of(test_sets: list[plain.TestSet], names: str = "ABCDEFG") -> c.Results:
    """Results with the given counts of each sentence and system on test sets t0, t1 ..."""
    systems = tuple(names[: len(test_sets[0][0])])
    results, golds = {}, {}
    for number, rows in enumerate(test_sets):
        golds[f"t{number}"] = FileSummary(f"hash {number}", len(rows), len(rows))
        units = Units("sentence", np.arange(len(rows)))
        for place, system in enumerate(systems):
            own = [row[place] for row in rows]
            parts = np.array(own, dtype=np.float64).T
            values = {"LAS": 100 * plain.ratio(own)}
            results[system, f"t{number}"] = c.OutputResult("valid", values, "OK", sentences={"LAS": parts}, units=units)
    codes = tuple(c.TestSet(f"t{number}") for number in range(len(test_sets)))
    return c.Results(codes, systems, ("LAS",), results, golds, {})


def percents(interval: tuple[float, float]) -> tuple[float, float]:
    return 100 * interval[0], 100 * interval[1]


def scope_of(rows: list[list[tuple[int, int]]]) -> Scope:
    """The scope of one test set, by its units, for any number of systems."""
    parts = np.array(rows, dtype=np.float64)[:, :, None]
    table = SystemCounts(tuple("ABCDEFG"[: parts.shape[1]]), ("LAS",), parts)
    return Scope("x", {"x": CountedUnits(table, "document")})


def ranking(results: c.Results, measure: str = "LAS", group: str = "all", **more) -> c.Ranking:
    (found,) = c.groups_named([group], results.test_sets, **more)
    return c.rank(results, measure, found)


def certain(results: c.Results, tests: InferenceSettings = STANDARD) -> c.Ranking:
    return c.with_intervals(results, [ranking(results)], tests)[0]


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_intervals_are_those_of_the_second_implementation(level: float) -> None:
    """Three test sets, one with five sentences; sentences are left out within each."""
    library("scipy.stats")
    from oracle import intervals

    rng = np.random.default_rng(9)
    test_sets = [
        [tuple((int(rng.binomial(n, share)), int(n)) for share in (0.8, 0.6, 0.9)) for n in rng.integers(1, 30, size)]
        for size in (30, 5, 80)
    ]
    standings = {one.system: one for one in certain(results_of(test_sets), InferenceSettings(level)).standings}
    for place, system in enumerate("ABC"):
        expected = intervals.wilson(intervals.estimate(test_sets, {place: 1.0}), level)
        assert standings[system].interval == pytest.approx(percents(expected), rel=1e-6)


def test_systems_without_any_variation_are_told_apart() -> None:
    """Two test sets, each with identical sentences: each of the 60 sentences is an observation."""
    alike = [[((4, 5), (2, 5))] * 30, [((1, 5), (0, 5))] * 30]
    one, other = certain(results_of(alike)).standings
    assert one.interval == pytest.approx((37.7, 62.3), abs=1)
    assert other.interval == pytest.approx((11.7, 31.8), abs=1)
    assert (one.rank_interval, other.rank_interval) == ((1, 1), (2, 2))


def test_the_interval_is_wilsons() -> None:
    """400 sentences of one word, half of them correct: 0.5 +- 1.97 sqrt(0.25 / 400), reduced by Wilson's correction."""
    rows = [((number % 2, 1), (1, 1)) for number in range(400)]
    standings = {one.system: one for one in certain(results_of([rows]), STANDARD).standings}
    assert standings["A"].interval == pytest.approx((45.1, 54.9), abs=0.1)
    assert standings["B"].interval == pytest.approx((100 / (1 + 1.966**2 / 400), 100), abs=1e-3)


def test_equal_systems_have_all_ranks_one_letter_and_no_line() -> None:
    rows = [[((number % 3, 3),) * 3 for number in range(20)]]
    found = certain(results_of(rows))
    assert {one.rank_interval for one in found.standings} == {(1, 3)}
    assert {one.letters for one in found.standings} == {"a"}
    assert found.lines == frozenset()


def test_one_who_is_never_worse_is_ahead() -> None:
    """Better in 40 of 2,001 sentences and never worse: an unpaired test would find nothing."""
    rows = [((9, 10), (8 if number % 50 == 0 else 9, 10)) for number in range(2001)]
    found = certain(results_of([rows]), InferenceSettings(0.998))
    assert found.lines == {1}
    (one, other) = found.standings
    assert one.interval[0] <= other.interval[1] + 1


def test_under_the_null_lines_are_rare() -> None:
    """In 200 campaigns of two systems that differ only by chance, about 5% have a line."""
    rng = np.random.default_rng(7)
    lines = 0
    for _ in range(200):
        counts = rng.integers(0, 11, size=(2, 40, 2))
        test_sets = [[tuple((int(n), 10) for n in row) for row in one] for one in counts]
        lines += bool(certain(results_of(test_sets)).lines)
    assert 3 <= lines <= 20  # 0.05 of 200 is 10; both ends are beyond 3 standard deviations


def test_order_and_company_do_not_matter() -> None:
    """Results do not depend on the order of systems, other groups and other measures."""
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 6, size=(2, 25, 3)).tolist()
    rows = [[tuple((n, 5) for n in row) for row in one] for one in counts]
    results = results_of(rows)
    turned = results._replace(systems=results.systems[::-1])
    of = {one.system: one for one in certain(results).standings}
    assert {one.system: one for one in certain(turned).standings} == of
    some = ranking(results, group="some", own={"some": ["t1"]})
    together = c.with_intervals(results, [some, ranking(results)], STANDARD)
    assert {one.system: one for one in together[1].standings} == of
    assert together[0] == c.with_intervals(results, [some], STANDARD)[0]


def test_ranks_lines_and_letters_follow_from_the_pairs() -> None:
    rng = np.random.default_rng(5)
    shares = (0.9, 0.85, 0.84, 0.7, 0.69)
    rows = [[tuple((int(rng.binomial(10, share)), 10) for share in shares) for _ in range(60)] for _ in range(2)]
    found = certain(results_of(rows))
    names = [one.system for one in found.standings]
    assert [(pair.system, pair.other) for pair in found.pairs] == list(combinations(names, 2))
    differ = {(pair.system, pair.other): pair.significant for pair in found.pairs}
    assert 0 < sum(differ.values()) < len(differ)
    assert all((pair.p < 0.05) is pair.significant for pair in found.pairs)
    for place, one in enumerate(found.standings, 1):
        better = sum(differ.get((other, one.system), False) for other in names)
        worse = sum(differ.get((one.system, other), False) for other in names)
        assert one.rank_interval == (1 + better, len(names) - worse)
        assert (place in found.lines) is differ.get((one.system, names[place] if place < len(names) else ""), False)
    letters = {one.system: set(one.letters) for one in found.standings}
    assert all(bool(letters[one] & letters[other]) is not differ[one, other] for one, other in differ)


def test_wins_are_significant_and_corrected() -> None:
    better = [[((9, 10), (5, 10))] * 40, [((5, 10), (9, 10))] * 40, [((5, 10), (5, 10))] * 40]
    results = results_of(better)
    (pair,) = certain(results).pairs
    assert (pair.system, pair.other, pair.wins, pair.losses) == ("A", "B", 1, 1)


def test_a_win_on_one_of_many_test_sets_can_be_significant() -> None:
    """Each test set has tests of its own: equal systems on 59 others take nothing from it."""
    equal, better = [((5, 10), (5, 10))] * 20, [((9, 10), (5, 10))] * 20
    results = results_of([better, *[equal] * 59])
    (pair,) = certain(results).pairs
    assert (pair.system, pair.other, pair.wins, pair.losses) == ("A", "B", 1, 0)


def test_a_failure_is_significant_on_no_test_set() -> None:
    tests = compare_pairs(scope_of([[(9, 10), (0, 1)]] * 20), np.array([[False, True]]), 0.95)
    assert not tests.better.any()


def test_a_zero_has_no_variation() -> None:
    """B is invalid on t1, so its interval is that of its score on t0, with half the error."""
    rng = np.random.default_rng(3)
    first, second = ([((int(n), 10), (int(m), 10)) for n, m in rng.integers(4, 11, (30, 2))] for _ in range(2))
    results = results_of([first, second])
    nothing = results.results["B", "t1"]._replace(state="invalid", sentences={}, reasons=("broken",))
    nothing = nothing._replace(values={"LAS": Fraction(0)})
    results = results._replace(results={**results.results, ("B", "t1"): nothing})
    found = {one.system: one for one in certain(results).standings}
    alone = certain(results_of([first]))
    half = next(one for one in alone.standings if one.system == "B")
    assert found["B"].value == half.value / 2
    low, high = found["B"].interval
    assert high - low == pytest.approx((half.interval[1] - half.interval[0]) / 2, rel=0.05)


def test_fewer_than_ten_sentences_have_no_intervals_and_no_tests() -> None:
    rows = [((9, 10), (1, 10))] * 9
    for some, known in (([rows], False), ([[*rows, *rows]], True), ([rows, rows], True), ([rows * 2, rows[:1]], False)):
        found = certain(results_of(some))
        for one in found.standings:
            assert (one.interval is not None, one.rank_interval is not None, one.letters is not None) == (known,) * 3
        assert bool(found.lines) is known


def test_counts_of_sentences_must_be_there() -> None:
    campaign = c.find_plan(PARALLEL / "gold", PARALLEL / "systems")
    results = c.score_plan(campaign, setup_of(["LAS"]))
    with pytest.raises(ValueError, match="by_sentence"):
        certain(results)


def test_counts_of_sentences_sum_to_the_scores(data: Path) -> None:
    """Real outputs: the sums over sentences give the value of every measure; invalid outputs have no counts."""
    folder = data / "conll18"
    campaign = c.find_plan(folder / "gold", folder / "systems")
    kept = [one for one in campaign.test_sets if one.code in {"kk_ktb", "he_htb", "br_keb"}]
    campaign = campaign._replace(test_sets=tuple(kept))
    measures = ["Words", "UAS", "LAS", "CLAS", "MLAS", "BLEX", "LAS.precision", "LAS@CORE", "LAS-PUNCT.recall"]
    results = c.score_plan(campaign, setup_of(measures, rules="conll18"), by_sentence=True)
    seen = 0
    for result in results.results.values():
        assert (result.state == "valid") == bool(result.sentences)
        for name, (above, below) in result.sentences.items():
            assert float(result.values[name]) == pytest.approx(100 * above.sum() / below.sum(), abs=1e-10)
            seen += 1
    assert seen > 100


def test_real_systems(data: Path) -> None:
    """On Hebrew of 2018, Stanford is far ahead by its segmentation, before UDPipe and HIT, as in the bootstrap."""
    folder = data / "conll18"
    campaign = c.find_plan(folder / "gold", folder / "systems")
    kept = [one for one in campaign.test_sets if one.code == "he_htb"]
    results = c.score_plan(
        campaign._replace(test_sets=tuple(kept)), setup_of(["LAS"], rules="conll18"), by_sentence=True
    )
    found = certain(results)
    assert [one.system for one in found.standings][:3] == ["Stanford-18", "HIT-SCIR-18", "UDPipe-Future"]
    assert {1, 2, 3} <= found.lines
    for one in found.standings:
        low, high = one.interval
        assert low < one.value < high
        assert 1 < high - low < 5


# Tables of scores


def table_of(scores: dict[str, list[int]]) -> c.Results:
    test_sets = tuple(c.TestSet(f"t{number}") for number in range(len(next(iter(scores.values())))))
    results = {
        (system, f"t{number}"): c.OutputResult("valid", {"LAS": Fraction(score)}, "OK")
        for system, own in scores.items()
        for number, score in enumerate(own)
    }
    return c.Results(test_sets, tuple(scores), ("LAS",), results, {}, {})


def test_a_table_of_scores_is_tested_over_test_sets() -> None:
    found = certain(table_of({"A": [70, 80, 90] * 4, "B": [60, 75, 88] * 4}))
    (pair,) = found.pairs
    assert (pair.system, pair.other, pair.significant, pair.wins, pair.losses) == ("A", "B", True, None, None)
    assert pair.difference == pytest.approx(17 / 3)
    assert pair.p < 0.05
    assert found.lines == {1}
    assert [one.rank_interval for one in found.standings] == [(1, 1), (2, 2)]


def test_three_test_sets_are_too_few_for_a_line() -> None:
    assert certain(table_of({"A": [90, 90, 90], "B": [10, 10, 10]}), STANDARD).lines == frozenset()


def test_p_of_a_table_is_that_of_the_second_implementation() -> None:
    library("scipy.stats")
    from oracle import intervals

    one = [71, 64, 80, 55, 62, 90, 77, 68, 70, 60]
    other = [69, 66, 74, 50, 63, 84, 76, 61, 69, 63]
    effects = intervals.estimate([[[(a - b, 1)] for a, b in zip(one, other)]], {0: 1.0})
    exact = intervals.skewed_p(effects)
    assert 0.01 < exact < 0.3
    assert certain(table_of({"A": one, "B": other})).pairs[0].p == pytest.approx(exact)
    assert certain(table_of({"B": other, "A": one})).pairs[0].p == pytest.approx(exact)
    for around, drawn in ((0.002, {1}), (-0.002, frozenset())):
        assert certain(table_of({"A": one, "B": other}), InferenceSettings(1 - exact - around)).lines == drawn


def test_intervals_of_a_table_are_of_test_sets() -> None:
    """Each test set is a unit; pairs of systems whose scores vary together are compared by their differences."""
    library("scipy.stats")
    from oracle import intervals

    scores = {
        "A": [71, 64, 80, 55, 62, 90, 77, 68, 70, 60, 66, 70],
        "B": [67, 61, 75, 50, 59, 87, 73, 64, 66, 56, 63, 66],
    }
    found = {one.system: one for one in certain(table_of(scores)).standings}
    for system, own in scores.items():
        expected = intervals.wilson(intervals.estimate([[[(one, 100)] for one in own]], {0: 1.0}), 0.95)
        assert found[system].interval == pytest.approx(percents(expected), rel=1e-6)
    assert found["A"].interval[0] < found["B"].interval[1]
    assert (found["A"].rank_interval, found["B"].rank_interval) == ((1, 1), (2, 2))
