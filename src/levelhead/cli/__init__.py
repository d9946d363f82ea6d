"""The command line: one short file per command, which parses arguments, calls one public function and prints."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line and exit: 0 success, 1 a gate failed, 2 invalid input, 3 internal error, 130 interrupted."""
    gc.set_threshold(100_000)  # imports create objects but no garbage: collection took a fifteenth of `score`
    sys.setswitchinterval(0.001)  # seconds: the threads that read files often wait for each other
    try:
        if not {"-h", "--help"} & {*sys.argv} and sys.argv[1:2] not in ([], ["--version"]):
            from levelhead.cli.libraries import load_libraries

            load_libraries()
        from levelhead.cli.program import main as run

        run()
    except KeyboardInterrupt:  # while modules are loaded, which takes tenths of a second; later, `run` says so
        sys.stderr.write("interrupted\n")
        sys.exit(130)
