"""Profiles, similarity and selection of treebanks, and words whose annotation is probably wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from levelhead.api.inputs import Input, PathLike, Treebanks, as_list, running, settings_for, training_of
from levelhead.api.parameters import TREEBANK, TREEBANKS, public
from levelhead.arguments import NOT_NEGATIVE
from levelhead.campaign.find import listed_gold
from levelhead.campaign.profile_jobs import profile_with
from levelhead.comparison.agreement import named
from levelhead.comparison.suspects import Suspects, find_suspects
from levelhead.errors import Fault, InputError, quoted
from levelhead.evaluation.pair import load
from levelhead.jobs import Store, Workers
from levelhead.scoring.matches import match
from levelhead.scoring.rules import Rules
from levelhead.treebank import Treebank
from levelhead.treebank.layouts.gold import files_at, name_of, treebank_of
from levelhead.treebank.reader import Format
from levelhead.treebank.relations import Scheme
from levelhead.typology import Chunks
from levelhead.typology.collection import Similarities, Survey, similarities, survey
from levelhead.typology.profile import Files, files_of
from levelhead.typology.selection import Criteria, SelectedTreebanks, select_treebanks

Distance = Literal["klcpos3", "relations", "displacement"]
Rows = Literal["treebank", "value", "relation", "deprel", "class", "upos", "feature"]


@public(
    columns=("list", "text", 1),
    by=("one of", get_args(Rows)),
    scheme=("either", "text", ("object", "Scheme", "a scheme or its name")),
)
def profile(
    *treebanks: Treebanks,
    columns: str | Iterable[str] = "summary",
    by: Rows = "treebank",
    merge: bool = False,
    total: bool = False,
    scheme: str | Scheme = "nivre-fang",
    chunk: int = 1000,
    partial_chunk: bool = False,
    window: int = 500,
    least: int = 5,
    train: Iterable[Input] = (),
    format: Format = "conllu",
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Survey:
    """Return the profiles of treebanks: sizes, word order, morphology, entropies and more.

    Large files are read in pieces. Only their vocabulary stays in memory; a note says how large it is.

    Args:
        columns: columns or groups from `levelhead profile --list-columns`, or "all".
        by: what each row describes: a "treebank", one "value" of its profile, or all its words with the same "relation"
            (without subtype), "deprel" (with subtype), "class", "upos" or "feature".
        total: whether to add a profile of all treebanks together.
        scheme: the scheme of relation classes.
        chunk: the number of tokens per chunk of running text (STTR).
        partial_chunk: whether to include the last, shorter chunk (STTR).
        window: the number of tokens per window (MATTR).
        least: leave dependents rarer than this out of the head-word entropy.
        train: training treebanks, for the shares of sentences that also occur in training (`same_words`,
            `same_heads`, `same_either`).

    Raises:
        InputError: a file is missing or invalid.
        MeasureError: a column or the scheme is unknown, or a column requires training treebanks.
    """
    files = _files(treebanks, merge=merge)
    names = [name.strip() for text in as_list(columns) for name in text.split(",")]
    every = f"Total of {len(files)}" if total else None
    chunks = Chunks(chunk, partial_chunk, window)
    with running(jobs, store, cluster) as how:
        return survey(
            files, columns=names, by=by, scheme=scheme, chunks=chunks, least=least, total=every, format=format,
            training=training_of(train), run=profile_with(**how),
        )  # fmt: skip


@public(matrix=("optional", ("one of", get_args(Distance))))
def similarity(
    *treebanks: Treebanks, matrix: Distance | None = None, merge: bool = False, format: Format = "conllu"
) -> Similarities:
    """Return how similar each pair of treebanks is.

    Args:
        matrix: show a square matrix of one distance instead of all pairs: "klcpos3" (KLcpos3(row, column)),
            "relations" or "displacement".

    Raises:
        InputError: a file is missing or invalid, or there are fewer than two treebanks.
    """
    files = _files(treebanks, merge=merge)
    if len(files) < 2:
        raise InputError(Fault("too-few-treebanks", "similarity requires at least two treebanks"))
    return similarities(files, matrix, format=format)


@public(max_nonprojective=NOT_NEGATIVE, nonprojective=("one of", ("callin", "true")))
def select(
    *treebanks: Treebanks,
    min_tokens: int = 30_000,
    max_nonprojective: float = 25.0,
    nonprojective: Literal["callin", "true"] = "callin",
    any_features: bool = False,
    several_per_language: bool = False,
    format: Format = "conllu",
) -> SelectedTreebanks:
    """Return the treebanks that are comparable under Callin's criteria, and why others are excluded.

    The train, dev and test files of a treebank count as one treebank.

    Args:
        min_tokens: the minimum number of tokens per treebank.
        max_nonprojective: exclude treebanks with at least this percentage of non-projective trees.
        nonprojective: the non-projective trees that `max_nonprojective` counts: those that Callin's program finds
            ("callin"), or all ("true").
        any_features: whether to also select treebanks without morphological features.
        several_per_language: whether to select several treebanks per language, instead of only the largest.

    Raises:
        InputError: a file is missing or invalid.
    """
    criteria = Criteria(
        not any_features, min_tokens, max_nonprojective, nonprojective == "callin", not several_per_language
    )
    return select_treebanks(_files(treebanks, merge=True), criteria, format=format)


def _files(treebanks: Sequence[Treebanks], *, merge: bool) -> Files:
    """Treebanks by name, in the given order; without names, treebanks in memory are named after their file, if any."""
    sources = list(_sources(treebanks))
    paths = [source for name, source in sources if name is None and not isinstance(source, Treebank)]
    name_of_path = {file: name for name, files in files_of(paths, merge=merge).items() for file in files}
    found: dict[str, list[str | Treebank]] = {}
    for place, (name, source) in enumerate(sources, 1):
        if name is not None:
            if not merge and name in {*name_of_path.values(), *found}:
                raise InputError(Fault("invalid-argument", f"two treebanks have the name {quoted(name)}"))
            found.setdefault(treebank_of(name) if merge else name, []).append(source)
        elif isinstance(source, Treebank):  # parts of the same treebank have the same name
            stem = name_of(Path(source.source.path or "")) or f"treebank {place}"
            unique = f"{stem} {place}" if stem in {*name_of_path.values(), *found} else stem
            found.setdefault(treebank_of(stem) if merge else unique, []).append(source)
        else:
            for file in files_at(source):
                found.setdefault(name_of_path[file], []).append(file)
    return found


def _sources(treebanks: Sequence[Treebanks]) -> Iterator[tuple[str | None, str | Treebank]]:
    """Yield the name, if given, and the file or treebank; also the files that a manifest lists."""
    for given in treebanks:
        if isinstance(given, Mapping):
            for name, source in given.items():
                yield name, source if isinstance(source, Treebank) else os.fspath(source)
            continue
        for source in as_list(given):
            files = [source] if isinstance(source, Treebank) else listed_gold(source)
            yield from ((None, file) for file in files)


PARSERS = ("arc-eager", "swap-lazy", "graph")
"""The parsers that are trained if no systems are given."""


@public(
    gold=TREEBANK,
    systems=("either", ("mapping", TREEBANK, "a mapping of names to treebanks or paths"), TREEBANKS),
)
def suspects(
    gold: Input,
    systems: Sequence[Input] | Mapping[str, Input] = (),
    *,
    folds: int = 10,
    rules: str | Rules = "ud",
    seed: int = 0,
    jobs: int | Workers = 1,
    cluster: str | None = None,
    store: PathLike | Store | None = None,
) -> Suspects:
    """Return the words whose annotation is probably wrong, the most suspicious first.

    A word is suspect if systems agree on a different analysis, or if the same words in the same context are annotated
    differently elsewhere.

    Args:
        gold: the annotated treebank to check.
        systems: outputs of parsers for the same text, preferably three or more; by default, three of levelhead's
            parsers are trained on gold by cross-validation.

    Raises:
        InputError: a file is invalid, the texts differ, or there are too few sentences to train parsers.
    """
    setup = settings_for((), rules=rules)
    setup.rules.check_words()
    treebank = load(gold, setup.rules)
    training: dict[str, str] = {}
    if systems:
        by_name = systems if isinstance(systems, Mapping) else dict(zip(named(systems), systems, strict=True))
        outputs = {name: load(output, setup.rules) for name, output in by_name.items()}
    else:
        with running(jobs, store, cluster) as how:
            from levelhead.parsing import Recipe, cross_validate

            recipes = [Recipe(parser, beam=1, seed=seed) for parser in PARSERS]
            parsed = (cross_validate(treebank, recipe, folds=folds, **how).treebank for recipe in recipes)
            outputs = dict(zip(PARSERS, parsed, strict=True))
        training = {"trained": "+".join(PARSERS), "folds": str(folds), "seed": str(seed)}
    matches = {name: match(treebank, output, setup.rules) for name, output in outputs.items()}
    for output in matches.values():
        output.check_trees()
    return find_suspects(matches, treebank, training)
