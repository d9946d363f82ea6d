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
        raise InputError(Fault("invalid-table", "the file is not UTF-8 text", Place(path))) from error
    is_json = text.lstrip()[:1] in {"{", "["}
    every = list(_json_rows(text, path, key) if is_json else _text_rows(text, path, name, key))
    rows = [row for row in every if not row.treebank.startswith(_SUMMARIES)]
    _check_treebanks(rows, path)
    numbers, texts = {}, {}
    for column in dict.fromkeys(column for row in rows for column in row.cells):
        shown = f"{name}.{column}".removesuffix(".") if name else column
        cells = [row.cells.get(column, "") for row in rows]
        values = [_number(cell) for cell in cells]
        is_text = values.count(None) == len(values)
        not_numbers = [
            (quoted(cell), Place(path, row.line))
            for row, cell, value in zip(rows, cells, values)
            if value is None and cell.strip().lower() not in NO_VALUE
        ]
        if not_numbers and not is_text:
            message = f"in the column {quoted(column)} is not a number"
            raise InputError(*(Fault("invalid-table", f"{cell} {message}", place) for cell, place in not_numbers))
        if not is_text:
            numbers[shown] = np.array(values, dtype=np.float64)  # None becomes NaN
        elif not_numbers:
            texts[shown] = tuple(cells)
    if not numbers and not texts:
        raise InputError(Fault("invalid-table", "no column has a value", Place(path)))
    summaries = (row.treebank for row in every if row.treebank.startswith(_SUMMARIES))
    left_out = tuple(f"{path}: the row {summary!r} is not a treebank" for summary in summaries)
    digest = hashlib.sha256(data).hexdigest()
    return Measurements(tuple(row.treebank for row in rows), numbers, texts, {path: digest}, left_out)


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
    lines: dict[str, int | None] = {"": None}
    for treebank, _, line in rows:
        if treebank in lines:
            first = f" (first on line {lines[treebank]})" if line else ""
            message = f"{quoted(treebank)} already has a row{first}" if treebank else "the row has no treebank"
            faults.append(Fault("invalid-table", message, Place(path, line)))
        lines.setdefault(treebank, line)
    if faults:
        raise InputError(*faults)


def _number(cell: str) -> float | None:
    """The finite number in a cell, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# TSV and CSV


def _text_rows(text: str, path: str, name: str, key: str | None) -> Iterator[_Row]:
    """The rows of a table with a header; `#` starts a comment.

    Without a header, `NAME=` before the path names the second of two columns.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    if not lines:
        raise InputError(Fault("invalid-table", "the file is empty", Place(path)))
    delimiter = "\t" if "\t" in lines[0][1] else ";" if ";" in lines[0][1] and "," not in lines[0][1] else ","
    parsed = [(number, _cells(line, delimiter, path, number)) for number, line in lines]
    first, names = Place(path, parsed[0][0]), [cell.strip() for cell in parsed[0][1]]
    if len(names) < 2:
        raise InputError(Fault("invalid-table", "a table requires a column of treebanks and a column of values", first))
    rows = parsed[1:]
    if any(_number(cell) is not None for cell in names):
        if len(names) > 2 or not name:
            message = "the first line has numbers: add a line of column names (for two columns, NAME=TABLE names the"
            raise InputError(Fault("invalid-table", f"{message} second)", first))
        rows, names = parsed, ["treebank", ""]
    repeated = [column for column in names if names.count(column) > 1]
    if repeated:
        raise InputError(Fault("invalid-table", f"two columns are called {quoted(repeated[0])}", first))
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
        cells = next(csv.reader(io.StringIO(line), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(Fault("invalid-table", f"the line cannot be read: {error}", Place(path, number))) from error
    return [unescaped(cell) for cell in cells] if delimiter == "\t" else cells


# JSON


def _json_rows(text: str, path: str, key: str | None) -> list[_Row]:
    """The rows of a JSON document, or of several documents, one per line."""
    try:
        try:
            document = json.loads(text)
        except ValueError:  # also for numbers with too many digits
            document = [_parsed(line, Place(path, i)) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        records = list(_records(document))
        _check_systems((record[_SYSTEM] for record in records if "test_set" in record), path)
        rows = []
        for record in records:
            names = [record[name] for name in ((key,) if key else _KEYS) if isinstance(record.get(name), str)]
            gold = record.get("gold")
            if not names and key is None and isinstance(gold, dict) and isinstance(gold.get("path"), str):
                names = [os.path.basename(gold["path"]).partition(".conll")[0]]  # noqa: PTH119 -- as `score` on folders
            if not names:
                message = f"a record has no treebank: it requires {' or '.join((key,) if key else _KEYS)}"
                raise InputError(Fault("invalid-table", message, Place(path)))
            rows.append(_Row(names[0].strip(), dict(_flat(record)), None))
    except RecursionError as error:
        raise InputError(Fault("invalid-table", "the JSON is nested too deeply", Place(path))) from error
    return rows


def _parsed(line: str, place: Place) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        message = f"neither a JSON document nor one per line: {error}"
        raise InputError(Fault("invalid-table", message, place)) from error


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
