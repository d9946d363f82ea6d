"""The pages: a browser signs in with the token of a team, and then sends a cookie.

Every form contains a secret of its session, so that no other site can post on behalf of a team.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from importlib.resources import files
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from levelhead.task.description import SYSTEM
from levelhead.task.leaderboard import own_results, report_of, view_of
from levelhead.task.site import Site
from levelhead.task.submissions import (
    Refused,
    Session,
    choose,
    end_session,
    new_session,
    refuse_often,
    session_of,
    submissions,
    team_of_token,
)
from levelhead.task.uploads import FORM_BESIDE_FILE

_COOKIE = "levelhead_session"
_REPORT_POLICY = (  # the report is one file with everything it needs, and has no access to this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "sandbox allow-scripts allow-downloads"
)


def _session(site: Site, request: Request) -> Session | None:
    """Return the session of the cookie, or None."""
    secret = request.cookies.get(_COOKIE)
    return session_of(site.database, secret) if secret else None


def _required_session(site: Site, request: Request) -> Session:
    """Return the session; without a session, redirect to the sign-in page."""
    session = _session(site, request)
    if session is None:
        raise HTTPException(303, headers={"Location": "/sign-in"})
    return session


def _check_same_site(site: Site, request: Request) -> None:
    """Refuse forms that a browser posts for another site."""
    origin = request.headers.get("origin")
    hosts = {urlsplit(site.task.about.address).netloc, request.headers.get("host", "")} - {""}
    fetch = request.headers.get("sec-fetch-site", "same-origin")
    # pages without an origin, such as the report, send "null"
    if (origin is not None and urlsplit(origin).netloc not in hosts) or fetch not in {"same-origin", "none"}:
        raise Refused("this request came from another site", 403)


def _check_form(session: Session | None, secret: object) -> Session:
    """Return the session, checking that the form was sent from one of its pages."""
    if session is None:
        raise HTTPException(401)
    if not isinstance(secret, str) or not hmac.compare_digest(secret.encode(), session.form.encode()):
        raise Refused("this form belongs to another session: reload the page", 403)
    return session


async def _form_field(site: Site, request: Request, name: str) -> object:
    """Return a field of a form of this site without files; None if it is missing."""
    _check_same_site(site, request)
    async with request.form(max_files=0, max_fields=4) as sent:
        return sent.get(name)


async def _session_of_form(site: Site, request: Request) -> Session:
    """Return the session of a form without files."""
    secret = await _form_field(site, request, "form")
    return _check_form(await run_in_threadpool(_session, site, request), secret)


def page_routes(site: Site) -> list[Route]:
    """Return the routes of the pages."""
    return [
        *_public_routes(site),
        *_sign_in_routes(site),
        *_submission_routes(site),
        *site.file_routes("", lambda request: _required_session(site, request).team),
    ]


def _public_routes(site: Site) -> list[Route]:
    """The public pages."""
    sheets = (  # the styles of reports, followed by those of these pages
        files("levelhead.report.page") / "assets" / "common.css",
        files("levelhead.task") / "templates" / "style.css",
    )
    style = "".join(path.read_text(encoding="utf-8") for path in sheets)

    def home(request: Request) -> Response:
        """Respond with the first page: the state of the task, the leaderboard, and the inputs."""
        kinds = " and ".join("systems" if kind == SYSTEM else "outputs" for kind in site.task.about.kinds)
        return site.page(
            "home", _session(site, request), kinds=kinds, leaderboard=site.leaderboard(),
            languages=site.languages, inputs=site.inputs(),
        )  # fmt: skip

    def treebank(request: Request) -> Response:
        """Respond with the scores of all teams on a test set."""
        code, treebanks = request.path_params["code"], site.leaderboard().treebanks
        if code not in treebanks:
            raise HTTPException(404)
        return site.page(
            "treebank", _session(site, request), code, table=treebanks[code], language=site.languages[code]
        )

    def report(request: Request) -> Response:  # noqa: ARG001
        """Respond with the report of the final ranking."""
        path = report_of(site.task, site.database)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": _REPORT_POLICY})

    return [
        Route("/", home),
        Route("/style.css", lambda _: Response(style, media_type="text/css")),
        Route("/treebanks/{code}", treebank),
        Route("/report", report),
    ]


def _sign_in_routes(site: Site) -> list[Route]:
    """The page and the forms for signing in and out."""

    async def sign_in(request: Request) -> Response:
        """Start a session for the team of the token."""
        token = await _form_field(site, request, "token")
        return await run_in_threadpool(_signed_in, site, token if isinstance(token, str) else "")

    async def sign_out(request: Request) -> Response:
        """End the session, and remove its cookie."""
        await _session_of_form(site, request)
        await run_in_threadpool(end_session, site.database, request.cookies[_COOKIE])
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(_COOKIE, httponly=True, samesite="strict")
        return answer

    return [
        Route("/sign-in", lambda _: _sign_in_page(site)),
        Route("/sign-in", sign_in, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


def _sign_in_page(site: Site, problem: str = "", status: int = 200) -> Response:
    return site.page("sign_in", None, "Sign in", status, problem=problem)


def _signed_in(site: Site, token: str) -> Response:
    """Respond with a cookie for the team of a token, or with the form again."""
    team = team_of_token(site.database, token.strip())
    if team is None:
        return _sign_in_page(site, "Invalid token.", 403)
    try:
        refuse_often(site.database, team, "signed in")
    except Refused as error:
        return _sign_in_page(site, error.message, error.status)
    answer = RedirectResponse("/submissions", 303)
    secure = site.task.about.address.startswith("https://")
    secret = new_session(site.database, team)
    answer.set_cookie(_COOKIE, secret, httponly=True, samesite="strict", secure=secure)
    return answer


def _submissions_page(site: Site, session: Session, problem: str = "", status: int = 200) -> Response:
    of_team = submissions(site.database, session.team, results=True)
    return site.page(
        "submissions", session, "Submissions", status,
        submissions=of_team[::-1], averages={submission.id: site.averages(submission) for submission in of_team},
        primary=site.primary(session.team),
        inputs=site.inputs(), problem=problem, accepts=site.accepts(),
    )  # fmt: skip


def _submission_routes(site: Site) -> list[Route]:
    """The pages and forms of a team that is signed in."""

    def show_submission(request: Request) -> Response:
        """Respond with a submission of the team and its results."""
        session = _required_session(site, request)
        submission = site.submission_of(session.team, request.path_params["id"])
        return site.page(
            "submission", session, f"Submission {submission.number}",
            submission=submission, primary=site.primary(session.team), has_log=site.log_path(submission) is not None,
            results=own_results(site.task, site.database, submission), averages=site.averages(submission),
            view=view_of(site.task, site.database, own=True),
        )  # fmt: skip

    async def choose_primary(request: Request) -> Response:
        """Make a submission the primary one of the team."""
        session = await _session_of_form(site, request)
        submission = await run_in_threadpool(site.submission_of, session.team, request.path_params["id"])
        await run_in_threadpool(choose, site.database, submission)
        return RedirectResponse(f"/submissions/{submission.id}", 303)

    async def submit(request: Request) -> Response:
        """Accept an archive; if it is refused, show the reason above the form."""
        _check_same_site(site, request)
        session = await run_in_threadpool(_session, site, request)
        if session is None:
            raise HTTPException(401)
        try:
            await _receive_form(site, session, request)
        except Refused as error:
            return await run_in_threadpool(_submissions_page, site, session, error.message, error.status)
        return RedirectResponse("/submissions", 303)

    return [
        Route("/submissions", lambda request: _submissions_page(site, _required_session(site, request))),
        Route("/submissions", submit, methods=["POST"]),
        Route("/submissions/{id}", show_submission),
        Route("/submissions/{id}/primary", choose_primary, methods=["POST"]),
    ]


async def _receive_form(site: Site, session: Session, request: Request) -> None:
    """Accept an upload from a form; the file of a form is on disk before it is read here."""
    await run_in_threadpool(site.check_open)
    length = request.headers.get("content-length", "")
    size = max(int(length) - FORM_BESIDE_FILE, 0) if length.isdecimal() else None
    await run_in_threadpool(site.uploads.refuse_early, session.team, size)
    async with site.uploads.place(session.team), request.form(max_files=1, max_fields=8) as sent:
        _check_form(session, sent.get("form"))
        archive = sent.get("archive")
        if not isinstance(archive, UploadFile):
            raise Refused("no archive was sent")
        kind, label = str(sent.get("kind", "")), str(sent.get("label", ""))
        await site.uploads.take(session.team, _parts_of(archive), kind, label, size=archive.size)


async def _parts_of(archive: UploadFile) -> AsyncIterator[bytes]:
    while part := await archive.read(1 << 16):
        yield part
