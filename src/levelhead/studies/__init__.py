"""Replications of papers: every printed number next to ours, and a verdict on each claim."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.studies.request import StudyRequest, Trainer
from levelhead.studies.study import Claim, Study, StudySection
from levelhead.studies.treebank_parts import check_outputs, parts_of

STUDIES: Mapping[str, str] = MappingProxyType(
    {
        "nivre-fang-2017": "Nivre and Fang (2017): LAS without classes of relations, CLAS",
        "callin": "Callin: content and function relations, WLAS, cascading errors",
        "conll17": "The evaluation of the CoNLL 2017 shared task",
        "kohita-2017": "Kohita, Noji and Matsumoto (2017): content heads and function heads",
        "sogaard-haulrich": "Søgaard and Haulrich: derivation perplexity",
        "measures-2018": "Our own: which measure separates the systems of the CoNLL 2018 shared task best",
        "documents-2018": "Our own: how wrong intervals and tests are that resample sentences of documents",
    }
)
"""Every study and what it is about."""

_MODULES = {
    "nivre-fang-2017": "nivre_fang.study", "callin": "callin.study", "conll17": "conll17",
    "kohita-2017": "kohita.study", "sogaard-haulrich": "sogaard_haulrich.study", "measures-2018": "measures_2018.study",
    "documents-2018": "documents_2018.study",
}  # fmt: skip

_USED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "nivre-fang-2017": frozenset({"systems"}),
        "callin": frozenset({"systems", "judgements", "weights"}),
        "conll17": frozenset({"systems", "scores"}),
        "kohita-2017": frozenset({"systems"}),
        "sogaard-haulrich": frozenset({"systems"}),
        "measures-2018": frozenset({"systems"}),
        "documents-2018": frozenset({"systems"}),
    }
)
"""What each study uses besides treebanks."""

_WHERE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "nivre-fang-2017": ("", "swap-lazy"),
        "callin": ("", "arc-eager"),
        "conll17": ("", "*"),
        "kohita-2017": ("*/UD",),
        "sogaard-haulrich": ("*",),
        "measures-2018": ("*",),
        "documents-2018": ("*",),
    }
)
"""In which folders of `systems` each study finds outputs."""

__all__ = ["STUDIES", "Claim", "Study", "StudyRequest", "StudySection", "Trainer", "reproduce"]


def reproduce(name: str, request: StudyRequest) -> Study:
    """Run a study.

    Args:
        name: one of `STUDIES`.
        request: what to run it on.

    Raises:
        InputError: the study is unknown, an input is missing or not used by the study, or a file is
            not valid.
    """
    if name not in STUDIES:
        raise InputError(Fault("unknown-study", unknown("study", name, STUDIES)))
    for given in ("systems", "judgements", "scores", "weights"):
        _check(name, given, getattr(request, given))
    if request.systems is not None:
        if not request.treebanks:
            raise InputError(Fault("unused-input", "systems change nothing without treebanks"))
        check_outputs(request.systems, parts_of(request), _WHERE[name])
    study: Study = importlib.import_module(f"levelhead.studies.{_MODULES[name]}").reproduce(request)
    return study


def _check(name: str, given: str, path: Path | None) -> None:
    """Raise an InputError if a study does not use what is given, or if it is not there."""
    if path is None:
        return
    if given not in _USED[name]:
        raise InputError(Fault("unused-input", f"{name} does not use {given}", Place(os.fspath(path))))
    folder = given in {"systems", "judgements"}
    if not (path.is_dir() if folder else path.is_file()):
        message = f"{'folder' if folder else 'file'} of {given} not found"
        raise InputError(Fault("unreadable-file", message, Place(os.fspath(path))))
