"""Commands that read many outputs one after another show how far they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.progress import Advance

PARALLEL = EXAMPLES / "parallel"
GOLD, ALPHA = PARALLEL / "gold", PARALLEL / "systems" / "alpha"


@pytest.mark.parametrize(
    ("work", "what", "steps"),
    [
        (lambda: levelhead.breakdown(GOLD, ALPHA, by="deprel"), "scoring", 8),
        (lambda: levelhead.breakdown(GOLD, ALPHA, by="repair"), "scoring", 8),
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
