"""Answers in JSON lines and CSV, in a named field."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from levelhead.errors import Fault, InputError, Place, listed, number_of, shortened, unknown
from levelhead.recovery.answer import Answer, decoded

_LONGEST_FIELD = 1 << 29


def json_answers(data: bytes, name: str, field: str | None, id_field: str | None) -> list[Answer]:
    """Return the answers in JSON lines."""
    return list(_json_answers(data, name, field, id_field))


def _json_answers(data: bytes, name: str, field: str | None, id_field: str | None) -> Iterator[Answer]:
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.strip():
            continue
        place = Place(name, number)
        text = decoded(line, name, number)
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(Fault("invalid-answers", f"the line is not JSON: {_reason(error)}", place)) from error
        if not isinstance(record, Mapping):
            raise InputError(Fault("invalid-answers", "the line is not a JSON object with named fields", place))
        value = _inside(record, _named(field, record, place), place)
        given = None if id_field is None else _inside(record, id_field, place)
        answer = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
        yield Answer(answer, None if given is None else str(given))


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))


def _named(field: str | None, record: Mapping[str, Any], place: Place) -> str:
    """Return the field of answers; raise an error if it is not named."""
    if field is None:
        names = listed(list(map(shortened, record)), 20) if record else "none"
        raise InputError(Fault("invalid-answers", f"name the field of answers with --field: {names}", place))
    return field


def _inside(record: Mapping[str, Any], path: str, place: Place) -> Any:
    """Return a field of a record; dots lead into objects and lists."""
    if path in record:
        return record[path]
    value: Any = record
    for name in path.split("."):
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, Mapping) and name in value:
            value = value[name]
        else:
            raise InputError(Fault("invalid-answers", unknown("field", path, map(str, record)), place))
    return value


def csv_answers(data: bytes, name: str, field: str | None, id_field: str | None, delimiter: str) -> list[Answer]:
    """Return the answers in CSV with a header."""
    rows = csv.reader(io.StringIO(decoded(data, name), newline=""), delimiter=delimiter, strict=True)
    with _long_fields():
        try:
            names = next(rows, [])
            column = names.index(_column(field, names, name))
            of_ids = None if id_field is None else names.index(_column(id_field, names, name))
            return [_of_row(row, column, of_ids, Place(name, rows.line_num)) for row in rows if row]
        except csv.Error as error:
            place = Place(name, rows.line_num)
            raise InputError(Fault("invalid-answers", f"the file is not CSV: {error}", place)) from error


@contextmanager
def _long_fields() -> Iterator[None]:
    """Allow fields longer than 128 KiB, as answers can be."""
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _column(field: str | None, names: list[str], name: str) -> str:
    place = Place(name, 1)
    found = _named(field, dict.fromkeys(names), place)
    if found not in names:
        raise InputError(Fault("invalid-answers", unknown("field", found, names), place))
    return found


def _of_row(row: list[str], column: int, of_ids: int | None, place: Place) -> Answer:
    if max(column, of_ids or 0) >= len(row):
        raise InputError(Fault("invalid-answers", f"the row has only {number_of(len(row), 'field')}", place))
    return Answer(row[column], None if of_ids is None else row[of_ids])
