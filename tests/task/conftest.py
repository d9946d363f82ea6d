"""Fixtures for tests of shared tasks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from levelhead.task import scoring
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.submissions import Team, new_token, team_of_token
from task.task_server import scored_here


@pytest.fixture(scope="package", autouse=True)
def scorer_in_this_process() -> Iterator[None]:
    """Only servers, and tests of the scorer itself, start a process for each submission."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "run_child", scored_here)
        yield


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[TaskFolder, Database, Team]]:
    """A folder with a database, and a team."""
    folder = TaskFolder(tmp_path)
    folder.prepare()
    with Database(folder.database) as database:
        yield folder, database, team_of_token(database, new_token(database, "alpha"))
