"""The engine reads each file once, and with a filled store it reads no file for its counts."""

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES, one_in
from levelhead.campaign import find_plan, outputs as jobs, records as gold_of_jobs, score_plan
from levelhead.errors import InputError
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Store, processes

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA, BETA = PARALLEL / "gold", PARALLEL / "systems/alpha", PARALLEL / "systems/beta"
ONE = (GOLD / "en.conllu", ALPHA / "en.conllu")


class _Opened:
    """Notes which treebanks this process opens; a hook can be added only once, and never removed."""

    def __init__(self) -> None:
        self.files: list[str] | None = None
        sys.addaudithook(self.note)

    def note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and self.files is not None and str(arguments[0]).endswith(".conllu"):
            self.files.append(os.path.relpath(str(arguments[0]), PARALLEL))


@pytest.fixture(scope="module")
def noted() -> _Opened:
    return _Opened()


@pytest.fixture
def opened(noted: _Opened, run) -> Callable[..., Counter[str]]:
    """Run a command, and count how often it opens each treebank."""

    def files_of(*arguments: object) -> Counter[str]:
        gold_of_jobs._gold.cache_clear()
        gold_of_jobs._undefined.cache_clear()
        noted.files = []
        try:
            code, _, said = run(*arguments)
        finally:
            files, noted.files = noted.files, None
        assert code == 0, said
        return Counter(files)

    return files_of


@pytest.fixture
def parsed(monkeypatch):
    """The files that the engine parses, in order."""
    seen: list[str] = []
    parse = jobs.parse_as

    def noted(data: bytes, *arguments: object) -> object:
        seen.append(levelhead.from_conllu(data)[0].text or "")
        return parse(data, *arguments)

    gold_of_jobs._gold.cache_clear()
    gold_of_jobs._undefined.cache_clear()
    for module in (gold_of_jobs, jobs):
        monkeypatch.setattr(module, "parse_as", noted)
    yield seen
    gold_of_jobs._gold.cache_clear()


@pytest.mark.parametrize(
    "command",
    [
        ("score", *ONE, "--store", "{tmp}/store"),
        ("score", *ONE, "--report", "{tmp}/page.html"),
        ("score", GOLD, ALPHA, "-j", 1),
        ("compare", *ONE, BETA / "en.conllu", "--report", "{tmp}/page.html"),
        ("compare", GOLD, ALPHA, BETA, "-j", 1, "--report", "{tmp}/page.html"),
        ("languages", GOLD, ALPHA, BETA, "-j", 1),
        ("rank", GOLD, PARALLEL / "systems", "-j", 1, "--report", "{tmp}/page.html"),
        ("power", GOLD, ALPHA, BETA, "-j", 1),
    ],
    ids=lambda command: " ".join(str(part) for part in command if not isinstance(part, Path)),
)
def test_a_command_opens_each_file_once(tmp_path, opened, command):
    found = opened(*(str(part).format(tmp=tmp_path) for part in command))
    golds = {name for name in found if name.startswith("gold")}
    assert len(golds) in {1, 8}
    assert len(found) > len(golds)
    assert set(found.values()) == {1}


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("n_workers", [1, 2])
def test_with_a_filled_store_nothing_is_parsed(tmp_path, parsed, n_workers):
    plan, setup = find_plan(GOLD, [ALPHA, BETA]), setup_of(["LAS", "CLAS"])
    with Store(tmp_path / "store") as store:
        first = score_plan(plan, setup, store=store, by_sentence=True)
        n_files = len(parsed)
        kept = len(store)
        second = score_plan(plan, setup, store=store, by_sentence=True, workers=processes(n_workers))
        assert len(store) == kept == 16
    assert n_files == 24
    assert len(parsed) == n_files
    assert repr(second) == repr(first)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_pair_takes_its_counts_from_the_store(run, tmp_path, form):
    store = tmp_path / "store"
    arguments = ("score", *ONE, "-c", "--format", form)
    plain = run(*arguments)
    assert [run(*arguments, "--store", store) for _ in range(2)] == [plain, plain]
    with Store(store) as opened_store:
        assert len(opened_store) == 1
    folders = run("score", GOLD, ALPHA, "--store", store, "-j", 1)
    assert folders[0] == 0
    with Store(store) as opened_store:
        assert len(opened_store) == 8  # that of the pair is one of them


def test_a_pair_of_python_takes_its_counts_from_the_store(tmp_path, parsed):
    store = tmp_path / "store"
    treebanks = [levelhead.read(path) for path in ONE]
    plain = levelhead.score(*ONE)
    for pair in (ONE, ONE, treebanks):
        found = levelhead.score(*pair, store=store)
        assert type(found) is type(plain)
        assert {name: one.f1 for name, one in found.items()} == {name: one.f1 for name, one in plain.items()}
        assert found.provenance.signature == plain.provenance.signature
    assert len(parsed) == 2
    with pytest.raises(InputError, match="text-mismatch"):
        levelhead.score(ONE[0], ALPHA / "de.conllu", store=store)


def test_a_page_of_a_pair_is_the_same_with_a_store(run, tmp_path):
    page, pages = tmp_path / "page.html", set()
    for store in ((), ("--store", tmp_path / "store"), ("--store", tmp_path / "store")):
        assert run("score", *ONE, "--report", page, *store)[0] == 0
        pages.add(page.read_bytes())
    assert len(pages) == 1


@pytest.mark.data
@pytest.mark.parametrize("rules", ["ud", "conll18"])
def test_errors_of_a_pair_are_the_same_with_a_store(run, data, tmp_path, rules):
    """The same file and line, errors and warnings, and exit code; each file under one of the rules, by turns."""
    folder = data / "bad-conllu"
    valid = folder / "00-valid.conllu"
    n_refused = 0
    files = one_in(2, sorted(folder.glob("*.conllu")), rules == "ud")
    for number, path in enumerate(files):
        for gold, system in ((valid, path), (path, valid)):
            arguments = ("score", gold, system, "--rules", rules, "-m", "LAS")
            plain = run(*arguments)
            assert run(*arguments, "--store", tmp_path / f"store{number % 5}") == plain, path.name
            n_refused += plain[0] != 0
    assert n_refused > len(files)


def test_a_file_that_changes_is_read_again(tmp_path):
    """The contents kept for a job are never those of an older file."""
    output = tmp_path / "en.conllu"
    setup = setup_of(["LAS"])
    for source in (ALPHA, BETA):
        output.write_bytes((source / "en.conllu").read_bytes())
        found = score_plan(find_plan(ONE[0], {"system": output}), setup)
        expected = levelhead.score(ONE[0], source / "en.conllu", measures="LAS")
        assert found.results["system", "en"].scores["LAS"].correct == expected["LAS"].correct
