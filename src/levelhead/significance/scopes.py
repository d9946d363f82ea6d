"""Scopes of comparisons: one test set or an average over several, with estimates, and notes on influential units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import number_of
from levelhead.immutable import immutable
from levelhead.significance.estimates import (
    MOST_INFLUENCE,
    Estimate,
    Influence,
    InfluentialUnit,
    Interval,
    Sums,
    rescaled,
    run_errors,
)
from levelhead.significance.jackknife import (
    Contrast,
    Spread,
    Stratum,
    SystemCounts,
    disagreement_of,
    joined,
    leave_out,
    leave_out_of,
    spreads_of,
)
from levelhead.significance.units import ParallelUnits, Units
from levelhead.tables.data import NOT_A_COLUMN, DataColumn, Percent
from levelhead.tables.table import Column, formatted

EQUAL = 1e-12
"""Smaller differences are ties, since sums in another order differ by rounding errors."""

Average = Literal["macro", "micro"]


@immutable
class CountedUnits:
    """The counts of systems on a test set by unit."""

    table: SystemCounts  # the counts, one row per unit
    kind: str  # the kind of the units, such as "document"
    ids: Sequence[str] = ()  # the ids of the units; empty for sentences
    is_tested: bool = True  # whether tests are possible: not by the sentences of a few documents

    @cached_property
    def stratum(self) -> Stratum:
        return leave_out(self.table)

    def without(self, rows: NDArray[np.bool_]) -> CountedUnits:
        """Return the test set with the counts of the sampling units in `rows` set to 0."""
        parts = self.table.parts.copy()
        parts[rows] = 0
        return CountedUnits(self.table._replace(parts=parts), self.kind, self.ids, self.is_tested)


def count_units(table: SystemCounts, units: Units | None, *, alone: bool = False) -> CountedUnits:
    """Return the counts of a test set by unit; `alone`, for its own results, by sentence if it has few documents."""
    if units is None:
        return CountedUnits(table, "unit")
    own = units.own() if alone else units
    by_unit = table._replace(parts=own.sums(table.parts))
    return CountedUnits(by_unit, own.kind, own.ids, not (alone and units.few))


@immutable
class Scope:
    """Where systems are compared: one test set, or an average over several."""

    name: str  # the test set, or the name of the average
    test_sets: Mapping[str, CountedUnits]  # the counts on each test set, by its code
    average: Average | None = None  # the kind of average; None for one test set
    parallel: ParallelUnits | None = None  # for averages, the units that parallel test sets share

    @cached_property
    def _first(self) -> SystemCounts:
        return next(iter(self.test_sets.values())).table

    @cached_property
    def _totals(self) -> Sums:
        return np.stack([test_set.table.parts.sum(axis=0) for test_set in self.test_sets.values()])

    @property
    def scores(self) -> Sums:
        """The value of each run and measure on each test set, shape (test sets, runs, measures)."""
        return self._first.values(self._totals)

    @cached_property
    def values(self) -> Sums:
        """The value of each run and measure, shape (runs, measures)."""
        pooled = self.average == "micro"
        return self._first.values(self._totals.sum(axis=0)) if pooled else np.asarray(self.scores.mean(axis=0))

    @cached_property
    def _joint(self) -> Mapping[str, NDArray[np.int64]]:
        """The numbers of the units of parallel test sets, equal for the same unit, by the code of the test set."""
        parallel = self.parallel
        return {code: parallel.joint[code] for code in self.test_sets if parallel and code in parallel.groups}

    @cached_property
    def _members(self) -> list[list[str]]:
        """The codes of the test sets of each stratum: parallel ones share one."""
        members: dict[str, list[str]] = {}
        for code in self.test_sets:
            group = f"group {self.parallel.groups[code]}" if self.parallel and code in self._joint else code
            members.setdefault(group, []).append(code)
        return list(members.values())

    @cached_property
    def _unit_numbers(self) -> dict[str, NDArray[np.int64]]:
        """The number of each unit of each test set in its stratum."""
        numbers = {}
        for codes in self._members:
            joint = [self._joint[code] for code in codes if code in self._joint]
            shared = np.unique(np.concatenate(joint)) if joint else None
            for code in codes:
                n_units = len(self.test_sets[code].table.parts)
                numbers[code] = np.arange(n_units) if shared is None else np.searchsorted(shared, self._joint[code])
        return numbers

    @cached_property
    def strata(self) -> list[Stratum]:
        if self.average == "micro":
            tables = [test_set.table for test_set in self.test_sets.values()]
            each = dict(zip(self.test_sets, leave_out_of(tables), strict=True))
        else:
            share = 1 / len(self.test_sets)
            each = {code: test_set.stratum.scaled(share) for code, test_set in self.test_sets.items()}
        first = self.parallel.without_copies(self.test_sets) if self.parallel else [*self.test_sets]
        for code in each.keys() - first:  # a copy of a test set has no observations of its own
            each[code] = each[code]._replace(sizes=np.zeros_like(each[code].sizes))
        return [
            joined([each[code] for code in codes], [self._unit_numbers[code] for code in codes])
            if codes[0] in self._joint
            else each[codes[0]]
            for codes in self._members
        ]

    def estimates(self, contrasts: Sequence[Contrast], measure: int, *, logarithms: bool = False) -> list[Estimate]:
        """Return the value, or the difference, of each contrast; or of natural logarithms, by the delta method."""
        results = []
        estimates = self.with_spreads(contrasts, measure, logarithms=logarithms)
        for contrast, (spread, estimate) in zip(contrasts, estimates, strict=True):
            influence = None
            if spread.largest > max(MOST_INFLUENCE * spread.variance, EQUAL**2):
                ((_, rest),) = self._without(spread.unit).with_spreads([contrast], measure, logarithms=logarithms)
                influence = Influence(self._influential(spread.unit), spread.largest / spread.variance, rest)
            results.append(estimate._replace(influence=influence))
        return results

    def with_spreads(
        self, contrasts: Sequence[Contrast], measure: int, *, logarithms: bool = False
    ) -> list[tuple[Spread, Estimate]]:
        """Return each estimate with its error, without looking for influential units."""
        strata, values = self.strata, self.values
        if logarithms:
            strata = [stratum._replace(moves=stratum.moves / values) for stratum in strata]
            values = np.log(values)
        is_tested = all(test_set.is_tested for test_set in self.test_sets.values())
        results = []
        for contrast, spread in zip(contrasts, spreads_of(strata, contrasts, measure), strict=True):
            runs = [values[list(numbers), measure] for numbers in contrast]
            value = math.fsum(sign * float(of_system.mean()) for sign, of_system in zip((1, -1), runs))
            apart = math.fsum(disagreement_of(strata, numbers, measure) for numbers in contrast)
            value = 0.0 if abs(value) <= EQUAL else value
            several = len(contrast) > 1
            estimate = spread.estimate(value, difference=several, runs=tuple(run_errors(runs)), disagreement=apart)
            results.append((spread, estimate._replace(is_tested=is_tested)))
        return results

    def on(self, chosen: NDArray[np.bool_]) -> Scope:
        """Return this scope with only the chosen test sets; `chosen` is a bool array of shape (test sets,)."""
        if chosen.all():
            return self
        some = {code: test_set for (code, test_set), keep in zip(self.test_sets.items(), chosen, strict=True) if keep}
        return Scope(self.name, some, self.average, self.parallel)

    @cached_property
    def _rest(self) -> dict[tuple[int, int], Scope]:
        """The scopes without a unit, by the stratum and the number of the unit; many contrasts share them."""
        return {}

    def _without(self, unit: tuple[int, int]) -> Scope:
        if unit not in self._rest:
            stratum, number = unit
            test_sets = dict(self.test_sets)
            for code in self._members[stratum]:
                test_sets[code] = test_sets[code].without(self._unit_numbers[code] == number)
            self._rest[unit] = Scope(self.name, test_sets, self.average, self.parallel)
        return self._rest[unit]

    def _influential(self, unit: tuple[int, int]) -> InfluentialUnit:
        stratum, number = unit
        codes = [code for code in self._members[stratum] if number in self._unit_numbers[code]]
        rows = np.flatnonzero(self._unit_numbers[codes[0]] == number)
        if self.parallel and codes[0] in self._joint:
            kind, ids = self.parallel.kind(codes[0]), self.parallel.ids(codes[0])
        else:
            kind, ids = self.test_sets[codes[0]].kind, self.test_sets[codes[0]].ids
        row = int(rows[0])
        return InfluentialUnit(kind, row + 1, ids[row] if ids else None, tuple(codes) if self.average else ())


class Influenced(NamedTuple):
    """A result without the unit that causes more than a third of its variance.

    Args:
        statistic: what the unit influences, the value or the difference; value, low and high show it without the unit.
        unit: the unit.
        share: the unit's share of the variance of `statistic`.
        value: the value or difference without the unit, in percent or points; perplexities have their own unit.
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


InfluencedResult = tuple[str, str, Influenced]
"""A result with an influential unit, in words for a note: such as `on en` and `difference in LAS of beta`."""

_MOST_NOTES = 5
_LONGEST = 120


def influence_notes(results: Iterable[InfluencedResult]) -> Iterator[str]:
    """Return one note for each unit that influences results in a scope; at most five have a note."""
    found: dict[tuple[str, str], list[tuple[str, Influenced]]] = {}
    for scope, name, influenced in results:
        found.setdefault((scope, str(influenced.unit)), []).append((name, influenced))
    for (scope, unit), several in islice(found.items(), _MOST_NOTES):
        name, (statistic, _, share, value, interval) = max(several, key=lambda one: one[1].share)
        column = Column("", "percent" if statistic == "value" else "points")
        number, ends = formatted(value, column), formatted(interval, column)
        more = f" (and for {number_of(len(several) - 1, 'more result')})" if len(several) > 1 else ""
        shown = unit if len(unit) <= _LONGEST else f"{unit[:_LONGEST]}…"
        yield f"{shown} causes {share:.0f}% of the variance of the {name} {scope}: without it {number} [{ends}]{more}"
    if (n_left := len(found) - _MOST_NOTES) > 0:
        yield f"{number_of(n_left, 'more unit')} with more than a third of a variance: see the table `influence`"
