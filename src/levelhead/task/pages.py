"""The pages: a browser signs in with the token of a team, and then sends a cookie."""

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

from levelhead.task import submissions as queue
from levelhead.task.description import SYSTEM
from levelhead.task.site import FORM_BESIDE_FILE, Site, existing
from levelhead.task.standings import own_results, report_of, view_of

_COOKIE = "levelhead_session"
_REPORT_POLICY = (  # the report is one file with everything it needs, and has no access to this site
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "sandbox allow-scripts allow-downloads"
)


class Pages:
    """The handlers of the pages."""

    def __init__(self, site: Site) -> None:
        self.site, self.database = site, site.database
        sheets = (  # the styles of reports, followed by those of these pages
            files("levelhead.report.page") / "assets" / "common.css",
            files("levelhead.task") / "templates" / "style.css",
        )
        self._style = "".join(path.read_text(encoding="utf-8") for path in sheets)

    def routes(self) -> list[Route]:
        return [
            Route("/", self.home),
            Route("/style.css", lambda _: Response(self._style, media_type="text/css")),
            Route("/treebanks/{code}", self.treebank),
            Route("/report", self.report),
            Route("/sign-in", lambda _: self._sign_in_page()),
            Route("/sign-in", self.sign_in, methods=["POST"]),
            Route("/sign-out", self.sign_out, methods=["POST"]),
            Route("/submissions", lambda request: self._submissions_page(self._required_session(request))),
            Route("/submissions", self.submit, methods=["POST"]),
            Route("/submissions/{id}", self.submission),
            Route("/submissions/{id}/primary", self.choose_primary, methods=["POST"]),
            *self.site.file_routes("", lambda request: self._required_session(request).team),
        ]

    def home(self, request: Request) -> Response:
        site = self.site
        kinds = " and ".join("systems" if kind == SYSTEM else "outputs" for kind in site.task.about.kinds)
        return site.page(
            "home", self._session(request), kinds=kinds, leaderboard=site.leaderboard(), languages=site.languages,
            inputs=site.inputs(),
        )  # fmt: skip

    def treebank(self, request: Request) -> Response:
        code = request.path_params["code"]
        table = existing(self.site.leaderboard().treebanks.get(code))
        return self.site.page("treebank", self._session(request), code, table=table, language=self.site.languages[code])

    def report(self, request: Request) -> Response:  # noqa: ARG002
        path = existing(report_of(self.site.task, self.database))
        return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": _REPORT_POLICY})

    async def sign_in(self, request: Request) -> Response:
        token = await self._form_field(request, "token")
        return await run_in_threadpool(self._signed_in, token if isinstance(token, str) else "")

    def _signed_in(self, token: str) -> Response:
        """Respond with a cookie for the team of a token, or with the form again."""
        team = queue.team_of_token(self.database, token.strip())
        if team is None:
            return self._sign_in_page("Invalid token.", 403)
        try:
            queue.refuse_often(self.database, team, "signed in")
        except queue.Refused as error:
            return self._sign_in_page(error.message, error.status)
        answer = RedirectResponse("/submissions", 303)
        secure = self.site.task.about.address.startswith("https://")
        answer.set_cookie(
            _COOKIE, queue.new_session(self.database, team), httponly=True, samesite="strict", secure=secure
        )
        return answer

    def _sign_in_page(self, problem: str = "", status: int = 200) -> Response:
        return self.site.page("sign_in", None, "Sign in", status, problem=problem)

    async def sign_out(self, request: Request) -> Response:
        await self._session_of_form(request)
        await run_in_threadpool(queue.end_session, self.database, request.cookies[_COOKIE])
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(_COOKIE, httponly=True, samesite="strict")
        return answer

    def submission(self, request: Request) -> Response:
        site = self.site
        session = self._required_session(request)
        submission, view = site.submission_of(session.team, request), view_of(site.task, self.database, own=True)
        return site.page(
            "submission", session, f"Submission {submission.number}",
            submission=submission, primary=site.primary(session.team), has_log=site.log_path(submission) is not None,
            results=own_results(submission, view), averages=site.averages(submission), view=view,
        )  # fmt: skip

    async def choose_primary(self, request: Request) -> Response:
        session = await self._session_of_form(request)
        submission = await run_in_threadpool(self.site.submission_of, session.team, request)
        await run_in_threadpool(queue.choose, self.database, submission)
        return RedirectResponse(f"/submissions/{submission.id}", 303)

    async def submit(self, request: Request) -> Response:
        """Accept an archive; if it is refused, show the reason above the form."""
        self._check_same_site(request)
        session = await run_in_threadpool(self._session, request)
        if session is None:
            raise HTTPException(401)
        site = self.site
        length = request.headers.get("content-length", "")
        size = max(int(length) - FORM_BESIDE_FILE, 0) if length.isdecimal() else None
        try:
            await run_in_threadpool(site.check_open)
            await run_in_threadpool(site.uploads.refuse_early, session.team, size)
            async with site.uploads.place(session.team), request.form(max_files=1, max_fields=8) as sent:
                _check_form(session, sent.get("form"))
                archive = sent.get("archive")  # which is on disk by now
                if not isinstance(archive, UploadFile):
                    raise queue.Refused("no archive was sent")  # noqa: TRY301
                kind, label = str(sent.get("kind", "")), str(sent.get("label", ""))
                await site.uploads.take(session.team, _parts_of(archive), kind, label, size=archive.size)
        except queue.Refused as error:
            return await run_in_threadpool(self._submissions_page, session, error.message, error.status)
        return RedirectResponse("/submissions", 303)

    def _submissions_page(self, session: queue.Session, problem: str = "", status: int = 200) -> Response:
        site = self.site
        of_team = queue.submissions(self.database, session.team, results=True)
        return site.page(
            "submissions", session, "Submissions", status,
            submissions=of_team[::-1], averages={submission.id: site.averages(submission) for submission in of_team},
            primary=site.primary(session.team), inputs=site.inputs(), problem=problem, accepts=site.accepts(),
        )  # fmt: skip

    def _session(self, request: Request) -> queue.Session | None:
        secret = request.cookies.get(_COOKIE)
        return queue.session_of(self.database, secret) if secret else None

    def _required_session(self, request: Request) -> queue.Session:
        """Return the session; without a session, redirect to the sign-in page."""
        session = self._session(request)
        if session is None:
            raise HTTPException(303, headers={"Location": "/sign-in"})
        return session

    def _check_same_site(self, request: Request) -> None:
        """Refuse forms that a browser posts for another site."""
        origin = request.headers.get("origin")
        hosts = {urlsplit(self.site.task.about.address).netloc, request.headers.get("host", "")} - {""}
        fetch = request.headers.get("sec-fetch-site", "same-origin")
        # pages without an origin, such as the report, send "null"
        if (origin is not None and urlsplit(origin).netloc not in hosts) or fetch not in {"same-origin", "none"}:
            raise queue.Refused("this request came from another site", 403)

    async def _form_field(self, request: Request, name: str) -> object:
        """Return a field of a form of this site without files; None if it is missing."""
        self._check_same_site(request)
        async with request.form(max_files=0, max_fields=4) as sent:
            return sent.get(name)

    async def _session_of_form(self, request: Request) -> queue.Session:
        secret = await self._form_field(request, "form")
        return _check_form(await run_in_threadpool(self._session, request), secret)


def _check_form(session: queue.Session | None, secret: object) -> queue.Session:
    """Return the session, checking that the form was sent from one of its pages."""
    if session is None:
        raise HTTPException(401)
    if not isinstance(secret, str) or not hmac.compare_digest(secret.encode(), session.form.encode()):
        raise queue.Refused("this form belongs to another session: reload the page", 403)
    return session


async def _parts_of(archive: UploadFile) -> AsyncIterator[bytes]:
    while part := await archive.read(1 << 16):
        yield part
