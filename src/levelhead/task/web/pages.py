"""The pages: a browser signs in with the token of a team, and then sends a cookie.

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
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from levelhead.task.model.description import SYSTEM
from levelhead.task.model.submissions import Refused, choose, submissions
from levelhead.task.model.teams import Session, end_session, new_session, session_of, team_of_token
from levelhead.task.results.leaderboard import own_results, report_of
from levelhead.task.web.limits import FORM_BESIDE_FILE
from levelhead.task.web.site import Site
from levelhead.task.web.templating import style_sheet
from levelhead.task.web.uploads import UploadRequest

_COOKIE = "levelhead_session"
_OF_REPORT = (  # one file with all it needs, which sees nothing of this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "sandbox allow-scripts allow-downloads"
)


def _session(site: Site, request: Request) -> Session | None:
    secret = request.cookies.get(_COOKIE)
    return session_of(site.database, secret) if secret else None


def _same_site(site: Site, request: Request) -> None:
    """Refuse forms that another site makes a browser post."""
    origin = request.headers.get("origin")
    own = {urlsplit(site.task.about.address).netloc, request.headers.get("host", "")} - {""}
    fetch = request.headers.get("sec-fetch-site", "same-origin")
    # pages without an origin of their own, such as the report, say "null"
    if (origin is not None and urlsplit(origin).netloc not in own) or fetch not in {"same-origin", "none"}:
        raise Refused("this request came from another site", 403)


def _with_form(session: Session | None, form: object) -> Session:
    """Return the session, if the form was sent from one of its own pages."""
    if session is None:
        raise HTTPException(401)
    if not isinstance(form, str) or not hmac.compare_digest(form.encode(), session.form.encode()):
        raise Refused("this form belongs to another session: reload the page", 403)
    return session


def page_routes(site: Site) -> list[Route]:
    """Return the routes of the pages.

    Args:
        site: the task.
    """
    return [*_of_everybody(site), *_of_signing(site), *_of_a_team(site), *_of_forms(site)]


def _of_everybody(site: Site) -> list[Route]:
    style = style_sheet()

    def style_css(request: Request) -> Response:  # noqa: ARG001
        return Response(style, media_type="text/css")

    def home(request: Request) -> Response:
        kinds = " and ".join("systems" if kind == SYSTEM else "outputs" for kind in site.task.about.kinds).capitalize()
        return site.page(
            "home", _session(site, request), kinds=kinds, phase=site.phase()[1], leaderboard=site.leaderboard(),
            languages=site.languages, inputs=site.inputs(),
        )  # fmt: skip

    def treebank(request: Request) -> Response:
        code, treebanks = request.path_params["code"], site.leaderboard().treebanks
        if code not in treebanks:
            raise HTTPException(404)
        return site.page("treebank", _session(site, request), code, table=treebanks[code])

    def report(request: Request) -> Response:  # noqa: ARG001
        path = report_of(site.task, site.database)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": _OF_REPORT})

    return [
        Route("/", home),
        Route("/style.css", style_css),
        Route("/treebanks/{code}", treebank),
        Route("/report", report),
    ]


def _of_signing(site: Site) -> list[Route]:
    def form(request: Request) -> Response:  # noqa: ARG001
        return _sign_in_page(site)

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


def _sign_in_page(site: Site, problem: str = "", status: int = 200) -> Response:
    return site.page("sign_in", None, "Sign in", status, problem=problem)


def _signed_in(site: Site, token: str) -> Response:
    team = team_of_token(site.database, token.strip())
    if team is None:
        return _sign_in_page(site, "Invalid token.", 403)
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
    own = submissions(site.database, session.team)
    return site.page(
        "submissions", session, "Submissions", status,
        submissions=own, primary=site.primary(session.team), inputs=site.inputs(), problem=problem,
    )  # fmt: skip


def _of_a_team(site: Site) -> list[Route]:
    def own(request: Request) -> Response:
        return _listed(site, _signed_in_or_sent(site, request))

    def one(request: Request) -> Response:
        session = _signed_in_or_sent(site, request)
        own = site.submission_of(session.team, request.path_params["id"])
        return site.page(
            "submission", session, f"Submission {own.number}",
            submission=own, primary=site.primary(session.team), has_log=site.log_path(own) is not None,
            results=own_results(site.task, site.database, own),
        )  # fmt: skip

    def log(request: Request) -> Response:
        return site.log(_signed_in_or_sent(site, request).team, request.path_params["id"])

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
        own = await run_in_threadpool(site.submission_of, session.team, request.path_params["id"])
        await run_in_threadpool(choose, site.database, own)
        return RedirectResponse(f"/submissions/{own.id}", 303)

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
    """Accept an upload from a form; the file of a form is on the disk before it is read here."""
    await run_in_threadpool(site.check_open)
    length = request.headers.get("content-length", "")
    size = max(int(length) - FORM_BESIDE_FILE, 0) if length.isdecimal() else None
    await run_in_threadpool(site.uploads.refuse_early, session.team, size)
    async with site.uploads.place(session.team), request.form(max_files=1, max_fields=8) as sent:
        _with_form(session, sent.get("form"))
        archive = sent.get("archive")
        if not isinstance(archive, UploadFile):
            raise Refused("no archive was sent")
        announced = UploadRequest(str(sent.get("kind", "")), str(sent.get("label", "")), size=archive.size)
        await site.uploads.take(session.team, announced, _pieces(archive))


async def _pieces(archive: UploadFile) -> AsyncIterator[bytes]:
    while part := await archive.read(1 << 16):
        yield part
