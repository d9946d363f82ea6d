"""Parsing in chunks of sentences: the same trees, with progress, and the bar of `levelhead parse`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from conftest import EXAMPLES
from levelhead import progress, read
from levelhead.cli.program import run
from levelhead.parsing import AnyModel, Recipe, Schedule, features, parse_any, train, write_model
from levelhead.parsing.features import columns_of, of_words
from levelhead.treebank import Treebank, from_conllu, to_conllu
from terminal import Terminal

GOLD = EXAMPLES / "parallel/gold/en.conllu"
SHORT = Schedule(1, 1, 1)


@pytest.fixture(scope="module")
def gold() -> Treebank:
    """Twenty sentences, a sentence of 600 words, and an empty node."""
    words = "".join(f"{i}\tw\t_\tX\t_\tA=b|C=d\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i in range(1, 601))
    return from_conllu(
        GOLD.read_bytes() + (words + "1.1\te" + "\t_" * 8 + "\n\n").replace("1.1", "600.1").encode() + GOLD.read_bytes()
    )


@pytest.fixture(scope="module", params=["swap-lazy", "backwards", "graph", "ensemble", "baseline-right"])
def model(request: pytest.FixtureRequest) -> AnyModel:
    """A quickly trained parser of each kind."""
    treebank = read(GOLD)
    if request.param == "ensemble":
        return train(treebank, Recipe("ensemble", schedule=SHORT))
    if request.param == "baseline-right":
        return train(treebank, Recipe("baseline-right"))
    if request.param == "backwards":
        return train(treebank, Recipe("arc-eager", reverse=True, schedule=SHORT))
    return train(treebank, Recipe(request.param, schedule=SHORT))


@pytest.fixture(scope="module")
def expected(gold: Treebank, model: AnyModel) -> bytes:
    """The output in chunks of the default size."""
    return to_conllu(parse_any(model, gold).treebank)


@pytest.mark.parametrize("words", [1, 7, 10**6])
def test_chunks_do_not_change_the_output(
    words: int, gold: Treebank, model: AnyModel, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even with one sentence per chunk, and with long sentences in the middle; all sentences are reported."""
    monkeypatch.setattr(features, "WORDS_A_CHUNK", words)
    done = list[int]()
    parsed = parse_any(model, gold, progress=done.append).treebank
    assert to_conllu(parsed) == expected
    if not model.parser.startswith("baseline"):
        assert sum(done) == len(gold)
        assert len(done) == (1 if words > 1000 else len(gold) if words == 1 else len(done))
        assert min(done) > 0


def test_columns_of_some_words(gold: Treebank) -> None:
    """They equal those of a treebank with only these words."""
    templates = ["s0.form s0.feats", "h.upos d.feat"]
    columns, starts = columns_of(gold, templates), gold.sentence_starts
    for first, last in ((0, 41), (0, 3), (3, 4), (19, 22), (40, 41)):
        some = columns_of(gold.select(range(first, last)), templates)
        found = of_words(columns, np.arange(starts[first], starts[last]))
        n = int(some.feature_starts[-1])
        assert all(map(np.array_equal, (found[0], found[1], found[4]), (some[0], some[1], some[4])))
        assert np.array_equal(found.features[:n], some.features[:n])
        assert np.array_equal(found.feature_names[:n], some.feature_names[:n])
        assert len(found.features) > n


def test_the_bar_of_parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It counts sentences, only on a terminal and only after a second; the output does not change."""
    path, out, shown = str(tmp_path / "model"), tmp_path / "out", tmp_path / "shown"
    write_model(train(read(GOLD), Recipe(beam=1, schedule=SHORT)), path)
    assert run(["parse", path, str(GOLD), "-o", str(out)]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(features, "WORDS_A_CHUNK", 100)
    terminal = on_a_terminal(monkeypatch)
    assert run(["parse", path, str(GOLD), "-o", str(shown)]) == 0
    assert terminal.text == ""
    monkeypatch.setattr(progress, "_SECONDS_BEFORE_BAR", -1.0)
    assert run(["parse", path, str(GOLD), "-o", str(shown)]) == 0
    assert "parsing" in terminal.text
    assert "of 20" in terminal.text
    assert shown.read_bytes() == out.read_bytes()


def test_short_tasks_show_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar appears at the first report after a second, with all earlier progress, but never at the last report."""
    now, calls = [0.0], list[tuple[object, ...]]()

    @contextmanager
    def bar(*arguments: object) -> Iterator[Callable[..., None]]:
        calls.append(arguments)
        yield lambda *amounts: calls.append(amounts)

    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(progress, "progress_bar", bar)
    on_a_terminal(monkeypatch)
    for seconds, reports, expected in (
        (0.1, (10, 15, 5), []),
        (2.0, (10, 15, 5), [("parsing", 30, 30), (10, 10), (15, 15), (5, 5)]),
        (0.6, (10, 15, 5), [("parsing", 30, 30), (25, 25), (5, 5)]),
        (9.0, (30,), []),
    ):
        calls.clear()
        with progress.counting("parsing", 30) as tell:
            assert tell is not None
            for done in reports:
                now[0] += seconds
                tell(done)
        assert calls == expected


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal, and return it."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal
