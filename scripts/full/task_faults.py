"""What a shared task does with fork bombs, killed sandboxes and scorers, and a clock that goes back.

Run as root, with bubblewrap: python scripts/full/task_faults.py [bombs|sandboxes|scorers|clocks]...
Each part prints one line of figures, and raises AssertionError if anything is not as it must be.
"""

import argparse
import contextlib
import datetime as dt
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self
from unittest import mock

HERE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(HERE / "tests"))

from levelhead.task.database import Database  # noqa: E402
from levelhead.task.description import SubmissionLimits, TaskFolder  # noqa: E402
from levelhead.task.submissions import (  # noqa: E402  # noqa: E402
    Refused,
    Submission,
    Team,
    accept,
    claim,
    finish,
    new_token,
    organizer_failures,
    primary_of,
    put_back,
    submissions,
    team_of_token,
)
from task.task_server import FREE, SANDBOX_USER, SANDBOX_USERS, make_task, outputs, serving, tar, upload  # noqa: E402

BOMB = b"#!/usr/bin/python3\nimport os\nwhile True:\n try:\n  os.fork()\n except OSError:\n  pass\n"
COPY = b'#!/bin/sh\nfor file in /system/*.conllu; do cp "$file" "$2" & done\nwait\n'
SLOW = b'#!/bin/sh\ncp /system/*.conllu "$2"\nsleep 3\n'
PROCESSES = 24
ATTEMPTS = 10


def numbers_of_processes() -> list[int]:
    """Return the numbers of all processes."""
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def is_of_systems(number: int) -> bool:
    """Whether a process is of one of the users that systems run as."""
    first, last = map(int, SANDBOX_USERS.split("-"))
    return first <= Path(f"/proc/{number}").stat().st_uid <= last


def processes_of_systems() -> int:
    """Return how many processes systems have."""
    count = 0
    for number in numbers_of_processes():
        with contextlib.suppress(FileNotFoundError):
            count += is_of_systems(number)
    return count


def wait_until(done: Callable[[], bool], seconds: float = 600) -> None:
    """Wait for something, for ten minutes at most."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.02)


@contextlib.contextmanager
def task_with(**sandbox: object) -> Iterator[tuple[TaskFolder, Database]]:
    """Make a task of the examples, and serve it."""
    with tempfile.TemporaryDirectory() as name:
        path = make_task(Path(name) / "task", sandbox=sandbox)
        with Database(TaskFolder(path).database) as database, serving(path):
            yield TaskFolder(path), database


def team(database: Database, name: str) -> Team:
    """Make a team."""
    found = team_of_token(database, new_token(database, name))
    assert found is not None
    return found


def hand_in(folder: TaskFolder, database: Database, who: Team, archive: bytes, kind: str) -> str:
    """Submit an archive, and return the name of the submission."""
    return accept(database, folder, who, upload(folder, archive, kind=kind), FREE).id


def ended(database: Database) -> bool:
    """Whether nothing waits or runs."""
    return all(one.state in {"finished", "failed"} for one in submissions(database))


def figures(found: list[Submission]) -> str:
    """Return how submissions ended, for printing."""
    states = Counter(f"{one.state}{' with a valid output' if one.valid else ''}" for one in found)
    ends = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    return f"{ends}; {sum(one.attempts for one in found)} attempts"


def bombs(times: int) -> None:
    """Run a fork bomb beside a valid system: the system is scored at its first attempt, each time."""
    valid = []
    limits = {"at_once": 2, "user": SANDBOX_USERS, "processes": PROCESSES, "seconds": 6}
    with task_with(**limits) as (folder, database):
        hostile, honest = team(database, "hostile"), team(database, "honest")
        system = tar({"run": COPY, **outputs("alpha")})
        for _ in range(times):
            hand_in(folder, database, hostile, tar({"run": BOMB}), "system")
            wait_until(lambda: processes_of_systems() >= PROCESSES - 4)
            valid.append(hand_in(folder, database, honest, system, "system"))
            wait_until(lambda: ended(database))
        found = submissions(database)
    theirs = [one for one in found if one.id in valid]
    assert all(one.valid and one.reason is None and one.attempts == 1 for one in theirs), figures(theirs)
    others = [one for one in found if one.id not in valid]
    assert all((one.state, one.attempts) == ("finished", 1) for one in others), figures(others)
    print(f"bombs: systems next to a fork bomb: {figures(theirs)}; the bombs: {figures(others)}")


def first_of_sandbox() -> int | None:
    """Return the number of the first process of a sandbox that runs a system; None if none does."""
    for number in numbers_of_processes():
        with contextlib.suppress(OSError):
            inside = re.search(r"NSpid:(.*)", Path(f"/proc/{number}/status").read_text())
            if is_of_systems(number) and inside and inside[1].split()[1:] == ["1"]:
                return number
    return None


def scorer_of(folder: TaskFolder) -> int | None:
    """Return the number of the process that scores for a task; None if none does."""
    for number in numbers_of_processes():
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{number}/cmdline").read_bytes()
            if b"task.scoring" in command and os.fsencode(folder.path) in command:
                return number
    return None


class Killer:
    """Kills the processes that a function finds, each once; a context manager."""

    def __init__(self, find: Callable[[], int | None], share: float, draw: random.Random) -> None:
        self.killed, self._seen, self._stop = 0, {0}, threading.Event()
        self._find, self._share, self._draw = find, share, draw
        self._thread = threading.Thread(target=self._kill)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _kill(self) -> None:
        while not self._stop.is_set():
            number = self._find()
            if number is not None and number not in self._seen:
                self._seen.add(number)
                if self._draw.random() < self._share:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, signal.SIGKILL)
                        self.killed += 1
            time.sleep(0.005)


def put_back_by_runner(database: Database) -> int:
    """Return how often the runner began a submission again."""
    query = "SELECT count(*) AS n FROM audit WHERE actor = 'runner' AND action = 'put back'"
    return int(database.rows(query)[0]["n"])


def sandboxes(times: int) -> None:
    """Kill sandboxes while systems run: all are run again, and scored."""
    with task_with(user=SANDBOX_USER) as (folder, database):
        who = team(database, "team")
        with Killer(first_of_sandbox, 0.7, random.Random(1)) as killer:
            while killer.killed < times:
                hand_in(folder, database, who, tar({"run": SLOW, **outputs("alpha")}), "system")
                wait_until(lambda: ended(database))
        found, again = submissions(database), put_back_by_runner(database)
    assert all(one.valid or one.attempts == ATTEMPTS for one in found), figures(found)
    print(f"sandboxes: {killer.killed} killed, {again} put back by the runner; {figures(found)}")


def scorers(times: int) -> None:
    """Kill scorers at random, then each of a submission: retried, then given up, then run again by the organizer."""
    with task_with(user=SANDBOX_USER) as (folder, database):
        who, draw = team(database, "team"), random.Random(2)
        with Killer(lambda: scorer_of(folder), 0.5, draw) as killer:
            while killer.killed < times:
                hand_in(folder, database, who, tar(outputs("alpha")), "outputs")
                wait_until(lambda: ended(database))
        found = submissions(database)
        assert all(one.valid or one.attempts == ATTEMPTS for one in found), figures(found)
        print(f"scorers: {killer.killed} killed at random, {put_back_by_runner(database)} put back; {figures(found)}")
        with Killer(lambda: scorer_of(folder), 1, draw) as killer:
            hand_in(folder, database, who, tar(outputs("alpha")), "outputs")
            wait_until(lambda: ended(database))
        given_up = organizer_failures(database)
        assert given_up[-1].attempts == ATTEMPTS, figures(given_up)
        assert put_back(database) == len(given_up)
        wait_until(lambda: ended(database))
        assert all(one.valid for one in submissions(database))
    print(
        f"scorers: {killer.killed} of one submission killed: given up after {ATTEMPTS} attempts, then rerun and valid"
    )


def clocks(times: int) -> None:
    """Let the clock jump by days while a team submits; compare with a model of numbers and latest times."""
    draw, jumps, refused = random.Random(3), 0, 0
    for _ in range(times):
        with tempfile.TemporaryDirectory() as name:
            folder = TaskFolder(Path(name))
            folder.prepare()
            back, full = _under_a_jumping_clock(folder, draw)
            jumps, refused = jumps + back, refused + full
    print(f"clocks: {times} tasks, {jumps} jumps back, {refused} submissions over the quota refused, no difference")


def _under_a_jumping_clock(folder: TaskFolder, draw: random.Random) -> tuple[int, int]:
    moment = latest = dt.datetime(2026, 11, 22, 12, tzinfo=dt.UTC)
    limits, taken, back, refused = SubmissionLimits(submissions_a_day=3, waiting=100), Counter[dt.date](), 0, 0
    with _clock(lambda: moment):
        with Database(folder.database) as database:
            team(database, "team")
        for _ in range(20):
            step = dt.timedelta(hours=draw.uniform(-60, 60))
            moment, back = moment + step, back + (step < dt.timedelta(0))
            with Database(folder.database) as database:
                who = Team(1, "team")
                full = taken[max(latest, moment).date()] >= limits.submissions_a_day
                try:
                    accept(database, folder, who, upload(folder), limits)
                    assert not full, "the quota was renewed"
                    latest = max(latest, moment)
                    taken[latest.date()] += 1
                    finish(database, _begun(database), document={"x": {"state": draw.choice(("valid", "invalid"))}})
                except Refused:
                    assert full, "refused too early"
                    refused += 1
                _check_primary(database, who)
    return back, refused


@contextlib.contextmanager
def _clock(moment: Callable[[], dt.datetime]) -> Iterator[None]:
    def now() -> str:
        return moment().isoformat(timespec="milliseconds")

    with mock.patch("levelhead.task.database.now", now), mock.patch("levelhead.task.submissions.now", now):
        yield


def _begun(database: Database) -> str:
    found = claim(database, "outputs")
    assert found is not None
    return found.id


def _check_primary(database: Database, who: Team) -> None:
    found = submissions(database, who)
    assert [one.number for one in found] == sorted(one.number for one in found)
    valid = [one for one in found if one.valid] or found
    assert primary_of(found) == primary_of(submissions(database)) == {one.team_name: one for one in valid[-1:]}


PARTS = {"bombs": (bombs, 20), "sandboxes": (sandboxes, 20), "scorers": (scorers, 60), "clocks": (clocks, 200)}


def main() -> None:
    """Run the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    for name in parser.parse_args().parts or PARTS:
        part, times = PARTS[name]
        part(times)


if __name__ == "__main__":
    main()
