"""Tables by treebank from files (TSV, CSV, the JSON of levelhead), results and data frames.

Results are read as the TSV that their commands write, and so have the same columns, numbers and hashes as files.
"""

from __future__ import annotations

import csv
import hashlib
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
from levelhead.errors import Fault, InputError, Place, quoted, unknown
from levelhead.tables.frames import cells_of_frame, is_frame
from levelhead.tables.table import unescaped
from levelhead.tables.writers import to_tsv
from levelhead.tabular import Tabular
from levelhead.treebank.input_bytes import read_bytes

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
        key: the column with the names of treebanks, or None.
        missing: as in `join`.
        columns: the columns to read, by default all; other columns in two tables are left out.

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
    """Tables whose sources have names of their own, which results of one type share."""
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
        return [_renamed(source, name) if name else source]
    if isinstance(source, Mapping) and not isinstance(source, Tabular):
        return [table for own, some in source.items() for table in tables_of(some, key, own)]
    if isinstance(source, Tabular):
        return [_table_of_result(source, name, key)]
    if is_frame(source):
        return [_table_of_frame(source, name, key)]
    path, own = (os.fspath(source), name) if name else named(os.fspath(source))
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid("the file is not UTF-8 text", path) from error
    rows = _json_rows(text, path, key) if text.lstrip()[:1] in {"{", "["} else _text_rows(text, path, own, key)
    return [_measured(rows, path, own, hashlib.sha256(data).hexdigest())]


def named(argument: str) -> tuple[str, str]:
    """Return the path of a table, and the prefix of its column names."""
    name, equals, path = argument.partition("=")
    return (path, name) if equals and name and path and not os.path.exists(argument) else (argument, "")  # noqa: PTH110


def _renamed(table: Measurements, name: str) -> Measurements:
    numbers = {f"{name}.{column}": values for column, values in table.numbers.items()}
    return replace(table, numbers=numbers, texts={f"{name}.{column}": cells for column, cells in table.texts.items()})


def _table_of_result(result: Tabular, name: str, key: str | None) -> Measurements:
    """The table that the command of a result writes as TSV."""
    title = name or type(result).__name__.lower()
    by_treebank = {"by_treebank": True} if "by_treebank" in type(result).table.__code__.co_varnames else {}
    table = result.table(**by_treebank)
    heads = [column.name.lower() for column in table.columns[:2]]
    if key is None and heads[0] not in _KEYS and heads != [_SYSTEM, "treebank"]:
        raise _invalid(f"a result of the type {type(result).__name__} has no row per treebank", title)
    text = to_tsv(table)
    return _measured(_text_rows(text, title, name, key), title, name, hashlib.sha256(text.encode()).hexdigest())


def _table_of_frame(frame: Any, name: str, key: str | None) -> Measurements:
    """The table of a data frame: the index or the first column of text has the names of treebanks, unless given."""
    title = name or "frame"
    cells = cells_of_frame(frame)
    of_text = [column for column, values in cells.items() if any(_number(value) is None for value in values if value)]
    index, at = list(getattr(frame, "index", ())), key
    if at is None or at not in cells:
        if index and all(isinstance(value, str) for value in index) and key in {None, frame.index.name}:
            at = key or str(frame.index.name or "treebank")
            cells = {at: index, **{column: values for column, values in cells.items() if column != at}}
        elif key is not None:
            raise InputError(Fault("unknown-column", unknown("column", key, list(cells)), Place(title)))
        elif not of_text:
            raise _invalid("no column of text, and no index, has the names of treebanks", title)
    rows = list(zip(*cells.values(), strict=True))
    names = list(cells)
    lower = [column.lower() for column in names]
    first = at or (of_text[1] if lower[:2] == [_SYSTEM, "treebank"] and len(of_text) > 1 else of_text[0])
    text = "\n".join("\t".join(row) for row in (names, *rows))
    found = _table_rows(names, list(enumerate(rows, 1)), title, first)
    return _measured((row._replace(line=None) for row in found), title, name, hashlib.sha256(text.encode()).hexdigest())


def _measured(every: Iterable[_Row], path: str, name: str, sha256: str) -> Measurements:
    """Rows as a table; columns without any value are left out."""
    every = list(every)
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
    return Measurements(tuple(row.treebank for row in rows), numbers, texts, {path: sha256}, left_out)


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
    yield from _table_rows(names, rows, path, key)


def _table_rows(
    names: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], path: str, key: str | None
) -> Iterator[_Row]:
    """The rows of a table, given the names of columns, and the cells of each line by its number."""
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
