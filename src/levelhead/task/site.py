"""The shared data of request handlers: the state of the task, its visible part, templates, inputs, and uploads."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import secrets
import shutil
import threading
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from levelhead.campaign.records import state_if_any
from levelhead.errors import printable
from levelhead.report.page.files import templates_of
from levelhead.tables.table import Table, for_readers
from levelhead.task import submissions as queue
from levelhead.task.archives import UnsafeArchive, check_archive
from levelhead.task.database import Database, record, shown_time
from levelhead.task.description import MEGABYTE, SharedTask, test_sets_of
from levelhead.task.documents import OwnAverage
from levelhead.task.standings import Leaderboard, leaderboard, own_averages, view_of

GRACE = dt.timedelta(minutes=10)
"""How long uploads are accepted after the deadline, since a proxy may pass them on only when they are complete."""

FORM_BESIDE_FILE = 1 << 16
"""The maximum number of bytes of an upload form without the archive."""

_DISK_FULL = "the disk of the server is full: please tell the organizer"
_INPUTS_NAME = "inputs.zip"
_DATE = (1980, 1, 1, 0, 0, 0)  # for every file in the archive, so that the same inputs give the same bytes
_MODE = 0o100644 << 16


_Value = TypeVar("_Value")


class Site:
    """The shared data of request handlers."""

    def __init__(self, task: SharedTask, database: Database) -> None:
        self.task, self.database = task, database
        self.languages = {test_set.code: test_set.language.name for test_set in test_sets_of(task)}
        self.uploads = Uploads(task, database)
        self._templates = templates_of("levelhead.task")
        self._templates.filters |= {
            "in_address": lambda name: quote(name, safe="", errors="surrogateescape"),
            # readable and, to the minute, machine-readable
            "time": lambda time: Markup('<time datetime="{}">{}</time>').format(
                shown_time(time, "%Y-%m-%dT%H:%MZ"), shown_time(time)
            ),
            "why_primary": queue.why_primary,
        }
        self._templates.globals |= {
            "formatted": for_readers,
            "interval_lines": _interval_lines,
            "shown_state": queue.shown_state,
        }
        # what changes with files: inputs are only searched for gold when the server starts
        self._checked = {path: state_if_any(path) for path in task.folder.inputs()}
        self._input_archive = InputArchive(task.folder.state / _INPUTS_NAME, self.inputs)
        self._lock = threading.Lock()
        self._averages: dict[tuple[str, str], dict[str, dict[str, OwnAverage]]] = {}
        self._leaderboard: tuple[object, Leaderboard] | None = None

    def leaderboard(self) -> Leaderboard:
        with self._lock:
            last = self.database.rows("SELECT max(id) AS last FROM main.audit")[0]["last"], self.database.fact("final")
            if self._leaderboard is None or self._leaderboard[0] != last:
                self._leaderboard = (last, leaderboard(self.task, self.database))
            return self._leaderboard[1]

    def phase(self) -> tuple[str, str]:
        about, time = self.task.about, dt.datetime.now(dt.UTC)
        if self.database.fact("closed") is not None:
            return "closed", "The task is closed."
        if about.opens is not None and time < about.opens:
            return "early", f"The task opens at {shown_time(about.opens)}."
        if about.closes is not None and time >= about.closes:
            until = "" if self.uploads.is_over() else f" Uploads are accepted until {shown_time(about.closes + GRACE)}."
            return "over", f"The submission deadline has passed.{until}"
        until = f" until {shown_time(about.closes)}" if about.closes is not None else ""
        return "open", f"Submissions are open{until}."

    def accepts(self) -> bool:
        phase = self.phase()[0]
        return phase == "open" or (phase == "over" and not self.uploads.is_over())

    def check_open(self) -> None:
        if not self.accepts():
            raise queue.Refused(self.phase()[1], 403)

    def inputs(self) -> dict[str, Path]:
        """Return the paths of downloadable inputs by name, without files that changed since the server started."""
        if not self.task.show.inputs or self.phase()[0] == "early":
            return {}
        files = self.task.folder.inputs()
        return {path.name: path for path in files if self._checked.get(path) == state_if_any(path)}

    def file_routes(self, top: str, team_of: Callable[[Request], queue.Team]) -> list[Route]:
        """Return the routes of inputs and logs, for the teams that a function finds, or refuses."""

        def download_input(request: Request) -> Response:
            team_of(request)
            name = request.path_params["name"]  # looked up, never used as a path
            return FileResponse(
                existing(self.inputs().get(name)), media_type="text/plain; charset=utf-8", filename=name
            )

        def download_all_inputs(request: Request) -> Response:
            team_of(request)
            return FileResponse(
                existing(self._input_archive.ready()), media_type="application/zip", filename=_INPUTS_NAME
            )

        def show_log(request: Request) -> Response:
            return PlainTextResponse(
                existing(self.log_path(self.submission_of(team_of(request), request))).read_bytes()
            )

        return [
            Route(f"{top}/{_INPUTS_NAME}", download_all_inputs),
            Route(f"{top}/inputs/{{name}}", download_input),
            Route(f"{top}/submissions/{{id}}/log", show_log),
        ]

    def submission_of(self, team: queue.Team, request: Request) -> queue.Submission:
        """Return the submission in an address; submissions of other teams are treated as missing."""
        return existing(queue.submission(self.database, request.path_params["id"], team))

    def log_path(self, of: queue.Submission) -> Path | None:
        path = self.task.folder.runs / str(of.run) / "log"
        return path if self.task.show.logs and of.run and path.is_file() else None

    def primary(self, team: queue.Team) -> str | None:
        primary = queue.primary_of(queue.submissions(self.database, team)).get(team.name)
        return primary and primary.id

    def averages(self, of: queue.Submission) -> dict[str, dict[str, OwnAverage]]:
        """Return a submission's averages that its team can currently see, by group and then by measure."""
        if of.state != queue.FINISHED:
            return {}
        key = of.id, view_of(self.task, self.database, own=True)
        if key not in self._averages:
            self._averages[key] = own_averages(self.task, of, key[1])
        return self._averages[key]

    def page(
        self, template: str, session: queue.Session | None, title: str = "", status: int = 200, **values: Any
    ) -> HTMLResponse:
        phase, message = self.phase()
        shown = {"task": self.task, "session": session, "title": title, "phase": phase, "message": message, **values}
        return HTMLResponse(self._templates.get_template(f"{template}.html.j2").render(shown), status)


def existing(value: _Value | None) -> _Value:
    """Return a value; respond that the page does not exist if it is None."""
    if value is None:
        raise HTTPException(404)
    return value


class InputArchive:
    """The archive of the inputs that can currently be downloaded; it is rebuilt when they change."""

    def __init__(self, path: Path, inputs: Callable[[], Mapping[str, Path]]) -> None:
        self.path, self._inputs = path, inputs
        self._made: tuple[str, ...] | None = None
        self._lock = threading.Lock()

    def ready(self) -> Path | None:
        new = self.path.with_name(f".{self.path.name}.part")
        with self._lock:
            inputs = self._inputs()
            if not inputs or (self._made == tuple(inputs) and self.path.is_file()):
                return self.path if inputs else None
            try:
                with zipfile.ZipFile(new, "w") as archive:
                    for name, path in inputs.items():
                        info = zipfile.ZipInfo(printable(name), _DATE)
                        info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, _MODE
                        info.file_size = path.stat().st_size  # which decides whether sizes need 64 bits
                        with path.open("rb") as data, archive.open(info, "w") as target:
                            shutil.copyfileobj(data, target, 1 << 20)
                if self._inputs().keys() != inputs.keys():  # they are not the checked ones any more
                    raise queue.Refused("an input is being changed: try again", 503)
                new.replace(self.path)
                self._made = tuple(inputs)
            except OSError as error:
                raise queue.Refused(
                    "the archive of the inputs cannot be written: please tell the organizer", 507
                ) from error
            finally:
                new.unlink(missing_ok=True)
            return self.path


def _interval_lines(table: Table) -> list[dict[str, float] | None]:
    """Return the intervals of a leaderboard as lines on a common scale, in percent of the width of their cell."""
    intervals = {
        number: {"low": cell[0], "value": value, "high": cell[1]}
        for number, row in enumerate(table.rows)
        for value, cell in pairwise(row)
        if isinstance(cell, tuple) and isinstance(value, float)
    }
    low = min((interval["low"] for interval in intervals.values()), default=0.0)
    width = max((interval["high"] for interval in intervals.values()), default=0.0) - low
    lines = {
        number: {name: round(2 + 96 * ((x - low) / width), 1) for name, x in interval.items()}
        for number, interval in intervals.items()
        if width
    }
    return [lines.get(number) for number in range(len(table.rows))]


class Uploads:
    """Accepts uploads: a few at a time, one per team."""

    def __init__(self, task: SharedTask, database: Database) -> None:
        self.task, self.database = task, database
        self._places = asyncio.Semaphore(task.limits.uploads_at_once)
        self._checks = asyncio.Semaphore(2)  # of archives, at once
        self._busy: set[int] = set()

    @asynccontextmanager
    async def place(self, team: queue.Team) -> AsyncIterator[None]:
        """Wait until another upload is possible, and reserve it for a team."""
        if team.id in self._busy:
            raise queue.Refused("your team already has an upload in progress: wait until it is finished", 429)
        self._busy.add(team.id)
        try:
            async with self._places:
                yield
        finally:
            self._busy.discard(team.id)

    async def take(
        self,
        team: queue.Team,
        body: AsyncIterator[bytes],
        kind: str,
        label: str,
        *,
        key: str | None = None,
        sha256: str | None = None,
        size: int | None = None,
    ) -> queue.Submission:
        """Receive an archive, in a `place`; once this returns, it will be processed in any case.

        The hash and the number of bytes are checked if the client announced them.
        """
        if kind not in self.task.about.kinds:
            raise queue.Refused(f"this task accepts only {' and '.join(self.task.about.kinds)}")
        await run_in_threadpool(self.refuse_early, team, size, key)
        path = self.task.folder.incoming / secrets.token_hex(16)
        digest = hashlib.sha256()
        n_bytes = 0
        try:
            with path.open("xb") as file:
                async for part in body:
                    n_bytes += len(part)
                    self._check_size(n_bytes)
                    digest.update(part)
                    try:
                        file.write(part)
                    except OSError as error:
                        raise queue.Refused(_DISK_FULL, 507) from error
            if size not in {None, n_bytes} or sha256 not in {None, digest.hexdigest()}:
                raise queue.Refused("the upload does not match its announced size or hash: send it again")
            queue.refuse_if(self.is_over(), "the submission deadline has passed", 403)
            async with self._checks:
                upload = queue.Upload(path, digest.hexdigest(), n_bytes, kind, label, key)
                return await run_in_threadpool(self._accept, team, upload)
        finally:
            path.unlink(missing_ok=True)

    def is_over(self) -> bool:
        """Return whether the deadline and the grace after it have passed."""
        closes = self.task.about.closes
        return closes is not None and dt.datetime.now(dt.UTC) >= closes + GRACE

    def refuse_early(self, team: queue.Team, size: int | None = None, key: str | None = None) -> None:
        """Refuse an upload before it is read; an upload that was accepted before with the same key passes."""
        limits = self.task.limits
        self._check_size(size or 0)
        if queue.id_of_key(self.database, team, key) is None:
            # refused archives count as well, since checking them takes time
            query = "SELECT action FROM audit WHERE actor = ? AND action IN ('accepted', 'refused') AND time >= ?"
            rows = self.database.rows(query, f"team {team.name}", self.database.latest()[:10])
            refused = sum(row["action"] == "refused" for row in rows)
            most = limits.submissions_a_day
            if refused and len(rows) >= most:
                used = f"your team has used its {most} submissions for today (UTC)"
                raise queue.Refused(f"{used}; refused archives count as well ({refused} today)", 429)
            queue.refuse_early(self.database, team, limits)
        room = shutil.disk_usage(self.task.folder.state).free - limits.free_megabytes * MEGABYTE
        queue.refuse_if(room < (limits.upload_megabytes * MEGABYTE if size is None else size), _DISK_FULL, 507)

    def _check_size(self, size: int) -> None:
        megabytes = self.task.limits.upload_megabytes
        queue.refuse_if(size > megabytes * MEGABYTE, f"the archive is larger than {megabytes} MB", 413)

    def _accept(self, team: queue.Team, upload: queue.Upload) -> queue.Submission:
        try:
            if queue.id_of_key(self.database, team, upload.key) is None:  # otherwise `accept` does not accept it again
                check_archive(upload.path, self.task.limits)
        except UnsafeArchive as error:
            with self.database.transaction() as connection:
                record(connection, f"team {team.name}", "refused", detail=f"{upload.sha256} {error.message}")
            raise queue.Refused(f"archive refused: {error.message}") from error
        return queue.accept(self.database, self.task.folder, team, upload, self.task.limits)
