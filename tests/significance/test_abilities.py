"""Abilities of systems and the easiness of test sets from incomplete tables."""

import numpy as np
import pytest

from levelhead.significance import abilities
from levelhead.significance.abilities import connected, expected_mean, fit_abilities, logit_of, percent_of
from oracle import abilities as oracle

N_SYSTEMS, N_TEST_SETS = 12, 30


def simulated(seed, *, noise=0.15, n_seen=N_TEST_SETS):
    """Scores of systems on all test sets, and the ones that are seen."""
    random = np.random.default_rng(seed)
    ability, easiness = random.normal(0, 0.5, N_SYSTEMS), random.normal(1.2, 0.8, N_TEST_SETS)
    full = percent_of(ability[:, None] + easiness + random.normal(0, noise, (N_SYSTEMS, N_TEST_SETS)))
    seen = np.argsort(random.random(full.shape), axis=1) < n_seen
    return full, np.where(seen, full, np.nan), ability - ability.mean()


def test_unweighted_additive_fit_is_that_of_the_definition(monkeypatch):
    """In the first round, all weights are 1."""
    monkeypatch.setattr(abilities, "_ROUNDS", 1)
    _, seen, _ = simulated(3, n_seen=16)
    seen = seen[:8, :16]
    model = fit_abilities(seen, deviation=0)
    cells = {(f"s{i:02}", f"t{j:02}"): seen[i, j] for i, j in zip(*np.nonzero(~np.isnan(seen)))}
    ability, easiness = oracle.additive(cells)
    assert model.ability == pytest.approx([ability[name] for name in sorted(ability)], abs=1e-9)
    assert model.easiness == pytest.approx([easiness[name] for name in sorted(easiness)], abs=1e-9)
    expected = [[oracle.percent(a + b) for b in easiness.values()] for a in ability.values()]
    assert model.expected == pytest.approx(np.array(expected), abs=1e-7)


def test_without_errors_everything_is_found():
    full, seen, ability = simulated(1, noise=0, n_seen=20)
    model = fit_abilities(seen)
    assert model.ability == pytest.approx(ability, abs=1e-6)
    assert model.expected == pytest.approx(full, abs=1e-4)
    assert model.slope == pytest.approx(np.ones(N_TEST_SETS), abs=1e-4)


@pytest.mark.parametrize("slope", [0.4, 2.5])
def test_discrimination_is_found(slope):
    random = np.random.default_rng(5)
    ability, easiness = np.linspace(-1, 1, N_SYSTEMS), random.normal(1, 0.5, N_TEST_SETS)
    slopes = np.where(np.arange(N_TEST_SETS) == 7, slope, 1.0)
    scores = percent_of(slopes * ability[:, None] + easiness + random.normal(0, 0.05, (N_SYSTEMS, N_TEST_SETS)))
    model = fit_abilities(scores)
    assert abs(model.slope[7] - slope) < 3 * model.slope_error[7] < 1.5
    assert abs(model.discrimination[7] - 1) < abs(model.slope[7] - 1)
    additive = fit_abilities(scores, deviation=0)
    assert (additive.discrimination == 1).all()
    assert abs(model.expected - scores)[:, 7].mean() < abs(additive.expected - scores)[:, 7].mean()


def test_intervals_contain_full_means():
    """In 95% of cases or more, without being much too wide; each of 12 systems has 15 of 30 test sets."""
    hits, order, widths, errors = [], [], [], []
    for seed in range(10):
        full, seen, _ = simulated(seed, n_seen=15)
        model, true = fit_abilities(seen), full.mean(axis=1)
        means = [expected_mean(model, seen, system, np.arange(N_TEST_SETS)) for system in range(N_SYSTEMS)]
        hits += [low <= t <= high for t, mean in zip(true, means) for low, high in [mean.interval(0.95)]]
        widths += [(high - low) / 2 for mean in means for low, high in [mean.interval(0.95)]]
        errors += [mean.value - t for t, mean in zip(true, means)]
        order.append(np.corrcoef([mean.value for mean in means], true)[0, 1])
    assert np.mean(hits) >= 0.93
    assert 1.5 < np.mean(widths) / np.std(errors) < 3.5
    assert np.mean(order) > 0.99


def test_variance_follows_from_the_errors_of_all_parameters():
    """By the delta method with numerical derivatives, plus independent errors of the missing scores and slopes."""
    _, seen, _ = simulated(6, n_seen=20)
    model, system, step = fit_abilities(seen), 2, 1e-5
    every = np.arange(N_TEST_SETS)
    mean = expected_mean(model, seen, system, every)
    gradient = []
    for name, size in (("ability", N_SYSTEMS), ("easiness", N_TEST_SETS)):
        for place in range(size):
            moved = getattr(model, name) + step * (np.arange(size) == place)
            value = expected_mean(model._replace(**{name: moved}), seen, system, every).value
            gradient.append((value - mean.value) / step)
    missing = np.isnan(seen[system])
    density = model.expected[system] * (100 - model.expected[system]) / 100
    slopes = model.kept * (model.slope_error * model.ability[system]) ** 2
    alone = (density**2 * (model.variance[system] + slopes))[missing].sum() / N_TEST_SETS**2
    expected = model.calibration * (np.array(gradient) @ model.covariance @ gradient + alone)
    assert mean.variance == pytest.approx(expected, rel=1e-3)


def test_a_full_row_has_its_plain_mean_without_error():
    full, seen, _ = simulated(2, n_seen=10)
    seen[3] = full[3]
    mean = expected_mean(fit_abilities(seen), seen, 3, np.arange(N_TEST_SETS))
    assert mean.value == pytest.approx(full[3].mean())
    assert (mean.variance, mean.leverage) == (0, 1)
    assert mean.interval(0.95, sampling=4.0)[1] - mean.value == pytest.approx(2 * 2.045, abs=0.01)  # t with 29


@pytest.mark.parametrize("seed", range(12))
def test_what_can_be_compared_is_what_shares_test_sets(seed):
    random = np.random.default_rng(seed)
    known = random.random((9, 9)) < 0.17
    cells = [(f"{i}", f"{j}") for i, j in zip(*np.nonzero(known))]
    systems, test_sets = connected(known)
    largest = oracle.parts(cells)
    size = [sum(system in part for system, _ in cells) for part in largest]
    found = {f"{i}" for i in np.flatnonzero(systems)}
    assert found in [part for part, n_cells in zip(largest, size) if n_cells == size[0]]
    assert {f"{j}" for j in np.flatnonzero(test_sets)} == {code for system, code in cells if system in found}


def test_who_shares_no_test_set_is_not_predicted():
    _, seen, _ = simulated(4)
    seen[0], seen[:, 0] = np.nan, np.nan
    seen[0, 0] = 70.0
    model = fit_abilities(seen)
    assert np.flatnonzero(np.isnan(model.ability)).tolist() == np.flatnonzero(np.isnan(model.easiness)).tolist() == [0]
    assert expected_mean(model, seen, 0, np.arange(N_TEST_SETS)) is None
    assert expected_mean(model, seen, 1, np.arange(N_TEST_SETS)) is None
    assert expected_mean(model, seen, 1, np.arange(1, N_TEST_SETS)) is not None


def test_extreme_and_empty_tables():
    assert logit_of(np.array([0.0, 100.0])) == pytest.approx([oracle.logit(0.1), oracle.logit(99.9)])
    assert np.isnan(fit_abilities(np.full((3, 2), np.nan)).ability).all()
    single = fit_abilities(np.array([[80.0, np.nan], [70.0, 60.0]]))
    mean = expected_mean(single, np.array([[80.0, np.nan], [70.0, 60.0]]), 0, np.arange(2))
    assert 60 < mean.value < 80
    assert mean.interval(0.95) is None  # nothing shows how much scores vary
