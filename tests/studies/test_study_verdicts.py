"""The verdicts: the conditions for each, in general and in the studies."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import t as student

from conftest import EXAMPLES, ROOT
from levelhead.correlation.coefficients import fisher_z
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.selection import weights_of
from levelhead.significance import SystemCounts
from levelhead.studies import STUDIES, Claim, StudyRequest
from levelhead.studies.conll17 import claims_on_ranking
from levelhead.studies.measures_2018 import (
    MEASURES,
    SCALES,
    MeasureEstimate,
    Row,
    _expected,
    _groups_among,
    compare_systems,
    counts_on,
    estimated,
    mean_of,
    spread_of,
)
from levelhead.studies.nivre_fang import CLASSES, PUBLISHED, RELATIONS, WITHOUT, claims_on_scores as nivre_fang_scores
from levelhead.studies.request import score_files
from levelhead.studies.sogaard_haulrich import (
    TreebankPerplexities,
    claims_on_parsers,
    claims_on_treebanks,
    correlations,
    group_averages,
)
from levelhead.studies.verdicts import (
    FEWEST,
    Effect,
    Sign,
    agreed_verdict,
    by_language,
    correlation,
    correlation_change,
    estimate_shown,
    jackknifed,
    mean_effect,
    pair_p_values,
    rows_by,
    verdict_of_effects,
    verdict_of_equality,
    verdict_of_fact,
)
from levelhead.tables.table import Column, formatted
from oracle.spread import mean_spread

DOCS = ROOT / "docs" / "studies"
REQUEST = StudyRequest(quick=True)
CODES = ("ar", "bg", "cs", "da", "de", "el", "en", "es", "fi", "fr")


def effect_of(value: float, p: float) -> Effect:
    """An effect with this p; verdicts do not read the interval."""
    return Effect(value, -9.0, 9.0, p)


@pytest.mark.parametrize(
    ("effects", "verdict"),
    [
        ([(1.0, 0.01, 1)], "holds"), ([(1.0, 0.01, -1)], "does not hold"), ([(-1.0, 0.01, -1)], "holds"),
        ([(1.0, 0.05, 1)], "inconclusive"), ([(-1.0, 0.3, 1)], "inconclusive"), ([(0.0, 1.0, 1)], "inconclusive"),
        ([None], "no data"), ([], "no data"), ([(1.0, 0.01, 1), None], "no data"),
        ([(1.0, 0.01, 1), (-1.0, 0.01, -1)], "holds"), ([(1.0, 0.01, 1), (1.0, 0.06, 1)], "inconclusive"),
        ([(1.0, 0.01, 1), (-1.0, 0.02, 1)], "does not hold"), ([(-1.0, 0.02, 1), None], "does not hold"),
        ([(1.0, 0.01, 1), (-1.0, 0.03, 1)], "inconclusive"),  # .03 is not below .05, corrected for two effects
    ],
)  # fmt: skip
def test_a_claim_needs_every_effect_and_one_significant_opposite_refutes_it(
    effects: Sequence[tuple[float, float, Sign] | None], verdict: str
) -> None:
    parts = [(None, 1) if one is None else (effect_of(*one[:2]), one[2]) for one in effects]
    assert verdict_of_effects(*parts) == verdict


@given(st.lists(st.floats(-9, 9).filter(bool), min_size=FEWEST, max_size=12), st.sampled_from([1, -1]))
def test_no_claim_holds_together_with_its_opposite(values: list[float], sign: Sign) -> None:
    effect = mean_effect({f"x{i}": value for i, value in enumerate(values)})
    verdicts = verdict_of_effects((effect, sign)), verdict_of_effects((effect, -sign))  # type: ignore[arg-type]
    assert verdicts in {("holds", "does not hold"), ("does not hold", "holds"), ("inconclusive", "inconclusive")}
    assert effect is not None
    assert (verdicts[0] == "inconclusive") == (effect.low <= 0 <= effect.high)  # p and the interval agree


def test_facts_are_not_tested() -> None:
    assert [verdict_of_fact(agrees) for agrees in (True, False, None)] == ["confirmed", "contradicted", "no data"]


def test_ways_to_measure_must_agree() -> None:
    assert agreed_verdict([]) == "no data"
    assert agreed_verdict(["holds", "holds"]) == "holds"
    assert agreed_verdict(["holds", "does not hold"]) == agreed_verdict(["holds", "inconclusive"]) == "inconclusive"
    assert agreed_verdict(["does not hold", "does not hold"]) == "does not hold"


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [
        (Effect(0.0, -0.05, 0.09, 1.0), "holds"), (Effect(0.0, -0.2, 0.05, 1.0), "inconclusive"),
        (Effect(0.3, 0.1, 0.5, 0.01), "does not hold"), (Effect(-0.3, -0.5, -0.1, 0.01), "does not hold"),
        (None, "no data"),
    ],
)  # fmt: skip
def test_equality_needs_an_interval_inside_the_margin(effect: Effect | None, verdict: str) -> None:
    assert verdict_of_equality(effect) == verdict


def test_the_jackknife_of_a_mean_is_students_t() -> None:
    values = [0.3, 1.2, -0.4, 0.9, 2.2, 0.1]
    found = mean_effect({f"x{i}": value for i, value in enumerate([*values])} | {"y": None})
    mean = sum(values) / 6
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / 5 / 6)
    assert found is not None
    assert found.value == pytest.approx(mean)
    assert (found.low, found.high) == pytest.approx((mean - 2.570582 * error, mean + 2.570582 * error))
    assert mean_effect({"a": 1.0, "b": 2.0, "c": 3.0, "d": None}) is None
    assert estimate_shown(Effect(0.1234, -0.5, 1.0, 0.2), 1, 100) == "+12.3 (95% CI -50.0 to +100.0)"
    assert estimate_shown(Effect(0.61, 0.0042, 0.9, 0.04)) == "+0.610 (95% CI +0.004 to +0.900)"
    assert estimate_shown(Effect(0.0, 0.0, 0.0, 1.0)) == "+0.00 (95% CI +0.00 to +0.00)"
    assert estimate_shown(None).startswith("not tested")


def test_a_language_counts_once() -> None:
    cells = {"en_ewt": (1.0, 2.0), "fr_gsd": (2.0, 1.0), "en": (5.0, None), "en_gum": (3.0, 4.0), "qzz_one": (4.0, 4.0)}
    assert by_language(cells).tolist() == [[2.0, 3.0], [2.0, 1.0], [4.0, 4.0]]
    values = {"en_ewt": 1.0, "fr_gsd": 2.0, "en_gum": 5.0, "qzz_one": 4.0, "qzz_two": 9.0}
    found = mean_effect(values)
    assert found == mean_effect({"en": 3.0, "fr": 2.0, "sv": 4.0, "de": 9.0})
    assert found is not None
    assert found.value == 4.5
    assert mean_effect({code: values[code] for code in values if code != "fr_gsd"}) is None  # three are too few


def test_groups_of_rows_are_left_out_together() -> None:
    column = np.array([1.0, 2.0, 3.0, 5.0, 4.0, 9.0])
    rows = [[0, 2, 3], [1], [4], [5]]
    found = jackknifed(lambda numbers: float(column[numbers].mean()), rows)
    groups = [[1.0, 3.0, 5.0], [2.0], [4.0], [9.0]]
    without = [sum(sum(rest) for rest in others) / sum(map(len, others)) for others in combinations(groups, 3)]
    assert found is not None
    error = math.sqrt(0.75 * sum((value - 4) ** 2 for value in without))
    assert found.high - found.value == pytest.approx(student.ppf(0.975, 36 / 12 - 1) * error, rel=1e-6)  # Kish's number


def test_undefined_statistics_are_not_tested() -> None:
    assert jackknifed(lambda _: math.nan, 5) is None
    assert jackknifed(lambda rows: math.nan if 3 not in rows else 1.0, 5) is None
    assert jackknifed(lambda _: 2.0, 5) == Effect(2.0, 2.0, 2.0, 0.0)
    assert jackknifed(lambda _: 2.0, 3) is None


@pytest.mark.parametrize(("value", "text"), [(0.012, "+0.01"), (-0.004, "+0.00"), (-0.02, "-0.02")])
def test_differences_of_log_odds_have_a_sign(value: float, text: str) -> None:
    assert formatted(value, Column("minus LAS", "points")) == text


def plain_r(x: Sequence[float], y: Sequence[float]) -> float:
    mx, my = sum(x) / len(x), sum(y) / len(y)
    both = sum((a - mx) * (b - my) for a, b in zip(x, y))
    return both / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


def test_correlations_are_tested_as_by_correlate() -> None:
    x = [float(i % 7 + i / 10) for i in range(30)]
    y = [value + 4 * math.sin(i) for i, value in enumerate(x)]
    for method in ("pearson", "spearman"):
        found, n = correlation({f"x{i}": pair for i, pair in enumerate(zip(x, y))} | {"none": (1.0, None)}, method)
        expected = fisher_z(np.array([x, y]).T, method)
        assert found == pytest.approx((expected.r[0, 1], *expected.test(0, 1, 0.95)))
        assert n == 30
    assert correlation({f"x{i}": (1.0, 2.0) for i in range(9)})[0] is None  # columns that do not vary
    assert correlation({f"x{i}": (i, -i) for i in range(3)}) == (None, 3)


def test_correlations_given_another_column() -> None:
    """Both columns are the third plus noise, which does not correlate."""
    third = [float(i) for i in range(24)]
    one, other = ([a + 0.5 * math.cos(k * i) for i, a in enumerate(third)] for k in (2.0, 3.1))
    rows = {f"x{i}": row for i, row in enumerate(zip(one, other, third))}
    found, plain = correlation(rows)[0], correlation({code: row[:2] for code, row in rows.items()})[0]
    residuals = []
    for column in (one, other):
        slope, start = np.polyfit(third, column, 1)
        residuals.append([value - start - slope * at for value, at in zip(column, third)])
    assert plain.value > 0.99
    assert found.value == pytest.approx(plain_r(*residuals))


def test_changes_of_correlations() -> None:
    one, other, target = [1.0, 2.0, 3.0, 4.0, 6.0], [2.0, 1.0, 4.0, 3.0, 3.0], [1.0, 3.0, 2.0, 5.0, 7.0]
    found = correlation_change(np.array([one, other, other[::-1], target]).T)
    most = max(plain_r(other, target), plain_r(other[::-1], target))
    assert found.value == pytest.approx(plain_r(one, target) - most)
    assert found.low <= found.value <= found.high
    assert correlation_change(np.array([one, other, target]).T[:3]) is None
    assert correlation_change(np.array([[1.0] * 5, one, target]).T) is None  # a column that does not vary


def verdicts(claims: Iterable[Claim]) -> dict[str, str]:
    return {claim.text: claim.verdict for claim in claims}


def verdict(claims: Iterable[Claim], start: str) -> str:
    (found,) = (claim.verdict for claim in claims if claim.text.startswith(start))
    return found


# Nivre and Fang


def nivre_fang(change: Callable[[int, dict[str, float | None]], None] | None = None) -> list[Claim]:
    """The claims on ten treebanks with the printed numbers, after changes, and more FUN where the drop is larger."""
    rows = {}
    for i, code in enumerate(list(PUBLISHED)[:10]):
        row: dict[str, float | None] = {"share of FUN": 40 - 2 * PUBLISHED[code]["without FUN"] + i % 3}
        row |= PUBLISHED[code]
        for name in ("LAS", "CLAS", "CLAS - LAS", *CLASSES, *(f"without {one}" for one in (*WITHOUT, *RELATIONS))):
            row.setdefault(name, None)
        if change is not None:
            change(i, row)
        rows[code] = row
    return nivre_fang_scores({"swap-lazy": rows})


def test_nivre_and_fang_on_their_own_numbers() -> None:
    assert set(verdicts(nivre_fang()).values()) == {"holds"}
    assert set(verdicts(nivre_fang_scores({})).values()) == {"no data"}


def test_the_order_of_languages_is_that_of_both_tables() -> None:
    """Table 3 in another order: the claim is about both tables, and the evidence has both coefficients."""

    def shuffled(i: int, row: dict[str, float | None]) -> None:
        row["CLAS - LAS"] = -((7 * i) % 10)

    (claim,) = (claim for claim in nivre_fang(shuffled) if claim.text.startswith("The order of languages"))
    assert claim.verdict == "inconclusive"
    assert "Table 2 (without FUN) +1.00 (95% CI" in claim.evidence
    assert "Table 3 (CLAS - LAS) " in claim.evidence


def test_most_of_a_drop_needs_a_drop() -> None:
    """A smaller rise than that of other relations is not a drop."""

    def rising(i: int, row: dict[str, float | None]) -> None:
        row |= {f"without {name}": 1 + 0.1 * i for name in RELATIONS}

    def changing(i: int, row: dict[str, float | None]) -> None:
        row |= {f"without {name}": (-1) ** i for name in RELATIONS}

    assert verdict(nivre_fang(rising), "det and case") == "does not hold"
    assert verdict(nivre_fang(changing), "det and case") == "inconclusive"


def test_means_of_classes_that_could_differ_by_chance() -> None:
    def near(i: int, row: dict[str, float | None]) -> None:
        row |= {"FUN": 80 + 5 * (-1) ** i + 0.1, "CORE": 80, "NONCORE": 80}

    (claim,) = (claim for claim in nivre_fang(near) if claim.text.startswith("FUN is parsed"))
    assert claim.verdict == "inconclusive"
    assert claim.evidence.count("95% CI") == 2


# Søgaard and Haulrich


def treebanks(derivation: Sequence[float]) -> list[TreebankPerplexities]:
    accuracies = [{"best": 80.0 + i, "average": 70.0 + i} for i in range(len(derivation))]
    sizes = [1000 * (1 + (3 * i) % 7) for i in range(len(derivation))]
    return [
        TreebankPerplexities(code, ("small",), size, 10.0, value, accuracy, 0.5 + 0.03 * (i % 4))
        for i, (code, size, value, accuracy) in enumerate(zip(CODES, sizes, derivation, accuracies))
    ]


def test_derivation_perplexity_must_be_higher() -> None:
    higher = "Derivation perplexity is higher"
    assert verdict(claims_on_treebanks(treebanks([20.0, 22, 19, 25, 30, 28, 21, 24])), higher) == "holds"
    assert verdict(claims_on_treebanks(treebanks([8.0, 7, 9, 6, 8, 7, 9, 8])), higher) == "does not hold"
    assert verdict(claims_on_treebanks(treebanks([8.0, 12, 8, 12, 8, 12, 8, 12])), higher) == "inconclusive"
    assert set(verdicts(claims_on_treebanks([])).values()) == {"no data"}


def parsers(rows: Sequence[Mapping[str, Sequence[float]]]) -> list[Claim]:
    measured = {code: {"separated": {}, **row} for code, row in zip(CODES, rows)}
    return list(claims_on_parsers(measured))


def perplexities(morphology: float) -> list[TreebankPerplexities]:
    """Perplexities that follow the type/token ratio, or hardly."""
    rows = []
    for i in range(60):
        noise = math.sin(2.3 * i)
        mattr = 0.5 + 0.1 * math.cos(1.7 * i)
        string = math.exp(4 + morphology * mattr + 0.2 * noise)
        rows.append(TreebankPerplexities(f"qz{i}", ("small",), 1000 + 77 * (i % 13), string, 1.5 * string, {}, mattr))
    return rows


def test_orthogonality_needs_a_correlation_near_0() -> None:
    orthogonal = "Perplexity is orthogonal"
    assert verdict(claims_on_treebanks(perplexities(9.0)), orthogonal) == "does not hold"
    assert verdict(claims_on_treebanks(perplexities(0.0)), orthogonal) == "inconclusive"  # 60 are too few to show it


def test_perplexity_and_accuracy_of_parsers() -> None:
    up, down, other = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [2.0, 1.0, 4.0, 2.0]
    uas, together = (
        "Parsers with lower derivation perplexity have a higher UAS",
        "Perplexity correlates with UAS as well",
    )
    falling = parsers([{"P": down, "UAS": up, "EM": up}] * 5)
    assert verdict(falling, uas) == "holds"
    assert verdict(falling, together) == "holds"
    assert verdict(parsers([{"P": down, "UAS": up, "EM": other}] * 5), together) == "does not hold"
    rising = parsers([{"P": up, "UAS": up, "EM": up}] * 5)
    assert verdict(rising, uas) == "does not hold"
    assert verdict(rising, together) == "does not hold"
    mixed = parsers([{"P": down, "UAS": up, "EM": up}, {"P": up, "UAS": up, "EM": up}] * 3)
    assert verdict(mixed, uas) == "inconclusive"
    assert verdict(mixed, "On small test sets, perplexity separates") == "no data"
    assert set(verdicts(parsers([])).values()) == {"no data"}


def separated(pairs: Sequence[tuple[float, float]]) -> str:
    up, down = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    rows = [{"P": down, "UAS": up, "EM": up, "separated": {"200": [0.5, em, p]}} for em, p in pairs]
    return verdict(parsers(rows), "On small test sets, perplexity separates")


def test_separation_on_small_test_sets() -> None:
    assert separated([(0.1, 0.3), (0.1, 0.4), (0.0, 0.2), (0.1, 0.2)]) == "holds"
    assert separated([(0.3, 0.1), (0.4, 0.1), (0.2, 0.0), (0.2, 0.1)]) == "does not hold"
    assert separated([(0.3, 0.1), (0.1, 0.3), (0.2, 0.1), (0.1, 0.2)]) == "inconclusive"


def test_the_ranking_of_2017_without_scores() -> None:
    assert set(verdicts(claims_on_ranking(None)).values()) == {"no data"}


# Which measure separates parsers best?


def compared(*changes: tuple[float, float] | None) -> dict[str, dict[str, MeasureEstimate]]:
    """A comparison on each scale, with this effect and p."""
    return {
        scale: {"CLAS": MeasureEstimate(None, None if one is None else effect_of(*one))}
        for scale, one in zip(SCALES, changes)
    }


ABOVE, BELOW, AROUND = (0.02, 0.01), (-0.02, 0.01), (0.01, 0.4)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ((ABOVE,) * 4, "holds"), ((BELOW,) * 4, "does not hold"), ((AROUND,) * 4, "inconclusive"),
        ((ABOVE, ABOVE, BELOW, BELOW), "inconclusive"), ((ABOVE, ABOVE, ABOVE, AROUND), "inconclusive"),
        ((BELOW, BELOW, BELOW, ABOVE), "inconclusive"), ((None,) * 4, "no data"),
    ],
)  # fmt: skip
def test_a_spread_must_differ_on_every_scale(changes: Sequence[tuple[float, float] | None], found: str) -> None:
    claim = _expected("Less evenly", compared(*changes), "CLAS", 1)
    assert claim.verdict == found
    assert all(scale in claim.evidence for scale in SCALES)


def scores_of_test_sets() -> list[list[list[float | None]]]:
    """Scores on 9 test sets, of 3 systems by all measures; BLEX has no value on the second test set."""
    rng = np.random.default_rng(7)
    table = rng.uniform(0.2, 0.9, size=(9, 3, len(MEASURES))).tolist()
    for system in range(3):
        table[1][system][list(MEASURES).index("BLEX")] = None
    return table


@pytest.mark.parametrize("scale", SCALES)
def test_spreads_are_as_defined(scale: str) -> None:
    table = scores_of_test_sets()
    values = np.array([[[np.nan if x is None else x for x in row] for row in one] for one in table])
    found = estimated(spread_of(values, scale, np.arange(9)), [[row] for row in range(9)])
    columns = {name: [[row[m] for row in one] for one in table] for m, name in enumerate(MEASURES)}
    for name, scores in columns.items():
        value, change = found[name]
        assert value is not None
        assert value.value == pytest.approx(mean_spread(scores, scale))
        assert value.low < value.high
        if name == "LAS":
            assert change is None
            continue
        same_sets = [las if None not in own else [None] * 3 for las, own in zip(columns["LAS"], scores)]
        assert change is not None
        assert change.value == pytest.approx(mean_spread(scores, scale) - mean_spread(same_sets, scale))


def test_systems_need_not_have_all_outputs() -> None:
    """A system's spread is over the test sets that it has; of 20 test sets, 9 are too few."""
    values = np.random.default_rng(3).uniform(0.2, 0.9, (20, 3, len(MEASURES)))
    values[15:, 1] = values[9:, 2] = np.nan
    (value, _) = spread_of(values, "in points", np.arange(20))(np.arange(20), 0)
    assert value == pytest.approx((np.std(values[:, 0, 0], ddof=1) + np.std(values[:15, 1, 0], ddof=1)) / 2)


def test_scores_of_nothing_have_no_log_odds() -> None:
    values = np.full((5, 2, len(MEASURES)), 0.5) + 0.01 * np.arange(5)[:, None, None]
    values[0, 0, list(MEASURES).index("MLAS")] = 0.0
    groups = [[row] for row in range(5)]
    found = estimated(spread_of(values, "in log odds", np.arange(5)), groups)
    assert found["MLAS"] == MeasureEstimate(None, None)
    assert found["LAS"].value is not None
    assert estimated(spread_of(values, "in points", np.arange(5)), groups)["MLAS"].value is not None
    values[:, :, list(MEASURES).index("WLAS")] = np.nan
    for scale in SCALES:
        assert estimated(spread_of(values, scale, np.arange(5)), groups)["WLAS"] == MeasureEstimate(None, None)


def test_test_sets_without_a_measure_are_left_out_of_shares() -> None:
    """LAS is compared on the remaining test sets."""
    shares = {"LAS": [1.0, 0.2, 0.5, 0.6, 0.7], "BLEX": [1.0, None, 0.8, 0.9, 0.3]}
    values = np.full((5, len(MEASURES)), 0.5)
    for name, column in shares.items():
        values[:, list(MEASURES).index(name)] = [np.nan if one is None else one for one in column]
    found = estimated(mean_of(values), [[row] for row in range(5)])
    assert found["BLEX"].value is not None
    assert found["BLEX"].change is not None
    assert found["BLEX"].value.value == pytest.approx(0.75)
    assert found["BLEX"].change.value == pytest.approx(0.75 - 0.7)
    assert found["LAS"].value is not None
    assert found["LAS"].value.value == pytest.approx(0.6)


def test_parallel_test_sets_are_one() -> None:
    groups = rows_by(["pud", "en_ewt", "pud", "sv"])
    assert groups == [[0, 2], [1], [3]]
    assert _groups_among(groups, np.array([1, 2, 3])) == [[1], [0], [2]]


def compare_files(gold: Path, outputs: Mapping[str, Path], resamples: int) -> Row:
    """The comparison of outputs on one test set."""
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of({})})
    files = {name: {"x": path} for name, path in outputs.items()}
    found = counts_on(score_files({"x": gold}, files, setup, REQUEST, by_sentence=True), "x")
    assert found is not None
    return compare_systems(*found, resamples, 1)


def test_measures_that_the_rules_refuse_are_left_out(tmp_path: Path) -> None:
    """Gold without lemmas has no BLEX, as in `score`."""
    examples = EXAMPLES / "parallel"
    plain = tmp_path / "en.conllu"
    rows = [line.split("\t") for line in (examples / "gold" / "en.conllu").read_text(encoding="utf-8").split("\n")]
    plain.write_text(
        "\n".join("\t".join([*row[:2], "_", *row[3:]] if len(row) == 10 else row) for row in rows), encoding="utf-8"
    )
    outputs = {path.parent.name: path for path in sorted((examples / "systems").glob("*/en.conllu"))}
    with_lemmas = compare_files(examples / "gold" / "en.conllu", outputs, 50)
    without = compare_files(plain, outputs, 50)
    assert (with_lemmas["undefined"], without["undefined"]) == ({}, {"BLEX": "not annotated in gold: LEMMA"})
    for kind in ("values", "concordance", "significant", "small"):
        assert set(with_lemmas[kind]) == set(MEASURES)
        assert set(without[kind]) == set(MEASURES) - {"BLEX"}
        assert without[kind]["LAS"] == with_lemmas[kind]["LAS"]


def test_samples_with_nothing_to_count_do_not_differ_significantly() -> None:
    parts = np.zeros((4, 2, 1, 2))
    counts = SystemCounts(("alpha", "beta"), ("CLAS",), parts)
    assert pair_p_values(counts).tolist() == [[1.0]]


def test_pairs_are_corrected_for_their_number() -> None:
    rng = np.random.default_rng(5)
    words = rng.integers(5, 60, (40, 1, 1))
    right = rng.binomial(words, [[0.7], [0.72], [0.75]])
    table = SystemCounts(("a", "b", "c"), ("LAS",), np.stack([right, words.repeat(3, axis=1)], axis=-1).astype(float))
    alone, corrected = pair_p_values(table, 1), pair_p_values(table)
    assert corrected == pytest.approx(1 - (1 - alone) ** 3)
    assert 0 < alone.min() < 0.05


def test_units_are_documents_if_gold_marks_ten(tmp_path: Path) -> None:
    examples = EXAMPLES / "parallel"
    sentences = (examples / "gold" / "en.conllu").read_text(encoding="utf-8").strip().split("\n\n")
    outputs = {path.parent.name: path for path in sorted((examples / "systems").glob("*/en.conllu"))}
    for n_documents, used in ((9, False), (10, True)):
        gold = tmp_path / "en.conllu"
        marked = (f"# newdoc id = d{i % n_documents}\n{one}" for i, one in enumerate(sentences))
        gold.write_text("\n\n".join(marked) + "\n\n", encoding="utf-8")
        row = compare_files(gold, outputs, 20)
        assert row["documents"] is used
    assert row["significant"] != compare_files(examples / "gold" / "en.conllu", outputs, 20)["significant"]


def test_thai_has_no_blex(data: Path) -> None:
    folder = data / "conll18"
    outputs = {path.parent.name: path for path in sorted((folder / "systems").glob("*/th_pud.conllu.xz"))}
    row = compare_files(folder / "gold" / "th_pud.conllu.xz", outputs, 20)
    assert row["undefined"] == {"BLEX": "not annotated in gold: LEMMA"}


@pytest.mark.parametrize("name", STUDIES)
def test_pages_give_the_numbers_behind_verdicts(name: str) -> None:
    """Tests have intervals; what is only counted is not said to hold."""
    rows = [line.split("\t") for line in (DOCS / f"{name}-claims.tsv").read_text(encoding="utf-8").splitlines()]
    assert len(rows) > 2
    for row in rows[1:]:
        tested = row[2] in {"holds", "does not hold", "inconclusive", "differs by parser"}
        assert tested == ("95% CI" in row[3]), row


# Groups of treebanks


def row(name: str, size: int, string: float, derivation: float, **accuracies: float) -> TreebankPerplexities:
    return TreebankPerplexities(name, ("all", name[0]), size, string, derivation, accuracies)


def test_averages_and_both_increases() -> None:
    """The ratio of means, which weights treebanks by perplexity, and the mean of ratios."""
    all_of_them, first, second = group_averages([row("a1", 1, 100, 150), row("a2", 1, 300, 600), row("b", 1, 50, 50)])
    assert all_of_them == ("all", 3, 150, pytest.approx(800 / 3), pytest.approx(700 / 9), 50)
    assert first == ("a", 2, 200, 375, 87.5, 75)
    assert second == ("b", 1, 50, 50, 0, 0)


def test_the_printed_increases_do_not_follow_from_the_printed_averages() -> None:
    """In the table of section 5, 82.2% does; 37.0% and 96.6% do not."""
    printed = {"C06": (292.5, 532.8, 82.2), "C07": (320.3, 508.8, 37.0), "gen.dt": (278.2, 447.8, 96.6)}
    follow = {
        name: round(group_averages([row(name, 1, string, derivation)])[0][4], 1) == increase
        for name, (string, derivation, increase) in printed.items()
    }
    assert follow == {"C06": True, "C07": False, "gen.dt": False}


def test_correlations() -> None:
    """Pearson's correlation over the treebanks with a known accuracy."""
    rows = [
        row("a", 10, 1, 10, LAS=1.0),
        row("b", 20, 4, 10, LAS=2.0),
        row("c", 30, 10, 10),
        row("d", 40, 8, 80, LAS=4),
    ]
    size, over_string, over_derivation = correlations(rows, "LAS")
    assert size == pytest.approx(1)
    assert over_string == pytest.approx(-60 / math.sqrt(150 * 42))  # by hand: thirds of 10 -5 -5, -4 -1 5
    assert over_derivation == pytest.approx(-21 / 42)  # sixths of -1 5 -4, thirds of -4 -1 5
