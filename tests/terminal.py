"""Terminals and a stand-in for them."""

import os
import subprocess
import sys
from pathlib import Path


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


def on_terminal(*arguments: str, folder: Path | None = None, **environment: str) -> str:
    """Run levelhead with a terminal as standard output and standard error, and return what it shows."""
    import pty  # not on Windows

    parent, child = pty.openpty()
    surroundings = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    surroundings |= {"TERM": "xterm"} | environment
    command = [sys.executable, "-m", "levelhead", *arguments]
    with subprocess.Popen(command, stdout=child, stderr=child, env=surroundings, cwd=folder) as process:
        os.close(child)
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
