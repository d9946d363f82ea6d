"""Running of submitted systems in bubblewrap: without network, gold or other systems, and with limits.

Only copies of the inputs and the system itself are mounted, read-only. Everything that can be written is in memory and
of a fixed size. Outputs leave through a pipe, as a tar file that is read like any untrusted archive.

Limits apply per process (setrlimit(2)), and the number of processes is limited per user, except for root. Therefore
each system that runs at a time has a separate unprivileged user, so that none can use up the processes of another. Time
limits apply to wall time and to the processor time of each process. The memory limit applies to the address space:
memfd_create(2), System V shared memory and pipes use memory that no process has mapped, so only the cgroup of the whole
server limits memory.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple

from levelhead.errors import Fault, InputError, quoted
from levelhead.task.archives import UnsafeArchive, unpack
from levelhead.task.description import MEGABYTE, SandboxLimits, SubmissionLimits
from levelhead.task.submissions import Interrupted

_CHUNK = 1 << 16
_SECONDS_TO_HAND_OVER = 60
_SECONDS_TO_END = 10
_MOST_OUTPUTS = 10_000
OF_THE_MACHINE = (Path("/usr"),)
"""Folders of the machine that every system can read."""

_PATH = "/usr/local/bin:/usr/bin:/bin"

_NOT_IN_TIME = "it did not end in time and was killed"
_LINKS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")

_STARTED = b"started\n"
"""The first bytes of output, written by the process that becomes the system: earlier failures are not its fault."""

# This shell is the first process of its namespace, so that the system cannot kill it.
# The system can start any processes; when it ends, or its time is over, all of them are killed. Only then its
# output is handed over, followed by its exit code and that of tar, so that no process is left that could write there.
# Its standard output and error are one pipe. If memory runs out, the kernel ends these processes first.
_SCRIPT = """
exec 3>&1 1>&2
echo 1000 > /proc/self/oom_score_adj
timeout -k 2 "$1" /bin/sh -c 'echo started >&3; exec /system/run /input /output 3>&-' < /dev/null
code=$?
kill -KILL -1 2> /dev/null
tar -C / -cf - output >&3
echo "ended $code $?" >&3
"""
_END = re.compile(rb"ended (\d{1,3}) [012]\n\Z")  # otherwise tar or the first process was killed, by nobody inside
_LONGEST_END = 16
_NUMBERS = re.compile(r"(\d+)-(\d+)", re.ASCII)
_MOST_USERS = 2**32 - 2


class SystemRun(NamedTuple):
    """The result of a run."""

    reason: str | None  # the error message for the participant
    log: bytes  # its beginning


def check_sandbox(limits: SandboxLimits, task: Path) -> None:
    """Check, with a system that does nothing, that systems can run, and that they cannot see the task."""
    for program, path in (("bwrap", None), ("prlimit", None), ("timeout", _PATH), ("tar", _PATH)):
        if shutil.which(program, path=path) is None:
            raise _no_sandbox(f"program {program} not found; on Debian: apt-get install bubblewrap util-linux tar")
    scratch = _scratch_parent(limits)
    for name, folder in (("the task", task), ("sandbox.scratch", scratch)):
        if any(folder.resolve().is_relative_to(path) for path in OF_THE_MACHINE):
            raise _no_sandbox(f"every system can read /usr: {name} must be in another folder")
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        for slot in range(len(users_of(limits))):
            _try_out(limits, slot, scratch)
    except OSError as error:
        raise _no_sandbox(f"cannot run a system in {scratch}: {error.strerror}; change sandbox.scratch") from error


def _try_out(limits: SandboxLimits, slot: int, scratch: Path) -> None:
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        system, inputs, outputs = (Path(name) / part for part in ("system", "input", "output"))
        Path(name).chmod(0o755)
        system.mkdir(mode=0o755)
        inputs.mkdir(mode=0o755)
        (system / "run").write_text("#!/bin/sh\n")
        (system / "run").chmod(0o755)
        try:
            run = run_system(system, inputs, outputs, limits, slot)
        except Interrupted as error:
            raise _no_sandbox(f"a test run in {scratch} failed: {error}") from error
    if run.reason is not None:
        raise _no_sandbox(f"a test run in {scratch} failed: {run.reason}: {_text(run.log)}")


def _no_sandbox(message: str) -> InputError:
    return InputError(Fault("no-sandbox", message))


def users_of(limits: SandboxLimits) -> list[int | None]:
    """Return the users that run systems, one for each system that runs at a time; None for the user of this process."""
    if os.geteuid() != 0:
        if limits.user:
            raise _no_sandbox("sandbox.user is set, but only root can run systems as another user: remove it")
        if limits.at_once > 1:
            raise _no_sandbox(
                f"sandbox.at_once is {limits.at_once}, and each concurrent system needs its own user, but only root"
                " can run systems as other users: set sandbox.at_once = 1, or run the server as root"
            )
        return [None]
    if not limits.user:
        raise _no_sandbox("the server runs as root: set sandbox.user to an unprivileged user that runs nothing else")
    users = [*dict.fromkeys(user for name in limits.user.split(",") for user in _numbers(name.strip(), limits.at_once))]
    if 0 in users:
        raise _no_sandbox("systems cannot run as root")
    if len(users) < limits.at_once:
        raise _no_sandbox(
            f"sandbox.at_once is {limits.at_once}, and each concurrent system needs its own user, but "
            f'sandbox.user names {len(users)}: name more, for example user = "61000-{60999 + limits.at_once}"'
        )
    return [*users[: limits.at_once]]


def _numbers(name: str, most: int) -> Sequence[int]:
    try:
        if numbers := _NUMBERS.fullmatch(name):
            first, last = map(int, numbers.groups())
        else:
            first = last = int(name) if name.isdecimal() else pwd.getpwnam(name).pw_uid
    except (KeyError, ValueError) as error:
        raise _no_sandbox(f"unknown user in sandbox.user: {quoted(name)}") from error
    if not first <= last <= _MOST_USERS:
        raise _no_sandbox(f"sandbox.user has a number or range that no user can have: {quoted(name)}")
    return range(first, min(last, first + most - 1) + 1)


def scratch_of(limits: SandboxLimits, task: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(task)).hexdigest()[:16]
    return _scratch_parent(limits) / f"levelhead-{os.geteuid()}-{digest}"


def _scratch_parent(limits: SandboxLimits) -> Path:
    return Path(limits.scratch or tempfile.gettempdir())


def run_system(system: Path, inputs: Path, outputs: Path, limits: SandboxLimits, slot: int = 0) -> SystemRun:
    outputs.mkdir()
    if not (system / "run").is_file():
        return SystemRun("no file `run` at the top of the archive", b"")
    (system / "run").chmod(0o755)
    with tempfile.TemporaryFile(dir=outputs.parent) as archive:
        command, user = _command(system, inputs, limits), users_of(limits)[slot]
        try:
            process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": os.defpath},
                user=user, group=user, extra_groups=None if user is None else [], start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise Interrupted(f"the sandbox could not be started: {error}") from error
        reason, log = _watch(process, archive, limits)
        code = _exit_code(process.returncode, archive, log, ended_by_us=reason is not None)
        return SystemRun(reason or _collect(archive, outputs, code, limits), log)


def _exit_code(code: int, archive: IO[bytes], log: bytes, *, ended_by_us: bool) -> int:
    """Return the exit code of a system, and remove it from the end of the archive."""
    archive.seek(0)
    if archive.read(len(_STARTED)) != _STARTED:
        raise Interrupted(f"the sandbox did not start the system (exit code {code}): {_text(log)}")
    start = max(archive.seek(0, os.SEEK_END) - _LONGEST_END, 0)
    archive.seek(start)
    end = _END.search(archive.read())
    if end is None:
        if not ended_by_us:
            raise Interrupted(f"the sandbox was killed (exit code {code})")
        return code
    archive.truncate(start + end.start())
    return int(end[1])


def _text(log: bytes) -> str:
    return log.decode("utf-8", "replace").strip()[:300]


def _command(system: Path, inputs: Path, limits: SandboxLimits) -> list[str]:
    size = str(limits.output_megabytes * MEGABYTE)
    memory = limits.memory_megabytes * MEGABYTE
    rlimits = {
        "cpu": limits.cpu_seconds, "as": memory, "nproc": limits.processes, "fsize": size, "core": 0, "nofile": 1024,
    }  # fmt: skip
    prlimit, bwrap = (shutil.which(program) or program for program in ("prlimit", "bwrap"))
    of_the_machine = (("--ro-bind", folder, folder) for folder in map(str, OF_THE_MACHINE))
    links = (("--symlink", f"usr/{name}", f"/{name}") for name in _LINKS if Path("/usr", name).exists())
    in_memory = (("--size", size, "--tmpfs", path) for path in ("/dev/shm", "/tmp", "/output"))  # noqa: S108 -- inside
    return [
        prlimit, *(f"--{name}={value}" for name, value in rlimits.items()), "--", bwrap,
        *"--unshare-all --as-pid-1 --unshare-user --disable-userns --uid 65534 --gid 65534 --cap-drop ALL".split(),
        *"--clearenv --new-session --die-with-parent --hostname sandbox".split(),
        *("--setenv", "PATH", _PATH, "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8"),  # noqa: S108
        *chain.from_iterable((*of_the_machine, *links)),
        *"--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache".split(),
        *("--proc", "/proc", "--dev", "/dev"),
        *chain.from_iterable(in_memory),
        *("--ro-bind", str(system), "/system", "--ro-bind", str(inputs), "/input"),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/system"),
        *("--", "/bin/sh", "-c", _SCRIPT, "sh", str(limits.seconds)),
    ]  # fmt: skip


def _watch(process: subprocess.Popen[bytes], archive: IO[bytes], limits: SandboxLimits) -> tuple[str | None, bytes]:
    """Copy the output of a sandbox to a file until it ends or exceeds limits; return the error or None, and the log."""
    output, errors = process.stdout, process.stderr
    assert output is not None
    assert errors is not None
    deadline = time.monotonic() + limits.seconds + _SECONDS_TO_HAND_OVER
    most = limits.output_megabytes * MEGABYTE + 2048 * _MOST_OUTPUTS
    reason = None
    log = b""
    size = 0
    with output, errors, selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        selector.register(errors, selectors.EVENT_READ)
        while reason is None and selector.get_map():
            for key, _ in selector.select(timeout=max(0.0, deadline - time.monotonic())):
                part = os.read(key.fd, _CHUNK)
                if not part:
                    selector.unregister(key.fileobj)
                elif key.fileobj is errors:
                    log = (log + part)[: limits.log_kilobytes * 1024]
                else:
                    size += archive.write(part)
            if size > most:
                reason = "its output is larger than allowed"
            elif time.monotonic() > deadline:
                reason = _NOT_IN_TIME
        if reason is not None:
            _kill(process)
        try:
            process.wait(_SECONDS_TO_END)  # both pipes are closed: it ends by itself, or never
        except subprocess.TimeoutExpired:
            reason = _NOT_IN_TIME
            _kill(process)
            process.wait()
    return reason, log


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill bubblewrap, which ends all processes inside."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _collect(archive: IO[bytes], outputs: Path, code: int, limits: SandboxLimits) -> str | None:
    allowed = SubmissionLimits(unpacked_megabytes=limits.output_megabytes, files=_MOST_OUTPUTS)
    with (
        tempfile.TemporaryDirectory(dir=outputs.parent, ignore_cleanup_errors=True) as folder,
        tempfile.NamedTemporaryFile(dir=outputs.parent) as copy,
    ):
        archive.seek(len(_STARTED))
        shutil.copyfileobj(archive, copy)
        if not copy.tell():
            return "the sandbox returned no output"
        copy.flush()
        try:
            unpack(Path(copy.name), Path(folder), allowed)
        except UnsafeArchive as error:
            return f"its output is refused: {error.message}"
        if Path(folder, "output").is_dir():
            outputs.rmdir()
            Path(folder, "output").rename(outputs)
    if code in {124, 137}:
        return f"it was killed: it exceeded {limits.seconds} seconds, or the limit of processor time or memory"
    if code in {126, 127}:
        return f"its file `run` cannot be executed (exit code {code})"
    return f"it ended with exit code {code}" if code else None
