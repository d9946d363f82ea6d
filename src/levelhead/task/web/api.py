"""The API for programs, under /api/v1: all requests but two carry the token of a team."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from levelhead.report.documents import header
from levelhead.report.table import Table
from levelhead.task.model.campaign import measures_of, rules_of
from levelhead.task.model.submissions import Refused, choose, submissions
from levelhead.task.model.teams import Team, team_of_token
from levelhead.task.results.leaderboard import Leaderboard
from levelhead.task.web.site import Site
from levelhead.task.web.uploads import UploadRequest

_TOP = "/api/v1"


def _bearer(site: Site, request: Request) -> Team:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    team = team_of_token(site.database, token.strip()) if scheme.lower() == "bearer" else None
    if team is None:
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
    return team


def api_routes(site: Site) -> list[Route]:
    """Return the routes of the API.

    Args:
        site: the task.
    """
    return [*_of_the_task(site), *_of_submissions(site)]


def _of_the_task(site: Site) -> list[Route]:
    def task(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(_task_document(site))

    def leaderboard(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(_leaderboard_document(site.leaderboard()))

    def inputs(request: Request) -> Response:
        _bearer(site, request)
        return JSONResponse([{"name": name, "size": path.stat().st_size} for name, path in site.inputs().items()])

    def one_input(request: Request) -> Response:
        _bearer(site, request)
        return site.input(request.path_params["name"])

    return [
        Route(f"{_TOP}/task", task),
        Route(f"{_TOP}/leaderboard", leaderboard),
        Route(f"{_TOP}/inputs", inputs),
        Route(f"{_TOP}/inputs/{{name}}", one_input),
    ]


def _of_submissions(site: Site) -> list[Route]:
    def listed(request: Request) -> Response:
        team = _bearer(site, request)
        primary = site.primary(team)
        found = submissions(site.database, team)
        return JSONResponse([site.document(one, primary, results=False) for one in found])

    def one(request: Request) -> Response:
        team = _bearer(site, request)
        found = site.submission_of(team, request.path_params["id"])
        return JSONResponse(site.document(found, site.primary(team), results=True))

    def log(request: Request) -> Response:
        return site.log(_bearer(site, request), request.path_params["id"])

    def primary(request: Request) -> Response:
        team = _bearer(site, request)
        found = site.submission_of(team, request.path_params["id"])
        choose(site.database, found)
        return JSONResponse(site.document(site.submission_of(team, found.id), site.primary(team), results=False))

    async def submit(request: Request) -> Response:
        team = await run_in_threadpool(_bearer, site, request)
        await run_in_threadpool(site.check_open)
        async with site.uploads.place(team):
            found = await site.uploads.take(team, _announced(request), request.stream())
        return JSONResponse(site.document(found, None, results=False), 201)

    return [
        Route(f"{_TOP}/submissions", listed),
        Route(f"{_TOP}/submissions", submit, methods=["POST"]),
        Route(f"{_TOP}/submissions/{{id}}", one),
        Route(f"{_TOP}/submissions/{{id}}/log", log),
        Route(f"{_TOP}/submissions/{{id}}/primary", primary, methods=["PUT"]),
    ]


def _announced(request: Request) -> UploadRequest:
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
    word, sentence = site.phase()
    return {
        **header("task"),
        "title": about.title,
        "contact": about.contact,
        "opens": about.opens and about.opens.isoformat(),
        "closes": about.closes and about.closes.isoformat(),
        "phase": word,
        "message": sentence,
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
    return {**header("leaderboard"), "view": shown.view, "ranking": ranking, "treebanks": treebanks}


def _table_document(table: Table) -> dict[str, Any]:
    return {"columns": [column.name for column in table.columns], "rows": table.rows}
