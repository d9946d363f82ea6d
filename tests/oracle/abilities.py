"""The additive model of scores from its definition, and the parts of a table that can be compared."""

from collections.abc import Mapping, Sequence
from math import exp, log


def logit(score: float) -> float:
    """Give the logit of a percentage."""
    return log(score / (100 - score))


def percent(value: float) -> float:
    """Give the percentage of a logit."""
    return 100 / (1 + exp(-value))


def additive(scores: Mapping[tuple[str, str], float]) -> tuple[dict[str, float], dict[str, float]]:
    """Give the ability of each system and the easiness of each test set, by unweighted alternating means."""
    systems, codes = sorted({system for system, _ in scores}), sorted({code for _, code in scores})
    ability, easiness = dict.fromkeys(systems, 0.0), dict.fromkeys(codes, 0.0)
    for _ in range(5000):
        for code in codes:
            easiness[code] = mean([logit(v) - ability[s] for (s, c), v in scores.items() if c == code])
        for system in systems:
            ability[system] = mean([logit(v) - easiness[c] for (s, c), v in scores.items() if s == system])
    center = mean(list(ability.values()))
    return {s: v - center for s, v in ability.items()}, {c: v + center for c, v in easiness.items()}


def mean(values: Sequence[float]) -> float:
    """Give the mean of values."""
    return sum(values) / len(values)


def parts(cells: Sequence[tuple[str, str]]) -> list[set[str]]:
    """Give the sets of systems that can be compared, the one with the most cells first."""
    found: list[set[str]] = [{system} for system, _ in dict.fromkeys(cells)]
    for code in {code for _, code in cells}:
        there = {system for system, own in cells if own == code}
        joined = {system for part in found if part & there for system in part}
        found = [part for part in found if not part & there] + [joined]
    unique = [set(part) for part in {frozenset(part) for part in found}]
    return sorted(unique, key=lambda part: -sum(system in part for system, _ in cells))
