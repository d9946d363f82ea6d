"""The questions of Kohita, Noji and Matsumoto (2017), asked of treebanks of UD v2."""

from levelhead.studies.spec import StudySpec

SPEC = StudySpec(
    "kohita-2017-ud2",
    "Kohita, Noji and Matsumoto (2017) on UD v2: content heads and function heads",
    __name__,
    outputs=("*/UD",),
)
