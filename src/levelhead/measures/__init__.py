"""All measures: the registry, and custom measures and schemes. Shipped definitions: `scoring.measure_definitions`."""

from levelhead.measures.registry import Registry

__all__ = [
    "Registry",
]
