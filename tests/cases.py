"""Running the command on a case: what is run in a folder, and what must come of it."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.cli import program

GOLD = (EXAMPLES / "parallel/gold/en.conllu").read_bytes()
SYSTEM = (EXAMPLES / "parallel/systems/alpha/en.conllu").read_bytes()
SCORE = ["score", "-m", "LAS", "gold.conllu", "system.conllu"]
ONE = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
COMMAND = [sys.executable, "-m", "levelhead"]
GIVE_UP_RIGHTS = """
import ctypes, os, sys
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24  # takes effect in the program that is started next
if not os.geteuid():
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
            sys.exit("cannot give up the rights of root")
os.execv(sys.executable, [sys.executable, "-m", "levelhead", *sys.argv[1:]])
"""
LISTEN_TO_SIGNALS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # which is ignored where the tests run in the background of a shell
os.execv(sys.executable, [sys.executable, "-m", "levelhead", *sys.argv[1:]])
"""
LISTENING = [sys.executable, "-c", LISTEN_TO_SIGNALS]
"""The command, interrupted as one in the foreground is."""
AS_ANYONE = [sys.executable, "-c", GIVE_UP_RIGHTS]
"""The command, without root's right to open everything."""


@dataclass
class Case:
    """A command and its outcome.

    Args:
        run: what follows `levelhead`, or a line for the shell, in which $L is the command.
        code: the exit code expected.
        says: what is in standard error.
        prints: what is in standard output.
        writes: the files that may be new or other afterwards.
        command: the command itself.
        environment: more variables.
        meanwhile: what to do while the process runs.
    """

    run: list[str | bytes] | str
    code: int
    says: str = ""
    prints: str = ""
    writes: tuple[str, ...] = ()
    command: list[str] = field(default_factory=lambda: COMMAND)
    environment: dict[str, str] = field(default_factory=dict)
    meanwhile: Callable[[subprocess.Popen[bytes]], None] | None = None

    @property
    def needs_a_process(self) -> bool:
        """Whether the case is about the process itself: its streams, rights, environment, signals."""
        return isinstance(self.run, str) or self.command is not COMMAND or bool(self.environment or self.meanwhile)


def contents(folder: Path) -> dict[str, bytes]:
    """What is in the files of a folder and where its links lead."""
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        found[name] = (
            os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        )
    return found


def waited_for(pipe: Path, process: subprocess.Popen[bytes]) -> IO[bytes]:
    """Open a named pipe for writing as soon as the process has opened it for reading."""
    for _ in range(30_000):
        with contextlib.suppress(OSError):  # nobody reads yet
            return os.fdopen(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "wb")
        assert process.poll() is None, "the process has ended without reading"
        time.sleep(0.01)
    raise TimeoutError


def same_but(before: dict[str, bytes], after: dict[str, bytes], names: tuple[str, ...]) -> bool:
    return {**after, **dict.fromkeys(names)} == {**before, **dict.fromkeys(names)}


@dataclass
class Outcome:
    """What became of a case."""

    code: int
    printed: str
    said: str


def run_here(wanted: Case, folder: Path, streams: pytest.CaptureFixture[bytes]) -> Outcome:
    """Run a command in this process, which takes a tenth of the time."""
    with contextlib.chdir(folder):
        code = program.run([os.fsdecode(argument) for argument in wanted.run])
    return Outcome(code, *(text.decode() for text in streams.readouterr()))


def run_outside(wanted: Case, folder: Path) -> Outcome:
    """Run a command in a process of its own."""
    source = str(Path(levelhead.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, "L": " ".join(COMMAND), **wanted.environment}
    command = ["bash", "-c", wanted.run] if isinstance(wanted.run, str) else [*wanted.command, *wanted.run]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            if wanted.meanwhile:
                wanted.meanwhile(process)
            printed, said = (stream.decode() for stream in process.communicate(timeout=300))
        finally:
            process.kill()
    return Outcome(process.returncode, printed, said)


def check(wanted: Case, outcome: Outcome) -> None:
    assert outcome.code == wanted.code, outcome.said
    assert wanted.says in outcome.said
    assert wanted.prints in outcome.printed
    assert bool(outcome.said) == bool(wanted.says)
    assert "Traceback" not in outcome.said
    assert outcome.said.replace("\n", "").isprintable()
    assert re.sub("[\n\t]", "", outcome.printed).isprintable()


Make = Callable[[Path], Case]
"""Sets up a folder in which `gold.conllu` and `system.conllu` are, and says what is run there and what is expected."""


class Cases(dict[str, Make]):
    """Cases by their names."""

    def case(self, make: Make) -> Make:
        """Enter a case under the name of its function."""
        self[make.__name__.replace("_", " ")] = make
        return make

    def check(self, name: str, folder: Path, streams: pytest.CaptureFixture[bytes]) -> None:
        """Run a case: the exit code, what is said, what is printed, and that no other file is changed."""
        (folder / "gold.conllu").write_bytes(GOLD)
        (folder / "system.conllu").write_bytes(SYSTEM)
        wanted = self[name](folder)
        before = contents(folder)
        check(wanted, run_outside(wanted, folder) if wanted.needs_a_process else run_here(wanted, folder, streams))
        assert same_but(before, contents(folder), wanted.writes)
