"""Running the command: in this process, or in one of its own."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

from levelhead.cli import program


def levelhead(*arguments: object, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, which takes a tenth of the time; with settings, in a process of its own.

    Args:
        arguments: what follows `levelhead`.
        settings: arguments of `subprocess.run`.
    """
    command = ["levelhead", *map(os.fsdecode, map(os.fspath, arguments))]
    if settings:
        return subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, encoding="utf-8", check=False, **settings
        )
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = program.run(command[1:])
    return subprocess.CompletedProcess(command, code, *(stream.buffer.getvalue().decode() for stream in (out, err)))
