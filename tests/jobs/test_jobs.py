"""Jobs: the same results from any workers, and nothing lost whatever happens to them."""

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import job_functions
from conftest import ROOT, library, script
from job_functions import SQUARES, jobs, killed_at_end, wait_until
from levelhead.cli.program import run as run_command
from levelhead.errors import InputError, OutputError
from levelhead.jobs import Job, StaleInput, Store, borrowed, check_store, n_cores, processes, run_jobs
from levelhead.progress import progress_bar
from terminal import Terminal

needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill")


@pytest.mark.parametrize("n", [1, 3])
def test_results_do_not_depend_on_the_number_of_processes(n):
    outcome = run_jobs(jobs(40), processes(n))
    assert list(outcome.results.items()) == list(SQUARES.items())
    assert outcome.stale == ()


def test_any_executor_will_do_and_stays_open():
    with ThreadPoolExecutor(3) as executor:
        assert run_jobs(jobs(40), borrowed(executor, window=2)).results == SQUARES
        assert executor.submit(int, "1").result() == 1


def test_processes_are_others_unless_there_is_one(tmp_path):
    own = str(os.getpid()).encode()
    (tmp_path / "others").mkdir()
    numbers = jobs(3, job_functions.process_number, str(tmp_path), 1)
    assert set(run_jobs(numbers, processes(1)).results.values()) == {own}
    numbers = jobs(2, job_functions.process_number, str(tmp_path / "others"), 2)
    others = set(run_jobs(numbers, processes(2)).results.values())
    assert own not in others
    assert len(others) == 2
    assert n_cores() >= 1


def test_functions_that_cannot_be_sent_are_refused_unless_nothing_is_sent():
    for function in (lambda number: b"%d" % number**2, lambda number: int("pickle" * number)):
        with pytest.raises(InputError, match=r"cannot be sent to another process.*or use one job") as refusal:
            run_jobs(jobs(3, function), processes(2))
        assert refusal.value.slug == "invalid-argument"
    assert list(run_jobs(jobs(3, lambda number: b"%d" % number**2), processes(1)).results.values()) == [
        b"0", b"1", b"4",
    ]  # fmt: skip


def test_jobs_of_one_key_are_done_once(tmp_path):
    weights = []
    twice = jobs(5, job_functions.marked_square, str(tmp_path)) * 2
    outcome = run_jobs(twice, processes(1), advance=weights.append)
    assert len(outcome.results) == 5
    assert sum(weights) == 2 * sum(range(5))
    assert {path.read_text() for path in tmp_path.iterdir()} == {"x"}


def test_jobs_are_taken_as_they_are_needed():
    taken = []

    def endless():
        for job in jobs(1000):
            taken.append(job)
            yield job

    class Enough(Exception):
        pass

    def advance(weight):
        if weight == 20:
            raise Enough

    with pytest.raises(Enough), ThreadPoolExecutor(2) as executor:
        run_jobs(endless(), borrowed(executor, window=4), advance=advance)
    assert len(taken) < 40


def test_stale_jobs_are_told_apart():
    mixed = [jobs(3)[0], Job("stale", job_functions.stale, (7,), "stale job")]
    outcome = run_jobs(mixed, processes(1))
    assert list(outcome.results) == ["key 0"]
    ((job, found),) = outcome.stale
    assert (job.key, found.message, found.slug) == ("stale", "changed 7", "changing-file")


def test_a_stale_input_survives_pickling():
    again = pickle.loads(pickle.dumps(StaleInput("gone", "changing-file")))
    assert (again.message, again.slug) == ("gone", "changing-file")


@pytest.mark.parametrize("n", [1, 2])
def test_a_bug_in_a_job_is_raised_and_what_was_done_is_kept(tmp_path, n):
    with Store(tmp_path / "s") as store:
        with pytest.raises(ZeroDivisionError):
            run_jobs([*jobs(4), Job("bug", job_functions.fail, (0,), "bug")], processes(n), store=store)
        assert store.get("key 0") == b"0" or n == 2


# Workers lost


@needs_kill
def test_a_killed_worker_is_replaced(tmp_path):
    some = [*jobs(40), Job("fatal once", job_functions.die_once, (3, str(tmp_path)), "fatal")]
    assert run_jobs(some, processes(2)).results == {**SQUARES, "fatal once": b"9"}


@needs_kill
def test_a_job_that_no_worker_survives_is_named_when_the_others_are_done(tmp_path):
    some = [*jobs(6), Job("fatal", job_functions.always_die, (3,), "x on y"), *jobs(40)]
    with Store(tmp_path / "s") as store, pytest.raises(InputError, match="worker-lost: x on y: its worker ended"):
        run_jobs(some, processes(2), store=store)
    with Store(tmp_path / "s") as store:
        assert {key: store.get(key) for key in SQUARES} == SQUARES


@needs_kill
def test_a_borrowed_executor_that_breaks_is_not_ours_to_mend():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        with pytest.raises(InputError, match="all workers are lost"):
            run_jobs([Job("fatal", job_functions.always_die, (3,), "x")], borrowed(executor))
        with pytest.raises(InputError, match="all workers are lost"):  # it is broken before anything is handed over
            run_jobs(jobs(2), borrowed(executor))


@needs_kill
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    """Otherwise a pool's workers would wait forever for more work."""
    script = (
        "import sys, job_functions, levelhead.jobs as j\n"
        "functions = [*[job_functions.square] * 4, job_functions.wait_forever]\n"
        "some = [j.Job(str(i), function, (i,), '') for i, function in enumerate(functions)]\n"
        "def advance(_):\n"
        "    print('working', flush=True)\n"
        "if __name__ == '__main__':\n"
        "    j.run_jobs(some, j.processes(2), advance=advance)\n"
    )
    (tmp_path / "campaign.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *sys.path])}
    parent = subprocess.Popen(
        [sys.executable, tmp_path / "campaign.py"], env=environment, stdout=subprocess.PIPE, start_new_session=True
    )
    with killed_at_end(parent):
        for _ in range(4):
            assert parent.stdout.readline() == b"working\n"
    try:
        wait_until(lambda: not has_members(parent.pid))
    except AssertionError:
        os.killpg(parent.pid, signal.SIGKILL)
        raise


def has_members(session):
    try:
        os.killpg(session, 0)
    except ProcessLookupError:
        return False
    return True


# The store


def test_what_is_stored_is_not_done_again(tmp_path):
    (tmp_path / "marks").mkdir()
    some = jobs(6, job_functions.marked_square, str(tmp_path / "marks"))
    with Store(tmp_path / "s") as store:
        first = run_jobs(some[:4], processes(1), store=store)
    with Store(tmp_path / "s") as store:
        assert len(store) == 4
        second = run_jobs(some, processes(1), store=store)
    assert second.results == first.results | {key: SQUARES[key] for key in ("key 4", "key 5")}
    assert list(second.results) == [job.key for job in some]
    assert {path.read_text() for path in (tmp_path / "marks").iterdir()} == {"x"}


def test_a_result_is_written_once(tmp_path):
    with Store(tmp_path / "s") as store:
        store.put("a", b"1")
        store.put("a", b"2")
        assert store.get("a") == b"1"
        assert store.get("b") is None


@pytest.mark.parametrize("content", [b"text, not a database", b"\0" * 5000, b"SQLite format 3\0" + b"x" * 5000])
def test_what_is_no_store_is_refused_and_left_alone(tmp_path, content):
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(InputError, match="invalid-store") as refusal:
        Store(tmp_path / "s")
    assert refusal.value.place.file == str(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == content


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "s") as connection:
        connection.execute("CREATE TABLE precious (x)")
    connection.close()
    before = (tmp_path / "s").read_bytes()
    with pytest.raises(InputError, match="invalid-store"):
        Store(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == before


def overwrite(path: Path, statement: str, *values: object) -> None:
    """Change a store without updating its checksums."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize("value", [b"6", b"", b"x" * 10_000, "6", "", 6, 5.0, 2**40, -1])
def test_a_damaged_result_is_absent_and_is_written_again(tmp_path, value):
    with Store(tmp_path / "s") as store:
        store.put("a", b"5")
        store.put("b", b"7")
    overwrite(tmp_path / "s", "UPDATE results SET result = ? WHERE key = 'a'", value)
    with Store(tmp_path / "s") as store:
        assert store.get("a") is None
        assert store.get("b") == b"7"
        store.put("a", b"5")
    with Store(tmp_path / "s") as store:
        assert (store.get("a"), len(store)) == (b"5", 2)


def test_a_result_under_another_key_is_absent(tmp_path):
    """A row and its checksum are moved to another key."""
    with Store(tmp_path / "s") as store:
        store.put("a", b"5")
        store.put("a1", b"7")
    overwrite(tmp_path / "s", "UPDATE results SET key = 'moved' WHERE key = 'a'")
    overwrite(tmp_path / "s", "UPDATE results SET key = 'a' WHERE key = 'a1'")
    overwrite(tmp_path / "s", "UPDATE results SET key = 'a1' WHERE key = 'moved'")
    with Store(tmp_path / "s") as store:
        assert [store.get(key) for key in ("a", "a1")] == [None, None]


def test_a_store_of_another_version_is_refused_and_left_alone(tmp_path):
    Store(tmp_path / "s").close()
    overwrite(tmp_path / "s", "PRAGMA user_version = 1")
    before = (tmp_path / "s").read_bytes()
    with pytest.raises(InputError, match=r"store-version: .*its layout is 1, this version reads 2"):
        Store(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == before


def test_a_store_with_a_damaged_structure_is_refused(tmp_path):
    with Store(tmp_path / "s") as store:
        for i in range(100):
            store.put(str(i), bytes(2000))
    data = (tmp_path / "s").read_bytes()
    for damaged in (data[:-5000], data[:4096] + bytes(4096) + data[8192:]):
        (tmp_path / "s").write_bytes(damaged)
        with pytest.raises(InputError, match="damaged-store") as refusal:
            Store(tmp_path / "s")
        assert refusal.value.place.file == str(tmp_path / "s")


def test_damage_while_a_store_is_open_is_not_blamed_on_the_disk(tmp_path):
    with Store(tmp_path / "s") as store:
        store.put("a", b"5")
    with Store(tmp_path / "s") as store:
        overwrite(tmp_path / "s", "DROP TABLE results")
        with pytest.raises(InputError, match="damaged-store"):
            store.get("a")


@pytest.mark.parametrize("seed", range(2))
def test_the_ranking_from_a_damaged_store_is_right_or_refused(tmp_path, seed):
    """A small version of scripts/full/damage_stores.py: 10 stores per seed, one for each kind of damage."""
    counts = script("full/damage_stores.py").campaign(10, seed, tmp_path)
    outcomes = {outcome for _, outcome in counts}
    assert not [outcome for outcome in outcomes if outcome.startswith("WRONG")]
    assert {outcome for damage, outcome in counts if damage == "none"} == {"right"}
    assert outcomes > {"right"}


@pytest.mark.parametrize("path", ["no/such/folder/s", "nul\0"])
def test_a_store_that_cannot_be_made_is_an_error_of_output(tmp_path, path):
    with pytest.raises(OutputError, match="store"):
        Store(f"{tmp_path}/{path}")


def test_odd_stores_are_refused_before_any_work(tmp_path):
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE precious (x)")
    connection.close()
    (tmp_path / "text").write_text("text")
    with Store(tmp_path / "old"):
        pass
    overwrite(tmp_path / "old", "PRAGMA user_version = 1")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    said = {
        "": "the path is empty", "-": "not standard output", "tcp://127.0.0.1:1": "not an address",
        str(tmp_path): "it is a folder", "/dev/null": "not a regular file", str(tmp_path / "other"): "another program",
        str(tmp_path / "text"): "not a store", str(tmp_path / "old"): "another version", "no/such/s": "does not exist",
    }  # fmt: skip
    for store, message in said.items():
        with pytest.raises((InputError, OutputError), match=message):
            check_store(store)
    check_store(tmp_path / "new")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("command", ["score x.conllu y.conllu", "compare x y", "rank x y", "reproduce callin"])
@pytest.mark.parametrize(
    ("option", "message"), [(["--store", "-"], "a store is a file"), (["--cluster", "somewhere"], "invalid address")]
)
def test_commands_refuse_stores_and_addresses_before_any_work(capfd, command, option, message):
    """Even if they have no effect: `score` of two files."""
    assert run_command([*command.split(), *option]) == 2
    assert message in capfd.readouterr().err


def test_two_processes_may_fill_one_store(tmp_path):
    """They wait for each other."""
    errors = []

    def fill(part: int) -> None:
        try:
            with Store(tmp_path / "s") as store:
                for i in range(50):
                    store.put(f"{part} {i}", b"x")
                    store.commit()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=fill, args=(part,)) for part in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Store(tmp_path / "s") as store:
        assert len(store) == 150


def test_a_full_disk_stops_with_an_error_and_keeps_what_was_stored(tmp_path):
    library("resource")
    script = (
        "import resource, sys\n"
        "from levelhead.jobs import Store\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        "with Store(sys.argv[1]) as store:\n"
        "    for i in range(100):\n"
        "        store.put(str(i), bytes(2000))\n"
        "        store.commit()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "s"], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "OutputError" in done.stderr
    assert "store" in done.stderr.splitlines()[-1]
    with Store(tmp_path / "s") as store:
        assert 5 < len(store) < 20
        store.put("more", b"1")
    with Store(tmp_path / "s") as store:
        assert store.get("more") == b"1"


# The progress bar


def test_the_bar_counts_jobs_on_terminals_only(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with progress_bar("scoring", 2, 10) as advance:
        advance(5)
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("scoring", 2, 10) as advance:
        advance(5)
        advance(5)
    assert "scoring" in terminal.text
    assert "2 of 2" in terminal.text
