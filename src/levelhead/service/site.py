"""What the handlers of requests share: the task as it is now, and what may be shown of it."""

from __future__ import annotations

import datetime as dt
import threading
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from levelhead.service.database import Database, shown_time
from levelhead.service.description import Task
from levelhead.service.folder import Folder
from levelhead.service.preparation import blind_files
from levelhead.service.scoring import campaign_with
from levelhead.service.standings import Board, board, own_results
from levelhead.service.submissions import Refused, Submission, primary_of, submission, submissions
from levelhead.service.teams import Team
from levelhead.service.uploads import Reception


class Site:
    """What the handlers of requests share."""

    def __init__(self, task: Task, database: Database) -> None:
        self.task, self.database, self.folder = task, database, Folder(task.folder)
        self.languages = {one.code: one.language.name for one in campaign_with(task, {}).test_sets}
        self.reception = Reception(task, database)
        self._checked = {path: _state(path) for path in blind_files(self.folder)}
        self._lock = threading.Lock()
        self._board: tuple[object, Board] | None = None

    def board(self) -> Board:
        """The leaderboard, made again when something happened since."""
        with self._lock:
            changed = self.database.rows("SELECT max(id) AS last FROM audit")[0]["last"], self.database.fact("final")
            if self._board is None or self._board[0] != changed:
                self._board = (changed, board(self.task, self.database))
            return self._board[1]

    def phase(self) -> tuple[str, str]:
        """The state of the task, in a word and in a sentence."""
        about, time = self.task.about, dt.datetime.now(dt.UTC)
        if self.database.fact("closed") is not None:
            return "closed", "The task is closed."
        if about.opens is not None and time < about.opens:
            return "early", f"The task opens at {shown_time(about.opens)}."
        if about.closes is not None and time >= about.closes:
            return "over", "The time for submissions is over."
        until = f" until {shown_time(about.closes)}" if about.closes is not None else ""
        return "open", f"Submissions are taken{until}."

    def check_open(self) -> None:
        """Refuse what cannot be done now."""
        word, sentence = self.phase()
        if word != "open":
            raise Refused(sentence, 403)

    def inputs(self) -> dict[str, Path]:
        """The inputs that can be downloaded now, by name; files that changed since the server started are not."""
        if not self.task.show.inputs or self.phase()[0] == "early":
            return {}
        return {path.name: path for path in blind_files(self.folder) if self._checked.get(path) == _state(path)}

    def input(self, name: str) -> Response:
        """One of them; names are looked up, never made into paths."""
        path = self.inputs().get(name)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="text/plain; charset=utf-8", filename=name)

    def own(self, team: Team, name: str) -> Submission:
        """A submission of a team; those of others look as if they were not there."""
        found = submission(self.database, name, team)
        if found is None:
            raise HTTPException(404)
        return found

    def log(self, one: Submission) -> bytes | None:
        """What a system printed, if its team may see that."""
        path = self.folder.runs / str(one.run) / "log"
        return path.read_bytes() if self.task.show.logs and one.run and path.is_file() else None

    def primary(self, team: Team) -> str | None:
        """The name of a team's primary submission, chosen or not."""
        found = primary_of(submissions(self.database, team)).get(team.name)
        return None if found is None else found.id

    def document(self, one: Submission, primary: str | None, *, results: bool) -> dict[str, Any]:
        """A submission for JSON, with the name of the team's primary one."""
        fields = ("id", "number", "kind", "label", "sha256", "size", "received", "state", "finished", "reason")
        document = {name: getattr(one, name) for name in fields} | {"primary": one.id == primary}
        return document | ({"results": own_results(self.task, self.database, one)} if results else {})


def _state(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does: gold is compared with the inputs when the server starts, and only then."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
