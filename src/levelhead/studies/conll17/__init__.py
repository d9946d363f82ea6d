"""The CoNLL 2017 shared task: tests of the statements on its evaluation page, and its result tables recomputed."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "conll17",
    "The evaluation of the CoNLL 2017 shared task",
    __name__,
    inputs=frozenset({"systems", "scores"}),
    outputs=("", "*"),
)
