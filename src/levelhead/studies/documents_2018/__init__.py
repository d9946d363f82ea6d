"""Documents against sentences: how wrong intervals and tests are that resample sentences."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "documents-2018",
    "Our own: how wrong intervals and tests are that resample sentences of documents",
    __name__,
)
