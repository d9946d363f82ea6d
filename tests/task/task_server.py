"""A shared task for tests: its folder, teams, a server, and archives to submit."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from job_functions import killed_at_end, wait_until
from levelhead.task.database import Database
from levelhead.task.description import OUTPUTS, SYSTEM, SharedTask, SubmissionLimits, TaskFolder, read_task
from levelhead.task.folders import create_task
from levelhead.task.scoring import ONE_PROCESS, ScoringWorkers, write_result
from levelhead.task.submissions import Upload, new_token, teams
from levelhead.task.worker import Runner, only_runner

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "parallel"
FREE = SubmissionLimits(submissions_a_day=1000, waiting=1000)
_USER = 30000 + 2 * (os.getpid() % 15000)
SANDBOX_USER = str(_USER) if os.geteuid() == 0 else ""
"""Nobody's number: as root, the sandbox must have a user that has no other processes, not even those of another run of
the tests; others cannot name one."""
SANDBOX_USERS = f"{_USER}-{_USER + 1}" if SANDBOX_USER else ""
"""Two such users, for systems that run at the same time."""


def make_task(folder: Path, gold: Path = EXAMPLES / "gold", **sections: Mapping[str, object]) -> Path:
    """Create a task; the sections replace those of task.toml."""
    create_task(folder, gold, title="Parsing <b>blind</b>")
    path = folder / "task.toml"
    rest = path.read_text(encoding="utf-8").partition("[campaign]")[2]
    sections = {
        "task": {"title": "Parsing <b>blind</b>"},
        "show": {"own": "open", "leaderboard": "open"},
        "limits": {"submissions_a_day": 100, "waiting": 100, "free_megabytes": 1},
        "sandbox": {"user": SANDBOX_USER},
    } | {name: dict(values) for name, values in sections.items()}
    sections["sandbox"].setdefault("user", SANDBOX_USER)
    lines = []
    for name, values in sections.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    path.write_text("\n".join([*lines, "[campaign]"]) + rest, encoding="utf-8")
    return folder


def token(folder: Path, name: str) -> str:
    """Create a team, and return its token."""
    with Database(TaskFolder(folder).database) as database:
        return new_token(database, name, replace=name in {team.name for team in teams(database)})


def drain(task: SharedTask, workers: ScoringWorkers = ONE_PROCESS) -> None:
    """Process everything in the queue, in this process."""
    task.folder.prepare()
    with only_runner(task.folder), Database(task.folder.database) as database:
        runner = Runner(task, database, workers)
        runner.recover()
        while runner.step(OUTPUTS) or runner.step(SYSTEM):
            pass
        shutil.rmtree(runner.scratch, ignore_errors=True)


def scored_here(command: Sequence[str], _: int) -> subprocess.CompletedProcess[bytes]:
    """Do what the scorer does in this process, which takes a tenth of the time; without its limits."""
    folder, *others = command[3:]
    write_result(read_task(folder), *others)
    return subprocess.CompletedProcess(command, 0)


def tar(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    """Pack files; those named `run` are executable."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o755 if name.endswith("run") else 0o644
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def outputs(system: str) -> dict[str, bytes]:
    """Return the outputs of a system of the examples."""
    return {path.name: path.read_bytes() for path in sorted((EXAMPLES / "systems" / system).iterdir())}


class Server:
    """A server that was started, and how to talk to it."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.process, self.address = process, address

    def ask(self, method: str, path: str, token: str = "", body: bytes | None = None, **headers: str):
        """Send an API request, and return the status and the response."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            names["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(f"{self.address}/api/v1{path}", body, names, method=method)
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def submit(self, token: str, body: bytes, kind: str = "outputs", **headers: str):
        """Submit an archive."""
        return self.ask("POST", f"/submissions?kind={kind}", token, body, **headers)

    def wait(self, token: str, name: str):
        """Wait until a submission is finished."""
        wait_until(lambda: self.ask("GET", f"/submissions/{name}", token)[1]["state"] in {"finished", "failed"})
        return self.ask("GET", f"/submissions/{name}", token)[1]


@contextmanager
def serving(folder: Path, errors: Path | None = None, options: Sequence[str] = ()) -> Iterator[Server]:
    """Serve a task on a free port."""
    command = [sys.executable, "-m", "levelhead", "task", "serve", str(folder), "--port", "0", *options]
    with (errors or folder / "errors").open("ab") as said:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said)
    with killed_at_end(process):
        line = process.stdout.readline().decode().strip()
        assert line.startswith("http://"), (errors or folder / "errors").read_text()
        yield Server(process, line)


def wait_for_end(pid: int) -> None:
    """Wait until a process that is not our child has ended."""
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)


def task_of(folder: Path):
    """Read a task."""
    return read_task(folder)


def upload(folder, data=b"x", kind="outputs", label="", key=None):
    """Put an archive into the folder of uploads."""
    path = folder.incoming / os.urandom(8).hex()
    path.write_bytes(data)
    return Upload(path, "0" * 64, len(data), kind, label, key)
