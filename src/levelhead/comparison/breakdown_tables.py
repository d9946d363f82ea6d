"""Breakdowns, and the gains from repairing errors, as tables and JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from levelhead.analysis import Average, Breakdown, averages
from levelhead.analysis.repairs import Repair
from levelhead.analysis.word_properties import property_named
from levelhead.evaluation.score_tables import units_document
from levelhead.scoring.score import Score
from levelhead.significance.jackknife import BucketEstimate
from levelhead.significance.units import ENOUGH_UNITS, FEWEST_UNITS, Units, unit_line
from levelhead.tables.documents import UNSIGNED, Signature, header, points, signed
from levelhead.tables.table import Cell, Column, Kind, Table, interval_cell, interval_head

if TYPE_CHECKING:
    from levelhead.comparison.breakdowns import Repairs

_NUMBERS = ("Gold", "System", "Correct")
_RATIOS = ("Precision", "Recall", "F1")


class _Layout(NamedTuple):
    """The columns of a table of breakdowns."""

    treebanks: bool
    bys: Sequence[tuple[str, ...]]
    without: bool
    certain: tuple[Column, ...]

    @property
    def width(self) -> int:
        """The largest number of properties that are combined."""
        return max(map(len, self.bys))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns before the numbers: treebank, properties and their values."""
        named = [Column("Treebank", "text")] if self.treebanks else []
        if len(self.bys) > 1:
            keys = ("Value" if i == 1 else f"Value {i}" for i in range(1, self.width + 1))
            named += [Column("by", "text"), *(Column("", "text", key=key) for key in keys)]
        else:
            named += [Column(name, "text") for name in self.bys[0]]
        narrow = self.without and any(not column.tidy_only for column in self.certain)  # to fit into 100 columns
        counts = [Column(name, "number", tidy_only=narrow and name == "Correct") for name in _NUMBERS]
        numbers = [*counts, *(Column(name) for name in _RATIOS)]
        return (
            *named,
            *numbers,
            *self.certain,
            *([Column("Without"), Column("Diff.", "difference", key="Difference")] if self.without else []),
        )

    def row(self, treebank: str, by: Sequence[str], values: Sequence[str], numbers: Sequence[Cell]) -> tuple[Cell, ...]:
        """Return a row of the table."""
        named = ((treebank,) if self.treebanks else ()) + ((",".join(by),) if len(self.bys) > 1 else ())
        length = len(_NUMBERS) + len(_RATIOS) + len(self.certain) + (2 if self.without else 0)
        return (*named, *values, *("",) * (self.width - len(values)), *numbers, *(None,) * (length - len(numbers)))


def breakdown_table(
    treebanks: Mapping[str, Sequence[Breakdown]],
    signature: Signature = UNSIGNED,
    units: Mapping[str, Units] = MappingProxyType({}),
) -> Table:
    """Return one row per treebank and bucket: counts, precision, recall, F1; below them, means over treebanks."""
    first = next(iter(treebanks.values()))
    bys = tuple(dict.fromkeys(breakdown.by for breakdown in first))
    every = [certain for some in treebanks.values() for breakdown in some for certain in breakdown.estimates.values()]
    certain = estimate_columns(signature.get("level", "0.95"), every) if every else ()
    layout = _Layout(len(treebanks) > 1, bys, any(breakdown.whole for breakdown in first), certain)
    parts = [
        [layout.row(name, breakdown.by, values, _numbers(breakdown, values, score)) for values, score in breakdown.rows]
        for name, some in treebanks.items()
        for breakdown in some
    ]
    starts = {sum(map(len, parts[:i])) for i in range(1, len(parts))}
    summary = [
        layout.row(f"Average of {average.n_treebanks}", by, average.values, _average_numbers(average))
        for by, some in _averages(treebanks, signature)
        for average in some
    ]
    notes = (
        *_notes(first),
        *estimate_notes(every),
        *([unit_line(units, "confidence intervals")] if units else []),
        *signed(signature),
    )
    return Table(layout.columns, tuple(row for part in parts for row in part), notes, frozenset(starts), tuple(summary))


def _average_numbers(average: Average) -> list[Cell]:
    means = list(map(_number, average.means.values()))
    certain = [] if average.estimate is None else list(estimate_cells(average.estimate))
    return [None, None, None, *means[: len(_RATIOS)], *certain, *means[len(_RATIOS) :]]


def _numbers(breakdown: Breakdown, values: tuple[str, ...], score: Score) -> tuple[Cell, ...]:
    certain = estimate_cells(breakdown.estimates[values]) if breakdown.estimates else ()
    if not breakdown.whole:
        return (*_cells(score), *certain)
    return (*_cells(score), *certain, breakdown.without[values].value, _number(breakdown.difference(values)))


def _number(value: Fraction | None) -> Cell:
    return None if value is None else float(value)


def _averages(
    treebanks: Mapping[str, Sequence[Breakdown]], signature: Signature
) -> list[tuple[tuple[str, ...], list[Average]]]:
    """The means of each breakdown over treebanks; nothing for a single treebank."""
    if len(treebanks) < 2:
        return []
    return [
        (some[0].by, averages(some, float(signature.get("level", 0.95))))
        for some in zip(*treebanks.values(), strict=True)
    ]


def _notes(breakdowns: Sequence[Breakdown]) -> tuple[str, ...]:
    """Notes on how each property is assigned to system words, and on the columns of `without`."""
    measure = str(breakdowns[0].measure)
    properties: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for breakdown in breakdowns for name in breakdown.by):
        properties.setdefault(property_named(name).whose, []).append(name)
    notes: tuple[str, ...] = (f"{measure}, {next(iter(properties))}",)
    if len(properties) > 1:
        notes = (measure, *(f"{', '.join(names)}: {whose}" for whose, names in properties.items()))
    if any(breakdown.whole for breakdown in breakdowns):
        notes = (*notes, f"Without: {measure} of all other words; Diff.: Without minus {measure} of all words")
    return notes


def _cells(score: Score) -> tuple[Cell, ...]:
    return score.gold, score.system, score.correct, score.precision, score.recall, score.f1


def breakdown_document(
    treebanks: Mapping[str, Sequence[Breakdown]],
    signature: Signature = UNSIGNED,
    units: Mapping[str, Units] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return breakdowns for JSON: ratios as percentages."""
    documents = {name: [_breakdown(breakdown) for breakdown in some] for name, some in treebanks.items()}
    means = [
        {"by": list(by), "rows": [_average(by, average) for average in some]}
        for by, some in _averages(treebanks, signature)
    ]
    more = {"averages": means} if means else {}
    return {**header("breakdown", signature), "treebanks": documents, **more, "units": units_document(units)}


def _breakdown(breakdown: Breakdown) -> dict[str, Any]:
    whole = {"whole": points(breakdown.whole.value)} if breakdown.whole else {}
    rows = [_document_row(breakdown, *each) for each in breakdown.rows]
    return {"by": list(breakdown.by), "measure": str(breakdown.measure), **whole, "rows": rows}


def _document_row(breakdown: Breakdown, values: tuple[str, ...], score: Score) -> dict[str, Any]:
    counts = {"gold": score.gold, "system": score.system, "correct": score.correct}
    ratios = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    percentages = {name: None if ratio is None else 100 * ratio for name, ratio in ratios.items()}
    certain = estimate_document(breakdown.estimates.get(values))
    left_out = {}
    if breakdown.whole:
        without, difference = breakdown.without[values].value, breakdown.difference(values)
        left_out = {"without": points(without), "difference": points(difference)}
    return {**dict(zip(breakdown.by, values, strict=True)), **counts, **percentages, **certain, **left_out}


def _average(by: tuple[str, ...], average: Average) -> dict[str, Any]:
    means = {name: points(value) for name, value in average.means.items()}
    return {
        **dict(zip(by, average.values, strict=True)),
        "treebanks": average.n_treebanks,
        **means,
        **estimate_document(average.estimate),
    }


def repairs_table(repairs: Repairs) -> Table:
    """Return one row per treebank and type of error: the words, and the points that repairing them would gain."""
    signature, several = repairs.provenance.signature, len(repairs.treebanks) > 1
    every = [repair.estimate for some in repairs.treebanks.values() for repair in some]
    every += [average.estimate for average in repairs.averages]
    columns = (
        *([Column("Treebank", "text")] if several else []),
        *(Column("Wrong", "text"), Column("Gold -> system", "text", key="Detail"), Column("Words", "number")),
        *(Column("Share"), Column("Value", tidy_only=True), Column("Gain", "difference")),
        *estimate_columns(signature["level"], every, difference=True),
    )
    parts = [
        [(*((name,) if several else ()), *repair[:6], *estimate_cells(repair.estimate)) for repair in some]
        for name, some in repairs.treebanks.items()
    ]
    starts = frozenset(sum(map(len, parts[:i])) for i in range(1, len(parts)))
    rows = tuple(row for part in parts for row in part)
    note = (
        f"Gain: points of {repairs.measure} gained if these words were correct and nothing else changed; largest first"
    )
    share = "Share: percentage of all words with an error"
    units = unit_line(repairs.units, "confidence intervals")
    label = f"Average of {len(repairs.treebanks)}"
    summary = [(label, *average[:6], *estimate_cells(average.estimate)) for average in repairs.averages]
    return Table(
        columns, rows, (note, share, *estimate_notes(every), units, *signed(signature)), starts, tuple(summary)
    )


def repairs_document(repairs: Repairs) -> dict[str, Any]:
    """Return the gains of repairs for JSON."""
    return {
        **header("repairs", repairs.provenance.signature),
        "measure": repairs.measure,
        "treebanks": {name: [_repair(repair) for repair in some] for name, some in repairs.treebanks.items()},
        **({"averages": list(map(_repair, repairs.averages))} if len(repairs.treebanks) > 1 else {}),
        "units": units_document(repairs.units),
    }


def _repair(repair: Repair) -> dict[str, Any]:
    return {
        "error": repair.error,
        "detail": repair.detail,
        "words": repair.words,
        "share": points(repair.share),
        **({} if repair.value is None else {"value": points(repair.value)}),
        "gain": points(repair.gain),
        **estimate_document(repair.estimate),
    }


MARK = "?"
UNCERTAIN = f"{MARK}: uncertain, based on fewer than {ENOUGH_UNITS} documents or sentences, or on very uneven ones"
ALL_UNCERTAIN = f"no intervals, since each row is based on fewer than {FEWEST_UNITS} documents or sentences"


def estimate_columns(
    level: str, estimates: Iterable[BucketEstimate], *, difference: bool = False
) -> tuple[Column, Column]:
    """Return the columns of `estimate_cells`; only TSV has them if no row has an interval."""
    tidy_only = all(estimate.interval is None for estimate in estimates)
    kind: Kind = "difference" if difference else "ratio"
    ends = ("diff_low", "diff_high") if difference else ("low", "high")
    return (
        Column(interval_head(level), kind, ends=ends, tidy_only=tidy_only),
        Column("", "text", key="Uncertain", tidy_only=tidy_only),
    )


def estimate_notes(estimates: Iterable[BucketEstimate]) -> list[str]:
    """Return a note if some rows are uncertain."""
    every = list(estimates)
    if every and all(estimate.interval is None for estimate in every):
        return [ALL_UNCERTAIN]
    return [UNCERTAIN] if any(estimate.uncertain for estimate in every) else []


def estimate_cells(estimate: BucketEstimate | None) -> tuple[Cell, Cell]:
    """Return the interval, and a mark if it is uncertain."""
    if estimate is None:
        return None, ""
    return interval_cell(estimate.interval, perplexity=False), MARK if estimate.uncertain else ""


def estimate_document(estimate: BucketEstimate | None) -> dict[str, Any]:
    """Return an estimate for JSON, in points; an empty document for None."""
    if estimate is None:
        return {}
    interval = None if estimate.interval is None else [points(end) for end in estimate.interval]
    return {"interval": interval, "n_units": estimate.n_units, "uncertain": estimate.uncertain}
