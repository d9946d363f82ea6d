"""Round trips of conversions as tables and as JSON documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from levelhead.conversion import NotRestored, RoundTrip
from levelhead.report.documents import header, path_text, points
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table

_COLUMNS = (
    Column("Treebank", "text"),
    Column("UD", "number"),
    Column("Sentences", "number"),
    Column("Words", "number"),
    Column("Converted", "number"),
    Column("Converted %"),
    Column("Failed sentences", "number"),
    Column("Lost heads", "number"),
    Column("Lost heads %"),
    Column("Nonproj. arcs %"),
    Column("Nonproj. arcs after %"),
    Column("Nonproj. sent. %"),
    Column("Nonproj. sent. after %"),
    Column("Head entropy", "number"),
    Column("Head entropy after", "number"),
)

_TEXTS = {"Treebank", "sent_id", "Form"}

_RATIOS: Mapping[str, Callable[[RoundTrip], float | None]] = {
    "converted_share": lambda trip: _share(trip.converted, trip.words),
    "changed_heads_share": lambda trip: _share(trip.changed_heads, trip.words),
    "not_restored_share": lambda trip: _share(len(trip.not_restored), trip.words),
    "failed_sentences_share": lambda trip: _share(len(trip.failed_sentences), trip.sentences),
    "nonprojective_share_before": lambda trip: _share(trip.nonprojective[0], trip.words),
    "nonprojective_share_after": lambda trip: _share(trip.nonprojective[1], trip.words),
    "nonprojective_sentences_share_before": lambda trip: _share(trip.nonprojective_sentences[0], trip.sentences),
    "nonprojective_sentences_share_after": lambda trip: _share(trip.nonprojective_sentences[1], trip.sentences),
}


def round_trips_table(trips: Mapping[str, RoundTrip]) -> Table:
    """Return round trips, one row per treebank; below several treebanks, the averages of their shares."""
    rows = [_row(name, trip) for name, trip in trips.items()]
    if len(rows) < 2:
        return Table(_COLUMNS, tuple(rows), _signature(trips))
    ratios = {i for i, column in enumerate(_COLUMNS) if column.kind == "ratio"}
    average = [_mean([row[i] for row in rows]) if i in ratios else None for i in range(len(_COLUMNS))]
    last: tuple[Cell, ...] = (f"Average of {len(rows)}", *average[1:])
    return Table(_COLUMNS, tuple(rows), _signature(trips), summary=(last,))


def not_restored_table(trips: Mapping[str, RoundTrip]) -> Table:
    """Return the words that round trips did not restore, one per row."""
    headings = ("Treebank", "Line", "Sentence", "sent_id", "Word", "Form", "Head", "Restored")
    columns = tuple(Column(name, "text" if name in _TEXTS else "number") for name in headings)
    rows = (
        (name, w.line, w.sentence, w.sent_id, w.word, w.form, w.head, w.restored)
        for name, trip in trips.items()
        for w in trip.not_restored
    )
    return Table(columns, tuple(rows), _signature(trips))


def round_trip_document(trip: RoundTrip, path: str | None = None) -> dict[str, Any]:
    """Return a round trip for JSON; shares are percentages at full precision."""
    counts = {name: getattr(trip, name) for name in ("sentences", "words", "punctuation", "candidates", "converted")}
    return {
        **header("round-trip"),
        "signature": dict(trip.provenance.signature),
        **({} if path is None else {"path": path_text(path)}),
        **counts,
        "changed_heads": trip.changed_heads,
        "failed_sentences": list(trip.failed_sentences),
        "nonprojective_before": trip.nonprojective[0],
        "nonprojective_after": trip.nonprojective[1],
        "nonprojective_sentences_before": trip.nonprojective_sentences[0],
        "nonprojective_sentences_after": trip.nonprojective_sentences[1],
        "head_entropy_before": trip.head_entropy[0],
        "head_entropy_after": trip.head_entropy[1],
        **{name: points(of(trip)) for name, of in _RATIOS.items()},
        "not_restored": list(map(NotRestored._asdict, trip.not_restored)),
    }


def round_trips_document(trips: Mapping[str, RoundTrip], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return several round trips for JSON, by treebank."""
    documents = {name: round_trip_document(trip, paths.get(name)) for name, trip in trips.items()}
    averages = {name: _mean([document[name] for document in documents.values()]) for name in _RATIOS}
    several = {"averages": averages} if len(trips) > 1 else {}
    return {**header("round-trips"), "treebanks": documents, **several}


def _signature(trips: Mapping[str, RoundTrip]) -> tuple[str, ...]:
    """The signature as a line; the hashes of several treebanks are joined."""
    signatures = [trip.provenance.signature for trip in trips.values()]
    names = signatures[0] if signatures else {}
    joined = {name: "+".join(dict.fromkeys(signature[name] for signature in signatures)) for name in names}
    return (signature_line(joined),) if joined else ()


def _row(name: str, trip: RoundTrip) -> tuple[Cell, ...]:
    ratio = {key: of(trip) for key, of in _RATIOS.items()}
    return (
        name, trip.ud, trip.sentences, trip.words,
        trip.converted, ratio["converted_share"],
        len(trip.failed_sentences), len(trip.not_restored), ratio["not_restored_share"],
        ratio["nonprojective_share_before"], ratio["nonprojective_share_after"],
        ratio["nonprojective_sentences_share_before"], ratio["nonprojective_sentences_share_after"],
        *trip.head_entropy,
    )  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[Cell]) -> float | None:
    known = [value for value in values if isinstance(value, int | float)]
    return math.fsum(known) / len(known) if len(known) == len(values) else None
