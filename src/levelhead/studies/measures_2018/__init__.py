"""Which measure separates systems best: a study of the outputs of the CoNLL 2018 shared task."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "measures-2018",
    "Our own: which measure separates the systems of the CoNLL 2018 shared task best",
    __name__,
)
