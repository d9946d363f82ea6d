"""Jobs, the workers that run them, and the handling of lost workers."""

from __future__ import annotations

import copyreg
import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from itertools import islice
from pickle import PicklingError
from types import MappingProxyType
from typing import Any, NamedTuple

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, LevelheadError
from levelhead.jobs.store import Store
from levelhead.progress import progress_bar


class Job(NamedTuple):
    """Work that can be done on any machine, any number of times, always with the same result."""

    key: str  # the key of the result: a hash of everything that determines it
    function: Callable[..., Any]  # the function; workers import it, so it is defined at the top level of a module
    arguments: tuple[Any, ...]  # its arguments, which are pickled
    name: str  # the name of the job in messages
    weight: int = 1  # its share of the work, for the time left; any unit, for example bytes to read


def job_key(*parts: Any) -> str:
    """Return the key of a result: a hash of what determines it, of the version of levelhead, and of that of Unicode."""
    determining = [VERSION, unicodedata.unidata_version, *parts]
    return hashlib.sha256(json.dumps(determining, sort_keys=True).encode()).hexdigest()


class Codec(NamedTuple):
    """How results are written to a store, and read from it."""

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]


BYTES = Codec(bytes, bytes)
"""For results that are bytes."""


class StaleInput(LevelheadError):
    """The input of a job does not match its key: a file changed, or this worker cannot see it."""


def read_only(mapping: Mapping[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(mapping)


# settings of jobs contain such mappings, and pickle does not support them
copyreg.pickle(MappingProxyType, lambda mapping: (read_only, (dict(mapping),)))


_JOBS_FOR_A_BATCH = 500  # with few jobs, each task is a single job, so that every worker gets some


class Workers(NamedTuple):
    """How to start an Executor, and how to submit jobs to it.

    Args:
        start: a function that returns an Executor; it is called again if workers are lost.
        window: the maximum number of unfinished tasks at a time.
        batch: the maximum number of jobs in a task; a number above 1 saves time if it takes long to submit a task.
        restartable: whether each call of `start` returns a new Executor, which can thus be shut down after use.
        lost: the exceptions that a task raises if its worker was lost.
    """

    start: Callable[[], Executor]
    window: int
    batch: int = 1
    restartable: bool = True
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)

    @property
    def here(self) -> bool:
        """Whether each job runs in this process, as soon as it is submitted."""
        return self.start is _ThisProcess


def batch_size(workers: Workers, n_jobs: int) -> int:
    return max(1, min(workers.batch, n_jobs // _JOBS_FOR_A_BATCH))


def n_cores() -> int:
    """Return the number of processors available to this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not available on every system
        return os.cpu_count() or 1


def processes(n: int) -> Workers:
    """Return workers that run jobs in `n` processes on this machine; if `n` is 1, in this process."""
    if n == 1:
        return Workers(_ThisProcess, window=1)

    def start() -> Executor:
        from levelhead.jobs.process_pool import Processes

        return Processes(n)

    return Workers(start, window=2 * n)


def borrowed(executor: Executor, *, window: int = 64) -> Workers:
    """Return workers of an existing Executor, which is not shut down afterwards.

    Args:
        executor: any Executor, for example of loky, Parsl or mpi4py.
        window: the maximum number of unfinished tasks at a time, which should be larger than the number of workers.
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


class Outcome(NamedTuple):
    """The results of jobs."""

    results: dict[str, Any]  # the result of each job by its key, in the order of the jobs
    # the jobs whose input did not match their key, each with the message of its worker
    stale: tuple[tuple[Job, StaleInput], ...]


def run_jobs(
    jobs: Iterable[Job],
    workers: Workers,
    *,
    store: Store | None = None,
    advance: Callable[[int], None] = lambda _: None,
    codec: Codec = BYTES,
) -> Outcome:
    """Run jobs, each key once; the outcome depends neither on the number of workers nor on their order."""
    # Stored results are not computed again. Jobs of workers that die (killed, out of memory) run again, one at a time;
    # one that ends its worker again fails after all others are done.
    run = _JobRun(workers, store, advance, codec)
    try:
        todo = run.missing(jobs)
        while suspects := run.round(todo, workers.window, workers.batch):
            for suspect in suspects:  # one at a time, to learn which job ends its worker
                if run.round(iter([suspect]), 1, 1) and run.round(iter([suspect]), 1, 1):
                    run.failed.append(suspect)
    finally:
        if store is not None:
            store.commit()
    if run.failed:
        message = "its worker ended twice without a result: out of memory, or killed"
        raise InputError(*(Fault("worker-lost", f"{job.name}: {message}") for job in run.failed))
    return Outcome({key: run.results[key] for key in run.keys if key in run.results}, tuple(run.stale))


class _JobRun:
    """The state of one call of `run_jobs`."""

    def __init__(self, workers: Workers, store: Store | None, advance: Callable[[int], None], codec: Codec) -> None:
        self.workers, self.store, self.advance, self.codec = workers, store, advance, codec
        self.keys: dict[str, None] = {}  # in the order of the jobs
        self.results: dict[str, Any] = {}
        self.stale: list[tuple[Job, StaleInput]] = []
        self.failed: list[Job] = []

    def missing(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Yield the jobs whose results are not stored, and only one job for each key."""
        for job in jobs:
            is_new = job.key not in self.keys
            stored = self.store.get(job.key) if self.store is not None and is_new else None
            if stored is not None:
                self.results[job.key] = self.codec.decode(stored)
            if is_new and stored is None:
                yield job
            else:
                self.advance(job.weight)
            self.keys[job.key] = None

    def round(self, jobs: Iterator[Job], window: int, batch: int) -> list[Job]:
        """Run jobs until all are done or workers are lost; return the jobs of lost workers."""
        executor = self.workers.start()
        self.submitted: dict[Future[list[Any]], Sequence[Job]] = {}
        try:
            while self._submit(executor, jobs, window, batch):
                for future in wait(self.submitted, return_when=FIRST_COMPLETED).done:
                    self._finish(self.submitted[future], future.result())
                    del self.submitted[future]
        except self.workers.lost as error:
            if not self.workers.restartable:
                raise _all_lost(str(error)) from error
            return self._rescue()
        except CancelledError as error:
            raise _all_lost("the connection to the cluster was lost") from error
        except (PicklingError, AttributeError, TypeError) as error:
            if "pickle" not in str(error):
                raise
            message = f"a job cannot be sent to another process ({error}): define functions, such as custom measures,"
            raise InputError(Fault("invalid-argument", f"{message} with def in a module, or use one job")) from error
        finally:
            if self.workers.restartable:
                executor.shutdown(wait=True, cancel_futures=bool(self.submitted))
        return []

    def _submit(self, executor: Executor, jobs: Iterator[Job], window: int, batch: int) -> bool:
        """Submit jobs up to the limit; return whether any are running."""
        while len(self.submitted) < window and (task := tuple(islice(jobs, batch))):
            try:
                future: Future[list[Any]] = executor.submit(run_in_order, task)
            except self.workers.lost as error:  # lost at this moment: the jobs count as lost
                future = Future()
                future.set_exception(error)
            self.submitted[future] = task
        return bool(self.submitted)

    def _rescue(self) -> list[Job]:
        """Keep the results that were finished when workers were lost, and return the other jobs."""
        suspects: list[Job] = []
        for future, jobs in self.submitted.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._finish(jobs, future.result())
            else:
                suspects += jobs
        return suspects

    def _finish(self, jobs: Sequence[Job], answers: Sequence[Any]) -> None:
        for job, answer in zip(jobs, answers, strict=True):
            if isinstance(answer, StaleInput):
                self.stale.append((job, answer))
            else:
                self.results[job.key] = answer
                if self.store is not None:
                    self.store.put(job.key, self.codec.encode(answer))
                self.advance(job.weight)


def run_in_order(jobs: Sequence[Job]) -> list[Any]:
    """Run jobs in order; called by workers."""
    return [_result_or_stale(job) for job in jobs]


def _result_or_stale(job: Job) -> Any:
    try:
        return job.function(*job.arguments)
    except StaleInput as stale:
        return stale


def _all_lost(message: str) -> InputError:
    return InputError(Fault("worker-lost", f"all workers are lost: {message}"))


def run_long_jobs(what: str, jobs: Sequence[Job], workers: Workers | None, store: Store | None) -> list[Any]:
    """Run long jobs, the longest first, so that none is left for the end; return what they give in JSON, in order."""
    workers, ordered = workers or processes(1), sorted(jobs, key=lambda job: -job.weight)
    batched = workers._replace(batch=batch_size(workers, len(jobs)))
    with progress_bar(what, len(jobs), sum(job.weight for job in jobs)) as advance:
        outcome = run_jobs(ordered, batched, store=store, advance=advance)
    if outcome.stale:
        raise InputError(*(Fault(stale.slug, stale.message, stale.place) for _, stale in outcome.stale))
    return [json.loads(outcome.results[job.key]) for job in jobs]
