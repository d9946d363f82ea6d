"""The command line: one short file a verb, which parses arguments, calls one public function and prints."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 a gate not met, 2 bad input, 3 our own fault, 130 interrupted."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage: looking for it took a fifteenth of `score`
    sys.setswitchinterval(0.001)  # seconds: threads that read files wait for one another many times
    try:
        if not {"-h", "--help"} & {*sys.argv} and sys.argv[1:2] not in ([], ["--version"]):
            from levelhead.cli.libraries import load_libraries

            load_libraries()
        from levelhead.cli.program import main as run

        run()
    except KeyboardInterrupt:  # while modules are loaded, which takes tenths of a second; later, `run` says so
        sys.stderr.write("interrupted\n")
        sys.exit(130)
