"""A shared task: its folder, and its description in task.toml with treebanks, measures and limits."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from levelhead.campaign.find import Manifest, find_test_sets, manifest_from
from levelhead.campaign.plan import TestSet
from levelhead.errors import Fault, InputError, Place, quoted, unknown
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import STANDARD, Registry, parse_measure, qualified
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring.rules import RULES
from levelhead.treebank.input_bytes import parsed_toml, read_bytes
from levelhead.treebank.write import output_errors

View = Literal["hidden", "coarse", "open"]
VIEWS: tuple[View, View, View] = ("hidden", "coarse", "open")
HIDDEN, COARSE, OPEN = VIEWS
"""Visibility of scores: hidden, rounded to the nearest 5% as in 2018, or open."""

OUTPUTS, SYSTEM = KINDS = ("outputs", "system")
"""The kinds of submissions: parsed test sets, or a system that parses them."""

MEGABYTE = 1 << 20


class TaskFolder:
    """The folder of a task: the organizer's files, and the data of the server, readable only by its user."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.description = path / "task.toml"
        self.gold = path / "gold"  # never served
        self.blind = path / "blind"  # the inputs, which participants can download
        self.state = path / "state"
        self.database = self.state / "task.sqlite"  # teams, submissions, results and the audit log
        self.incoming = self.state / "incoming"  # uploads that are not accepted yet
        self.uploads = self.state / "uploads"  # accepted archives, by submission
        self.runs = self.state / "runs"  # outputs and logs, by submission
        self.scores = self.state / "scores"  # the store of results, as for `levelhead rank --store`
        self.final = self.state / "final"  # the final ranking

    def inputs(self) -> list[Path]:
        paths = sorted(self.blind.iterdir()) if self.blind.is_dir() else []
        return [path for path in paths if path.is_file() and not path.is_symlink()]

    def holds(self, path: Path) -> bool:
        """Return whether a path is a file of the task or in one of its folders, following links."""
        real = path.resolve()
        folders = (self.gold, self.blind, self.state)
        return real == self.description.resolve() or any(real.is_relative_to(folder.resolve()) for folder in folders)

    def check_state(self) -> None:
        """Check that the database exists: `init` creates it, so a missing database was lost."""
        with suppress(OSError):
            if self.database.stat().st_size:
                return
        message = (
            "the database of teams and submissions is missing: restore state/ from a backup, or create a new "
            "task in another folder with levelhead task init"
        )
        raise InputError(Fault("invalid-task", message, Place(str(self.database))))

    def prepare(self) -> None:
        with output_errors(self.state):
            for path in (self.state, self.incoming, self.uploads, self.runs):
                path.mkdir(mode=0o700, exist_ok=True)


def sync(paths: Iterable[Path]) -> None:
    """Write files and folders to the disk (fsync)."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class About(NamedTuple):
    """The title, dates and kinds of submissions of a task."""

    title: str = "A shared task"
    description: str = ""  # the text on the first page; blank lines separate its paragraphs
    contact: str = ""
    opens: dt.datetime | None = None
    closes: dt.datetime | None = None  # None for open until `levelhead task close`
    kinds: tuple[str, ...] = KINDS
    address: str = ""  # with https://, cookies are only sent over encrypted connections


class SubmissionLimits(NamedTuple):
    """Limits on submissions.

    Args:
        submissions_a_day: submissions of a team per day (UTC).
        waiting: submissions of a team that wait.
        upload_megabytes: the size of an archive.
        unpacked_megabytes: the size of its unpacked contents.
        files: entries of an archive.
        upload_seconds: the duration of an upload.
        uploads_at_once: simultaneous uploads; others wait.
        free_megabytes: space on the disk that is kept free.
        times_gold: the size of an output over that of gold; a megabyte is always accepted.
        scoring_seconds: the duration of scoring a submission.
        scoring_megabytes: the memory of each process that scores.
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
    """Limits on a submitted system."""

    user: str = ""  # names or numbers separated by commas, or a range of numbers; only if the server runs as root
    seconds: int = 3600
    cpu_seconds: int = 3600  # of each process
    memory_megabytes: int = 4000  # the address space of each process, which does not limit all memory
    processes: int = 64  # at a time
    output_megabytes: int = 500  # also of each folder for temporary files; all are in memory
    log_kilobytes: int = 64
    at_once: int = 1  # systems that run at a time
    scratch: str = ""  # the folder in which systems are unpacked; by default in the folder for temporary files


class Visibility(NamedTuple):
    """The visibility of results for participants: hidden, coarse or open.

    Args:
        own: scores of a team's own submissions while the task is open.
        leaderboard: the leaderboard while the task is open.
        after: both after the task is closed.
        inputs: whether inputs can be downloaded; if not, only systems can usefully be submitted.
        logs: whether teams see what their systems printed.
    """

    own: View = COARSE
    leaderboard: View = HIDDEN
    after: View = OPEN
    inputs: bool = True
    logs: bool = True


class SharedTask(NamedTuple):
    """A shared task, with the treebanks, groups, measures and rules of ranking of a manifest."""

    folder: TaskFolder
    about: About
    limits: SubmissionLimits
    sandbox: SandboxLimits
    show: Visibility
    manifest: Manifest

    @property
    def rules(self) -> str:
        return self.manifest.rules or "ud"

    @property
    def ranking(self) -> str:
        return self.manifest.ranking or "exact"


_Section = TypeVar("_Section", About, SubmissionLimits, SandboxLimits, Visibility)


def read_task(folder: str | os.PathLike[str]) -> SharedTask:
    task_folder = TaskFolder(Path(folder).resolve())
    path = Path(folder) / task_folder.description.name
    if not path.exists():
        message = "the folder has no task.toml: name the folder of a task, or create one with levelhead task init"
        raise InputError(Fault("unreadable-file", message, Place(str(folder))))
    document = parsed_toml(read_bytes(path), str(path), "invalid-task")
    errors: list[str] = []
    about = _section(document.pop("task", {}), "task", About(), errors)
    limits = _section(document.pop("limits", {}), "limits", SubmissionLimits(), errors)
    sandbox = _section(document.pop("sandbox", {}), "sandbox", SandboxLimits(), errors)
    show = _section(document.pop("show", {}), "show", Visibility(), errors)
    for field, view in (("own", show.own), ("leaderboard", show.leaderboard), ("after", show.after)):
        if view not in VIEWS:
            errors.append(f"show.{field} must be hidden, coarse or open, not {quoted(view)}")
    if about.opens is not None and about.closes is not None and about.opens >= about.closes:
        errors.append("task.opens must be before task.closes")
    if errors:
        raise InputError(*(Fault("invalid-task", message, Place(str(path))) for message in errors))
    return SharedTask(task_folder, about, limits, sandbox, show, manifest_from(document, path))


_REQUIREMENTS: Mapping[type, tuple[Callable[[Any], bool], str]] = {
    type(None): (
        lambda value: isinstance(value, dt.datetime) and value.tzinfo is not None,
        "a time with its zone, such as 2027-03-01T12:00:00Z",
    ),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    int: (lambda value: type(value) is int and 0 < value < 2**31, "a positive integer"),
    tuple: (
        lambda value: isinstance(value, list) and bool(value) and set(map(str, value)) <= set(KINDS),
        f"a list of {' and '.join(KINDS)}",
    ),
    str: (lambda value: isinstance(value, str) and value.isprintable(), "one line of text"),
}
"""What a value must be, by the type of its default."""


def _section(table: object, name: str, defaults: _Section, errors: list[str]) -> _Section:
    if not isinstance(table, dict):
        errors.append(f"{name} must be a table")
        return defaults
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in defaults._fields:
            errors.append(f"{name}: {unknown('key', key, defaults._fields)}")
            continue
        is_valid, requirement = _REQUIREMENTS[type(getattr(defaults, key))]
        if is_valid(value.replace("\n", " ") if key == "description" and isinstance(value, str) else value):
            values[key] = tuple(value) if isinstance(value, list) else value
        else:
            errors.append(f"{name}.{key} must be {requirement}")
    return defaults._replace(**values)


def registry_of(task: SharedTask) -> Registry:
    registry = reduce(lambda known, path: read_definitions(path, known), task.manifest.definitions, STANDARD)
    return registry if task.manifest.scheme is None else registry.with_default(task.manifest.scheme)


def measures_of(task: SharedTask) -> tuple[str, ...]:
    """Return the measures of a task; the first one ranks."""
    names = task.manifest.measures or RULES[task.rules].main
    if task.manifest.scheme is None:
        return names
    registry = registry_of(task)
    return tuple(str(qualified(parse_measure(name, registry), registry)) for name in names)


def setup_of_task(task: SharedTask, more: Sequence[str] = ()) -> Setup:
    measures = dict.fromkeys((*measures_of(task), *more))
    return setup_of(measures, rules=task.rules, registry=registry_of(task), folder=str(task.folder.path))


def test_sets_of(task: SharedTask) -> tuple[TestSet, ...]:
    return tuple(task.manifest.test_sets or find_test_sets(task.manifest.gold or task.folder.gold))


def gold_of_task(task: SharedTask) -> dict[str, Path]:
    return {test_set.code: test_set.gold for test_set in test_sets_of(task) if test_set.gold is not None}


def check_measures(task: SharedTask) -> None:
    setup = setup_of_task(task)
    for test_set in test_sets_of(task):
        setup.read(test_set.code)
