"""The description of a shared task: task.toml."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from levelhead.campaign.find import Manifest, manifest_from
from levelhead.errors import Fault, InputError, Place, quoted, unknown
from levelhead.task.model.folder import TaskFolder
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.toml_files import parsed_toml

HIDDEN, COARSE, OPEN = VIEWS = ("hidden", "coarse", "open")
"""Visibility of scores: hidden, rounded to the nearest 5% as in 2018, or open."""

OUTPUTS, SYSTEM = KINDS = ("outputs", "system")
"""The kinds of submissions: parsed test sets, or a system that parses them."""

MEGABYTE = 1 << 20


class About(NamedTuple):
    """The title, dates and kinds of submissions of a task.

    Args:
        title: its title.
        description: the description and rules shown on the first page; paragraphs are separated by blank lines.
        contact: the contact shown on the pages.
        opens: when submissions open; None for always open.
        closes: when submissions close; None for open until `levelhead task close`.
        kinds: the kinds of submissions.
        address: the public address of the server, for example `https://task.example.org`; cookies are then only sent
            over encrypted connections.
    """

    title: str = "A shared task"
    description: str = ""
    contact: str = ""
    opens: dt.datetime | None = None
    closes: dt.datetime | None = None
    kinds: tuple[str, ...] = KINDS
    address: str = ""


class SubmissionLimits(NamedTuple):
    """Limits on submissions.

    Args:
        submissions_a_day: the maximum number of submissions of a team per day (UTC).
        waiting: the maximum number of waiting submissions of a team.
        upload_megabytes: the maximum size of an archive.
        unpacked_megabytes: the maximum size of its files when unpacked.
        files: the maximum number of its entries.
        upload_seconds: the maximum time of an upload.
        uploads_at_once: the maximum number of uploads at a time; others wait.
        free_megabytes: the disk space to keep free.
        times_gold: the maximum size of an output, as a multiple of the size of its gold treebank; a megabyte is always
            accepted.
        scoring_seconds: the maximum time for scoring a submission.
        scoring_megabytes: the maximum memory of each process that scores.
    """

    submissions_a_day: int = 5
    waiting: int = 5
    upload_megabytes: int = 100
    unpacked_megabytes: int = 500
    files: int = 2000
    upload_seconds: int = 1800
    uploads_at_once: int = 8
    free_megabytes: int = 1000
    times_gold: int = 10
    scoring_seconds: int = 600
    scoring_megabytes: int = 8000


class SandboxLimits(NamedTuple):
    """Limits on a submitted system.

    Args:
        user: the names or numbers of the users that run systems, separated by commas, or a range of numbers; one for
            each system that runs at a time. Required if the server runs as root, otherwise refused.
        seconds: the maximum running time.
        cpu_seconds: the maximum processor time of each of its processes.
        memory_megabytes: the maximum address space of each of its processes, which does not limit all memory.
        processes: the maximum number of processes at a time.
        output_megabytes: the maximum size of its output, and of each of its temporary folders. All are in memory.
        log_kilobytes: the maximum size of its log (standard output and error).
        at_once: the maximum number of systems that run at a time.
        scratch: the folder in which systems are unpacked to run; by default in the folder for temporary files.
    """

    user: str = ""
    seconds: int = 3600
    cpu_seconds: int = 3600
    memory_megabytes: int = 4000
    processes: int = 64
    output_megabytes: int = 500
    log_kilobytes: int = 64
    at_once: int = 1
    scratch: str = ""


class Visibility(NamedTuple):
    """The visibility of results for participants.

    Args:
        own: the visibility of a team's own scores while the task is open.
        leaderboard: the visibility of the leaderboard while the task is open.
        after: the visibility of both after the task is closed.
        inputs: whether the inputs can be downloaded; if not, only systems can usefully be submitted.
        logs: whether participants see the logs of their systems.
    """

    own: str = COARSE
    leaderboard: str = HIDDEN
    after: str = OPEN
    inputs: bool = True
    logs: bool = True


class SharedTask(NamedTuple):
    """A shared task.

    Args:
        folder: its folder.
        about: its title and dates.
        limits: the limits of submissions.
        sandbox: the limits of systems.
        show: the visibility of results.
        manifest: treebanks, groups, measures and rules of ranking, as for `levelhead rank --manifest`.
    """

    folder: TaskFolder
    about: About
    limits: SubmissionLimits
    sandbox: SandboxLimits
    show: Visibility
    manifest: Manifest


_Section = TypeVar("_Section", About, SubmissionLimits, SandboxLimits, Visibility)


def read_task(folder: str | os.PathLike[str]) -> SharedTask:
    """Read the description of a task."""
    task_folder = TaskFolder(Path(folder).resolve())
    path = Path(folder) / task_folder.description.name
    document = parsed_toml(read_bytes(path), str(path), "invalid-task")
    errors: list[str] = []
    about = _section(document, "task", About(), errors)
    limits = _section(document, "limits", SubmissionLimits(), errors)
    sandbox = _section(document, "sandbox", SandboxLimits(), errors)
    show = _section(document, "show", Visibility(), errors)
    _check(about, show, errors)
    if errors:
        raise InputError(*(Fault("invalid-task", message, Place(str(path))) for message in errors))
    manifest = {key: value for key, value in document.items() if key not in {"task", "limits", "sandbox", "show"}}
    return SharedTask(task_folder, about, limits, sandbox, show, manifest_from(manifest, path))


def _section(document: Mapping[str, Any], name: str, defaults: _Section, errors: list[str]) -> _Section:
    """Read a table whose keys are the fields of a tuple."""
    table = document.get(name, {})
    if not isinstance(table, dict):
        errors.append(f"{name} must be a table")
        return defaults
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in defaults._fields:
            errors.append(f"{name}: {unknown('key', key, defaults._fields)}")
        elif (requirement := _unmet_requirement(getattr(defaults, key), _in_one_line(key, value))) is not None:
            errors.append(f"{name}.{key} must be {requirement}")
        else:
            values[key] = tuple(value) if isinstance(value, list) else value
    return defaults._replace(**values)


def _in_one_line(key: str, value: object) -> object:
    return value.replace("\n", " ") if key == "description" and isinstance(value, str) else value


def _unmet_requirement(default: object, value: object) -> str | None:
    """Return what a value must be, or None for a valid value."""
    if default is None:
        aware = isinstance(value, dt.datetime) and value.tzinfo is not None
        return None if aware else "a time with its zone, such as 2027-03-01T12:00:00Z"
    if isinstance(default, bool):
        return None if isinstance(value, bool) else "true or false"
    if isinstance(default, int):
        positive = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31
        return None if positive else "a positive integer"
    if isinstance(default, tuple):
        known = isinstance(value, list) and bool(value) and set(map(str, value)) <= set(KINDS)
        return None if known else f"a list of {' and '.join(KINDS)}"
    return None if isinstance(value, str) and value.isprintable() else "one line of text"


def _check(about: About, show: Visibility, errors: list[str]) -> None:
    views = {field: getattr(show, field) for field in ("own", "leaderboard", "after")}
    invalid = {field: view for field, view in views.items() if view not in VIEWS}
    errors += [f"show.{field} must be hidden, coarse or open, not {quoted(view)}" for field, view in invalid.items()]
    if about.opens is not None and about.closes is not None and about.opens >= about.closes:
        errors.append("task.opens must be before task.closes")
