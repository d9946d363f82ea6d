"""Replications of papers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from levelhead import studies
from levelhead.api.inputs import PathLike, running
from levelhead.api.parameters import public
from levelhead.jobs import Store, Workers
from levelhead.studies import Study
from levelhead.studies.request import built_in


@public()
def reproduce(
    paper: str,
    treebanks: PathLike | Iterable[PathLike] = (),
    *,
    systems: PathLike | None = None,
    judgments: PathLike | None = None,
    scores: PathLike | None = None,
    weights: PathLike | None = None,
    quick: bool = False,
    outputs: PathLike | None = None,
    seed: int = 1,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Study:
    """Replicate a paper on your treebanks, and return published and new numbers with a verdict on each claim.

    Args:
        paper: the name of a study in `levelhead.studies.STUDIES`.
        treebanks: treebanks (`xx-ud-train.conllu` ...), or folders of treebanks.
        systems: a folder with a parser's outputs, or with a subfolder for each parser; by default outputs of
            levelhead's parsers after brief training.
        judgments: a folder of human judgments for the study callin. Its subfolder for each language, such as `en`, has
            the files `gold.conll`, `parser1.conll`, `parser2.conll` and `prediction` (the judgments).
        scores: a table of published scores for the study conll17.
        weights: weights of relations for WLAS in the study callin; by default entropies from the training sets.
        quick: only check that everything works. This uses few resamples, and replaces missing training sets by
            development or test sets.
        outputs: keep the outputs of levelhead's parsers in this folder.

    Raises:
        InputError: the study is unknown, an input is missing, or a file is invalid.
    """
    paths: Iterable[PathLike] = [treebanks] if isinstance(treebanks, str | os.PathLike) else treebanks
    of_systems, votes, table, weights_file = (
        None if path is None else Path(path) for path in (systems, judgments, scores, weights)
    )
    with running(jobs, store, cluster) as how, TemporaryDirectory(prefix="levelhead-") as folder:
        request = studies.StudyRequest(
            tuple(map(Path, paths)), of_systems, votes, table, weights_file, quick,
            trainer=built_in, outputs=Path(folder) if outputs is None else Path(outputs), seed=seed, **how,
        )  # fmt: skip
        return studies.reproduce(paper, request)
