"""Classes of immutable values.

Creating a frozen dataclass takes Python 0.6 ms, since it compiles up to six methods. `levelhead score` needs twenty
such classes at the start, a sixth of its time. Here only `__init__` is compiled; all classes share the other methods.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform

_Class = TypeVar("_Class", bound=type[Any])


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def immutable(*, eq: bool = False, repr: bool = True) -> Callable[[_Class], _Class]:  # noqa: A002 -- as in dataclasses
    """Return a decorator that makes a class a frozen dataclass; `fields` and `replace` work with its instances.

    Args:
        eq: whether instances with equal fields are equal; by default, an instance is equal only to itself.
        repr: whether to add a `__repr__` with all fields, unless the class defines its own.
    """

    def decorate(cls: _Class) -> _Class:
        """Return the class with its methods."""
        dataclass(init=False, repr=False, eq=False)(cls)
        methods: dict[str, Any] = {"__init__": _initializer(cls), "__setattr__": _refuse, "__delattr__": _refuse}
        if eq:
            methods |= {"__eq__": _equal, "__hash__": _hash}
        if repr and "__repr__" not in vars(cls):
            methods["__repr__"] = _representation
        for name, method in methods.items():
            setattr(cls, name, method)
        return cls

    return decorate


def _initializer(cls: type[Any]) -> Callable[..., None]:
    """Compile `__init__`, which writes to the instance's dictionary since attributes cannot be set."""
    every = fields(cls)
    defaults = {f"_{one.name}": _default(one) for one in every if _default(one) is not MISSING}
    parameters = (f"{one.name}=_{one.name}" if f"_{one.name}" in defaults else one.name for one in every)
    lines = [f"def make({', '.join(defaults)}):", f" def __init__(self, {', '.join(parameters)}):"]
    lines.append("  to = self.__dict__")
    for one in every:
        made_anew = one.default_factory is not MISSING
        value = f"_{one.name}() if {one.name} is _{one.name} else {one.name}" if made_anew else one.name
        lines.append(f"  to['{one.name}'] = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    lines.append(" return __init__")
    names: dict[str, Any] = {}
    exec("\n".join(lines), vars(sys.modules[cls.__module__]), names)  # noqa: S102 -- of names of fields, as dataclasses do
    made: Callable[..., None] = names["make"](**defaults)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {**{one.name: one.type for one in every}, "return": None}
    return made


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory


def _refuse(self: object, name: str, *value: object) -> NoReturn:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or all(getattr(self, one.name) == getattr(other, one.name) for one in fields(self))


def _hash(self: Any) -> int:
    return hash(tuple(getattr(self, one.name) for one in fields(self) if one.hash is not False))


def _representation(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
