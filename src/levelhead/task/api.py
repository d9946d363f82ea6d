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
from levelhead.task.description import measures_of
from levelhead.task.site import Site
from levelhead.task.submissions import Refused, Team, choose, submissions, team_of_token

_TOP = "/api/v1"


def api_routes(site: Site) -> list[Route]:
    """Return the routes of the API."""

    def team_of(request: Request) -> Team:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        team = team_of_token(site.database, token.strip()) if scheme.lower() == "bearer" else None
        if team is None:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        return team

    def list_inputs(request: Request) -> Response:
        """Respond with the names and sizes of the inputs."""
        team_of(request)
        return JSONResponse([{"name": name, "size": path.stat().st_size} for name, path in site.inputs().items()])

    def list_submissions(request: Request) -> Response:
        """Respond with the submissions of the team."""
        team = team_of(request)
        primary = site.primary(team)
        of_team = submissions(site.database, team, results=True)
        return JSONResponse([site.document(submission, primary, results=False) for submission in of_team])

    def show_submission(request: Request) -> Response:
        """Respond with a submission of the team and its results."""
        team = team_of(request)
        submission = site.submission_of(team, request.path_params["id"])
        return JSONResponse(site.document(submission, site.primary(team), results=True))

    def choose_primary(request: Request) -> Response:
        """Make a submission the primary one of the team."""
        team, name = team_of(request), request.path_params["id"]
        choose(site.database, site.submission_of(team, name))
        return JSONResponse(site.document(site.submission_of(team, name), site.primary(team), results=False))

    async def submit(request: Request) -> Response:
        """Accept an archive."""
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
        return JSONResponse(site.document(accepted, None, results=False), 201)

    return [
        Route(f"{_TOP}/task", lambda _: JSONResponse(_task_document(site))),
        Route(f"{_TOP}/leaderboard", lambda _: JSONResponse(_leaderboard_document(site))),
        Route(f"{_TOP}/inputs", list_inputs),
        Route(f"{_TOP}/submissions", list_submissions),
        Route(f"{_TOP}/submissions", submit, methods=["POST"]),
        Route(f"{_TOP}/submissions/{{id}}", show_submission),
        Route(f"{_TOP}/submissions/{{id}}/primary", choose_primary, methods=["PUT"]),
        *site.file_routes(_TOP, team_of),
    ]


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
        "rules": task.rules,
        "ranking": task.ranking,
        "limits": task.limits._asdict(),
        "show": task.show._asdict(),
    }


def _leaderboard_document(site: Site) -> dict[str, Any]:
    shown = site.leaderboard()
    return {
        **header("leaderboard"),
        "view": shown.view,
        "changed": shown.changed,
        "ranking": None if shown.ranking is None else _table_document(shown.ranking),
        "treebanks": {code: _table_document(table) for code, table in shown.treebanks.items()},
    }


def _table_document(table: Table) -> dict[str, Any]:
    tidy = table.tidy  # an interval is two columns
    return {"columns": [column.name for column in tidy.columns], "rows": tidy.rows}
