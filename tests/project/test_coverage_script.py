"""The simulations of scripts/full/coverage.py: they compute what the package computes, and find what is wrong."""

from types import ModuleType

import numpy as np
import pytest

from conftest import ROOT, script
from levelhead.significance import Units


@pytest.fixture
def coverage(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "full"))
    return script("full/coverage.py")


def documents(number: int, *, seed: int = 0) -> np.ndarray:
    """Documents of 20 to 60 words; four equally good systems, with errors that come in documents."""
    rng = np.random.default_rng(seed)
    words = rng.integers(20, 60, (number, 1, 1)) + np.zeros((1, 4, 4))
    right = rng.binomial(words.astype(int), rng.beta(8, 2, (number, 1, 1)))
    return np.stack([2.0 * right, 2.0 * words], axis=-1)


def test_a_small_simulation_agrees_with_the_package_and_keeps_its_level(coverage: ModuleType) -> None:
    """`simulate` compares some draws with `differences` itself."""
    cell = coverage.simulate(documents(80), 25, draws=250, swaps=99)
    for kind in (cell.score, cell.difference):
        assert kind.shape == (4, 2)
        assert kind.min() > 88
    assert max(cell.exchanged.max(), cell.recentered.max()) < 11
    assert 15 < cell.effective < 25


def test_a_difference_from_the_package_is_found(coverage: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "SCORE", np.array([1.0, 0.0]))
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        coverage.simulate(documents(80), 25, draws=10, swaps=9)


def test_sentences_of_one_document_make_intervals_too_narrow(coverage: ModuleType) -> None:
    """Five equal sentences in each document: by sentence, the standard error is too small by the square root of 5."""
    units = Units("document", np.repeat(np.arange(40), 5))
    pool = coverage.Pool("x", np.repeat(documents(40), 5, axis=0), units)
    sentences, percentiles, studentized = (score.mean() for score, _ in coverage.bootstraps(pool, 40, 60, 99))
    assert sentences < 75
    assert percentiles > 85
    assert studentized > 85


def test_samples_of_one_treebank_seldom_differ(coverage: ModuleType) -> None:
    rejected = coverage.language_rejections(documents(200)[:, :2], (20, 40), 100)
    assert rejected.shape == (2, 4)
    assert rejected.max() < 14
