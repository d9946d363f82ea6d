"""The study of Kohita, Noji and Matsumoto (2017) on treebanks of UD v2, with separate verdicts."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "kohita-2017-ud2",
    "Kohita, Noji and Matsumoto (2017), their questions on UD v2: content heads and function heads",
    __name__,
    outputs=("*/UD",),
)
