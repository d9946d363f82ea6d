"""The pages: a browser signs in with the token of a team, and then sends a cookie.

Every form contains a secret of its session, so that no other site can post on behalf of a team.
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
from levelhead.task.model.submissions import Refused, choose, refuse_often, submissions
from levelhead.task.model.teams import Session, end_session, new_session, session_of, team_of_token
from levelhead.task.results.leaderboard import own_results, report_of, view_of
from levelhead.task.web.limits import FORM_BESIDE_FILE
from levelhead.task.web.site import INPUTS_NAME, Site
from levelhead.task.web.templating import style_sheet
from levelhead.task.web.uploads import UploadRequest

_COOKIE = "levelhead_session"
_REPORT_POLICY = (  # the report is one file with everything it needs, and has no access to this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "sandbox allow-scripts allow-downloads"
)


def _session(site: Site, request: Request) -> Session | None:
    """Return the session of the cookie, or None."""
    secret = request.cookies.get(_COOKIE)
    return session_of(site.database, secret) if secret else None


def _check_same_site(site: Site, request: Request) -> None:
    """Refuse forms that a browser posts for another site."""
    origin = request.headers.get("origin")
    own = {urlsplit(site.task.about.address).netloc, request.headers.get("host", "")} - {""}
    fetch = request.headers.get("sec-fetch-site", "same-origin")
    # pages without an origin, such as the report, send "null"
    if (origin is not None and urlsplit(origin).netloc not in own) or fetch not in {"same-origin", "none"}:
        raise Refused("this request came from another site", 403)


def _session_of_form(session: Session | None, form: object) -> Session:
    """Return the session, checking that the form was sent from one of its pages."""
    if session is None:
        raise HTTPException(401)
    if not isinstance(form, str) or not hmac.compare_digest(form.encode(), session.form.encode()):
        raise Refused("this form belongs to another session: reload the page", 403)
    return session


async def _form_field(request: Request, name: str) -> object:
    """Return a field of a form without files; None if it is missing."""
    async with request.form(max_files=0, max_fields=4) as sent:
        return sent.get(name)


def page_routes(site: Site) -> list[Route]:
    """Return the routes of the pages."""
    return [*_public_routes(site), *_sign_in_routes(site), *_team_routes(site), *_form_routes(site)]


def _public_routes(site: Site) -> list[Route]:
    """The public pages."""
    style = style_sheet()

    def style_css(request: Request) -> Response:  # noqa: ARG001
        """Respond with the style sheet."""
        return Response(style, media_type="text/css")

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
        Route("/style.css", style_css),
        Route("/treebanks/{code}", treebank),
        Route("/report", report),
    ]


def _sign_in_routes(site: Site) -> list[Route]:
    """The page and the forms for signing in and out."""

    def sign_in_form(request: Request) -> Response:  # noqa: ARG001
        """Respond with the form for a token."""
        return _sign_in_page(site)

    async def sign_in(request: Request) -> Response:
        """Start a session for the team of the token."""
        _check_same_site(site, request)
        token = await _form_field(request, "token")
        return await run_in_threadpool(_signed_in, site, token if isinstance(token, str) else "")

    async def sign_out(request: Request) -> Response:
        """End the session, and remove its cookie."""
        _check_same_site(site, request)
        form = await _form_field(request, "form")
        _session_of_form(await run_in_threadpool(_session, site, request), form)
        await run_in_threadpool(end_session, site.database, request.cookies[_COOKIE])
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(_COOKIE, httponly=True, samesite="strict")
        return answer

    return [
        Route("/sign-in", sign_in_form),
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


def _required_session(site: Site, request: Request) -> Session:
    """Return the session; without a session, redirect to the sign-in page."""
    session = _session(site, request)
    if session is None:
        raise HTTPException(303, headers={"Location": "/sign-in"})
    return session


def _submissions_page(site: Site, session: Session, problem: str = "", status: int = 200) -> Response:
    own = submissions(site.database, session.team, results=True)
    return site.page(
        "submissions", session, "Submissions", status,
        submissions=own[::-1], averages={submission.id: site.averages(submission) for submission in own},
        primary=site.primary(session.team),
        inputs=site.inputs(), problem=problem, accepts=site.accepts(),
    )  # fmt: skip


def _team_routes(site: Site) -> list[Route]:
    """The pages of a team that is signed in."""

    def list_submissions(request: Request) -> Response:
        """Respond with the submissions of the team, and the form for another one."""
        return _submissions_page(site, _required_session(site, request))

    def show_submission(request: Request) -> Response:
        """Respond with a submission of the team and its results."""
        session = _required_session(site, request)
        own = site.submission_of(session.team, request.path_params["id"])
        return site.page(
            "submission", session, f"Submission {own.number}",
            submission=own, primary=site.primary(session.team), has_log=site.log_path(own) is not None,
            results=own_results(site.task, site.database, own), averages=site.averages(own),
            view=view_of(site.task, site.database, own=True),
        )  # fmt: skip

    def show_log(request: Request) -> Response:
        """Respond with the log of a system of the team."""
        return site.log(_required_session(site, request).team, request.path_params["id"])

    def download_input(request: Request) -> Response:
        """Respond with an input."""
        _required_session(site, request)
        return site.input(request.path_params["name"])

    def download_all_inputs(request: Request) -> Response:
        """Respond with all inputs in a zip file."""
        _required_session(site, request)
        return site.all_inputs()

    return [
        Route("/submissions", list_submissions),
        Route("/submissions/{id}", show_submission),
        Route("/submissions/{id}/log", show_log),
        Route("/inputs/{name}", download_input),
        Route(f"/{INPUTS_NAME}", download_all_inputs),
    ]


def _form_routes(site: Site) -> list[Route]:
    """The forms of a team that is signed in."""

    async def choose_primary(request: Request) -> Response:
        """Make a submission the primary one of the team."""
        _check_same_site(site, request)
        form = await _form_field(request, "form")
        session = _session_of_form(await run_in_threadpool(_session, site, request), form)
        own = await run_in_threadpool(site.submission_of, session.team, request.path_params["id"])
        await run_in_threadpool(choose, site.database, own)
        return RedirectResponse(f"/submissions/{own.id}", 303)

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
        Route("/submissions", submit, methods=["POST"]),
        Route("/submissions/{id}/primary", choose_primary, methods=["POST"]),
    ]


async def _receive_form(site: Site, session: Session, request: Request) -> None:
    """Accept an upload from a form; the file of a form is on disk before it is read here."""
    await run_in_threadpool(site.check_open)
    length = request.headers.get("content-length", "")
    size = max(int(length) - FORM_BESIDE_FILE, 0) if length.isdecimal() else None
    await run_in_threadpool(site.uploads.refuse_early, session.team, size)
    async with site.uploads.place(session.team), request.form(max_files=1, max_fields=8) as sent:
        _session_of_form(session, sent.get("form"))
        archive = sent.get("archive")
        if not isinstance(archive, UploadFile):
            raise Refused("no archive was sent")
        announced = UploadRequest(str(sent.get("kind", "")), str(sent.get("label", "")), size=archive.size)
        await site.uploads.take(session.team, announced, _parts_of(archive))


async def _parts_of(archive: UploadFile) -> AsyncIterator[bytes]:
    while part := await archive.read(1 << 16):
        yield part
