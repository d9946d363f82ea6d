"""How sure rankings are: a second implementation that enumerates, laws, real outputs, and tables of scores."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import EXAMPLES
from levelhead import campaign as c
from levelhead.evaluation.setup import setup_of
from levelhead.significance import Settings, bootstrap_p
from levelhead.significance.pairwise import pairwise_bootstrap_p
from levelhead.treebank.contents import Contents
from oracle import campaign_resampling as plain

PARALLEL = EXAMPLES / "parallel"
MANY = Settings(resamples=4000)
FEW = Settings(resamples=200)


def results_of(test_sets: list[plain.TestSet], names: str = "ABCDEFG") -> c.Results:
    """Results with the given parts of each sentence and system on test sets t0, t1 ..."""
    systems = tuple(names[: len(test_sets[0][0])])
    results, golds = {}, {}
    for number, rows in enumerate(test_sets):
        golds[f"t{number}"] = Contents(f"hash {number}", len(rows), len(rows))
        for place, system in enumerate(systems):
            own = [row[place] for row in rows]
            parts = np.array(own, dtype=np.float64).T
            values = {"LAS": plain.ratio(own)}
            results[system, f"t{number}"] = c.OutputResult("valid", values, "OK", sentences={"LAS": parts})
    codes = tuple(c.TestSet(f"t{number}") for number in range(len(test_sets)))
    return c.Results(codes, systems, ("LAS",), results, golds, {})


def ranking(results: c.Results, measure: str = "LAS", group: str = "all", **more) -> c.Ranking:
    (found,) = c.groups_named([group], results.test_sets, **more)
    return c.rank(results, measure, found)


def certain(results: c.Results, tests: Settings = FEW) -> c.Ranking:
    return c.with_intervals(results, [ranking(results)], tests).rankings[0]


@st.composite
def sentences(draw: st.DrawFn, n_systems: int, most: int) -> list[plain.TestSet]:
    """One to two test sets of one to three sentences."""
    part = st.integers(1, 5).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))
    row = st.tuples(*[part] * n_systems)
    return draw(st.lists(st.lists(row, min_size=1, max_size=most), min_size=1, max_size=2))


@given(sentences(2, 4))
@settings(max_examples=20)
def test_lines_are_those_of_the_second_implementation(test_sets) -> None:
    """A line is drawn for p < 1 - level: p must lie between two levels around the exact one."""
    results = results_of(test_sets)
    exact = float(plain.as_far(test_sets, 0, 1))
    for around, drawn in ((0.04, True), (-0.04, False)):
        if 0 < 1 - exact - around < 1:
            found = certain(results, Settings(4000, level=1 - exact - around))
            assert bool(found.lines) is drawn


def test_intervals_are_of_stratified_samples() -> None:
    """Two test sets, in each of which all sentences are alike: within them nothing can vary."""
    alike = [[((4, 5), (2, 5))] * 30, [((1, 5), (0, 5))] * 30]
    one, other = certain(results_of(alike)).standings
    assert one.interval == pytest.approx((0.5, 0.5))
    assert other.interval == pytest.approx((0.2, 0.2))
    assert (one.ranks, other.ranks) == ((1, 1), (2, 2))


def test_the_interval_is_that_of_the_normal_approximation() -> None:
    """400 sentences of one word, half of them right: 0.5 +- 1.96 sqrt(0.25 / 400)."""
    rows = [((number % 2, 1), (1, 1)) for number in range(400)]
    standings = {one.system: one for one in certain(results_of([rows]), MANY).standings}
    assert standings["A"].interval == pytest.approx((0.451, 0.549), abs=0.004)
    assert standings["B"].interval == (1.0, 1.0)


def test_equal_systems_have_all_ranks_one_letter_and_no_line() -> None:
    rows = [[((number % 3, 3),) * 3 for number in range(20)]]
    found = certain(results_of(rows))
    assert {one.ranks for one in found.standings} == {(1, 3)}
    assert {one.letters for one in found.standings} == {"a"}
    assert found.lines == frozenset()


def test_one_who_is_never_worse_is_ahead() -> None:
    """Differing in 40 of 2,001 sentences, never worse: p is 1 / (n + 1); an unpaired test sees nothing."""
    rows = [((9, 10), (8 if number % 50 == 0 else 9, 10)) for number in range(2001)]
    found = certain(results_of([rows]), Settings(resamples=1000, level=0.998))
    assert found.lines == {1}
    (one, other) = found.standings
    assert one.interval[0] <= other.interval[1] + 0.01


def test_under_the_null_lines_are_rare() -> None:
    """200 campaigns of two systems that differ by chance alone: about 5% have a line."""
    rng = np.random.default_rng(7)
    lines = 0
    for _ in range(200):
        counts = rng.integers(0, 11, size=(2, 40, 2))
        test_sets = [[tuple((int(n), 10) for n in row) for row in one] for one in counts]
        lines += bool(certain(results_of(test_sets), Settings(resamples=199)).lines)
    assert 3 <= lines <= 20  # 0.05 of 200 is 10; both ends are beyond 3 standard deviations


def test_order_and_company_do_not_matter() -> None:
    """The same draws for a system whatever the order of systems, the other groups and the other measures."""
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 6, size=(2, 25, 3)).tolist()
    rows = [[tuple((n, 5) for n in row) for row in one] for one in counts]
    results = results_of(rows)
    turned = results._replace(systems=results.systems[::-1])
    of = {one.system: one for one in certain(results).standings}
    assert {one.system: one for one in certain(turned).standings} == of
    some = ranking(results, group="some", own={"some": ["t1"]})
    together = c.with_intervals(results, [some, ranking(results)], FEW)
    assert {one.system: one for one in together.rankings[1].standings} == of
    assert together.rankings[0] == c.with_intervals(results, [some], FEW).rankings[0]


def test_wins_are_significant_and_corrected() -> None:
    better = [[((9, 10), (5, 10))] * 40, [((5, 10), (9, 10))] * 40, [((5, 10), (5, 10))] * 40]
    results = results_of(better)
    (wins,) = c.with_intervals(results, [ranking(results)], FEW).wins
    assert wins == {("A", "B"): 1, ("B", "A"): 1}


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30))
def test_p_values_of_pairs_are_those_of_one_difference(values: list[list[int]]) -> None:
    table = np.array(values, dtype=np.float64) / 3
    found = pairwise_bootstrap_p(table)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        difference = table[:, one] - table[:, other]
        assert np.nanmax([found[one, other], found[other, one]]) == bootstrap_p(difference)
        assert np.isnan(found[one, other]) != np.isnan(found[other, one])
        if abs(difference.mean()) > 1e-9:
            assert np.isnan(found[one, other]) == (difference.mean() < 0)


def test_a_zero_is_zero_in_every_resample() -> None:
    results = results_of([[((9, 10), (8, 10))] * 30, [((5, 10), (6, 10))] * 30])
    nothing = c.OutputResult("invalid", {"LAS": Fraction(0)}, "x", ("broken",))
    results = results._replace(results={**results.results, ("B", "t1"): nothing})
    found = certain(results)
    assert [one.interval for one in found.standings] == [pytest.approx((0.7, 0.7)), pytest.approx((0.4, 0.4))]
    assert found.lines == {1}


def test_counts_of_sentences_must_be_there() -> None:
    campaign = c.plan_in(PARALLEL / "gold", PARALLEL / "systems")
    results = c.score_plan(campaign, setup_of(["LAS"]))
    with pytest.raises(ValueError, match="by_sentence"):
        certain(results)


def test_counts_of_sentences_sum_to_the_scores(data: Path) -> None:
    """Real outputs: of every measure the sums over sentences make its value; of the invalid ones there are none."""
    folder = data / "conll18"
    campaign = c.plan_in(folder / "gold", folder / "systems")
    kept = [one for one in campaign.test_sets if one.code in {"kk_ktb", "he_htb", "br_keb"}]
    campaign = campaign._replace(test_sets=tuple(kept))
    measures = ["Words", "UAS", "LAS", "CLAS", "MLAS", "BLEX", "LAS.precision", "LAS@CORE", "LAS-PUNCT.recall"]
    results = c.score_plan(campaign, setup_of(measures, rules="conll18"), by_sentence=True)
    seen = 0
    for result in results.results.values():
        assert (result.state == "valid") == bool(result.sentences)
        for name, (above, below) in result.sentences.items():
            assert float(result.values[name]) == pytest.approx(above.sum() / below.sum(), abs=1e-12)
            seen += 1
    assert seen > 100


def test_real_systems(data: Path) -> None:
    """On Hebrew of 2018: Stanford far ahead by its segmentation, UDPipe and HIT behind; all as the bootstrap sees it."""
    folder = data / "conll18"
    campaign = c.plan_in(folder / "gold", folder / "systems")
    kept = [one for one in campaign.test_sets if one.code == "he_htb"]
    results = c.score_plan(
        campaign._replace(test_sets=tuple(kept)), setup_of(["LAS"], rules="conll18"), by_sentence=True
    )
    found = certain(results, Settings(resamples=1000))
    assert [one.system for one in found.standings][:3] == ["Stanford-18", "HIT-SCIR-18", "UDPipe-Future"]
    assert {1, 2, 3} <= found.lines
    for one in found.standings:
        low, high = one.interval
        assert low < one.value < high
        assert 0.01 < high - low < 0.05


# Tables of scores


def table_of(scores: dict[str, list[int]]) -> c.Results:
    test_sets = tuple(c.TestSet(f"t{number}") for number in range(len(next(iter(scores.values())))))
    results = {
        (system, f"t{number}"): c.OutputResult("valid", {"LAS": Fraction(score, 100)}, "OK")
        for system, own in scores.items()
        for number, score in enumerate(own)
    }
    return c.Results(test_sets, tuple(scores), ("LAS",), results, {}, {})


def test_a_table_of_scores_is_tested_over_test_sets() -> None:
    found = c.with_intervals(r := table_of({"A": [70, 80, 90] * 4, "B": [60, 75, 88] * 4}), [ranking(r)], MANY)
    assert found.drawn == "test sets"
    assert found.wins == ({},)
    assert found.rankings[0].lines == {1}
    assert [one.ranks for one in found.rankings[0].standings] == [(1, 1), (2, 2)]


def test_three_test_sets_are_too_few_for_a_line() -> None:
    """Of 8 ways to swap, 2 are as far: p is 1/4 at best."""
    assert certain(table_of({"A": [90, 90, 90], "B": [10, 10, 10]}), MANY).lines == frozenset()


def test_p_of_a_table_is_that_of_all_swaps() -> None:
    one, other = [71, 64, 80, 55, 62, 90, 77, 68], [69, 66, 74, 50, 63, 84, 76, 61]
    change = [a - b for a, b in zip(one, other)]
    sums = [sum(sign * d for sign, d in zip(signs, change)) for signs in product((1, -1), repeat=len(change))]
    exact = sum(abs(total) >= abs(sum(change)) for total in sums) / len(sums)
    assert 0.02 < exact < 0.2
    for around, drawn in ((0.02, {1}), (-0.02, frozenset())):
        assert certain(table_of({"A": one, "B": other}), Settings(4000, level=1 - exact - around)).lines == drawn
