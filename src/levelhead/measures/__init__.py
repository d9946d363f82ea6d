"""All measures: the registry, and custom measures and schemes. Shipped definitions: `scoring.measure_definitions`."""

from levelhead.measures.registry import (
    REGISTRY,
    STANDARD,
    Registry,
    lower_is_better,
    parse_measure,
    qualified,
    split_measures,
)

__all__ = [
    "REGISTRY",
    "STANDARD",
    "Registry",
    "lower_is_better",
    "parse_measure",
    "qualified",
    "split_measures",
]
