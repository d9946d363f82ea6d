"""Replications of papers: the printed numbers next to ours, and a verdict on each claim."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.studies import (
    callin,
    conll17,
    documents_2018,
    kohita,
    kohita_ud2,
    measures_2018,
    nivre_fang,
    sogaard_haulrich,
)
from levelhead.studies.request import StudyRequest, Trainer
from levelhead.studies.spec import StudySpec
from levelhead.studies.study import Claim, Study, StudySection
from levelhead.studies.treebank_parts import check_outputs, parts_of

_FOLDERS = (nivre_fang, callin, conll17, kohita, kohita_ud2, sogaard_haulrich, measures_2018, documents_2018)

STUDIES: Mapping[str, StudySpec] = MappingProxyType({folder.SPEC.name: folder.SPEC for folder in _FOLDERS})
"""Every study by its name."""

__all__ = ["STUDIES", "Claim", "Study", "StudyRequest", "StudySection", "StudySpec", "Trainer", "reproduce"]


def reproduce(name: str, request: StudyRequest) -> Study:
    """Run a study and return its results. Inputs that the study does not use are ignored.

    Args:
        name: one of `STUDIES`.
        request: the inputs and settings.

    Raises:
        InputError: the study is unknown, an input is missing, or a file is invalid.
    """
    if name not in STUDIES:
        raise InputError(Fault("unknown-study", unknown("study", name, STUDIES)))
    spec = STUDIES[name]
    for field in sorted(spec.inputs):
        _check(field, getattr(request, field))
    if request.systems is not None and request.treebanks:
        check_outputs(request.systems, parts_of(request), spec.outputs)
    return spec.run(request)


def _check(field: str, path: Path | None) -> None:
    """Raise an InputError if the file or folder of an input does not exist."""
    folder = field in {"systems", "judgements"}
    if path is not None and not (path.is_dir() if folder else path.is_file()):
        message = f"{'folder' if folder else 'file'} of {field} not found"
        raise InputError(Fault("unreadable-file", message, Place(os.fspath(path))))
