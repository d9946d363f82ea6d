"""Classes of immutable values.

Creating a frozen dataclass takes Python 0.6 ms and a NamedTuple 0.15 ms, since they compile methods and annotations.
`levelhead score` needs forty such classes at the start, and so few values of each that this was a sixth of its time.
Here nothing is compiled: all classes share their methods, and what `dataclasses` knows about them is made on request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from types import FunctionType
from typing import Any, NoReturn, TypeVar, dataclass_transform

_FIELDS = "__dataclass_fields__"
_Class = TypeVar("_Class", bound=type[Any])


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def immutable(*, eq: bool = False, repr: bool = True) -> Callable[[_Class], _Class]:  # noqa: A002 -- as in dataclasses
    """Return a decorator that makes a class a frozen dataclass; `fields` and `replace` work with its instances."""

    def decorate(cls: _Class) -> _Class:
        """Return the class with its methods."""
        defaults = _defaults(cls)
        methods: dict[str, Any] = {"__init__": _initializer(cls, defaults), _FIELDS: _Fields(cls)}
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "_field_defaults": defaults}
        methods["_made_anew"] = tuple(name for name, value in defaults.items() if isinstance(value, Field))
        if eq:
            methods |= {"__eq__": _equal, "__hash__": _hash}
            methods["_hashed_fields"] = tuple(name for name in defaults if _is_hashed(vars(cls).get(name)))
        if repr and "__repr__" not in vars(cls):
            methods["__repr__"] = _representation
        for name, method in methods.items():
            setattr(cls, name, method)
        return cls

    return decorate


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the contents of an immutable value; functions only count by their names."""
    from hashlib import sha256
    from json import dumps

    return sha256(dumps(_plain(value)).encode()).hexdigest()


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function with its module."""
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

    def __init__(self, cls: type[Any]) -> None:
        self._cls = cls

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Mapping[str, Field[Any]]:
        made: Mapping[str, Field[Any]] = vars(dataclass(init=False, repr=False, eq=False)(self._cls))[_FIELDS]
        return made


def _defaults(cls: type[Any]) -> dict[str, Any]:
    """The default of each field, inherited ones first: MISSING without one, the field itself if it makes each anew."""
    defaults = dict(getattr(cls, "_field_defaults", {}))
    for name in cls.__annotations__:
        value = vars(cls).get(name, MISSING)
        if type(value).__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name} needs a default_factory, since {type(value)} can be changed")
        plain = isinstance(value, Field) and value.default_factory is MISSING
        defaults[name] = value.default if plain else value
    return defaults


def _is_hashed(default: Any) -> bool:
    return not (isinstance(default, Field) and default.hash is False)


def _initializer(cls: type[Any], defaults: Mapping[str, Any]) -> Callable[..., None]:
    """`__init__` with the names of the fields as parameters: the same compiled code for every class."""
    names = ("self", *defaults)
    code = _with_parameters.__code__.replace(co_argcount=len(names), co_nlocals=len(names), co_varnames=names)
    given = tuple(value for value in defaults.values() if value is not MISSING)
    made = FunctionType(code, globals(), "__init__", given)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {**cls.__annotations__, "return": None}
    return made


def _with_parameters(self: Any) -> None:
    _initialize(self, locals())


def _initialize(instance: Any, values: dict[str, Any]) -> None:
    """Write the fields to the instance's dictionary, since attributes cannot be set."""
    del values["self"]
    for name in type(instance)._made_anew:  # noqa: SLF001 -- its own
        if isinstance(values[name], Field):
            values[name] = values[name].default_factory()
    instance.__dict__.update(values)
    if hasattr(instance, "__post_init__"):
        instance.__post_init__()


def _refuse(self: object, name: str, *value: object) -> NoReturn:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or all(getattr(self, name) == getattr(other, name) for name in self._field_defaults)


def _hash(self: Any) -> int:
    return hash(tuple(getattr(self, name) for name in self._hashed_fields))


def _representation(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
