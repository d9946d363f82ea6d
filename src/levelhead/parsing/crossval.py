"""Cross-validation, also called jackknifing: all sentences of a treebank parsed by models that have not seen them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace

import numpy as np

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.jobs import Job, StaleInput, Store, Workers, processes, run_jobs
from levelhead.parsing.any_parser import ParsedTreebank, Recipe, parse_any, train_any
from levelhead.parsing.external import OUTSIDE_PARSERS, identity_of
from levelhead.parsing.training import prepared
from levelhead.progress import progress_bar
from levelhead.treebank import Treebank, from_conllu, to_conllu
from levelhead.treebank.places import place_of

_ANY_FOLD = "<treebank>"  # what workers, which are given no path, call it


def cross_validate(
    treebank: Treebank,
    recipe: Recipe,
    *,
    folds: int = 10,
    repair: bool = False,
    workers: Workers | None = None,
    store: Store | None = None,
) -> ParsedTreebank:
    """Return the treebank parsed, each fold by a model trained on the others, and what was repaired.

    Folds are blocks of consecutive sentences of nearly equal number, so that neighbors, which are often of one text,
    are seldom on both sides. The result does not depend on the workers.

    Args:
        treebank: gold trees.
        recipe: what to train.
        folds: how many.
        repair: as in `parse_any`.
        workers: the workers; this process if None.
        store: where finished folds are kept, if anywhere; under the hash of all that decides them, for malt also that
            of MaltParser's file. Results of `command` are not stored: the program may change unnoticed.

    Raises:
        InputError: there are fewer sentences than folds, a parser fails, workers are lost, or the results of `command`
            are to be stored.
        OutputError: the store cannot be written.
    """
    if len(treebank) < folds:
        message = f"{number_of(len(treebank), 'sentence')} cannot be divided into {folds} folds: use fewer folds"
        raise InputError(Fault("too-few-sentences", message, Place(treebank.source.path)))
    prepared(treebank, recipe.relations, "content-head")  # fails before the folds if nothing can be learned
    program = None if store is None else _program(recipe)
    data = to_conllu(treebank)
    outside = recipe.outside._replace(jar=None)  # its contents count, not its path
    settings = json.dumps([VERSION, recipe._replace(outside=outside), program, folds, repair])
    identity = hashlib.sha256(data).hexdigest()
    jobs = [
        Job(
            hashlib.sha256(f"parsed fold {identity} {fold} {settings}".encode()).hexdigest(),
            parse_fold, (data, recipe, fold, folds, repair, program), f"fold {fold + 1}",
        )
        for fold in range(folds)
    ]  # fmt: skip
    with progress_bar("folds", folds, folds) as advance, _placed_in(treebank):
        # One fold, one task: folds are few and long, and would end up with one worker of a cluster otherwise.
        outcome = run_jobs(jobs, (workers or processes(1))._replace(batch=1), store=store, advance=advance)
    if outcome.stale:
        raise InputError(*(Fault("changing-file", stale.message, stale.place) for _, stale in outcome.stale))
    return _joined_folds([outcome.results[job.key] for job in jobs], treebank)


def _program(recipe: Recipe) -> str | None:
    """The identity of an external parser; None for our own, whose version is in every key."""
    return identity_of(recipe.parser, recipe.outside) if recipe.parser in OUTSIDE_PARSERS else None


@contextmanager
def _placed_in(treebank: Treebank) -> Iterator[None]:
    """Place errors of folds in the treebank that these are parts of."""
    try:
        yield
    except InputError as error:
        raise InputError(*(_placed(fault, treebank) for fault in error.faults)) from error


def _placed(fault: Fault, treebank: Treebank) -> Fault:
    """A fault at a word of a fold, where that is in the treebank as it was read; any other as it is."""
    place = fault.place
    if place.file != _ANY_FOLD or place.sentence is None or place.word is None:
        return fault
    return replace(
        fault, place=place_of(treebank, int(treebank.sentence_starts[place.sentence - 1]) + int(place.word) - 1)
    )


def _joined_folds(results: Sequence[bytes], treebank: Treebank) -> ParsedTreebank:
    """The results of all folds; repairs are placed in the treebank, and say in which fold they were."""
    trees, repairs = list[str](), list[Fault]()
    for fold, result in enumerate(results, 1):
        parsed = json.loads(result)
        trees.append(parsed["conllu"])
        for kept in parsed["repairs"]:
            fault = Fault(**{**kept, "place": Place(*kept["place"]), "message": f"fold {fold}, {kept['message']}"})
            repairs.append(_placed(fault, treebank))
    return ParsedTreebank(
        from_conllu("".join(trees).encode(), name=treebank.source.path or "<treebank>"), tuple(repairs)
    )


def parse_fold(data: bytes, recipe: Recipe, fold: int, folds: int, repair: bool, program: str | None) -> bytes:
    """Train on all folds but one, and return that one parsed, and what was repaired, as JSON; workers call this.

    Args:
        data: the treebank as CoNLL-U.
        recipe: what to train.
        fold: which fold to parse, from 0.
        folds: how many there are.
        repair: as in `parse_any`.
        program: the identity of the external parser, if it is part of the key.

    Raises:
        StaleInput: the program is not the one in the key.
    """
    if program is not None and _program(recipe) != program:
        raise StaleInput(f"{recipe.parser} is not the same program everywhere, or changed", "changing-file")
    treebank = from_conllu(data, name=_ANY_FOLD)
    inside = np.arange(len(treebank)) * folds // len(treebank) == fold
    model = train_any(treebank.select(~inside), recipe)
    first = int(np.flatnonzero(inside)[0]) + 1
    parsed = parse_any(model, treebank.select(inside), recipe.outside, repair=repair, first=first)
    repairs = [asdict(fault) for fault in parsed.repairs]
    return json.dumps({"conllu": to_conllu(parsed.treebank).decode(), "repairs": repairs}).encode()
