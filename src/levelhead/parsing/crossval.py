"""Cross-validation, also called jackknifing: all sentences of a treebank parsed by models that have not seen them."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError
from levelhead.jobs import Job, Store, Workers, processes, run
from levelhead.parsing.any_parser import Recipe, parse_any, train_any
from levelhead.progress import progress_bar
from levelhead.treebank import Treebank, parse, to_conllu


def cross_validate(
    treebank: Treebank,
    recipe: Recipe,
    *,
    folds: int = 10,
    repair: bool = False,
    workers: Workers | None = None,
    store: Store | None = None,
) -> Treebank:
    """Return the treebank parsed: each fold by a model trained on the others.

    Folds are blocks of consecutive sentences of nearly equal number, so that neighbours, which are often of one text,
    are seldom on both sides. The result does not depend on the workers.

    Args:
        treebank: gold trees.
        recipe: what to train.
        folds: how many.
        repair: as in `parse_any`.
        workers: who does the work; this process if None.
        store: where finished folds are kept, if anywhere.

    Raises:
        InputError: there are fewer sentences than folds, a parser fails, or workers are lost.
        OutputError: the store cannot be written.
    """
    if len(treebank) < folds:
        message = f"there are {len(treebank)} sentences for {folds} folds"
        raise InputError(Fault("too-few-sentences", message))
    data = to_conllu(treebank)
    settings = json.dumps([VERSION, recipe, folds, repair], sort_keys=True)
    identity = hashlib.sha256(data).hexdigest()
    jobs = [
        Job(
            hashlib.sha256(f"crossval {identity} {fold} {settings}".encode()).hexdigest(),
            parse_fold, (data, recipe, fold, folds, repair), f"fold {fold + 1}",
        )
        for fold in range(folds)
    ]  # fmt: skip
    with progress_bar("folds", folds, folds) as advance:
        outcome = run(jobs, workers or processes(1), store=store, advance=advance)
    return parse(b"".join(outcome.results[job.key] for job in jobs), name=treebank.source.path or "<treebank>")


def parse_fold(data: bytes, recipe: Recipe, fold: int, folds: int, repair: bool) -> bytes:
    """Train on all folds but one, and return that one parsed, as CoNLL-U; workers call this.

    Args:
        data: the treebank as CoNLL-U.
        recipe: what to train.
        fold: which fold to parse, from 0.
        folds: how many there are.
        repair: as in `parse_any`.
    """
    treebank = parse(data)
    inside = np.arange(len(treebank)) * folds // len(treebank) == fold
    model = train_any(treebank.select(~inside), recipe)
    return to_conllu(parse_any(model, treebank.select(inside), recipe.outside, repair=repair).treebank)
