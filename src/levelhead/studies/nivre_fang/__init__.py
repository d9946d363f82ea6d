"""Nivre and Fang (2017): CLAS, LAS of each class of relations, and LAS without classes and relations."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "nivre-fang-2017",
    "Nivre and Fang (2017): LAS without classes of relations, CLAS",
    __name__,
    outputs=("", "swap-lazy"),
)
