"""How well measures agree with people, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from levelhead.comparison.judgement import ComparedMeasures, Judgement
from levelhead.correlation import AgreementEstimate, HumanAgreement
from levelhead.report.documents import header, notes_of
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table, formatted, p_text
from levelhead.significance import unit_line

_STATISTICS = {"r": "correlation", "Spearman": "spearman", "accuracy": "accuracy", "kappa": "kappa"}
_NUMBERS = ("n", "ties", "value", "low", "high")
_PLAIN = Column("", "number")


def judgement_table(judgement: Judgement, places: int | None = 3) -> Table:
    """Return four rows per measure, one for each statistic, with comparisons of measures as notes."""
    names = (Column("Measure", "text"), Column("statistic", "text"))
    columns = (*names, *(Column(name, "number") for name in _NUMBERS))
    rows = tuple((name, *cells) for name, judged in judgement.measures.items() for cells in _cells(judged.agreement))
    starts = frozenset(range(len(_STATISTICS), len(rows), len(_STATISTICS)))
    compared = [_comparison_note(comparison, places) for comparison in judgement.comparisons]
    return Table(
        columns,
        rows,
        (*compared, unit_line({"": judgement.units}), signature_line(judgement.provenance.signature)),
        starts,
    )


def _cells(agreement: HumanAgreement) -> Iterator[tuple[Cell, ...]]:
    for name, field in _STATISTICS.items():
        estimate: AgreementEstimate = getattr(agreement, field)
        yield (name, agreement.n, agreement.n_ties, *estimate)


def _comparison_note(compared: ComparedMeasures, places: int | None) -> str:
    difference = compared.comparison
    value, low, high = (formatted(number, _PLAIN, places) for number in difference.difference)
    p, corrected = (p_text(number, 3) for number in (difference.p, compared.p_holm))
    return f"r({compared.one}) - r({compared.other}) = {value} [{low}, {high}], p {p}, Holm {corrected}"


def judgement_document(judgement: Judgement) -> dict[str, Any]:
    """Return the result for JSON."""
    return {
        **header("judgement", judgement.provenance.signature),
        "sentences": len(judgement.choices.second),
        "votes": int(judgement.choices.votes.sum()),
        "units": {"unit": judgement.units.kind, "n": judgement.units.n_units},
        "measures": {name: _agreement(judged.agreement) for name, judged in judgement.measures.items()},
        "comparisons": [
            {"one": comparison.one, "other": comparison.other, "difference": comparison.comparison.difference._asdict()}
            | {"p": comparison.comparison.p, "p_holm": comparison.p_holm}
            for comparison in judgement.comparisons
        ],
        **notes_of(judgement.provenance.notes),
    }


def _agreement(agreement: HumanAgreement) -> dict[str, Any]:
    return {
        name: value._asdict() if isinstance(value, AgreementEstimate) else value
        for name, value in agreement._asdict().items()
    }
