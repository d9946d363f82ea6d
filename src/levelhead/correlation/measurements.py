"""Tables by treebank: columns of values, read from TSV, CSV and the JSON of levelhead, and joined."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place, listed, quoted, unknown
from levelhead.immutable import immutable
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Column, Table, unescaped
from levelhead.tabular import Tabular
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.layouts.gold import treebank_of
from levelhead.treebank.provenance import Provenance, short_hash

Missing = Literal["drop", "pairwise", "error"]
"""The treatment of missing values: leave the treebank out everywhere, leave it out of pairs, or refuse it."""

_SHOWN = 8
_LARGEST = 1e150


@immutable
class Measurements(Tabular):
    """Values by treebank.

    Args:
        treebanks: the codes or names of the treebanks.
        numbers: columns of numbers, float64, NaN for missing values, shape (treebanks,).
        texts: columns of text, such as language families; empty for missing values.
        sources: the SHA-256 of each file, by its name.
        notes: notes on what was left out.
        key: the requested column with the names of treebanks, or None.
    """

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
        """The provenance of the numbers."""
        files = {"tables": {path: short_hash(digest) for path, digest in self.sources.items()}}
        return Provenance(self.signature(), files if self.sources else {}, (), self.notes)

    def number(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers, float64, shape (treebanks,).

        Raises:
            InputError: the column is unknown.
        """
        _check_column(name, self.numbers, self.texts, "numbers")
        return self.numbers[name]

    def text(self, name: str) -> tuple[str, ...]:
        """Return a column of text.

        Raises:
            InputError: the column is unknown.
        """
        _check_column(name, self.texts, self.numbers, "text")
        return self.texts[name]

    def rows(self, chosen: Sequence[int]) -> Measurements:
        """Return some of the treebanks, in the given order.

        Args:
            chosen: the numbers of the rows.
        """
        return replace(
            self,
            treebanks=tuple(self.treebanks[i] for i in chosen),
            numbers={name: values[list(chosen)] for name, values in self.numbers.items()},
            texts={name: tuple(values[i] for i in chosen) for name, values in self.texts.items()},
        )

    def with_difference(self, one: str, other: str) -> Measurements:
        """Return the table with an additional column `diff(one,other)`: one minus the other.

        Args:
            one: a column of numbers.
            other: another column of numbers.

        Raises:
            InputError: the column is unknown, or its numbers are too large.
        """
        check_sizes(self, (one, other))
        difference = self.numbers[one] - self.numbers[other]
        return replace(self, numbers={**self.numbers, f"diff({one},{other})": difference})

    def signature(self, taken: Iterable[str] = ()) -> dict[str, str]:
        """Return the version, the key, and the hash of each file by the shortest end of its path that identifies it.

        Args:
            taken: names that are already in use.
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
        """Return the result as a table."""
        texts = (Column(name, "text") for name in ("treebank", *self.texts))
        numbers = (Column(name, "number") for name in self.numbers)
        values = ([None if np.isnan(cell) else cell for cell in column.tolist()] for column in self.numbers.values())
        rows = zip(self.treebanks, *self.texts.values(), *values, strict=True)
        return Table((*texts, *numbers), tuple(rows), (*self.notes, signature_line(self.signature())))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        table = self.table()
        rows = [{column.name: cell for column, cell in zip(table.columns, row)} for row in table.rows]
        return {**header("measurements", self.signature()), "treebanks": rows}


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

    If more treebanks match without suffixes such as `-ud-train`, `-dev` and `-test`, these are ignored, with a note,
    for example to join profiles of training sets and scores of test sets; but not if a table would then have a treebank
    twice.

    Args:
        tables: the tables; at least one.
        missing: "drop" keeps the treebanks in all tables; "pairwise" keeps all; "error" requires the same treebanks in
            all.

    Raises:
        InputError: a column is in two tables, no treebank is in all tables, or with "error" a treebank is missing from
            a table.
    """
    owner: dict[str, Measurements] = {}
    for table in tables:
        for name in (*table.numbers, *table.texts):
            if name in owner:
                both = f"both in {_source(owner[name])} and in {_source(table)}"
                message = f"the column {quoted(name)} is {both}: name the tables, as in a=FIRST b=SECOND"
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
    return stripped, [f"joined by treebank, ignoring the split: {first} is {second}"]


def _source(table: Measurements) -> str:
    return ", ".join(table.sources) or "a table"


# Files

NO_VALUE = frozenset({"", "-", "na", "n/a", "nan", "none", "null"})  # cells for a missing value; case is ignored

_KEYS = ("treebank", "name", "code", "language")
_NOT_MEASURED = frozenset(
    {"schema", "kind", "signature", "gold", "system", "coverage", "macro_average", "test_set", "path", "units", *_KEYS}
)
_SUMMARIES = ("Macro-average of ", "Total of ", "Average of ")
"""The last row of `levelhead score` on folders, of `profile --total`, of `convert --check`."""

_SYSTEM = "system"


class _Row(NamedTuple):
    """A treebank with its cells, by column."""

    treebank: str
    cells: Mapping[str, str]
    line: int | None  # None in JSON


def read_tables(
    paths: Iterable[str], *, key: str | None = None, missing: Missing = "drop", columns: Collection[str] = ()
) -> Measurements:
    """Read tables and join them by treebank.

    Args:
        paths: files in TSV, CSV, JSON or JSON lines, compressed or not; `NAME=PATH` puts `NAME.` before the names of
            its columns.
        key: the column with the names of treebanks; None for the first.
        missing: as in `join`.
        columns: the columns to read, by default all; other columns in two tables are left out.

    Raises:
        InputError: a file is not a table, or the tables cannot be joined.
    """
    tables = [read_table(*named(path), key=key) for path in paths]
    if columns:
        times = Counter(name for table in tables for name in (*table.numbers, *table.texts))
        chosen = {name for name, n in times.items() if n == 1 or name in columns}
        tables = [
            replace(
                table,
                numbers={name: values for name, values in table.numbers.items() if name in chosen},
                texts={name: values for name, values in table.texts.items() if name in chosen},
            )
            for table in tables
        ]
    return replace(join(tables, missing), key=key)


def named(argument: str) -> tuple[str, str]:
    """Return the path of a table, and the prefix of its column names."""
    name, equals, path = argument.partition("=")
    return (path, name) if equals and name and path and not os.path.exists(argument) else (argument, "")  # noqa: PTH110


def read_table(path: str, name: str = "", *, key: str | None = None) -> Measurements:
    """Read one table; columns without any value are left out."""
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid("the file is not UTF-8 text", path) from error
    every = list(_json_rows(text, path, key) if text.lstrip()[:1] in {"{", "["} else _text_rows(text, path, name, key))
    rows = [row for row in every if not row.treebank.startswith(_SUMMARIES)]
    _check_treebanks(rows, path)
    numbers, texts = {}, {}
    for column in dict.fromkeys(column for row in rows for column in row.cells):
        shown = f"{name}.{column}".removesuffix(".") if name else column
        cells = [row.cells.get(column, "") for row in rows]
        values = [_number(cell) for cell in cells]
        is_text = values.count(None) == len(values)
        faults = [
            Fault(
                "invalid-table", f"{quoted(cell)} in the column {quoted(column)} is not a number", Place(path, row.line)
            )
            for row, cell, value in zip(rows, cells, values)
            if value is None and cell.strip().lower() not in NO_VALUE
        ]
        if faults and is_text:
            texts[shown] = tuple(cells)
        elif faults:
            raise InputError(*faults)
        elif not is_text:
            numbers[shown] = np.array(values, dtype=np.float64)  # None becomes NaN
    if not numbers and not texts:
        raise _invalid("no column has a value", path)
    summaries = (row.treebank for row in every if row.treebank.startswith(_SUMMARIES))
    left_out = tuple(f"{path}: the row {summary!r} is not a treebank" for summary in summaries)
    sources = {path: hashlib.sha256(data).hexdigest()}
    return Measurements(tuple(row.treebank for row in rows), numbers, texts, sources, left_out)


def _check_systems(systems: Iterable[Any], path: str) -> None:
    """Refuse the results of several systems, since they are ambiguous."""
    names = list(dict.fromkeys(map(str, systems)))
    if len(names) > 1:
        raise _invalid(f"several systems ({len(names)}): keep one, rank --system NAME", path)


def _check_treebanks(rows: Sequence[_Row], path: str) -> None:
    if not rows:
        raise _invalid("the table has no rows", path)
    faults: list[Fault] = []
    lines: dict[str, int | None] = {"": None}
    for treebank, _, line in rows:
        if treebank in lines:
            first = f" (first on line {lines[treebank]})" if line else ""
            message = f"{quoted(treebank)} already has a row{first}" if treebank else "the row has no treebank"
            faults.append(Fault("invalid-table", message, Place(path, line)))
        lines.setdefault(treebank, line)
    if faults:
        raise InputError(*faults)


def _invalid(message: str, path: str, line: int | None = None) -> InputError:
    return InputError(Fault("invalid-table", message, Place(path, line)))


def _number(cell: str) -> float | None:
    """The finite number in a cell, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _text_rows(text: str, path: str, name: str, key: str | None) -> Iterator[_Row]:
    """The rows of a table with a header; `#` starts a comment.

    Without a header, `NAME=` before the path names the second of two columns.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    if not lines:
        raise _invalid("the file is empty", path)
    first, head = lines[0]
    delimiter = "\t" if "\t" in head else ";" if ";" in head and "," not in head else ","
    parsed = [(number, _cells(line, delimiter, path, number)) for number, line in lines]
    names = [cell.strip() for cell in parsed[0][1]]
    if len(names) < 2:
        raise _invalid("a table requires a column of treebanks and a column of values", path, first)
    rows = parsed[1:]
    if any(_number(cell) is not None for cell in names):
        if len(names) > 2 or not name:
            message = (
                "the first line has numbers: add a line of column names (for two columns, NAME=TABLE names the second)"
            )
            raise _invalid(message, path, first)
        rows = parsed
        names = ["treebank", ""]
    if repeated := [column for column in names if names.count(column) > 1]:
        raise _invalid(f"two columns are called {quoted(repeated[0])}", path, first)
    if key is not None and key not in names:
        raise InputError(Fault("unknown-column", unknown("column", key, names), Place(path)))
    lower = [column.lower() for column in names]
    by_treebank = lower[:2] == [_SYSTEM, "treebank"]  # as `levelhead rank --by-treebank` writes
    at = int(by_treebank) if key is None else names.index(key)
    faults = [
        Fault("invalid-table", f"the row has {len(cells)} cells, but the header has {len(names)}", Place(path, number))
        for number, cells in rows
        if len(cells) != len(names)
    ]
    if faults:
        raise InputError(*faults)
    if _SYSTEM in lower and lower.index(_SYSTEM) != at and len({cells[at] for _, cells in rows}) < len(rows):
        _check_systems((cells[lower.index(_SYSTEM)] for _, cells in rows), path)
    for number, cells in rows:
        values = {name: cell.strip() for i, (name, cell) in enumerate(zip(names, cells)) if i != at}
        yield _Row(cells[at].strip(), values, number)


def _cells(line: str, delimiter: str, path: str, number: int) -> list[str]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise _invalid(f"the line cannot be read: {error}", path, number) from error
    return [unescaped(cell) for cell in cells] if delimiter == "\t" else cells


def _json_rows(text: str, path: str, key: str | None) -> list[_Row]:
    """The rows of a JSON document, or of several documents, one per line."""
    try:
        try:
            document = json.loads(text)
        except ValueError:  # also for numbers with too many digits
            document = [_parsed(line, path, i) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        records = list(_records(document))
        _check_systems((record[_SYSTEM] for record in records if "test_set" in record), path)
        rows = []
        keys = _KEYS if key is None else (key,)
        for record in records:
            names = [record[name] for name in keys if isinstance(record.get(name), str)]
            gold = record.get("gold")
            if not names and key is None and isinstance(gold, dict) and isinstance(gold.get("path"), str):
                names = [os.path.basename(gold["path"]).partition(".conll")[0]]  # noqa: PTH119 -- as `score` on folders
            if not names:
                raise _invalid(f"a record has no treebank: it requires {' or '.join((key,) if key else _KEYS)}", path)
            rows.append(_Row(names[0].strip(), dict(_flat(record)), None))
    except RecursionError as error:
        raise _invalid("the JSON is nested too deeply", path) from error
    return rows


def _parsed(line: str, path: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise _invalid(f"neither a JSON document nor one per line: {error}", path, number) from error


def _records(document: Any) -> Iterator[Mapping[str, Any]]:
    """The records of treebanks: in a list, in `treebanks` (by name or as a list), or the document itself."""
    if isinstance(document, list):
        for part in document:
            yield from _records(part)
    elif isinstance(document, dict):
        treebanks, results = document.get("treebanks"), document.get("results")
        if document.get("kind") == "ranking" and isinstance(results, list):
            yield from _records(results)
        elif {"test_set", "system", "values"} <= document.keys() and isinstance(document["values"], dict):
            scores = {name: {"value": value} for name, value in document["values"].items()}
            test_set, system = document["test_set"], document["system"]
            yield {"test_set": test_set, "system": system, "treebank": test_set, "scores": scores}
        elif isinstance(treebanks, list):
            yield from _records(treebanks)
        elif isinstance(treebanks, dict):
            yield from ({**part, "treebank": name} for name, part in treebanks.items() if isinstance(part, dict))
        else:
            yield document


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The values of a record as cells; nested values have names with dots, scores and profiles as in tables."""
    for name, value in record.items():
        if not prefix and name in _NOT_MEASURED:
            continue
        if name == "scores" and isinstance(value, dict):
            yield from (
                (measure, _cell(score.get("value")))
                for measure, score in value.items()
                if isinstance(score, dict) and "value" in score
            )
        elif name == "values" and record.get("kind") == "profile" and isinstance(value, dict):
            for column, cell in value.items():  # named as in the wide tables of `levelhead profile`
                parts = {f":{key}": part for key, part in cell.items()} if isinstance(cell, dict) else {"": cell}
                yield from ((f"{column}{key}", _cell(part)) for key, part in parts.items())
        elif isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield f"{prefix}{name}", _cell(value)


def _cell(value: Any) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
