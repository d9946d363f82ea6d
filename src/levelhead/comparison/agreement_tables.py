"""Agreement of annotators as tables, text and JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from levelhead.errors import number_of, printable
from levelhead.evaluation.score_tables import units_document
from levelhead.significance import unit_line, unit_notes
from levelhead.significance.units import FEWEST_UNITS
from levelhead.tables.documents import header, points, signature_line
from levelhead.tables.table import Cell, Column, Plain, Table, interval_cell, interval_head
from levelhead.tables.writers import to_text
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import sources_document

if TYPE_CHECKING:
    from levelhead.comparison.agreement import Agreement, BeyondChance, Disagreement, LabelAgreement

Rows = Literal["label", "measure", "pattern"]
"""The rows of a table."""

_COEFFICIENTS = {"cohen": "Cohen", "fleiss": "Fleiss", "krippendorff": "Alpha"}
_TOO_FEW = (
    f"-: fewer than {FEWEST_UNITS} sentences or documents have a label other than the most frequent one, too few for an"
    " interval"
)
_MOST_LISTED = 20
_MOST_PATTERNS = 10


def agreement_table(agreement: Agreement, by: Rows = "label", most: int | None = None) -> Table:
    """Return the agreement of annotators."""
    if by == "measure":
        return _measures_table(agreement)
    if by == "pattern":
        return patterns_table(agreement, most)
    level = interval_head(agreement.level)
    columns = [Column("Label", "text"), Column("Words", "number"), Column("Observed"), Column("Expected")]
    for name in _COEFFICIENTS.values():
        ends, hidden = (f"{name} low", f"{name} high"), name == "Fleiss" and len(agreement.annotators) == 2
        interval = Column(level, "number", key=f"{name} interval", ends=ends, tidy_only=hidden)
        columns += [Column(name, "number", tidy_only=hidden), interval]
    rows = tuple(_label_row(label) for label in agreement.labels)
    units = {agreement.annotators[0]: agreement.units}
    too_few = agreement.units.n_units >= FEWEST_UNITS and any(map(_lacks_interval, agreement.labels))
    notes = (
        f"{_pairs(agreement)}; Expected: by chance",
        "Cohen, Fleiss: kappa; Alpha: Krippendorff's alpha; 1 is perfect agreement, 0 is chance level",
        unit_line(units, "confidence intervals"),
        *unit_notes(units, "intervals", marked_by="the first file"),
        *([_TOO_FEW] if too_few else []),
        signature_line(agreement.provenance.signature),
    )
    return Table(tuple(columns), rows, notes)


def _pairs(agreement: Agreement) -> str:
    if len(agreement.annotators) == 2:
        return "Observed: share of common words with the same label"
    return f"Observed and Cohen: means over {len(agreement.pairs)} pairs of annotators"


def _lacks_interval(label: LabelAgreement) -> bool:
    return label.krippendorff.value is not None and label.krippendorff.interval is None


def _label_row(label: LabelAgreement) -> tuple[Cell, ...]:
    cells: list[Cell] = [label.name, label.words, label.observed, label.expected]
    for name in _COEFFICIENTS:
        coefficient: BeyondChance = getattr(label, name)
        value = coefficient.value
        cells += [None if value is None else Plain(value + 0.0), interval_cell(coefficient.interval, perplexity=True)]
    return tuple(cells)


def _measures_table(agreement: Agreement) -> Table:
    rows = tuple(agreement.f1.items())
    first = next(iter(agreement.treebanks.values()))
    ids = [printable(first[i].id or str(i + 1)) for i in agreement.differing]
    listed = ": " * bool(ids) + " ".join(ids[:_MOST_LISTED]) + (" ..." if len(ids) > _MOST_LISTED else "")
    notes = (
        f"{len(ids):,} of {number_of(len(first), 'sentence')} differ in span, heads or universal relations{listed}",
        *(f"{name}: {reason}" for name, reason in agreement.reasons.items()),
        signature_line(agreement.provenance.signature),
    )
    return Table((Column("Measure", "text"), Column("F1")), rows, notes)


def patterns_table(agreement: Agreement, most: int | None = None) -> Table:
    """Return the patterns of disagreement, one per row, the most frequent first."""
    names = agreement.annotators if len(agreement.annotators) == 2 else ("First", "Second")
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
            _example(agreement, disagreement),
        )
        for disagreement in agreement.disagreements[:most]
    )
    notes = ("Share: of all disagreements on this label; for heads, the tag of each annotator's head is shown",)
    return Table(columns, rows, notes)


def _example(agreement: Agreement, disagreement: Disagreement) -> str:
    first = next(iter(agreement.treebanks.values()))
    sentence = first[disagreement.sentence].id or f"sentence {disagreement.sentence + 1}"
    return printable(f"{disagreement.form} ({sentence})")


def agreement_text(agreement: Agreement) -> str:
    """Return F1, coefficients and the most frequent patterns as text."""
    measures = _measures_table(agreement)
    tables = [measures._replace(notes=measures.notes[:-1]), agreement_table(agreement)]
    if agreement.disagreements:
        patterns = patterns_table(agreement, _MOST_PATTERNS)
        hidden = len(agreement.disagreements) - _MOST_PATTERNS
        more = f"{hidden} more patterns: --by pattern"
        tables.insert(1, patterns._replace(notes=(*patterns.notes, *([more] if hidden > 0 else []))))
    return "\n".join(to_text(table, 2) for table in tables)


def agreement_document(agreement: Agreement) -> dict[str, Any]:
    """Return the agreement for JSON, with all patterns and all sentences that differ."""
    first = next(iter(agreement.treebanks.values()))
    of_label = {label.name: _kappa(label) for label in agreement.labels}
    return {
        **header("agreement", agreement.provenance.signature),
        "annotators": list(agreement.annotators),
        "f1": {name: points(value) for name, value in agreement.f1.items()},
        "kappa": {"upos": of_label.get("UPOS"), "relations": of_label["relations"]},
        "units": units_document({agreement.annotators[0]: agreement.units}),
        "labels": [_label_document(label) for label in agreement.labels],
        "pairs": [
            {"first": one, "second": other, "f1": {name: points(score.value) for name, score in evaluation.items()}}
            for (one, other), evaluation in agreement.pairs.items()
        ],
        "patterns": [_pattern_document(first, disagreement) for disagreement in agreement.disagreements],
        "differing": [{"sentence": i + 1, "sent_id": first[i].id} for i in agreement.differing],
        **sources_document(agreement.provenance),
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


def _kappa(label: LabelAgreement) -> dict[str, Any]:
    return {"observed": label.observed, "expected": label.expected, "kappa": label.cohen.value}


def _label_document(label: LabelAgreement) -> dict[str, Any]:
    coefficients = {name: getattr(label, name) for name in _COEFFICIENTS}
    return {
        "label": label.name,
        "words": label.words,
        "n_units": label.n_units,
        "observed": label.observed,
        "expected": label.expected,
        **{
            name: {"value": of.value, "interval": None if of.interval is None else list(of.interval)}
            for name, of in coefficients.items()
        },
    }
