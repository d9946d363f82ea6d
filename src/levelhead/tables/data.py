"""The data of results: named tables of typed columns, from which JSON, JSON Schemas, TSV and data frames are made.

The columns of a table are the fields of a record class: their types and units are the annotations, their descriptions
are the lines of the docstring, or the entry of a `Field`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import cleandoc
from itertools import groupby, islice
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from levelhead.errors import number_of
from levelhead.immutable import immutable

_Record = TypeVar("_Record")


@immutable
class Field:
    """The entry of a field, in `Annotated[type, Field(...)]`."""

    about: str  # what it is, as the description of its column says it
    limits: tuple[float, ...] = ()  # its lowest and highest value, if it has them; integers are at least 0


@cache
def fields_of(record: Hashable) -> Mapping[str, Any]:
    hints = get_type_hints(record, include_extras=True)
    return MappingProxyType({name: hint.__metadata__[0] for name, hint in hints.items()})


def documented(record: type[_Record]) -> type[_Record]:
    """Add the fields of a record class to its docstring."""
    texts = {name: entry.about.replace("null", "None") for name, entry in fields_of(cast("Hashable", record)).items()}
    lines = (f"    {name}: {text[0].lower()}{text[1:]}." for name, text in texts.items())
    record.__doc__ = "\n".join([cleandoc(record.__doc__ or ""), "", "Args:", *lines])
    return record


Percent = Annotated[float, "percent"]  # a score, share or bound: from 0 to 100
Points = Annotated[float, "points"]  # a difference of percentages
Probability = Annotated[float, "probability"]  # from 0 to 1
Change = Annotated[int, "change"]  # a difference of counts, which can be negative
PercentInterval = tuple[Percent, Percent]
PointsInterval = tuple[Points, Points]
NOT_A_COLUMN = "not a column"  # the mark of a field of records that tables leave out

DataType = Literal["text", "integer", "number", "boolean"]
Value = str | int | float | None  # a boolean is an integer

_TYPES: Mapping[type, DataType] = {str: "text", int: "integer", float: "number", bool: "boolean"}
_CLASSES: Mapping[DataType, tuple[type, ...]] = {
    "text": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
}  # fmt: skip
_JSON_TYPES = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
_LIMITS: Mapping[str, tuple[float, ...]] = {
    "percent": (0, 100), "points": (-100, 100), "probability": (0, 1), "change": (),
}  # fmt: skip


def share(part: float, whole: float) -> float | None:
    """Return `part` as a percentage of `whole`, or None if `whole` is 0."""
    return 100 * part / whole if whole else None


class DataColumn(NamedTuple):
    """A column of data.

    Args:
        name: the name of the column, in snake case. A name with braces stands for several columns, such as
            `{measure}_correct` for a column per measure.
        type: "text", "integer", "number" or "boolean".
        about: the description of the column.
        unit: "percent", "points", "probability" or another unit; empty for values without a unit.
        optional: whether values can be missing.
        choices: the possible values of a text column; empty if any text is possible.
        limits: the lowest and the highest possible value, as far as known.
        always: whether every result has the column; False if it must be requested.
    """

    name: str
    type: DataType
    about: str
    unit: str = ""
    optional: bool = False
    choices: tuple[str, ...] = ()
    limits: tuple[float, ...] = ()
    always: bool = True

    @property
    def is_pattern(self) -> bool:
        """Whether the column stands for several columns."""
        return "{" in self.name


TREEBANK_COLUMN = DataColumn("treebank", "text", "The treebank")
SYSTEM_COLUMN = DataColumn("system", "text", "The system")
MEASURE_COLUMN = DataColumn("measure", "text", "The measure")


class DataTable(NamedTuple):
    """A table of data.

    Args:
        columns: the columns.
        rows: the rows, each with a value for each column; None is a missing value.
    """

    columns: tuple[DataColumn, ...]
    rows: Sequence[Sequence[Value]]

    def __repr__(self) -> str:
        return f"<DataTable: {number_of(len(self.rows), 'row')}, {number_of(len(self.columns), 'column')}>"

    def _repr_html_(self) -> str:
        from levelhead.tables.table import first_rows
        from levelhead.tables.writers import to_notebook

        return to_notebook(first_rows(self))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def documents(self) -> list[dict[str, Value]]:
        """Return the rows as JSON objects."""
        names = self.names
        return [dict(zip(names, row, strict=True)) for row in self.rows]


Part = type | DataColumn  # a record class, or a further column
Layout = tuple[Part, ...]  # the columns of a table, side by side


def table_of(layout: Layout, rows: Iterable[Any]) -> DataTable:
    """Return the table of rows, each of which is a record, or a tuple with one record or value for each part."""
    columns = columns_in(layout)
    several = len(layout) > 1
    return DataTable(columns, [tuple(_values(layout, row if several else (row,))) for row in rows])


def data_of_documents(layout: Layout, documents: Iterable[Mapping[str, Value]]) -> DataTable:
    """Return a table of data from its rows in JSON."""
    rows = [dict(document) for document in documents]
    columns = list[DataColumn]()
    fixed = {column.name for column in columns_in(layout) if not column.is_pattern}
    for are_patterns, group in groupby(columns_in(layout), lambda column: column.is_pattern):
        if not are_patterns:
            columns += (column for column in group if column.always or (rows and column.name in rows[0]))
            continue
        patterns = list(group)
        for name in (name for name in (rows[0] if rows else ()) if name not in fixed):
            meant = (column for column in patterns if re.fullmatch(_pattern(column.name), name))
            columns += (column._replace(name=name) for column in islice(meant, 1))
    names = [column.name for column in columns]
    if wrong := next((row for row in rows if row.keys() != set(names)), None):
        raise ValueError(f"a row has the columns {', '.join(wrong)} instead of {', '.join(names)}")
    for i, column in enumerate(columns):
        allowed = (*_CLASSES[column.type], *([NoneType] if column.optional else []))
        kinds = {type(row[column.name]) for row in rows}
        if column.name not in fixed and kinds <= {int, NoneType}:  # counts without weights
            columns[i] = column._replace(type="integer")
        for kind in kinds:
            if not issubclass(kind, allowed) or (kind is bool and column.type != "boolean"):
                raise ValueError(f"the column {column.name} has a value of the type {kind.__name__}, not {column.type}")
    return DataTable(tuple(columns), [tuple(row[name] for name in names) for row in rows])


def columns_in(layout: Layout) -> tuple[DataColumn, ...]:
    return tuple(
        column for part in layout for column in ((part,) if isinstance(part, DataColumn) else columns_of(part))
    )


def _values(layout: Layout, row: Iterable[Any]) -> Iterator[Value]:
    for part, value in zip(layout, row, strict=True):
        if isinstance(part, DataColumn):
            yield value
        elif value is None:
            yield from (None for _ in columns_of(part))
        else:
            for name, columns, nested in _fields(part):
                cell = getattr(value, name)
                if nested is not None:
                    yield from _values((nested,), (cell,))
                elif len(columns) == 2:
                    yield from (None, None) if cell is None else cell
                else:
                    yield cell


@cache
def columns_of(record: type) -> tuple[DataColumn, ...]:
    """Return the columns of a record class; intervals and records are several, and marked fields are left out."""
    return tuple(column for _, columns, _ in _fields(record) for column in columns)


@cache
def _fields(record: type) -> tuple[tuple[str, tuple[DataColumn, ...], type | None], ...]:
    """Return each field with columns, these columns, and its class if it is a record."""
    abouts = _descriptions(record)
    hints = get_type_hints(record, include_extras=True)
    return tuple(
        (name, columns, kind if hasattr(kind, "_fields") else None)
        for name, hint in hints.items()
        if (columns := tuple(_columns(name, hint, abouts.get(name, ""))))
        for kind, _, _ in [_unwrapped(hint)]
    )


def _unwrapped(hint: Any) -> tuple[Any, list[Any], bool]:
    """The type in a hint, the marks of its units and entries, and whether it can be None."""
    marks, optional = list[Any](), False
    while get_origin(hint) is Annotated or NoneType in get_args(hint):
        if NoneType in get_args(hint):
            optional = True
            (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
        else:
            marks += hint.__metadata__
            hint = hint.__origin__
    return hint, marks, optional


def _columns(name: str, hint: Any, about: str) -> Iterator[DataColumn]:
    hint, marks, optional = _unwrapped(hint)
    unit = next((mark for mark in reversed(marks) if isinstance(mark, str)), "")
    entry = next((mark for mark in marks if isinstance(mark, Field)), None)
    if unit == NOT_A_COLUMN:
        return
    about, limits = (entry.about, entry.limits) if entry else (about, ())
    about = re.sub(r"\bNone\b", "null", about.rstrip("."))
    if hasattr(hint, "_fields"):  # `value` has the name of the record, and other fields begin with it
        for inner in columns_of(hint):
            column = inner._replace(unit=inner.unit or unit, optional=optional or inner.optional)
            if inner.name == "value":
                yield column._replace(name=name, about=about)
            else:
                yield column._replace(name=f"{name}_{inner.name}", about=f"{about}: {inner.about}")
        return
    if get_origin(hint) is tuple and len(get_args(hint)) == 2:
        prefix = name.removesuffix("interval")
        for kind, end, which in zip(get_args(hint), ("low", "high"), ("lower end", "upper end"), strict=True):
            (column,) = _columns(f"{prefix}{end}", kind, f"{about}: {which}")
            yield column._replace(unit=column.unit or unit, optional=optional)
        return
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    kind = str if choices else hint
    if kind not in _TYPES:
        raise TypeError(f"a column cannot be {hint}: {name}")
    limits = limits or _LIMITS.get(unit, (0,) if kind is int else ())
    yield DataColumn(name, _TYPES[kind], about, "" if unit == "change" else unit, optional, choices, limits)


def _descriptions(record: type) -> dict[str, str]:
    """Return what the lines below "Args:" in a docstring say about each field, with an initial capital."""
    _, _, text = (record.__doc__ or "").partition("Args:\n")
    text = re.split(r"\n\s*\n", text)[0]
    found = re.findall(r"^\s+(\w+): (.*(?:\n\s{8,}(?!\w+: ).*)*)", text, re.MULTILINE)
    sentences = {name: " ".join(about.split()).rstrip(".") for name, about in found}
    return {name: about[:1].upper() + about[1:] for name, about in sentences.items()}


def schema_of_rows(layout: Layout) -> dict[str, Any]:
    columns = columns_in(layout)
    properties = {column.name: _schema(column) for column in columns if not column.is_pattern}
    patterns = {_pattern(column.name, properties): _schema(column) for column in columns if column.is_pattern}
    required = [column.name for column in columns if column.always and not column.is_pattern]
    row: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    row |= {"patternProperties": patterns} if patterns else {}
    return {"type": "array", "items": {**row, "additionalProperties": False}}


def _pattern(name: str, fixed: Iterable[str] = ()) -> str:
    """Return the regular expression for the names of columns that a name with braces stands for, unlike fixed names."""
    pattern = "".join(".+" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{\w+\})", name)) + "$"
    return "^" + "".join(f"(?!{other}$)" for other in fixed if re.match(pattern, other)) + pattern


def _schema(column: DataColumn) -> dict[str, Any]:
    about = f"{column.about}; {column.unit}" if column.unit else column.about
    if column.choices:
        return {"enum": [*column.choices, *([None] if column.optional else [])], "description": about}
    kind = _JSON_TYPES[column.type]
    return {
        "type": [kind, "null"] if column.optional else kind,
        **dict(zip(("minimum", "maximum"), column.limits, strict=False)),
        "description": about,
    }
