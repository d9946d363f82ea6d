"""Comparisons of systems, languages, annotations and versions, and the sentences in which systems differ."""

from levelhead.comparison.systems import Comparison, compare

__all__ = ["Comparison", "compare"]
