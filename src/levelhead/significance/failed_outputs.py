"""Missing and invalid outputs in tests of differences: each is a single event, and alone it proves nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import sign_test

Sums = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Evidence(NamedTuple):
    """The differences of all pairs of systems that are tested, considering failures.

    Args:
        differences: the difference of a system (row) from another (column), in the units of averages, without the part
            that is only due to failures, shape (systems, systems).
        failure_p: two-sided p-values of pairs that are tested by their failures, nan for the other pairs; same shape.
    """

    differences: Sums
    failure_p: Sums


def evidence(scores: Sums, failed: Flags) -> Evidence:
    """Return the differences of all pairs of systems that are tested, considering failures.

    The evident difference of two averages is the smaller of two differences if they agree in sign, otherwise 0: the
    difference with zeros for failures, and the difference on the test sets where neither output failed. If one of the
    two systems failed on more test sets than neither did, the pair is tested by a sign test of its failures, each of
    which is one event.
    """
    observed = scores.mean(axis=0)
    apart = observed[:, None] - observed
    if not failed.any():
        return Evidence(apart, np.full_like(apart, np.nan))
    found, p_values = apart.copy(), np.full_like(apart, np.nan)
    for one, other in zip(*np.nonzero((failed[:, :, None] != failed[:, None, :]).any(axis=0)), strict=True):
        found[one, other], p_values[one, other] = _of_pair(scores[:, [one, other]], failed[:, [one, other]])
    return Evidence(found, p_values)


def _of_pair(scores: Sums, failed: Flags) -> tuple[float, float]:
    """The evident difference of two systems, and the p-value of the sign test of failures, or nan."""
    change = scores[:, 0] - scores[:, 1]
    events, common = failed[:, 0] != failed[:, 1], ~failed.any(axis=1)
    whole, rest = float(change.mean()), float(change[common].sum() / len(change))
    if events.sum() > common.sum():
        signs = np.sign(change[events])
        p = sign_test(signs.tolist()) if signs.sum() * whole > 0 else None
        return whole, 1.0 if p is None else p
    return (min(whole, rest, key=abs) if whole * rest > 0 else 0.0), np.nan
