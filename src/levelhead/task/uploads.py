"""Receiving of uploads: they are written to disk, checked, and accepted completely or not at all."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.concurrency import run_in_threadpool

from levelhead.task.archives import ArchiveLimits, UnsafeArchive, check_archive
from levelhead.task.database import Database, record
from levelhead.task.description import MEGABYTE, SharedTask
from levelhead.task.submissions import Refused, Submission, Team, Upload, accept, id_of_key, refuse_early

GRACE = dt.timedelta(minutes=10)
"""How long uploads are accepted after the deadline, since a proxy may pass them on only when they are complete."""

FORM_BESIDE_FILE = 1 << 16
"""The maximum number of bytes of an upload form without the archive."""

_CHECKS_AT_ONCE = 2
_DISK_FULL = "the disk of the server is full: please tell the organizer"


class Uploads:
    """Accepts uploads: a few at a time, one per team."""

    def __init__(self, task: SharedTask, database: Database) -> None:
        self.task, self.database = task, database
        self.folder = task.folder
        self._places = asyncio.Semaphore(task.limits.uploads_at_once)
        self._checks = asyncio.Semaphore(_CHECKS_AT_ONCE)
        self._busy: set[int] = set()

    @asynccontextmanager
    async def place(self, team: Team) -> AsyncIterator[None]:
        """Wait until another upload is possible, and reserve it for a team."""
        if team.id in self._busy:
            raise Refused("your team already has an upload in progress: wait until it is finished", 429)
        self._busy.add(team.id)
        try:
            async with self._places:
                yield
        finally:
            self._busy.discard(team.id)

    async def take(
        self,
        team: Team,
        body: AsyncIterator[bytes],
        kind: str,
        label: str,
        *,
        key: str | None = None,
        sha256: str | None = None,
        size: int | None = None,
    ) -> Submission:
        """Receive an archive, in a `place`; once this returns, it will be processed in any case.

        The hash and the number of bytes are checked if the client announced them.
        """
        if kind not in self.task.about.kinds:
            raise Refused(f"this task accepts only {' and '.join(self.task.about.kinds)}")
        await run_in_threadpool(self.refuse_early, team, size, key)
        path = self.folder.incoming / secrets.token_hex(16)
        digest, n_bytes = hashlib.sha256(), 0
        try:
            with path.open("xb") as file:
                async for part in body:
                    n_bytes += len(part)
                    self._check_size(n_bytes)
                    digest.update(part)
                    try:
                        file.write(part)
                    except OSError as error:
                        raise Refused(_DISK_FULL, 507) from error
            if size not in {None, n_bytes} or sha256 not in {None, digest.hexdigest()}:
                raise Refused("the upload does not match its announced size or hash: send it again")
            if self.is_over():
                raise Refused("the submission deadline has passed", 403)
            async with self._checks:
                upload = Upload(path, digest.hexdigest(), n_bytes, kind, label, key)
                return await run_in_threadpool(self._accept, team, upload)
        finally:
            path.unlink(missing_ok=True)

    def is_over(self) -> bool:
        """Return whether the deadline and the grace after it have passed."""
        closes = self.task.about.closes
        return closes is not None and dt.datetime.now(dt.UTC) >= closes + GRACE

    def refuse_early(self, team: Team, size: int | None = None, key: str | None = None) -> None:
        """Refuse an upload before it is read; an upload that was accepted before with the same key passes."""
        limits = self.task.limits
        self._check_size(size or 0)
        if id_of_key(self.database, team, key) is None:
            # refused archives count as well, since checking them takes time
            query = "SELECT action FROM audit WHERE actor = ? AND action IN ('accepted', 'refused') AND time >= ?"
            rows = self.database.rows(query, f"team {team.name}", self.database.latest()[:10])
            refused, most = sum(row["action"] == "refused" for row in rows), limits.submissions_a_day
            if refused and len(rows) >= most:
                message = f"your team has used its {most} submissions for today (UTC); refused archives count as well"
                raise Refused(f"{message} ({refused} today)", 429)
            refuse_early(self.database, team, limits)
        room = shutil.disk_usage(self.folder.state).free - limits.free_megabytes * MEGABYTE
        if room < (limits.upload_megabytes * MEGABYTE if size is None else size):
            raise Refused(_DISK_FULL, 507)

    def _check_size(self, size: int) -> None:
        megabytes = self.task.limits.upload_megabytes
        if size > megabytes * MEGABYTE:
            raise Refused(f"the archive is larger than {megabytes} MB", 413)

    def _accept(self, team: Team, upload: Upload) -> Submission:
        try:
            if id_of_key(self.database, team, upload.key) is None:  # otherwise `accept` does not accept it again
                check_archive(upload.path, ArchiveLimits.of(self.task.limits))
        except UnsafeArchive as error:
            with self.database.transaction() as connection:
                record(connection, f"team {team.name}", "refused", detail=f"{upload.sha256} {error.message}")
            raise Refused(f"archive refused: {error.message}") from error
        return accept(self.database, self.folder, team, upload, self.task.limits)
