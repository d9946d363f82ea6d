"""Campaigns give the same bytes with any workers and stores, despite changing files and killed processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from campaigns import ENGLISH, LANGUAGES, everything, scored
from conftest import library
from job_functions import killed_at_end
from levelhead import campaign as c
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.cli import program
from levelhead.errors import InputError
from levelhead.jobs import Store, borrowed, cluster, processes


def canonical(results: c.Results) -> str:
    """The whole result of a campaign, as printed JSON."""
    rankings = tuple(c.rank(results, measure, everything(results)) for measure in results.measures)
    return json.dumps(RankedSystems(rankings, results, results.provenance()).to_dict())


@pytest.mark.usefixtures("two_workers")
def test_results_are_byte_equal_for_any_number_of_workers(folders: Path) -> None:
    assert canonical(scored(folders, workers=processes(2))) == canonical(scored(folders))


@pytest.mark.cluster
def test_results_are_byte_equal_on_a_cluster(folders: Path, scheduler: str) -> None:
    assert canonical(scored(folders, workers=cluster(scheduler, 2))) == canonical(scored(folders))


def test_results_are_byte_equal_from_a_store_even_for_copies_elsewhere(folders: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        expected = canonical(scored(folders, store=store))
        n = len(store)
        assert n == 24
        shutil.move(folders / "systems", folders / "moved")
        shutil.copytree(folders / "moved", folders / "systems")
        assert canonical(scored(folders, store=store)) == expected
        assert len(store) == n
        scored(folders, store=store, rules="conll18")
        assert len(store) == 2 * n


def test_stored_results_are_used(folders: Path, tmp_path: Path, monkeypatch) -> None:
    with Store(tmp_path / "s") as store:
        expected = canonical(scored(folders, store=store))
        monkeypatch.setattr("levelhead.campaign.run.count_output", None)  # cannot be called
        assert canonical(scored(folders, store=store)) == expected


def test_each_gold_is_read_once(folders: Path, monkeypatch) -> None:
    read = []
    true_read = Path.read_bytes

    def count(self):
        read.append(self)
        return true_read(self)

    monkeypatch.setattr(Path, "read_bytes", count)
    scored(folders, rules="udtools")
    golds = [path.name for path in read if path.parent.name == "gold"]
    assert sorted(golds) == [f"{code}.conllu" for code in LANGUAGES]


def changing(monkeypatch, read: Path, target: Path, data: bytes) -> list[Path]:
    """Change a file right before a file is first read; the list then contains the changed file."""
    true_read, changed = Path.read_bytes, []

    def change(self):
        if self == read and not changed:
            changed.append(target)
            target.write_bytes(data)
        return true_read(self)

    monkeypatch.setattr(Path, "read_bytes", change)
    return changed


def test_a_file_that_changes_before_it_is_read_is_scored_as_it_is_then(folders: Path, monkeypatch) -> None:
    """The first reader finds other bytes than planned, so a new plan is made."""
    target = folders / "systems" / "alpha" / "en.conllu"
    changed = changing(monkeypatch, target, target, ENGLISH)
    results = scored(folders)
    assert changed
    assert results.results["alpha", "en"].values["LAS"] == 100
    monkeypatch.undo()
    assert canonical(results) == canonical(scored(folders))


def test_a_change_under_way_does_not_spoil_the_store(folders: Path, tmp_path: Path, monkeypatch) -> None:
    """The result stored under a hash is always that of the contents with this hash."""
    target = folders / "systems" / "alpha" / "en.conllu"
    original = target.read_bytes()
    expected = canonical(scored(folders))
    changing(monkeypatch, target, target, ENGLISH)
    with Store(tmp_path / "s") as store:
        assert canonical(scored(folders, store=store)) != expected
        monkeypatch.undo()
        target.write_bytes(original)
        assert canonical(scored(folders, store=store)) == expected


@pytest.mark.parametrize("what", ["gold", "systems/alpha"])
def test_a_file_that_changes_after_it_was_read_is_scored_again(folders: Path, monkeypatch, what: str) -> None:
    target, last = folders / what / "en.conllu", folders / "systems" / "gamma" / "tr.conllu"
    # jobs on en come before those on tr
    changed = changing(monkeypatch, last, target, ENGLISH.replace(b"nsubj", b"obj"))
    results = scored(folders)
    monkeypatch.undo()
    assert changed
    assert canonical(results) == canonical(scored(folders))


def test_a_file_that_never_stops_changing_is_an_error_that_names_it(folders: Path, monkeypatch) -> None:
    target = folders / "systems" / "alpha" / "en.conllu"
    true_read, n = Path.read_bytes, 0

    def change(self):
        nonlocal n
        data = true_read(self)
        if self == target:
            n += 1
            target.write_bytes(ENGLISH + b"\n" * n)
        return data

    monkeypatch.setattr(Path, "read_bytes", change)
    with pytest.raises(InputError, match="changing-file") as refusal:
        scored(folders)
    assert [fault.place.file for fault in refusal.value.faults] == [str(target)]


def test_a_worker_that_does_not_see_a_file_is_an_error_and_no_zero(folders: Path, monkeypatch) -> None:
    """As on a cluster whose machines do not share a folder."""

    def refuse(_: Path) -> bytes:
        raise FileNotFoundError(2, "No such file")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with ThreadPoolExecutor(1) as executor, pytest.raises(InputError, match="changing-file: No such file"):
        scored(folders, workers=borrowed(executor))


def run_rank(folder: Path, *more: object, program=("-m", "levelhead"), **settings) -> subprocess.Popen:
    arguments = [sys.executable, *program, "rank", folder / "gold", folder / "systems", *more]
    return subprocess.Popen(list(map(os.fspath, arguments)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings)


def ranked_here(streams: pytest.CaptureFixture[bytes], folder: Path, *more: object) -> tuple[bytes, bytes]:
    """What the same command prints in this process."""
    arguments = ["rank", folder / "gold", folder / "systems", "-j", 1, *more]
    assert program.run(list(map(str, arguments))) == program.DONE
    return tuple(streams.readouterr())


HELD = """
import sys
from levelhead.cli import main
from levelhead.jobs import Store, store

put = Store.put

def put_and_wait(self, key, result):
    put(self, key, result)
    if len(self) == 10:
        self.commit()
    elif len(self) == 11:  # the last is not committed
        print("half-way", flush=True)
        sys.stdin.read()

if __name__ == "__main__":
    store._SECONDS_BETWEEN_COMMITS = float("inf")
    Store.put = put_and_wait
    main()
"""
"""The command, which waits when it has 11 results of 24."""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_campaign_that_was_killed_continues_and_ends_with_the_same_bytes(
    folders: Path, tmp_path: Path, jobs: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    expected, errors = ranked_here(capfdbinary, folders, "--format", "json")
    assert errors.count(b"\n") == errors.count(b"single-word-range") == 1
    held, store = tmp_path / "held.py", tmp_path / "store"
    held.write_text(HELD)
    arguments = ["--store", store, "--format", "json", "-j", jobs]
    with killed_at_end(run_rank(folders, *arguments, program=[held], stdin=subprocess.PIPE)) as held_rank:
        assert held_rank.stdout.readline() == b"half-way\n"
    with Store(store) as results:
        assert len(results) == 10
    again = run_rank(folders, *arguments)
    assert again.communicate() == (expected, errors)
    with Store(store) as results:
        assert len(results) == 24


def test_a_full_disk_is_an_error_and_a_rerun_continues(
    folders: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    resource = library("resource")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    store = tmp_path / "s"
    full = run_rank(folders, "--store", store, "-j", "1", preexec_fn=limit)
    output, errors = full.communicate()
    assert (full.returncode, output) == (2, b"")
    assert errors.startswith(f"{store}: store: ".encode())
    assert ranked_here(capfdbinary, folders, "--store", store) == ranked_here(capfdbinary, folders)
