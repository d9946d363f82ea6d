"""Runs other programs, without a shell."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from levelhead.errors import Fault, InputError, quoted, reason_of

_LONGEST_WAIT = 0.1  # seconds; a pool kills workers that do not end within half a second, and their programs would stay
MOST_SHOWN = 800  # the number of characters of its output that are shown if a program fails


@contextmanager
def temporary_folder(**files: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="levelhead-") as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        yield Path(folder)


def filled(command: str, paths: Mapping[str, Path]) -> list[str]:
    """Return the words of a command, with placeholders such as {train} and {model} replaced by paths."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(Fault("invalid-command", f"{quoted(command)}: a quotation mark is not closed")) from error
    missing = [name for name in paths if not any(f"{{{name}}}" in word for word in words)]
    if missing or not words:
        message = f"{quoted(command)} lacks {{{missing[0]}}}" if missing else "the command is empty"
        raise InputError(Fault("invalid-command", message))
    for name, path in paths.items():
        words = [word.replace(f"{{{name}}}", str(path)) for word in words]
    return words


def run_program(words: Sequence[str], folder: Path | None = None) -> None:
    """Run a program to its end in a folder; its output is only shown if it fails."""
    if shutil.which(words[0]) is None:
        raise InputError(Fault("parser-failed", f"program not found: {words[0]}"))
    try:
        done = run_to_end(words, cwd=folder)
    except OSError as error:
        raise InputError(Fault("parser-failed", f"{words[0]} cannot be run: {reason_of(error)}")) from error
    if done.returncode:
        output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-MOST_SHOWN:]
        raise InputError(Fault("parser-failed", f"{words[0]} ended with exit code {done.returncode}: {output}"))


def run_to_end(words: Sequence[str], **settings: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end, or kill it if this process is interrupted, even while the program starts."""
    pipe = subprocess.PIPE
    with (
        _held_interrupts() as release,
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, **settings) as process,  # noqa: S603
    ):
        try:
            release()
            while True:  # signals that come right before a wait begins are noticed when it is over
                with suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(timeout=_LONGEST_WAIT)
                    break
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


@contextmanager
def _held_interrupts() -> Iterator[Callable[[], None]]:
    """Hold signals that raise errors until the yielded function is called: `Popen` would lose the program it starts."""
    held: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():  # the only thread that is interrupted
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        handlers = {number: handler for number, handler in handlers.items() if callable(handler)}

    def release() -> None:
        while handlers:
            signal.signal(*handlers.popitem())
        while held:
            signal.raise_signal(held.pop())

    try:
        for number in handlers:
            signal.signal(number, lambda number, _: held.append(number))
        yield release
    finally:
        release()


def written_file(path: Path, program: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            Fault("parser-failed", f"{program} succeeded, but did not write the file {path.name}")
        ) from error
