"""Where the outputs of parsers come from: a folder that is given, or a parser that is trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from levelhead.conversion import forward
from levelhead.errors import Fault, InputError
from levelhead.studies.request import StudyRequest, StudyTask, Trainer, run_tasks
from levelhead.studies.treebank_parts import Parts, format_of, outputs_in
from levelhead.treebank import Treebank, read, to_conllu
from levelhead.treebank.write import replace_file

Heads = Literal["UD", "CONV"]
"""Content-head trees, or function-head trees."""


def outputs_of(
    request: StudyRequest, parser: str, treebanks: Mapping[str, Parts], *, on: str = "test", heads: Heads | None = None
) -> dict[str, Path]:
    """Return the output of a parser for each treebank, by code; empty if there are neither outputs nor parsers.

    A folder that is given has the outputs in a folder of the parser's name, or, if there is none, in itself.

    Args:
        request: names the folder, or says how to train.
        parser: the name of the parser.
        treebanks: the treebanks.
        on: what to parse, "test" or "dev"; the other where it is not there.
        heads: what kind of trees it was trained on, which is the name of a folder in the parser's: "UD", or "CONV" for
            function-head trees; None if that does not matter.

    Raises:
        InputError: outputs cannot be written.
    """
    if request.systems is not None:
        own = request.systems / parser
        found = own if own.is_dir() else request.systems
        return outputs_in(found / heads if heads else found, treebanks)
    if request.trainer is None:
        return {}
    if request.outputs is None:
        raise InputError(Fault("no-outputs-folder", "a folder for the outputs of trained parsers is needed"))
    folder = request.outputs / parser / (heads or "")
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {code: parts for code, parts in treebanks.items() if parts.train or request.quick}
    tasks = [_training(parts, parser, request.trainer, on, heads) for parts in chosen.values()]
    texts = run_tasks(f"training {parser} {heads or ''}".strip(), tasks, request)
    paths = {code: folder / f"{code}.conllu" for code in texts}
    for code, path in paths.items():
        replace_file(path, [texts[code].encode()])
    return paths


def _training(parts: Parts, parser: str, trainer: Trainer, on: str, heads: Heads | None) -> StudyTask:
    parsed = parts.dev or parts.tested if on == "dev" else parts.tested
    dev = parts.dev if parts.dev != parsed else None
    named = f"{trainer.__module__}:{trainer.__name__}"
    return StudyTask(parts.code, trained, (parts.training, dev, parsed), (named, parser, heads == "CONV"))


def trained(train: str, dev: str | None, parsed: str, trainer: str, parser: str, converted: bool) -> str:
    """Train a parser and parse with it; the result is CoNLL-U.

    It learns from trees with one root (`with_one_root`), since that is what parsers give.

    Args:
        train: the path of the training set.
        dev: that of a development set, if there is one that is not parsed.
        parsed: that of the treebank to parse.
        trainer: the function that does it, `module:name`.
        parser: the name of the parser.
        converted: whether to train on function-head trees.
    """
    from pkgutil import resolve_name

    function: Trainer = resolve_name(trainer)
    trees = [with_one_root(_read(path)) for path in (train, dev) if path is not None]
    if converted:
        trees = [forward(treebank) for treebank in trees]
    output = function(parser, trees[:1], trees[1] if len(trees) > 1 else None, _read(parsed))
    return to_conllu(output).decode()


def _read(path: str) -> Treebank:
    return read(path, format=format_of(path))


def with_one_root(treebank: Treebank) -> Treebank:
    """Return a treebank whose sentences have one root each: the first, from which the other roots hang.

    CoNLL-X allows several. To leave such sentences out would leave little of treebanks whose full stops are roots.
    No new arc crosses another one, unless one over a root did already. Relations are kept.

    Args:
        treebank: the treebank; it is returned itself if all sentences have one root.
    """
    roots = np.flatnonzero(treebank.heads < 0)
    _, first, sentence = np.unique(treebank.sentence_of_word[roots], return_index=True, return_inverse=True)
    if len(first) == len(roots):
        return treebank
    heads = treebank.heads.copy()
    heads[roots] = roots[first[sentence]]
    heads[roots[first]] = -1
    return treebank.replace(heads=heads.tolist())
