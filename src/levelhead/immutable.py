"""Classes of immutable values.

Creating a frozen dataclass takes Python 0.6 ms and a NamedTuple 0.15 ms, since they compile methods and annotations.
`levelhead score` needs forty such classes at the start, and so few values of each that this was a sixth of its time.
Here nothing is compiled: all classes share their methods, and what `dataclasses` knows about them is made on request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set as AbstractSet
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from types import FunctionType
from typing import Any, NoReturn, TypeVar, dataclass_transform

_FIELDS = "__dataclass_fields__"
_Class = TypeVar("_Class", bound=type[Any])


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(cls: _Class) -> _Class:
    """Make a class a frozen dataclass whose values may be arrays; `fields` and `replace` work with its instances."""
    attributes = vars(cls)
    defaults = dict(getattr(cls, "_field_defaults", {}))  # inherited ones first; a field that is made anew is its own
    for name, annotation in cls.__annotations__.items():
        if "ClassVar" in str(annotation):
            continue
        value = attributes.get(name, MISSING)
        if type(value).__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name} needs a default_factory, since {type(value)} can be changed")
        has_default = isinstance(value, Field) and value.default_factory is MISSING
        defaults[name] = value.default if has_default else value
    keywords = [name for name in defaults if getattr(attributes.get(name), "kw_only", False) is True]
    positional = [name for name in defaults if name not in keywords]
    names = ("self", *positional, *keywords)
    code = _initialize.__code__.replace(
        co_argcount=1 + len(positional), co_kwonlyargcount=len(keywords), co_nlocals=len(names), co_varnames=names
    )
    given = {name: value for name, value in defaults.items() if value is not MISSING}
    initializer = FunctionType(code, globals(), "__init__", tuple(given[name] for name in positional if name in given))
    initializer.__kwdefaults__ = {name: given[name] for name in keywords if name in given}
    initializer.__qualname__ = f"{cls.__qualname__}.__init__"
    initializer.__annotations__ = {**cls.__annotations__, "return": None}
    methods: dict[str, Any] = {"__init__": initializer, "__setattr__": _refuse, "__delattr__": _refuse}
    methods |= {_FIELDS: _Fields(), "_field_defaults": defaults}
    methods["_made_anew"] = tuple(name for name, value in defaults.items() if isinstance(value, Field))
    if "__eq__" not in attributes:
        methods |= {"__eq__": _equal, "__hash__": _hash}
        kept = [name for name in defaults if getattr(attributes.get(name), "compare", True)]
        methods["_compared"] = tuple(kept)
    if getattr(cls, "__repr__", None) in (object.__repr__, _representation):
        methods["__repr__"] = _representation
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the contents of an immutable value; functions only count by their names."""
    from hashlib import sha256
    from json import dumps

    return sha256(dumps(_plain(value)).encode()).hexdigest()


def name_of(function: Callable[..., Any]) -> str:
    return ".".join(getattr(function, key, "") or "?" for key in ("__module__", "__qualname__"))


def _plain(value: Any) -> Any:
    """A value of the types that JSON has."""
    if hasattr(value, "_field_defaults"):
        return {name: _plain(getattr(value, name)) for name in value._field_defaults}
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(content)] for key, content in value.items()]
    if isinstance(value, AbstractSet):
        return sorted(map(_plain, value))
    if isinstance(value, tuple | list):
        return [*map(_plain, value)]
    return name_of(value) if callable(value) else value


class _Fields:
    """What `dataclasses` knows about a class, made when one of its functions first asks for it."""

    def __get__(self, instance: object, owner: type[Any]) -> Mapping[str, Field[Any]]:
        made: Mapping[str, Field[Any]] = vars(dataclass(init=False, repr=False, eq=False)(owner))[_FIELDS]
        return made


def _initialize(self: Any) -> None:
    """`__init__` of every class: the same compiled code, in which the fields are parameters."""
    vars(self).update(locals())  # attributes cannot be set; there are no further local variables
    del vars(self)["self"]
    if self._made_anew:
        _make_anew(self)
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _make_anew(instance: Any) -> None:
    values = vars(instance)
    for name in instance._made_anew:  # noqa: SLF001 -- its own
        if isinstance(values[name], Field):
            values[name] = values[name].default_factory()


def _refuse(self: object, name: str, *value: object) -> NoReturn:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or all(are_equal(getattr(self, name), getattr(other, name)) for name in self._compared)


def are_equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal; arrays, also in lists and mappings, by their contents, NaN equal to NaN."""
    kind = _kind(first)
    if first is second or kind != _kind(second):
        return first is second
    if kind in ("tuple", "list"):
        return len(first) == len(second) and all(map(are_equal, first, second))
    if kind == "mapping":
        return first.keys() == second.keys() and all(are_equal(value, second[key]) for key, value in first.items())
    if kind == "array":
        import numpy as np  # loaded already: one of its values is here

        return np.array_equal(first, second, equal_nan=first.dtype.kind == second.dtype.kind == "f")
    return bool(first == second or (first != first and second != second))  # noqa: PLR0124 -- NaN


def _kind(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "tuple" if isinstance(value, tuple) else "list"
    if isinstance(value, Mapping) and not hasattr(value, "_field_defaults"):
        return "mapping"
    return "hashable" if type(value).__hash__ is not None else "array" if hasattr(value, "dtype") else "other"


def _hash(self: Any) -> int:
    return _hash_of(tuple(getattr(self, name) for name in self._compared))


def _hash_of(value: Any) -> int:
    """The hash of a value, the same for values that are equal by `are_equal`."""
    kind = _kind(value)
    if kind == "tuple":
        return hash(tuple(map(_hash_of, value)))
    try:
        return hash(value) if kind == "hashable" and value == value else 0  # noqa: PLR0124 -- NaN
    except TypeError:  # it holds lists, for example
        return 0


def _representation(self: Any) -> str:
    shown = (f"{item.name}={getattr(self, item.name)!r}" for item in fields(self) if item.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
