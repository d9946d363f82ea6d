"""The evaluation of the CoNLL 2017 shared task: the statements of its page executed, its tables from files."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "conll17",
    "The evaluation of the CoNLL 2017 shared task",
    __name__,
    inputs=frozenset({"systems", "scores"}),
    outputs=("", "*"),
)
