"""Which systems of a ranking differ: failed outputs, tests of all pairs, rank sets, letters and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from string import ascii_letters
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import corrected, sign_test
from levelhead.significance.estimates import Estimate
from levelhead.significance.resampling import Sums
from levelhead.significance.scopes import Scope

Flags = NDArray[np.bool_]


def evidence(scores: Sums, failed: Flags) -> tuple[Sums, Sums]:
    """Return the tested differences of all pairs of systems (row minus column), and p-values of tests of failures.

    The evident difference of two averages is the smaller of two differences if they agree in sign, otherwise 0: the
    difference with zeros for failures, and the difference on the test sets where neither output failed. If one of the
    two systems failed on more test sets than neither did, the pair is tested by a sign test of its failures, each of
    which is one event.
    """
    averages = scores.mean(axis=0)
    differences = averages[:, None] - averages
    failure_p = np.full_like(differences, np.nan)
    for pair in zip(*np.nonzero((failed[:, :, None] != failed[:, None, :]).any(axis=0)), strict=True):
        change = scores[:, pair[0]] - scores[:, pair[1]]
        (fails, other_fails) = failed[:, list(pair)].T
        events = fails != other_fails
        common = ~(fails | other_fails)
        whole, rest = float(change.mean()), float(change[common].sum() / len(change))
        if events.sum() > common.sum():
            signs = np.sign(change[events])
            p = sign_test(signs.tolist()) if signs.sum() * whole > 0 else None
            differences[pair], failure_p[pair] = whole, 1.0 if p is None else p
        else:
            differences[pair] = min(whole, rest, key=abs) if whole * rest > 0 else 0.0
    return differences, failure_p


def compact_letters(differ: Flags) -> list[str]:
    """Return the letters of each system: two systems share a letter if and only if they do not differ significantly.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons. Here each letter
    is a maximal group around a pair that shares no letter yet, so there are never more letters than pairs.
    """
    alike = ~(differ | differ.T)
    missing, letters, count = alike.copy(), [""] * len(alike), 0
    for number in range(len(alike)):
        while missing[number].any():
            group = sorted({number, int(np.flatnonzero(missing[number])[-1])})
            for system in range(len(alike)):  # that differs from none in the group
                if system not in group and alike[system, group].all():
                    group.append(system)
            missing[np.ix_(group, group)] = False
            turn, place = divmod(count, len(ascii_letters))  # from a to z, from A to Z, then a1 and so on
            for system in group:
                letters[system] += f"{ascii_letters[place]}{turn or ''}"
            count += 1
    return letters


class PairTests(NamedTuple):
    """The tests of all pairs of systems in one scope."""

    # whether a system (row) is significantly better than another (column), bool, shape (systems, systems)
    better: Flags
    # the p-value of each pair of systems, the first in their order before the other, corrected for the number of
    # pairs; None if it cannot be tested
    p: Mapping[tuple[int, int], float | None]
    # the differences of two systems with a unit that causes more than a third of their variance
    influenced: tuple[tuple[tuple[int, int], Estimate], ...]

    def ranks(self, system: int) -> tuple[int, int]:
        """Return the best and the worst rank of a system; the ranks of all systems hold jointly.

        The ranks are below all systems that are significantly better, and above all that are significantly worse
        (Mogstad, Romano, Shaikh and Wilhelm 2024).
        """
        return 1 + int(self.better[:, system].sum()), len(self.better) - int(self.better[system].sum())

    def letters(self, order: Sequence[int]) -> list[str]:
        """Return the letters of systems in their order, see `compact_letters`."""
        return compact_letters(self.better[np.ix_(order, order)])

    def lines(self, order: Sequence[int]) -> frozenset[int]:
        """Return the places after which neighbors differ significantly."""
        differ = self.better | self.better.T
        return frozenset(place for place, pair in enumerate(pairwise(order), 1) if differ[pair])


def compare_pairs(scope: Scope, failed: Flags, level: float) -> PairTests | None:
    """Return joint tests of all pairs of systems, given which failed, shape (test sets, systems); None if few units."""
    systems = range(failed.shape[1])
    if not all(estimate.has_tests for _, estimate in scope.with_spreads([[[s]] for s in systems], 0)):
        return None
    pairs = list(combinations(systems, 2))
    evident, failure_p = evidence(scope.scores[:, :, 0], failed)
    better = np.zeros(evident.shape, dtype=bool)
    p_values = dict[tuple[int, int], float | None]()
    influenced: list[tuple[tuple[int, int], Estimate]] = []
    for pair, (part, estimate) in _differences(scope, pairs, failed).items():
        tested = _moved(estimate, float(evident[pair]) * len(failed) / len(part.test_sets) - estimate.value)
        p = tested.p() if np.isnan(failure_p[pair]) else float(failure_p[pair])
        p_values[pair] = p = corrected(p, len(pairs))
        if p is not None and p < round(1 - level, 12):
            better[pair if evident[pair] > 0 else pair[::-1]] = True
        if tested.influence:
            influenced.append((pair, tested))
    return PairTests(better, p_values, tuple(influenced))


def _differences(
    scope: Scope, pairs: Sequence[tuple[int, int]], failed: Flags
) -> dict[tuple[int, int], tuple[Scope, Estimate]]:
    """The difference of each pair on the test sets where neither failed, or on all if there are none."""
    groups = dict[bytes, list[tuple[int, int]]]()
    for pair in pairs:
        groups.setdefault(failed[:, pair].any(axis=1).tobytes(), []).append(pair)
    found = dict[tuple[int, int], tuple[Scope, Estimate]]()
    for flags, some in groups.items():
        common = ~np.frombuffer(flags, dtype=bool)
        part = scope.on(common) if common.any() else scope
        estimates = part.estimates([[[one], [other]] for one, other in some], 0)
        found |= {pair: (part, estimate) for pair, estimate in zip(some, estimates, strict=True)}
    return {pair: found[pair] for pair in pairs}


def _moved(estimate: Estimate, change: float) -> Estimate:
    """An estimate whose value changes, also without the most influential unit."""
    moved, influence = estimate._replace(value=estimate.value + change), estimate.influence
    return moved._replace(influence=influence and influence._replace(without=_moved(influence.without, change)))
