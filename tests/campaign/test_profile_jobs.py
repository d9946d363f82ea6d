"""Profiles as jobs: the same with processes, a store, a cluster; files that change or cannot be read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.campaign import profile_jobs
from levelhead.campaign.profile_jobs import profile_with
from levelhead.errors import InputError
from levelhead.jobs import Store, cluster, processes
from levelhead.treebank import input_bytes
from levelhead.treebank.input_bytes import PieceSizes
from levelhead.typology.collection import survey
from levelhead.typology.profile import files_of

GOLD = EXAMPLES / "parallel" / "gold"
pytestmark = pytest.mark.usefixtures("two_workers")
FEW = [GOLD / f"{code}.conllu" for code in ("ar", "en", "ja")]
"""With multiword tokens, with warnings, without blanks."""


@pytest.mark.parametrize(
    "options", [["--total", "-c", "all"], ["--merge", "--by", "relation", "--chunk", "20", "--partial-chunk"]]
)
def test_the_same_everywhere(tmp_path: Path, run: Callable[..., Any], options: list[str]) -> None:
    """Every number and hash is equal, also if all results come from the store."""
    alone = run("profile", *FEW, *options, "--format", "json")
    assert alone[0] == 0
    store = ["--store", tmp_path / "store", "--jobs", "1"]
    for more in (["--jobs", "2"], store, store):
        assert run("profile", *FEW, *options, "--format", "json", *more) == alone


@pytest.mark.cluster
def test_the_same_on_a_cluster(run: Callable[..., Any], scheduler: str) -> None:
    arguments = ("profile", *FEW, "--total", "-c", "all", "--format", "json")
    alone = run(*arguments)
    assert run(*arguments, "--cluster", scheduler) == alone


@pytest.mark.cluster
def test_in_python(data: Path, scheduler: str) -> None:
    """Real treebanks, one of which this process reads in pieces, but workers read whole."""
    paths = [data / "conll18" / "gold" / f"{code}.conllu.xz" for code in ("de_gsd", "hu_szeged")]
    alone = levelhead.profile(*paths, columns="all", total=True).to_dict()
    assert levelhead.profile(*paths, columns="all", total=True, jobs=2).to_dict() == alone
    assert levelhead.profile(*paths, columns="all", total=True, jobs=cluster(scheduler)).to_dict() == alone


def test_results_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is counted twice, except for other settings."""
    first = levelhead.profile(GOLD, store=tmp_path / "store").to_dict()
    with Store(tmp_path / "store") as store:
        assert len(store) == len(list(GOLD.iterdir()))
    with monkeypatch.context() as patch:
        patch.setattr(profile_jobs, "profile_files", None)
        assert levelhead.profile(GOLD, store=tmp_path / "store").to_dict() == first
        for other in ({"least": 2}, {"columns": "all"}, {"scheme": "callin"}, {"chunk": 10}, {"total": True}):
            with pytest.raises(TypeError):
                levelhead.profile(GOLD, store=tmp_path / "store", **other)


def test_treebanks_in_memory_and_pipes_are_not_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process profiles them, in their place among the others."""
    english = levelhead.read(GOLD / "en.conllu")
    alone = levelhead.profile(english, GOLD / "de.conllu").to_dict()
    assert levelhead.profile(english, GOLD / "de.conllu", store=tmp_path / "store").to_dict() == alone
    with Store(tmp_path / "store") as store:
        assert len(store) == 1
    monkeypatch.setattr(profile_jobs, "profile_files", None)
    assert levelhead.profile(english, jobs=2)["en"]["words"] == 164


def test_errors_are_those_of_one_process(tmp_path: Path, run: Callable[..., Any]) -> None:
    """All invalid and missing files are reported, in order."""
    (tmp_path / "a.conllu").write_text("1\ta\n\n")
    (tmp_path / "b.conllu").write_bytes((GOLD / "en.conllu").read_bytes())
    (tmp_path / "c.conllu.gz").write_bytes(b"\x1f\x8b\x08 not gzip")
    (tmp_path / "d.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\ta\t_\t_\t_\t_\t1\troot\t_\t_\n\n")
    alone = run("profile", tmp_path)
    assert alone[0] == 2
    assert all(name in alone[2] for name in ("a.conllu:1", "c.conllu.gz", "d.conllu:3"))
    for more in (["--jobs", "2"], ["--store", tmp_path / "store"], ["--store", tmp_path / "store"]):
        assert run("profile", tmp_path, *more) == alone


def test_warnings_travel(tmp_path: Path, run: Callable[..., Any]) -> None:
    """Warnings about repairs and sentence ids, with the paths as given."""
    text = (GOLD / "en.conllu").read_bytes().replace(b"\n", b"\r\n")
    for name in ("a.conllu", "b.conllu"):
        (tmp_path / name).write_bytes(text + text)
    alone = run("profile", tmp_path / "a.conllu", tmp_path / "b.conllu", "--format", "json")
    assert "a.conllu" in alone[2]
    assert run("profile", tmp_path / "a.conllu", tmp_path / "b.conllu", "--format", "json", "-j", "2") == alone


def test_a_file_that_changes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its result would be stored under the hash of the old contents."""
    (path := tmp_path / "a.conllu").write_bytes((GOLD / "en.conllu").read_bytes())
    true_job = profile_jobs.profile_files

    def changed(*arguments: Any) -> bytes:
        path.write_bytes((GOLD / "de.conllu").read_bytes())
        return true_job(*arguments)

    monkeypatch.setattr(profile_jobs, "profile_files", changed)
    with Store(tmp_path / "store") as store:
        with pytest.raises(InputError, match="changing-file"):
            survey(files_of([path]), run=profile_with(processes(1), store))
        assert len(store) == 0


def test_large_files_in_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job reads them in pieces, and reports this."""
    monkeypatch.setattr(input_bytes, "SIZES", PieceSizes(0, 1000))
    alone = levelhead.profile(GOLD, columns="all").to_dict()
    assert len(alone["provenance"]["notes"]) == len(alone["tables"]["treebanks"])
    assert levelhead.profile(GOLD, columns="all", store=tmp_path / "store").to_dict() == alone
    assert json.loads(json.dumps(alone)) == alone
