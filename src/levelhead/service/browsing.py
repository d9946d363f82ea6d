"""The pages for people: a browser signs in with the token of a team, and then sends a cookie.

Forms send a secret of their session along, so that no other site can post in somebody's name.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from levelhead.service import pages
from levelhead.service.guard import FORM_BESIDE_FILE
from levelhead.service.site import Site
from levelhead.service.standings import own_results, report_of
from levelhead.service.submissions import Refused, choose, submissions
from levelhead.service.teams import Session, end_session, new_session, session_of, team_of_token
from levelhead.service.uploads import Announced

_COOKIE = "levelhead_session"
_OF_REPORT = (  # one file with all it needs, which sees nothing of this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "sandbox allow-scripts allow-downloads"
)


def _session(site: Site, request: Request) -> Session | None:
    secret = request.cookies.get(_COOKIE)
    return session_of(site.database, secret) if secret else None


def _same_site(site: Site, request: Request) -> None:
    """Refuse what another site makes a browser post."""
    origin = request.headers.get("origin")
    own = {urlsplit(site.task.about.address).netloc, request.headers.get("host", "")} - {""}
    fetch = request.headers.get("sec-fetch-site", "same-origin")
    # pages without an origin of their own, such as the report, say "null"
    if (origin is not None and urlsplit(origin).netloc not in own) or fetch not in {"same-origin", "none"}:
        raise Refused("this came from another site", 403)


def _with_form(session: Session | None, form: object) -> Session:
    """The session of a form that was sent from one of its own pages."""
    if session is None:
        raise HTTPException(401)
    if not isinstance(form, str) or not hmac.compare_digest(form.encode(), session.form.encode()):
        raise Refused("this form is not of your session; load the page again", 403)
    return session


def page_routes(site: Site) -> list[Route]:
    """Return the routes of the pages.

    Args:
        site: the task.
    """
    return [*_of_everybody(site), *_of_signing(site), *_of_a_team(site), *_of_forms(site)]


def _of_everybody(site: Site) -> list[Route]:
    def style(request: Request) -> Response:  # noqa: ARG001
        return Response(pages.STYLE, media_type="text/css")

    def home(request: Request) -> Response:
        session = _session(site, request)
        return HTMLResponse(
            pages.home(site.task, site.board(), site.phase()[1], session, site.languages, site.inputs())
        )

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

    return [
        Route("/", home),
        Route("/style.css", style),
        Route("/treebanks/{code}", treebank),
        Route("/report", report),
    ]


def _of_signing(site: Site) -> list[Route]:
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


def _signed_in(site: Site, token: str) -> Response:
    team = team_of_token(site.database, token.strip())
    if team is None:
        return HTMLResponse(pages.sign_in(site.task, "That is no team's token."), 403)
    answer = RedirectResponse("/submissions", 303)
    secure = site.task.about.address.startswith("https://")
    secret = new_session(site.database, team)
    answer.set_cookie(_COOKIE, secret, httponly=True, samesite="strict", secure=secure)
    return answer


def _signed_in_or_sent(site: Site, request: Request) -> Session:
    session = _session(site, request)
    if session is None:
        raise HTTPException(303, headers={"Location": "/sign-in"})
    return session


def _listed(site: Site, session: Session, problem: str = "", status: int = 200) -> Response:
    found = submissions(site.database, session.team)
    return HTMLResponse(pages.own(site.task, session, found, site.inputs(), problem), status)


def _of_a_team(site: Site) -> list[Route]:
    def own(request: Request) -> Response:
        return _listed(site, _signed_in_or_sent(site, request))

    def one(request: Request) -> Response:
        session = _signed_in_or_sent(site, request)
        found = site.own(session.team, request.path_params["id"])
        results = own_results(site.task, site.database, found)
        log = site.log(found) is not None
        primary = site.primary(session.team) == found.id
        return HTMLResponse(pages.submission(site.task, session, found, results, log=log, primary=primary))

    def log(request: Request) -> Response:
        printed = site.log(site.own(_signed_in_or_sent(site, request).team, request.path_params["id"]))
        if printed is None:
            raise HTTPException(404)
        return PlainTextResponse(printed)

    def one_input(request: Request) -> Response:
        _signed_in_or_sent(site, request)
        return site.input(request.path_params["name"])

    return [
        Route("/submissions", own),
        Route("/submissions/{id}", one),
        Route("/submissions/{id}/log", log),
        Route("/inputs/{name}", one_input),
    ]


def _of_forms(site: Site) -> list[Route]:
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
            return await run_in_threadpool(_listed, site, session, error.message, error.status)
        return RedirectResponse("/submissions", 303)

    return [
        Route("/submissions", submit, methods=["POST"]),
        Route("/submissions/{id}/primary", primary, methods=["POST"]),
    ]


async def _submitted(site: Site, session: Session, request: Request) -> None:
    """Take what the form of a page sends; the file of a form is on the disk before it is looked at."""
    await run_in_threadpool(site.check_open)
    length = request.headers.get("content-length", "")
    size = max(int(length) - FORM_BESIDE_FILE, 0) if length.isdecimal() else None
    await run_in_threadpool(site.reception.refuse_early, session.team, size)
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
