"""What the workers of the tests of jobs are asked to do."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from levelhead.jobs import Job, StaleInput


def square(number: int) -> bytes:
    """An ordinary job."""
    return str(number * number).encode()


def marked_square(number: int, folder: str) -> bytes:
    """A job that leaves a mark for each time it was done."""
    with (Path(folder) / str(number)).open("a") as file:
        file.write("x")
    return square(number)


def die_once(number: int, folder: str) -> bytes:
    """A job whose worker is killed the first time."""
    mark = Path(folder) / "died"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(number)


def always_die(_: int) -> bytes:
    """A job that no worker survives."""
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


def fail(number: int) -> bytes:
    """A job with a bug."""
    raise ZeroDivisionError(number)


def stale(number: int) -> bytes:
    """A job that finds another input than was planned."""
    raise StaleInput(f"changed {number}", "changing-file")


def process_number(_: int, folder: str, n: int) -> bytes:
    """Say which process does the work, once so many processes work."""
    (Path(folder) / str(os.getpid())).touch()
    wait_until(lambda: len(list(Path(folder).iterdir())) >= n)
    return str(os.getpid()).encode()


def wait_forever(_: int) -> bytes:
    """A job that does not end by itself."""
    while True:
        time.sleep(60)


@contextmanager
def killed_at_end(process: subprocess.Popen) -> Iterator[subprocess.Popen]:
    """Kill a process on every way out, and close its pipes."""
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(done: Callable[[], object]) -> None:
    """Wait for what another process or thread does, however long it takes on a busy machine."""
    deadline = time.monotonic() + 300
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Batches(Executor):
    """Works at once, and remembers how many jobs each task had."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, fn, /, *args) -> Future:
        self.sizes.append(len(args[0]))
        future: Future = Future()
        future.set_result(fn(*args))
        return future


def in_folder(folder: str, fn: Callable[..., Any], *args: Any) -> Any:
    """Do a job in the folder of the test that submits it."""
    with chdir(folder):
        return fn(*args)


class SharedProcesses(Executor):
    """Processes that go on after the end of their jobs, for those of the next test."""

    def __init__(self, processes: Executor) -> None:
        self.processes = processes

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert not kwargs
        return self.processes.submit(in_folder, os.getcwd(), fn, *args)


def jobs(n: int, function=square, *more) -> list[Job]:
    return [Job(f"key {i}", function, (i, *more), f"job {i}", weight=i) for i in range(n)]


SQUARES = {f"key {i}": str(i * i).encode() for i in range(40)}
