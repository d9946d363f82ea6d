"""The description of a study: its name, topic and inputs. The package of each study defines one as `SPEC`."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from levelhead.studies.request import StudyRequest
    from levelhead.studies.study import Study


class StudySpec(NamedTuple):
    """The description of a study.

    Args:
        name: its name on the command line.
        about: the paper and its topic, for the help text.
        package: the package with the module `study`, whose function `reproduce` takes a `StudyRequest`.
        inputs: the fields of `StudyRequest` with the files that it reads besides treebanks; others are ignored.
        outputs: patterns of the subfolders of `systems` in which it looks for outputs; "" is the folder itself.
    """

    name: str
    about: str
    package: str
    inputs: frozenset[str] = frozenset({"systems"})
    outputs: tuple[str, ...] = ("*",)

    def run(self, request: StudyRequest) -> Study:
        """Return the results of the study.

        Args:
            request: the inputs and settings.

        Raises:
            InputError: an input is missing or invalid.
        """
        study: Study = resolve_name(f"{self.package}.study:reproduce")(request)
        return study
