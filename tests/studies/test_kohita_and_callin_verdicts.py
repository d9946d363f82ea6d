"""Verdicts on the claims of Kohita, Noji and Matsumoto, and of Callin, for made-up numbers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from levelhead.studies import Claim, StudyRequest
from levelhead.studies.callin import MEASURES as CALLIN_MEASURES
from levelhead.studies.callin import (
    claim_on_entropies,
    claim_on_judgments,
    claims_on_correlations,
    claims_on_printed_numbers,
    relative_change,
    verdict_of_equality,
)
from levelhead.studies.callin import claims_on_scores as callin_scores
from levelhead.studies.kohita import claim_on_own_gains, claims_on_entropy
from levelhead.studies.kohita import claims_on_scores as kohita_scores
from levelhead.studies.measures_2018 import (
    SCALES,
)
from levelhead.studies.verdicts import (
    ValueWithInterval,
)
from oracle.spread import relative_variance

REQUEST = StudyRequest(quick=True)
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
    names = ("LAS", "CNC", "case", "mark", "nmod")
    rows = {}
    for i, code in enumerate(CODES[: len(broken)]):
        converted = {name: 0.8 + values.get(name, (0.0,) * 6)[i] / 100 for name in names}
        arcs = {"functional": 100, "broken": broken[i], "fixed": 10}
        rows[code] = {"scores": {"UD": dict.fromkeys(names, 0.8), "CONV": converted}, "arcs": arcs}
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
    claims = kohita_scores(gains({"LAS": las}, (1,) * len(las)), REQUEST)
    assert verdict(claims, "Parsing through function heads") == verdict_on_las


def test_claims_on_gains_of_several_measures() -> None:
    more = [2 * value for value in UP]
    assert verdict(kohita_scores(gains({"LAS": UP, "CNC": more}), REQUEST), "It improves CNC") == "holds"
    assert verdict(kohita_scores(gains({"LAS": more, "CNC": UP}), REQUEST), "It improves CNC") == "does not hold"
    harmed = gains({"case": DOWN, "mark": EITHER, "nmod": UP})
    assert verdict(kohita_scores(harmed, REQUEST), "It hurts case") == "inconclusive"
    arcs = "Backward conversion makes"
    assert verdict(kohita_scores(gains({}, (20, 22, 21, 25, 20, 20)), REQUEST), arcs) == "holds"
    assert verdict(kohita_scores(gains({}), REQUEST), arcs) == "does not hold"
    assert verdict(kohita_scores(gains({}, (10, 20, 0, 21, 1, 9)), REQUEST), arcs) == "inconclusive"
    assert set(verdicts(kohita_scores({}, REQUEST)).values()) == {"no data"}


def test_entropy_must_fall() -> None:
    lowers = "Conversion lowers"
    assert verdict(claims_on_entropy(described([-0.1] * 5)), lowers) == "holds"
    assert verdict(claims_on_entropy(described([-0.1, 0.1, -0.1, -0.1])), lowers) == "does not hold"
    assert verdict(claims_on_entropy(described([-0.1, 0.0, -0.1, -0.1])), lowers) == "does not hold"
    assert verdict(claims_on_entropy({}), lowers) == "no data"


def test_entropy_and_gain() -> None:
    """The more entropy falls, the more LAS rises: a negative correlation."""
    changes = [-0.1, -0.2, -0.3, -0.4, -0.5, -0.6]

    def found(las: Sequence[float]) -> str:
        claim = claim_on_own_gains(described(changes), gains({"LAS": las}, (1,) * len(las))["graph"], "")
        assert "p " in claim.evidence
        return claim.verdict

    assert found([1.0, 2.0, 3.1, 4.0, 5.0, 6.2]) == "holds"
    assert found([6.2, 5.0, 4.0, 3.1, 2.0, 1.0]) == "does not hold"
    assert found([1.0, -2.0, 3.0, -1.0, 0.0, 1.0]) == "inconclusive"
    assert found([1.0, 2.0]) == "no data"


# Callin


def callin_rows(**columns: Sequence[float]) -> dict[str, Any]:
    n = len(next(iter(columns.values())))
    rising = [0.5 + 0.01 * i + 0.001 * (i % 3) for i in range(n)]
    given = {name: columns.get(name.replace(" ", "_"), rising) for name in (*CALLIN_MEASURES, "F freq")}
    return {code: {name: values[i] for name, values in given.items()} for i, code in zip(range(n), CODES)}


def test_callin_on_correlations() -> None:
    share, wave = [0.1 * i for i in range(10)], [0.5, 0.7] * 5
    rises, words = "Scores rise", "Function words"
    claims = claims_on_correlations(callin_rows(F_freq=share), REQUEST)
    assert (verdict(claims, rises), verdict(claims, words)) == ("holds", "holds")
    claims = claims_on_correlations(callin_rows(F_freq=share, F_prec=wave), REQUEST)
    assert (verdict(claims, rises), verdict(claims, words)) == ("inconclusive", "inconclusive")
    claims = claims_on_correlations(callin_rows(F_freq=share, F_prec=share[::-1]), REQUEST)
    assert (verdict(claims, rises), verdict(claims, words)) == ("does not hold", "does not hold")
    assert set(verdicts(claims_on_correlations({}, REQUEST)).values()) == {"no data"}


def test_callin_on_the_order_of_correlations() -> None:
    share = [0.1 * i for i in range(10)]
    noise = [0.5, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8, 0.4, 0.6, 0.5]
    near = [a + 0.3 * b for a, b in zip(share, noise)]
    far = [a + 2 * b for a, b in zip(share, noise)]
    order = "LAS correlates with that share"

    def found(**columns: Sequence[float]) -> str:
        return verdict(claims_on_correlations(callin_rows(F_freq=share, **columns), StudyRequest()), order)

    assert found(LAS=share, WLAS=near, C_prec=far, C_rec=far) == "holds"
    assert found(LAS=far, WLAS=near, C_prec=far, C_rec=far) == "does not hold"
    assert found(LAS=near, WLAS=near, C_prec=far, C_rec=far) == "inconclusive"


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("best", [4, 8])
def test_callin_variances_on_every_scale(scale: str, best: int) -> None:
    las = [0.82, 0.71, 0.9, 0.66, 0.75, 0.88, 0.79, 0.6]
    wlas = [0.8, 0.73, 0.87, 0.61, 0.76, 0.81, 0.7, 0.64]
    found = relative_change(np.array([las, wlas]).T, best, scale, StudyRequest())
    assert found is not None
    assert found.value == pytest.approx(relative_variance(las, wlas, best, scale))
    assert found.low < found.value < found.high


def test_callin_on_variances_needs_the_whole_interval() -> None:
    """WLAS must vary less over the best and equally over all treebanks, on every scale; the interval decides."""

    def found(las: Sequence[float], wlas: Sequence[float]) -> str:
        return verdict(callin_scores(callin_rows(LAS=las, WLAS=wlas), StudyRequest()), "WLAS varies less")

    wide = [0.5, 0.1, 0.45, 0.15, 0.3, 0.6, 0.66, 0.72, 0.78, 0.84]
    assert found(wide, wide) == "inconclusive"  # equal over all, but not less among the best
    assert found(wide, [0.5 + value / 1000 for value in wide]) == "does not hold"  # far from equal over all
    assert found([0.7, 0.8, 0.9], [0.7, 0.8, 0.9]) == "no data"
    assert found([0.5] * 5, wide[:5]) == "no data"


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (ValueWithInterval(0.0, -0.05, 0.09), "holds"), (ValueWithInterval(0.0, -0.2, 0.05), "inconclusive"),
        (ValueWithInterval(0.3, 0.1, 0.5), "does not hold"), (ValueWithInterval(-0.3, -0.5, -0.1), "does not hold"), (None, "no data"),
    ],
)  # fmt: skip
def test_equality_needs_an_interval_inside_the_margin(change: ValueWithInterval | None, verdict: str) -> None:
    assert verdict_of_equality(change) == verdict


def test_callin_without_outputs_and_with_few_training_sets() -> None:
    assert set(verdicts(callin_scores({}, REQUEST)).values()) == {"no data"}
    assert len(list(callin_scores({}, REQUEST))) == len(list(callin_scores(callin_rows(LAS=[0.9] * 4), REQUEST)))
    assert set(verdicts(claims_on_printed_numbers({}, StudyRequest(systems=Path(), weights=Path()))).values()) == {
        "no data"
    }
    few = claim_on_entropies({"case": 0.1, "nsubj": 0.4}, 3, "3 training sets")
    assert few.verdict == "no data"
    assert "at least 10" in few.evidence
    assert claim_on_entropies({"case": 0.1, "nsubj": 0.4}, 12, "12 training sets").verdict == "holds"
    assert claim_on_entropies({"case": 0.4, "nsubj": 0.4}, 12, "12 training sets").verdict == "does not hold"


@pytest.mark.parametrize(
    ("precision", "found"), [((0.5, 0.1), "holds"), ((0.1, 0.1), "does not hold"), ((0.4, 0.1), "holds"), ((None, 0.5), "no data")]
)  # fmt: skip
def test_callin_on_human_judgments(precision: Sequence[float | None], found: str) -> None:
    """Exactly one exception is claimed. An equal correlation is an exception; with an undefined one, there is no data."""
    people = {
        code: {"C prec": one, "C rec": 0.2, "LAS": 0.4, "WLAS": 0.4} for code, one in zip(("en", "es"), precision)
    }
    assert claim_on_judgments(people).verdict == found
