"""The pages of a task in HTML. Whatever comes from people is escaped, and nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote

from levelhead.errors import printable
from levelhead.report.table import Table, formatted
from levelhead.service.database import shown_time
from levelhead.service.description import HIDDEN, OUTPUTS, SYSTEM, Task
from levelhead.service.standings import Board
from levelhead.service.submissions import FINISHED, Submission, primary_of, why_primary
from levelhead.service.teams import Session

STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 0 1rem 3rem; color: #1b1f23;
  background: #fff; }
nav { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; padding: 1rem 0;
  border-bottom: 1px solid #d0d7de; }
nav form { display: inline; margin-left: auto; }
a { color: #0a58ca; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #d0d7de; text-align: left; vertical-align: top;
  overflow-wrap: break-word; }
th { vertical-align: bottom; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.hash { overflow-wrap: anywhere; }
label { display: block; margin: .6rem 0; }
input, select, button { font: inherit; padding: .3rem .6rem; }
pre { background: #f6f8fa; padding: 1rem; overflow-x: auto; }
.wrong { color: #b3261e; }
@media (prefers-color-scheme: dark) {
  body { background: #15181c; color: #e3e6ea; } a { color: #7ab3ff; } pre { background: #22272e; }
  th, td, nav { border-color: #444c56; } .wrong { color: #ff8a80; }
}
"""


def page(task: Task, title: str, body: str, session: Session | None) -> str:
    """Return a whole page.

    Args:
        task: the task.
        title: of the page.
        body: its contents in HTML.
        session: who is signed in.
    """
    head = f"{text(title)} · {text(task.about.title)}" if title else text(task.about.title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{head}</title><link rel="stylesheet" href="/style.css"></head><body>\n'
        f'<nav><a href="/"><strong>{text(task.about.title)}</strong></a>{_sign(session)}</nav>\n'
        f"<main><h1>{text(title or task.about.title)}</h1>\n{body}\n</main></body></html>\n"
    )


def text(value: object) -> str:
    """Return text as HTML: nothing in it is a tag, and nothing hides."""
    return escape(printable(str(value)), quote=True)


def _sign(session: Session | None) -> str:
    if session is None:
        return '<a href="/sign-in">Sign in</a>'
    button = f'<form method="post" action="/sign-out">{_token(session)}<button>Sign out</button></form>'
    return f'<a href="/submissions">Submissions of {text(session.team.name)}</a>{button}'


def _token(session: Session) -> str:
    return f'<input type="hidden" name="form" value="{text(session.form)}">'


def table(finished: Table) -> str:
    """Return a table in HTML.

    Args:
        finished: the table.
    """
    head = "".join(f'<th scope="col"{_side(c.kind)}>{text(c.name)}</th>' for c in finished.columns)
    rows = []
    for row in finished.rows:
        cells = []
        for cell, column in zip(row, finished.columns):
            cells.append(f"<td{_side(column.kind)}>{text(formatted(cell, column))}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    notes = "".join(f"<p>{text(note)}</p>" for note in finished.notes)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>{notes}'
    )


def _side(kind: str) -> str:
    return "" if kind == "text" else ' class="n"'


def home(
    task: Task,
    board: Board,
    phase: str,
    session: Session | None,
    languages: Mapping[str, str],
    inputs: Iterable[str],
) -> str:
    """Return the first page: what the task is, and the leaderboard as far as it is shown.

    Args:
        task: the task.
        board: what may be shown.
        phase: what can be done now, in a sentence.
        session: who is signed in.
        languages: of the test sets, by code.
        inputs: the names of the inputs that teams can download now.
    """
    kinds = " and ".join("systems" if kind == SYSTEM else "outputs" for kind in task.about.kinds)
    rules = f"{kinds.capitalize()}, {task.limits.submissions_a_day} a day from each team."
    parts = [f"<p>{text(phase)} {text(rules)}</p>"]
    if task.about.contact:
        parts.append(f"<p>Contact: {text(task.about.contact)}</p>")
    parts.append("<h2>Leaderboard</h2>")
    if board.ranking is None:
        hidden = "Scores are hidden until the task is closed." if board.view == HIDDEN else "There are no results yet."
        parts.append(f"<p>{hidden}</p>")
    else:
        parts += ["<p>Scores are rounded to 5 %.</p>" if board.view == "coarse" else "", table(board.ranking)]
    if board.report:
        parts.append('<p><a href="/report">Report</a></p>')
    rows = "".join(_listed(code, language, link=code in board.treebanks) for code, language in languages.items())
    parts.append(f"<h2>Treebanks</h2><table>{rows}</table>")
    if links := _links(inputs):
        parts.append(f"<h2>Inputs</h2><p>For teams that are signed in: {links}</p>")
    return page(task, "", "\n".join(parts), session)


def _links(inputs: Iterable[str]) -> str:
    named = ((quote(name, safe="", errors="surrogateescape"), text(name)) for name in inputs)
    return " ".join(f'<a href="/inputs/{address}">{shown}</a>' for address, shown in named)


def _listed(code: str, language: str, *, link: bool) -> str:
    shown = f'<a href="/treebanks/{quote(code, safe="")}">{text(code)}</a>' if link else text(code)
    return f"<tr><td>{shown}</td><td>{text(language)}</td></tr>"


def treebank(task: Task, code: str, board: Board, session: Session | None) -> str:
    """Return the page of a test set.

    Args:
        task: the task.
        code: of the test set.
        board: what may be shown; the test set is in it.
        session: who is signed in.
    """
    return page(task, code, table(board.treebanks[code]), session)


def sign_in(task: Task, problem: str = "") -> str:
    """Return the page on which teams sign in.

    Args:
        task: the task.
        problem: why it did not work.
    """
    form = (
        '<form method="post" action="/sign-in"><label>Your team\'s token'
        ' <input name="token" type="password" autocomplete="current-password" required></label>'
        "<button>Sign in</button></form>"
    )
    return page(task, "Sign in", f'<p class="wrong">{text(problem)}</p>{form}' if problem else form, None)


def own(task: Task, session: Session, found: Iterable[Submission], inputs: Iterable[str], problem: str = "") -> str:
    """Return a team's page: its submissions, and the form for a new one.

    Args:
        task: the task.
        session: who is signed in.
        found: the team's submissions.
        inputs: the names of the inputs.
        problem: why a submission was not accepted.
    """
    found = list(found)
    primary = primary_of(found).get(session.team.name)
    rows = "".join(
        f'<tr><td class="n"><a href="/submissions/{text(one.id)}">{one.number}</a></td><td>{text(one.label)}</td>'
        f"<td>{text(one.kind)}</td><td>{shown_time(one.received)}</td><td>{text(one.state)}</td>"
        f"<td>{_mark(one, primary)}</td><td>{text(one.reason or '')}</td></tr>"
        for one in found
    )
    names = ("Number", "Name", "Kind", "Received", "State", "Primary", "Remark")
    head = f"<tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>"
    listed = f'<div class="scroll"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>' if found else ""
    wrong = f'<p class="wrong" role="alert">{text(problem)}</p>' if problem else ""
    body = (
        f"{wrong}{_form(task, session)}{listed}<h2>Inputs</h2><p>{_links(inputs) or 'They cannot be downloaded.'}</p>"
    )
    return page(task, "Submissions", body, session)


def _mark(one: Submission, primary: Submission | None) -> str:
    return why_primary(one) if primary is not None and one.id == primary.id else ""


def _form(task: Task, session: Session) -> str:
    names = {OUTPUTS: "outputs (CoNLL-U files)", SYSTEM: "a system (with a program run)"}
    options = "".join(f'<option value="{kind}">{names[kind]}</option>' for kind in task.about.kinds)
    return (
        f'<form method="post" action="/submissions" enctype="multipart/form-data">{_token(session)}'
        f'<label>Kind <select name="kind">{options}</select></label>'
        '<label>Name <input name="label" maxlength="80"></label>'
        '<label>Archive (tar or zip) <input name="archive" type="file" required></label>'
        "<button>Submit</button></form>"
    )


def submission(
    task: Task, session: Session, one: Submission, results: Mapping[str, Any], *, log: bool, primary: bool
) -> str:
    """Return the page of a submission, for its team.

    Args:
        task: the task.
        session: who is signed in.
        one: the submission.
        results: what the team may see of its results.
        log: whether there is a log to see.
        primary: whether it is the team's primary submission, chosen or not.
    """
    facts = {
        "Kind": one.kind, "Name": one.label, "Received": shown_time(one.received), "State": one.state,
        "Finished": shown_time(one.finished) if one.finished else "", "Remark": one.reason or "",
    }  # fmt: skip
    parts = ["<table>"]
    parts += [f'<tr><th scope="row">{name}</th><td>{text(value)}</td></tr>' for name, value in facts.items()]
    parts.append(f'<tr><th scope="row">SHA-256</th><td class="hash">{text(one.sha256)}</td></tr></table>')
    if log:
        parts.append(f'<p><a href="/submissions/{text(one.id)}/log">What it printed</a></p>')
    if primary:
        parts.append(f"<p>This is your primary submission ({why_primary(one)}).</p>")
    if one.state == FINISHED and not one.chosen:
        action = f"/submissions/{text(one.id)}/primary"
        button = "<button>Make this the primary submission</button>"
        parts.append(f'<form method="post" action="{action}">{_token(session)}{button}</form>')
    parts.append(_results(results))
    return page(task, f"Submission {one.number}", "".join(parts), session)


def _results(results: Mapping[str, Any]) -> str:
    if not results:
        return ""
    measures = list(next(iter(results.values())).get("values", {}))
    head = "".join(f'<th class="n">{text(name)}</th>' for name in measures)
    rows = []
    for code, result in results.items():
        values = result.get("values", {})
        cells = "".join(
            f'<td class="n">{"-" if values[name] is None else f"{values[name]:.2f}"}</td>' for name in measures
        )
        reasons = "<br>".join(text(reason) for reason in result["reasons"])
        rows.append(f"<tr><td>{text(code)}</td>{cells}<td>{text(result['state'])}</td><td>{reasons}</td></tr>")
    head = f"<tr><th>Treebank</th>{head}<th>State</th><th>Reason</th></tr>"
    return f'<div class="scroll"><table><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


def problem(task: Task, title: str, message: str) -> str:
    """Return a page that says what went wrong.

    Args:
        task: the task.
        title: in a few words.
        message: in a sentence.
    """
    return page(task, title, f"<p>{text(message)}</p>", None)
