"""A shared task: its folder, and its description in task.toml with treebanks, measures and limits."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from levelhead.campaign.find import Manifest, find_test_sets, manifest_from
from levelhead.campaign.plan import TestSet
from levelhead.errors import Fault, InputError, OutputError, Place, quoted, unknown
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import STANDARD, Registry, parse_measure, qualified
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring.rules import RULES
from levelhead.treebank.input_bytes import parsed_toml, read_bytes

HIDDEN, COARSE, OPEN = VIEWS = ("hidden", "coarse", "open")
"""Visibility of scores: hidden, rounded to the nearest 5% as in 2018, or open."""

OUTPUTS, SYSTEM = KINDS = ("outputs", "system")
"""The kinds of submissions: parsed test sets, or a system that parses them."""

MEGABYTE = 1 << 20


class TaskFolder(NamedTuple):
    """The folder of a task.

    Args:
        path: the folder itself.
    """

    path: Path

    @property
    def description(self) -> Path:
        """The description of the task, written by the organizer."""
        return self.path / "task.toml"

    @property
    def blind(self) -> Path:
        """The inputs, which participants can download."""
        return self.path / "blind"

    def inputs(self) -> list[Path]:
        """Return the inputs by name: regular files, not links."""
        if not self.blind.is_dir():
            return []
        return sorted(path for path in self.blind.iterdir() if path.is_file() and not path.is_symlink())

    @property
    def gold(self) -> Path:
        """The gold treebanks, which are never served."""
        return self.path / "gold"

    @property
    def state(self) -> Path:
        """The data of the server, readable only by its user."""
        return self.path / "state"

    @property
    def database(self) -> Path:
        """Teams, submissions, results and the audit log."""
        return self.state / "task.sqlite"

    @property
    def incoming(self) -> Path:
        """Uploads that are not accepted yet."""
        return self.state / "incoming"

    @property
    def uploads(self) -> Path:
        """Accepted archives, by submission."""
        return self.state / "uploads"

    @property
    def runs(self) -> Path:
        """Outputs and logs, by submission."""
        return self.state / "runs"

    @property
    def scores(self) -> Path:
        """The store of results, as for `levelhead rank --store`."""
        return self.state / "scores"

    @property
    def final(self) -> Path:
        """The final ranking."""
        return self.state / "final"

    def holds(self, path: Path) -> bool:
        """Return whether a path is a file of the task or in one of its folders, following links."""
        resolved = path.resolve()
        folders = (self.gold, self.blind, self.state)
        inside = any(resolved.is_relative_to(folder.resolve()) for folder in folders)
        return inside or resolved == self.description.resolve()

    def check_state(self) -> None:
        """Check that the database exists: `init` creates it, so a missing database was lost."""
        try:
            exists = self.database.stat().st_size > 0
        except OSError:
            exists = False
        if not exists:
            message = (
                "the database of teams and submissions is missing: restore state/ from a backup, or create a new "
                "task in another folder with levelhead task init"
            )
            raise InputError(Fault("invalid-task", message, Place(str(self.database))))

    def prepare(self) -> None:
        """Create the missing folders of the server, readable only by its user."""
        try:
            for path in (self.state, self.incoming, self.uploads, self.runs):
                path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise OutputError(error.strerror or str(error), "output", Place(str(self.state))) from error


def sync(paths: Iterable[Path]) -> None:
    """Write files and folders to the disk (fsync)."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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

    @property
    def rules(self) -> str:
        """The name of the scoring rules."""
        return self.manifest.rules or "ud"

    @property
    def ranking(self) -> str:
        """The rule of ranking."""
        return self.manifest.ranking or "exact"


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
    views = {field: getattr(show, field) for field in ("own", "leaderboard", "after")}
    invalid = {field: view for field, view in views.items() if view not in VIEWS}
    errors += [f"show.{field} must be hidden, coarse or open, not {quoted(view)}" for field, view in invalid.items()]
    if about.opens is not None and about.closes is not None and about.opens >= about.closes:
        errors.append("task.opens must be before task.closes")
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
            continue
        line = value.replace("\n", " ") if key == "description" and isinstance(value, str) else value
        if (requirement := _unmet_requirement(getattr(defaults, key), line)) is not None:
            errors.append(f"{name}.{key} must be {requirement}")
        else:
            values[key] = tuple(value) if isinstance(value, list) else value
    return defaults._replace(**values)


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


def registry_of(task: SharedTask) -> Registry:
    """Return the measures and schemes of a task: the shipped ones and those of its definitions."""
    registry = STANDARD
    for path in task.manifest.definitions:
        registry = read_definitions(path, registry)
    return registry if task.manifest.scheme is None else registry.with_default(task.manifest.scheme)


def measures_of(task: SharedTask) -> tuple[str, ...]:
    """Return the measures of a task; the first one ranks."""
    names = task.manifest.measures or RULES[task.rules].main
    if task.manifest.scheme is None:
        return names
    registry = registry_of(task)
    return tuple(str(qualified(parse_measure(name, registry), registry)) for name in names)


def setup_of_task(task: SharedTask, more: Sequence[str] = ()) -> Setup:
    """Return the settings for scoring outputs in a task."""
    measures = dict.fromkeys((*measures_of(task), *more))
    return setup_of(measures, rules=task.rules, registry=registry_of(task), folder=str(task.folder.path))


def test_sets_of(task: SharedTask) -> tuple[TestSet, ...]:
    """Return the test sets of a task."""
    return tuple(task.manifest.test_sets or find_test_sets(task.manifest.gold or task.folder.gold))


def gold_of_task(task: SharedTask) -> dict[str, Path]:
    """Return the gold treebanks of a task, by code."""
    return {test_set.code: test_set.gold for test_set in test_sets_of(task) if test_set.gold is not None}


def check_measures(task: SharedTask) -> None:
    """Check that the measures of a task can be computed."""
    setup = setup_of_task(task)
    for test_set in test_sets_of(task):
        setup.read(test_set.code)
