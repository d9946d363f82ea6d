"""All measures: the registry, and the measures and schemes of users. Definitions: `scoring.measure_definitions`."""

from levelhead.measures.registry import (
    REGISTRY,
    STANDARD,
    Registry,
    find_definition,
    lower_is_better,
    parse_measure,
    qualified,
    split_measures,
)

__all__ = [
    "REGISTRY",
    "STANDARD",
    "Registry",
    "find_definition",
    "lower_is_better",
    "parse_measure",
    "qualified",
    "split_measures",
]
