"""Running another program, without a shell."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from levelhead.errors import Fault, InputError

_TAIL = 800  # characters of what a program said that are shown if it fails


def filled(command: str, paths: Mapping[str, Path]) -> list[str]:
    """Return the words of a command with {train}, {model}, {input}, {output} replaced by paths.

    Args:
        command: quoted as in a shell; there is no shell, so `>`, `|` and `$` mean nothing.
        paths: by the names of the places.

    Raises:
        InputError: the command is empty, not well quoted, or lacks a place.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(Fault("invalid-command", f"{command}: {error}")) from error
    lacking = [name for name in paths if not any(f"{{{name}}}" in word for word in words)]
    if lacking or not words:
        raise InputError(Fault("invalid-command", f"{command!r} lacks {{{lacking[0] if lacking else 'everything'}}}"))
    for name, path in paths.items():
        words = [word.replace(f"{{{name}}}", str(path)) for word in words]
    return words


def run_program(words: Sequence[str], folder: Path | None = None) -> None:
    """Run a program and wait for it.

    Args:
        words: the program and its arguments.
        folder: where to run it; None for where we are.

    Raises:
        InputError: the program is missing, or fails; with the end of its output.
    """
    if shutil.which(words[0]) is None:
        raise InputError(Fault("parser-failed", f"program not found: {words[0]}"))
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    except OSError as error:
        raise InputError(Fault("parser-failed", f"{words[0]} cannot be run: {error.strerror}")) from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-_TAIL:]
        raise InputError(Fault("parser-failed", f"{words[0]} ended with exit code {done.returncode}: {said}"))


def left_behind(path: Path, program: str) -> bytes:
    """Return the file that a program was to write.

    Raises:
        InputError: it did not.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            Fault("parser-failed", f"{program} succeeded, but did not write the file {path.name}")
        ) from error
