"""The program leaves without taking Python apart, but only where nothing would be lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "levelhead"]

AT_START = {
    "nothing": "",
    "exit handler": "import atexit\natexit.register(lambda: print('handler ran'))\n",
    "thread": (
        "import threading\n"
        "main = threading.main_thread()\n"
        "threading.Thread(target=lambda: (main.join(), print('thread ended', flush=True))).start()\n"
    ),
    "tracer": "import sys\nsys.settrace(lambda *_: None)\n",
}
"""What a site does when Python starts, as coverage or a debugger would."""

PROBE = "class Probe:\n    def __del__(self, write=__import__('os').write):\n        write(1, b'taken apart\\n')\n\nprobe = Probe()\n"


def run(arguments: list[str], folder: Path, start: str = "", **options: object) -> subprocess.CompletedProcess:
    """Run the program with a module that Python loads first, which also tells whether Python is taken apart."""
    (folder / "sitecustomize.py").write_text(f"{start}{PROBE}", encoding="utf-8")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    options = {"capture_output": True, "text": True, **options}
    return subprocess.run(arguments, env=environment, check=False, timeout=300, **options)


def test_the_program_leaves_at_once(tmp_path: Path) -> None:
    """All is written, and Python is not taken apart."""
    result = run([*PROGRAM, "--version"], tmp_path)
    assert (result.returncode, result.stdout[:9]) == (0, "levelhead")
    assert "taken apart" not in result.stdout


@pytest.mark.parametrize(
    ("site", "said"), [("exit handler", "handler ran"), ("thread", "thread ended"), ("tracer", "")]
)
def test_whatever_waits_for_the_end_runs(site: str, said: str, tmp_path: Path) -> None:
    """Coverage saves its data, pools end, debuggers get control back."""
    result = run([*PROGRAM, "--version"], tmp_path, AT_START[site])
    assert result.returncode == 0
    assert said in result.stdout
    assert "taken apart" in result.stdout


def test_a_profiler_that_runs_the_program_prints_its_profile(tmp_path: Path) -> None:
    """The program is not alone in the process."""
    result = run([sys.executable, "-m", "cProfile", "-m", "levelhead", "--version"], tmp_path)
    assert "function calls" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["--version"], 0, ""),
        (["score", "missing.conllu", "missing.conllu"], 2, "missing.conllu: unreadable-file"),
        (["scor"], 2, "did you mean score"),
    ],
)
def test_exit_codes_and_errors_are_the_same(arguments: list[str], code: int, error: str, tmp_path: Path) -> None:
    """Leaving at once, and as Python does."""
    quick, slow = (run([*PROGRAM, *arguments], tmp_path, AT_START[site]) for site in ("nothing", "tracer"))
    assert (quick.returncode, slow.returncode) == (code, code)
    assert quick.stderr == slow.stderr
    assert error in quick.stderr


def test_a_closed_pipe_is_still_141(tmp_path: Path) -> None:
    """The reader of standard output left before the program wrote."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = run([*PROGRAM, "--help"], tmp_path, capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_still_an_error(tmp_path: Path) -> None:
    """What cannot be written is reported."""
    with Path("/dev/full").open("w") as full:
        result = run([*PROGRAM, "--help"], tmp_path, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 2
    assert "No space left" in result.stderr
