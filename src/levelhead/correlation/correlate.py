"""Correlations between all columns of a table: coefficients with intervals, p-values, and checks by family."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import (
    MOST_EXACT,
    Method,
    Numbers,
    correlations,
    intervals,
    p_value,
    permutation_p_values,
    ranked,
)
from levelhead.correlation.measurements import Measurements, Missing, check_sizes
from levelhead.errors import Fault, InputError, number_of, quoted
from levelhead.immutable import immutable
from levelhead.significance.corrections import holm
from levelhead.significance.resampling import Seed, random_orders_within
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance

_ROUNDING = 1e-12


class FamilyCheck(NamedTuple):
    """The check of a correlation by language families.

    Args:
        without: the coefficient without the treebanks of each family, by family; None if too few are left, or if a
            column is constant.
        within: the coefficient of values centered on the mean of their family; None if no family has variation.
        p: the p-value of `within` by shuffling values inside families; None if there is nothing to shuffle, or for
            partial correlations.
    """

    without: Mapping[str, float | None]
    within: float | None
    p: float | None

    def extreme(self, *, highest: bool) -> tuple[str, float] | None:
        """Return the family without which the coefficient is most extreme, and the coefficient."""
        known = [(value, family) for family, value in self.without.items() if value is not None]
        if not known:
            return None
        value, family = max(known) if highest else min(known)
        return family, value


def family_check(
    values: Numbers,
    families: Sequence[str],
    method: Method,
    n_given: int,
    n_permutations: int,
    seed: Seed,
) -> FamilyCheck:
    """Return the check of a correlation of two columns by language families."""
    family = np.array(families)
    without: dict[str, float | None] = {}
    for name in dict.fromkeys(families):
        others = values[family != name]
        enough = len(others) >= 3 + n_given
        r = correlations(others, np.ones((1, len(others))), method, n_given)[0, 0, 1] if enough else np.nan
        without[name] = None if np.isnan(r) else float(r)
    if n_given:
        return FamilyCheck(without, None, None)
    columns = values.T if method == "pearson" else ranked(values).T
    x, y = (_centered(column, family) for column in columns)
    scale = np.sqrt((x @ x) * (y @ y))
    within = float(np.clip(x @ y / scale, -1, 1)) if scale > 0 else None
    p = None if within is None else _shuffled_p(x, y, family, n_permutations, seed)
    return FamilyCheck(without, within, p)


def _centered(column: Numbers, family: NDArray[Any]) -> Numbers:
    """The values minus the mean of their family; exactly 0 if a family has no variation."""
    centered = np.zeros(len(column))
    for name in np.unique(family):
        members = column[family == name]
        if members.max() > members.min():
            centered[family == name] = members - members.mean()
    return centered


def _shuffled_p(x: Numbers, y: Numbers, family: NDArray[Any], n: int, seed: Seed) -> float:
    """P of |x . y| under permutations of `y` inside families: exact for at most n, otherwise sampled.

    Lengths do not change, so the products of the vectors have the same order as the coefficients.
    """
    groups = [np.flatnonzero(family == name) for name in np.unique(family)]
    observed = abs(x @ y) - _ROUNDING * np.sqrt((x @ x) * (y @ y))
    exact = prod(factorial(len(group)) for group in groups) <= n
    orders = _all_orders(groups, len(x)) if exact else random_orders_within(groups, n, seed)
    extreme = [abs(x @ y[order]) >= observed for order in orders]
    if exact:
        return float(np.mean(extreme))
    return (1 + sum(map(bool, extreme))) / (1 + n)  # the data are one of the permutations (Phipson and Smyth 2010)


def _all_orders(groups: Sequence[NDArray[Any]], n_rows: int) -> Iterator[NDArray[Any]]:
    for orders in product(*(permutations(group.tolist()) for group in groups)):
        whole = np.arange(n_rows)
        for group, order in zip(groups, orders):
            whole[group] = order
        yield whole


METHODS: tuple[Method, ...] = ("pearson", "spearman")

_LEVEL = 0.05  # of significance, as printed in papers
_NUMBERS = ("n", "r", "low", "high", "p", "Holm")
_OF_FAMILIES = ("lowest", "highest", "within", "p within")
_PROBABILITIES = ("p", "Holm", "p within")


class Coefficient(NamedTuple):
    """The correlation of two columns.

    Args:
        value: the coefficient, from -1 to 1; None if a column is constant.
        low: the lower end of the bootstrap interval.
        high: the upper end.
        p: the two-sided p-value of no correlation: by all permutations of up to nine treebanks, by random permutations
            of more; by Student's t for partial correlations.
        p_holm: the p-value corrected for all pairs by Holm's method.
        families: the check by language families, if given.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None = None
    families: FamilyCheck | None = None


class Pair(NamedTuple):
    """The correlations of a pair of columns.

    Args:
        x: the name of one column.
        y: the name of the other.
        n: the number of treebanks with both values.
        coefficients: the coefficients by method.
    """

    x: str
    y: str
    n: int
    coefficients: Mapping[Method, Coefficient]


@immutable
class Correlation(Tabular):
    """The correlations of all pairs of columns.

    Args:
        columns: their names.
        given: the given columns of partial correlations.
        treebanks: the treebanks of any pair.
        pairs: the upper triangle of the matrix, row by row.
        provenance: the provenance of the numbers; its notes list what was left out.
    """

    columns: tuple[str, ...]
    given: tuple[str, ...]
    treebanks: tuple[str, ...]
    pairs: tuple[Pair, ...]
    provenance: Provenance

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        """Return the pair of two columns, in either order."""
        for pair in self.pairs:
            if {pair.x, pair.y} == set(names):
                return pair
        raise KeyError(names)

    _PLACES = 3

    def table(self) -> Table:
        """Return the result as a table."""
        rows = [(pair, method) for method in self.pairs[0].coefficients for pair in self.pairs]
        with_families = any(pair.coefficients[method].families for pair, method in rows)
        names = (*_NUMBERS, *(_OF_FAMILIES if with_families else ()))
        columns = [Column(name, "probability" if name in _PROBABILITIES else "number", digits=3) for name in names]
        extremes = [_extremes(pair, method) for pair in self.pairs for method in pair.coefficients]
        return Table(
            (*(Column(name, "text") for name in ("x", "y", "method")), *columns),
            tuple(
                (pair.x, pair.y, method, pair.n, *_cells(pair.coefficients[method], with_families=with_families))
                for pair, method in rows
            ),
            (*filter(None, extremes), *self._notes()),
            frozenset(range(len(self.pairs), len(rows), len(self.pairs))),
        )

    def matrix_table(self, method: Method) -> Table:
        """Return the upper triangle of the correlation matrix, in the layout of Callin's table 3.

        Args:
            method: the coefficient.
        """
        value = {(pair.x, pair.y): pair.coefficients[method].value for pair in self.pairs}
        firsts = {pair.x for pair in self.pairs}
        rows = tuple(
            (row, *(value[row, column] if i < j else "" for j, column in enumerate(self.columns) if j))
            for i, row in enumerate(self.columns) if row in firsts
        )  # fmt: skip
        columns = (Column(method.capitalize(), "text"), *(Column(name, "number") for name in self.columns[1:]))
        return Table(columns, rows, self._notes())

    def _notes(self) -> tuple[str, ...]:
        given = (f"controlling for: {', '.join(self.given)}",) if self.given else ()
        signed = signature_line(self.provenance.signature)
        return (*given, *self.provenance.notes, f"{len(self.treebanks)} treebanks", signed)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("correlation", self.provenance.signature),
            "columns": list(self.columns),
            "given": list(self.given),
            "treebanks": list(self.treebanks),
            "notes": list(self.provenance.notes),
            "pairs": [
                {"x": pair.x, "y": pair.y, "n": pair.n}
                | {method: _coefficient(coefficient) for method, coefficient in pair.coefficients.items()}
                for pair in self.pairs
            ],
        }


def correlate(
    table: Measurements,
    columns: Sequence[str] | None = None,
    *,
    given: Sequence[str] = (),
    family: str | None = None,
    methods: Sequence[Method] = METHODS,
    missing: Missing = "drop",
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Return the correlations of every pair of columns of a table, or of a single column with all others.

    Args:
        table: values by treebank.
        columns: the columns; None for all numeric columns that are not constant. A single column is correlated with all
            others, and only these pairs count for the correction.
        given: columns to control for (partial correlation).
        family: a column of text with the language family of each treebank.
        methods: the coefficients.
        missing: "drop" leaves out treebanks without a value in any of the columns, "pairwise" leaves them out of the
            pairs concerned, "error" refuses them.
        resamples: the number of bootstrap resamples and of random permutations.
        level: the confidence level of intervals.
        seed: the random seed.

    Raises:
        InputError: a column is unknown or constant, or there are too few treebanks.
    """
    names = _chosen(table, columns, given)
    requested = list(dict.fromkeys(columns or ()))
    against_all = len(requested) == 1
    table, dropped = _complete(table, [*names, *given], family, missing)
    check_sizes(table, [*names, *given])
    names, constant = _varying(table, names, given, requested)
    settings = {"seed": str(seed), "resamples": str(resamples), "level": repr(level), "missing": missing}
    settings |= ({"given": ",".join(given)} if given else {}) | ({"family": family} if family is not None else {})
    settings |= table.signature(settings)
    groups = itertools.combinations(names, 2) if missing == "pairwise" else [names]
    chosen = _Settings(given, family, methods, resamples, level, seed)
    pairs = [pair for group in groups for pair in _pairs(table, group, chosen)]
    made = _corrected([pair for pair in pairs if not against_all or pair.x == names[0]], methods)
    notes = (*table.notes, *dropped, *constant, *(() if given else _few_permutations(made, resamples)))
    provenance = Provenance(settings, table.provenance.files, (), notes)
    return Correlation(tuple(names), tuple(given), table.treebanks, made, provenance)


def _chosen(table: Measurements, columns: Sequence[str] | None, given: Sequence[str]) -> list[str]:
    for name in (*(columns or ()), *given):
        table.number(name)
    wanted = (*(columns or ()), *table.numbers) if len(set(columns or ())) < 2 else columns
    names = [name for name in dict.fromkeys(wanted or ()) if name not in given]
    if len(names) < 2:
        numbers = ", ".join(map(quoted, table.numbers)) or "none"
        message = f"a correlation requires two columns of numbers, not {numbers}"
        raise InputError(Fault("unknown-column", message))
    return names


def _complete(
    table: Measurements, names: Sequence[str], family: str | None, missing: Missing
) -> tuple[Measurements, list[str]]:
    """The treebanks with a value in every column (all treebanks if pairwise), with a note on the others."""
    families = table.text(family) if family is not None else ("*",) * len(table)
    empty = {
        row: [name for name in names if np.isnan(table.numbers[name][row])] + ([] if families[row] else [str(family)])
        for row in range(len(table))
    }
    incomplete = {
        row: f"{table.treebanks[row]} has no value in {', '.join(columns[:3])}"
        + (f" and {len(columns) - 3} more" if len(columns) > 3 else "")
        for row, columns in empty.items()
        if columns and (missing != "pairwise" or not families[row])
    }
    if incomplete and missing == "error":
        raise InputError(*(Fault("missing-value", message) for message in incomplete.values()))
    complete = [row for row in range(len(table)) if row not in incomplete]
    if len(complete) < 3:
        examples = "".join(f"; {message}" for message in list(incomplete.values())[:5])
        found = f"only {len(complete)} found{examples}"
        message = f"a correlation requires three treebanks with values in all columns; {found}"
        raise InputError(Fault("too-few-treebanks", message))
    return table.rows(complete), [f"left out: {message}" for message in incomplete.values()]


def _varying(
    table: Measurements, names: Sequence[str], given: Sequence[str], requested: Sequence[str]
) -> tuple[list[str], list[str]]:
    values = {name: table.numbers[name][~np.isnan(table.numbers[name])] for name in (*names, *given)}
    constant = [name for name, known in values.items() if not len(known) or known.max() == known.min()]
    refused = [name for name in constant if name in requested or name in given]
    if refused:
        faults = (f"{quoted(name)} has the same value in all treebanks, so it has no correlation" for name in refused)
        raise InputError(*(Fault("constant-column", message) for message in faults))
    varying = [name for name in names if name not in constant]
    if len(varying) < 2:
        raise InputError(Fault("constant-column", f"fewer than two columns vary; constant: {', '.join(constant)}"))
    return varying, [f"left out: {name} has the same value in all treebanks" for name in constant]


class _Settings(NamedTuple):
    """The arguments of `correlate` that decide the numbers of a pair."""

    given: Sequence[str]
    family: str | None
    methods: Sequence[Method]
    resamples: int
    level: float
    seed: int


def _pairs(table: Measurements, names: Sequence[str], settings: _Settings) -> Iterator[Pair]:
    """The pairs of some columns from one matrix per method: they have the same treebanks and resamples."""
    given, n_given = settings.given, len(settings.given)
    rows = np.flatnonzero(np.logical_and.reduce([~np.isnan(table.numbers[name]) for name in (*names, *given)]))
    needed = 3 + n_given
    if len(rows) < needed:
        what = f"{' and '.join(names)}" if len(names) == 2 else "all columns"
        held = f" with {n_given} given columns" if given else ""
        have = f"{number_of(len(rows), 'treebank')} {'has' if len(rows) == 1 else 'have'}"
        message = f"{have} values in {what}; a correlation requires {needed}{held}"
        raise InputError(Fault("too-few-treebanks", message))
    values = np.stack([table.numbers[name][rows] for name in (*names, *given)], axis=1)
    estimates = {method: _estimates(values, method, settings) for method in settings.methods}
    families = None if settings.family is None else [table.texts[settings.family][row] for row in rows]
    for (i, x), (j, y) in itertools.combinations(enumerate(names), 2):
        coefficients = {}
        for method, matrices in estimates.items():
            numbers = (None if np.isnan(number) else float(number) for number in matrices[:, i, j])
            value, low, high, p = numbers
            check = None
            if families is not None:
                columns = np.ascontiguousarray(values[:, [i, j, *range(len(names), len(names) + n_given)]])
                check = family_check(columns, families, method, n_given, settings.resamples, settings.seed)
            coefficients[method] = Coefficient(value, low, high, None if value is None else p, None, check)
        yield Pair(x, y, len(rows), coefficients)


def _estimates(values: Numbers, method: Method, settings: _Settings) -> Numbers:
    """Four matrices: the coefficients, the lower and upper ends of their intervals, and their p-values.

    Residuals of partial correlations are not exchangeable, so their p-values are by Student's t.
    """
    n_given, resamples, seed = len(settings.given), settings.resamples, settings.seed
    whole = correlations(values, np.ones((1, len(values))), method, n_given)[0]
    ends = intervals(values, method, n_given, resamples, settings.level, seed)
    if not n_given:
        return np.stack([whole, *ends, permutation_p_values(values, method, resamples, seed)])
    p_values = np.full(whole.shape, np.nan)
    for i, j in zip(*np.triu_indices(len(whole), 1)):
        p = p_value(float(whole[i, j]), len(values), n_given)
        p_values[i, j] = np.nan if p is None else p
    return np.stack([whole, *ends, p_values])


def _few_permutations(pairs: Sequence[Pair], resamples: int) -> Iterator[str]:
    """A note if so many pairs are tested that no p-value can be below .05 after Holm's correction."""
    n_pairs = sum(pair.n > MOST_EXACT for pair in pairs)
    if n_pairs > _LEVEL * (1 + resamples):
        least = n_pairs / (1 + resamples)
        needed = math.ceil(n_pairs / _LEVEL)
        yield (
            f"{n_pairs} pairs with {resamples} permutations: p after Holm's correction is at least"
            f" {min(1.0, least):.2f}; choose fewer columns or at least {needed} resamples"
        )


def _corrected(pairs: list[Pair], methods: Sequence[Method]) -> tuple[Pair, ...]:
    """The pairs with p-values corrected for their number, separately for each method."""
    for method in methods:
        corrected = holm([pair.coefficients[method].p for pair in pairs])
        pairs = [
            pair._replace(coefficients={**pair.coefficients, method: pair.coefficients[method]._replace(p_holm=p)})
            for pair, p in zip(pairs, corrected)
        ]
    return tuple(pairs)


def _cells(coefficient: Coefficient, *, with_families: bool) -> tuple[Cell, ...]:
    value, low, high, p, p_holm, families = coefficient
    if not with_families:
        return value, low, high, p, p_holm
    check = families or FamilyCheck({}, None, None)
    extremes = (check.extreme(highest=highest) for highest in (False, True))
    return (value, low, high, p, p_holm, *(found and found[1] for found in extremes), check.within, check.p)


def _extremes(pair: Pair, method: Method) -> str:
    check = pair.coefficients[method].families
    if check is None:
        return ""
    lowest, highest = check.extreme(highest=False), check.extreme(highest=True)
    if lowest is None or highest is None:
        return f"{pair.x}, {pair.y} ({method}): undefined if any family is left out"
    return f"{pair.x}, {pair.y} ({method}): lowest without {lowest[0]}, highest without {highest[0]}"


def _coefficient(coefficient: Coefficient) -> dict[str, Any]:
    document = coefficient._asdict()
    if (families := document.pop("families")) is not None:
        document["families"] = {**families._asdict(), "without": {**families.without}}
    return document
