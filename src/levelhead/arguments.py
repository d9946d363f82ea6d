"""Checks of the arguments of public functions, and the errors for invalid values.

A check takes the name of an argument and its value, and returns the value as the function uses it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar, cast

from levelhead.errors import Fault, InputError, quoted, unknown

Check = Callable[[str, Any], Any]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_HAS_VARIABLE_ARGUMENTS = 4
_LARGEST_SHOWN = 10**15

_MOST_TOKENS = 1_000_000_000  # larger than any treebank

LIMITS: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        "beam": (1, 1024),
        "chunk": (1, _MOST_TOKENS),
        "draws": (1, 1_000_000),
        "folds": (2, 1000),
        "jobs": (1, 1024),
        "least": (1, _MOST_TOKENS),
        "limit": (1, None),
        "min-tokens": (0, _MOST_TOKENS),
        "minimum-word-count": (1, None),
        "ngram": (1, 5),
        "places": (0, 15),
        "resamples": (1, 10_000_000),
        "runs": (1, _MOST_TOKENS),
        "samples": (1, 1_000_000),
        "seed": (0, None),
        "units": (1, _MOST_TOKENS),
        "window": (1, _MOST_TOKENS),
    }
)
"""The smallest and largest value by name; None if unlimited. `draws` are the resamples of ranks and tables."""

HIGHEST_LEVEL = 0.999999
"""The highest confidence level: higher levels would be printed as 100%."""

_OPERATORS = {True: ("above", "below"), False: ("at least", "at most")}


def checked(**checks: Check) -> Callable[[_Function], _Function]:
    """Return a decorator that checks the arguments of a function when it is called."""

    def decorate(function: _Function) -> _Function:
        """Return the function with its checks."""
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        rest = (
            code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
            if code.co_flags & _HAS_VARIABLE_ARGUMENTS
            else ""
        )

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            """Check the arguments, then call the function."""
            values = [_checked(checks, names[i] if i < len(names) else rest, one) for i, one in enumerate(given)]
            return function(*values, **{name: _checked(checks, name, one) for name, one in named.items()})

        return cast("_Function", call)

    return decorate


def _checked(checks: Mapping[str, Check], name: str, value: Any) -> Any:
    return checks[name](name, value) if name in checks else value


def refuse(name: str, value: object, expected: str) -> NoReturn:
    """Raise the error for an invalid argument."""
    raise InputError(Fault("invalid-argument", f"{name} must be {expected}, not {_shown(value)}"))


def _shown(value: object) -> str:
    """Return a value for a message: short values themselves, otherwise the type."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < _LARGEST_SHOWN):
        return repr(value)
    if isinstance(value, list | tuple | dict) and not value:
        return repr(value)
    return "a number this large" if isinstance(value, int) else f"a value of the type {type(value).__name__}"


def whole(low: int, high: int | None = None) -> Check:
    """Return the check of a whole number."""
    expected = f"a whole number of at least {low:,}" if high is None else f"a whole number from {low:,} to {high:,}"

    def check(name: str, value: Any) -> int:
        """Return the number."""
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            refuse(name, value, expected)
        try:
            number = int(value.__index__())
        except TypeError:  # an array of several numbers
            refuse(name, value, expected)
        if number < low or (high is not None and number > high):
            refuse(name, number, expected)
        return number

    return check


def limited(name: str) -> Check:
    """Return the check of a whole number, with the same limits as on the command line."""
    return whole(*LIMITS[name])


def number(low: float = -math.inf, high: float = math.inf, *, inside: bool = False) -> Check:
    """Return the check of a finite number."""
    above, below = _OPERATORS[inside]
    limits = [f"{above} {low:g}"] if low > -math.inf else []
    limits += [f"{below} {high:g}"] if high < math.inf else []
    expected = " ".join(["a number", " and ".join(limits)]).strip()

    def check(name: str, value: Any) -> float:
        """Return the number."""
        if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
            refuse(name, value, expected)
        try:
            converted = float(value)
        except (TypeError, ValueError, OverflowError):
            refuse(name, value, expected)
        if not math.isfinite(converted) or not low <= converted <= high or (inside and converted in {low, high}):
            refuse(name, converted, expected)
        return converted

    return check


def confidence_level(name: str, value: Any) -> float:
    """Check a confidence level of intervals."""
    level: float = number(0, 1, inside=True)(name, value)
    if level > HIGHEST_LEVEL:
        refuse(name, level, f"at most {HIGHEST_LEVEL}")
    return level


def flag(name: str, value: Any) -> bool:
    """Check a Boolean value."""
    if type(value).__name__ not in {"bool", "bool_"}:
        refuse(name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Check a string that is not empty."""
    if not isinstance(value, str) or not value:
        refuse(name, value, "a non-empty string")
    return value


def path(name: str, value: Any) -> str | os.PathLike[str]:
    """Check the type of a path of a file or folder; whether it exists is checked when it is opened."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        refuse(name, value, "a path")
    return value


_UNITS = ("auto", "sentence", "document")


def resampling_unit(name: str, value: Any) -> str:
    """Check the independent units of tests: auto, sentence, document or comment:NAME."""
    is_unit = isinstance(value, str) and (value in _UNITS or value.removeprefix("comment:") not in {value, ""})
    if not is_unit:
        refuse(name, value, "auto, sentence, document or comment:NAME")
    return str(value)


def choice(values: Iterable[Any] | Callable[[], Iterable[Any]], kind: str | None = None) -> Check:
    """Return the check of a choice of values; the error suggests a similar value."""

    def check(name: str, value: Any) -> Any:
        """Return the value."""
        known = tuple(values() if callable(values) else values)
        if isinstance(value, type(known[0])) and not isinstance(value, bool) and value in known:
            return value
        if isinstance(value, str) and isinstance(known[0], str):
            raise InputError(Fault("invalid-argument", unknown(kind or name, value, known)))
        return refuse(name, value, f"one of {', '.join(map(str, known))}")

    return check


def optional(check: Check) -> Check:
    """Return a check that also accepts None."""
    return lambda name, value: None if value is None else check(name, value)


def several(check: Check, least: int = 0) -> Check:
    """Return the check of several values; a single value is accepted as well."""

    def check_each(name: str, value: Any) -> list[Any]:
        """Return the values as a list."""
        if not is_list(value):
            return [check(name, value)]
        values = [check(name, one) for one in value]
        if len(values) < least:
            refuse(name, value, f"at least {least} value{'s' if least > 1 else ''}")
        return values

    return check_each


def is_list(value: object) -> bool:
    """Return whether a value is a list or another iterable, but not a string, a path or a mapping."""
    if isinstance(value, str | bytes | os.PathLike | Mapping) or not isinstance(value, Iterable):
        return False
    return not hasattr(value, "ndim") or value.ndim > 0


def mapping(check: Check, what: str) -> Check:
    """Return the check of a mapping of names to values."""

    def check_each(name: str, value: Any) -> dict[str, Any]:
        """Return the mapping."""
        if not isinstance(value, Mapping) or not all(isinstance(key, str) and key for key in value):
            refuse(name, value, what)
        return {key: check(f"{name}[{key!r}]", one) for key, one in value.items()}

    return check_each


def is_path(value: object) -> bool:
    """Return whether a value is a path, or could be one."""
    return isinstance(value, str | os.PathLike)


def either(checks: Collection[tuple[Callable[[Any], bool], Check]], otherwise: Check) -> Check:
    """Return a check that depends on the type of the value."""

    def check(name: str, value: Any) -> Any:
        """Return the value."""
        return next((one for applies, one in checks if applies(value)), otherwise)(name, value)

    return check


_PACKAGES = ("levelhead", "builtins")


def is_instance(value: object, *names: str) -> bool:
    """Return whether a value has a type of levelhead or of Python, by its name: no module is loaded for the check."""
    classes = type(value).__mro__
    return any(kind.__name__ in names and kind.__module__.partition(".")[0] in _PACKAGES for kind in classes)


def instance(names: str, what: str) -> Check:
    """Return the check of an object that has one of the types with these names."""
    of_types = names.split()

    def check(name: str, value: Any) -> Any:
        """Return the object."""
        if not is_instance(value, *of_types):
            refuse(name, value, what)
        return value

    return check
