"""Studies: the experiments of papers, run again, with every printed number beside ours and a verdict on each claim."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType

from levelhead.errors import Fault, InputError
from levelhead.studies.request import Request, Trainer
from levelhead.studies.study import Claim, Section, Study

STUDIES: Mapping[str, str] = MappingProxyType(
    {
        "nivre-fang-2017": "Nivre and Fang (2017): LAS without classes of relations, CLAS",
        "callin": "Callin: content and function relations, WLAS, cascading errors",
        "conll17": "The evaluation of the CoNLL 2017 shared task",
        "kohita-2017": "Kohita, Noji and Matsumoto (2017): content heads and function heads",
        "sogaard-haulrich": "Søgaard and Haulrich: derivation perplexity",
        "measures-2018": "Our own: which measure separates the systems of the CoNLL 2018 shared task best",
    }
)
"""Every study and what it is about."""

_MODULES = {
    "nivre-fang-2017": "nivre_fang", "callin": "callin", "conll17": "conll17", "kohita-2017": "kohita",
    "sogaard-haulrich": "sogaard_haulrich", "measures-2018": "measures_2018",
}  # fmt: skip

__all__ = ["STUDIES", "Claim", "Request", "Section", "Study", "Trainer", "reproduce"]


def reproduce(name: str, request: Request) -> Study:
    """Run a study.

    Args:
        name: one of `STUDIES`.
        request: what to run it on.

    Raises:
        InputError: there is no such study, something that it needs is missing, or a file is not valid.
    """
    if name not in STUDIES:
        raise InputError(Fault("unknown-study", f"there is no study {name!r}; there are {', '.join(STUDIES)}"))
    study: Study = importlib.import_module(f"levelhead.studies.{_MODULES[name]}").reproduce(request)
    return study
