"""Where tests find real data, and what they share."""

import contextlib
import gc
import importlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from job_functions import SharedProcesses
from levelhead.cli import program
from levelhead.jobs import process_pool
from levelhead.jobs.process_pool import Processes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes are started: compile their modules only once
os.environ.pop("COLUMNS", None)  # tests that run side by side get a width, which texts would follow

for name, same in (("same-examples", True), ("new-examples", False)):  # scripts/full/properties draws new ones
    settings.register_profile(
        name,
        max_examples=12 if same else 60,
        deadline=None,
        derandomize=same,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
settings.load_profile("same-examples")

ROOT = Path(__file__).parent.parent
"""The repository."""


def library(name: str) -> ModuleType:
    """Import an optional library; without it the test is skipped, but never where CI runs."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)


def script(name: str) -> ModuleType:
    """Import a file of the folder `scripts`.

    Args:
        name: its path in the folder.
    """
    path = ROOT / "scripts" / name
    spec = importlib.util.spec_from_file_location(f"scripts_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLES = ROOT / "examples"


def one_in(every: int, cases: Sequence[Any], first: int = 0) -> Sequence[Any]:
    """One of so many cases from the first on; all of them where LEVELHEAD_EVERY is 1 (scripts/full/every)."""
    every = int(os.environ.get("LEVELHEAD_EVERY", every))
    return cases[first % every :: every]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real treebanks and official results; without it the test is skipped, but never where CI runs."""
    folder = os.environ.get("LEVELHEAD_DATA")
    if not folder:
        if os.environ.get("CI"):
            pytest.fail("LEVELHEAD_DATA is not set")
        pytest.skip("LEVELHEAD_DATA is not set: it names the folder of real treebanks")
    return Path(folder)


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A folder that may be changed, with `gold` and `systems` as in the parallel examples."""
    shutil.copytree(EXAMPLES / "parallel/gold", tmp_path / "gold")
    shutil.copytree(EXAMPLES / "parallel/systems", tmp_path / "systems")
    return tmp_path


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder: `gold` and `systems` with four of the parallel examples, one of which has an invalid output."""
    folder = tmp_path_factory.mktemp("few")
    for path in (EXAMPLES / "parallel").rglob("*.conllu"):
        if path.stem in {"de", "en", "fi", "tr"}:
            copy = folder / path.relative_to(EXAMPLES / "parallel")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    with contextlib.chdir(folder):
        yield folder


@pytest.fixture
def run(capsys):
    """Run the command in this process; gives the exit code, standard output and standard error."""

    def command(*arguments: object) -> tuple[int, str, str]:
        code = program.run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return code, printed.out, printed.err

    return command


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Debian's chromium; where it is missing the tests are skipped, but never where CI runs.

    It is started once for all tests. Without windows, as `chromium-headless-shell`, it takes two thirds of the CPU time.
    """
    path = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("there is no chromium: apt-get install chromium")
        pytest.skip("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def processes_of_tests() -> Iterator[Processes]:
    with Processes(2) as started:
        yield started


@pytest.fixture
def two_workers(processes_of_tests: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes of jobs be two that all tests share, since their start takes longer than the jobs of a test."""
    monkeypatch.setattr(process_pool, "Processes", lambda _: SharedProcesses(processes_of_tests))


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a cluster whose workers are threads: they start in no time, and get their jobs as any others do."""
    library("distributed")
    from distributed import LocalCluster

    settings = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, silence_logs="CRITICAL", **settings) as started:
        yield started.scheduler_address
    gc.collect()  # what the cluster leaves behind is reported here, not in whichever test comes later


NEEDS = {
    "sandbox": (lambda: shutil.which("bwrap"), "bubblewrap is missing: apt-get install bubblewrap"),
    "cluster": (lambda: importlib.util.find_spec("distributed"), "the extra `cluster` is not installed"),
}
"""What tests with a marker need, and why they are skipped without it; but never where CI runs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, and skip those whose marker needs what is missing."""
    missing = {name: reason for name, (found, reason) in NEEDS.items() if not (found() or os.environ.get("CI"))}
    for item in items:
        for name in {"data", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(name)
        if item.get_closest_marker("cluster"):
            item.add_marker(pytest.mark.filterwarnings("ignore"))  # Dask's own, while workers start and end
        for name, reason in missing.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Never look for garbage among the thousands of tests themselves: it takes longer than to collect them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
