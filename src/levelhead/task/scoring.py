"""Scoring of the outputs of a submission in a separate process, the only process that reads gold as a treebank."""

from __future__ import annotations

import ctypes
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Self

from levelhead.campaign import OutputResult, Results, score_plan
from levelhead.campaign.plan import plan_of
from levelhead.campaign.ranked_systems import spread_on
from levelhead.errors import LevelheadError
from levelhead.jobs import Store, Tls, Workers, cluster, processes
from levelhead.measures.registry import lower_is_better
from levelhead.messages import MESSAGES
from levelhead.task.description import MEGABYTE, SharedTask, read_task, setup_of_task, sync, test_sets_of
from levelhead.task.submissions import Interrupted
from levelhead.treebank.write import replace_file

_REASON = re.compile(r"(?P<line>line \d+: )?(?P<slug>[a-z][a-z-]*): (?P<message>.*)", re.DOTALL)
_OFFSET = re.compile(r"\(character (\d+) of the text[,)]")
_NO_MEMORY = 3
_PR_SET_PDEATHSIG = 1  # prctl(2)


class ScoringFailed(Exception):
    """The scorer ended without a result; the organizer sees the message."""


class _LimitExceeded(ScoringFailed):
    """It exceeded its limit of time or memory."""


class ScoringWorkers(NamedTuple):
    """The workers of the scorer of submissions, passed to other processes as text."""

    jobs: int = 1
    address: str | None = None  # of a dask cluster
    tls: Tls | None = None

    def workers(self) -> Workers:
        return processes(self.jobs) if self.address is None else cluster(self.address, self.jobs, tls=self.tls)

    def __str__(self) -> str:
        return json.dumps(self)

    @classmethod
    def from_text(cls, text: str) -> Self:
        jobs, address, tls = json.loads(text)
        return cls(jobs, address, None if tls is None else Tls(*tls))


ONE_PROCESS = ScoringWorkers()


def score_folders(
    task: SharedTask,
    folders: Mapping[str, Path],
    more: Sequence[str] = (),
    workers: Workers | None = None,
    code: str = "",
) -> Results:
    with Store(task.folder.scores) as store:
        plan = plan_of([test_set for test_set in test_sets_of(task) if code in {"", test_set.code}], folders)
        return score_plan(plan, setup_of_task(task, more), workers=workers, store=store, by_sentence=True)


def score_submission(
    task: SharedTask, outputs: Path, result: Path, workers: ScoringWorkers = ONE_PROCESS
) -> dict[str, Any]:
    """Score the outputs of a submission in other processes, which have their own limits, and end with this process."""
    seconds = task.limits.scoring_seconds
    try:
        return _score(task, outputs, result, workers, seconds)
    except _LimitExceeded:
        reasons = {}
        for path in sorted(outputs.iterdir()):
            try:
                _score(task, outputs, result, workers, seconds, path.stem)
            except _LimitExceeded as error:
                path.unlink()
                sync([outputs])
                reasons[path.stem] = str(error)
    document = _score(task, outputs, result, workers, seconds * max(len(test_sets_of(task)), 1))  # from the store
    add_reasons(document, reasons)
    return document


def _score(
    task: SharedTask, outputs: Path, result: Path, workers: ScoringWorkers, seconds: int, code: str = ""
) -> dict[str, Any]:
    program = "import sys; from levelhead.task.scoring import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, str(task.folder.path), str(outputs), str(result), str(workers), code]
    try:
        done = run_child(command, seconds)
    except subprocess.TimeoutExpired as error:
        raise _LimitExceeded(f"scoring took more than {seconds} seconds") from error
    except OSError as error:
        raise Interrupted(f"scoring could not be started: {error}") from error
    if done.returncode < 0:
        raise Interrupted(f"scoring was killed by signal {-done.returncode}")
    if done.returncode == _NO_MEMORY:
        raise _LimitExceeded(f"scoring needed more than {task.limits.scoring_megabytes} MB of memory")
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip()[-1000:]
        raise ScoringFailed(f"scoring ended with exit code {done.returncode}: {errors}")
    document: dict[str, Any] = json.loads(result.read_bytes())
    return document


def run_child(command: Sequence[str], seconds: int) -> subprocess.CompletedProcess[bytes]:
    """Run a program that calls `_end_with_parent`; only its standard error is kept."""
    # for Linux, the parent is the calling thread, which waits here for the end of the program
    read_end, write_end = os.pipe()  # no other process has its write end, so it is closed when this process ends
    try:
        return subprocess.run(  # noqa: S603
            command, stdin=read_end, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=seconds
        )
    finally:
        os.close(read_end)
        os.close(write_end)


def add_reasons(document: dict[str, Any], reasons: Mapping[str, str]) -> None:
    for code, result in document["results"].items():
        if code in reasons and result["state"] == "missing":
            result["reasons"] = [reasons[code]]


def main(arguments: Sequence[str]) -> None:
    folder, *others = arguments
    _end_with_parent()
    task = read_task(folder)
    resource.setrlimit(resource.RLIMIT_AS, (task.limits.scoring_megabytes * MEGABYTE,) * 2)
    try:
        write_result(task, *others)
    except MemoryError:
        sys.exit(_NO_MEMORY)
    except LevelheadError as error:
        sys.exit(str(error))


def write_result(task: SharedTask, outputs: str, result: str, workers: str, code: str) -> None:
    results = score_folders(
        task, {"submission": Path(outputs)}, workers=ScoringWorkers.from_text(workers).workers(), code=code
    )
    document = {
        "signature": dict(results.signature),
        "measures": list(results.measures),
        "results": {test_set.code: _result(results, "submission", test_set.code) for test_set in results.test_sets},
    }
    replace_file(result, [json.dumps(document).encode()])


def _end_with_parent() -> None:
    """End this process when its standard input ends, or (on Linux) when its parent is killed."""

    def end_with_input() -> None:  # which also works if the parent ended before the request for the signal
        while os.read(0, 1 << 16):
            pass
        os._exit(1)

    if sys.platform == "linux":  # the kernel's signal also interrupts long computations
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=end_with_input, daemon=True).start()


def _result(results: Results, system: str, code: str) -> dict[str, Any]:
    result = results.results[system, code]
    spreads = {measure: spread_on(results, system, code, measure) for measure in results.measures}
    return {
        "state": result.state,
        "values": {name: None if value is None else str(value / _scale(name)) for name, value in result.values.items()},
        "reasons": list(dict.fromkeys(map(public_reason, result.reasons))),
        "spreads": {measure: list(spread[:4]) for measure, spread in spreads.items() if spread is not None},
    }


def public_reason(reason: str) -> str:
    """Return why an output scores 0, without quoting gold: a fault in its line, a place, or the meaning of the slug."""
    parts = _REASON.fullmatch(reason)
    if parts is None or parts["slug"] not in MESSAGES:
        return "it cannot be scored"
    name = parts["slug"]
    if name == "text-mismatch":
        place = _OFFSET.search(reason)
        where = f", first at character {place[1]} of your output (not counting spaces)" if place else ""
        return f"{name}: the text of your output differs from the input{where}"
    if parts["line"]:
        return reason
    return f"{name}: {MESSAGES[name].meaning}"


def public_results(results: Results) -> Results:
    """Return results that can be published without gold: the same numbers, with reasons from `public_reason`."""
    return results._replace(
        results={
            key: result._replace(reasons=tuple(dict.fromkeys(map(public_reason, result.reasons))))
            for key, result in results.results.items()
        }
    )


def _scale(measure: str) -> int:
    """The number by which stored values are multiplied: ratios, or perplexities."""
    return 1 if lower_is_better(measure) else 100


def read_result(document: Mapping[str, Any]) -> OutputResult:
    stored = document["values"].items()
    values = {name: None if value is None else _scale(name) * Fraction(value) for name, value in stored}
    return OutputResult(document["state"], values, "", tuple(document["reasons"]))
