"""The simulations of scripts/full/coverage.py keep their level, and find what is wrong."""

from types import ModuleType

import numpy as np
import pytest

from conftest import ROOT, script


@pytest.fixture
def coverage(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "full"))
    return script("full/coverage.py")


def documents(number: int, n_systems: int = 6) -> np.ndarray:
    """Documents of 20 to 60 words; equally good systems, with errors that come in documents; the same in 4 measures."""
    rng = np.random.default_rng(0)
    words = rng.integers(20, 60, (number, 1, 1)) + np.zeros((1, n_systems, 4))
    right = rng.binomial(words.astype(int), rng.beta(8, 2, (number, 1, 1)))
    return np.stack([2.0 * right, 2.0 * words], axis=-1)


def lowest(span: object) -> float:
    """The lowest of a range of shares."""
    return float(str(span).partition("-")[0])


def test_a_small_simulation_keeps_its_level_and_agrees_with_the_package(coverage: ModuleType) -> None:
    cells, rankings = coverage.cells_of(coverage.Drawn("x", documents(80)[None], 25, 100))
    assert len(cells) == 12
    assert len(rankings) == 4
    assert min(cell.held for cell in cells) > 85
    assert max(cell.one_sided for cell in cells) < 15
    assert min(one.held for one in rankings) > 85
    assert all(15 < cell.effective < 25 for cell in cells)


def test_a_difference_from_the_package_is_found(coverage: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "OBSERVATION", 20.0)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        coverage.cells_of(coverage.Drawn("x", documents(80)[None], 25, 3))


def test_systems_are_made_equal(coverage: ModuleType) -> None:
    values = coverage.values_of(coverage.equalized(documents(20)[None]))
    np.testing.assert_allclose(values, values[:1].repeat(6, axis=0))


def test_a_document_like_no_other_is_noted(coverage: ModuleType) -> None:
    """With it, p is the larger of two; of ten documents, too few are left without it."""
    rows = documents(40)[:, :2, 0]
    rows[0, 0, 0] = 0
    tests = coverage.tests_of(np.array([[rows], [rows[::-1]]]), [0.0])
    assert tests.noted.all()
    assert tests.p.min() > 0.025
    assert np.isnan(coverage.tests_of(rows[None, None, :10], [0.0]).p).all()


def test_claims_of_too_many_test_sets_are_wrong(coverage: ModuleType) -> None:
    assert coverage.claimed([0.001, 0.5], 0)
    assert not coverage.claimed([0.5, 0.5], 1)


def test_intervals_by_sentence_and_of_parallel_test_sets_are_too_narrow(coverage: ModuleType) -> None:
    """Five equal sentences in each document, or four equal test sets: errors are too small by a factor of 2 or more."""
    rows = np.arange(40).repeat(5)
    pool = coverage.Pool("x", tuple("abcdef"), documents(40)[rows], rows, np.zeros(len(rows), dtype=int))
    _, _, score, by_sentence, _ = coverage.scores_row(pool, 40, 40)
    assert lowest(score) > 80 > lowest(by_sentence)
    four = coverage.Pool(
        "x", pool.systems, np.tile(documents(40), (4, 1, 1, 1)), np.tile(np.arange(40), 4), np.arange(4).repeat(40)
    )
    _, joint, independent, *_ = coverage.averages_row(four, 40, 40)
    assert lowest(joint) > 80 > lowest(independent)


def test_samples_of_one_treebank_seldom_differ(coverage: ModuleType) -> None:
    pool = coverage.Pool("x", tuple("abcdef"), documents(200), np.arange(200), np.zeros(200, dtype=int))
    assert float(coverage.treebanks_row(pool, (20, 40), 50)[-1]) < 12
