"""Typical deviations of the difference between two systems over units, for planning without files.

`scripts/full/typical_variances.py` measured them on the outputs of the CoNLL 2018 shared task.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

_TABLE = Path(__file__).with_name("typical_variances.tsv")


class TypicalDeviation(NamedTuple):
    """The standard deviation of the difference between two systems for one unit, over test sets.

    Args:
        unit: the unit of the test set.
        measure: the measure.
        n_test_sets: the number of test sets on which it was measured.
        low: the lower quartile over test sets, a ratio.
        median: the median.
        high: the upper quartile.
        evenness: the median of the effective number of units as a share of their number.
    """

    unit: Literal["sentence", "document"]
    measure: str
    n_test_sets: int
    low: float
    median: float
    high: float
    evenness: float


def typical_deviations() -> tuple[TypicalDeviation, ...]:
    """Return the measured deviations of every unit and measure."""
    _, *rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return tuple(_deviation(*row) for row in rows)


def _deviation(unit: str, measure: str, n_test_sets: str, *numbers: str) -> TypicalDeviation:
    low, median, high, evenness = map(float, numbers)
    kind: Literal["sentence", "document"] = "document" if unit == "document" else "sentence"
    return TypicalDeviation(kind, measure, int(n_test_sets), low / 100, median / 100, high / 100, evenness)
