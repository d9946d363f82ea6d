"""The command line: each command parses arguments, calls one public function and prints."""

from __future__ import annotations

import gc
import os
import sys
import threading
from importlib.machinery import EXTENSION_SUFFIXES
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run levelhead and exit: 0 success, 1 quality gate failed, 2 invalid input, 3 internal error, 130 interrupted."""
    gc.set_threshold(100_000)  # imports create objects but no garbage: collection took a fifteenth of `score`
    sys.setswitchinterval(0.001)  # seconds: the threads that read files often wait for each other
    try:
        if not {"-h", "--help"} & {*sys.argv} and sys.argv[1:2] not in ([], ["--version"]):
            load_libraries()
        from levelhead.cli.program import main as run

        run()
    except KeyboardInterrupt:  # while modules are loaded, which takes tenths of a second; later, `run` says so
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def load_libraries() -> None:
    """Reserve memory, and start a thread that loads shared libraries while Python loads click and the options."""
    from levelhead.kernels.memory import load_library, reserve_memory

    def load() -> None:
        # these take long to load: numpy with its linear algebra, SHA-256 with OpenSSL
        for module in ("numpy/_core/_multiarray_umath", "_hashlib"):
            paths = (f"{folder}/{module}{EXTENSION_SUFFIXES[0]}" for folder in sys.path)
            path = next(filter(os.path.isfile, paths), None)
            if path is not None:
                load_library(os.fsencode(path))

    reserve_memory(1 << 25)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # levelhead multiplies no matrices: start no threads for it
    threading.Thread(target=load).start()
