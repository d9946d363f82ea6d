"""How wrong intervals and tests that resample sentences are, compared with those that resample documents."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "documents-2018",
    "Our own: how wrong intervals and tests that resample sentences of documents are",
    __name__,
)
