"""The inputs and settings of a study: treebanks, outputs of parsers and their scores, and tasks, which run as jobs."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import OutputResult, Plan, Results, System, TestSet, language_of, score_plan
from levelhead.conversion import forward
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable, name_of
from levelhead.jobs import Job, StaleInput, Store, Workers
from levelhead.jobs.running import job_key, run_long_jobs
from levelhead.parsing import ENSEMBLE, Recipe, Schedule, parse_any, train
from levelhead.treebank import Treebank, read, to_conllu
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.layouts.gold import bare_name, by_stem, gold_files, splits_of, treebank_files, treebank_of
from levelhead.treebank.layouts.outputs import system_folders
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.reader import Format
from levelhead.treebank.write import replace_file
from levelhead.typology.languages import UNKNOWN, languages

Trainer = Callable[[str, Sequence[Treebank], Treebank | None, Treebank], Treebank]
"""Trains a parser and parses with it. Takes the parser's name, the training treebanks, a development treebank or None,
and the treebank to parse. It must be a function at the top level of a module, since workers import it."""


@immutable
class StudyRequest:
    """The inputs and settings of a study.

    Args:
        treebanks: treebank files, or folders of treebanks.
        systems: a folder with the outputs of parsers; None to train parsers.
        judgments: a folder of human judgments, with a subfolder for each language.
        scores: a table of published scores.
        weights: a file with the weights of relations.
        quick: whether to only check that everything works. This uses few resamples. If a training set is missing, the
            development set replaces it. If both are missing, the test set replaces them.
        workers: the processes or machines that run jobs; None for only this process.
        store: the store that keeps the results of jobs, or None.
        trainer: the function that trains parsers if no outputs are given.
        outputs: the folder to which the outputs of trained parsers are written.
        seed: the random seed.
    """

    treebanks: tuple[Path, ...] = ()
    systems: Path | None = None
    judgments: Path | None = None
    scores: Path | None = None
    weights: Path | None = None
    quick: bool = False
    workers: Workers | None = None
    store: Store | None = field(default=None, compare=False)
    trainer: Trainer | None = None
    outputs: Path | None = None
    seed: int = 1

    @property
    def resamples(self) -> int:
        """The number of bootstrap resamples."""
        return 100 if self.quick else 2000

    @property
    def draws(self) -> tuple[int, int]:
        """The number of resamples, and the random seed."""
        return self.resamples, self.seed


def run_tasks(
    study: str, function: Callable[..., Any], arguments: Mapping[str, Sequence[Any]], request: StudyRequest
) -> dict[str, Any]:
    """Call a function with several lists of arguments (plain JSON, or paths of files) as jobs, named by `study`."""
    jobs = []
    for name, values in arguments.items():
        hashes = {path: _hash(path) for path in values if isinstance(path, Path)}
        contents = [hashes[value] if isinstance(value, Path) else value for value in values]
        key = job_key("study", name_of(function), contents)
        size = sum(path.stat().st_size for path in hashes) + 1
        jobs.append(Job(key, _run_task, (function, values, hashes), name, size))
    return dict(zip(arguments, run_long_jobs(study, jobs, request.workers, request.store)))


def _hash(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


def _run_task(function: Callable[..., Any], values: Sequence[Any], hashes: Mapping[Path, str]) -> bytes:
    for path, expected in hashes.items():
        if _hash(path) != expected:
            raise StaleInput("it changed while the study ran", "changing-file", Place(os.fspath(path)))
    return json.dumps(function(*values), sort_keys=True, separators=(",", ":")).encode()


class Parts(NamedTuple):
    """The files of one treebank, by its code (`en` or `en_ewt`); a file whose name has no part counts as a test set."""

    code: str
    train: Path | None = None
    dev: Path | None = None
    test: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.train, self.dev, self.test) if path is not None)

    @property
    def training(self) -> Path:
        """The training set; if it is missing, the development set; if both are missing, the test set."""
        return self.train or self.dev or self.files[0]

    def parsed(self, on: str) -> Path:
        """Return the file to parse: if `on` is "dev", the development set if there is one; otherwise `tested`."""
        return self.dev or self.tested if on == "dev" else self.tested

    @property
    def tested(self) -> Path:
        """The test set; if it is missing, the development set; if both are missing, the training set."""
        return self.test or self.dev or self.files[0]


def parts_of(request: StudyRequest, wanted: Iterable[str] = ()) -> dict[str, Parts]:
    """Return the treebanks of a request by code: the wanted ones, or all if none of these is there."""
    by_code: dict[str, Parts] = {}
    for source in request.treebanks:
        is_tira = (source / "metadata.json").is_file()
        files = {} if is_tira else by_stem([source] if source.is_file() else treebank_files(source))
        for stem, path in (files or {gold.code: gold.path for gold in gold_files(source)}).items():
            code, split = treebank_of(stem), min(splits_of(stem), default="test")
            parts = by_code.get(code, Parts(code))
            if getattr(parts, split) is not None:
                message = f"{path} and {getattr(parts, split)} are both the {split} set of {code}"
                raise InputError(Fault("no-pairs", message, Place(os.fspath(source))))
            by_code[code] = Parts(**{**parts._asdict(), split: path})
    return {code: by_code[code] for code in wanted if code in by_code} or by_code


def outputs_in(folder: Path, codes: Iterable[str]) -> dict[str, Path]:
    """Return a parser's files by treebank, named `en`, `en-ud-test`, `danish_ddt_test`, or `Old_Church_Slavonic`."""
    files = by_stem(treebank_files(folder)) if folder.is_dir() else {}
    outputs = {}
    for code in codes:
        parts = [f"{code}{mark}{split}" for split in ("test", "dev") for mark in ("-ud-", "-", "_")]
        language = languages().get(code, UNKNOWN).name.replace(" ", "_")
        if named := [name for name in (code, *parts, language) if name in files]:
            outputs[code] = files[named[0]]
    return outputs


def format_of(path: str | os.PathLike[str]) -> Format:
    return "conllu" if bare_name(os.fspath(path)).lower().endswith((".conllu", ".conllup")) else "conllx"


def read_treebank(path: str | os.PathLike[str]) -> Treebank:
    return read(path, format=format_of(path))


Outputs = Mapping[str, Mapping[str, Path]]  # the output files of each system, by the code of the test set


def compared_in(folder: Path | None, treebanks: Mapping[str, Parts]) -> tuple[dict[str, Path], Outputs]:
    folders = {} if folder is None else system_folders(folder)
    systems = {name: outputs for name, path in folders.items() if (outputs := outputs_in(path, treebanks))}
    golds = {
        code: parts.tested for code, parts in treebanks.items() if sum(code in files for files in systems.values()) > 1
    }
    if not golds:
        raise InputError(Fault("missing-system-file", "no test set has outputs of two systems"))
    return golds, {name: {code: path for code, path in some.items() if code in golds} for name, some in systems.items()}


def score_files(
    golds: Mapping[str, Path], systems: Outputs, setup: Setup, request: StudyRequest, **how: Any
) -> Results:
    """Return the results of every output, in the formats of their names; missing outputs have none."""
    test_sets = {code: TestSet(code, gold, language=language_of(code)) for code, gold in golds.items()}
    by_formats: dict[tuple[Format, Format], dict[str, dict[str, Path]]] = {}
    for name, files in systems.items():
        for code, path in files.items():
            by_formats.setdefault((format_of(golds[code]), format_of(path)), {}).setdefault(name, {})[code] = path
    results = dict[tuple[str, str], OutputResult]()
    contents = dict[str, FileSummary]()
    looked = dict[str, Any]()
    for (gold_format, output_format), outputs in by_formats.items():  # since all files of a plan share the same formats
        tested = tuple(test_sets[code] for code in golds if any(code in files for files in outputs.values()))
        plan = Plan(tested, tuple(System(name, files) for name, files in outputs.items()))
        in_formats = replace(setup, format=output_format, gold_format=gold_format)
        scored = score_plan(plan, in_formats, workers=request.workers, store=request.store, **how)
        results |= {(name, code): scored.results[name, code] for name, files in outputs.items() for code in files}
        contents |= scored.gold
        looked |= scored.looked
    signature = setup.signature_of_rules() | setup.signature_of_measures()
    return Results(tuple(test_sets.values()), tuple(systems), setup.names, results, contents, signature, looked)


def counts_of(results: Iterable[OutputResult], measures: Collection[str]) -> NDArray[np.float64]:
    """Return the numerators and denominators of each sentence, shape (sentences, outputs, measures, 2)."""
    return np.stack(
        [np.stack([result.sentences[measure].T for measure in measures], axis=1) for result in results], axis=1
    )


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
