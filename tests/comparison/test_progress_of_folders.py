"""Commands that read many outputs one after another show how far they are."""

import pydoc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.progress import Advance

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA = PARALLEL / "gold", PARALLEL / "systems" / "alpha"


@pytest.mark.parametrize(
    ("work", "what", "steps"),
    [
        (lambda: levelhead.breakdown(GOLD, ALPHA, by="relation"), "scoring", 8),
        (lambda: levelhead.analyze(GOLD, ALPHA), "scoring", 8),
        (lambda: levelhead.confusion(GOLD, ALPHA), "scoring", 8),
        (lambda: levelhead.similarity(*sorted(GOLD.iterdir())[:4]), "comparing", 6),
    ],
)
def test_each_step_is_shown(work: Callable[[], object], what: str, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, int] = {}

    @contextmanager
    def bar(name: str, n_jobs: int, weight: int) -> Iterator[Advance]:
        assert n_jobs == weight

        def advance(amount: int, jobs: int = 1) -> None:
            assert amount == jobs
            shown[name] = shown.get(name, 0) + amount

        yield advance

    monkeypatch.setattr("levelhead.progress.progress_bar", bar)
    monkeypatch.setattr("levelhead.progress._SECONDS_BEFORE_BAR", -1.0)
    work()
    assert shown[what] == steps


@pytest.mark.parametrize(
    ("work", "interrupted"),
    [
        (lambda: levelhead.confusion(GOLD, ALPHA), "comparison.system_errors.summary_of"),
        (
            lambda: levelhead.breakdown(GOLD, [ALPHA, ALPHA.parent / "beta"], by="relation"),
            "comparison.system_errors.summary_of",
        ),
        (lambda: levelhead.similarity(GOLD), "typology.collection.similarity"),
        (lambda: levelhead.profile(GOLD), "typology.collection._ReadFiles.add"),
    ],
)
def test_bars_end_before_an_error_is_handled(work: Callable[[], object], interrupted: str, monkeypatch) -> None:
    shown: list[str] = []

    @contextmanager
    def bar(name: str, *_: int) -> Iterator[Advance]:
        shown.append(name)
        try:
            yield lambda *_: None
        finally:
            shown.remove(name)

    function = pydoc.locate(f"levelhead.{interrupted}")

    def interrupt(*given: Any, **named: Any) -> Any:
        if shown:
            raise KeyboardInterrupt
        return function(*given, **named)

    monkeypatch.setattr("levelhead.progress.progress_bar", bar)
    monkeypatch.setattr("levelhead.progress._SECONDS_BEFORE_BAR", -1.0)
    monkeypatch.setattr(f"levelhead.{interrupted}", interrupt)
    try:
        work()
    except KeyboardInterrupt:
        assert shown == []
    else:
        pytest.fail("the work was not interrupted")
