"""Fields of records, each defined once: documentation and columns of tables come from its entry."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, TypeVar, cast, get_type_hints

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
