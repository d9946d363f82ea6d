"""Workers: this process, processes of this machine, or any Executor."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, NamedTuple

_JOBS_FOR_A_BATCH = 500  # with few jobs, each task is a single job, so that every worker gets some


class Workers(NamedTuple):
    """Workers: how to start an Executor, and how to submit jobs to it.

    Args:
        start: returns an Executor; called again when its workers were lost.
        window: the maximum number of submitted tasks.
        batch: the number of jobs per task; more than one if submitting is slow.
        restartable: whether `start` returns a new Executor each time, which is shut down after use.
        lost: the exceptions of a task whose worker was lost.
    """

    start: Callable[[], Executor]
    window: int
    batch: int = 1
    restartable: bool = True
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)

    @property
    def here(self) -> bool:
        """Whether this process runs the jobs itself, each when it is submitted."""
        return self.start is _ThisProcess


def batch_size(workers: Workers, n_jobs: int) -> int:
    """Return the number of jobs per task for a number of jobs."""
    return max(1, min(workers.batch, n_jobs // _JOBS_FOR_A_BATCH))


def n_cores() -> int:
    """Return the number of processors available to this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not available on every system
        return os.cpu_count() or 1


def processes(n: int) -> Workers:
    """Return workers that are processes of this machine; for n = 1, this process itself.

    Args:
        n: the number of processes.
    """
    if n == 1:
        return Workers(_ThisProcess, window=1)

    def start() -> Executor:
        """Start the processes."""
        from levelhead.jobs.process_pool import Processes

        return Processes(n)

    return Workers(start, window=2 * n)


def borrowed(executor: Executor, *, window: int = 64) -> Workers:
    """Return workers for an existing Executor, which is not shut down here.

    Args:
        executor: any Executor, for example of loky, Parsl or mpi4py.
        window: the maximum number of submitted tasks; more than its number of workers.
    """
    return Workers(lambda: executor, window, restartable=False)


class _ThisProcess(Executor):
    """An Executor that calls functions immediately in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 -- stored as by any Executor; interrupts propagate
            future.set_exception(error)
        return future
