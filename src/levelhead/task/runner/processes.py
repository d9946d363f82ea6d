"""Child processes that end with their parent, however it ends."""

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
    """Run a program that calls `end_with_parent`; its standard error is kept, its output is not.

    To Linux the parent is the thread that calls this, which waits here for the end of the program.

    Args:
        command: the program and its arguments.
        seconds: how long it may take; it is killed then.

    Raises:
        subprocess.TimeoutExpired: it took longer.
    """
    its, mine = os.pipe()  # nobody else has an end of it: it is closed when this process is gone
    try:
        return subprocess.run(  # noqa: S603
            command, stdin=its, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=seconds
        )
    finally:
        os.close(its)
        os.close(mine)


def end_with_parent() -> None:
    """End this process when its standard input ends, or, on Linux, is killed with the one that started it.

    The kernel's signal comes even in the middle of a long computation; the end of standard input also comes if that
    process was gone before this one asked for the signal.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    while os.read(0, 1 << 16):
        pass
    os._exit(1)
