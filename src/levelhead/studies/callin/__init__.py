"""Callin: scores of content and function relations, WLAS, and their correlations over the treebanks of UD 1.2."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "callin",
    "Callin: content and function relations, WLAS, cascading errors",
    __name__,
    inputs=frozenset({"systems", "judgements", "weights"}),
    outputs=("", "arc-eager"),
)
