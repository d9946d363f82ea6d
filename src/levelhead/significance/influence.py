"""Units that cause more than a third of the variance of a result, and notes on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from levelhead.errors import number_of
from levelhead.significance.estimates import Estimate, InfluentialUnit, Interval, rescaled
from levelhead.tables.data import NOT_A_COLUMN, DataColumn, Percent
from levelhead.tables.table import Column, formatted


class Influenced(NamedTuple):
    """A result without the unit that causes more than a third of its variance.

    Args:
        statistic: the result.
        unit: the unit.
        share: the unit's share of the variance.
        value: the result without the unit, in percent, points, or the unit of perplexities.
        interval: the confidence interval of this value.
    """

    statistic: Literal["value", "difference"]
    unit: Annotated[InfluentialUnit, NOT_A_COLUMN]
    share: Percent
    value: float
    interval: Interval | None


INFLUENCE = (Influenced, InfluentialUnit, DataColumn("unit_treebank", "text", "A treebank that the unit belongs to"))
"""The last columns of tables of influential units, after those that name the result."""


def influence_rows(
    influenced: Influenced, treebanks: Sequence[str]
) -> Iterator[tuple[Influenced, InfluentialUnit, str]]:
    """Yield a row for each treebank of the unit; `treebanks` are those of the result."""
    for code in influenced.unit.treebanks or treebanks:
        yield influenced, influenced.unit, code


def influenced_by(
    estimate: Estimate, statistic: Literal["value", "difference"], level: float, *, perplexity: bool = False
) -> tuple[Influenced, ...]:
    """Return what a score or a difference is without its most influential unit; empty if there is none."""
    if estimate.influence is None:
        return ()
    unit, share, rest = estimate.influence
    kinds = {
        "value": Estimate.log_interval if perplexity else Estimate.score_interval,
        "difference": Estimate.interval if perplexity else Estimate.difference_interval,
    }
    scale = 1 if perplexity else 100
    interval = rescaled(kinds[statistic](rest, level), scale)
    return (Influenced(statistic, unit, 100 * share, scale * rest.value, interval),)


class InfluencedResult(NamedTuple):
    """A result with an influential unit, in words for a note."""

    scope: str  # such as `on en`
    name: str  # such as `difference in LAS of beta`
    influenced: Influenced


_MOST_NOTES = 5
_LONGEST = 120


def influence_notes(results: Iterable[InfluencedResult]) -> Iterator[str]:
    """Return one note for each unit that influences results in a scope; at most five have a note."""
    found: dict[tuple[str, str], list[InfluencedResult]] = {}
    for result in results:
        found.setdefault((result.scope, str(result.influenced.unit)), []).append(result)
    for (scope, unit), several in islice(found.items(), _MOST_NOTES):
        _, name, (statistic, _, share, value, interval) = max(several, key=lambda one: one.influenced.share)
        column = Column("", "percent" if statistic == "value" else "points")
        number, ends = formatted(value, column), formatted(interval, column)
        more = f" (and for {number_of(len(several) - 1, 'more result')})" if len(several) > 1 else ""
        shown = unit if len(unit) <= _LONGEST else f"{unit[:_LONGEST]}…"
        yield f"{shown} causes {share:.0f}% of the variance of the {name} {scope}: without it {number} [{ends}]{more}"
    if (n_left := len(found) - _MOST_NOTES) > 0:
        yield f"{number_of(n_left, 'more unit')} with more than a third of a variance: see the table `influence`"
