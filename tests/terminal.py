"""Terminals and a stand-in for them."""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_RUN_ALL = """
import json, sys
from levelhead.cli import program
for arguments in json.load(sys.stdin):
    code = program.run(arguments)
    print(f"{chr(0x1d)}{code}", end=chr(0x1e), flush=True)
"""


class Terminal:
    """Keeps what is written to it."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


def on_terminal(*arguments: str, folder: Path | None = None, width: int = 0, **environment: str) -> str:
    """Run levelhead with a terminal as standard output and standard error, and return what it shows."""
    return _shown(["-m", "levelhead", *arguments], "", folder, width, environment)


def all_on_terminal(
    commands: Sequence[Sequence[str]], folder: Path, width: int, **environment: str
) -> list[tuple[int, str]]:
    """Run commands in one process with a terminal, and return the exit code of each and what it shows."""
    *parts, rest = _shown(["-c", _RUN_ALL], json.dumps(commands), folder, width, environment).split("\x1e")
    assert rest == ""
    return [(int(code), text) for text, code in (part.split("\x1d") for part in parts)]


def _shown(arguments: list[str], given: str, folder: Path | None, width: int, environment: dict[str, str]) -> str:
    """Run Python with a terminal of this width, 0 if it does not tell; standard input is text."""
    import fcntl  # not on Windows
    import pty
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 50 if width else 0, width, 0, 0))
    surroundings = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "COLUMNS"}}
    surroundings |= {"TERM": "xterm"} | environment
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=child, stderr=child, env=surroundings, cwd=folder
    ) as process:
        os.close(child)
        assert process.stdin is not None
        process.stdin.write(given.encode())
        process.stdin.close()
        shown = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:  # the terminal is closed
                break
            if not part:
                break
            shown += part
    assert process.returncode == 0
    os.close(parent)
    return shown.decode().replace("\r\n", "\n")
