"""The API, under /api/v1: all requests except two require the token of a team."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from levelhead.tables.documents import header
from levelhead.tables.table import Table
from levelhead.task.model.campaign import measures_of, rules_of
from levelhead.task.model.submissions import Refused, choose, submissions
from levelhead.task.model.teams import Team, team_of_token
from levelhead.task.results.leaderboard import Leaderboard
from levelhead.task.web.site import INPUTS_NAME, Site
from levelhead.task.web.uploads import UploadRequest

_TOP = "/api/v1"


def _team_of(site: Site, request: Request) -> Team:
    """Return the team of the request's token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    team = team_of_token(site.database, token.strip()) if scheme.lower() == "bearer" else None
    if team is None:
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
    return team


def api_routes(site: Site) -> list[Route]:
    """Return the routes of the API."""
    return [*_task_routes(site), *_submission_routes(site)]


def _task_routes(site: Site) -> list[Route]:
    """The routes about the task: its description, leaderboard and inputs."""

    def show_task(request: Request) -> Response:  # noqa: ARG001
        """Respond with the description of the task."""
        return JSONResponse(_task_document(site))

    def show_leaderboard(request: Request) -> Response:  # noqa: ARG001
        """Respond with the visible part of the leaderboard."""
        return JSONResponse(_leaderboard_document(site.leaderboard()))

    def list_inputs(request: Request) -> Response:
        """Respond with the names and sizes of the inputs."""
        _team_of(site, request)
        return JSONResponse([{"name": name, "size": path.stat().st_size} for name, path in site.inputs().items()])

    def download_input(request: Request) -> Response:
        """Respond with an input."""
        _team_of(site, request)
        return site.input(request.path_params["name"])

    def download_all_inputs(request: Request) -> Response:
        """Respond with all inputs in a zip file."""
        _team_of(site, request)
        return site.all_inputs()

    return [
        Route(f"{_TOP}/task", show_task),
        Route(f"{_TOP}/leaderboard", show_leaderboard),
        Route(f"{_TOP}/inputs", list_inputs),
        Route(f"{_TOP}/{INPUTS_NAME}", download_all_inputs),
        Route(f"{_TOP}/inputs/{{name}}", download_input),
    ]


def _submission_routes(site: Site) -> list[Route]:
    """The routes about the submissions of a team."""

    def list_submissions(request: Request) -> Response:
        """Respond with the submissions of the team."""
        team = _team_of(site, request)
        primary = site.primary(team)
        own = submissions(site.database, team, results=True)
        return JSONResponse([site.document(submission, primary, results=False) for submission in own])

    def show_submission(request: Request) -> Response:
        """Respond with a submission of the team and its results."""
        team = _team_of(site, request)
        own = site.submission_of(team, request.path_params["id"])
        return JSONResponse(site.document(own, site.primary(team), results=True))

    def show_log(request: Request) -> Response:
        """Respond with the log of a system of the team."""
        return site.log(_team_of(site, request), request.path_params["id"])

    def choose_primary(request: Request) -> Response:
        """Make a submission the primary one of the team."""
        team = _team_of(site, request)
        own = site.submission_of(team, request.path_params["id"])
        choose(site.database, own)
        return JSONResponse(site.document(site.submission_of(team, own.id), site.primary(team), results=False))

    async def submit(request: Request) -> Response:
        """Accept an archive."""
        team = await run_in_threadpool(_team_of, site, request)
        await run_in_threadpool(site.check_open)
        async with site.uploads.place(team):
            accepted = await site.uploads.take(team, _upload_request(request), request.stream())
        return JSONResponse(site.document(accepted, None, results=False), 201)

    return [
        Route(f"{_TOP}/submissions", list_submissions),
        Route(f"{_TOP}/submissions", submit, methods=["POST"]),
        Route(f"{_TOP}/submissions/{{id}}", show_submission),
        Route(f"{_TOP}/submissions/{{id}}/log", show_log),
        Route(f"{_TOP}/submissions/{{id}}/primary", choose_primary, methods=["PUT"]),
    ]


def _upload_request(request: Request) -> UploadRequest:
    size = request.headers.get("content-length")
    key = request.headers.get("idempotency-key")
    if (size is not None and not size.isdecimal()) or (key is not None and not 8 <= len(key) <= 100):
        raise Refused("invalid Content-Length or Idempotency-Key")
    query = request.query_params
    return UploadRequest(
        query.get("kind", "outputs"), query.get("label", ""), key, query.get("sha256"), int(size) if size else None
    )


def _task_document(site: Site) -> dict[str, Any]:
    about, task = site.task.about, site.task
    phase, message = site.phase()
    return {
        **header("task"),
        "title": about.title,
        "description": about.description,
        "contact": about.contact,
        "opens": about.opens and about.opens.isoformat(),
        "closes": about.closes and about.closes.isoformat(),
        "phase": phase,
        "message": message,
        "kinds": list(about.kinds),
        "treebanks": [{"code": code, "language": language} for code, language in site.languages.items()],
        "measures": list(measures_of(task)),
        "rules": rules_of(task),
        "ranking": task.manifest.ranking or "exact",
        "limits": task.limits._asdict(),
        "show": task.show._asdict(),
    }


def _leaderboard_document(shown: Leaderboard) -> dict[str, Any]:
    treebanks = {code: _table_document(table) for code, table in shown.treebanks.items()}
    ranking = None if shown.ranking is None else _table_document(shown.ranking)
    visible = {"view": shown.view, "changed": shown.changed, "ranking": ranking, "treebanks": treebanks}
    return {**header("leaderboard"), **visible}


def _table_document(table: Table) -> dict[str, Any]:
    tidy = table.tidy  # an interval is two columns
    return {"columns": [column.name for column in tidy.columns], "rows": tidy.rows}
