"""Tables by treebank: columns of values, and their join."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import PurePath
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, listed, quoted, unknown
from levelhead.immutable import immutable
from levelhead.measures.registry import split_at_commas
from levelhead.tables.data import MEASURE_COLUMN, TREEBANK_COLUMN, DataColumn, Layout
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.layouts.gold import treebank_of
from levelhead.treebank.provenance import FileId, Provenance

Missing = Literal["drop", "pairwise", "error"]
"""The treatment of missing values: leave the treebank out everywhere, leave it out of pairs, or refuse it."""

NO_VALUE = frozenset({"", "-", "na", "n/a", "nan", "none", "null"})  # cells for a missing value; case is ignored

_SHOWN = 8
_LARGEST = 1e150


_KEYS = TREEBANK_COLUMN, MEASURE_COLUMN._replace(about="The name of the column")


@immutable
class Measurements(Tabular):
    """A table with one row per treebank.

    Args:
        treebanks: the codes or names of the treebanks.
        numbers: a mapping from the name of each column of numbers to the numbers; float64, shape (treebanks,),
            NaN for missing values.
        texts: a mapping from the name of each column of text to the texts; "" for missing values.
        sources: a mapping from the name of each file to the SHA-256 of the file.
        notes: notes about what was left out.
        key: the requested name of the column with the treebanks; None if no name was requested.
    """

    KIND: ClassVar[str] = "measurements"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "numbers": (*_KEYS, DataColumn("value", "number", "Its number", optional=True)),
        "texts": (*_KEYS, DataColumn("value", "text", "Its text", optional=True)),
    }

    treebanks: tuple[str, ...]
    numbers: Mapping[str, NDArray[np.float64]]
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    key: str | None = None

    def __len__(self) -> int:
        return len(self.treebanks)

    @property
    def provenance(self) -> Provenance:
        """The settings and files behind the numbers."""
        files = {"tables": {path: FileId(digest) for path, digest in self.sources.items()}}
        return Provenance(self.signature(), files if self.sources else {}, (), self.notes)

    def number(self, name: str) -> NDArray[np.float64]:
        """Return the numbers in the column `name`, shape (treebanks,); raise an `InputError` if it has no numbers."""
        _check_column(name, self.numbers, self.texts, "numbers")
        return self.numbers[name]

    def text(self, name: str) -> tuple[str, ...]:
        """Return the texts in the column `name`; raise an `InputError` if this is not a column of text."""
        _check_column(name, self.texts, self.numbers, "text")
        return self.texts[name]

    def columns_named(self, names: Iterable[str]) -> list[str]:
        """Return the columns listed in `names`; "LAS,UAS" stands for two columns, unless it is the name of a column."""
        every = {*self.numbers, *self.texts}
        parts = (part for name in names for part in ([name] if name in every else split_at_commas(name)))
        return list(dict.fromkeys(part.strip() if part not in every else part for part in parts))

    def rows(self, chosen: Sequence[int]) -> Measurements:
        """Return a table with only the rows at the indices `chosen`, in the order of these indices."""
        return replace(
            self,
            treebanks=tuple(self.treebanks[i] for i in chosen),
            numbers={name: values[list(chosen)] for name, values in self.numbers.items()},
            texts={name: tuple(values[i] for i in chosen) for name, values in self.texts.items()},
        )

    def with_difference(self, one: str, other: str) -> Measurements:
        """Return the table with a column for the difference `one` - `other`, named like `diff(LAS,UAS)`.

        Args:
            one: the name of a column of numbers.
            other: the name of another column of numbers.

        Raises:
            InputError: a column is unknown, or its numbers are too large.
        """
        check_sizes(self, (one, other))
        difference = self.numbers[one] - self.numbers[other]
        return replace(self, numbers={**self.numbers, f"diff({one},{other})": difference})

    def signature(self, taken: Iterable[str] = ()) -> dict[str, str]:
        """Return the version of levelhead, the requested key, and the hash of each file.

        A file is named by its file name. If several files have the same name, their folders are added until the names
        differ, as in `a/scores.tsv` and `b/scores.tsv`.

        Args:
            taken: names that already have a meaning in the signature. Folders are added to files with such names, too.
        """
        signature = {"version": VERSION} | ({} if self.key is None else {"key": self.key})
        names = {*taken, *signature}
        for path, digest in self.sources.items():
            parts = PurePath(path).parts
            others = [PurePath(other).parts for other in self.sources if other != path]
            ends = (n for n in range(1, len(parts)) if all(other[-n:] != parts[-n:] for other in others))
            labels = (label for n in ends if (label := "/".join(parts[-n:])) not in names)
            signature[next(labels, f"./{path}" if path in names else path)] = digest[:12]
        return signature

    def table(self) -> Table:
        """Return all columns as a table, one row per treebank."""
        texts = (Column(name, "text") for name in ("treebank", *self.texts))
        numbers = (Column(name, "number") for name in self.numbers)
        values = ([None if np.isnan(cell) else cell for cell in column.tolist()] for column in self.numbers.values())
        rows = zip(self.treebanks, *self.texts.values(), *values, strict=True)
        return Table((*texts, *numbers), tuple(rows)).signed(self.provenance)

    def _numbers_rows(self) -> Iterator[tuple[str, str, float | None]]:
        for column, values in self.numbers.items():
            for treebank, value in zip(self.treebanks, values.tolist(), strict=True):
                yield treebank, column, None if np.isnan(value) else value

    def _texts_rows(self) -> Iterator[tuple[str, str, str | None]]:
        for column, values in self.texts.items():
            yield from ((treebank, column, text or None) for treebank, text in zip(self.treebanks, values, strict=True))


def check_sizes(table: Measurements, columns: Iterable[str]) -> None:
    """Refuse columns whose squares, or whose squared differences, exceed the range of floats."""
    faults = []
    for name in columns:
        known = table.number(name)[~np.isnan(table.number(name))]
        if (largest := float(np.abs(known).max(initial=0.0))) > _LARGEST:
            faults.append(f"the column {quoted(name)} has the value {largest:g}: the maximum is {_LARGEST:g}")
        elif len(known) and 0 < known.max() - known.min() < 1 / _LARGEST:
            faults.append(f"the values of the column {quoted(name)} differ by less than {1 / _LARGEST:g}: scale them")
    if faults:
        raise InputError(*(Fault("invalid-table", message) for message in faults))


def _check_column(name: str, columns: Collection[str], of_other_kind: Collection[str], kind: str) -> None:
    if name not in columns:
        message = f"the column {quoted(name)} does not have {kind}"
        message = message if name in of_other_kind else unknown(f"column of {kind}", name, list(columns))
        raise InputError(Fault("unknown-column", message))


def join(tables: Sequence[Measurements], missing: Missing = "drop") -> Measurements:
    """Return tables joined by treebank, in the order of the first table.

    Suffixes such as `-dev` are ignored if more treebanks match without them.
    """
    owner: dict[str, Measurements] = {}
    for table in tables:
        for name in (*table.numbers, *table.texts):
            if name in owner:
                both = f"both in {_source(owner[name])} and in {_source(table)}"
                remedy = "name the tables, as in a=FIRST b=SECOND, or {'a': first} in Python"
                message = f"the column {quoted(name)} is {both}: {remedy}"
                raise InputError(Fault("invalid-table", message))
            owner[name] = table
    names_of, renamed = _matched_names(tables)
    notes = [*(note for table in tables for note in table.notes), *renamed]
    treebanks = list(dict.fromkeys(chain.from_iterable(names_of)))
    absent = [name for name in treebanks if not all(name in names for names in names_of)]
    if absent and missing == "error":
        lacking = (
            (name, ", ".join(_source(table) for table, names in zip(tables, names_of) if name not in names))
            for name in absent
        )
        raise InputError(*(Fault("missing-treebank", f"{quoted(name)} is not in {where}") for name, where in lacking))
    if len(absent) == len(treebanks) and missing == "drop":
        lists = (f"{_source(table)} has {listed(names, _SHOWN)}" for table, names in zip(tables, names_of))
        raise InputError(Fault("missing-treebank", f"no treebank is in all tables; {'; '.join(lists)}"))
    if absent and missing == "drop":
        treebanks = [name for name in treebanks if name not in absent]
        notes.append(f"left out, not in all tables: {listed(absent, len(absent))}")
    numbers, texts = {}, {}
    for table, names in zip(tables, names_of):
        row_of = {name: row for row, name in enumerate(names)}
        rows = [row_of.get(name) for name in treebanks]
        for name, values in table.numbers.items():
            numbers[name] = np.array([np.nan if row is None else values[row] for row in rows], dtype=np.float64)
        for name, cells in table.texts.items():
            texts[name] = tuple("" if row is None else cells[row] for row in rows)
    sources = {path: digest for table in tables for path, digest in table.sources.items()}
    return Measurements(tuple(treebanks), numbers, texts, sources, tuple(notes))


def _matched_names(tables: Sequence[Measurements]) -> tuple[list[list[str]], list[str]]:
    """The names of the rows: of treebanks instead of files, with a note, if more rows match."""
    names_of = [list(table.treebanks) for table in tables]
    stripped = [[treebank_of(name) for name in names] for names in names_of]
    n_matching, n_stripped = (len(set.intersection(*map(set, names))) for names in (names_of, stripped))
    if n_stripped <= n_matching or any(len(set(names)) < len(names) for names in stripped):
        return names_of, []
    pairs = zip(chain.from_iterable(names_of), chain.from_iterable(stripped))
    first, second = next((name, treebank) for name, treebank in pairs if name != treebank)
    return stripped, [f"joined by treebank, ignoring splits: for example, {first} is joined as {second}"]


def _source(table: Measurements) -> str:
    return ", ".join(table.sources) or "a table"
