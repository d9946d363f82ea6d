"""Content-head trees to function-head trees and back, as in Kohita, Noji and Matsumoto (2017)."""

from levelhead.conversion.convert import VARIANTS, Variant, backward, forward, ud_version
from levelhead.conversion.round_trip import NotRestored, RoundTrip, check_round_trip
from levelhead.conversion.targets import Targets, default_targets, read_targets

__all__ = [
    "VARIANTS",
    "NotRestored",
    "RoundTrip",
    "Targets",
    "Variant",
    "backward",
    "check_round_trip",
    "default_targets",
    "forward",
    "read_targets",
    "ud_version",
]
