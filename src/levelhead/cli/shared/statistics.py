"""The options of intervals and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.values import limited

if TYPE_CHECKING:
    from levelhead.significance import InferenceSettings


class Statistics(NamedTuple):
    """The values of these options.

    Args:
        resamples: the number of permutations.
        resample_by: the independent units.
        seed: the random seed.
        level: the confidence level of intervals.
    """

    resamples: int
    resample_by: str
    seed: int
    level: float

    def settings(self, margin: float | None = None) -> InferenceSettings:
        """Return the settings of tests."""
        from levelhead.significance import InferenceSettings

        return InferenceSettings(self.resamples, self.seed, self.level, margin, self.resample_by)


_RESAMPLES: Decorator = click.option(
    "--resamples", type=limited("resamples"), default=10_000, show_default=True,
    help="Number of random permutations",
)  # fmt: skip

statistics_options: Decorator = grouped(
    "statistics",
    Statistics,
    (_RESAMPLES, options.resample_by_option, options.seed_option, options.level_option),
)
"""The options of intervals and tests, passed to a command as the argument `statistics`."""
