"""The runner: takes submissions from the queue, runs systems, scores outputs, and records the results."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from levelhead.errors import LevelheadError
from levelhead.task.archives import UnsafeArchive, unpack
from levelhead.task.database import Database
from levelhead.task.description import MEGABYTE, OUTPUTS, SYSTEM, SharedTask, TaskFolder, read_task, sync, test_sets_of
from levelhead.task.sandbox import run_system, scratch_of, users_of
from levelhead.task.scoring import ONE_PROCESS, ScoringFailed, ScoringWorkers, add_reasons, score_submission
from levelhead.task.submissions import Interrupted, Submission, claim, finish, interrupt, recover
from levelhead.treebank.input_bytes import SUFFIXES, read_bytes
from levelhead.treebank.layouts.gold import bare_name

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_AFTER_INTERRUPTION = 1.0  # the missing resource may be available again then
_MAGIC = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
NOT_SCORED = "it could not be scored; the organizer has been notified"
"""The message for a team whose submission failed through the organizer's fault."""


class Runner:
    """Processes the queue of a task, which has one runner: see `only_runner`."""

    def __init__(self, task: SharedTask, database: Database, workers: ScoringWorkers = ONE_PROCESS) -> None:
        self.task, self.database, self.workers = task, database, workers
        self.folder = task.folder
        self.scratch = scratch_of(task.sandbox, task.folder.path)

    def run(self, kind: str, slot: int) -> None:
        try:
            while True:
                if not self.step(kind, slot):
                    time.sleep(_SECONDS_BETWEEN_LOOKS)
        except BaseException:  # noqa: BLE001 -- this process must end in any case
            traceback.print_exc()
            os._exit(1)  # the database is not available: the server starts another runner, which recovers

    def recover(self) -> None:
        with self.database.transaction() as connection:  # no submission is accepted meanwhile
            rows = connection.execute("SELECT id, run FROM submissions").fetchall()
            known, runs = {row["id"] for row in rows}, {row["run"] for row in rows}
            for path in self.folder.uploads.iterdir():
                if path.name not in known:
                    path.unlink()
            for path in self.folder.runs.iterdir():
                if path.name not in runs:
                    shutil.rmtree(path)
        shutil.rmtree(self.scratch, ignore_errors=True)
        recover(self.database)

    def step(self, kind: str, slot: int = 0) -> bool:
        """Process a waiting submission of a kind; return False if none is waiting."""
        submission = claim(self.database, kind)
        if submission is None:
            return False
        run = self.folder.runs / f"{submission.id}-{submission.attempts}"
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(mode=0o700)
        try:
            self._process(submission, run, slot)
        except Interrupted as error:
            shutil.rmtree(run, ignore_errors=True)
            interrupt(self.database, submission.id, str(error))
            _log_for_organizer(submission, f"attempt {submission.attempts}: {error}")
            time.sleep(_SECONDS_AFTER_INTERRUPTION)
        except UnsafeArchive as error:
            finish(self.database, submission.id, run=run.name, reason=error.message)
        except Exception as error:  # noqa: BLE001 -- an internal error must not stop the queue
            organizer_errors = (ScoringFailed, LevelheadError, OSError)  # a full disk, no sandbox
            log = str(error) if isinstance(error, organizer_errors) else traceback.format_exc()
            finish(self.database, submission.id, run=run.name, reason=NOT_SCORED, log=log)
            _log_for_organizer(submission, log)
        return True

    def _process(self, submission: Submission, run: Path, slot: int) -> None:
        outputs = run / "output"
        upload = self.folder.uploads / submission.id
        reason = None
        if submission.kind == OUTPUTS:
            outputs.mkdir()
            unpack(upload, outputs, self.task.limits)
        else:
            reason = self._run(submission, upload, run, slot)
        reasons = collect_outputs(self.task, outputs, submission.kind)
        sync([*run.rglob("*"), run, run.parent])
        document = score_submission(self.task, outputs, run / "result.json", self.workers)
        (run / "result.json").unlink()
        add_reasons(document, reasons)
        finish(self.database, submission.id, run=run.name, document=document, reason=reason)

    def _run(self, submission: Submission, upload: Path, run: Path, slot: int) -> str | None:
        user = users_of(self.task.sandbox)[slot]
        self.scratch.mkdir(mode=0o711, parents=True, exist_ok=True)
        if self.scratch.is_symlink() or self.scratch.lstat().st_uid != os.geteuid():
            raise OSError(f"{self.scratch} belongs to another user")
        place = self.scratch / submission.id
        shutil.rmtree(place, ignore_errors=True)
        try:
            (place / "input").mkdir(parents=True)
            for path in self.folder.inputs():
                shutil.copyfile(path, place / "input" / path.name)
            system = place / "system"
            system.mkdir()
            unpack(upload, system, self.task.limits)
            for path in [place, *place.rglob("*")]:  # the sandbox's user can read it, regardless of the umask
                if user is not None or path.is_dir():
                    path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            done = run_system(contents_folder(system), place / "input", run / "output", self.task.sandbox, slot)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        (run / "log").write_bytes(done.log)
        return done.reason


def _log_for_organizer(submission: Submission, log: str) -> None:
    print(f"submission {submission.id} of {submission.team_name}: {log}", file=sys.stderr)  # noqa: T201


def contents_folder(folder: Path) -> Path:
    """Return the only folder of an archive or its top, ignoring files of macOS (`__MACOSX`, `.DS_Store`, `._NAME`)."""
    of_macos = ("__MACOSX", ".DS_Store")
    inside = [path for path in folder.iterdir() if path.name not in of_macos and not path.name.startswith("._")]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def collect_outputs(task: SharedTask, outputs: Path, kind: str) -> dict[str, str]:
    """Move outputs to the top of their folder, and remove all other files; return the reasons for missing outputs."""
    top, reasons = contents_folder(outputs), {}
    kept = outputs.with_name("kept")
    kept.mkdir()
    for test_set in test_sets_of(task):
        names = [f"{bare_name(name)}{suffix}" for name in test_set.outputs for suffix in ("", *SUFFIXES)]
        paths = [top / name for name in names if (top / name).is_file()]
        path = next((path for path in paths if not _is_compressed(path)), None)
        n_bytes = 0 if path is None else path.stat().st_size
        # The memory and time of scoring grow with the size of an output. Only features, enhanced graphs and MISC make
        # it larger than gold, but not by an order of magnitude. The gold of small outputs is not read.
        if path and n_bytes > MEGABYTE and n_bytes > task.limits.times_gold * len(read_bytes(test_set.gold or Path())):
            reasons[test_set.code] = f"{path.name} has {n_bytes} bytes, far more than an output for this test set needs"
        elif path is not None:
            path.rename(kept / f"{test_set.code}.conllu")
        elif paths:
            reasons[test_set.code] = f"{paths[0].name} is compressed: only the archive itself can be compressed"
        elif kind == OUTPUTS:
            reasons[test_set.code] = f"no {test_set.outputs[0]} at the top of the archive"
        else:
            reasons[test_set.code] = f"the system wrote no {test_set.outputs[0]} to the output folder"
    shutil.rmtree(outputs)
    kept.rename(outputs)
    return reasons


def _is_compressed(path: Path) -> bool:
    with path.open("rb") as file:
        return path.name.endswith(SUFFIXES) or file.read(8).startswith(_MAGIC)


@contextmanager
def only_runner(folder: TaskFolder) -> Iterator[None]:
    """Wait until no other runner of the task is left; the lock always ends with the process."""
    with (folder.state / "runner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(arguments: Sequence[str]) -> None:
    """Run until standard input is closed, which happens when the server ends."""
    os.umask(0o022)
    task = read_task(arguments[0])
    opened: list[Database] = []
    scratch = scratch_of(task.sandbox, task.folder.path)
    threading.Thread(target=_end_with_server, args=(scratch, opened), daemon=True).start()
    with only_runner(task.folder), Database(task.folder.database) as database:
        opened.append(database)
        runner = Runner(task, database, ScoringWorkers.from_text(arguments[1]))
        runner.recover()
        lanes = [(OUTPUTS, 0), *((SYSTEM, slot) for slot in range(task.sandbox.at_once))]
        with ThreadPoolExecutor(len(lanes)) as pool:
            for lane in lanes:
                pool.submit(runner.run, *lane)


def _end_with_server(scratch: Path, opened: list[Database]) -> None:
    """Wait for the end of standard input, remove the folder of running systems, and end this process."""
    while sys.stdin.buffer.read(1 << 16):
        pass
    try:
        if opened:
            with opened[0].transaction():  # the missing folder must not be recorded as an error
                shutil.rmtree(scratch, ignore_errors=True)
                os._exit(0)
    finally:
        os._exit(0)
