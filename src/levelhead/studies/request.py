"""The inputs and settings of a study, and its tasks, which run as jobs that can be stored and resumed."""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place
from levelhead.jobs import Job, StaleInput, Store, Workers, processes, run_jobs
from levelhead.progress import progress_bar
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import read_bytes

Trainer = Callable[[str, Sequence[Treebank], Treebank | None, Treebank], Treebank]
"""Trains a parser and parses with it. Takes the parser's name, the training treebanks, a development treebank or None,
and the treebank to parse. It must be a function at the top level of a module, since workers import it."""


@dataclass(frozen=True)
class StudyRequest:
    """The inputs and settings of a study.

    Args:
        treebanks: folders of treebanks, or files.
        systems: a folder with the outputs of parsers; None to train parsers.
        judgements: a folder of human judgments, with a subfolder for each language.
        scores: a table of published scores.
        weights: a file with the weights of relations.
        quick: check that everything works, with few resamples and with other parts instead of missing training sets.
        workers: the workers; this process if None.
        store: where the results of jobs are kept; None for nowhere.
        trainer: trains parsers if no outputs are given.
        outputs: the folder to which the outputs of trained parsers are written.
        seed: the random seed.
    """

    treebanks: tuple[Path, ...] = ()
    systems: Path | None = None
    judgements: Path | None = None
    scores: Path | None = None
    weights: Path | None = None
    quick: bool = False
    workers: Workers | None = None
    store: Store | None = field(default=None, compare=False)
    trainer: Trainer | None = None
    outputs: Path | None = None
    seed: int = 1

    @property
    def resamples(self) -> int:
        """The number of bootstrap resamples, and of permutations."""
        return 100 if self.quick else 2000


class StudyTask(NamedTuple):
    """A part of a study that can run on any worker: a function of files and settings whose result is plain JSON.

    Args:
        name: its name in the results and in messages.
        function: a function at the top level of a module; called with the paths, then the settings.
        paths: the files that it reads; None for an optional file that is missing.
        settings: its other arguments, as plain JSON.
    """

    name: str
    function: Callable[..., Any]
    paths: tuple[str | os.PathLike[str] | None, ...]
    settings: tuple[Any, ...] = ()


def run_tasks(study: str, tasks: Iterable[StudyTask], request: StudyRequest) -> dict[str, Any]:
    """Run tasks, or take their results from the store; return the results by task name."""
    planned = {task.name: _job(task) for task in tasks}
    jobs = list(planned.values())
    with progress_bar(study, len(jobs), sum(job.weight for job in jobs)) as advance:
        # One task per batch: tasks are few and long, and a batch would put them all on one worker of a cluster.
        workers = (request.workers or processes(1))._replace(batch=1)
        outcome = run_jobs(jobs, workers, store=request.store, advance=advance)
    if outcome.stale:
        raise InputError(*(Fault("changing-file", stale.message, stale.place) for _, stale in outcome.stale))
    return {name: json.loads(outcome.results[job.key]) for name, job in planned.items()}


def _job(task: StudyTask) -> Job:
    files = [None if path is None else (os.fspath(path), _hash(path)) for path in task.paths]
    name = f"{task.function.__module__}.{task.function.__qualname__}"
    parts = ["study", VERSION, unicodedata.unidata_version, name, [f and f[1] for f in files], task.settings]
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    size = sum(Path(f[0]).stat().st_size for f in files if f is not None)
    return Job(key, run_task, (task.function, tuple(files), task.settings), task.name, size + 1)


def _hash(path: str | os.PathLike[str]) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


def run_task(function: Callable[..., Any], files: Sequence[tuple[str, str] | None], settings: Sequence[Any]) -> bytes:
    """Run a task on a worker."""
    for file in files:
        if file is not None and _hash(file[0]) != file[1]:
            raise StaleInput("it changed while the study ran", "changing-file", Place(file[0]))
    result = function(*(None if file is None else file[0] for file in files), *settings)
    return json.dumps(result, sort_keys=True, separators=(",", ":")).encode()


def signature(request: StudyRequest, **more: str) -> Mapping[str, str]:
    """Return everything besides the files that decides the numbers of a study, by name."""
    parts = {"seed": str(request.seed), "resamples": str(request.resamples), **more, "version": VERSION}
    return {"quick": "yes", **parts} if request.quick else parts
