"""The web server of a task: pages and the API, limits on request bodies, and the security headers of responses.

Uvicorn and the proxy limit connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from levelhead.task.api import api_routes
from levelhead.task.database import Database
from levelhead.task.description import MEGABYTE, SharedTask
from levelhead.task.pages import page_routes
from levelhead.task.site import Site
from levelhead.task.submissions import Refused
from levelhead.task.uploads import FORM_BESIDE_FILE

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
        try:
            async with asyncio.timeout(min(SECONDS_FOR_A_PART, self._deadline - now)):
                message = await self._receive()
        except TimeoutError as error:
            self._ended = True
            raise Refused("the request arrives too slowly", 408) from error
        if now > self._deadline:  # data that is already there takes no time, so it does not time out
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
        headers: Mapping[str, str] = {}
        if isinstance(error, HTTPException):
            status, headers = error.status_code, error.headers or {}
            message = HTTPStatus(status).phrase
        else:
            assert isinstance(error, Refused)
            status, message = error.status, error.message
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": message}, status, headers)
        page = site.page("problem", None, HTTPStatus(status).phrase, status, message=message)
        page.headers.update(headers)
        return page

    routes = [*page_routes(site), *api_routes(site)]
    app = Starlette(routes=routes, exception_handlers={Refused: problem, HTTPException: problem})
    upload_bytes = task.limits.upload_megabytes * MEGABYTE + FORM_BESIDE_FILE

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        most = upload_bytes if scope["path"] in _UPLOADS else _SMALL_BODY
        body = _Body(receive, most, task.limits.upload_seconds)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                await body.read_on()
                headers = message.get("headers", ())
                names = {name for name, _ in headers}
                message["headers"] = [*headers, *(header for header in _HEADERS if header[0] not in names)]
            await send(message)

        two_lengths = {name for name, _ in scope["headers"]} >= _LENGTHS
        with suppress(ClientDisconnect):  # the client is gone; nothing of the upload is kept
            await (_two_lengths if two_lengths else app)(scope, body.receive, answer)

    return limited
