"""Progress bars with the time left, on terminals only."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Protocol, TypeVar

Item = TypeVar("Item")

_SECONDS_OF_SPEED = 7 * 24 * 3600.0  # by default rich looks back 30 s, too short for long jobs
_SECONDS_BEFORE_BAR = 1.0


class Advance(Protocol):
    """A function that advances a bar."""

    def __call__(self, amount: int, jobs: int = 1, /) -> None:
        """Advance by the weight and the number of finished jobs."""


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress_bar(what: str, n_jobs: int = 0, weight: int | None = None, unit: str = "") -> Iterator[Advance]:
    """Show a bar if standard error is a terminal; yields a function to call with the weight of each finished job."""
    if not _on_terminal():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    done = TextColumn(f"{{task.fields[done]:,}} {unit or f'of {n_jobs}'}")
    counted = (BarColumn(), done, TimeRemainingColumn())
    columns = counted if weight is not None else (SpinnerColumn(), *([done] if unit else []), TimeElapsedColumn())
    with Progress(
        TextColumn("{task.description}"), *columns, console=Console(stderr=True), transient=True,
        speed_estimate_period=_SECONDS_OF_SPEED,
    ) as bar:  # fmt: skip
        task = bar.add_task(what, total=None if weight is None else max(1, weight), done=0)
        n_done = 0

        def advance(amount: int, jobs: int = 1) -> None:
            nonlocal n_done
            n_done += jobs
            bar.update(task, advance=amount, done=n_done)

        yield advance


@contextmanager
def tracked(items: Collection[Item], what: str) -> Iterator[Iterator[Item]]:
    """Yield an iterator over items; after a second, show how many are done. Nothing is shown for a single item."""

    def counted(advance: Callable[[int], None]) -> Iterator[Item]:
        for item in items:
            yield item
            advance(1)

    if len(items) < 2:
        yield iter(items)
    else:
        with _after_a_second(lambda: progress_bar(what, len(items), len(items)), len(items)) as advance:
            yield counted(advance)


def counting(what: str, total: int) -> AbstractContextManager[Callable[[int], None] | None]:
    """Return a function to call with the number of items just done, which shows a bar after a second."""
    return _after_a_second(lambda: progress_bar(what, total, total), total) if _on_terminal() else nullcontext()


def counter(what: str, unit: str) -> AbstractContextManager[Callable[[int], None]]:
    """Show how much is done, after a second, if the total is unknown, as for a file read in pieces."""
    return _after_a_second(lambda: progress_bar(what, unit=unit))


@contextmanager
def _after_a_second(
    show: Callable[[], AbstractContextManager[Advance]], total: float = math.inf
) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with a number of finished items; they are shown after a second, if more follow."""
    begun, n_done = time.monotonic(), 0
    shown: Advance | None = None
    with ExitStack() as stack:

        def advance(amount: int) -> None:
            nonlocal n_done, shown
            n_done += amount
            if shown is not None:
                shown(amount, amount)
            elif n_done < total and time.monotonic() - begun > _SECONDS_BEFORE_BAR:
                shown = stack.enter_context(show())
                shown(n_done, n_done)

        yield advance
