"""Content-head trees to function-head trees and back, as in Kohita, Noji and Matsumoto (2017)."""

from levelhead.conversion.convert import (
    VARIANTS,
    Targets,
    Variant,
    backward,
    default_targets,
    forward,
    read_targets,
    ud_version,
)
from levelhead.conversion.round_trip import NotRestored, RoundTrip, check_round_trip

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
