"""A shared task with hidden gold: submissions, a queue, a sandbox, scores and a leaderboard."""

from levelhead.service.archives import UnsafeArchive, check_archive, unpack
from levelhead.service.closing import close
from levelhead.service.description import Sandbox, Task, read_task
from levelhead.service.export import export
from levelhead.service.folder import Folder
from levelhead.service.lifetime import Interrupted
from levelhead.service.preparation import init
from levelhead.service.sandbox import Run, run_system
from levelhead.service.standings import Board, final_results

__all__ = [
    "Board",
    "Folder",
    "Interrupted",
    "Run",
    "Sandbox",
    "Task",
    "UnsafeArchive",
    "check_archive",
    "close",
    "export",
    "final_results",
    "init",
    "read_task",
    "run_system",
    "unpack",
]
