"""Scoring of the outputs of a submission in a separate process, the only process that reads gold as a treebank."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Self

from levelhead.campaign import OutputResult, Results, score_plan
from levelhead.campaign.plan import plan_of
from levelhead.campaign.rank_intervals import spread_on
from levelhead.errors import LevelheadError
from levelhead.jobs import Store, Tls, Workers, cluster, processes
from levelhead.messages import MESSAGES
from levelhead.significance.jackknife import Spread
from levelhead.tables.documents import header
from levelhead.task.model.campaign import setup_of_task, test_sets_of
from levelhead.task.model.description import MEGABYTE, SharedTask, read_task
from levelhead.task.model.folder import sync
from levelhead.task.runner.processes import Interrupted, end_with_parent, run_child
from levelhead.treebank.write import replace_file

_REASON = re.compile(r"(?P<line>line \d+: )?(?P<slug>[a-z][a-z-]*): (?P<message>.*)", re.DOTALL)
_OFFSET = re.compile(r"\(character (\d+) of the text, token ")


_NO_MEMORY = 3


class ScoringFailed(Exception):
    """The scorer ended without a result; the organizer sees the message."""


class _LimitExceeded(ScoringFailed):
    """It exceeded its limit of time or memory."""


class ScoringWorkers(NamedTuple):
    """The workers of the scorer of submissions, passed to other processes as text.

    Args:
        jobs: the number of processes.
        address: the address of a dask cluster, or None.
        tls: the TLS files, or None.
    """

    jobs: int = 1
    address: str | None = None
    tls: Tls | None = None

    def workers(self) -> Workers:
        """Return the workers."""
        return processes(self.jobs) if self.address is None else cluster(self.address, self.jobs, tls=self.tls)

    def __str__(self) -> str:
        return json.dumps(self)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the value of its text form."""
        jobs, address, tls = json.loads(text)
        return cls(jobs, address, None if tls is None else Tls(*tls))


ONE_PROCESS = ScoringWorkers()
"""The scorer without other workers."""


def score_folders(
    task: SharedTask,
    folders: Mapping[str, Path],
    more: Sequence[str] = (),
    *,
    by_sentence: bool = False,
    workers: Workers | None = None,
    code: str = "",
) -> Results:
    """Return the results of systems, scored as by `levelhead rank` with the store of the task."""
    with Store(task.folder.scores) as store:
        plan = plan_of([test_set for test_set in test_sets_of(task) if code in {"", test_set.code}], folders)
        return score_plan(plan, setup_of_task(task, more), workers=workers, store=store, by_sentence=by_sentence)


def score_submission(
    task: SharedTask, outputs: Path, result: Path, workers: ScoringWorkers = ONE_PROCESS
) -> dict[str, Any]:
    """Score the outputs of a submission in other processes, which have their own limits, and end with this process.

    If all outputs together exceed the limits, each is scored by itself; those that exceed them alone are removed.
    """
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
    """Score all outputs, or that of one test set, in another process."""
    program = "import sys; from levelhead.task.runner.scoring import main; main(sys.argv[1:])"
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


def add_reasons(document: dict[str, Any], reasons: Mapping[str, str]) -> None:
    """Add the reasons for missing outputs to the document of a submission."""
    for code, result in document["results"].items():
        if code in reasons and result["state"] == "missing":
            result["reasons"] = [reasons[code]]


def main(arguments: Sequence[str]) -> None:
    """Do the work of `score_submission` in the process that it starts."""
    end_with_parent()
    task = read_task(arguments[0])
    memory = task.limits.scoring_megabytes * MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        workers = ScoringWorkers.from_text(arguments[3]).workers()
        results = score_folders(
            task, {"submission": Path(arguments[1])}, by_sentence=True, workers=workers, code=arguments[4]
        )
    except MemoryError:
        sys.exit(_NO_MEMORY)
    except LevelheadError as error:
        sys.exit(str(error))
    replace_file(arguments[2], [json.dumps(_document(results)).encode()])


def _document(results: Results) -> dict[str, Any]:
    system = results.systems[0]
    codes = [test_set.code for test_set in results.test_sets]
    return {
        **header("submission", results.signature),
        "measures": list(results.measures),
        "results": {code: _result(results, system, code) for code in codes},
    }


def _result(results: Results, system: str, code: str) -> dict[str, Any]:
    result = results.results[system, code]
    spreads = {measure: spread_on(results, system, code, measure) for measure in results.measures}
    return {
        "state": result.state,
        "values": {name: None if value is None else str(value) for name, value in result.values.items()},
        "reasons": list(dict.fromkeys(public_reason(reason) for reason in result.reasons)),
        "spreads": {measure: list(spread) for measure, spread in spreads.items() if spread is not None},
    }


def public_reason(reason: str) -> str:
    """Return the reason why an output scores 0, without quoting gold.

    Faults in lines of the output itself are unchanged. If the texts differ, only the place in the output is reported;
    for other faults, only the meaning of their slug.
    """
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
    public = {
        key: result._replace(reasons=tuple(dict.fromkeys(map(public_reason, result.reasons))))
        for key, result in results.results.items()
    }
    return results._replace(results=public)


def read_result(document: Mapping[str, Any]) -> OutputResult:
    """Return the result of a submission on a test set."""
    values = {name: None if value is None else Fraction(value) for name, value in document["values"].items()}
    return OutputResult(document["state"], values, "", tuple(document["reasons"]))


def read_spreads(document: Mapping[str, Any]) -> dict[str, Spread]:
    """Return the errors of a submission's scores on a test set, by measure; older documents lack them."""
    return {measure: Spread(*spread) for measure, spread in document.get("spreads", {}).items()}
