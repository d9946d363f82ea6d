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
    """Return a replication of a paper on given treebanks: published and new numbers, and a verdict on each claim.

    Args:
        paper: the name of a study in `levelhead.studies.STUDIES`.
        treebanks: folders of treebanks (`xx-ud-train.conllu` ...), or files.
        systems: a folder with the outputs of a parser, or with a folder for each parser; without it, parsers are
            trained briefly.
        judgments: a folder with a folder for each language, such as `en`, which has the files `gold.conll`,
            `parser1.conll` and `parser2.conll`, and human judgments in `prediction` (study callin).
        scores: a table of published scores (study conll17).
        weights: weights of relations for WLAS, instead of the entropies of the training sets (study callin).
        quick: use few resamples, and test sets instead of missing training sets, to check that everything works.
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
