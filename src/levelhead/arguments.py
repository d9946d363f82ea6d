"""Checks of the arguments of public functions, and the errors for invalid values."""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias, TypeVar

from levelhead.errors import Fault, InputError, listed, quoted, unknown

_Function = TypeVar("_Function", bound=Callable[..., Any])

Kind: TypeAlias = "str | tuple[Any, ...] | Callable[[str, Any], Any] | None"
"""What an argument can be:

    None                                    anything
    "flag", "text", "path" ...              a single value, see `_SINGLE`; "level", a confidence level
    ("whole", low, high)                    a whole number; without upper limit if `high` is None
    ("number", low, high, expected)         a finite number
    ("one of", choices, noun)               the choices can be a function that loads them; the noun is for messages
    ("object", names, expected)             an object that has one of the types with these names
    ("optional", kind)                      also None
    ("list", kind, least)                   several values, at least so many; a single value becomes a list
    ("mapping", kind, expected)             names with values
    ("either", kind ...)                    the first kind that has the type of the value; otherwise the last
    a function                              takes the name of the argument and its value, and returns the value

Objects are recognized by the names of their types, so that no module is loaded for a check.
"""

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
        "limit": (0, None),
        "min-tokens": (0, _MOST_TOKENS),
        "minimum-word-count": (1, None),
        "ngram": (1, 5),
        "places": (0, 15),
        "runs": (1, _MOST_TOKENS),
        "samples": (1, 1_000_000),
        "seed": (0, None),
        "units": (1, _MOST_TOKENS),
        "window": (1, _MOST_TOKENS),
    }
)
"""The smallest and largest value by name; None if unlimited. `draws` are permutations."""

HIGHEST_LEVEL = 0.999999
"""The highest confidence level: higher levels would be printed as 100%."""

_LARGEST = sys.float_info.max

NUMBER = ("number", -_LARGEST, _LARGEST, "a number")
NOT_NEGATIVE = ("number", 0, _LARGEST, "a number at least 0")
FRACTION = ("number", math.ulp(0), math.nextafter(1, 0), "a number above 0 and below 1")

_CONVERTERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType({"whole": operator.index, "number": float})
_PACKAGES = ("levelhead", "builtins")
DOCUMENTS = frozenset({"spacy.Doc", "stanza.Document"})
"""The types of other libraries of which several are one treebank."""

_TREEBANKS = DOCUMENTS | {"levelhead.Treebank", "levelhead.Recovery", "pandas.DataFrame", "polars.DataFrame"}
_PATHS = (str, os.PathLike)
_UNITS = ("auto", "sentence", "document")

_SINGLE: Mapping[str, tuple[Any, Callable[[Any], Any], str]] = MappingProxyType(
    {
        "flag": (object, lambda value: type(value).__name__ in {"bool", "bool_"}, "True or False"),
        "text": (str, bool, "a non-empty string"),
        "string": (str, lambda _: True, "a string"),
        "path": (_PATHS, os.fspath, "a path"),  # whether it exists is checked when it is opened
        "float": (float, lambda _: True, "a number"),
        "any mapping": (Mapping, lambda _: True, "a mapping"),
        "function": (object, callable, "a function"),
        "unit": (
            str,
            lambda value: value in _UNITS or value.removeprefix("comment:") not in {value, ""},
            "auto, sentence, document or comment:NAME",
        ),
    }
)
"""The type of a single value, the test of values of this type, and what is expected, for messages."""


def checked(shared: Mapping[str, Kind] = MappingProxyType({}), /, **own: Kind) -> Callable[[_Function], _Function]:
    """Return a decorator that checks arguments of a function when it is called: its own, and by name or annotation."""
    return partial(_with_checks, shared, own)


def _with_checks(shared: Mapping[str, Kind], own: dict[str, Kind], function: _Function) -> _Function:
    kinds = {name: shared.get(name, shared.get(hint)) for name, hint in function.__annotations__.items()} | own
    code = function.__code__
    n_named = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[: code.co_argcount]
    several = code.co_flags & 4  # *args
    rest = code.co_varnames[n_named] if several else ""

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        positional = zip_longest(names[: len(given)], given, fillvalue=rest)
        values = [check(name, value, kinds.get(name)) for name, value in positional]
        return function(*values, **{name: check(name, value, kinds.get(name)) for name, value in named.items()})

    call.kinds = kinds  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def check(name: str, value: Any, kind: Kind) -> Any:
    """Return the value of an argument as the function uses it; an error names the argument."""
    match kind:
        case None:
            return value
        case "optional", inner:
            return None if value is None else check(name, value, inner)
        case "either", *kinds, last:
            return check(name, value, next((kind for kind in kinds if _has_type(value, kind)), last))
        case "list", inner, *least:
            values = [check(name, item, inner) for item in (value if is_list(value) else [value])]
            if least and len(values) < least[0]:
                refuse(name, value, f"at least {least[0]} value{'s' if least[0] > 1 else ''}")
            return values
        case "mapping", inner, expected:
            if not isinstance(value, Mapping) or not all(isinstance(key, str) and key for key in value):
                refuse(name, value, expected)
            return {key: check(f"{name}[{key!r}]", item, inner) for key, item in value.items()}
        case "object", _, expected:
            return value if _has_type(value, kind) else refuse(name, value, expected)
        case str() | tuple():
            return _checked_single(name, value, kind)
    return kind(name, value)


def _has_type(value: object, kind: Any) -> bool:
    """Return whether a value has the type of a kind, so that no other kind applies to it."""
    match kind:
        case "object", names, *_:
            return is_instance(value, *names.split())
        case "mapping", *_:
            return isinstance(value, Mapping)
        case "list", *_:
            return is_list(value)
        case "one of", *_:
            return isinstance(value, str)
    return isinstance(value, _SINGLE[kind][0])


def _checked_single(name: str, value: Any, kind: str | tuple[Any, ...]) -> Any:
    match kind:
        case "one of", choices, *noun:
            values = tuple(choices() if callable(choices) else choices)
            if isinstance(value, type(values[0])) and not isinstance(value, bool) and value in values:
                return value
            if isinstance(value, str) and isinstance(values[0], str):
                raise InputError(Fault("invalid-argument", unknown(noun[0] if noun else name, value, values)))
            refuse(name, value, f"one of {', '.join(map(str, values))}")
        case ("whole" | "number") as sort, low, high, *about:
            limits = f"of at least {low:,}" if high is None else f"from {low:,} to {high:,}"
            expected = about[0] if about else f"a whole number {limits}"
            try:
                number = None if isinstance(value, str | bytes | bool) else _CONVERTERS[sort](value)
            except (TypeError, ValueError, OverflowError):  # such as an array of several numbers
                number = None
            if number is None:
                refuse(name, value, expected)
            return number if low <= number <= (math.inf if high is None else high) else refuse(name, number, expected)
        case "level":
            level = check(name, value, FRACTION)
            return level if level <= HIGHEST_LEVEL else refuse(name, level, f"at most {HIGHEST_LEVEL}")
    types, test, expected = _SINGLE[str(kind)]
    if not isinstance(value, types) or not test(value):
        refuse(name, value, expected)
    return bool(value) if kind == "flag" else value


def refuse(name: str, value: object, expected: str) -> NoReturn:
    """Raise the error for an invalid argument, with a short value itself, otherwise with its type."""
    shown = f"a value of the type {type(value).__name__}"
    if isinstance(value, Mapping) and value:
        shown = (
            f"a mapping with the keys {listed([quoted(key) if isinstance(key, str) else repr(key) for key in value])}"
        )
    elif is_instance(value, "LoadedResult"):
        shown = f"a loaded {value.KIND}, which has only tables: compute the result again"  # type: ignore[attr-defined]
    elif isinstance(value, list | tuple) and value:
        shown = f"a {type(value).__name__} of {listed(sorted({type(item).__name__ for item in value}))}"
    elif isinstance(value, str):
        shown = quoted(value)
    elif isinstance(value, int) and abs(value) >= _LARGEST_SHOWN:
        shown = "a number this large"
    elif value is None or isinstance(value, int | float) or (isinstance(value, list | tuple | dict) and not value):
        shown = repr(value)
    raise InputError(Fault("invalid-argument", f"{name} must be {expected}, not {shown}"))


def is_list(value: object) -> bool:
    """Return whether a value is an iterable, but not a string, a path, a mapping or an object that holds a treebank."""
    if isinstance(value, str | bytes | os.PathLike | Mapping) or not isinstance(value, Iterable):
        return False
    return (not hasattr(value, "ndim") or value.ndim > 0) and type_of_treebank(value) is None


def type_of_treebank(value: object) -> str | None:
    """Return the package and name of the type of an object that holds a treebank, such as a spaCy Doc; or None."""
    names = (f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(value).__mro__)
    return next((name for name in names if name in _TREEBANKS), None)


def is_instance(value: object, *names: str) -> bool:
    """Return whether a value has one of these types of levelhead or of Python, by their names."""
    classes = type(value).__mro__
    return any(kind.__name__ in names and kind.__module__.partition(".")[0] in _PACKAGES for kind in classes)


def is_collection(gold: object) -> bool:
    """Return whether gold is a folder, a manifest or a mapping of test sets, not a single treebank."""
    if isinstance(gold, str | os.PathLike):
        return os.fspath(gold).endswith(".toml") or os.path.isdir(gold)  # noqa: PTH112 -- pathlib is slow to load
    return isinstance(gold, Mapping)
