"""The command in a process of its own."""

import os
import subprocess
import sys


def levelhead(*arguments: object, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "levelhead", *map(os.fspath, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **settings)
