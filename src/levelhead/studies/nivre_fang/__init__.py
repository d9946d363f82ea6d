"""Nivre and Fang (2017): LAS by class of relations, LAS without classes and relations, CLAS."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "nivre-fang-2017",
    "Nivre and Fang (2017): LAS without classes of relations, CLAS",
    __name__,
    outputs=("", "swap-lazy"),
)
