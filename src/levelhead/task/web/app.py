"""The web server of a task: pages and the API."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from levelhead.task.model.database import Database
from levelhead.task.model.description import MEGABYTE, SharedTask
from levelhead.task.model.submissions import Refused
from levelhead.task.web.api import api_routes
from levelhead.task.web.limits import FORM_BESIDE_FILE, RequestLimits
from levelhead.task.web.pages import page_routes
from levelhead.task.web.site import Site


def task_app(task: SharedTask, database: Database) -> ASGIApp:
    """Return the web server of a task, for uvicorn or any other ASGI server."""
    site = Site(task, database)

    def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return _error(site, request, error.status, error.message)

    def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _error(site, request, error.status_code, HTTPStatus(error.status_code).phrase, error.headers)

    handlers = {Refused: refused, HTTPException: http_error}
    app = Starlette(routes=[*page_routes(site), *api_routes(site)], exception_handlers=handlers)
    most = task.limits.upload_megabytes * MEGABYTE + FORM_BESIDE_FILE
    return RequestLimits(app, most, task.limits.upload_seconds)


def _error(site: Site, request: Request, status: int, message: str, headers: Any = None) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message}, status, headers)
    page = site.page("problem", None, HTTPStatus(status).phrase, status, message=message)
    page.headers.update(headers or {})
    return page
