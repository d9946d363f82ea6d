"""Jobs: a module-level function, its arguments, and the key of its result."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from levelhead.errors import LevelheadError


class Job(NamedTuple):
    """Work that can be done on any machine, any number of times, always with the same bytes as its result.

    Args:
        key: the key of the result: a hash of everything that determines it.
        function: the function; workers import it, so it is defined at the top level of a module.
        arguments: its arguments, which are pickled.
        name: the name of the job in messages.
        weight: its share of the work, for the time left; any unit, for example bytes to read.
    """

    key: str
    function: Callable[..., bytes]
    arguments: tuple[Any, ...]
    name: str
    weight: int = 1


class StaleInput(LevelheadError):
    """The input of a job does not match its key: a file changed, or this worker cannot see it."""


def read_only(mapping: Mapping[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a read-only mapping, for unpickling."""
    return MappingProxyType(mapping)


def _reduced(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[dict[Any, Any]]]:
    return read_only, (dict(mapping),)


copyreg.pickle(MappingProxyType, _reduced)  # settings of jobs contain them, and pickle does not support them
