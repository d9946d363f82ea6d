"""Units that cause more than a third of the variance of a result, and notes on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from levelhead.errors import number_of
from levelhead.significance.estimates import Estimate, Interval
from levelhead.tables.fields import Field, documented
from levelhead.tables.table import Column, formatted, interval_cell, value_cell


@documented
class Influenced(NamedTuple):
    """A result without the unit that causes more than a third of its variance."""

    of: Annotated[Literal["value", "difference"], Field("The result")]
    unit: Annotated[str, Field("The unit")]
    share: Annotated[float, Field("Its share of the variance", (0, 1))]
    value: Annotated[float, Field("The result without it", scaled=True)]
    interval: Annotated[Interval | None, Field("Its confidence interval", scaled=True)]


def difference_influence(estimate: Estimate, level: float, *, perplexity: bool = False) -> tuple[Influenced, ...]:
    """Return what a difference is without its most influential unit; empty if there is none."""
    if estimate.influence is None:
        return ()
    unit, share, rest = estimate.influence
    interval = (Estimate.interval if perplexity else Estimate.difference_interval)(rest, level)
    return (Influenced("difference", unit, share, rest.value, interval),)


class InfluencedResult(NamedTuple):
    """A result with an influential unit, in words for a note."""

    scope: str  # such as `on en`
    name: str  # such as `difference in LAS of beta`
    influenced: Influenced
    perplexity: bool = False


_MOST_NOTES = 5
_LONGEST = 120


def influence_notes(results: Iterable[InfluencedResult]) -> Iterator[str]:
    """Return one note for each unit that influences results in a scope; at most five have a note."""
    found: dict[tuple[str, str], list[InfluencedResult]] = {}
    for result in results:
        found.setdefault((result.scope, result.influenced.unit), []).append(result)
    for (scope, unit), several in islice(found.items(), _MOST_NOTES):
        _, name, (of, _, share, value, interval), perplexity = max(several, key=lambda one: one.influenced.share)
        column = Column("", "ratio" if of == "value" else "difference")
        number = formatted(value_cell(value, perplexity=perplexity), column)
        ends = formatted(interval_cell(interval, perplexity=perplexity), column)
        more = f" (and for {number_of(len(several) - 1, 'more result')})" if len(several) > 1 else ""
        shown = unit if len(unit) <= _LONGEST else f"{unit[:_LONGEST]}…"
        yield f"{shown} causes {share:.0%} of the variance of the {name} {scope}: without it {number} [{ends}]{more}"
    if (n_left := len(found) - _MOST_NOTES) > 0:
        yield f"{number_of(n_left, 'more unit')} with more than a third of a variance: see `influence` in JSON"
