"""The four verdicts: the conditions for each, in general and in the studies."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import EXAMPLES, ROOT
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.weights import weights_of
from levelhead.significance import SystemCounts, pairwise_randomization_p
from levelhead.studies import STUDIES, Claim, StudyRequest
from levelhead.studies.conll17 import claims_on_ranking
from levelhead.studies.measures_2018 import (
    MEASURES,
    SCALES,
    MeasureEstimate,
    _expected,
    compare_systems,
    counts_on,
    estimated,
    mean_of,
    significant_share,
    spread_of,
)
from levelhead.studies.nivre_fang import CLASSES, RELATIONS, WITHOUT
from levelhead.studies.nivre_fang import claims_on_scores as nivre_fang_scores
from levelhead.studies.request import score_files
from levelhead.studies.sogaard_haulrich import (
    TreebankPerplexities,
    claims_on_parsers,
    claims_on_treebanks,
    correlations,
    group_averages,
)
from levelhead.studies.study import printed
from levelhead.studies.verdicts import (
    Sign,
    ValueWithInterval,
    agreed_verdict,
    contrast_interval,
    estimate_shown,
    joint_verdict,
    mean_interval,
    verdict_of_correlation,
    verdict_of_effect,
    verdict_of_fact,
)
from levelhead.tables.table import Column, Plain, formatted
from oracle.spread import mean_spread, pooled_share

DOCS = ROOT / "docs" / "studies"
REQUEST = StudyRequest(quick=True)
CODES = ("ar", "bg", "cs", "da", "de", "el", "en", "es", "fi", "fr")


@pytest.mark.parametrize(
    ("estimate", "sign", "verdict"),
    [
        (ValueWithInterval(1.0, 0.5, 1.5), 1, "holds"),
        (ValueWithInterval(1.0, 0.5, 1.5), -1, "does not hold"),
        (ValueWithInterval(-1.0, -1.5, -0.5), -1, "holds"),
        (ValueWithInterval(-1.0, -1.5, -0.5), 1, "does not hold"),
        (ValueWithInterval(1.0, -0.5, 2.5), 1, "inconclusive"),
        (ValueWithInterval(0.0, 0.0, 0.0), 1, "inconclusive"),
        (ValueWithInterval(0.0, 0.0, 0.0), -1, "inconclusive"),
        (None, 1, "no data"),
    ],
)
def test_a_direction_needs_an_effect_in_that_direction(
    estimate: ValueWithInterval | None, sign: Sign, verdict: str
) -> None:
    assert verdict_of_effect(estimate, sign) == verdict


@pytest.mark.parametrize(
    ("r", "p", "sign", "verdict"),
    [
        (0.8, 0.01, 1, "holds"), (0.8, 0.01, -1, "does not hold"), (-0.8, 0.01, -1, "holds"),
        (0.8, 0.05, 1, "inconclusive"), (-0.8, 0.3, 1, "inconclusive"), (0.8, None, 1, "no data"),
        (None, None, 1, "no data"),
    ],
)  # fmt: skip
def test_a_correlation_needs_a_small_p_and_the_sign(r: float | None, p: float | None, sign: Sign, verdict: str) -> None:
    assert verdict_of_correlation(r, p, sign) == verdict


def test_facts_and_claims_of_several_parts() -> None:
    assert [verdict_of_fact(holds) for holds in (True, False, None)] == ["holds", "does not hold", "no data"]
    assert joint_verdict([]) == agreed_verdict([]) == "no data"
    assert joint_verdict(["holds", "holds"]) == agreed_verdict(["holds", "holds"]) == "holds"
    assert joint_verdict(["holds", "no data"]) == "no data"
    assert joint_verdict(["holds", "inconclusive", "no data"]) == "inconclusive"
    assert joint_verdict(["inconclusive", "does not hold", "holds"]) == "does not hold"
    assert agreed_verdict(["holds", "does not hold"]) == agreed_verdict(["holds", "inconclusive"]) == "inconclusive"
    assert agreed_verdict(["does not hold", "does not hold"]) == "does not hold"


def test_intervals_of_means() -> None:
    """The percentile interval of the mean of equally many 0 and 1 is that of a binomial share."""
    values = [0.0, 1.0] * 50
    found = mean_interval([*values, None], 20000, 1)
    assert found is not None
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.011)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.011)
    assert mean_interval([1.0, 2.0, 3.0, None], 10, 1) is None
    assert estimate_shown(ValueWithInterval(0.1234, -0.5, 1.0), 1, 100) == "+12.3 (95% CI -50.0 to +100.0)"
    assert estimate_shown(None).startswith("not tested")


@pytest.mark.parametrize(("value", "text"), [(0.012, "+0.01"), (-0.004, "+0.00"), (-0.02, "-0.02")])
def test_differences_of_log_odds_have_a_sign(value: float, text: str) -> None:
    assert formatted(Plain(value), Column("minus LAS", "difference")) == text


def test_a_missing_p_is_not_significant() -> None:
    assert significant_share([0.01, None, 0.0, 0.05]) == 0.5


def plain_r(x: Sequence[float], y: Sequence[float]) -> float:
    mx, my = sum(x) / len(x), sum(y) / len(y)
    both = sum((a - mx) * (b - my) for a, b in zip(x, y))
    return both / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


def test_contrasts_of_correlations() -> None:
    one, other, target = [1.0, 2.0, 3.0, 4.0, 6.0], [2.0, 1.0, 4.0, 3.0, 3.0], [1.0, 3.0, 2.0, 5.0, 7.0]
    found = contrast_interval([one, other], target, lambda r: r[:, 0] - r[:, 1], 500, 1)
    assert found is not None
    assert found.value == pytest.approx(plain_r(one, target) - plain_r(other, target))
    assert found.low <= found.value <= found.high
    assert contrast_interval([one[:3], other[:3]], target[:3], lambda r: r[:, 0], 10, 1) is None
    assert contrast_interval([[1.0] * 5], target, lambda r: r[:, 0], 10, 1) is None  # a column that does not vary


def verdicts(claims: Iterable[Claim]) -> dict[str, str]:
    return {claim.text: claim.verdict for claim in claims}


def verdict(claims: Iterable[Claim], start: str) -> str:
    (found,) = (claim.verdict for claim in claims if claim.text.startswith(start))
    return found


# Nivre and Fang


def nivre_fang(change: Callable[[int, dict[str, float | None]], None] | None = None) -> list[Claim]:
    """The claims on ten treebanks with the printed numbers, after changes."""
    numbers, rows = printed("nivre_fang"), {}
    for i, code in enumerate(list(numbers["table_2"])[:10]):
        row: dict[str, float | None] = {
            name: None if value is None else value / 100
            for table in ("table_2", "table_3")
            for name, value in numbers[table][code].items()
        }
        for name in ("LAS", "CLAS", "CLAS - LAS", *CLASSES, *(f"without {one}" for one in (*WITHOUT, *RELATIONS))):
            row.setdefault(name, None)
        if change is not None:
            change(i, row)
        rows[code] = row
    return nivre_fang_scores(rows, REQUEST)


def test_nivre_and_fang_on_their_own_numbers() -> None:
    assert set(verdicts(nivre_fang()).values()) == {"holds"}
    assert set(verdicts(nivre_fang_scores({}, REQUEST)).values()) == {"no data"}


def test_the_order_of_languages_is_that_of_both_tables() -> None:
    """Table 3 in another order: the claim is about both tables, and the evidence has both coefficients."""

    def shuffled(i: int, row: dict[str, float | None]) -> None:
        row["CLAS - LAS"] = -0.01 * ((7 * i) % 10)

    (claim,) = (claim for claim in nivre_fang(shuffled) if claim.text.startswith("The order of languages"))
    assert claim.verdict == "inconclusive"
    assert "Table 2 (without FUN): Spearman 1.00 (p" in claim.evidence
    assert "Table 3 (CLAS - LAS): Spearman" in claim.evidence


def test_most_of_a_drop_needs_a_drop() -> None:
    """A smaller rise than that of other relations is not a drop."""

    def rising(i: int, row: dict[str, float | None]) -> None:
        row |= {f"without {name}": 0.01 + 0.001 * i for name in RELATIONS}

    def changing(i: int, row: dict[str, float | None]) -> None:
        row |= {f"without {name}": 0.01 * (-1) ** i for name in RELATIONS}

    assert verdict(nivre_fang(rising), "det and case") == "does not hold"
    assert verdict(nivre_fang(changing), "det and case") == "inconclusive"


def test_means_of_classes_that_could_differ_by_chance() -> None:
    def near(i: int, row: dict[str, float | None]) -> None:
        row |= {"FUN": 0.8 + 0.05 * (-1) ** i + 0.001, "CORE": 0.8, "NONCORE": 0.8}

    (claim,) = (claim for claim in nivre_fang(near) if claim.text.startswith("FUN is parsed"))
    assert claim.verdict == "inconclusive"
    assert claim.evidence.count("95% CI") == 2


# Søgaard and Haulrich


def treebanks(derivation: Sequence[float]) -> list[TreebankPerplexities]:
    accuracies = [{"best": 80.0 + i, "average": 70.0 + i} for i in range(len(derivation))]
    sizes = [1000 * (1 + (3 * i) % 7) for i in range(len(derivation))]
    return [
        TreebankPerplexities(code, ("small",), size, 10.0, value, accuracy)
        for code, size, value, accuracy in zip(CODES, sizes, derivation, accuracies)
    ]


def test_derivation_perplexity_must_be_higher() -> None:
    higher = "Derivation perplexity is higher"
    assert verdict(claims_on_treebanks(treebanks([20.0, 22, 19, 25, 30, 28, 21, 24]), REQUEST), higher) == "holds"
    assert verdict(claims_on_treebanks(treebanks([8.0, 7, 9, 6, 8, 7, 9, 8]), REQUEST), higher) == "does not hold"
    assert verdict(claims_on_treebanks(treebanks([8.0, 12, 8, 12, 8, 12, 8, 12]), REQUEST), higher) == "inconclusive"
    assert set(verdicts(claims_on_treebanks([], REQUEST)).values()) == {"no data"}


def parsers(rows: Sequence[Mapping[str, Sequence[float]]]) -> list[Claim]:
    measured = {code: {"separated": {}, **row} for code, row in zip(CODES, rows)}
    return list(claims_on_parsers(measured, REQUEST))


def test_perplexity_and_accuracy_of_parsers() -> None:
    up, down, other = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [2.0, 1.0, 4.0, 2.0]
    uas, together = "Parsers with lower derivation perplexity have a higher UAS", "UAS and exact match"
    falling = parsers([{"P": down, "UAS": up, "EM": other}] * 5)
    assert verdict(falling, uas) == "holds"
    assert verdict(falling, together) == "holds"
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
    """A comparison on each scale, with the same interval for both measures."""
    return {
        scale: dict.fromkeys(
            ("CLAS", "WLAS"), MeasureEstimate(None, None if ends is None else ValueWithInterval(sum(ends) / 2, *ends))
        )
        for scale, ends in zip(SCALES, changes)
    }


ABOVE, BELOW, AROUND = (0.01, 0.03), (-0.03, -0.01), (-0.01, 0.02)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ((ABOVE,) * 4, "holds"), ((BELOW,) * 4, "does not hold"), ((AROUND,) * 4, "inconclusive"),
        ((ABOVE, ABOVE, BELOW, BELOW), "inconclusive"), ((ABOVE, ABOVE, ABOVE, AROUND), "inconclusive"),
        ((BELOW, BELOW, BELOW, ABOVE), "inconclusive"), ((None,) * 4, "no data"),
    ],
)  # fmt: skip
def test_a_spread_must_differ_on_every_scale(changes: Sequence[tuple[float, float] | None], found: str) -> None:
    claim = _expected("Less evenly", compared(*changes), ("CLAS", "WLAS"), 1)
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
    found = estimated(spread_of(values, scale), 9, 50, 1)
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


def test_scores_of_nothing_have_no_log_odds() -> None:
    values = np.full((5, 2, len(MEASURES)), 0.5) + 0.01 * np.arange(5)[:, None, None]
    values[0, 0, list(MEASURES).index("MLAS")] = 0.0
    found = estimated(spread_of(values, "in log odds"), 5, 20, 1)
    assert found["MLAS"] == MeasureEstimate(None, None)
    assert found["LAS"].value is not None
    assert estimated(spread_of(values, "in points"), 5, 20, 1)["MLAS"].value is not None


def test_undefined_pairs_are_left_out_of_shares() -> None:
    """LAS is compared on the remaining pairs."""
    pairs, shares = [3, 10, 6], {"LAS": [1.0, 0.2, 0.5], "BLEX": [1.0, None, 1.0]}
    values = np.full((3, len(MEASURES)), 0.5)
    for name, column in shares.items():
        values[:, list(MEASURES).index(name)] = [np.nan if one is None else one for one in column]
    found = estimated(mean_of(values, np.array(pairs, dtype=float)), 3, 50, 1)
    assert found["BLEX"].value is not None
    assert found["BLEX"].change is not None
    assert found["BLEX"].value.value == pytest.approx(pooled_share(shares["BLEX"], pairs)) == 1
    las = pooled_share([1.0, None, 0.5], pairs)
    assert found["BLEX"].change.value == pytest.approx(1 - las)
    assert found["LAS"].value is not None
    assert found["LAS"].value.value == pytest.approx(pooled_share(shares["LAS"], pairs))


def compare_files(gold: Path, outputs: Mapping[str, Path], resamples: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The comparison of outputs on one test set, and why measures are left out."""
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of({})})
    files = {name: {"x": path} for name, path in outputs.items()}
    found = counts_on(score_files({"x": gold}, files, setup, REQUEST, by_sentence=True), "x")
    assert found is not None
    return compare_systems(found[0], resamples, 1), found[1]


def test_measures_that_the_rules_refuse_are_left_out(tmp_path: Path) -> None:
    """Gold without lemmas has no BLEX, as in `score`."""
    examples = EXAMPLES / "parallel"
    plain = tmp_path / "en.conllu"
    rows = [line.split("\t") for line in (examples / "gold" / "en.conllu").read_text(encoding="utf-8").split("\n")]
    plain.write_text(
        "\n".join("\t".join([*row[:2], "_", *row[3:]] if len(row) == 10 else row) for row in rows), encoding="utf-8"
    )
    outputs = {path.parent.name: path for path in sorted((examples / "systems").glob("*/en.conllu"))}
    with_lemmas, none = compare_files(examples / "gold" / "en.conllu", outputs, 50)
    without, undefined = compare_files(plain, outputs, 50)
    assert (none, undefined) == ({}, {"BLEX": "not annotated in gold: LEMMA"})
    for kind in ("values", "errors", "concordance", "p", "small"):
        assert set(with_lemmas[kind]) == set(MEASURES)
        assert set(without[kind]) == set(MEASURES) - {"BLEX"}
        assert without[kind]["LAS"] == with_lemmas[kind]["LAS"]


def test_samples_with_nothing_to_count_do_not_differ_significantly() -> None:
    parts = np.zeros((4, 2, 1, 2))
    counts = SystemCounts(("alpha", "beta"), ("CLAS",), parts)
    assert pairwise_randomization_p(counts, 100, 1).tolist() == [[1.0]]


def test_thai_has_no_blex(data: Path) -> None:
    folder = data / "conll18"
    outputs = {path.parent.name: path for path in sorted((folder / "systems").glob("*/th_pud.conllu.xz"))}
    _, undefined = compare_files(folder / "gold" / "th_pud.conllu.xz", outputs, 20)
    assert undefined == {"BLEX": "not annotated in gold: LEMMA"}


@pytest.mark.parametrize("name", STUDIES)
def test_pages_give_the_numbers_behind_inconclusive_verdicts(name: str) -> None:
    claims = (DOCS / f"{name}.md").read_text(encoding="utf-8").split("\n## Claims\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in claims.split("\n") if line.count(" | ") == 3]
    assert len(rows) > 2
    inconclusive = [row for row in rows if row[2] == "inconclusive"]
    for row in inconclusive:
        assert "95% CI" in row[3] or "p = " in row[3], row
    assert not any(row[2] == "cannot be tested here" for row in rows)


def test_the_measures_of_2018_in_the_documentation() -> None:
    """Spread needs the same verdict on every scale: a lower mean makes BLEX look less even as a share of the mean."""
    page = (DOCS / "measures-2018.md").read_text(encoding="utf-8")
    row = next(
        line
        for line in page.split("\n")
        if line.startswith("| MLAS and BLEX score languages with training data less evenly than LAS |")
    )
    assert "| inconclusive |" in row
    assert "BLEX minus LAS +0.12 (95% CI -0.82 to +1.10) in points" in row
    assert "-0.117 (95% CI -0.159 to -0.067) as a share of the mean error" in row
    assert "-0.090 (95% CI -0.146 to -0.025) in log odds" in row
    thai = next(line for line in page.split("\n") if line.startswith("| th_pud |"))
    assert thai.endswith("| - |")


# Groups of treebanks


def row(name: str, size: int, string: float, derivation: float, **accuracies: float) -> TreebankPerplexities:
    return TreebankPerplexities(name, ("all", name[0]), size, string, derivation, accuracies)


def test_averages_and_both_increases() -> None:
    """The ratio of means, which weights treebanks by perplexity, and the mean of ratios."""
    all_of_them, first, second = group_averages([row("a1", 1, 100, 150), row("a2", 1, 300, 600), row("b", 1, 50, 50)])
    assert all_of_them == ("all", 3, 150, pytest.approx(800 / 3), pytest.approx(7 / 9), 0.5)
    assert first == ("a", 2, 200, 375, 0.875, 0.75)
    assert second == ("b", 1, 50, 50, 0, 0)


def test_the_printed_increases_do_not_follow_from_the_printed_averages() -> None:
    """In the table of section 5, 82.2% does; 37.0% and 96.6% do not."""
    printed = {"C06": (292.5, 532.8, 82.2), "C07": (320.3, 508.8, 37.0), "gen.dt": (278.2, 447.8, 96.6)}
    follow = {
        name: round(100 * group_averages([row(name, 1, string, derivation)])[0][4], 1) == increase
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
