"""The templates of the pages. User input is escaped, and nothing is loaded from other sites."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from levelhead.errors import printable
from levelhead.tables.table import Cell, IntervalCell, Table, for_readers
from levelhead.task.model.database import shown_time
from levelhead.task.model.submissions import shown_state, why_primary


def page_templates() -> jinja2.Environment:
    """Return the templates, which escape text, including invisible and bidirectional characters."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("levelhead.task.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
    )
    environment.filters |= {"in_address": _in_address, "time": _time, "why_primary": why_primary}
    environment.globals |= {"formatted": for_readers, "interval_lines": interval_lines, "shown_state": shown_state}
    return environment


def style_sheet() -> str:
    """Return the style sheet of the pages: the styles of reports, followed by those of these pages."""
    folders = (
        files("levelhead.report.page") / "assets" / "common.css",
        files("levelhead.task.web") / "templates" / "style.css",
    )
    return "".join(path.read_text(encoding="utf-8") for path in folders)


class IntervalLine(NamedTuple):
    """A confidence interval as a line, in percent of the width of its cell.

    Args:
        low: its start.
        value: the position of the value.
        high: its end.
    """

    low: float
    value: float
    high: float


def interval_lines(table: Table) -> list[IntervalLine | None]:
    """Return the intervals of a leaderboard as lines on a common scale, one per row."""
    intervals = [_value_and_interval(row) for row in table.rows]
    ends = [end for pair in intervals if pair is not None for end in pair[1]]
    if not ends or max(ends) == min(ends):
        return [None] * len(intervals)
    low, width = min(ends), max(ends) - min(ends)

    def line(value: float, interval: IntervalCell) -> IntervalLine:
        return IntervalLine(*(round(2 + 96 * ((x - low) / width), 1) for x in (interval.low, value, interval.high)))

    return [None if pair is None else line(*pair) for pair in intervals]


def _value_and_interval(row: Sequence[Cell]) -> tuple[float, IntervalCell] | None:
    for before, cell in pairwise(row):
        if isinstance(cell, IntervalCell) and isinstance(before, float):
            return before, cell
    return None


def _time(time: str | dt.datetime) -> Markup:
    """A time as HTML, readable and, to the minute, machine-readable."""
    moment = dt.datetime.fromisoformat(time) if isinstance(time, str) else time
    to_the_minute = f"{moment.astimezone(dt.UTC):%Y-%m-%dT%H:%MZ}"
    return Markup('<time datetime="{}">{}</time>').format(to_the_minute, shown_time(moment))


def _visible(value: Any) -> Any:
    return printable(value) if type(value) is str else value  # markup is a subclass, and trusted


def _in_address(name: str) -> str:
    return quote(name, safe="", errors="surrogateescape")
