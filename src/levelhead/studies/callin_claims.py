"""Callin's claims, and what our numbers say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.correlation.coefficients import correlations
from levelhead.studies.callin_measures import CASCADING, MEASURES, SCHEME, Rows, column_of, measured_rows, variances
from levelhead.studies.numbers import agrees, counted, p_shown, pearson, shown
from levelhead.studies.parts import Parts
from levelhead.studies.request import Request
from levelhead.studies.study import Claim, judged
from levelhead.treebank.schemes import SCHEMES

LEVEL, CLEAR, FEWEST = 0.05, 0.95, 10


def claims_on_treebanks(rows: Rows, treebanks: Mapping[str, Parts], numbers: Mapping[str, Any]) -> list[Claim]:
    """Judge what he says of treebanks."""
    theirs = {code: row["nonprojective"] for code, row in numbers["table_1"].items()}
    whole = [code for code, parts in treebanks.items() if len(parts.files) == 3 and code in theirs]
    by_rule = {code: agrees(rows[code]["right_crossed_trees"], theirs[code]) for code in whole}
    content, p_content, n = pearson(zip(column_of(rows, "sttr"), column_of(rows, "C freq")))
    function, p_function, _ = pearson(zip(column_of(rows, "sttr"), column_of(rows, "F freq")))
    return [
        judged("Shares of non-projective trees by his rule are as printed", "Table 1",
               _every(by_rule),
               f"equal to two digits: {counted(by_rule)} of the treebanks with all parts at hand"),
        judged("The share of function relations falls with the type/token ratio", "Figure 3",
               _certain([(function, p_function)], sign=-1),
               f"r = {shown(function)} ({p_shown(p_function)}, {n} treebanks), his -0.52; content relations"
               f" {shown(content)} ({p_shown(p_content)}), his 0.23"),
    ]  # fmt: skip


def claim_on_entropies(averaged: Mapping[str, float], n: int, over: str) -> Claim:
    """Judge the order of entropies; a handful of training sets says nothing, since absent relations count 0.5."""
    kinds = {name: [v for r, v in averaged.items() if SCHEMES[SCHEME].class_of(r) == name] for name in
             ("FUNCTION", "CONTENT")}  # fmt: skip
    highest, lowest = (max(kinds["FUNCTION"], default=None), min(kinds["CONTENT"], default=None))
    told = f"highest function relation {shown(highest, 3)}, lowest content relation {shown(lowest, 3)}"
    apart = None if highest is None or lowest is None or 0 < n < FEWEST else highest < lowest
    where = f"; {over}" if over else "; from the file given" if averaged else "; no training sets"
    text = "Word dependency entropy puts all function relations below all content relations"
    return judged(text, "Figure 2", apart, told + where)


def _certain(found: Sequence[tuple[float | None, float | None]], sign: int) -> bool | None:
    """Whether correlations have a sign: yes or no only where all have p < .05, or one of them has the other sign."""
    known = [(sign * r, p) for r, p in found if r is not None and p is not None]
    if any(r < 0 and p < LEVEL for r, p in known):
        return False
    return True if len(known) == len(found) and all(r > 0 and p < LEVEL for r, p in known) else None


def claims_on_scores(rows: Rows) -> list[Claim]:
    """Judge what he says of scores."""
    measured = measured_rows(rows)
    if not measured:
        return [judged("LAS is higher than WLAS for every language", "section 6", None, "no outputs")]
    higher = {code: row["LAS"] > row["WLAS"] for code, row in measured.items()}
    lower = {code: max(row["C prec"], row["C rec"]) < row["LAS"] for code, row in measured.items()}
    claims = [
        judged("LAS is higher than WLAS for every language", "section 6", all(higher.values()), counted(higher)),
        judged("Content precision and recall are lower than LAS for every language", "section 6", all(lower.values()),
               counted(lower)),
    ]  # fmt: skip
    if len(measured) < 3:
        return claims
    las, wlas = variances(measured, "LAS"), variances(measured, "WLAS")
    below = int((wlas[:-1] < las[:-1]).sum())
    ratio = float(wlas[-1] / las[-1])
    text = f"below in {below} of {len(las) - 1} steps; over all treebanks {wlas[-1]:.4f} against {las[-1]:.4f}"
    claims.append(
        judged("WLAS varies less than LAS among the best languages, and equally over all", "section 6, Figure 5",
               below > (len(las) - 1) / 2 and abs(ratio - 1) < 0.1, f"{text} (his: 0.0045 both)")
    )  # fmt: skip
    return claims


def claims_on_correlations(rows: Rows, request: Request) -> list[Claim]:
    """Judge what he says of scores and frequencies."""
    measured = measured_rows(rows)
    found = {name: pearson(zip(column_of(measured, name), column_of(measured, "F freq"))) for name in MEASURES}
    told = ", ".join(f"{name} {shown(r)} ({p_shown(p)})" for name, (r, p, _) in found.items())
    told += f"; {len(measured)} treebanks"
    share = _share_in_order(measured, request)
    f_prec = found["F prec"][:2]
    return [
        judged("Scores rise with the share of function relations", "Table 3 and section 7",
               _certain([(r, p) for r, p, _ in found.values()], sign=1), told),
        judged("LAS goes with that share more than WLAS, and WLAS more than content precision and recall", "section 7",
               None if share is None or 1 - CLEAR < share < CLEAR else share >= CLEAR,
               f"in {shown(share)} of resamples of treebanks; {told}"),
        judged("Function words are parsed better where there are more", "section 7", _certain([f_prec], sign=1),
               f"r = {shown(f_prec[0])} ({p_shown(f_prec[1])}); his 0.71"),
    ]  # fmt: skip


def _share_in_order(rows: Rows, request: Request) -> float | None:
    """In which share of bootstrap samples of treebanks the correlations stand in the order that the paper gives."""
    if len(rows) < 4:
        return None
    table = np.array([[row[name] for name in ("LAS", "WLAS", "C prec", "C rec", "F freq")] for row in rows.values()])
    weights = np.random.default_rng(request.seed).multinomial(
        len(table), np.full(len(table), 1 / len(table)), size=request.resamples
    )
    las, wlas, precision, recall = correlations(table.astype(np.float64), weights.astype(np.float64))[:, 4, :4].T
    return float(np.mean((las > wlas) & (wlas > np.maximum(precision, recall))))


def claims_on_people(people: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Judge what he says of human judgements."""
    text = "Content precision and recall agree less with people than LAS and WLAS, in all cases but one"
    if not people:
        return [judged(text, "Table 4", None, "no judgements were given")]
    better = [
        f"{code} {name}"
        for code, row in people.items()
        for name in ("C prec", "C rec")
        if (row[name] or 0) >= min(row["LAS"] or 0, row["WLAS"] or 0)
    ]
    return [judged(text, "Table 4", len(better) == 1, f"the exceptions are {', '.join(better) or 'none'}")]


def _every(found: Mapping[str, bool | None]) -> bool | None:
    """Whether all say yes of those that say anything; None if none does."""
    known = [value for value in found.values() if value is not None]
    return all(known) if known else None


def _less(one: float | None, other: float | None) -> bool | None:
    return None if one is None or other is None else one < other


def claims_on_cascading(rows: Rows, numbers: Mapping[str, Any], *, given: bool) -> list[Claim]:
    """Judge what he says of cascading errors; equality only of outputs that were given."""
    measured = measured_rows(rows)
    theirs = numbers["table_5"]
    equal = {
        f"{code} {name}": agrees(row[name], theirs.get(code, {}).get(name)) if given else None
        for code, row in measured.items()
        for name in CASCADING
    }
    printed_too = {code: row["F unlab."] < row["C unlab."] for code, row in theirs.items()}
    claims = [
        judged("The ratios are as printed", "Table 5",
               _every(equal), counted(equal)),
    ]  # fmt: skip
    for kind, name in (("labelled", "lab."), ("unlabelled", "unlab.")):
        more = {code: _less(row[f"F {name}"], row[f"C {name}"]) for code, row in measured.items()}
        beside = f"; of the printed rows {counted(printed_too)}" if name == "unlab." else ""
        claims.append(
            judged(f"In all languages wrong function relations more often have wrong heads ({kind})", "Table 5",
                   _every(more), counted(more) + beside)
        )  # fmt: skip
    return claims


def claim_on_classes(numbers: Mapping[str, Any]) -> Claim:
    """Whether our scheme is his Table 2, and where it contradicts itself."""
    theirs = {(one, name) for name, members in numbers["table_2"].items() for one in members.split()}
    off = sorted({one for one, name in theirs if SCHEMES[SCHEME].class_of(one) != name})
    twice = sorted({one for one, _ in theirs if sum(other == one for other, _ in theirs) > 1})
    told = f"{len(theirs)} entries, those that differ from the scheme {SCHEME}: {', '.join(off) or 'none'}"
    text = "Each relation is in one class of Table 2"
    return judged(text, "Table 2", not twice, f"in two classes: {', '.join(twice) or 'none'}; {told}")


def claim_on_program(rows: Rows, numbers: Mapping[str, Any], *, given: bool) -> Claim:
    """Whether scores and frequencies equal what his program printed for his outputs, with his weights."""
    text = "Scores and frequencies are those of his program, to six digits"
    theirs = numbers["program"]
    equal = {
        f"{code} {name}": agrees(row[name], theirs[code][name], 6)
        for code, row in measured_rows(rows).items() if code in theirs
        for name in theirs[code]
    }  # fmt: skip
    if not given or not equal:
        return judged(text, "his program", None, "his outputs and his weights are needed")
    return judged(text, "his program", _every(equal), counted(equal))
