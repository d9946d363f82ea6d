"""Where one system beats another: by any property of words, and sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from levelhead.analysis import break_down
from levelhead.analysis.buckets import Settings
from levelhead.comparison import Output
from levelhead.measures import STANDARD, Registry
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Measure
from levelhead.scoring.score import Score, count


class Gain(NamedTuple):
    """One bucket of words, one system.

    Args:
        values: the value of each property.
        system: the system.
        baseline: the baseline's score in the bucket.
        score: the system's.
    """

    values: tuple[str, ...]
    system: str
    baseline: Score
    score: Score

    @property
    def more_correct(self) -> float:
        """How many more words the system gets right: what the bucket gives to the difference of the whole."""
        return self.score.correct - self.baseline.correct

    @property
    def difference(self) -> float | None:
        """The difference of the values."""
        one, other = self.score.value, self.baseline.value
        return None if one is None or other is None else one - other


class Contrast(NamedTuple):
    """One gold sentence on which two systems differ.

    Args:
        sentence: its index.
        baseline: how many words the baseline gets right.
        system: how many the system.
    """

    sentence: int
    baseline: int
    system: int


def gains_by(
    outputs: Sequence[Output], measure: Measure, by: Sequence[str], settings: Settings, registry: Registry = STANDARD
) -> list[Gain]:
    """Break a measure down for every system, and set each beside the first.

    Args:
        outputs: the outputs on one treebank, the baseline first.
        measure: a measure of words.
        by: properties, see `break_down`.
        settings: what properties may need.
        registry: the measures and schemes that there are.

    Returns:
        The buckets, the largest gains in words first.
    """
    first, *others = outputs
    broken = {one.name: dict(break_down(one.matches, measure, by, settings, registry=registry).rows) for one in outputs}
    nothing = Score(measure, 0, 0, 0, 0, first.matches.rules.undefined)
    found = [
        Gain(values, one.name, broken[first.name].get(values, nothing), broken[one.name].get(values, nothing))
        for one in others
        for values in dict.fromkeys([*broken[first.name], *broken[one.name]])
    ]
    return sorted(found, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def contrasts(
    baseline: Matches, system: Matches, measure: Measure, how_many: int, registry: Registry = STANDARD
) -> tuple[list[Contrast], list[Contrast]]:
    """Give the sentences in which a system gains most, and those in which it loses most.

    Args:
        baseline: the baseline's words, aligned to gold's.
        system: the system's, likewise.
        measure: a measure of words.
        how_many: how many sentences of each kind.
        registry: the measures and schemes that there are.
    """
    definition = registry.measures[measure.name]
    one, other = (
        count(matches, measure, definition, schemes=registry.schemes, by_sentence=True).correct
        for matches in (baseline, system)
    )
    change = other - one
    order = np.argsort(-change, kind="stable").tolist()
    gained = [i for i in order if change[i] > 0][:how_many]
    lost = [i for i in reversed(order) if change[i] < 0][:how_many]
    return tuple([Contrast(i, int(one[i]), int(other[i])) for i in some] for some in (gained, lost))  # type: ignore[return-value]
