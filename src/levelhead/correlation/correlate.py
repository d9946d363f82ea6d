"""Correlations between all columns of a table: coefficients with intervals, p-values, and checks by family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, ClassVar, NamedTuple, get_args

import numpy as np

from levelhead.correlation.coefficients import (
    FEWEST_ROWS,
    SKEWED,
    FamilyCheck,
    FamilyChecks,
    FisherZ,
    Method,
    Votes,
    counted_once,
    fisher_z,
    notes_on_votes,
    skewness,
)
from levelhead.correlation.measurements import Measurements, Missing, check_sizes
from levelhead.errors import Fault, InputError, listed, number_of, quoted, with_minus
from levelhead.immutable import immutable
from levelhead.significance.corrections import corrected, level_of_each
from levelhead.tables.data import NOT_A_COLUMN, TREEBANK_COLUMN, DataColumn, Layout, Probability, columns_of
from levelhead.tables.table import Cell, Column, Detail, Table, interval_head, p_text
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance


class Coefficient(NamedTuple):
    """The correlation of two columns.

    Args:
        value: the coefficient, from -1 to 1; None if a column is constant.
        low: the lower end of the confidence interval, simultaneous for all pairs; None with fewer than 4 treebanks
            (4 + k with k controlled columns), or if leaving out one treebank makes a column constant.
        high: the upper end of the confidence interval.
        p: the two-sided p-value, corrected for the number of pairs (Sidak); below .05 if and only if the 95%
            interval excludes 0.
        families: effects of families.
    """

    value: float | None
    low: float | None
    high: float | None
    p: Probability | None
    families: FamilyCheck | None = None


class Pair(NamedTuple):
    """The correlations of a pair of columns.

    Args:
        x: the name of the first column.
        y: the name of the second column.
        n: the number of languages (or treebanks) with both values.
        coefficients: a mapping from each method of correlation to the coefficient.
        skewed: which of `x`, `y` and the columns controlled for have a skewed distribution.
    """

    x: str
    y: str
    n: int
    coefficients: Annotated[Mapping[Method, Coefficient], NOT_A_COLUMN]
    skewed: Annotated[tuple[str, ...], NOT_A_COLUMN] = ()


_X, _Y, _ = columns_of(Pair)
_METHOD = DataColumn("method", "text", "The coefficient", choices=get_args(Method))
_COLUMN = DataColumn("column", "text", "The name of the column")


@immutable
class Correlation(Tabular):
    """The correlations of all pairs of columns.

    Args:
        columns: the names of the columns.
        given: the columns controlled for in partial correlations.
        treebanks: the treebanks that are used for at least one pair.
        pairs: the correlations of each pair of columns, in the order of the upper triangle of the matrix.
        provenance: the settings and files behind the numbers; its notes list what was left out.
    """

    KIND: ClassVar[str] = "correlate"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "coefficients": (Pair, _METHOD, Coefficient),
        "without_families": (
            _X, _Y, _METHOD, DataColumn("family", "text", "The family that is left out"),
            DataColumn("value", "number", "The coefficient without it", optional=True),
        ),
        "skewed_columns": (_X, _Y, _COLUMN),
        "columns": (_COLUMN, DataColumn("given", "boolean", "Whether it is controlled for")),
        "treebanks": (TREEBANK_COLUMN,),
    }  # fmt: skip

    columns: tuple[str, ...]
    given: tuple[str, ...]
    treebanks: tuple[str, ...]
    pairs: tuple[Pair, ...]
    provenance: Provenance

    @property
    def verdict(self) -> str:
        """A sentence that says whether two columns correlate significantly, or how many of several pairs do."""
        alpha = 1 - float(self.provenance.signature["level"])
        found = [(pair, *next(iter(pair.coefficients.items()))) for pair in self.pairs]
        tested = [each for each in found if each[2].value is not None and each[2].p is not None]
        if not tested:
            return "No correlation is tested: see the notes."
        significant = sum((each[2].p or 0) < alpha for each in tested)
        pair, method, best = max(tested, key=lambda each: abs(each[2].value or 0))
        numbers = f"({method.capitalize()} {with_minus(f'{best.value:.3f}')}, p {p_text(best.p)}, n = {pair.n})"
        if len(self.pairs) == 1:
            return f"{pair.x} and {pair.y} {'' if significant else 'do not '}correlate significantly {numbers}."
        strongest = f"the strongest is between {pair.x} and {pair.y} {numbers}"
        are = "is" if significant == 1 else "are"
        return f"{significant or 'None'} of {len(tested)} correlations {are} significant; {strongest}."

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods of correlation, such as "pearson"."""
        return tuple(dict.fromkeys(method for pair in self.pairs for method in pair.coefficients))

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        """Return the pair of two columns, in either order."""
        for pair in self.pairs:
            if {pair.x, pair.y} == set(names):
                return pair
        raise KeyError(names)

    PLACES = 3

    def table(self) -> Table:
        """Return a table of coefficients, one row for each method and pair of columns."""
        blocks = [[(pair, method) for pair in self.pairs] for method in self.pairs[0].coefficients]
        if len(blocks) == 1:
            blocks = [[(pair, method) for pair in self.pairs for method in pair.coefficients]]
        shown = [row for block in blocks for row in block]
        checks = [pair.coefficients[method].families for pair, method in shown]
        some_skewed = any(pair.skewed for pair in self.pairs)
        columns = [
            *(Column("x", "text"), Column("y", "text"), Column("method", "text", rank=1)),
            *(Column("n", "number"), Column("r", "number")),
            Column(interval_head(self.provenance.signature["level"]), "number", rank=1),
            Column("p", "probability"),
            *([Column("skewed", "text", rank=2)] if some_skewed else ()),
        ]
        if any(checks):
            columns += [Column(name, "number") for name in ("lowest", "highest", "within")]
            columns.append(Column("p within", "probability"))
        rows: list[tuple[Cell, ...]] = []
        notes = list[str]()
        for (pair, method), check in zip(shown, checks):
            value, low, high, p, *_ = pair.coefficients[method]
            interval = None if low is None or high is None else (low, high)
            cells: list[Cell] = [pair.x, pair.y, method, pair.n, value, interval, p]
            cells += [", ".join(pair.skewed)] if some_skewed else []
            if check:
                extremes = check.extremes or (None, None)
                cells += [*(end and end[0] for end in extremes), check.within, check.p]
                note = "undefined if any family is left out"
                if check.extremes:
                    (_, lowest), (_, highest) = check.extremes
                    note = f"lowest without {lowest}, highest without {highest}"
                notes.append(Detail(f"{pair.x}, {pair.y} ({method}): {note}"))
            rows.append(tuple(cells))
        if errors := [check.p_error for check in checks if check and check.p_error is not None]:
            error = f"Monte Carlo standard error at most {max(errors):.4f}"
            notes.append(Detail(f"p within: from random permutations, {error}"))
        n_tests = sum(any(each.low is not None for each in pair.coefficients.values()) for pair in self.pairs)
        notes += [Detail(f"intervals and p: corrected for {n_tests} pairs")] if n_tests > 1 else []
        lines = frozenset(range(len(self.pairs), len(rows), len(self.pairs)))
        return Table(tuple(columns), tuple(rows), (*notes, *self._notes), lines).signed(self.provenance)

    @property
    def _notes(self) -> tuple[str, ...]:
        given = (f"controlling for: {', '.join(self.given)}",) if self.given else ()
        return (*given, Detail(f"{len(self.treebanks)} treebanks"))

    def matrix_table(self, method: Method) -> Table:
        """Return the coefficients of `method` as the upper triangle of a matrix (Callin, table 3)."""
        value = {(pair.x, pair.y): pair.coefficients[method].value for pair in self.pairs}
        firsts = {pair.x for pair in self.pairs}
        rows = tuple(
            (row, *(value[row, column] if i < j else "" for j, column in enumerate(self.columns) if j))
            for i, row in enumerate(self.columns) if row in firsts
        )  # fmt: skip
        columns = (Column(method.capitalize(), "text"), *(Column(name, "number") for name in self.columns[1:]))
        return Table(columns, rows, self._notes).signed(self.provenance)

    def _coefficients_rows(self) -> Iterator[tuple[Pair, Method, Coefficient]]:
        return ((pair, *item) for pair in self.pairs for item in pair.coefficients.items())

    def _without_families_rows(self) -> Iterator[tuple[str, str, Method, str, float | None]]:
        for pair, method, coefficient in self._coefficients_rows():
            for each in coefficient.families.without.items() if coefficient.families else ():
                yield pair.x, pair.y, method, *each

    def _skewed_columns_rows(self) -> Iterator[tuple[str, str, str]]:
        return ((pair.x, pair.y, column) for pair in self.pairs for column in pair.skewed)

    def _columns_rows(self) -> Iterator[tuple[str, bool]]:
        yield from ((column, False) for column in self.columns)
        yield from ((column, True) for column in self.given)


def correlate(
    table: Measurements,
    columns: Sequence[str] | None = None,
    *,
    given: Sequence[str] = (),
    family: str | None = None,
    methods: Sequence[Method] | None = None,
    missing: Missing = "drop",
    votes: Votes = "language",
    permutations: int = 100_000,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Return the correlations of every pair of columns, or of a single column with all others."""
    requested = list(dict.fromkeys(columns or ()))
    for name in (*requested, *given):
        table.number(name)
    candidates = dict.fromkeys((*requested, *table.numbers) if len(requested) < 2 else requested)
    names = [name for name in candidates if name not in given]
    if len(names) < 2:
        numbers = listed(list(map(quoted, table.numbers))) or "no column of numbers"
        message = f"a correlation requires two columns of numbers; found {numbers}"
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
    settings = {"level": repr(level), "missing": missing, "votes": votes}
    settings |= {"given": ",".join(given)} if given else {}
    if family is not None:
        settings |= {"family": family}
        settings |= {} if given else {"permutations": str(permutations), "seed": str(seed)}
    settings |= table.signature(settings)
    groups = combinations(names, 2) if missing == "pairwise" else [names]
    draws = permutations, seed
    estimates = [
        estimate for group in groups for estimate in _estimates(table, group, given, methods, votes, family, draws)
    ]
    if len(requested) == 1:
        estimates = [estimate for estimate in estimates if estimate[0].x == names[0]]
    n_tests = sum(not all(np.isnan(found.errors[at]) for found, _ in every.values()) for _, at, every in estimates)
    pairs = tuple(pair._replace(coefficients=_coefficients(at, every, n_tests, level)) for pair, at, every in estimates)
    notes = [*table.notes, *dropped]
    notes += [f"left out: {name} has the same value in all treebanks" for name in constant]
    notes += [*notes_on_votes(table, votes), *_notes_on_skewness(pairs, automatic=methods is None)]
    if any(coefficient.low is None for pair in pairs for coefficient in pair.coefficients.values()):
        notes.append(f"no interval: fewer than {FEWEST_ROWS + len(given)} {votes}s, or only one makes a column vary")
    provenance = Provenance(settings, table.provenance.files, (), tuple(notes))
    return Correlation(tuple(names), tuple(given), table.treebanks, pairs, provenance)


def _notes_on_skewness(pairs: Sequence[Pair], *, automatic: bool) -> Iterator[str]:
    if skewed := dict.fromkeys(name for pair in pairs for name in pair.skewed):
        if automatic:
            yield f"Spearman's coefficient for skewed columns: {', '.join(skewed)}"
        elif any("pearson" in pair.coefficients for pair in pairs):
            yield f"Pearson's intervals and p are not reliable for skewed columns: {', '.join(skewed)}; use Spearman's"


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


_Places = tuple[int, int]  # of two columns in matrices
_Matrices = Mapping[Method, tuple[FisherZ, FamilyChecks | None]]


def _coefficients(places: _Places, matrices: _Matrices, n_tests: int, level: float) -> dict[Method, Coefficient]:
    coefficients = {}
    for method, (found, checks) in matrices.items():
        value = float(found.r[places])
        low, high, p = found.test(*places, level_of_each(level, max(n_tests, 1)))
        check = None if checks is None else checks[places]
        coefficients[method] = Coefficient(None if np.isnan(value) else value, low, high, corrected(p, n_tests), check)
    return coefficients


def _estimates(
    table: Measurements,
    names: Sequence[str],
    given: Sequence[str],
    methods: Sequence[Method] | None,
    votes: Votes,
    family: str | None,
    draws: tuple[int, int],
) -> Iterator[tuple[Pair, _Places, _Matrices]]:
    """The pairs of some columns, without coefficients, and one matrix per method: they have the same treebanks."""
    every, n_given = (*names, *given), len(given)
    table = counted_once(table, every, votes, family)
    n = len(table)
    if n < 3 + n_given:
        columns = f"{' and '.join(names)}" if len(names) == 2 else "all columns"
        controlled = f" to control for {', '.join(given)}" if given else ""
        rows = f"{number_of(n, votes)} {'has' if n == 1 else 'have'}"
        message = f"{rows} values in {columns}; a correlation requires {3 + n_given}{controlled}"
        raise InputError(Fault("too-few-treebanks", message))
    values = np.stack([table.numbers[name] for name in every], axis=1)
    skewed = {name for name, size in zip(every, np.abs(skewness(values))) if size > SKEWED}
    matrices: dict[Method, tuple[FisherZ, FamilyChecks | None]] = {}
    for (i, x), (j, y) in combinations(enumerate(names), 2):
        of_pair = tuple(name for name in (x, y, *given) if name in skewed)
        by_method = {}
        for method in methods or (("spearman",) if of_pair else ("pearson",)):
            if method not in matrices:
                families = (
                    None if family is None else FamilyChecks(values, table.texts[family], method, n_given, *draws)
                )
                matrices[method] = fisher_z(values, method, n_given), families
            by_method[method] = matrices[method]
        yield Pair(x, y, n, {}, of_pair), (i, j), by_method
