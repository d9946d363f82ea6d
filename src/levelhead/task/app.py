"""The web server of a task: the API, limits on request bodies, security headers; and the runner, in another process.

All requests to the API, under /api/v1, except two require the token of a team. Uvicorn and the proxy limit connections.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from http import HTTPStatus
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from levelhead.errors import Fault, InputError, Place
from levelhead.task.database import Database
from levelhead.task.description import MEGABYTE, SYSTEM, SharedTask, check_measures
from levelhead.task.documents import submission_document, task_document
from levelhead.task.gold_trees import check_inputs
from levelhead.task.pages import Pages
from levelhead.task.sandbox import check_sandbox, scratch_of
from levelhead.task.scoring import ONE_PROCESS, ScoringWorkers
from levelhead.task.site import FORM_BESIDE_FILE, Site
from levelhead.task.standings import own_results, view_of
from levelhead.task.submissions import Refused, Submission, Team, choose, refuse_if, submissions, team_of_token

SECONDS_FOR_A_PART = 30
"""The maximum pause in the middle of a request body, since an upload occupies the place of its team meanwhile."""

_SMALL_BODY = 1 << 16
_UPLOADS = {"/submissions", "/api/v1/submissions"}
_HEADERS = (
    (b"content-security-policy",
     b"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # without it, browsers would not send the origin of forms
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)  # fmt: skip
_LENGTHS = {b"content-length", b"transfer-encoding"}

_two_lengths = JSONResponse(
    {"error": "give Content-Length or Transfer-Encoding, not both"}, 400, headers={"Connection": "close"}
)
"""A proxy may find another end of such a request, so the rest of the connection is not answered."""


class _Body:
    """The body of a request, limited to the allowed size and time."""

    def __init__(self, receive: Receive, most: int, seconds: int) -> None:
        self._receive, self._left, self._seconds = receive, most, seconds
        self._deadline: float | None = None
        self._ended = False

    async def receive(self) -> Message:
        """Return the next part; after the last part, wait until the client disconnects."""
        if self._ended:
            return await self._receive()
        now = asyncio.get_running_loop().time()
        self._deadline = self._deadline or now + self._seconds  # from the first part on: an upload may have to wait
        message = None
        with suppress(TimeoutError):
            async with asyncio.timeout(min(SECONDS_FOR_A_PART, self._deadline - now)):
                message = await self._receive()
        if message is None or now > self._deadline:  # data that is already there does not time out, but is late as well
            self._ended = True
            raise Refused("the request arrives too slowly", 408)
        self._ended = message["type"] != "http.request" or not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        refuse_if(self._left < 0, "the request is larger than allowed", 413)
        return message

    async def read_on(self) -> None:
        """Read unused data for a while, since a client that is still sending would not see the response."""
        with suppress(TimeoutError, Refused):
            async with asyncio.timeout(SECONDS_FOR_A_PART):
                while not self._ended:
                    await self.receive()
        self._ended = True


def task_app(task: SharedTask, database: Database) -> ASGIApp:
    site = Site(task, database)

    def problem(request: Request, error: Exception) -> Response:
        headers: Mapping[str, str] = {}
        if isinstance(error, HTTPException):
            status, message, headers = error.status_code, HTTPStatus(error.status_code).phrase, error.headers or {}
        else:
            assert isinstance(error, Refused)
            status, message = error.status, error.message
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": message}, status, headers)
        page = site.page("problem", None, HTTPStatus(status).phrase, status, message=message)
        page.headers.update(headers)
        return page

    routes = [*Pages(site).routes(), *api_routes(site)]
    app = Starlette(routes=routes, exception_handlers={Refused: problem, HTTPException: problem})
    upload_bytes = task.limits.upload_megabytes * MEGABYTE + FORM_BESIDE_FILE

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body = _Body(receive, (upload_bytes if scope["path"] in _UPLOADS else _SMALL_BODY), task.limits.upload_seconds)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                await body.read_on()
                headers = message.get("headers", ())
                names = {name for name, _ in headers}
                message["headers"] = [*headers, *(header for header in _HEADERS if header[0] not in names)]
            await send(message)

        with suppress(ClientDisconnect):  # the client is gone; nothing of the upload is kept
            await (_two_lengths if {name for name, _ in scope["headers"]} >= _LENGTHS else app)(
                scope, body.receive, answer
            )

    return limited


_TOP = "/api/v1"


def api_routes(site: Site) -> list[Route]:
    def team_of(request: Request) -> Team:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        team = team_of_token(site.database, token.strip()) if scheme.lower() == "bearer" else None
        if team is None:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        return team

    def list_inputs(request: Request) -> Response:
        team_of(request)
        return JSONResponse([{"name": name, "size": path.stat().st_size} for name, path in site.inputs().items()])

    def list_submissions(request: Request) -> Response:
        team = team_of(request)
        primary = site.primary(team)
        of_team = submissions(site.database, team, results=True)
        return JSONResponse([_document(site, submission, primary) for submission in of_team])

    def show_submission(request: Request) -> Response:
        team = team_of(request)
        submission = site.submission_of(team, request)
        return JSONResponse(_document(site, submission, site.primary(team)))

    def choose_primary(request: Request) -> Response:
        team = team_of(request)
        choose(site.database, site.submission_of(team, request))
        return JSONResponse(_document(site, site.submission_of(team, request), site.primary(team)))

    async def submit(request: Request) -> Response:
        team = await run_in_threadpool(team_of, request)
        await run_in_threadpool(site.check_open)
        query, size, key = request.query_params, *map(request.headers.get, ("content-length", "idempotency-key"))
        async with site.uploads.place(team):
            if (size is not None and not size.isdecimal()) or (key is not None and not 8 <= len(key) <= 100):
                raise Refused("invalid Content-Length or Idempotency-Key")
            accepted = await site.uploads.take(
                team, request.stream(), query.get("kind", "outputs"), query.get("label", ""), key=key,
                sha256=query.get("sha256"), size=int(size) if size else None,
            )  # fmt: skip
        return JSONResponse(_document(site, accepted, None), 201)

    return [
        Route(f"{_TOP}/task", lambda _: JSONResponse(task_document(site.task, site.languages, *site.phase()))),
        Route(f"{_TOP}/leaderboard", lambda _: JSONResponse(site.leaderboard().to_dict())),
        Route(f"{_TOP}/inputs", list_inputs),
        Route(f"{_TOP}/submissions", list_submissions),
        Route(f"{_TOP}/submissions", submit, methods=["POST"]),
        Route(f"{_TOP}/submissions/{{id}}", show_submission),
        Route(f"{_TOP}/submissions/{{id}}/primary", choose_primary, methods=["PUT"]),
        *site.file_routes(_TOP, team_of),
    ]


def _document(site: Site, submission: Submission, primary: str | None) -> dict[str, Any]:
    results = own_results(submission, view_of(site.task, site.database, own=True))
    return submission_document(submission, results, site.averages(submission), primary=submission.id == primary)


_SECONDS_BEFORE_RESTART = 1
_PROGRAM = "import sys; from levelhead.task.worker import main; main(sys.argv[1:])"
_CONNECTIONS = 800  # at a time; more would exceed the usual limit of 1024 open files per process


class _Runners:
    """Starts a runner, and restarts it whenever it ends."""

    def __init__(self, task: SharedTask, workers: ScoringWorkers) -> None:
        self._task, self._workers = task, workers
        self._stop = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._process is not None:
            self._process.kill()  # its work is started again next time
        self._thread.join()
        shutil.rmtree(scratch_of(self._task.sandbox, self._task.folder.path), ignore_errors=True)

    def _keep_running(self) -> None:
        while not self._stop.is_set():
            command = [sys.executable, "-c", _PROGRAM, str(self._task.folder.path), str(self._workers)]
            with subprocess.Popen(command, stdin=subprocess.PIPE) as self._process:  # noqa: S603
                if self._stop.is_set():
                    self._process.kill()
                self._process.wait()  # its standard input always ends with this process
            self._stop.wait(_SECONDS_BEFORE_RESTART)


def serve_task(task: SharedTask, *, host: str, port: int, workers: ScoringWorkers = ONE_PROCESS) -> None:
    workers.workers()  # refuses unusable clusters before anything starts
    folder = task.folder
    place = Place(str(folder.path))
    folder.check_state()
    folder.prepare()
    with ExitStack() as stack:
        lock = stack.enter_context((folder.state / "server.lock").open("w"))  # which ends with the process
        try:  # a second server would delete the uploads of this one
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(Fault("invalid-task", "the task is already being served", place)) from error
        try:  # from now on, connections to all addresses of the name wait until they are accepted
            known = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            addresses = dict.fromkeys((family, address) for family, _, _, _, address in known)
            sockets = [
                stack.enter_context(socket.create_server(address[:2], family=family)) for family, address in addresses
            ]
        except OSError as error:
            reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
            message = f"cannot listen on {host}:{port}: {reason}; choose another --port or --host"
            raise InputError(Fault("cannot-listen", message)) from error
        check_measures(task)
        check_inputs(task)
        if SYSTEM in task.about.kinds:
            check_sandbox(task.sandbox, folder.path)
        for path in folder.incoming.iterdir():
            path.unlink()
        database = stack.enter_context(Database(folder.database))
        database.check()
        runners = _Runners(task, workers)
        stack.callback(runners.stop)
        _Server(task_app(task, database), host, port, runners).run(sockets)


class _Server(uvicorn.Server):
    """Prints its addresses at the start, and stops the runner at the end."""

    def __init__(self, app: ASGIApp, host: str, port: int, runners: _Runners | None = None) -> None:
        config = uvicorn.Config(
            app, host=host, port=port, access_log=False, server_header=False, lifespan="off", log_level="warning",
            proxy_headers=False, timeout_keep_alive=10, limit_concurrency=_CONNECTIONS, backlog=256,
            timeout_graceful_shutdown=5, h11_max_incomplete_event_size=1 << 16, http="h11", ws="none",
        )  # fmt: skip
        super().__init__(config)
        self._runners = runners

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        for server in self.servers if self.started else ():
            for listening in server.sockets:
                host, port = listening.getsockname()[:2]
                print(f"http://{host}:{port}", flush=True)  # noqa: T201

    async def shutdown(self, sockets: Any = None) -> None:
        await super().shutdown(sockets)
        if self._runners is not None:
            self._runners.stop()  # here, since uvicorn then ends the process by the received signal
