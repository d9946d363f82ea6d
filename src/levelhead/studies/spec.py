"""What a study is called, what it is about, and what it reads; the folder of each study has one such value."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from levelhead.studies.request import StudyRequest
    from levelhead.studies.study import Study


class StudySpec(NamedTuple):
    """A study.

    Args:
        name: its name on the command line.
        about: the paper, and what it is about.
        package: the package with the module `study`, whose function `reproduce` takes a `StudyRequest`.
        inputs: the fields of `StudyRequest` with files that it reads besides treebanks; others have no effect.
        outputs: in which folders of `systems` it finds outputs, as patterns; "" is the folder itself.
    """

    name: str
    about: str
    package: str
    inputs: frozenset[str] = frozenset({"systems"})
    outputs: tuple[str, ...] = ("*",)

    def run(self, request: StudyRequest) -> Study:
        """Return the results of the study.

        Args:
            request: what to run it on.

        Raises:
            InputError: an input is missing or not valid.
        """
        study: Study = resolve_name(f"{self.package}.study:reproduce")(request)
        return study
