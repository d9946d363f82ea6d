"""Teams, their tokens, and their browser sessions; secrets are only stored as hashes."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import NamedTuple

from levelhead.errors import Fault, InputError, quoted
from levelhead.task.model.database import Database, now, record

_LONGEST_NAME = 60
_SESSION_SECONDS = 12 * 3600
_PREFIX = "lvlh_"  # so that scanners for leaked secrets can find tokens


class Team(NamedTuple):
    """A team of participants.

    Args:
        id: its number.
        name: its name.
    """

    id: int
    name: str


class Session(NamedTuple):
    """A team that signed in with a browser.

    Args:
        team: the team.
        form: a secret that forms must send, so that other sites cannot post.
    """

    team: Team
    form: str


def _hash(secret: str) -> str:
    # Secrets are random numbers of 256 bits, so slow hashes would not improve security.
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def new_token(database: Database, name: str, *, replace: bool = False) -> str:
    """Return a new token for a team."""
    if not name.strip() or name != name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        message = f"invalid team name {quoted(name)}: use up to {_LONGEST_NAME} printable characters"
        raise InputError(Fault("invalid-task", message))
    token = _PREFIX + secrets.token_urlsafe(32)
    with database.transaction() as connection:
        if not replace and database.rows("SELECT 1 FROM teams WHERE name = ?", name):
            message = f"team {quoted(name)} already has a token: --replace makes a new one, and the old one invalid"
            raise InputError(Fault("invalid-task", message))
        connection.execute(
            "INSERT INTO main.teams (name, token, made) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET token = excluded.token",
            (name, _hash(token), now()),
        )
        connection.execute("DELETE FROM main.sessions WHERE team = (SELECT id FROM teams WHERE name = ?)", (name,))
        record(connection, "organizer", "token made", detail=name)
    return token


def team_of_token(database: Database, token: str) -> Team | None:
    """Return the team of a token; None for an invalid token."""
    rows = database.rows("SELECT id, name FROM teams WHERE token = ?", _hash(token))
    return Team(rows[0]["id"], rows[0]["name"]) if rows else None


def teams(database: Database) -> list[Team]:
    """Return all teams, in alphabetical order."""
    return [Team(row["id"], row["name"]) for row in database.rows("SELECT id, name FROM teams ORDER BY name")]


def new_session(database: Database, team: Team) -> str:
    """Sign a team in, and return the secret that its browser sends from now on."""
    secret = secrets.token_urlsafe(32)
    with database.transaction() as connection:
        connection.execute("DELETE FROM main.sessions WHERE until < ?", (time.time(),))
        row = (_hash(secret), team.id, secrets.token_urlsafe(32), time.time() + _SESSION_SECONDS)
        connection.execute("INSERT INTO main.sessions (id, team, form, until) VALUES (?, ?, ?, ?)", row)
        record(connection, f"team {team.name}", "signed in")
    return secret


def session_of(database: Database, secret: str) -> Session | None:
    """Return the session of a secret, or None."""
    rows = database.rows(
        "SELECT team, name, form FROM sessions JOIN teams ON teams.id = team WHERE sessions.id = ? AND until > ?",
        _hash(secret),
        time.time(),
    )
    return Session(Team(rows[0]["team"], rows[0]["name"]), rows[0]["form"]) if rows else None


def end_session(database: Database, secret: str) -> None:
    """Sign out."""
    with database.transaction() as connection:
        connection.execute("DELETE FROM main.sessions WHERE id = ?", (_hash(secret),))
