"""Groups of options whose values a command gets as one argument."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def grouped(name: str, kind: Any, options: Sequence[Decorator]) -> Decorator:
    """Return what adds options to a command, which gets their values as one argument.

    Args:
        name: the name of the argument.
        kind: a NamedTuple with a field for each option; those with a default need none.
        options: the options, in the order of the help.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the command with the options."""

        @functools.wraps(function)
        def with_one_value(**given: Any) -> Any:
            value = kind(**{field: given.pop(field) for field in kind._fields if field in given})
            return function(**given, **{name: value})

        decorated: Callable[..., Any] = with_one_value
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
