"""The web server of a task: pages, and the same over plain HTTP for programs."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp

from levelhead.service import pages
from levelhead.service.browsing import page_routes
from levelhead.service.database import Database
from levelhead.service.description import MEGABYTE, Task
from levelhead.service.guard import FORM_BESIDE_FILE, Guard
from levelhead.service.interface import interface_routes
from levelhead.service.site import Site
from levelhead.service.submissions import Refused


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
    return Guard(app, task.limits.upload_megabytes * MEGABYTE + FORM_BESIDE_FILE)


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
