"""Callin's claims, checked against our numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.errors import number_of
from levelhead.studies.callin.measures import CASCADING, MEASURES, SCHEME, Rows, column_of, measured_rows
from levelhead.studies.callin.variances import claim_on_variances
from levelhead.studies.request import StudyRequest
from levelhead.studies.statistics import (
    Numbers,
    agrees,
    all_true,
    contrast_interval,
    count_of_true,
    estimate_shown,
    p_shown,
    pearson,
    shown,
)
from levelhead.studies.study import Claim
from levelhead.studies.treebank_parts import Parts
from levelhead.studies.verdicts import joint_verdict, verdict_of_correlation, verdict_of_effect, verdict_of_fact
from levelhead.treebank.schemes import SCHEMES

FEWEST = 10
"""The smallest number of training sets for averaged entropies: a relation missing from a training set counts 0.5."""


def claims_on_treebanks(rows: Rows, treebanks: Mapping[str, Parts], numbers: Mapping[str, Any]) -> list[Claim]:
    """Check the claims about treebanks."""
    printed_shares = {code: row["nonprojective"] for code, row in numbers["table_1"].items()}
    whole = [code for code, parts in treebanks.items() if len(parts.files) == 3 and code in printed_shares]
    by_rule = {code: agrees(rows[code]["right_crossed_trees"], printed_shares[code]) for code in whole}
    content, p_content, n = pearson(zip(column_of(rows, "sttr"), column_of(rows, "C freq")))
    function, p_function, _ = pearson(zip(column_of(rows, "sttr"), column_of(rows, "F freq")))
    return [
        Claim("The shares of non-projective trees by the paper's rule are as printed", "Table 1",
              verdict_of_fact(all_true(by_rule)),
              f"equal to two decimals: {count_of_true(by_rule)} treebanks with all three parts"),
        Claim("The share of function relations falls with the type/token ratio", "Figure 3",
              verdict_of_correlation(function, p_function, -1),
              f"r = {shown(function)} ({p_shown(p_function)}, {number_of(n, 'treebank')}), printed -0.52;"
              f" content relations {shown(content)} ({p_shown(p_content)}), printed 0.23"),
    ]  # fmt: skip


def claim_on_entropies(averaged: Mapping[str, float], n: int, over: str) -> Claim:
    """Check the order of entropies; fewer than `FEWEST` training sets are not enough."""
    kinds = {name: [v for r, v in averaged.items() if SCHEMES[SCHEME].class_of(r) == name] for name in
             ("FUNCTION", "CONTENT")}  # fmt: skip
    highest, lowest = (max(kinds["FUNCTION"], default=None), min(kinds["CONTENT"], default=None))
    evidence = f"highest function relation {shown(highest, 3)}, lowest content relation {shown(lowest, 3)}"
    few = 0 < n < FEWEST
    apart = None if highest is None or lowest is None or few else highest < lowest
    source = f"; {over}" if over else "; from the given file" if averaged else "; no training sets"
    needed = f"; at least {FEWEST} training sets are needed" if few else ""
    text = "All function relations have a lower word dependency entropy than all content relations"
    return Claim(text, "Figure 2", verdict_of_fact(apart), evidence + source + needed)


def claims_on_scores(rows: Rows, request: StudyRequest) -> list[Claim]:
    """Check the claims about scores."""
    measured = measured_rows(rows)
    higher = {code: row["LAS"] > row["WLAS"] for code, row in measured.items()}
    lower = {code: max(row["C prec"], row["C rec"]) < row["LAS"] for code, row in measured.items()}
    return [
        Claim("LAS is higher than WLAS for every language", "section 6", verdict_of_fact(all_true(higher)),
              count_of_true(higher)),
        Claim("Content precision and recall are lower than LAS for every language", "section 6",
              verdict_of_fact(all_true(lower)), count_of_true(lower)),
        claim_on_variances(rows, request),
    ]  # fmt: skip


def claims_on_correlations(rows: Rows, request: StudyRequest) -> list[Claim]:
    """Check the claims about scores and frequencies."""
    measured = measured_rows(rows)
    correlations = {name: pearson(zip(column_of(measured, name), column_of(measured, "F freq"))) for name in MEASURES}
    evidence = ", ".join(f"{name} {shown(r)} ({p_shown(p)})" for name, (r, p, _) in correlations.items())
    evidence += f"; {number_of(len(measured), 'treebank')}"
    f_prec = correlations["F prec"][:2]
    return [
        Claim("Scores rise with the share of function relations", "Table 3 and section 7",
              joint_verdict(verdict_of_correlation(r, p, 1) for r, p, _ in correlations.values()), evidence),
        _claim_on_order(measured, request),
        Claim("Function words are parsed better in treebanks that have more of them", "section 7",
              verdict_of_correlation(*f_prec, 1),
              f"r = {shown(f_prec[0])} ({p_shown(f_prec[1])}); printed 0.71"),
    ]  # fmt: skip


def _claim_on_order(measured: Rows, request: StudyRequest) -> Claim:
    """Check the order of the correlations between scores and the share of function relations."""
    columns = [[row[name] for row in measured.values()] for name in ("LAS", "WLAS", "C prec", "C rec")]
    target = [row["F freq"] for row in measured.values()]
    steps = {
        "LAS minus WLAS": contrast_interval(columns, target, _las_over_wlas, request.resamples, request.seed),
        "WLAS minus the higher of C prec and C rec": contrast_interval(
            columns, target, _wlas_over_content, request.resamples, request.seed
        ),
    }
    evidence = ", ".join(f"{name} {estimate_shown(estimate)}" for name, estimate in steps.items())
    return Claim(
        "LAS correlates with that share more than WLAS, and WLAS more than content precision and recall", "section 7",
        joint_verdict(verdict_of_effect(estimate, 1) for estimate in steps.values()),
        f"differences of correlations: {evidence}; {number_of(len(measured), 'treebank')}",
    )  # fmt: skip


def _las_over_wlas(r: Numbers) -> Numbers:
    difference: Numbers = r[:, 0] - r[:, 1]
    return difference


def _wlas_over_content(r: Numbers) -> Numbers:
    difference: Numbers = r[:, 1] - np.maximum(r[:, 2], r[:, 3])
    return difference


def claims_on_judgments(agreement: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Check the claims about agreement with human judgments."""
    text = "Content precision and recall agree less with human judgments than LAS and WLAS, in all cases but one"
    if not agreement:
        return [Claim(text, "Table 4", "no data", "no judgments were given")]
    less = {
        f"{code} {name}": _less_than_all(row[name], (row["LAS"], row["WLAS"]))
        for code, row in agreement.items()
        for name in ("C prec", "C rec")
    }
    exceptions = [case for case, value in less.items() if value is False]
    holds = None if None in less.values() else len(exceptions) == 1
    evidence = f"exceptions: {', '.join(exceptions) or 'none'}"
    undefined = [case for case, value in less.items() if value is None]
    evidence += f"; undefined: {', '.join(undefined)}" if undefined else ""
    return [Claim(text, "Table 4", verdict_of_fact(holds), evidence)]


def _less_than_all(number: float | None, others: Sequence[float | None]) -> bool | None:
    """Whether a number is below all others; None if any of them is missing."""
    outcomes = [_less(number, other) for other in others]
    return None if None in outcomes else all(outcomes)


def _less(x: float | None, y: float | None) -> bool | None:
    return None if x is None or y is None else x < y


def claims_on_cascading(rows: Rows, numbers: Mapping[str, Any], *, given: bool) -> list[Claim]:
    """Check the claims about cascading errors; equality with the paper only for given outputs."""
    measured = measured_rows(rows)
    printed_ratios = numbers["table_5"]
    equal = {
        f"{code} {name}": agrees(row[name], printed_ratios.get(code, {}).get(name)) if given else None
        for code, row in measured.items()
        for name in CASCADING
    }
    printed_too = {code: row["F unlab."] < row["C unlab."] for code, row in printed_ratios.items()}
    claims = [
        Claim("The ratios of Table 5 are as printed", "Table 5", verdict_of_fact(all_true(equal)),
              count_of_true(equal)),
    ]  # fmt: skip
    for kind, name in (("labeled", "lab."), ("unlabeled", "unlab.")):
        more = {code: _less(row[f"F {name}"], row[f"C {name}"]) for code, row in measured.items()}
        printed_rows = f"; in the printed table {count_of_true(printed_too)}" if name == "unlab." else ""
        claims.append(
            Claim(f"In all languages, the heads of wrong function relations are more often wrong themselves ({kind})",
                  "Table 5",
                  verdict_of_fact(all_true(more)), count_of_true(more) + printed_rows)
        )  # fmt: skip
    return claims


def claim_on_classes(numbers: Mapping[str, Any]) -> Claim:
    """Check whether each relation has one class in Table 2, and compare the table with our scheme."""
    entries = {(text, name) for name, members in numbers["table_2"].items() for text in members.split()}
    differing = sorted({text for text, name in entries if SCHEMES[SCHEME].class_of(text) != name})
    classes = Counter(text for text, _ in entries)
    twice = sorted(text for text, n in classes.items() if n > 1)
    evidence = f"{len(entries)} entries; different in the scheme {SCHEME}: {', '.join(differing) or 'none'}"
    text = "Each relation is in one class of Table 2"
    return Claim(
        text, "Table 2", verdict_of_fact(not twice), f"in two classes: {', '.join(twice) or 'none'}; {evidence}"
    )


def claim_on_program(rows: Rows, numbers: Mapping[str, Any], *, given: bool) -> Claim:
    """Check whether scores and frequencies equal what Callin's program printed for the same outputs and weights."""
    text = "Scores and frequencies equal those of Callin's program to six decimals"
    published = numbers["program"]
    equal = {
        f"{code} {name}": agrees(row[name], published[code][name], 6)
        for code, row in measured_rows(rows).items() if code in published
        for name in published[code]
    }  # fmt: skip
    if not given or not equal:
        return Claim(text, "Callin's program", "no data", "requires Callin's outputs and weights")
    return Claim(text, "Callin's program", verdict_of_fact(all_true(equal)), count_of_true(equal))
