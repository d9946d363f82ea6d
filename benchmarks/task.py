"""A task under load: many teams upload large archives at the same time; how long that takes, in how much memory.

python benchmarks/task.py [--teams 50] [--megabytes 10]

Prints a row of a Markdown table. Everything is on this machine (loopback), clients too; the archives are folders of
outputs of the examples with random bytes beside them, so that they cannot be compressed.
"""

import argparse
import concurrent.futures
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.folders import create_task
from levelhead.task.submissions import new_token

EXAMPLES = Path(__file__).parent.parent / "examples" / "parallel"
MEGABYTE = 1 << 20


def main() -> None:
    """Make a task, serve it, and let all teams upload at once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teams", type=int, default=50)
    parser.add_argument("--megabytes", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "task"
        create_task(folder, EXAMPLES / "gold")
        path = folder / "task.toml"
        path.write_text(path.read_text().replace('kinds = ["outputs", "system"]', 'kinds = ["outputs"]'))
        with Database(TaskFolder(folder).database) as database:
            tokens = [new_token(database, f"team {i}") for i in range(arguments.teams)]
        command = [sys.executable, "-m", "levelhead", "task", "serve", str(folder), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                measure(server, server.stdout.readline().strip(), tokens, arguments.megabytes)
            finally:
                server.kill()


def measure(server: subprocess.Popen[str], address: str, tokens: list[str], megabytes: int) -> None:
    """Upload, ask for the first page meanwhile, and wait until everything is finished."""
    data = archive(megabytes)
    pages: list[float] = []
    idle, stop = memory(server.pid), threading.Event()
    watcher = threading.Thread(target=browse, args=(address, pages, stop))
    watcher.start()
    started = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(len(tokens)) as pool:
        times = list(pool.map(lambda token: upload(address, token, data), tokens))
    uploaded = time.perf_counter() - started
    stop.set()
    watcher.join()
    peak = memory(server.pid)
    while any(one["state"] != "finished" for token in tokens for one in ask(address, "/submissions", token)):
        time.sleep(0.5)
    done = time.perf_counter() - started
    print("| uploads | MB each | all uploaded s | MB/s | upload p50 / max s | a page meanwhile p50 / p95 ms | server MB"
          " before / peak | all scored s |\n|" + " ---: |" * 8)  # fmt: skip
    milliseconds, size = sorted(1000 * one for one in pages), len(data) / MEGABYTE
    print(
        f"| {len(tokens)} | {size:.0f} | {uploaded:.1f} | {len(tokens) * size / uploaded:.0f} |"
        f" {statistics.median(times):.1f} / {max(times):.1f} |"
        f" {statistics.median(pages) * 1000:.0f} / {milliseconds[int(0.95 * len(milliseconds))]:.0f} |"
        f" {idle[0]} / {peak[1]} | {done:.0f} |"
    )


def archive(megabytes: int) -> bytes:
    """Outputs of a system of the examples, and random bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for path in sorted((EXAMPLES / "systems" / "alpha").iterdir()):
            tar.add(path, path.name)
        info = tarfile.TarInfo("random")
        info.size = megabytes * MEGABYTE
        tar.addfile(info, io.BytesIO(os.urandom(info.size)))
    return buffer.getvalue()


def ask(address: str, path: str, token: str, data: bytes | None = None) -> Any:
    """Return the answer of a request of the interface."""
    request = urllib.request.Request(f"{address}/api/v1{path}", data, {"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.loads(answer.read())


def upload(address: str, token: str, data: bytes) -> float:
    """Submit; return how long it took until it was accepted."""
    started = time.perf_counter()
    ask(address, "/submissions?kind=outputs", token, data)
    return time.perf_counter() - started


def browse(address: str, times: list[float], stop: threading.Event) -> None:
    """Ask for the first page again and again."""
    while not stop.is_set():
        started = time.perf_counter()
        with urllib.request.urlopen(address, timeout=600) as answer:
            answer.read()
        times.append(time.perf_counter() - started)
        stop.wait(0.05)


def memory(pid: int) -> tuple[int, int]:
    """The memory of a process in MB: now, and at its highest."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return tuple(int(lines[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM"))


if __name__ == "__main__":
    main()
