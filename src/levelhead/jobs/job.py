"""One job: a function of the module level, what it is given, and the key of its result."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from levelhead.errors import LevelheadError


class Job(NamedTuple):
    """Work that can be done anywhere and any number of times, always with the same bytes as its result.

    Args:
        key: the name of the result: a hash of everything that decides it.
        function: what to call; workers import it, so it is defined at the top of a module.
        arguments: what to call it with; they are pickled.
        name: what to call the job in messages.
        weight: its share of the work, for the time left; any unit, for example bytes to read.
    """

    key: str
    function: Callable[..., bytes]
    arguments: tuple[Any, ...]
    name: str
    weight: int = 1


class StaleInput(LevelheadError):
    """What a job found is not what its key was made of: a file changed, or this worker cannot see it."""


def read_only(mapping: Mapping[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a mapping that cannot be changed: what pickled ones are made of again."""
    return MappingProxyType(mapping)


def _reduced(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[dict[Any, Any]]]:
    return read_only, (dict(mapping),)


copyreg.pickle(MappingProxyType, _reduced)  # settings of jobs hold them, and pickle does not know them
