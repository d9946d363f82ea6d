"""Several outputs compared: systems, languages, annotations, and the sentences in which systems differ."""

from levelhead.comparison.systems import Comparison, compare

__all__ = ["Comparison", "compare"]
