"""Agreement of annotators as tables, text and JSON documents."""

from __future__ import annotations

from typing import Any, Literal

from levelhead.comparison.agreement import Agreement, BeyondChance, Disagreement, LabelAgreement
from levelhead.errors import printable
from levelhead.report.documents import header, points, sources
from levelhead.report.scores import signature_line, units_document
from levelhead.report.table import Cell, Column, Plain, Table, interval_cell, interval_head
from levelhead.report.writers import to_text
from levelhead.significance import unit_line, unit_notes
from levelhead.significance.units import FEWEST_UNITS
from levelhead.treebank import Treebank

Rows = Literal["label", "measure", "pattern"]
"""The rows of a table."""

_COEFFICIENTS = {"cohen": "Cohen", "fleiss": "Fleiss", "krippendorff": "Alpha"}
_TOO_FEW = (
    f"-: fewer than {FEWEST_UNITS} sentences or documents have a label other than the most frequent one, too few for an"
    " interval"
)
_MOST_LISTED = 20
_MOST_PATTERNS = 10


def agreement_table(found: Agreement, by: Rows = "label", most: int | None = None) -> Table:
    """Return the agreement of annotators.

    Args:
        found: the agreement.
        by: the rows: types of labels with coefficients, measures with F1, or patterns of disagreement.
        most: the largest number of patterns; None for all.
    """
    if by == "measure":
        return _measures_table(found)
    if by == "pattern":
        return patterns_table(found, most)
    level = interval_head(found.level)
    columns = [Column("Label", "text"), Column("Words", "number"), Column("Observed"), Column("Expected")]
    for name in _COEFFICIENTS.values():
        ends, hidden = (f"{name} low", f"{name} high"), name == "Fleiss" and len(found.annotators) == 2
        interval = Column(level, "number", key=f"{name} interval", ends=ends, tidy_only=hidden)
        columns += [Column(name, "number", tidy_only=hidden), interval]
    rows = tuple(_label_row(label) for label in found.labels)
    units = {found.annotators[0]: found.units}
    notes = (
        f"{_pairs(found)}; Expected: by chance",
        "Cohen, Fleiss: kappa; Alpha: Krippendorff's alpha; 1 is perfect agreement, 0 is chance level",
        unit_line(units, "confidence intervals"),
        *unit_notes(units, "intervals", marked_by="the first file"),
        *([_TOO_FEW] if found.units.n_units >= FEWEST_UNITS and any(map(_lacks_interval, found.labels)) else []),
        signature_line(found.provenance.signature),
    )
    return Table(tuple(columns), rows, notes)


def _pairs(found: Agreement) -> str:
    if len(found.annotators) == 2:
        return "Observed: share of common words with the same label"
    return f"Observed and Cohen: means over {len(found.pairs)} pairs of annotators"


def _lacks_interval(agreement: LabelAgreement) -> bool:
    return agreement.krippendorff.value is not None and agreement.krippendorff.interval is None


def _label_row(agreement: LabelAgreement) -> tuple[Cell, ...]:
    cells: list[Cell] = [agreement.name, agreement.words, agreement.observed, agreement.expected]
    for name in _COEFFICIENTS:
        coefficient: BeyondChance = getattr(agreement, name)
        value = coefficient.value
        cells += [None if value is None else Plain(value + 0.0), interval_cell(coefficient.interval, perplexity=True)]
    return tuple(cells)


def _measures_table(found: Agreement) -> Table:
    rows = tuple(found.f1.items())
    first = next(iter(found.treebanks.values()))
    ids = [printable(first[i].id or str(i + 1)) for i in found.differing]
    listed = ": " * bool(ids) + " ".join(ids[:_MOST_LISTED]) + (" ..." if len(ids) > _MOST_LISTED else "")
    notes = (
        f"{len(ids)} of {len(first)} sentences differ in span, heads or universal relations{listed}",
        *(f"{name}: {reason}" for name, reason in found.reasons.items()),
        signature_line(found.provenance.signature),
    )
    return Table((Column("Measure", "text"), Column("F1")), rows, notes)


def patterns_table(found: Agreement, most: int | None = None) -> Table:
    """Return the patterns of disagreement, one per row, the most frequent first.

    Args:
        found: the agreement.
        most: the largest number of patterns; None for all.
    """
    names = found.annotators if len(found.annotators) == 2 else ("First", "Second")
    columns = (
        Column("Label", "text"), *(Column(name, "text", key=key) for name, key in zip(names, ("First", "Second"))),
        Column("Words", "number"), Column("Share"), Column("Example", "text"),
    )  # fmt: skip
    rows = tuple(
        (
            disagreement.name,
            disagreement.first,
            disagreement.second,
            disagreement.n_words,
            disagreement.share,
            _example(found, disagreement),
        )
        for disagreement in found.disagreements[:most]
    )
    notes = ("Share: of all disagreements on this label; for heads, the tag of each annotator's head is shown",)
    return Table(columns, rows, notes)


def _example(found: Agreement, disagreement: Disagreement) -> str:
    sentence = next(iter(found.treebanks.values()))[disagreement.sentence].id or f"sentence {disagreement.sentence + 1}"
    return printable(f"{disagreement.form} ({sentence})")


def agreement_text(found: Agreement) -> str:
    """Return F1, coefficients and the most frequent patterns as text.

    Args:
        found: the agreement.
    """
    measures = _measures_table(found)
    tables = [measures._replace(notes=measures.notes[:-1]), agreement_table(found)]
    if found.disagreements:
        patterns = patterns_table(found, _MOST_PATTERNS)
        hidden = len(found.disagreements) - _MOST_PATTERNS
        more = f"{hidden} more patterns: --by pattern"
        tables.insert(1, patterns._replace(notes=(*patterns.notes, *([more] if hidden > 0 else []))))
    return "\n".join(to_text(table, 2) for table in tables)


def agreement_document(found: Agreement) -> dict[str, Any]:
    """Return the agreement for JSON, with all patterns and all sentences that differ.

    Args:
        found: the agreement.
    """
    first = next(iter(found.treebanks.values()))
    of_label = {label.name: _kappa(label) for label in found.labels}
    return {
        **header("agreement", found.provenance.signature),
        "annotators": list(found.annotators),
        "f1": {name: points(value) for name, value in found.f1.items()},
        "kappa": {"upos": of_label.get("UPOS"), "relations": of_label["relations"]},
        "units": units_document({found.annotators[0]: found.units}),
        "labels": [_label_document(label) for label in found.labels],
        "pairs": [
            {"first": one, "second": other, "f1": {name: points(score.value) for name, score in evaluation.items()}}
            for (one, other), evaluation in found.pairs.items()
        ],
        "patterns": [_pattern_document(first, disagreement) for disagreement in found.disagreements],
        "differing": [{"sentence": i + 1, "sent_id": first[i].id} for i in found.differing],
        **sources(found.provenance),
    }


def _pattern_document(first: Treebank, disagreement: Disagreement) -> dict[str, Any]:
    return {
        "label": disagreement.name,
        "first": disagreement.first,
        "second": disagreement.second,
        "count": disagreement.n_words,
        "share": disagreement.share,
        "example": {
            "annotators": list(disagreement.pair),
            "sentence": disagreement.sentence + 1,
            "sent_id": first[disagreement.sentence].id,
            "form": disagreement.form,
        },
    }


def _kappa(agreement: LabelAgreement) -> dict[str, Any]:
    return {"observed": agreement.observed, "expected": agreement.expected, "kappa": agreement.cohen.value}


def _label_document(agreement: LabelAgreement) -> dict[str, Any]:
    coefficients = {name: getattr(agreement, name) for name in _COEFFICIENTS}
    return {
        "label": agreement.name,
        "words": agreement.words,
        "n_units": agreement.n_units,
        "observed": agreement.observed,
        "expected": agreement.expected,
        **{
            name: {"value": of.value, "interval": None if of.interval is None else list(of.interval)}
            for name, of in coefficients.items()
        },
    }
