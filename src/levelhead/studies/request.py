"""The inputs of a study (treebanks, outputs of parsers, workers), and its jobs, stored and resumed."""

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
"""Trains a parser and parses: its name, training treebanks, a development treebank if there is one, what to parse.
A function at the top of a module, since workers import it."""


@dataclass(frozen=True)
class StudyRequest:
    """What a study is asked to run on.

    Args:
        treebanks: folders of treebanks, or files.
        systems: a folder with the outputs of parsers, if they are given.
        judgements: a folder of people's judgements, with a folder for each language.
        scores: a table of published scores.
        weights: a file of weights of relations.
        quick: few resamples, and what is missing of a treebank is replaced by what there is: to see that all works.
        workers: the workers; this process if None.
        store: where results of jobs are kept, if anywhere.
        trainer: what trains parsers where no outputs are given.
        outputs: the folder where the outputs of trained parsers are written.
        seed: of all randomness.
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
        """How many resamples of a bootstrap, and how many permutations."""
        return 100 if self.quick else 2000


class StudyTask(NamedTuple):
    """A part of a study that can run on any worker: a function of files and settings whose result is plain JSON.

    Args:
        name: its name in the results and in messages.
        function: called with the paths (None where there is none) and then the settings; at the top of a module.
        paths: the files it reads.
        settings: what else decides its result: plain JSON.
    """

    name: str
    function: Callable[..., Any]
    paths: tuple[str | os.PathLike[str] | None, ...]
    settings: tuple[Any, ...] = ()


def run_tasks(study: str, tasks: Iterable[StudyTask], request: StudyRequest) -> dict[str, Any]:
    """Run tasks, or take their results from the store; returns the results by the name of the task.

    Args:
        study: what to call it in the progress bar.
        tasks: the tasks, of different names.
        request: workers and store.

    Raises:
        InputError: a file cannot be read, or changes under way.
    """
    planned = {task.name: _job(task) for task in tasks}
    jobs = list(planned.values())
    with progress_bar(study, len(jobs), sum(job.weight for job in jobs)) as advance:
        # One task each: they are few and long, and would end up with one worker of a cluster otherwise.
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
    """Run a task; workers call this.

    Args:
        function: the function of the task.
        files: the paths with the hashes of their contents.
        settings: the settings.

    Returns:
        The result as JSON.

    Raises:
        StaleInput: a file is not what it was when the study was planned.
    """
    for file in files:
        if file is not None and _hash(file[0]) != file[1]:
            raise StaleInput("it changed while the study ran", "changing-file", Place(file[0]))
    result = function(*(None if file is None else file[0] for file in files), *settings)
    return json.dumps(result, sort_keys=True, separators=(",", ":")).encode()


def signature(request: StudyRequest, **more: str) -> Mapping[str, str]:
    """Return what decides the numbers of a study besides its files.

    Args:
        request: the request.
        more: what else there is.
    """
    parts = {"seed": str(request.seed), "resamples": str(request.resamples), **more, "version": VERSION}
    return {"quick": "yes", **parts} if request.quick else parts
