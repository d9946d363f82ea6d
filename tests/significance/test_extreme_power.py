"""Levels and powers for which no smallest detectable difference can be computed."""

import pytest

from levelhead.errors import InputError
from levelhead.significance.power import Target, checked_test


@pytest.mark.parametrize(("alpha", "power"), [(1e-300, 0.8), (0.05, 1 - 1e-16)])
def test_levels_and_powers_at_the_limits_are_refused(alpha, power):
    with pytest.raises(
        InputError, match="the level must be at least 1e-12, and the power at most 1 - 1e-12"
    ) as refusal:
        checked_test(alpha, power)
    assert refusal.value.slug == "invalid-power"


def test_levels_and_powers_near_the_limits_are_accepted():
    assert checked_test(1e-9, 1 - 1e-9) == Target(1e-9, 1 - 1e-9)
