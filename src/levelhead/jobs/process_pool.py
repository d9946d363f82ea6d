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
from typing import Any

_SECONDS_TO_END = 2.0  # for a worker to stop its programs, and to remove its temporary files
_TERMINATED = 143


class Processes(ProcessPoolExecutor):
    """A pool of processes; canceling its jobs also stops running jobs."""

    def __init__(self, n: int) -> None:
        # Spawned, not forked: a forked process would inherit locks held by threads of this one (progress bars).
        super().__init__(n, mp_context=multiprocessing.get_context("spawn"), initializer=_live_and_die_with_parent)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(_called, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the pool; processes that do not end when they are asked to are killed."""
        if cancel_futures:
            processes = {process.sentinel: process for process in dict(self._processes or {}).values()}
            for process in processes.values():
                process.terminate()
            running = set(processes)
            while running and (ended := wait_for(running, _SECONDS_TO_END)):
                running.difference_update(ended)
            for sentinel in running:  # for example in a long library call
                processes[sentinel].kill()
        super().shutdown(wait=wait, cancel_futures=cancel_futures)


def _called(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return fn(*args, **kwargs)
    except SystemExit:  # the pool would return it as a result and start the next job
        os._exit(_TERMINATED)


def _live_and_die_with_parent() -> None:
    """Ignore interrupts, stop when the parent requests it, and always end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # an exception, so that programs are stopped and temporary files removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    # a pool's processes hold both ends of the pipe for work, so they would wait forever for a parent that was killed
    threading.Thread(target=watch, daemon=True).start()
