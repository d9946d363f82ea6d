"""Fields of records, each defined once: documentation, JSON and JSON Schema come from its entry."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from inspect import cleandoc
from types import MappingProxyType, NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from levelhead.immutable import immutable
from levelhead.tables.documents import points

_Record = TypeVar("_Record")

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@immutable
class Field:
    """The entry of a field, in `Annotated[type, Field(...)]`."""

    about: str  # what it is, as its JSON Schema says it
    limits: tuple[float, ...] = ()  # its lowest and highest value, if it has them; integers are at least 0
    scaled: bool = False  # whether it is a ratio or a difference of ratios, which JSON has in percent or points


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


def record_document(record: Any, *, perplexity: bool = False) -> dict[str, Any]:
    """Return a record for JSON: ratios as percentages, except those of a perplexity."""
    fields = fields_of(cast("Hashable", type(record)))
    document: dict[str, Any] = {}
    for name, value in record._asdict().items():
        if isinstance(value, tuple) and all(hasattr(item, "_asdict") for item in value):
            document[name] = [record_document(item, perplexity=perplexity) for item in value]
        elif fields[name].scaled and not perplexity:
            document[name] = [points(end) for end in value] if isinstance(value, tuple) else points(value)
        else:
            document[name] = value
    return document


def record_schema(record: type) -> dict[str, Any]:
    hints = get_type_hints(record)
    properties = {
        name: _type_schema(hints[name], entry.limits) | {"description": entry.about}
        for name, entry in fields_of(record).items()
    }
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _type_schema(hint: Any, limits: tuple[float, ...] = ()) -> dict[str, Any]:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] if NoneType in get_args(hint) else [hint]
    missing = [None] if NoneType in get_args(hint) else []
    (kind,) = kinds
    if get_origin(kind) is Literal:
        return {"enum": [*get_args(kind), *missing]}
    if hasattr(kind, "_fields"):
        return record_schema(kind)
    if kind == tuple[float, float]:
        return {"$ref": "common.json#/$defs/interval"}
    if get_origin(kind) is tuple:
        item, *others = get_args(kind)
        length = {} if Ellipsis in others else {"minItems": 1 + len(others), "maxItems": 1 + len(others)}
        return {"type": "array", "items": _type_schema(item), **length}
    ends = limits or ((0,) if kind is int else ())
    return {
        "type": [_TYPES[kind], "null"] if missing else _TYPES[kind],
        **dict(zip(("minimum", "maximum"), ends, strict=False)),
    }
