"""Søgaard and Haulrich: string and derivation perplexities of treebanks, and how well they predict accuracy."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "sogaard-haulrich",
    "Søgaard and Haulrich: derivation perplexity",
    __name__,
)
