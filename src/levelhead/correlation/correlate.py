"""Correlations between all columns of a table: coefficients with intervals, p-values, and checks by family."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations, product
from typing import Any, NamedTuple

import numpy as np

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
    """The check of a correlation by language families."""

    without: Mapping[str, float | None]  # the coefficient without each family; None if too few treebanks are left
    within: float | None  # of values centered on the mean of their family; None if no family has variation
    p: float | None  # of `within`, by shuffling values inside families; None for partial correlations

    @property
    def extremes(self) -> tuple[tuple[float, str], tuple[float, str]] | None:
        """The lowest and the highest coefficient without a family, with the family; None if all are undefined."""
        known = [(value, family) for family, value in self.without.items() if value is not None]
        return (min(known), max(known)) if known else None


def family_check(
    values: Numbers, families: Sequence[str], method: Method, n_given: int, n_permutations: int, seed: Seed
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
    groups = [np.flatnonzero(family == name) for name in np.unique(family)]
    x, y = np.array(values.T if method == "pearson" else ranked(values).T, order="C")
    for column, group in product((x, y), groups):  # exactly 0 if a family has no variation
        members = column[group]
        column[group] = members - members.mean() if members.max() > members.min() else 0.0
    if (scale := np.sqrt((x @ x) * (y @ y))) <= 0:
        return FamilyCheck(without, None, None)
    # lengths do not change if values are shuffled inside families, so products have the same order as coefficients
    n_orders = math.prod(math.factorial(len(group)) for group in groups)
    if n_orders <= n_permutations:
        row = np.argsort(np.concatenate(groups))
        permuted = product(*(permutations(group.tolist()) for group in groups))
        orders: Iterator[Any] = (np.array([*chain.from_iterable(parts)])[row] for parts in permuted)
    else:
        orders = random_orders_within(groups, n_permutations, seed)
    least = abs(x @ y) - _ROUNDING * scale
    n_extreme = sum(bool(abs(x @ y[order]) >= least) for order in orders)
    # the data are one of the permutations (Phipson and Smyth 2010)
    p = n_extreme / n_orders if n_orders <= n_permutations else (1 + n_extreme) / (1 + n_permutations)
    return FamilyCheck(without, float(np.clip(x @ y / scale, -1, 1)), p)


METHODS: tuple[Method, ...] = ("pearson", "spearman")

_LEVEL = 0.05  # of significance, as printed in papers


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
        pairs = [(pair, method) for method in self.pairs[0].coefficients for pair in self.pairs]
        with_families = any(pair.coefficients[method].families for pair, method in pairs)
        columns = [
            *(Column(name, "text") for name in ("x", "y", "method")),
            *(Column(name, "number") for name in ("n", "r", "low", "high")),
            *(Column(name, "probability", digits=3) for name in ("p", "Holm")),
        ]
        if with_families:
            columns += [Column(name, "number") for name in ("lowest", "highest", "within")]
            columns.append(Column("p within", "probability", digits=3))
        rows: list[tuple[Cell, ...]] = []
        for pair, method in pairs:
            *numbers, check = pair.coefficients[method]
            if with_families:
                extremes = (check and check.extremes) or (None, None)
                numbers += [*(end and end[0] for end in extremes), *(check[1:] if check else (None, None))]
            rows.append((pair.x, pair.y, method, pair.n, *numbers))
        notes = []
        for pair, method in product(self.pairs, self.pairs[0].coefficients):
            if check := pair.coefficients[method].families:
                note = "undefined if any family is left out"
                if check.extremes:
                    (_, lowest), (_, highest) = check.extremes
                    note = f"lowest without {lowest}, highest without {highest}"
                notes.append(f"{pair.x}, {pair.y} ({method}): {note}")
        lines = frozenset(range(len(self.pairs), len(rows), len(self.pairs)))
        return Table(tuple(columns), tuple(rows), (*notes, *self._notes), lines)

    @property
    def _notes(self) -> tuple[str, ...]:
        given = (f"controlling for: {', '.join(self.given)}",) if self.given else ()
        treebanks = f"{len(self.treebanks)} treebanks"
        return (*given, *self.provenance.notes, treebanks, signature_line(self.provenance.signature))

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
        return Table(columns, rows, self._notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        pairs = []
        for pair in self.pairs:
            document: dict[str, Any] = {"x": pair.x, "y": pair.y, "n": pair.n}
            for method, coefficient in pair.coefficients.items():
                document[method] = coefficient._asdict()
                if families := document[method].pop("families"):
                    document[method]["families"] = {**families._asdict(), "without": {**families.without}}
            pairs.append(document)
        return {
            **header("correlation", self.provenance.signature),
            "columns": list(self.columns),
            "given": list(self.given),
            "treebanks": list(self.treebanks),
            "notes": list(self.provenance.notes),
            "pairs": pairs,
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
    requested = list(dict.fromkeys(columns or ()))
    for name in (*requested, *given):
        table.number(name)
    candidates = dict.fromkeys((*requested, *table.numbers) if len(requested) < 2 else requested)
    names = [name for name in candidates if name not in given]
    if len(names) < 2:
        numbers = ", ".join(map(quoted, table.numbers)) or "none"
        message = f"a correlation requires two columns of numbers, not {numbers}"
        raise InputError(Fault("unknown-column", message))
    table, dropped = _complete(table, [*names, *given], family, missing)
    check_sizes(table, [*names, *given])
    known = {name: table.numbers[name][~np.isnan(table.numbers[name])] for name in (*names, *given)}
    constant = [name for name, values in known.items() if not len(values) or values.max() == values.min()]
    if refused := [name for name in constant if name in requested or name in given]:
        faults = (f"{quoted(name)} has the same value in all treebanks, so it has no correlation" for name in refused)
        raise InputError(*(Fault("constant-column", message) for message in faults))
    names = [name for name in names if name not in constant]
    if len(names) < 2:
        raise InputError(Fault("constant-column", f"fewer than two columns vary; constant: {', '.join(constant)}"))
    settings = {"seed": str(seed), "resamples": str(resamples), "level": repr(level), "missing": missing}
    settings |= ({"given": ",".join(given)} if given else {}) | ({"family": family} if family is not None else {})
    settings |= table.signature(settings)
    groups = combinations(names, 2) if missing == "pairwise" else [names]
    how = (given, family, methods, resamples, level, seed)
    pairs = [pair for group in groups for pair in _pairs(table, group, *how)]
    if len(requested) == 1:
        pairs = [pair for pair in pairs if pair.x == names[0]]
    for method in methods:
        corrected = holm([pair.coefficients[method].p for pair in pairs])
        pairs = [
            pair._replace(coefficients={**pair.coefficients, method: pair.coefficients[method]._replace(p_holm=p)})
            for pair, p in zip(pairs, corrected)
        ]
    notes = [*table.notes, *dropped]
    notes += [f"left out: {name} has the same value in all treebanks" for name in constant]
    n_pairs = sum(pair.n > MOST_EXACT for pair in pairs)
    if not given and n_pairs > _LEVEL * (1 + resamples):
        notes.append(
            f"{n_pairs} pairs with {resamples} permutations: p after Holm's correction is at least"
            f" {min(1.0, n_pairs / (1 + resamples)):.2f}; choose fewer columns or at least"
            f" {math.ceil(n_pairs / _LEVEL)} resamples"
        )
    provenance = Provenance(settings, table.provenance.files, (), tuple(notes))
    return Correlation(tuple(names), tuple(given), table.treebanks, tuple(pairs), provenance)


def _complete(
    table: Measurements, names: Sequence[str], family: str | None, missing: Missing
) -> tuple[Measurements, list[str]]:
    """The treebanks with a value in every column (all treebanks if pairwise), with notes on the others."""
    families = table.text(family) if family is not None else ("*",) * len(table)
    complete, incomplete = [], []
    for row, treebank in enumerate(table.treebanks):
        empty = [name for name in names if np.isnan(table.numbers[name][row])] + [str(family)] * (not families[row])
        if empty and (missing != "pairwise" or not families[row]):
            more = f" and {len(empty) - 3} more" if len(empty) > 3 else ""
            incomplete.append(f"{treebank} has no value in {', '.join(empty[:3])}{more}")
        else:
            complete.append(row)
    if incomplete and missing == "error":
        raise InputError(*(Fault("missing-value", message) for message in incomplete))
    if len(complete) < 3:
        found = "; ".join([f"only {len(complete)} found", *incomplete[:5]])
        message = f"a correlation requires three treebanks with values in all columns; {found}"
        raise InputError(Fault("too-few-treebanks", message))
    return table.rows(complete), [f"left out: {message}" for message in incomplete]


def _pairs(
    table: Measurements,
    names: Sequence[str],
    given: Sequence[str],
    family: str | None,
    methods: Sequence[Method],
    resamples: int,
    level: float,
    seed: int,
) -> Iterator[Pair]:
    """The pairs of some columns from one matrix per method: they have the same treebanks and resamples."""
    n_given = len(given)
    rows = np.flatnonzero(np.logical_and.reduce([~np.isnan(table.numbers[name]) for name in (*names, *given)]))
    if len(rows) < 3 + n_given:
        columns = f"{' and '.join(names)}" if len(names) == 2 else "all columns"
        controlled = f" with {n_given} given columns" if given else ""
        treebanks = f"{number_of(len(rows), 'treebank')} {'has' if len(rows) == 1 else 'have'}"
        message = f"{treebanks} values in {columns}; a correlation requires {3 + n_given}{controlled}"
        raise InputError(Fault("too-few-treebanks", message))
    values = np.stack([table.numbers[name][rows] for name in (*names, *given)], axis=1)
    matrices: dict[Method, list[Numbers]] = {}
    for method in methods:
        whole = correlations(values, np.ones((1, len(values))), method, n_given)[0]
        ends = intervals(values, method, n_given, resamples, level, seed)
        matrices[method] = [whole, *ends, whole if given else permutation_p_values(values, method, resamples, seed)]
    families = None if family is None else [table.texts[family][row] for row in rows]
    for (i, x), (j, y) in combinations(enumerate(names), 2):
        coefficients = {}
        for method, numbers in matrices.items():
            value, low, high, p = (None if np.isnan(cell) else float(cell) for cell in (m[i, j] for m in numbers))
            if value is None:
                p = None
            elif given:  # residuals are not exchangeable
                p = p_value(value, len(rows), n_given)
            check = None
            if families is not None:
                chosen = np.ascontiguousarray(values[:, [i, j, *range(len(names), len(names) + n_given)]])
                check = family_check(chosen, families, method, n_given, resamples, seed)
            coefficients[method] = Coefficient(value, low, high, p, None, check)
        yield Pair(x, y, len(rows), coefficients)
