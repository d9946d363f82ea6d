"""The web server of a task: pages, and the same over plain HTTP for programs."""

from __future__ import annotations

import datetime
import hmac
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from levelhead.service import pages
from levelhead.service.database import Database
from levelhead.service.description import MEGABYTE, Task
from levelhead.service.folder import Folder
from levelhead.service.preparation import blind_files
from levelhead.service.scoring import campaign_with, measures_of
from levelhead.service.standings import Board, board, own_results, report_of
from levelhead.service.submissions import Refused, Submission, choose, submission, submissions
from levelhead.service.teams import Session, Team, end_session, new_session, session_of, team_of_token
from levelhead.service.uploads import Announced, Reception

_COOKIE = "levelhead_session"
_SMALL_BODY = 1 << 16
_FORM_BESIDE_FILE = 1 << 16
_OF_REPORT = (  # one file with all it needs, which sees nothing of this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "sandbox allow-scripts allow-downloads"
)
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


class _Site:
    """What the handlers of requests share."""

    def __init__(self, task: Task, database: Database) -> None:
        self.task, self.database, self.folder = task, database, Folder(task.folder)
        self.codes = [test_set.code for test_set in campaign_with(task, {}).test_sets]
        self.languages = {one.code: one.language.name for one in campaign_with(task, {}).test_sets}
        self.reception = Reception(task, database)
        self._lock = threading.Lock()
        self._board: tuple[object, Board] | None = None

    def board(self) -> Board:
        """The leaderboard, made again when something happened since."""
        with self._lock:
            changed = self.database.rows("SELECT max(id) AS last FROM audit")[0]["last"], self.database.fact("final")
            if self._board is None or self._board[0] != changed:
                self._board = (changed, board(self.task, self.database))
            return self._board[1]

    def phase(self) -> tuple[str, str]:
        """The state of the task, in a word and in a sentence."""
        about, time = self.task.about, datetime.datetime.now(datetime.UTC)
        if self.database.fact("closed") is not None:
            return "closed", "The task is closed."
        if about.opens is not None and time < about.opens:
            return "early", f"The task opens at {about.opens.isoformat()}."
        if about.closes is not None and time >= about.closes:
            return "over", "The time for submissions is over."
        until = f" until {about.closes.isoformat()}" if about.closes is not None else ""
        return "open", f"Submissions are taken{until}."

    def check_open(self) -> None:
        """Refuse what cannot be done now."""
        word, sentence = self.phase()
        if word != "open":
            raise Refused(sentence, 403)

    def inputs(self) -> dict[str, Path]:
        """The inputs that can be downloaded now, by name."""
        if not self.task.show.inputs or self.phase()[0] == "early":
            return {}
        return {path.name: path for path in blind_files(self.folder)}

    def input(self, name: str) -> Response:
        """One of them; names are looked up, never made into paths."""
        path = self.inputs().get(name)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="text/plain; charset=utf-8", filename=name)

    def own(self, team: Team, name: str) -> Submission:
        """A submission of a team; those of others look as if they were not there."""
        found = submission(self.database, name, team)
        if found is None:
            raise HTTPException(404)
        return found

    def log(self, one: Submission) -> bytes | None:
        """What a system printed, if its team may see that."""
        path = self.folder.runs / str(one.run) / "log"
        return path.read_bytes() if self.task.show.logs and one.run and path.is_file() else None

    def document(self, one: Submission, *, results: bool) -> dict[str, Any]:
        """A submission for JSON."""
        fields = ("id", "number", "kind", "label", "sha256", "size", "received", "state", "finished", "reason")
        document = {name: getattr(one, name) for name in fields} | {"primary": one.chosen}
        return document | ({"results": own_results(self.task, self.database, one)} if results else {})


def application(task: Task, database: Database) -> ASGIApp:
    """Return the web server of a task, for uvicorn or any other server of ASGI.

    Args:
        task: the task.
        database: its database, which stays open as long as the server runs.
    """
    site = _Site(task, database)
    routes = [*_pages(site), *_interface(site)]
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


# The interface for programs: every request but one carries the token of a team.


def _bearer(site: _Site, request: Request) -> Team:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    team = team_of_token(site.database, token.strip()) if scheme.lower() == "bearer" else None
    if team is None:
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
    return team


def _interface(site: _Site) -> list[Route]:
    def task(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(_task_document(site))

    def leaderboard(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(_board_document(site.board()))

    def inputs(request: Request) -> Response:
        _bearer(site, request)
        return JSONResponse([{"name": name, "size": path.stat().st_size} for name, path in site.inputs().items()])

    def one_input(request: Request) -> Response:
        _bearer(site, request)
        return site.input(request.path_params["name"])

    def listed(request: Request) -> Response:
        found = submissions(site.database, _bearer(site, request))
        return JSONResponse([site.document(one, results=False) for one in found])

    def one(request: Request) -> Response:
        found = site.own(_bearer(site, request), request.path_params["id"])
        return JSONResponse(site.document(found, results=True))

    def log(request: Request) -> Response:
        printed = site.log(site.own(_bearer(site, request), request.path_params["id"]))
        if printed is None:
            raise HTTPException(404)
        return PlainTextResponse(printed)

    def primary(request: Request) -> Response:
        found = site.own(_bearer(site, request), request.path_params["id"])
        choose(site.database, found)
        return JSONResponse(site.document(site.own(_bearer(site, request), found.id), results=False))

    async def submit(request: Request) -> Response:
        team = await run_in_threadpool(_bearer, site, request)
        site.check_open()
        async with site.reception.place(team):
            found = await site.reception.take(team, _announced(request), request.stream())
        return JSONResponse(site.document(found, results=False), 201)

    top = "/api/v1"
    return [
        Route(f"{top}/task", task),
        Route(f"{top}/leaderboard", leaderboard),
        Route(f"{top}/inputs", inputs),
        Route(f"{top}/inputs/{{name}}", one_input),
        Route(f"{top}/submissions", listed),
        Route(f"{top}/submissions", submit, methods=["POST"]),
        Route(f"{top}/submissions/{{id}}", one),
        Route(f"{top}/submissions/{{id}}/log", log),
        Route(f"{top}/submissions/{{id}}/primary", primary, methods=["PUT"]),
    ]


def _announced(request: Request) -> Announced:
    size = request.headers.get("content-length")
    key = request.headers.get("idempotency-key")
    if (size is not None and not size.isdecimal()) or (key is not None and not 8 <= len(key) <= 100):
        raise Refused("Content-Length or Idempotency-Key is not in order")
    query = request.query_params
    return Announced(
        query.get("kind", "outputs"), query.get("label", ""), key, query.get("sha256"), int(size) if size else None
    )


def _task_document(site: _Site) -> dict[str, Any]:
    about, task = site.task.about, site.task
    word, sentence = site.phase()
    return {
        "schema": 1,
        "kind": "task",
        "title": about.title,
        "contact": about.contact,
        "opens": about.opens and about.opens.isoformat(),
        "closes": about.closes and about.closes.isoformat(),
        "phase": word,
        "message": sentence,
        "kinds": list(about.kinds),
        "treebanks": [{"code": code, "language": site.languages[code]} for code in site.codes],
        "measures": list(measures_of(task)),
        "rules": task.manifest.rules or "ud",
        "ranking": task.manifest.ranking or "exact",
        "limits": task.limits._asdict(),
        "show": task.show._asdict(),
    }


def _board_document(found: Board) -> dict[str, Any]:
    def document(table: Any) -> dict[str, Any]:
        return {"columns": [column.name for column in table.columns], "rows": [list(row) for row in table.rows]}

    treebanks = {code: document(table) for code, table in found.treebanks.items()}
    ranking = None if found.ranking is None else document(found.ranking)
    return {"schema": 1, "kind": "leaderboard", "view": found.view, "ranking": ranking, "treebanks": treebanks}


# The pages: a browser signs in with the token, and then sends a cookie; forms send a secret of their session along.


def _session(site: _Site, request: Request) -> Session | None:
    secret = request.cookies.get(_COOKIE)
    return session_of(site.database, secret) if secret else None


def _same_site(site: _Site, request: Request) -> None:
    """Refuse what another site makes a browser post."""
    origin = request.headers.get("origin")
    own = {urlsplit(site.task.about.address).netloc, request.headers.get("host", "")}
    fetch = request.headers.get("sec-fetch-site", "same-origin")
    if (origin is not None and urlsplit(origin).netloc not in own) or fetch not in {"same-origin", "none"}:
        raise Refused("this came from another site", 403)


def _with_form(session: Session | None, form: object) -> Session:
    """The session of a form that was sent from one of its own pages."""
    if session is None:
        raise HTTPException(401)
    if not isinstance(form, str) or not hmac.compare_digest(form.encode(), session.form.encode()):
        raise Refused("this form is not of your session; load the page again", 403)
    return session


_Handler = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]


def _pages(site: _Site) -> list[Route]:
    def style(request: Request) -> Response:  # noqa: ARG001
        return Response(pages.STYLE, media_type="text/css")

    def home(request: Request) -> Response:
        session = _session(site, request)
        return HTMLResponse(pages.home(site.task, site.board(), site.phase()[1], session, site.codes))

    def treebank(request: Request) -> Response:
        code, found = request.path_params["code"], site.board()
        if code not in found.treebanks:
            raise HTTPException(404)
        return HTMLResponse(pages.treebank(site.task, code, found, _session(site, request)))

    def report(request: Request) -> Response:  # noqa: ARG001
        found = report_of(site.task, site.database)
        if found is None:
            raise HTTPException(404)
        return FileResponse(found, media_type="text/html", headers={"Content-Security-Policy": _OF_REPORT})

    open_pages: list[tuple[str, _Handler]] = [
        ("/", home), ("/style.css", style), ("/treebanks/{code}", treebank), ("/report", report),
    ]  # fmt: skip
    return [*(Route(path, handler) for path, handler in open_pages), *_signing(site), *_own_pages(site)]


def _signing(site: _Site) -> list[Route]:
    def form(request: Request) -> Response:  # noqa: ARG001
        return HTMLResponse(pages.sign_in(site.task))

    async def sign_in(request: Request) -> Response:
        _same_site(site, request)
        async with request.form(max_files=0, max_fields=4) as sent:
            token = sent.get("token")
        return await run_in_threadpool(_signed_in, site, token if isinstance(token, str) else "")

    async def sign_out(request: Request) -> Response:
        _same_site(site, request)
        async with request.form(max_files=0, max_fields=4) as sent:
            form = sent.get("form")
        _with_form(await run_in_threadpool(_session, site, request), form)
        await run_in_threadpool(end_session, site.database, request.cookies[_COOKIE])
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(_COOKIE, httponly=True, samesite="strict")
        return answer

    return [
        Route("/sign-in", form),
        Route("/sign-in", sign_in, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


def _signed_in(site: _Site, token: str) -> Response:
    team = team_of_token(site.database, token.strip())
    if team is None:
        return HTMLResponse(pages.sign_in(site.task, "That is no team's token."), 403)
    answer = RedirectResponse("/submissions", 303)
    secure = site.task.about.address.startswith("https://")
    secret = new_session(site.database, team)
    answer.set_cookie(_COOKIE, secret, httponly=True, samesite="strict", secure=secure)
    return answer


def _own_pages(site: _Site) -> list[Route]:
    def signed_in(request: Request) -> Session:
        session = _session(site, request)
        if session is None:
            raise HTTPException(303, headers={"Location": "/sign-in"})
        return session

    def listed(session: Session, problem: str = "", status: int = 200) -> Response:
        found = submissions(site.database, session.team)
        return HTMLResponse(pages.own(site.task, session, found, site.inputs(), problem), status)

    def own(request: Request) -> Response:
        return listed(signed_in(request))

    def one(request: Request) -> Response:
        session = signed_in(request)
        found = site.own(session.team, request.path_params["id"])
        results = own_results(site.task, site.database, found)
        log = site.log(found) is not None
        return HTMLResponse(pages.submission(site.task, session, found, results, log=log))

    def log(request: Request) -> Response:
        printed = site.log(site.own(signed_in(request).team, request.path_params["id"]))
        if printed is None:
            raise HTTPException(404)
        return PlainTextResponse(printed)

    def one_input(request: Request) -> Response:
        signed_in(request)
        return site.input(request.path_params["name"])

    async def primary(request: Request) -> Response:
        _same_site(site, request)
        session = await run_in_threadpool(_session, site, request)
        async with request.form(max_files=0, max_fields=4) as sent:
            session = _with_form(session, sent.get("form"))
        found = await run_in_threadpool(site.own, session.team, request.path_params["id"])
        await run_in_threadpool(choose, site.database, found)
        return RedirectResponse(f"/submissions/{found.id}", 303)

    async def submit(request: Request) -> Response:
        _same_site(site, request)
        session = await run_in_threadpool(_session, site, request)
        if session is None:
            raise HTTPException(401)
        try:
            await _submitted(site, session, request)
        except Refused as error:
            return await run_in_threadpool(listed, session, error.message, error.status)
        return RedirectResponse("/submissions", 303)

    return [
        Route("/submissions", own),
        Route("/submissions", submit, methods=["POST"]),
        Route("/submissions/{id}", one),
        Route("/submissions/{id}/log", log),
        Route("/submissions/{id}/primary", primary, methods=["POST"]),
        Route("/inputs/{name}", one_input),
    ]


async def _submitted(site: _Site, session: Session, request: Request) -> None:
    """Take what the form of a page sends; the file of a form is on the disk before it is looked at."""
    site.check_open()
    async with site.reception.place(session.team), request.form(max_files=1, max_fields=8) as sent:
        _with_form(session, sent.get("form"))
        archive = sent.get("archive")
        if not isinstance(archive, UploadFile):
            raise Refused("there is no archive")
        announced = Announced(str(sent.get("kind", "")), str(sent.get("label", "")), size=archive.size)
        await site.reception.take(session.team, announced, _pieces(archive))


async def _pieces(archive: UploadFile) -> AsyncIterator[bytes]:
    while part := await archive.read(1 << 16):
        yield part
