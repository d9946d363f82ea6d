"""Who does the work: this process, processes of this machine, or anybody's Executor."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, NamedTuple


class Workers(NamedTuple):
    """How to get an Executor, and how to feed it.

    Args:
        start: gives an Executor; called again when its workers were lost.
        window: how many tasks are with it at a time.
        batch: how many jobs make a task: more than one where handing over a task is slow.
        restartable: whether `start` gives a new Executor each time, which is shut down after use.
        lost: what a task raises when its worker was lost.
    """

    start: Callable[[], Executor]
    window: int
    batch: int = 1
    restartable: bool = True
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)

    @property
    def here(self) -> bool:
        """Whether this process does the work itself, each job as soon as it is handed over."""
        return self.start is _ThisProcess


def n_cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def processes(n: int) -> Workers:
    """Return workers that are processes of this machine; for one, this process itself.

    Args:
        n: how many.
    """
    if n == 1:
        return Workers(_ThisProcess, window=1)

    def start() -> Executor:
        """Start the processes."""
        from levelhead.jobs.process_pool import Processes

        return Processes(n)

    return Workers(start, window=2 * n)


def borrowed(executor: Executor, *, window: int = 64) -> Workers:
    """Return workers that are somebody's own Executor, which is not shut down here.

    Args:
        executor: any, for example of loky, Parsl or mpi4py.
        window: how many tasks it is given at a time; more than it has workers.
    """
    return Workers(lambda: executor, window, restartable=False)


class _ThisProcess(Executor):
    """Calls at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 -- handed over as any Executor does; an interrupt goes straight up
            future.set_exception(error)
        return future
