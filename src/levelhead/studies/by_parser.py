"""Does a finding depend on the parser? Verdicts on the same claims, parser by parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from levelhead.report.table import Column, Table
from levelhead.studies.study import Claim, StudySection


def verdicts_by_parser(claims: Mapping[str, Sequence[Claim]]) -> StudySection:
    """Return a table of the verdicts on each claim, with a column for each parser, and what changes.

    Args:
        claims: the same claims in the same order for each parser, judged on its scores alone.
    """
    parsers = list(claims)
    columns = (Column("claim", "text"), *(Column(parser, "text") for parser in parsers))
    rows = tuple((each[0].text, *(claim.verdict for claim in each)) for each in zip(*claims.values()))
    changed = [row for row in rows if len(set(row[1:])) > 1]
    opposed = [row for row in changed if {"holds", "does not hold"} <= set(row[1:])]
    text = "Each claim judged on the scores of one parser alone."
    if len(parsers) > 1 and rows:
        text += f" {_summary(len(changed), len(opposed), len(rows))}"
    return StudySection("Does it depend on the parser?", (text,), Table(columns, rows))


def _summary(changed: int, opposed: int, all_claims: int) -> str:
    """What changes from parser to parser."""
    if not changed:
        return f"All parsers agree on {'the claim' if all_claims == 1 else f'all {all_claims} claims'}."
    contradicted = "No claim holds for one parser and fails for another." if not opposed else (
        f"{opposed} {'holds for one parser and fails' if opposed == 1 else 'hold for one parser and fail'} for another."
    )  # fmt: skip
    return f"Parsers differ on {changed} of {all_claims} claims. {contradicted}"
