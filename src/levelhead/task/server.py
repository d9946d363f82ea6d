"""Serving of a task: the web server in this process, the runner in another, which is restarted if it ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from levelhead.errors import Fault, InputError, Place
from levelhead.task.app import task_app
from levelhead.task.database import Database
from levelhead.task.description import SYSTEM, SharedTask, check_measures
from levelhead.task.gold_trees import check_inputs
from levelhead.task.sandbox import check_sandbox, scratch_of
from levelhead.task.scoring import ONE_PROCESS, ScoringWorkers

_SECONDS_BEFORE_RESTART = 1
_PROGRAM = "import sys; from levelhead.task.worker import main; main(sys.argv[1:])"
_CONNECTIONS = 800  # at a time; more would exceed the usual limit of 1024 open files per process


class _Runners:
    """Starts a runner, and restarts it whenever it ends."""

    def __init__(self, task: SharedTask, workers: ScoringWorkers) -> None:
        self._task, self._workers = task, workers
        self._stop = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the runner, and remove its folder of unpacked systems."""
        self._stop.set()
        if self._process is not None:
            self._process.kill()  # its work is started again next time
        self._thread.join()
        shutil.rmtree(scratch_of(self._task.sandbox, self._task.folder.path), ignore_errors=True)

    def _keep_running(self) -> None:
        while not self._stop.is_set():
            command = [sys.executable, "-c", _PROGRAM, str(self._task.folder.path), str(self._workers)]
            with subprocess.Popen(command, stdin=subprocess.PIPE) as self._process:  # noqa: S603
                if self._stop.is_set():
                    self._process.kill()
                self._process.wait()  # its standard input always ends with this process
            self._stop.wait(_SECONDS_BEFORE_RESTART)


def serve_task(task: SharedTask, *, host: str, port: int, workers: ScoringWorkers = ONE_PROCESS) -> None:
    workers.workers()  # refuses unusable clusters before anything starts
    folder = task.folder
    place = Place(str(task.folder.path))
    folder.check_state()
    folder.prepare()
    with ExitStack() as stack:
        lock = stack.enter_context((folder.state / "server.lock").open("w"))  # which ends with the process
        try:  # a second server would delete the uploads of this one
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(Fault("invalid-task", "the task is already being served", place)) from error
        try:  # from now on, connections to all addresses of the name wait until they are accepted
            known = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            addresses = dict.fromkeys((family, address) for family, _, _, _, address in known)
            sockets = [
                stack.enter_context(socket.create_server(address[:2], family=family)) for family, address in addresses
            ]
        except OSError as error:
            reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
            message = f"cannot listen on {host}:{port}: {reason}; choose another --port or --host"
            raise InputError(Fault("cannot-listen", message)) from error
        check_measures(task)
        check_inputs(task)
        if SYSTEM in task.about.kinds:
            check_sandbox(task.sandbox, folder.path)
        for path in folder.incoming.iterdir():
            path.unlink()
        database = stack.enter_context(Database(folder.database))
        database.check()
        runners = _Runners(task, workers)
        stack.callback(runners.stop)
        _Server(task_app(task, database), host, port, runners).run(sockets)


class _Server(uvicorn.Server):
    """Prints its addresses at the start, and stops the runner at the end."""

    def __init__(self, app: ASGIApp, host: str, port: int, runners: _Runners | None = None) -> None:
        config = uvicorn.Config(
            app, host=host, port=port, access_log=False, server_header=False, lifespan="off", log_level="warning",
            proxy_headers=False, timeout_keep_alive=10, limit_concurrency=_CONNECTIONS, backlog=256,
            timeout_graceful_shutdown=5, h11_max_incomplete_event_size=1 << 16, http="h11", ws="none",
        )  # fmt: skip
        super().__init__(config)
        self._runners = runners

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        for server in self.servers if self.started else ():
            for listening in server.sockets:
                host, port = listening.getsockname()[:2]
                print(f"http://{host}:{port}", flush=True)  # noqa: T201

    async def shutdown(self, sockets: Any = None) -> None:
        await super().shutdown(sockets)
        if self._runners is not None:
            self._runners.stop()  # here, since uvicorn then ends the process by the received signal
