"""The settings of confidence intervals of parts of a score."""

from __future__ import annotations

from typing import NamedTuple

from levelhead.significance.units import AUTO


class Intervals(NamedTuple):
    """The settings of confidence intervals.

    Args:
        resample_by: the units, see `levelhead.significance.units_of`.
        level: the confidence level.
    """

    resample_by: str = AUTO
    level: float = 0.95

    @property
    def signature(self) -> dict[str, str]:
        """Their parts of a signature."""
        return {"level": f"{self.level:g}", "resample-by": self.resample_by}


STANDARD_INTERVALS = Intervals()
"""95% intervals, by document if gold marks documents."""
