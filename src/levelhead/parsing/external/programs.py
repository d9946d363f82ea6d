"""Runs other programs, without a shell."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from levelhead.errors import Fault, InputError

_TAIL = 800  # the number of characters of its output that are shown if a program fails


def filled(command: str, paths: Mapping[str, Path]) -> list[str]:
    """Return the words of a command, with placeholders such as {train} and {model} replaced by paths."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(Fault("invalid-command", f"{command}: {error}")) from error
    missing = [name for name in paths if not any(f"{{{name}}}" in word for word in words)]
    if missing or not words:
        message = f"{command!r} lacks {{{missing[0]}}}" if missing else "the command is empty"
        raise InputError(Fault("invalid-command", message))
    for name, path in paths.items():
        words = [word.replace(f"{{{name}}}", str(path)) for word in words]
    return words


def run_program(words: Sequence[str], folder: Path | None = None) -> None:
    """Run a program and wait for it."""
    if shutil.which(words[0]) is None:
        raise InputError(Fault("parser-failed", f"program not found: {words[0]}"))
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    except OSError as error:
        raise InputError(Fault("parser-failed", f"{words[0]} cannot be run: {error.strerror}")) from error
    if done.returncode:
        output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-_TAIL:]
        raise InputError(Fault("parser-failed", f"{words[0]} ended with exit code {done.returncode}: {output}"))


def written_file(path: Path, program: str) -> bytes:
    """Return the contents of the file that a program should have written."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            Fault("parser-failed", f"{program} succeeded, but did not write the file {path.name}")
        ) from error
