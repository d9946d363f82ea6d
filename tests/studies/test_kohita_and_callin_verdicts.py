"""Verdicts on the claims of Kohita, Noji and Matsumoto, and of Callin, for made-up numbers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from levelhead.studies import Claim, StudyRequest
from levelhead.studies.callin import (
    MEASURES as CALLIN_MEASURES,
    PRINTED,
    _claims_on_treebanks,
    claim_on_entropies,
    claims_on_correlations,
    claims_on_judgments,
    claims_on_printed_numbers,
    claims_on_scores as callin_scores,
    relative_change,
)
from levelhead.studies.kohita import _claims_on_conversion, claims_on_scores as kohita_scores
from levelhead.studies.measures_2018 import SCALES
from levelhead.studies.request import Parts
from oracle.spread import relative_variance

CODES = ("ar", "bg", "cs", "da", "de", "el", "en", "es", "fi", "fr")


def verdicts(claims: Iterable[Claim]) -> dict[str, str]:
    return {claim.text: claim.verdict for claim in claims}


def verdict(claims: Iterable[Claim], start: str) -> str:
    (found,) = (claim.verdict for claim in claims if claim.text.startswith(start))
    return found


# Kohita, Noji and Matsumoto


def described(changes: Sequence[float]) -> dict[str, Any]:
    return {code: {"before": 2.0, "after": 2.0 + value} for code, value in zip(CODES, changes)}


def gains(values: Mapping[str, Sequence[float]], broken: Sequence[int] = (1,) * 6) -> dict[str, Any]:
    """Rows with these gains in points, and these numbers of broken arcs; 10 of 100 arcs are fixed."""
    names = ("LAS", "UAS", "CNC", "case", "mark", "nmod")
    rows = {}
    for i, code in enumerate(CODES[: len(broken)]):
        converted = {name: 80 + values.get(name, (0.0,) * 9)[i] for name in names}
        arcs = {"functional": 100, "broken": broken[i], "fixed": 10}
        rows[code] = {"scores": {"UD": dict.fromkeys(names, 80), "CONV": converted}, "arcs": arcs}
    return {"graph": rows}


UP, DOWN, EITHER = (
    (1.0, 1.2, 0.8, 1.1, 0.9, 1.0),
    (-1.0, -1.2, -0.8, -1.1, -0.9, -1.0),
    (1.0, -1.0, 1.1, -1.2, 0.9, -1.1),
)


@pytest.mark.parametrize(
    ("las", "verdict_on_las"), [(UP, "holds"), (DOWN, "does not hold"), (EITHER, "inconclusive"), (UP[:3], "no data")]
)
def test_gains_need_their_direction(las: Sequence[float], verdict_on_las: str) -> None:
    claims = judged(gains({"LAS": las}, (1,) * len(las)))
    assert verdict(claims, "Parsing through function heads") == verdict_on_las


def judged(measured: Mapping[str, Any], changes: Sequence[float] = (-0.1,) * 6) -> list[Claim]:
    return list(kohita_scores(described(changes), measured))


def test_claims_on_gains_of_several_measures() -> None:
    more = [2 * value for value in UP]
    assert verdict(judged(gains({"LAS": UP, "CNC": more})), "Function heads improve CNC") == "holds"
    assert verdict(judged(gains({"LAS": more, "CNC": UP})), "Function heads improve CNC") == "does not hold"
    assert verdict(judged(gains({"LAS": more, "UAS": UP})), "Function heads improve LAS more than UAS") == "holds"
    assert (
        verdict(judged(gains({"LAS": UP, "UAS": more})), "Function heads improve LAS more than UAS") == "does not hold"
    )
    harmed = gains({"case": DOWN, "mark": EITHER, "nmod": UP})
    assert verdict(judged(harmed), "Function heads hurt case") == "inconclusive"
    arcs = "Backward conversion breaks"
    assert verdict(judged(gains({}, (20, 22, 21, 25, 20, 20))), arcs) == "holds"
    assert verdict(judged(gains({})), arcs) == "does not hold"
    assert verdict(judged(gains({}, (10, 20, 0, 21, 1, 9))), arcs) == "inconclusive"
    assert {claim.verdict for claim in judged({}) if not claim.text.startswith("Conversion")} == {"no data"}


def test_no_parser_decides_for_the_others() -> None:
    measured = {"one": gains({"LAS": UP})["graph"], "two": gains({"LAS": EITHER})["graph"]}
    measured["three"] = gains({"LAS": DOWN})["graph"]
    (claim,) = (claim for claim in judged(measured) if claim.text.startswith("Parsing through"))
    assert claim.verdict == "differs by parser"
    assert claim.evidence.startswith("holds: one; inconclusive: two; does not hold: three; one: LAS +1.00 (95% CI")
    both = judged({"one": measured["one"], "two": measured["one"]})
    (claim,) = (claim for claim in both if claim.text.startswith("Parsing through"))
    assert claim.verdict == "holds"
    assert claim.evidence.startswith("one: LAS +1.00 (95% CI")


def test_entropy_must_fall() -> None:
    lowers = "Conversion lowers"
    assert verdict(judged({}, [-0.1, -0.2, -0.15, -0.12, -0.1]), lowers) == "holds"
    assert verdict(judged({}, [0.1, 0.2, 0.15, 0.12, 0.1]), lowers) == "does not hold"
    assert verdict(judged({}, [-0.1, 0.1, -0.1, -0.1]), lowers) == "inconclusive"
    assert verdict(judged({}, []), lowers) == "no data"


def test_entropy_and_gain() -> None:
    """The more entropy falls, the more LAS rises: a negative correlation."""
    changes = [-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7, -0.8]
    text = "The more entropy falls"

    def found(las: Sequence[float]) -> str:
        return verdict(judged(gains({"LAS": las}, (1,) * len(las)), changes), text)

    assert found([1.0, 2.0, 3.1, 4.0, 5.0, 6.2, 7.0, 8.1]) == "holds"
    assert found([8.1, 7.0, 6.2, 5.0, 4.0, 3.1, 2.0, 1.0]) == "does not hold"
    assert found([1.0, -2.0, 3.0, -1.0, 0.0, 1.0, 2.0, -1.0]) == "inconclusive"
    assert found([1.0, 2.0]) == "no data"


def converted(**failed: float) -> dict[str, Any]:
    zeros = dict.fromkeys(("more sentences", "more arcs"), 0.0)
    return {code: {"converted": 10, "failed": share, **zeros} for code, share in failed.items()}


def test_numbers_of_other_data_are_not_refuted() -> None:
    """Only a training set of UD 1.3 can contradict the largest number of the paper."""
    rows = converted(en=1, hu=0.001)
    other = _claims_on_conversion(rows)
    assert {claim.verdict for claim in other} == {"different data"}
    assert "10.0% (10.0% to 10.0%)" in other[0].evidence
    fails = "Backward conversion fails"
    assert verdict(_claims_on_conversion(rows, ["en", "hu"]), fails) == "contradicted"
    assert verdict(_claims_on_conversion(rows, ["hu"]), fails) == "different data"


# Callin


def callin_rows(**columns: Sequence[float]) -> dict[str, Any]:
    n = len(next(iter(columns.values())))
    rising = [0.5 + 0.01 * i + 0.001 * (i % 3) for i in range(n)]
    given = {name: columns.get(name.replace(" ", "_"), rising) for name in (*CALLIN_MEASURES, "F freq")}
    return {code: {name: values[i] for name, values in given.items()} for i, code in zip(range(n), CODES)}


def test_callin_on_correlations() -> None:
    share, wave = [0.1 * i for i in range(10)], [0.5, 0.7] * 5
    rises, words = "Scores rise", "Function words"
    claims = claims_on_correlations(callin_rows(F_freq=share))
    assert (verdict(claims, rises), verdict(claims, words)) == ("holds", "holds")
    claims = claims_on_correlations(callin_rows(F_freq=share, F_prec=wave))
    assert (verdict(claims, rises), verdict(claims, words)) == ("inconclusive", "inconclusive")
    claims = claims_on_correlations(callin_rows(F_freq=share, F_prec=share[::-1]))
    assert (verdict(claims, rises), verdict(claims, words)) == ("does not hold", "does not hold")
    assert set(verdicts(claims_on_correlations({})).values()) == {"no data"}


def test_callin_on_the_order_of_correlations() -> None:
    share = [0.1 * i for i in range(10)]
    noise = [0.5, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8, 0.4, 0.6, 0.5]
    order = "LAS correlates most"

    def found(**columns: Sequence[float]) -> str:
        return verdict(claims_on_correlations(callin_rows(F_freq=share, **columns)), order)

    falling = share[::-1]
    assert found(LAS=share, WLAS=noise, C_prec=falling, C_rec=falling) == "holds"
    assert found(LAS=share, WLAS=falling, C_prec=falling, C_rec=share) == "does not hold"
    assert found(LAS=share, WLAS=share, C_prec=falling, C_rec=noise) == "inconclusive"


def in_percent(shares: Sequence[float]) -> list[float]:
    return [100 * share for share in shares]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("best", [4, 8])
def test_callin_variances_on_every_scale(scale: str, best: int) -> None:
    las = [0.82, 0.71, 0.9, 0.66, 0.75, 0.88, 0.79, 0.6]
    wlas = [0.8, 0.73, 0.87, 0.61, 0.76, 0.81, 0.7, 0.64]
    found = relative_change(callin_rows(LAS=in_percent(las), WLAS=in_percent(wlas)), best, scale)
    assert found is not None
    assert found.value == pytest.approx(relative_variance(las, wlas, best, scale))
    assert -1 < found.low < found.value < found.high


def test_callin_on_variances_needs_the_whole_interval() -> None:
    """WLAS must vary less over the best and equally over all treebanks, on every scale; the interval decides."""

    def found(las: Sequence[float], wlas: Sequence[float]) -> list[str]:
        claims = list(callin_scores(callin_rows(LAS=in_percent(las), WLAS=in_percent(wlas))))
        return [verdict(claims, "WLAS varies less"), verdict(claims, "WLAS and LAS vary equally")]

    wide = [0.5, 0.1, 0.45, 0.15, 0.3, 0.6, 0.66, 0.72, 0.78, 0.84]
    assert found(wide, wide) == ["inconclusive", "holds"]
    assert found(wide, [0.5 + value / 1000 for value in wide]) == ["holds", "does not hold"]
    assert found([0.5 + value / 1000 for value in wide], wide) == ["does not hold", "does not hold"]
    assert found([0.7, 0.8, 0.9], [0.7, 0.8, 0.9]) == ["no data", "no data"]
    assert found([0.5] * 5, wide[:5]) == ["no data", "no data"]


def test_callin_without_outputs_and_with_few_training_sets() -> None:
    assert set(verdicts(callin_scores({})).values()) == {"no data"}
    without = verdicts(claims_on_printed_numbers({}, StudyRequest(systems=Path(), weights=Path())))
    assert [without[text] for text in without if "Callin's program" in text or "Table 5" in text] == ["no data"] * 2
    few = claim_on_entropies({"case": 0.1, "nsubj": 0.4}, 3, "3 training sets")
    assert few.verdict == "no data"
    assert "at least 10" in few.evidence
    assert claim_on_entropies({"case": 0.1, "nsubj": 0.4}, 12, "12 training sets").verdict == "confirmed"
    assert claim_on_entropies({"case": 0.4, "nsubj": 0.4}, 12, "12 training sets").verdict == "contradicted"


def test_the_printed_table_contradicts_a_claim_on_all_languages() -> None:
    claims = claims_on_printed_numbers({}, StudyRequest())
    found = [claim for claim in claims if claim.text.startswith("In all languages")]
    assert [claim.verdict for claim in found] == ["confirmed", "contradicted"]
    assert "18 of 20 (not bg, got)" in found[1].evidence


def test_the_criterion_of_callins_treebanks() -> None:
    """All arcs count, not only those whose head is to the right; a treebank without all parts is not judged."""
    numbers = {"right_crossed_trees": 21, "sttr": 0.5, "C freq": 50, "F freq": 30}
    rows = {code: {**numbers, "nonprojective_trees": share} for code, share in (("el", 28), ("got", 24))}
    path = Path("x")

    def found(codes: Sequence[str]) -> str:
        return verdict(
            _claims_on_treebanks(rows, {code: Parts(code, path, path, path) for code in codes}), "Fewer than"
        )

    assert found(["el", "got"]) == "contradicted"
    assert found(["got"]) == "confirmed"
    assert verdict(_claims_on_treebanks(rows, {"el": Parts("el", test=path)}), "Fewer than") == "no data"


def test_callin_on_human_judgments() -> None:
    """German is printed, but there are no judgments; recall in English is his exception."""
    names = [f"{name} minus {other}" for name in ("C prec", "C rec") for other in ("LAS", "WLAS")]

    def found(**apart: Sequence[float]) -> dict[str, str]:
        people = {code: {**PRINTED["table_4"][code], **dict.fromkeys(names, effect)} for code, effect in apart.items()}
        claims = list(claims_on_judgments(people))
        assert all("no judgments of: de" in claim.evidence for claim in claims)
        return verdicts(claims)

    printed, less = found(en=(-0.2, -0.3, -0.1, 0.01), es=(-0.2, -0.3, -0.1, 0.01)).values()
    assert (printed, less) == ("confirmed", "holds")
    assert list(found(en=(-0.2, -0.3, -0.1, 0.01), es=(-0.2, -0.5, 0.1, 0.3)).values()) == ["confirmed", "inconclusive"]
    assert list(found(en=(0.2, 0.1, 0.3, 0.001), es=(-0.2, -0.5, -0.1, 0.01)).values()) == [
        "confirmed",
        "does not hold",
    ]
    assert {claim.verdict for claim in claims_on_judgments({})} == {"no data"}
