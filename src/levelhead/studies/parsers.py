"""The outputs of parsers: read from a given folder, or made by parsers that the study trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Literal

import numpy as np

from levelhead.conversion import forward
from levelhead.errors import Fault, InputError
from levelhead.parsing import ENSEMBLE, Recipe, Schedule, parse_any, train
from levelhead.studies.request import Parts, StudyRequest, Trainer, outputs_in, read_treebank, run_tasks
from levelhead.treebank import Treebank, to_conllu
from levelhead.treebank.write import replace_file

Heads = Literal["UD", "CONV"]  # content-head trees, or function-head trees


def outputs_of(
    request: StudyRequest, parser: str, treebanks: Mapping[str, Parts], *, on: str = "test", heads: Heads | None = None
) -> dict[str, Path]:
    """Return a parser's output file for each treebank, given (in its subfolder, or directly in the folder) or made."""
    if request.systems is not None:
        folder = request.systems / parser
        folder = folder if folder.is_dir() else request.systems
        return outputs_in(folder / heads if heads else folder, treebanks)
    if request.trainer is None:
        return {}
    if request.outputs is None:
        raise InputError(Fault("no-outputs-folder", "training parsers requires a folder for the outputs"))
    folder = request.outputs / parser / (heads or "")
    folder.mkdir(parents=True, exist_ok=True)
    settings = (f"{request.trainer.__module__}:{request.trainer.__name__}", parser, heads == "CONV")
    arguments = {
        code: (parts.training, parts.dev if parts.dev != parts.parsed(on) else None, parts.parsed(on), *settings)
        for code, parts in treebanks.items()
        if parts.train or request.quick
    }
    texts = run_tasks(f"training {parser} {heads or ''}".strip(), _train_and_parse, arguments, request)
    for code, text in texts.items():
        replace_file(folder / f"{code}.conllu", [text.encode()])
    return {code: folder / f"{code}.conllu" for code in texts}


def _train_and_parse(train: Path, dev: Path | None, parsed: Path, trainer: str, parser: str, converted: bool) -> str:
    """CoNLL-U of a parser that learned from trees with one root each, since parsers predict such trees."""
    function: Trainer = resolve_name(trainer)
    trees = [with_one_root(read_treebank(path)) for path in (train, dev) if path is not None]
    if converted:
        trees = [forward(treebank) for treebank in trees]
    return to_conllu(function(parser, trees[:1], next(iter(trees[1:]), None), read_treebank(parsed))).decode()


def with_one_root(treebank: Treebank) -> Treebank:
    """Return a treebank whose sentences have one root each: other roots of CoNLL-X are attached to the first one."""
    roots = np.flatnonzero(treebank.heads < 0)
    _, first, sentence = np.unique(treebank.sentence_of_word[roots], return_index=True, return_inverse=True)
    if len(first) == len(roots):
        return treebank
    heads = treebank.heads.copy()
    heads[roots] = roots[first[sentence]]
    heads[roots[first]] = -1
    return treebank.replace(heads=heads.tolist())


# training of the graph-based parsers: a single run
SCHEDULES = {"graph": Schedule(first=2, second=3, runs=1), "graph-first-order": Schedule(first=5, second=0, runs=1)}

# training of the transition systems: a tenth of the default time of `levelhead train`, for 1 or 2 points less LAS
GREEDY = Schedule(first=5, second=0, runs=1)

# training of the ensemble; its transition systems are greedy, so they have only the `first` passes
IN_ENSEMBLE = Schedule(first=5, second=3, runs=1)

# the transition parsers in the ensemble: each system once in each direction, with equal votes
FOUR_MEMBERS = tuple(member._replace(vote=0.2) for member in Recipe().members[:4])

# the ensemble takes longest to train, so it learns only from the first sentences of the training set
ENSEMBLE_SENTENCES = 1000

SEED = 1

# the note on this training on the pages of studies
TRAINED_BRIEFLY = (
    f"Our parsers are trained briefly and once (seed {SEED}), the ensemble on {ENSEMBLE_SENTENCES:,} sentences, so"
    " compare scores of the same parser only."
)


def built_in(parser: str, training: Sequence[Treebank], _dev: Treebank | None, words: Treebank) -> Treebank:
    """Train one of our parsers briefly, in a fixed number of passes, so that all treebanks are treated alike; parse."""
    schedule = IN_ENSEMBLE if parser == ENSEMBLE else SCHEDULES.get(parser, GREEDY)
    recipe = Recipe(parser, beam=1, seed=SEED, schedule=schedule, members=FOUR_MEMBERS)
    trees = training[0][:ENSEMBLE_SENTENCES] if parser == ENSEMBLE else training[0]
    return parse_any(train(trees, recipe), words).treebank
