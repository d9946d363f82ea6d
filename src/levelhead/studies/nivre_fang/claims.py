"""The claims of Nivre and Fang, checked against our numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from levelhead.studies.nivre_fang.measures import CLASSES, RELATIONS, Row, Rows, difference, points, printed_row
from levelhead.studies.request import StudyRequest
from levelhead.studies.statistics import Cell, estimate_shown, mean, mean_interval, p_shown, shown, spearman
from levelhead.studies.study import Claim
from levelhead.studies.verdicts import joint_verdict, verdict_of_correlation, verdict_of_effect, verdict_of_fact

FEWEST_WORDS = 30_000
"""The claimed smallest size of a treebank."""


def claim_on_figure_1(examples: Rows) -> Claim:
    """Check the claim about the two sentences of Figure 1."""
    las = [examples[code]["LAS"] for code in ("en", "fi")]
    evidence = "; ".join(f"{code}: LAS {row['LAS']:.1%}, CLAS {row['CLAS']:.1%}" for code, row in examples.items())
    text = "The same mistake results in a LAS of 87.5% in English and 75% in Finnish"
    return Claim(text, "page 87", verdict_of_fact(las == [0.875, 0.75]), evidence)


def printed_claims(numbers: Mapping[str, Any], sizes: Mapping[str, int]) -> list[Claim]:
    """Check the claims in the text about the tables, on the printed numbers."""
    drops = {code: row["without FUN"] for code, row in numbers["table_2"].items()}
    over_five = sorted(code for code, value in drops.items() if value < -5)
    under_two = sorted(code for code, value in drops.items() if -2 < value < 0)
    small = {code: n for code, n in sizes.items() if code in numbers["languages"] and n < FEWEST_WORDS}
    claims = [
        Claim("Without FUN, LAS drops by more than 5 points in 12 languages (printed numbers)", "page 91",
              verdict_of_fact(len(over_five) == 12), f"Table 2 prints {len(over_five)}: {', '.join(over_five)}"),
        Claim("Without FUN, LAS drops by less than 2 points in 7 languages (printed numbers)", "page 91",
              verdict_of_fact(len(under_two) == 7), f"Table 2 prints {len(under_two)}: {', '.join(under_two)}"),
    ]  # fmt: skip
    for table, name in (("2", "without FUN"), ("3", "CLAS - LAS")):
        values = [row[name] / 100 for row in numbers[f"table_{table}"].values()]
        published = numbers[f"average_{table}"]["row"][name]
        ours = 100 * (mean(values) or 0.0)
        text, equal = f"The average of {name} follows from the printed rows", abs(ours - published) < 0.011
        claims.append(Claim(text, f"Table {table}", verdict_of_fact(equal), f"{ours:.3f}, printed {published:.2f}"))
    known = {code: n for code, n in sizes.items() if code in numbers["languages"]}
    evidence = ", ".join(f"{code} {n}" for code, n in small.items())
    claims.append(
        Claim("Every treebank has at least 30,000 words (training set)", "page 89",
              verdict_of_fact(not small if known else None),
              f"smaller: {evidence or 'none'}, of {len(known)} available training sets; the paper does not say"
              " whether it counts training sets or all parts")
    )  # fmt: skip
    return claims


def claims_on_scores(rows: Rows, numbers: Mapping[str, Any], request: StudyRequest) -> list[Claim]:
    """Check the claims about scores on our scores."""
    if not rows:
        return [Claim(text, "pages 89 to 93", "no data", "no outputs") for text in _ON_SCORES]
    dropping = sum((row["without FUN"] or 0) < 0 for row in rows.values())
    lower = sum((row["CLAS - LAS"] or 0) < 0 for row in rows.values())
    means = {name: mean(row[name] for row in rows.values()) for name in ("without FUN", "CLAS - LAS")}
    return [
        _claim_on_classes(rows, request),
        Claim(_ON_SCORES[1], "page 91", verdict_of_fact(dropping >= 0.9 * len(rows)),
              f"{dropping} of {len(rows)} (printed: 41 of 42); on average"
              f" {shown(points(means['without FUN']))} points, printed -4.11"),
        Claim(_ON_SCORES[2], "Table 3", verdict_of_fact(lower == len(rows)),
              f"{lower} of {len(rows)}; on average {shown(points(means['CLAS - LAS']))} points, printed -4.32"),
        _claim_on_relations(rows, request),
        _claim_on_agreement(rows, numbers),
    ]  # fmt: skip


_ON_SCORES = (
    "FUN is parsed more accurately than CORE and NONCORE on average",
    "LAS drops when FUN is left out, in nearly every language",
    "CLAS is lower than LAS in every language",
    "det and case account for most of the drop",
    "The order of languages by drop is as printed (rank correlation)",
)


def _claim_on_classes(rows: Rows, request: StudyRequest) -> Claim:
    """Check the mean LAS of function relations against the means of both classes of content relations."""
    means = ", ".join(f"{name} {shown(points(mean(row[name] for row in rows.values())))}" for name in CLASSES[:3])
    differences = {
        name: mean_interval((difference(row["FUN"], row[name]) for row in rows.values()), request.resamples,
                            request.seed)
        for name in ("CORE", "NONCORE")
    }  # fmt: skip
    evidence = ", ".join(
        f"FUN minus {name} {estimate_shown(estimate, 1, 100)}" for name, estimate in differences.items()
    )
    verdict = joint_verdict(verdict_of_effect(estimate, 1) for estimate in differences.values())
    return Claim(_ON_SCORES[0], "page 89", verdict, f"in percent: {means}; {evidence}")


def _claim_on_relations(rows: Rows, request: StudyRequest) -> Claim:
    """Check whether LAS drops without det and case, and more than without the other five together."""
    two = {code: _total(row, ("det", "case")) for code, row in rows.items()}
    five = {
        code: _total(row, [name for name in RELATIONS if name not in {"det", "case"}]) for code, row in rows.items()
    }
    drop = mean_interval(two.values(), request.resamples, request.seed)
    extra = mean_interval((difference(two[code], five[code]) for code in rows), request.resamples, request.seed)
    return Claim(
        _ON_SCORES[3], "page 93", joint_verdict(verdict_of_effect(estimate, -1) for estimate in (drop, extra)),
        f"in points: det and case together {estimate_shown(drop, 2, 100)}, the other five"
        f" {shown(points(mean(five.values())))}; difference {estimate_shown(extra, 2, 100)}",
    )  # fmt: skip


def _total(row: Row, relations: Sequence[str]) -> Cell:
    """The sum of the changes of LAS without each of the relations; an undefined change counts 0."""
    known = [value for name in relations if (value := row[f"without {name}"]) is not None]
    return math.fsum(known) if known else None


def _claim_on_agreement(rows: Rows, numbers: Mapping[str, Any]) -> Claim:
    """Check whether languages are ranked as in the paper, by the drop without FUN (Table 2) and to CLAS (Table 3)."""
    correlations = {
        f"{table} ({name})": spearman((row[name], printed_row(numbers, code, name)) for code, row in rows.items())
        for table, name in (("Table 2", "without FUN"), ("Table 3", "CLAS - LAS"))
    }
    evidence = ", ".join(
        f"{place}: Spearman {shown(rank)} ({p_shown(p, 4)})" for place, (rank, p, _) in correlations.items()
    )
    verdict = joint_verdict(verdict_of_correlation(rank, p, 1) for rank, p, _ in correlations.values())
    return Claim(_ON_SCORES[4], "Tables 2 and 3", verdict, f"{evidence}; {len(rows)} treebanks")
