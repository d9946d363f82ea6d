"""Run a submitted system in bubblewrap: without network, gold or neighbours, and with limits.

Nothing of the task is mounted but copies of the inputs and the system itself, read-only. Whatever can be written is
in memory and of a fixed size. Outputs leave through a pipe, as a tar file that is read like any stranger's archive.

The limits of processes are per process (setrlimit(2)), and the number of processes is that of a user, which is not
counted for root: hence a user of its own. Times are of the clock and of each process. The limit of memory is that of
the address space: memfd_create(2), System V shared memory and pipes hold memory that no process has mapped, so only the
cgroup of the whole server limits memory.
"""

from __future__ import annotations

import os
import pwd
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, NamedTuple

from levelhead.errors import Fault, InputError
from levelhead.service.archives import ArchiveLimits, UnsafeArchive, unpack
from levelhead.service.description import MEGABYTE, Sandbox

_CHUNK = 1 << 16
_SECONDS_TO_HAND_OVER = 60
_SECONDS_TO_END = 10
_MOST_OUTPUTS = 10_000
OF_THE_MACHINE = (Path("/usr"),)
"""Folders of the machine that every system can read."""

_LINKS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")

# The system may start what it likes; once it has ended, or its time is over, all of that is killed (which spares only
# this shell and the first process), and then what it wrote is handed over. Its standard output and error are one pipe.
# Where memory runs out, the kernel ends these processes first.
_SCRIPT = """
exec 3>&1 1>&2
echo 1000 > /proc/self/oom_score_adj
timeout -k 2 "$1" /system/run /input /output < /dev/null 3>&-
echo "$?" > /status/code
kill -KILL -1 2> /dev/null
exec tar -C / -cf - output status >&3
"""


class Run(NamedTuple):
    """What came of a run.

    Args:
        reason: what went wrong, for the participant; None if nothing did.
        log: the beginning of what the system printed.
        seconds: how long it took.
    """

    reason: str | None
    log: bytes
    seconds: float


def check_sandbox(limits: Sandbox, task: Path) -> None:
    """Make sure that systems can be run at all, by running one that does nothing, and that they cannot see the task.

    Args:
        limits: of the sandbox.
        task: the folder of the task.

    Raises:
        InputError: they cannot.
    """
    for program in ("bwrap", "prlimit", "timeout", "tar"):
        if shutil.which(program) is None:
            raise _no_sandbox(f"there is no program {program}; on Debian: apt-get install bubblewrap util-linux tar")
    if any(task.resolve().is_relative_to(path.resolve()) for path in OF_THE_MACHINE):
        raise _no_sandbox(f"every system can read {' and '.join(map(str, OF_THE_MACHINE))}: the task must not be there")
    with tempfile.TemporaryDirectory() as name:
        system, inputs, outputs = (Path(name) / part for part in ("system", "input", "output"))
        Path(name).chmod(0o755)
        system.mkdir(mode=0o755)
        inputs.mkdir(mode=0o755)
        (system / "run").write_text("#!/bin/sh\n")
        (system / "run").chmod(0o755)
        run = run_system(system, inputs, outputs, limits)
    if run.reason is not None:
        raise _no_sandbox(f"a trial failed: {run.reason}: {run.log.decode('utf-8', 'replace').strip()[:300]}")


def _no_sandbox(message: str) -> InputError:
    return InputError(Fault("no-sandbox", message))


def user_of(limits: Sandbox) -> int | None:
    """Return the number of the user that systems run as; None for this process's own.

    Args:
        limits: of the sandbox.

    Raises:
        InputError: there is no such user, or root is to run systems, or only root could run them as that user.
    """
    if os.geteuid() != 0:
        if limits.user:
            raise _no_sandbox("sandbox.user is set, but only root can run systems as another user: leave it out")
        return None
    if not limits.user:
        raise _no_sandbox("the server runs as root: name an unprivileged user of its own as sandbox.user")
    try:
        number = int(limits.user) if limits.user.isdecimal() else pwd.getpwnam(limits.user).pw_uid
    except KeyError as error:
        raise _no_sandbox(f"there is no user {limits.user}") from error
    if number == 0:
        raise _no_sandbox("systems cannot run as root")
    return number


def scratch_of(limits: Sandbox, task: Path) -> Path:
    """Return the folder in which a task's systems are unpacked to run; it is for this task only.

    Args:
        limits: of the sandbox.
        task: the folder of the task.
    """
    import hashlib

    digest = hashlib.sha256(os.fsencode(task)).hexdigest()[:16]
    return Path(limits.scratch or tempfile.gettempdir()) / f"levelhead-{os.geteuid()}-{digest}"


def run_system(system: Path, inputs: Path, outputs: Path, limits: Sandbox) -> Run:
    """Run a system, and unpack what it wrote into a new folder.

    Args:
        system: a folder with a program `run`, readable for the sandbox's user.
        inputs: the folder of inputs, likewise.
        outputs: the folder to make; empty if nothing came out.
        limits: of the sandbox.

    Raises:
        InputError: the sandbox cannot be had.
        OSError: a file of ours cannot be written.
    """
    outputs.mkdir()
    if not (system / "run").is_file():
        return Run("it has no file `run` at its top", b"", 0.0)
    (system / "run").chmod(0o755)
    user = user_of(limits)
    started = time.monotonic()
    with tempfile.TemporaryFile(dir=outputs.parent) as archive:
        process = subprocess.Popen(  # noqa: S603
            _command(system, inputs, limits),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": os.defpath},
            user=user, group=user, extra_groups=None if user is None else [], start_new_session=True,
        )  # fmt: skip
        reason, log = _watch(process, archive, limits)
        seconds = time.monotonic() - started
        return Run(reason or _collect(archive, outputs, limits), log, seconds)


def _command(system: Path, inputs: Path, limits: Sandbox) -> list[str]:
    size = str(limits.output_megabytes * MEGABYTE)
    memory = limits.memory_megabytes * MEGABYTE
    rlimits = {
        "cpu": limits.cpu_seconds, "as": memory, "nproc": limits.processes, "fsize": size, "core": 0, "nofile": 1024,
    }  # fmt: skip
    command = ["prlimit", *(f"--{name}={value}" for name, value in rlimits.items()), "--", "bwrap"]
    command += "--unshare-all --unshare-user --disable-userns --uid 65534 --gid 65534 --cap-drop ALL".split()
    command += "--clearenv --new-session --die-with-parent --hostname sandbox".split()
    for name, value in (("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/tmp"), ("LANG", "C.UTF-8")):  # noqa: S108
        command += ["--setenv", name, value]
    for folder in map(str, OF_THE_MACHINE):
        command += ["--ro-bind", folder, folder]
    for name in _LINKS:
        command += ["--symlink", f"usr/{name}", f"/{name}"] if Path("/usr", name).exists() else []
    command += (
        "--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache".split()
    )
    command += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/dev/shm", "/tmp", "/output"):  # noqa: S108 -- inside
        command += ["--size", size, "--tmpfs", path]
    command += ["--size", "65536", "--tmpfs", "/status"]
    command += ["--ro-bind", str(system), "/system", "--ro-bind", str(inputs), "/input"]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/system"]
    return [*command, "--", "/bin/sh", "-c", _SCRIPT, "sh", str(limits.seconds)]


def _watch(process: subprocess.Popen[bytes], archive: IO[bytes], limits: Sandbox) -> tuple[str | None, bytes]:
    """Take what comes out of a sandbox until it ends; kill it if it takes too long or hands over too much."""
    assert process.stdout is not None
    assert process.stderr is not None
    deadline = time.monotonic() + limits.seconds + _SECONDS_TO_HAND_OVER
    most = limits.output_megabytes * MEGABYTE + 2048 * _MOST_OUTPUTS
    reason, log, size = None, b"", 0
    with selectors.DefaultSelector() as selector, process.stdout, process.stderr:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ)
        while selector.get_map() and reason is None:
            for key, _ in selector.select(timeout=max(0.0, deadline - time.monotonic())):
                part = os.read(key.fd, _CHUNK)
                if not part:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    log = (log + part)[: limits.log_kilobytes * 1024]
                else:
                    size += archive.write(part)
            if size > most:
                reason = "it handed over more than allowed"
            elif time.monotonic() > deadline:
                reason = "it did not end in time, and was killed"
        if reason is not None:
            _kill(process)
        try:
            process.wait(_SECONDS_TO_END)  # both pipes are closed: it ends by itself, or not at all
        except subprocess.TimeoutExpired:
            _kill(process)
            process.wait()
    return reason, log


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill bubblewrap; its end is that of all processes inside."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _collect(archive: IO[bytes], outputs: Path, limits: Sandbox) -> str | None:
    """Unpack what a sandbox handed over; return what is wrong with the run, if anything."""
    handed = outputs.with_name(f"{outputs.name}.handed-over")
    if not archive.tell():
        return "nothing came out of the sandbox"
    handed.mkdir()
    allowed = ArchiveLimits(limits.output_megabytes * MEGABYTE + 65536, _MOST_OUTPUTS)
    try:
        with tempfile.NamedTemporaryFile(dir=outputs.parent) as copy:
            archive.seek(0)
            shutil.copyfileobj(archive, copy)
            copy.flush()
            unpack(Path(copy.name), handed, allowed)
        if (handed / "output").is_dir():
            outputs.rmdir()
            (handed / "output").rename(outputs)
        return _meaning(handed / "status" / "code", limits)
    except UnsafeArchive as error:
        return f"what it wrote cannot be taken: {error.message}"
    finally:
        shutil.rmtree(handed, ignore_errors=True)


def _meaning(path: Path, limits: Sandbox) -> str | None:
    """Say what the exit code of a system means; the file comes from the sandbox and may say anything."""
    code = path.read_bytes()[:8].decode("ascii", "replace").strip() if path.is_file() else ""
    if code == "0":
        return None
    if code in {"124", "137"}:
        return f"it was killed: it may run for {limits.seconds} seconds, and compute and use memory within its limits"
    if code in {"126", "127"}:
        return f"its file `run` cannot be executed (exit code {code})"
    return f"it ended with exit code {int(code)}" if code.isdecimal() else "it ended in disorder"
