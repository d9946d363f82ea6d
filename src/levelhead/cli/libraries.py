"""Shared libraries needed by most commands, loaded while Python loads click and the options."""

from __future__ import annotations

import os
import sys
import threading
from importlib.machinery import EXTENSION_SUFFIXES

from levelhead.kernels.memory import load_library, reserve_memory

_MODULES = ("numpy/_core/_multiarray_umath", "_hashlib")
"""The compiled modules that take long to load: numpy with its linear algebra, SHA-256 with OpenSSL."""


def load_libraries() -> None:
    """Reserve memory, and start a thread that loads the libraries, so that imports find them loaded."""
    reserve_memory(1 << 25)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # levelhead multiplies no matrices: start no threads for it
    threading.Thread(target=_load).start()


def _load() -> None:
    for module in _MODULES:
        paths = (f"{folder}/{module}{EXTENSION_SUFFIXES[0]}" for folder in sys.path)
        path = next(filter(os.path.isfile, paths), None)
        if path is not None:
            load_library(os.fsencode(path))
