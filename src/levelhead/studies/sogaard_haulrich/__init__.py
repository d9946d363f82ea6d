"""Søgaard and Haulrich: how well the string and derivation perplexities of treebanks predict parsing accuracy."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "sogaard-haulrich",
    "Søgaard and Haulrich: derivation perplexity",
    __name__,
)
