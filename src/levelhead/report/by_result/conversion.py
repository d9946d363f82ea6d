"""What a conversion there and back changes and loses."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.conversion.round_trip import RoundTrip
from levelhead.report.by_result import View
from levelhead.report.conversion import not_restored_table, round_trip_document, round_trips_table
from levelhead.tables.table import Table

_TREEBANK = "treebank"


def _table(trip: RoundTrip, *, failures: bool = False) -> Table:
    return (not_restored_table if failures else round_trips_table)({_TREEBANK: trip})


VIEWS: Mapping[type, View] = {RoundTrip: View(_table, round_trip_document)}
