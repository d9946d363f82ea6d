"""Replications of papers: the printed numbers next to ours, and a verdict on each claim."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pkgutil import resolve_name
from types import MappingProxyType

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place, unknown
from levelhead.studies.request import StudyRequest, Trainer, outputs_in, parts_of
from levelhead.studies.study import Claim, Study, StudySection, StudySpec

STUDIES: Mapping[str, StudySpec] = MappingProxyType(
    {
        "nivre-fang-2017": StudySpec(
            "levelhead.studies.nivre_fang:reproduce",
            outputs=("", "swap-lazy"),
            main_claim="LAS favors languages with many function words",
        ),
        "callin": StudySpec(
            "levelhead.studies.callin:reproduce",
            inputs=frozenset({"systems", "judgments", "weights"}),
            outputs=("", "arc-eager"),
            main_claim="Scores rise with the share of function relations",
        ),
        "conll17": StudySpec(
            "levelhead.studies.conll17:reproduce",
            inputs=frozenset({"systems", "scores"}),
            outputs=("", "*"),
            main_claim="Systems are ranked by the macro-average",
        ),
        "kohita-2017": StudySpec(
            "levelhead.studies.kohita:reproduce",
            outputs=("*/UD",),
            main_claim="Parsing through function heads improves LAS",
        ),
        "kohita-2017-ud2": StudySpec(
            "levelhead.studies.kohita:reproduce_ud2",
            outputs=("*/UD",),
            main_claim="Parsing through function heads improves LAS",
        ),
        "sogaard-haulrich": StudySpec(
            "levelhead.studies.sogaard_haulrich:reproduce",
            main_claim="Size over derivation perplexity correlates with accuracy",
        ),
        "measures-2018": StudySpec(
            "levelhead.studies.measures_2018:reproduce",
            main_claim="CLAS separates fewer pairs of systems than LAS",
        ),
        "documents-2018": StudySpec(
            "levelhead.studies.documents_2018:reproduce",
            main_claim="Percentile bootstrap intervals of LAS over sentences",
        ),
    }
)

__all__ = ["STUDIES", "Claim", "Study", "StudyRequest", "StudySection", "StudySpec", "Trainer", "reproduce"]


def reproduce(name: str, request: StudyRequest) -> Study:
    """Run the study `name` of `STUDIES` and return its results; unused inputs in `request` are ignored.

    Raises:
        InputError: the study is unknown, an input is missing, or a file is invalid.
    """
    if name not in STUDIES:
        raise InputError(Fault("unknown-study", unknown("study", name, STUDIES)))
    spec = STUDIES[name]
    for field in sorted(spec.inputs):
        path, kind = getattr(request, field), "folder" if field in {"systems", "judgments"} else "file"
        if path is not None and not (path.is_dir() if kind == "folder" else path.is_file()):
            raise InputError(Fault("unreadable-file", f"{kind} of {field} not found", Place(os.fspath(path))))
    if request.systems is not None and request.treebanks:
        codes = list(parts_of(request))
        inside = [path for name in spec.outputs for path in (request.systems.glob(name) if name else [request.systems])]
        if not any(outputs_in(path, codes) for path in inside):
            few = ", ".join(codes[:6]) + (" and so on" if len(codes) > 6 else "")
            message = f"no file in this folder is named after a treebank ({few})"
            raise InputError(Fault("missing-system-file", message, Place(os.fspath(request.systems))))
    study: Study = resolve_name(spec.function)(request)
    seed = {"seed": str(request.seed)}
    signature = {**({"quick": "yes"} if request.quick else {}), **seed, **study.signature, "version": VERSION}
    return replace(study, main_claim=spec.main_claim, signature=signature)
