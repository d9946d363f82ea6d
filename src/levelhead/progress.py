"""Progress bars with the time left, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")

_SECONDS_OF_SPEED = 7 * 24 * 3600.0  # by default rich looks back 30 s, too short for long jobs
_SECONDS_BEFORE_BAR = 1.0


class Advance(Protocol):
    """A function that advances a bar."""

    def __call__(self, amount: int, jobs: int = 1, /) -> None:
        """Advance by the weight and the number of finished jobs."""


@contextmanager
def progress_bar(what: str, n_jobs: int, weight: int) -> Iterator[Advance]:
    """Show a bar if standard error is a terminal; yields a function to call with the weight of each finished job.

    Args:
        what: the activity, for example "scoring".
        n_jobs: the number of jobs.
        weight: the sum of their weights, by which the time left is estimated.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]} of {task.fields[jobs]}"),
        TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, speed_estimate_period=_SECONDS_OF_SPEED) as bar:
        task = bar.add_task(what, total=max(1, weight), done=0, jobs=n_jobs)
        n_done = 0

        def advance(amount: int, jobs: int = 1) -> None:
            nonlocal n_done
            n_done += jobs
            bar.update(task, advance=amount, done=n_done)

        yield advance


def tracked(items: Collection[Item], what: str) -> Iterator[Item]:
    """Yield items, and after a second show how many are done; nothing is shown for a single item.

    Args:
        items: the items to process, for example files.
        what: the activity, for example "scoring".
    """
    if len(items) < 2:
        yield from items
        return
    begun = time.monotonic()
    with ExitStack() as stack:
        advance: Callable[[int], None] | None = None
        for n_done, item in enumerate(items):
            if advance is None and time.monotonic() - begun > _SECONDS_BEFORE_BAR:
                advance = stack.enter_context(progress_bar(what, len(items), len(items)))
                for _ in range(n_done):
                    advance(1)
            yield item
            if advance is not None:
                advance(1)


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """Return a function to call with the number of items just done, which shows a bar after a second.

    Without a terminal, return None, since counting may slow down the work.

    Args:
        what: the activity, for example "parsing".
        total: the number of items.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    begun, n_done = time.monotonic(), 0
    with ExitStack() as stack:
        bars: list[Advance] = []

        def tell(done: int) -> None:
            nonlocal n_done
            n_done += done
            if bars:
                bars[0](done, done)
            elif n_done < total and time.monotonic() - begun > _SECONDS_BEFORE_BAR:
                bars.append(stack.enter_context(progress_bar(what, total, total)))
                bars[0](n_done, n_done)

        yield tell


@contextmanager
def counter(what: str, unit: str) -> Iterator[Callable[[int], None]]:
    """Show how much is done, after a second, if the total is unknown, as for a file read in pieces.

    Args:
        what: the activity, for example "scoring".
        unit: the unit, for example "words".

    Yields:
        A function to call with the number of units that were done.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    begun, n_done = time.monotonic(), 0
    with ExitStack() as stack:
        show: Callable[[int], None] | None = None

        def advance(amount: int) -> None:
            nonlocal n_done, show
            n_done += amount
            if show is None and time.monotonic() - begun > _SECONDS_BEFORE_BAR:
                show = stack.enter_context(_counting(what, unit))
            if show is not None:
                show(n_done)

        yield advance


@contextmanager
def _counting(what: str, unit: str) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    count = TextColumn("{task.completed:,.0f} {task.fields[unit]}")
    columns = (TextColumn("{task.description}"), SpinnerColumn(), count, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, unit=unit)
        yield lambda n_done: bar.update(task, completed=n_done)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is being done and for how long, on terminals only; nobody knows how much is left.

    Args:
        what: what is being done, for example "making the page".
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), SpinnerColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(what, total=None)
        yield
