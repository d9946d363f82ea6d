"""Tables by treebank from files: TSV, CSV, and the JSON of levelhead."""

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
from typing import Any, NamedTuple

import numpy as np

from levelhead.correlation.measurements import Measurements, Missing, join
from levelhead.errors import Fault, InputError, Place, quoted, unknown
from levelhead.tables.table import unescaped
from levelhead.treebank.input_bytes import read_bytes

NO_VALUE = frozenset({"", "-", "na", "n/a", "nan", "none", "null"})
"""Cells for a missing value; case is ignored."""

_KEYS = ("treebank", "name", "code", "language")
_NOT_MEASURED = frozenset(
    {"schema", "kind", "signature", "gold", "system", "coverage", "macro_average", "test_set", "path", "units", *_KEYS}
)
_SUMMARIES = ("Macro-average of ", "Total of ", "Average of ")
"""The last row of `levelhead score` on folders, of `profile --total`, of `convert --check`."""

_WITHOUT_HEADER = ("treebank", "")
_SYSTEM = "system"


class _Row(NamedTuple):
    """A treebank with its cells, by column; the line is None in JSON."""

    treebank: str
    cells: Mapping[str, str]
    line: int | None


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
    """Read one table."""
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Fault("invalid-table", "the file is not UTF-8 text", Place(path))) from error
    is_json = text.lstrip()[:1] in {"{", "["}
    rows = list(_json_rows(text, path, key) if is_json else _text_rows(text, path, name, key))
    treebanks = [row for row in rows if not row.treebank.startswith(_SUMMARIES)]
    _check_treebanks(treebanks, path)
    columns = _columns(treebanks, name, path)
    summaries = (row.treebank for row in rows if row.treebank.startswith(_SUMMARIES))
    left_out = tuple(f"{path}: the row {name!r} is not a treebank" for name in summaries)
    digest = hashlib.sha256(data).hexdigest()
    return Measurements(tuple(row.treebank for row in treebanks), *columns, {path: digest}, left_out)


def _columns(
    rows: Sequence[_Row], name: str, path: str
) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, tuple[str, ...]]]:
    """The columns of numbers and those of text; columns without any value are left out."""
    numbers, texts = {}, {}
    for column in dict.fromkeys(column for row in rows for column in row.cells):
        shown = f"{name}.{column}".removesuffix(".") if name else column
        cells = [row.cells.get(column, "") for row in rows]
        values = [_number(cell) for cell in cells]
        not_numbers = [i for i, value in enumerate(values) if value is None and not _is_missing(cells[i])]
        is_text = values.count(None) == len(values)
        if not_numbers and not is_text:
            message = f"in the column {quoted(column)} is not a number"
            wrong = ((f"{quoted(cells[i])} {message}", Place(path, rows[i].line)) for i in not_numbers)
            raise InputError(*(Fault("invalid-table", *fault) for fault in wrong))
        if not is_text:
            numbers[shown] = np.array(values, dtype=np.float64)  # None becomes NaN
        elif not_numbers:
            texts[shown] = tuple(cells)
    if not numbers and not texts:
        raise InputError(Fault("invalid-table", "no column has a value", Place(path)))
    return numbers, texts


def _check_systems(systems: Iterable[Any], path: str) -> None:
    """Refuse the results of several systems, since they are ambiguous."""
    names = list(dict.fromkeys(map(str, systems)))
    if len(names) > 1:
        message = f"several systems ({len(names)}): keep one, rank --system NAME"
        raise InputError(Fault("invalid-table", message, Place(path)))


def _check_treebanks(rows: Sequence[_Row], path: str) -> None:
    if not rows:
        raise InputError(Fault("invalid-table", "the table has no rows", Place(path)))
    faults: list[Fault] = []
    lines: dict[str, int | None] = {}
    for row in rows:
        message = "" if row.treebank else "the row has no treebank"
        if row.treebank in lines:
            first = f" (first on line {lines[row.treebank]})" if row.line else ""
            message = f"{quoted(row.treebank)} already has a row{first}"
        if message:
            faults.append(Fault("invalid-table", message, Place(path, row.line)))
        else:
            lines[row.treebank] = row.line
    if faults:
        raise InputError(*faults)


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in NO_VALUE


def _number(cell: str) -> float | None:
    """The finite number in a cell, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# TSV and CSV


def _text_rows(text: str, path: str, name: str, key: str | None) -> Iterator[_Row]:
    """The rows of a table with a header; `#` starts a comment."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    if not lines:
        raise InputError(Fault("invalid-table", "the file is empty", Place(path)))
    delimiter = "\t" if "\t" in lines[0][1] else ";" if ";" in lines[0][1] and "," not in lines[0][1] else ","
    parsed = [(number, _cells(line, delimiter, path, number)) for number, line in lines]
    names = _column_names(parsed[0][1], name, Place(path, parsed[0][0]))
    rows = parsed if names == list(_WITHOUT_HEADER) else parsed[1:]
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
    if _SYSTEM in lower and lower.index(_SYSTEM) != at:
        system = lower.index(_SYSTEM)
        repeated = len({cells[at] for _, cells in rows}) < len(rows)
        _check_systems((cells[system] for _, cells in rows if repeated), path)
    for number, cells in rows:
        values = {name: cell.strip() for i, (name, cell) in enumerate(zip(names, cells)) if i != at}
        yield _Row(cells[at].strip(), values, number)


def _cells(line: str, delimiter: str, path: str, number: int) -> list[str]:
    try:
        cells = next(csv.reader(io.StringIO(line), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(Fault("invalid-table", f"the line cannot be read: {error}", Place(path, number))) from error
    return [unescaped(cell) for cell in cells] if delimiter == "\t" else cells


def _column_names(header: Sequence[str], name: str, place: Place) -> list[str]:
    """The names in the first line; without a header, `NAME=` before the path names the second of two columns."""
    names = [cell.strip() for cell in header]
    if len(names) < 2:
        raise InputError(Fault("invalid-table", "a table requires a column of treebanks and a column of values", place))
    if any(_number(cell) is not None for cell in names):
        if len(names) == 2 and name:
            return list(_WITHOUT_HEADER)
        message = (
            "the first line has numbers: add a line of column names (for two columns, NAME=TABLE names the second)"
        )
        raise InputError(Fault("invalid-table", message, place))
    for cell in names:
        if names.count(cell) > 1:
            raise InputError(Fault("invalid-table", f"two columns are called {quoted(cell)}", place))
    return names


# JSON


def _json_rows(text: str, path: str, key: str | None) -> list[_Row]:
    """The rows of a JSON document, or of several documents, one per line."""
    try:
        records = list(_records(_parsed(text, path)))
        _check_systems((record[_SYSTEM] for record in records if "test_set" in record), path)
        return [_Row(_treebank_of(record, key, path), dict(_flat(record)), None) for record in records]
    except RecursionError as error:
        raise InputError(Fault("invalid-table", "the JSON is nested too deeply", Place(path))) from error


def _parsed(text: str, path: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # also for numbers with too many digits
        pass
    documents = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            documents += [json.loads(line)] if line.strip() else []
        except ValueError as error:
            message = f"neither a JSON document nor one per line: {error}"
            raise InputError(Fault("invalid-table", message, Place(path, number))) from error
    return documents


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


def _treebank_of(record: Mapping[str, Any], key: str | None, path: str) -> str:
    for name in (key,) if key is not None else _KEYS:
        if isinstance(record.get(name), str):
            return str(record[name]).strip()
    gold = record.get("gold")
    if key is None and isinstance(gold, dict) and isinstance(gold.get("path"), str):
        stem: str = os.path.basename(gold["path"])  # noqa: PTH119 -- as in `levelhead score` on folders
        return stem.partition(".conll")[0]
    message = f"a record has no treebank: it requires {' or '.join((key,) if key else _KEYS)}"
    raise InputError(Fault("invalid-table", message, Place(path)))


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
                parts = (
                    {f"{column}:{key}": part for key, part in cell.items()}
                    if isinstance(cell, dict)
                    else {column: cell}
                )
                yield from ((part, _cell(number)) for part, number in parts.items())
        elif isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield f"{prefix}{name}", _cell(value)


def _cell(value: Any) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
