"""The web server of a task: the API, limits on request bodies, and the security headers of responses.

All requests to the API, under /api/v1, except two require the token of a team.

Uvicorn and the proxy limit connections.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from levelhead.task.database import Database
from levelhead.task.description import MEGABYTE, SharedTask
from levelhead.task.documents import submission_document, task_document
from levelhead.task.pages import Pages
from levelhead.task.site import FORM_BESIDE_FILE, Site
from levelhead.task.standings import own_results, view_of
from levelhead.task.submissions import Refused, Submission, Team, choose, submissions, team_of_token

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
        if self._left < 0:
            raise Refused("the request is larger than allowed", 413)
        return message

    async def read_on(self) -> None:
        """Read unused data for a while, since a client that is still sending would not see the response."""
        with suppress(TimeoutError, Refused):
            async with asyncio.timeout(SECONDS_FOR_A_PART):
                while not self._ended:
                    await self.receive()
        self._ended = True


def task_app(task: SharedTask, database: Database) -> ASGIApp:
    """Return the web server of a task, for uvicorn or any other ASGI server."""
    site = Site(task, database)

    def problem(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            status = error.status_code
            headers = error.headers or {}
            message = HTTPStatus(error.status_code).phrase
        else:
            assert isinstance(error, Refused)
            status = error.status
            headers = {}
            message = error.message
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
    """Return a submission for JSON, given the ID of the team's primary submission."""
    results = own_results(submission, view_of(site.task, site.database, own=True))
    return submission_document(submission, results, site.averages(submission), primary=submission.id == primary)
