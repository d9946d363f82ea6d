"""Runs of programs in the sandbox for tests: limits, results, and processes inside."""

import os
import re
import textwrap
from pathlib import Path

from levelhead.task.description import SandboxLimits
from levelhead.task.sandbox import run_system
from task.task_server import SANDBOX_USER

LIMITS = SandboxLimits(
    user=SANDBOX_USER,
    seconds=120,
    cpu_seconds=60,
    memory_megabytes=1000,
    processes=24,
    output_megabytes=8,
    log_kilobytes=4,
)
SHELL, PYTHON = "#!/bin/sh\n", "#!/usr/bin/python3\nimport os, sys\n"

BOMB = (
    PYTHON
    + """
while not os.path.exists("/input/stop"):
    try:
        os.fork()
    except OSError:
        pass
os.kill(os.getpid(), 9)
"""
)
"""Starts as many processes as it may, until its inputs tell it to stop."""


def run(place, program, limits=LIMITS, **files):
    """Run a program in the sandbox, and return its result, log and outputs."""
    (place / "system" / "run").write_text(textwrap.dedent(program))
    for name, data in files.items():
        (place / "system" / name).write_text(data)
    done = run_system(place / "system", place / "input", place / "output", limits)
    outputs = {
        str(p.relative_to(place / "output")): p.read_bytes() for p in (place / "output").rglob("*") if p.is_file()
    }
    return done, done.log.decode(), outputs


def first_inside():
    """The process id, outside the sandbox, of its first process."""
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            numbers = re.search(r"NSpid:(.*)", path.read_text())[1].split()
            number = int(path.parent.name)
            if numbers[1:] == ["1"] and parent(parent(number)) == os.getpid():
                return number
        except OSError:
            continue
    raise AssertionError


def parent(pid):
    """The id of the parent of a process."""
    return int(re.search(r"PPid:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1])
