"""How confidence intervals of parts of a score are computed."""

from __future__ import annotations

from typing import NamedTuple

from levelhead.significance.units import AUTO


class Intervals(NamedTuple):
    """How confidence intervals are computed.

    Args:
        resample_by: the units, see `levelhead.significance.units_of`.
        level: the confidence level.
    """

    resample_by: str = AUTO
    level: float = 0.95

    @property
    def signature(self) -> dict[str, str]:
        """What they add to a signature."""
        return {"level": f"{self.level:g}", "resample-by": self.resample_by}


STANDARD_INTERVALS = Intervals()
"""Intervals of 95%, by document where gold marks them."""
