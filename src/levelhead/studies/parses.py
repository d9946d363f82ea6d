"""Where the outputs of parsers come from: a folder that is given, or a parser that is trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from levelhead.errors import Fault, InputError
from levelhead.studies.parts import Parts, outputs_in
from levelhead.studies.request import Request, Task, Trainer, done
from levelhead.treebank import read, to_conllu
from levelhead.treebank.write import replace_file


def outputs_of(request: Request, parser: str, treebanks: Mapping[str, Parts], *, on: str = "test") -> dict[str, Path]:
    """Return the output of a parser for each treebank, by code; empty if there are neither outputs nor parsers.

    A folder that is given has the outputs in a folder of the parser's name, or, if there is none, in itself.

    Args:
        request: names the folder, or says how to train.
        parser: the name of the parser.
        treebanks: the treebanks.
        on: what to parse, "test" or "dev"; the other where it is not there.

    Raises:
        InputError: outputs cannot be written.
    """
    if request.systems is not None:
        own = request.systems / parser
        return outputs_in(own if own.is_dir() else request.systems, treebanks)
    if request.trainer is None:
        return {}
    if request.outputs is None:
        raise InputError(Fault("no-outputs-folder", "a folder for the outputs of trained parsers is needed"))
    folder = request.outputs / parser
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {code: parts for code, parts in treebanks.items() if parts.train or request.quick}
    tasks = [_training(parts, parser, request.trainer, on) for parts in chosen.values()]
    texts = done(f"training {parser}", tasks, request)
    paths = {code: folder / f"{code}.conllu" for code in texts}
    for code, path in paths.items():
        replace_file(path, [texts[code].encode()])
    return paths


def _training(parts: Parts, parser: str, trainer: Trainer, on: str) -> Task:
    parsed = parts.dev or parts.tested if on == "dev" else parts.tested
    dev = parts.dev if parts.dev != parsed else None
    return Task(parts.code, trained, (parts.training, dev, parsed), (f"{trainer.__module__}:{trainer.__name__}", parser))


def trained(train: str, dev: str | None, parsed: str, trainer: str, parser: str) -> str:
    """Train a parser and parse with it; the result is CoNLL-U.

    Args:
        train: the path of the training set.
        dev: that of a development set, if there is one that is not parsed.
        parsed: that of the treebank to parse.
        trainer: the function that does it, `module:name`.
        parser: the name of the parser.
    """
    import importlib

    module, _, name = trainer.partition(":")
    function: Trainer = getattr(importlib.import_module(f"{module}"), name)
    output = function(parser, [read(train)], None if dev is None else read(dev), read(parsed))
    return to_conllu(output)
