"""Do the findings depend on the parser? The verdicts on the same claims for each parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from levelhead.report.table import Column, Table
from levelhead.studies.study import Claim, StudySection


def verdicts_by_parser(claims: Mapping[str, Sequence[Claim]]) -> StudySection:
    """Return a table of verdicts, one row per claim and one column per parser, and a sentence on the disagreements."""
    parsers = list(claims)
    columns = (Column("claim", "text"), *(Column(parser, "text") for parser in parsers))
    rows = tuple((each[0].text, *(claim.verdict for claim in each)) for each in zip(*claims.values()))
    differing = [row for row in rows if len(set(row[1:])) > 1]
    opposed = [row for row in differing if {"holds", "does not hold"} <= set(row[1:])]
    text = "Each verdict rests on the scores of a single parser."
    if len(parsers) > 1 and rows:
        text += f" {_summary(len(differing), len(opposed), len(rows))}"
    return StudySection("Do the findings depend on the parser?", (text,), Table(columns, rows))


def _summary(differing: int, opposed: int, all_claims: int) -> str:
    """On how many claims the parsers disagree."""
    if not differing:
        return f"All parsers agree on {'the claim' if all_claims == 1 else f'all {all_claims} claims'}."
    contradicted = "No claim holds for one parser and fails for another." if not opposed else (
        f"{opposed} {'holds for one parser and fails' if opposed == 1 else 'hold for one parser and fail'} for another."
    )  # fmt: skip
    return f"Parsers differ on {differing} of {all_claims} claims. {contradicted}"
