"""Cohen's, Fleiss' and Krippendorff's coefficients: against the definitions, by hand, and without each unit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from levelhead.significance.agreement import MISSING, Ratings, coefficients, interval_of
from levelhead.significance.estimates import Estimate
from oracle import annotators as oracle
from strategies import examples

LABEL = st.one_of(st.none(), st.integers(0, 3))
ITEMS = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.tuples(st.lists(LABEL, min_size=n, max_size=n), st.integers(0, 3)), min_size=1, max_size=30)
)


def ratings(items, units=None):
    labels = np.array([[MISSING if one is None else one for one in item] for item in items], dtype=np.int64)
    units = np.zeros(len(items), dtype=np.int64) if units is None else np.array(units, dtype=np.int64)
    return Ratings(labels, units, 4)


def check(value, expected):
    assert math.isnan(value) if expected is None else value == pytest.approx(float(expected))


@settings(max_examples=examples(60), deadline=None)
@given(ITEMS)
def test_they_are_the_definitions(drawn):
    items = [item for item, _ in drawn]
    found = coefficients(ratings(items))
    check(found.cohen.value, oracle.light(items))
    check(found.fleiss.value, oracle.fleiss(items))
    check(found.krippendorff.value, oracle.krippendorff(items))


@settings(max_examples=examples(40), deadline=None)
@given(ITEMS)
def test_the_variance_is_of_the_values_without_each_unit(drawn):
    items, units = [item for item, _ in drawn], [unit for _, unit in drawn]
    found = coefficients(ratings(items, units))
    for name, estimate in zip(("light", "fleiss", "krippendorff"), (found.cohen, found.fleiss, found.krippendorff)):
        whole = getattr(oracle, name)(items)
        if whole is None:
            continue
        moves = []
        for unit in set(units):
            rest = [item for item, own in zip(items, units) if own != unit]
            without = getattr(oracle, name)(rest) if rest else None
            telling = any(
                sum(label is not None for label in item) > 1 for item, own in zip(items, units) if own == unit
            )
            moves.append(float(without - whole) if without is not None and telling else 0.0)
        more = float(oracle.observation(items)) ** 2
        assert estimate.variance == pytest.approx(sum(move**2 for move in moves) + more)


def test_annotators_who_differ_in_the_same_way_everywhere_are_not_without_error():
    """Each unit is alike: the second never gives the feature that the first gives to every tenth word."""
    first = np.tile(np.arange(10) == 0, 40).astype(np.int64)
    found = coefficients(Ratings(np.stack([first, np.zeros_like(first)], axis=1), np.repeat(np.arange(40), 10), 40))
    assert found.cohen.variance == pytest.approx((1 / (400 * 0.1)) ** 2)
    low, high = interval_of(found.krippendorff, 0.95)
    assert high - low > 0.05


def test_by_hand():
    """Krippendorff's (2011) example of nominal data: 4 observers, 12 units, alpha = .743."""
    rows = (
        (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
        (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
    )
    found = coefficients(ratings(list(zip(*rows))))
    assert round(found.krippendorff.value, 3) == 0.743
    assert found.words == 11


def test_intervals_stay_within_the_bounds_and_need_units_that_tell_something():
    assert interval_of(Estimate(0.9, 0.01, 20.0, 9), 0.95) is None
    low, high = interval_of(Estimate(0.9, 0.01, 20.0, 30), 0.95)
    assert -1 < low < 0.9 < high < 1
    low, high = interval_of(Estimate(1.0, 0.0, 20.0, 30), 0.95)
    assert 0.5 < low < 1 == high
    labels = np.zeros((40, 2), dtype=np.int64)
    labels[:9] = 1
    found = coefficients(Ratings(labels, np.arange(40), 40))
    assert found.krippendorff.value == 1
    assert interval_of(found.krippendorff, 0.95) is None
    labels[9:12] = 1
    assert interval_of(coefficients(Ratings(labels, np.arange(40), 40)).krippendorff, 0.95) is not None
