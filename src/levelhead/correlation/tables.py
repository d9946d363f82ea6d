"""Tables by treebank: from TSV, CSV and JSON files, results and data frames.

Results are read as the TSV that their commands write, and so have the same columns, numbers and hashes as files. A row
per treebank and measure becomes a column per measure.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from levelhead.correlation.measurements import NO_VALUE, Measurements, Missing, join
from levelhead.errors import Fault, InputError, Place, number_of, quoted, unknown
from levelhead.tables.documents import check_document
from levelhead.tables.frames import cells_of_frame, is_frame, text_of_value
from levelhead.tables.writers import data_to_tsv
from levelhead.tabular import Tabular
from levelhead.treebank.input_bytes import read_bytes

_SYSTEM, _TREEBANK, _MEASURE, _VALUE = "system", "treebank", "measure", "value"


class _Cells(NamedTuple):
    """A table of texts."""

    names: Sequence[str]
    rows: Sequence[tuple[int | None, Sequence[str]]]  # the line of each row in a file, and its cells

    def place(self, name: str) -> int | None:
        """Return the index of the first column called `name`, ignoring case; None without such a column."""
        return next((i for i, column in enumerate(self.names) if column.lower() == name), None)


def is_table(source: object) -> bool:
    """Return whether `tables_of` takes a source: a path, a result, a data frame, or a mapping of names to these."""
    if isinstance(source, Mapping) and not isinstance(source, Tabular):
        return bool(source) and all(isinstance(name, str) and is_table(table) for name, table in source.items())
    return isinstance(source, str | os.PathLike | Tabular) or is_frame(source)


def read_tables(
    sources: Iterable[Any], *, key: str | None = None, missing: Missing = "drop", columns: Collection[str] = ()
) -> Measurements:
    """Read tables and join them by treebank.

    Args:
        sources: the tables, as in `levelhead.correlate`; files can be compressed.
        key: the column with the names of treebanks; if None, it is detected.
        missing: how to treat missing values, as in `levelhead.correlate`.
        columns: the columns that must be kept; by default, all. Other columns are left out if several tables have them.

    Raises:
        InputError: a source is not a table, or the tables cannot be joined.
    """
    tables = _with_own_names([table for source in sources for table in tables_of(source, key)])
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


def _with_own_names(tables: Sequence[Measurements]) -> list[Measurements]:
    """Rename sources so that no two tables share a name."""
    taken: dict[str, str] = {}
    renamed = []
    for table in tables:
        sources = {}
        for name, digest in table.sources.items():
            names = chain([name], (f"{name} {number}" for number in count(2)))
            own = next(one for one in names if taken.setdefault(one, digest) == digest)
            sources[own] = digest
        renamed.append(replace(table, sources=sources))
    return renamed


def tables_of(source: Any, key: str | None = None, name: str = "") -> list[Measurements]:
    """Return the table of a path, result or data frame, or those of a mapping of names to these; see `read_tables`."""
    if isinstance(source, Measurements):
        if not name:
            return [source]
        numbers, texts = (
            {f"{name}.{column}": values for column, values in some.items()} for some in (source.numbers, source.texts)
        )
        return [replace(source, numbers=numbers, texts=texts)]  # type: ignore[arg-type]
    if isinstance(source, Mapping) and not isinstance(source, Tabular):
        return [table for own, some in source.items() for table in tables_of(some, key, own)]
    if is_frame(source):
        title = name or "frame"
        cells, key = _cells_of_frame(source, key, title)
        data = "\n".join("\t".join(row) for row in (cells.names, *(row for _, row in cells.rows))).encode()
    else:
        if isinstance(source, Tabular):
            title = name or source.KIND
            chosen = _by_treebank({n: table.names for n, table in source.tables.items()}, key, title)
            data = data_to_tsv(source.tables[chosen]).encode()
        else:
            title, name = (os.fspath(source), name) if name else named(os.fspath(source))
            data = read_bytes(title)
        cells = _cells_of_bytes(data, title, name, key)
    return [_measured(cells, key, title, name, hashlib.sha256(data).hexdigest())]


def named(argument: str) -> tuple[str, str]:
    """Return the path of a table, and the prefix of its column names."""
    name, equals, path = argument.partition("=")
    return (path, name) if equals and name and path and not os.path.exists(argument) else (argument, "")  # noqa: PTH110


def _invalid(message: str, path: str, line: int | None = None) -> InputError:
    return InputError(Fault("invalid-table", message, Place(path, line)))


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _by_treebank(tables: Mapping[str, Collection[str]], key: str | None, title: str) -> str:
    """The main table, if it has treebanks, or else the one of values by treebank and measure, given their columns."""
    at = key or _TREEBANK
    main = next(iter(tables), "")
    if at in tables.get(main, ()):
        return main
    for name, columns in tables.items():
        if {at, _MEASURE, _VALUE} <= {*columns}:
            return name
    raise _invalid(f"the result has no values by treebank: no column {quoted(at)}", title)


def _cells_of_frame(frame: Any, key: str | None, title: str) -> tuple[_Cells, str]:
    """The cells of a data frame, and the column of treebanks: the key, `treebank`, the index, or the first of text."""
    columns = cells_of_frame(frame)
    at = _TREEBANK if key is None and _TREEBANK in columns else key
    if at not in columns:
        index = list(getattr(frame, "index", ()))
        of_text = (name for name, cells in columns.items() if any(_number(cell) is None for cell in cells if cell))
        if index and all(isinstance(value, str) for value in index) and at in {None, frame.index.name}:
            at = at or str(frame.index.name or _TREEBANK)
            columns = {at: index, **columns}
        elif at is None and (at := next(of_text, None)) is None:
            raise _invalid("no text column or index has the names of treebanks", title)
    return _Cells(list(columns), [(None, row) for row in zip(*columns.values(), strict=True)]), str(at)


def _cells_of_bytes(data: bytes, path: str, name: str, key: str | None) -> _Cells:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid("the file is not UTF-8 text", path) from error
    is_json = text.lstrip()[:1] in {"{", "["}
    return _cells_of_json(text, path, key) if is_json else _cells_of_text(text, path, name)


def _cells_of_json(text: str, path: str, key: str | None) -> _Cells:
    """The cells of a result, of a list of rows, or of one row per line."""
    try:
        try:
            document = json.loads(text)
        except ValueError:  # also for numbers with too many digits
            document = [_parsed(line, path, i) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    except RecursionError as error:
        raise _invalid("the JSON is nested too deeply", path) from error
    rows = document if isinstance(document, list) else [document]
    if isinstance(document, dict) and "schema" in document:
        check_document(document, path)
        tables = document["tables"]
        rows = tables[_by_treebank({name: rows[0] if rows else () for name, rows in tables.items()}, key, path)]
    if not all(
        isinstance(row, dict) and not any(isinstance(cell, dict | list) for cell in row.values()) for row in rows
    ):
        raise _invalid("rows must be JSON objects of strings and numbers, unless the file is a result", path)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return _Cells(names, [(None, [text_of_value(row.get(name)) for name in names]) for row in rows])


def _parsed(line: str, path: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise _invalid("the line is not JSON: write one JSON document, or one row per line", path, number) from error


def _cells_of_text(text: str, path: str, name: str) -> _Cells:
    """The cells of CSV or TSV; without a header, `NAME=` before the path names the second of two columns."""
    rows = list(_text_rows(text, path))
    if not rows:
        raise _invalid("the file is empty", path)
    (line, names), *others = rows
    if any(_number(cell) is not None for cell in names):
        if len(names) != 2 or not name:
            message = (
                "the first line has numbers: add a line of column names (for two columns, NAME=TABLE names the second)"
            )
            raise _invalid(message, path, line)
        return _Cells([_TREEBANK, ""], rows)
    return _Cells(names, others)


def _text_rows(text: str, path: str) -> Iterator[tuple[int, list[str]]]:
    head = next((line for line in io.StringIO(text, newline="") if line.strip() and line[0] != "#"), "")
    delimiter = "\t" if "\t" in head else ";" if ";" in head and "," not in head else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row) and row[0][:1] != "#":
                yield line, [cell.strip() for cell in row]
            line = reader.line_num + 1
    except csv.Error as error:
        raise _invalid("the row cannot be read: check its quotation marks", path, line) from error


def _measured(cells: _Cells, key: str | None, path: str, name: str, sha256: str) -> Measurements:
    """The columns of a table; those without any value are left out."""
    _check_shape(cells, key, path)
    at = cells.names.index(key) if key is not None else cells.place(_TREEBANK) or 0
    measure, value = cells.place(_MEASURE), cells.place(_VALUE)
    if measure is None or value is None or at == measure:
        _check_treebanks(cells, at, None, path)
    else:
        _check_treebanks(cells, at, measure, path)
        cells, at = _with_column_per_measure(cells, at, measure, value), 0
    numbers, texts = {}, {}
    for i, column in enumerate(cells.names):
        shown = f"{name}.{column}".removesuffix(".") if name else column
        values = [_number(row[i]) for _, row in cells.rows]
        message = f"in the column {quoted(column)} is not a number"
        faults = [
            Fault("invalid-table", f"{quoted(row[i])} {message}", Place(path, line))
            for (line, row), number in zip(cells.rows, values, strict=True)
            if number is None and row[i].lower() not in NO_VALUE
        ]
        is_text = values.count(None) == len(values)
        if i == at or (is_text and not faults):
            continue
        if is_text:
            texts[shown] = tuple(row[i] for _, row in cells.rows)
        elif faults:
            raise InputError(*faults)
        else:
            numbers[shown] = np.array(values, dtype=np.float64)  # None becomes NaN
    if not numbers and not texts:
        raise _invalid("no column has a value", path)
    return Measurements(tuple(row[at] for _, row in cells.rows), numbers, texts, {path: sha256})


def _with_column_per_measure(cells: _Cells, at: int, measure: int, value: int) -> _Cells:
    """A row per treebank, of rows by treebank and measure; the first column has the treebanks."""
    names = list(dict.fromkeys(row[measure] for _, row in cells.rows))
    found = {(row[at], row[measure]): row[value] for _, row in cells.rows}
    lines = {row[at]: line for line, row in reversed(cells.rows)}
    treebanks = dict.fromkeys(row[at] for _, row in cells.rows)
    rows = [(lines[code], [code, *(found.get((code, name), "") for name in names)]) for code in treebanks]
    return _Cells([_TREEBANK, *names], rows)


def _check_shape(cells: _Cells, key: str | None, path: str) -> None:
    names = cells.names
    if repeated := [name for name in names if names.count(name) > 1]:
        raise _invalid(f"two columns are called {quoted(repeated[0])}", path)
    if key is not None and key not in names:
        raise InputError(Fault("unknown-column", unknown("column", key, names), Place(path)))
    if len(names) < 2:
        raise _invalid("a table requires a column of treebanks and a column of values", path)
    if not cells.rows:
        raise _invalid("the table has no rows", path)
    wrong = [(line, len(row)) for line, row in cells.rows if len(row) != len(names)]
    if wrong:
        raise InputError(
            *(
                Fault("invalid-table", f"{number_of(n, 'cell')}, but the header has {len(names)}", Place(path, line))
                for line, n in wrong
            )
        )


def _check_treebanks(cells: _Cells, at: int, measure: int | None, path: str) -> None:
    """Refuse rows without a treebank, and several rows of a treebank, or of a treebank and measure."""
    faults: list[Fault] = []
    first: dict[tuple[str, str], int | None] = {}
    for line, row in cells.rows:
        own = row[at], "" if measure is None else row[measure]
        if not row[at]:
            faults.append(Fault("invalid-table", "the row has no treebank", Place(path, line)))
        elif own in first:
            what = "row" if measure is None else f"value of {own[1]}"
            before = f" (first on line {first[own]})" if line else ""
            faults.append(Fault("invalid-table", f"{quoted(row[at])} already has a {what}{before}", Place(path, line)))
        first.setdefault(own, line)
    system = cells.place(_SYSTEM)
    systems = {row[system] for _, row in cells.rows} if system is not None and system != at else set()
    if faults and len(systems) > 1:
        raise _invalid(f"several systems ({len(systems)}): keep one, as with rank --system NAME", path)
    if faults:
        raise InputError(*faults)
