"""What missing and invalid outputs may say about a difference: each is one event, and alone it shows nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import sign_test

Sums = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Evidence(NamedTuple):
    """What the differences of all pairs of systems are tested on.

    Args:
        differences: of a system (row) to another (column), in the units of averages: what is left of the difference of
            the averages if failures may add nothing to it, shape (systems, systems).
        failure_p: two-sided p-values of pairs that are tested by their failures, nan for the other pairs; same shape.
    """

    differences: Sums
    failure_p: Sums


def evidence(scores: Sums, failed: Flags) -> Evidence:
    """Return what the differences of all pairs of systems are tested on.

    The difference of two averages is evident as far as it is there both with the zeros of failures and on the test sets
    where neither output failed: the smaller of the two if they agree in sign, otherwise 0. A pair with more test sets
    where one of the two failed than test sets where neither did is tested by its failures: a sign test, in which each
    is one event.

    Args:
        scores: observed scores, shape (test sets, systems).
        failed: where a score is 0 because the output is missing or invalid, same shape.
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
    """The evident difference of two systems, and the p-value of their failures, nan if these do not decide."""
    change = scores[:, 0] - scores[:, 1]
    events, common = failed[:, 0] != failed[:, 1], ~failed.any(axis=1)
    whole, rest = float(change.mean()), float(change[common].sum() / len(change))
    if events.sum() > common.sum():
        signs = np.sign(change[events])
        p = sign_test(signs.tolist()) if signs.sum() * whole > 0 else None
        return whole, 1.0 if p is None else p
    return (min(whole, rest, key=abs) if whole * rest > 0 else 0.0), np.nan
