"""Child processes that always end with their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1  # prctl(2)


class Interrupted(Exception):
    """A sandbox or scorer was killed or could not be started; the organizer sees the message."""


def run_child(command: Sequence[str], seconds: int) -> subprocess.CompletedProcess[bytes]:
    """Run a program that calls `end_with_parent`; only its standard error is kept.

    For Linux, the parent is the calling thread, which waits here for the end of the program.
    """
    read_end, write_end = os.pipe()  # no other process has its write end, so it is closed when this process ends
    try:
        return subprocess.run(  # noqa: S603
            command, stdin=read_end, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=seconds
        )
    finally:
        os.close(read_end)
        os.close(write_end)


def end_with_parent() -> None:
    """End this process when its standard input ends, or (on Linux) when its parent is killed.

    The kernel's signal also interrupts long computations; the end of standard input also works if the parent ended
    before this process requested the signal.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    while os.read(0, 1 << 16):
        pass
    os._exit(1)
