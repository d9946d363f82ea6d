"""Running of jobs: results are stored, and the loss of workers is handled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from itertools import islice
from typing import NamedTuple, Protocol

from levelhead.errors import Fault, InputError
from levelhead.jobs.job import Job, StaleInput
from levelhead.jobs.workers import Workers

_Answer = bytes | StaleInput


class Outcome(NamedTuple):
    """The results of jobs.

    Args:
        results: the result of each job by its key, in the order of the jobs.
        stale: the jobs whose input did not match their key, each with the message of its worker.
    """

    results: dict[str, bytes]
    stale: tuple[tuple[Job, StaleInput], ...]


class KeepsResults(Protocol):
    """The interface of stores."""

    def get(self, key: str) -> bytes | None:
        """Return the result of a key, or None."""

    def put(self, key: str, result: bytes) -> None:
        """Keep a result."""

    def commit(self) -> None:
        """Commit the results."""


def run_jobs(
    jobs: Iterable[Job],
    workers: Workers,
    *,
    store: KeepsResults | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Run jobs; the outcome does not depend on the number of workers or the order in which they finish.

    Jobs whose results are in the store are not run. Jobs are taken one at a time as workers become free; of several
    jobs with the same key, only the first is run. When workers die (killed, out of memory), their jobs are run again,
    one at a time. A job that ends its worker again is reported as failed after all other jobs are done.

    Args:
        jobs: the jobs.
        workers: the workers.
        store: the store of results, or None.
        advance: called with the weight of each finished job.

    Raises:
        InputError: a job cannot be done because it ends its worker; all other results are stored.
        OutputError: the store cannot be written.
    """
    running = _JobRun(workers, store, advance)
    try:
        running.run(running.missing(jobs))
    finally:
        if store is not None:
            store.commit()
    running.report_failed()
    return Outcome({key: running.results[key] for key in running.order if key in running.results}, tuple(running.stale))


class _JobRun:
    """The state of one call of `run_jobs`."""

    def __init__(self, workers: Workers, store: KeepsResults | None, advance: Callable[[int], None]) -> None:
        self.workers, self.store, self.advance = workers, store, advance
        self.order: list[str] = []
        self.results: dict[str, bytes] = {}
        self.stale: list[tuple[Job, StaleInput]] = []
        self.failed: list[Job] = []

    def missing(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Yield the jobs without a result, each key once."""
        known = set()
        for job in jobs:
            result = self.store.get(job.key) if self.store is not None and job.key not in known else None
            if result is not None:
                self.results[job.key] = result
            if job.key in known or result is not None:
                self.advance(job.weight)
            else:
                yield job
            if job.key not in known:
                known.add(job.key)
                self.order.append(job.key)

    def run(self, jobs: Iterator[Job]) -> None:
        """Run all jobs; jobs of lost workers are run again one at a time."""
        while suspects := self._round(jobs, self.workers.window, self.workers.batch):
            for suspect in suspects:
                for _ in range(2):
                    if not self._round(iter([suspect]), 1, 1):
                        break
                else:
                    self.failed.append(suspect)

    def report_failed(self) -> None:
        """Report the jobs that end their workers."""
        if self.failed:
            message = "its worker ended twice without a result: out of memory, or killed"
            raise InputError(*(Fault("worker-lost", f"{job.name}: {message}") for job in self.failed))

    def _round(self, jobs: Iterator[Job], window: int, batch: int) -> list[Job]:
        """Run jobs until all are done or workers are lost; return the jobs of lost workers."""
        executor = self.workers.start()
        submitted: dict[Future[list[_Answer]], Sequence[Job]] = {}
        try:
            while self._submit(executor, jobs, submitted, window, batch):
                done, _ = wait(submitted, return_when=FIRST_COMPLETED)
                for future in done:
                    self._finish(submitted[future], future.result())
                    del submitted[future]
        except self.workers.lost as error:
            if not self.workers.restartable:
                raise _all_lost(str(error)) from error
            return self._rescue(submitted)
        except CancelledError as error:
            raise _all_lost("the connection to the cluster was lost") from error
        finally:
            if self.workers.restartable:
                executor.shutdown(wait=True, cancel_futures=bool(submitted))
        return []

    def _submit(
        self,
        executor: Executor,
        jobs: Iterator[Job],
        submitted: dict[Future[list[_Answer]], Sequence[Job]],
        window: int,
        batch: int,
    ) -> bool:
        """Submit jobs up to the limit; return whether any are running."""
        while len(submitted) < window and (task := tuple(islice(jobs, batch))):
            submitted[self._hand_over(executor, task)] = task
        return bool(submitted)

    def _hand_over(self, executor: Executor, jobs: Sequence[Job]) -> Future[list[_Answer]]:
        try:
            return executor.submit(run_in_order, jobs)
        except self.workers.lost as error:  # lost at this moment: the jobs count as lost
            failed: Future[list[_Answer]] = Future()
            failed.set_exception(error)
            return failed

    def _finish(self, jobs: Sequence[Job], answers: Sequence[_Answer]) -> None:
        for job, answer in zip(jobs, answers, strict=True):
            if isinstance(answer, StaleInput):
                self.stale.append((job, answer))
                continue
            self.results[job.key] = answer
            if self.store is not None:
                self.store.put(job.key, answer)
            self.advance(job.weight)

    def _rescue(self, submitted: dict[Future[list[_Answer]], Sequence[Job]]) -> list[Job]:
        """Keep the results that were finished when workers were lost, and return the other jobs."""
        suspects: list[Job] = []
        for future, jobs in submitted.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._finish(jobs, future.result())
            else:
                suspects += jobs
        return suspects


def run_in_order(jobs: Sequence[Job]) -> list[_Answer]:
    """Run jobs in order; called by workers."""
    return [_result_or_stale(job) for job in jobs]


def _result_or_stale(job: Job) -> _Answer:
    try:
        return job.function(*job.arguments)
    except StaleInput as stale:
        return stale


def _all_lost(message: str) -> InputError:
    return InputError(Fault("worker-lost", f"all workers are lost: {message}"))
