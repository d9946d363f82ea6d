"""The shared data of request handlers: the current state of the task, and its visible part."""

from __future__ import annotations

import datetime as dt
import threading
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

from levelhead.task.model.campaign import test_sets_of
from levelhead.task.model.database import Database, shown_time
from levelhead.task.model.description import SharedTask
from levelhead.task.model.submissions import FINISHED, Refused, Submission, primary_of, submission, submissions
from levelhead.task.model.teams import Session, Team
from levelhead.task.results.leaderboard import Leaderboard, OwnAverage, leaderboard, own_averages, own_results, view_of
from levelhead.task.web.input_archive import InputArchive
from levelhead.task.web.templating import page_templates
from levelhead.task.web.uploads import GRACE, Uploads

INPUTS_NAME = "inputs.zip"
"""The name of the file with all inputs."""

Averages = dict[str, dict[str, OwnAverage]]
"""Averages by group and measure."""


class Site:
    """The shared data of request handlers.

    Args:
        task: the task.
        database: its database.
    """

    def __init__(self, task: SharedTask, database: Database) -> None:
        self.task, self.database = task, database
        self.languages = {test_set.code: test_set.language.name for test_set in test_sets_of(task)}
        self.uploads = Uploads(task, database)
        self._templates = page_templates()
        self._checked = {path: _file_identity(path) for path in task.folder.inputs()}
        self._input_archive = InputArchive(task.folder.inputs_archive, self.inputs)
        self._lock = threading.Lock()
        self._averages: dict[tuple[str, str], Averages] = {}
        self._leaderboard: tuple[object, Leaderboard] | None = None

    def leaderboard(self) -> Leaderboard:
        """Return the leaderboard, which is recomputed after every change."""
        with self._lock:
            last = self.database.rows("SELECT max(id) AS last FROM main.audit")[0]["last"], self.database.fact("final")
            if self._leaderboard is None or self._leaderboard[0] != last:
                self._leaderboard = (last, leaderboard(self.task, self.database))
            return self._leaderboard[1]

    def phase(self) -> tuple[str, str]:
        """Return the state of the task, as a word and as a sentence."""
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
        """Return whether submissions are accepted now."""
        phase = self.phase()[0]
        return phase == "open" or (phase == "over" and not self.uploads.is_over())

    def check_open(self) -> None:
        """Refuse a submission while the task is not open."""
        if not self.accepts():
            raise Refused(self.phase()[1], 403)

    def inputs(self) -> dict[str, Path]:
        """Return the inputs that can be downloaded, by name, without inputs that changed since the server started."""
        if not self.task.show.inputs or self.phase()[0] == "early":
            return {}
        paths = self.task.folder.inputs()
        return {path.name: path for path in paths if self._checked.get(path) == _file_identity(path)}

    def input(self, name: str) -> Response:
        """Respond with an input; names are looked up, never used as paths."""
        path = self.inputs().get(name)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="text/plain; charset=utf-8", filename=name)

    def all_inputs(self) -> Response:
        """Respond with all inputs that can be downloaded now, in a zip file."""
        path = self._input_archive.ready()
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="application/zip", filename=INPUTS_NAME)

    def submission_of(self, team: Team, name: str) -> Submission:
        """Return a submission of a team; submissions of other teams are treated as missing."""
        own = submission(self.database, name, team)
        if own is None:
            raise HTTPException(404)
        return own

    def log_path(self, of: Submission) -> Path | None:
        """Return the log file of a system, if its team can see it."""
        path = self.task.folder.runs / str(of.run) / "log"
        return path if self.task.show.logs and of.run and path.is_file() else None

    def log(self, team: Team, name: str) -> Response:
        """Respond with the log of a team's system."""
        path = self.log_path(self.submission_of(team, name))
        if path is None:
            raise HTTPException(404)
        return PlainTextResponse(path.read_bytes())

    def primary(self, team: Team) -> str | None:
        """Return the ID of a team's primary submission, chosen or by default."""
        primary = primary_of(submissions(self.database, team)).get(team.name)
        return None if primary is None else primary.id

    def averages(self, of: Submission) -> Averages:
        """Return the averages of a submission that its team can currently see; they are computed once."""
        if of.state != FINISHED:
            return {}
        key = of.id, view_of(self.task, self.database, own=True)
        if key not in self._averages:
            self._averages[key] = own_averages(self.task, self.database, of)
        return self._averages[key]

    def document(self, of: Submission, primary: str | None, *, results: bool) -> dict[str, Any]:
        """Return a submission for JSON, given the ID of the team's primary submission."""
        fields = (
            "id",
            "number",
            "kind",
            "label",
            "sha256",
            "size",
            "received",
            "state",
            "finished",
            "reason",
            "valid",
            "outputs",
        )
        document = {name: getattr(of, name) for name in fields} | {"primary": of.id == primary}
        document["averages"] = {
            group: {measure: average._asdict() for measure, average in by_measure.items()}
            for group, by_measure in self.averages(of).items()
        }
        return document | ({"results": own_results(self.task, self.database, of)} if results else {})

    def page(
        self, template: str, session: Session | None, title: str = "", status: int = 200, **values: Any
    ) -> HTMLResponse:
        """Respond with a page."""
        phase, message = self.phase()
        shown = {"task": self.task, "session": session, "title": title, "phase": phase, "message": message, **values}
        return HTMLResponse(self._templates.get_template(f"{template}.html.j2").render(shown), status)


def _file_identity(path: Path) -> tuple[int, int, int] | None:
    """Return values that change with a file; inputs are only searched for gold when the server starts."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
