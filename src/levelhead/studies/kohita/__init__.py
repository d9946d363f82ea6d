"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, and whether parsers gain from it."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "kohita-2017",
    "Kohita, Noji and Matsumoto (2017): content heads and function heads",
    __name__,
    outputs=("*/UD",),
)
