"""Correlations between tables by treebank, and agreement with human judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from levelhead.api.inputs import Input, Measures, PathLike, as_list, settings_for
from levelhead.api.parameters import TREEBANK, public
from levelhead.arguments import LIMITS, check, is_list, refuse
from levelhead.comparison import judgment
from levelhead.comparison.judgment import Choices, Judgment
from levelhead.correlation.coefficients import Method, Votes
from levelhead.correlation.correlate import Correlation, correlate as correlate_columns
from levelhead.correlation.human_agreement import Ties
from levelhead.correlation.measurements import Measurements, Missing
from levelhead.correlation.tables import is_table, read_tables
from levelhead.errors import InputError
from levelhead.measures.registry import Registry, split_at_commas
from levelhead.scoring.rules import Rules
from levelhead.tabular import Tabular
from levelhead.treebank.reader import Format


def _pair(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        refuse(name, value, "a pair of strings")
    return check(name, value[0], "text"), check(name, value[1], "text")


def _pairs(name: str, value: Any) -> list[tuple[str, str]]:
    if not is_list(value):
        refuse(name, value, "a list of pairs of columns")
    return [_pair(name, pair) for pair in value]


def _table(name: str, value: Any) -> Any:
    if not is_table(value):
        refuse(name, value, "a table (a path, a result, a data frame, or a mapping of names to these)")
    return os.fspath(value) if isinstance(value, os.PathLike) else value


TableSource = Any  # data frames are those of several libraries
"""A table by treebank: a path, a result, a data frame, or a mapping of prefixes of column names to these."""


@public(
    tables=_table,
    columns=("optional", ("list", "text", 1)),
    differences=_pairs,
    methods=("optional", ("list", ("one of", ("pearson", "spearman"), "method"), 1)),
    votes=("one of", ("language", "treebank")),
    permutations=("whole", *LIMITS["draws"]),
)
def correlate(
    *tables: TableSource,
    columns: str | Iterable[str] | None = None,
    differences: Iterable[tuple[str, str]] = (),
    given: str | Iterable[str] = (),
    family: str | None = None,
    key: str | None = None,
    missing: Missing = "drop",
    methods: Iterable[Method] | None = None,
    votes: Votes = "language",
    permutations: int = 100_000,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Return the correlations between columns of tables with a row per treebank.

    Args:
        tables: tables with a row per treebank: paths of TSV, CSV or JSON files, results, or data frames (whose index or
            first text column names the treebanks). `NAME=PATH` or `{NAME: table}` puts `NAME.` before column names.
        columns: the columns to correlate, separated by commas; a single column is correlated with all others; by
            default all numeric columns.
        differences: for each given pair of columns A and B, add the column diff(A,B): the difference A - B.
        given: columns to control for (partial correlation).
        family: check for effects of the families in this column: leave out each family in turn, and permute only within
            families.
        key: the column with the names of treebanks; by default the first.
        missing: how to treat missing values: leave out the treebank everywhere ("drop"), leave it out only where the
            value is needed ("pairwise"), or stop with an error ("error").
        methods: the correlation coefficients, "pearson" or "spearman"; by default pearson, or spearman if a column is
            skewed.
        votes: count each "language" (the mean of its treebanks) or each "treebank" as one observation.
        permutations: the number of random permutations within families.

    Raises:
        InputError: a table is invalid, a column is unknown, or there are too few treebanks.
    """
    pairs, held = list(differences), as_list(given)
    named = None if columns is None else as_list(columns)
    needed = [*named, *held, *filter(None, [family])] if named else []
    table = measurements(*tables, columns=needed, differences=pairs, key=key, missing=missing)
    added = [f"diff({one},{other})" for one, other in pairs]
    chosen, held = None if named is None else table.columns_named([*named, *added]), table.columns_named(held)
    return correlate_columns(
        table, chosen, given=held, family=family, missing=missing,
        methods=None if methods is None else tuple(dict.fromkeys(methods)), votes=votes, permutations=permutations,
        level=level, seed=seed,
    )  # fmt: skip


@public(tables=_table, differences=_pairs)
def measurements(
    *tables: TableSource,
    columns: Iterable[str] = (),
    differences: Iterable[tuple[str, str]] = (),
    key: str | None = None,
    missing: Missing = "drop",
) -> Measurements:
    """Return tables joined by treebank, as used by `correlate` and its charts.

    Args:
        tables: as in `correlate`.
        columns: the columns to keep; by default all. No kept column may be in several tables.
        differences: as in `correlate`.
        key: the column with the names of treebanks; by default the first.
        missing: as in `correlate`.

    Raises:
        InputError: a table is invalid, or the tables cannot be joined.
    """
    if not tables:
        refuse("tables", (), "at least one table")
    pairs, kept = list(differences), {part for name in columns for part in (name, *split_at_commas(name))}
    kept |= {name for pair in pairs for name in pair} if kept else set()
    table = tables[0]
    if len(tables) > 1 or not isinstance(table, Measurements):
        table = read_tables(tables, key=key, missing=missing, columns=kept)
    for one, other in pairs:
        table = table.with_difference(one, other)
    return table


def _votes(name: str, value: Any) -> Any:
    if isinstance(value, str | os.PathLike):
        return check(name, value, "path")
    if not (is_list(value) or hasattr(value, "columns")) or isinstance(value, Tabular):
        refuse(name, value, "a path, the votes of each sentence, or a data frame with a column for each person")
    return value


def _output(name: str, value: Any) -> Any:
    try:
        return check(name, value, TREEBANK)
    except InputError:
        if isinstance(value, Tabular):
            refuse(name, value, "a treebank or a path, since the scores of its sentences are needed")
        raise


@public(
    gold=_output,
    first=_output,
    second=_output,
    judgments=_votes,
    words=("optional", _pair),
    ties=("one of", ("callin", "half", "skip")),
)
def judge(
    gold: Input,
    first: Input,
    second: Input,
    judgments: PathLike | Choices | Any,
    *,
    words: tuple[str, str] | None = None,
    measures: Measures = ("LAS", "UAS", "CLAS"),
    rules: str | Rules = "ud",
    registry: Registry | None = None,
    ties: Ties = "callin",
    subtypes_apart: bool = False,
    resample_by: str = "auto",
    level: float = 0.95,
    format: Format = "conllu",
) -> Judgment:
    """Return how well measures agree with people who chose the better of two analyses of each sentence.

    Args:
        gold: the gold treebank or its path.
        first: the output of the first system.
        second: the output of the second system.
        judgments: the votes for the better system. Each gold sentence has one line of votes in a file, one item of a
            list, or one row of a data frame (with a column for each person).
        words: how votes for the first and second system are written; by default blue/red, 1/2, first/second and a/b are
            recognized.
        ties: how to count sentences with equal scores: for the second system ("callin"), half for each system ("half"),
            or not at all ("skip").
        subtypes_apart: whether to exclude relations with subtypes, such as acl:relcl, from all classes; Callin scores
            content relations this way.

    Raises:
        InputError: a file is invalid, the texts differ, or the number of judgments differs from the number of
            sentences.
    """
    setup = settings_for(measures, rules=rules, format=format, registry=registry)
    votes = judgments if isinstance(judgments, judgment.Choices) else judgment.read_choices(judgments, words)
    return judgment.judge(gold, first, second, votes, setup, ties, resample_by, level, subtypes_apart=subtypes_apart)
