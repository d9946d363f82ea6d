"""Groups of options, passed to a command as a single argument."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def grouped(name: str, kind: Any, options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds options to a command and passes their values as a single argument."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the command with the options."""

        @functools.wraps(function)
        def with_one_value(**given: Any) -> Any:
            value = kind(**{field: given.pop(field) for field in kind.__annotations__ if field in given})
            return function(**given, **{name: value})

        decorated: Callable[..., Any] = with_one_value
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
