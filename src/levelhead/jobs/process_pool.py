"""Processes of this machine that can be stopped in the middle of a job."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait as wait_for
from typing import Any, NoReturn

_SECONDS_TO_END = 0.5  # for a worker to stop its programs, and to remove its temporary files
_TERMINATED = 143


class Processes(ProcessPoolExecutor):
    """A pool of processes; canceling its jobs also stops running jobs."""

    def __init__(self, n: int) -> None:
        # Spawned, not forked: a forked process would inherit locks held by threads of this one (progress bars).
        super().__init__(n, mp_context=multiprocessing.get_context("spawn"), initializer=_live_and_die_with_parent)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return the future of a call in one of the processes."""
        return super().submit(_called, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the pool."""
        if cancel_futures:
            self._stop()
        super().shutdown(wait=wait, cancel_futures=cancel_futures)

    def _stop(self) -> None:
        """Ask all processes to end, and kill processes that do not end, for example in a long library call."""
        running = dict(self._processes or {})
        for process in running.values():
            process.terminate()
        sentinels = {process.sentinel: process for process in running.values()}
        waiting = set(sentinels)
        while waiting and (ended := wait_for(waiting, _SECONDS_TO_END)):
            waiting.difference_update(ended)
        for sentinel in waiting:
            sentinels[sentinel].kill()


def _called(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return fn(*args, **kwargs)
    except SystemExit:  # the pool would return it as a result and start the next job
        os._exit(_TERMINATED)


def _live_and_die_with_parent() -> None:
    """Ignore interrupts, stop when the parent requests it, and always end with the parent.

    A pool's processes hold both ends of the pipe for work, so they would wait forever for a parent that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)  # an exception, so that programs are stopped and temporary files removed
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _exit(number: int, frame: object) -> NoReturn:  # noqa: ARG001
    sys.exit(_TERMINATED)
