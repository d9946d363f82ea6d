"""The web server of a task: pages, and the same over plain HTTP for programs."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from levelhead.service import pages
from levelhead.service.browsing import page_routes
from levelhead.service.database import Database
from levelhead.service.description import MEGABYTE, Task
from levelhead.service.interface import interface_routes
from levelhead.service.site import Site
from levelhead.service.submissions import Refused

_SMALL_BODY = 1 << 16
_FORM_BESIDE_FILE = 1 << 16
_HEADERS = (
    (b"content-security-policy",
     b"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)  # fmt: skip


class _TooLarge(Exception):
    """A body of a request that is larger than allowed."""


class _Guard:
    """Limits the bodies of requests, and says to browsers what pages may do."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        uploads = scope["path"] in {"/submissions", "/api/v1/submissions"}
        left = self.most if uploads else _SMALL_BODY

        async def receive_some() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise _TooLarge
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", ())
                given = {name for name, _ in headers}
                message["headers"] = [*headers, *(pair for pair in _HEADERS if pair[0] not in given)]
            await send(message)

        try:
            await self.app(scope, receive_some, send_with_headers)
        except _TooLarge:
            await JSONResponse({"error": "the request is too large"}, 413)(scope, receive, send_with_headers)
        except ClientDisconnect:
            return  # nobody is left to answer; nothing of the upload is kept


def application(task: Task, database: Database) -> ASGIApp:
    """Return the web server of a task, for uvicorn or any other server of ASGI.

    Args:
        task: the task.
        database: its database, which stays open as long as the server runs.
    """
    site = Site(task, database)
    routes = [*page_routes(site), *interface_routes(site)]
    handlers = {Refused: _refused(task), HTTPException: _http_error(task)}
    app = Starlette(routes=routes, exception_handlers=handlers)
    return _Guard(app, task.limits.upload_megabytes * MEGABYTE + _FORM_BESIDE_FILE)


def _refused(task: Task) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return _error(task, request, error.status, error.message)

    return answer


def _http_error(task: Task) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _error(task, request, error.status_code, HTTPStatus(error.status_code).phrase, error.headers)

    return answer


def _error(task: Task, request: Request, status: int, message: str, headers: Any = None) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message}, status, headers)
    return HTMLResponse(pages.problem(task, HTTPStatus(status).phrase, message), status, headers)
