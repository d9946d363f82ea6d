"""Collections of treebanks, of which only one is in memory at a time."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, Place, number_of
from levelhead.progress import tracked
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, check_trees, read
from levelhead.treebank.layouts import files_at, splits_of, stem_of, treebank_of
from levelhead.treebank.provenance import MEMORY, Provenance
from levelhead.treebank.reader import Format
from levelhead.treebank.schemes import Scheme
from levelhead.treebank.training_data import Training
from levelhead.typology.counts import CountSum, Vocabulary
from levelhead.typology.lexical import Chunks
from levelhead.typology.profile import DEFAULT_SCHEME, Profile, columns_named, profile, scheme_named
from levelhead.typology.profile_columns import OF_TRAINING
from levelhead.typology.profile_tables import (
    long_table,
    profiles_document,
    profiles_table,
    samples_document,
    samples_table,
    selection_document,
    selection_table,
    similarity_document,
    similarity_table,
)
from levelhead.typology.profiled import Files, ProfiledTreebank, ProfileTask, Runner, hash_of, profile_here
from levelhead.typology.sampling import Rarefied, rarefied_entropy
from levelhead.typology.selection import CALLIN, NEEDED, Criteria, SelectionDecision, select
from levelhead.typology.similarity import Distributions, Similarity, similarity

__all__ = ["Samples", "SelectedTreebanks", "Similarities", "Survey"]


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Mapping[str, Profile], Tabular):
    """The profiles of some treebanks, by the name of the treebank.

    Args:
        profiles: a profile for each treebank by its name.
        provenance: the provenance of the numbers.
    """

    profiles: Mapping[str, Profile]
    provenance: Provenance

    def __getitem__(self, name: str) -> Profile:
        return self.profiles[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def with_columns(self, columns: Iterable[str]) -> Survey:
        """Return the survey with some of its columns.

        Args:
            columns: as in `profile`.
        """
        names = [column.name for column in columns_named(columns)]
        profiles = {
            name: Profile({column: whole[column] for column in names}, whole.signature, whole.vocabulary)
            for name, whole in self.profiles.items()
        }
        return replace(self, profiles=profiles)

    def table(self, *, long: bool = False) -> Table:
        """Return the result as a table.

        Args:
            long: one row per value instead of one per treebank.
        """
        return (long_table if long else profiles_table)(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return profiles_document(self)


@dataclass(frozen=True, repr=False)
class Similarities(Tabular):
    """The distances between treebanks.

    Args:
        pairs: the distance of each pair of names, in the given order.
        provenance: the provenance of the numbers.
    """

    pairs: Mapping[tuple[str, str], Similarity]
    provenance: Provenance

    def table(self) -> Table:
        """Return the result as a table."""
        return similarity_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return similarity_document(self)


@dataclass(frozen=True, repr=False)
class SelectedTreebanks(Tabular):
    """The selection of treebanks that can be compared.

    Args:
        decisions: whether each treebank is selected, with all reasons for excluding it.
        criteria: the criteria.
        provenance: the provenance of the decisions.
    """

    decisions: tuple[SelectionDecision, ...]
    criteria: Criteria
    provenance: Provenance

    @property
    def selected(self) -> tuple[str, ...]:
        """The names of the selected treebanks."""
        return tuple(decision.name for decision in self.decisions if decision.selected)

    def table(self) -> Table:
        """Return the result as a table."""
        return selection_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return selection_document(self)


@dataclass(frozen=True, repr=False)
class Samples(Tabular):
    """Word dependency entropies in samples of treebanks.

    Args:
        rows: the entropies of each treebank by its name.
        provenance: the provenance of the numbers; its notes name treebanks that are too small for samples.
    """

    rows: Mapping[str, Sequence[Rarefied]]
    provenance: Provenance

    def table(self) -> Table:
        """Return the result as a table."""
        return samples_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return samples_document(self)


class _ReadFiles:
    """The files that were read: their hashes by treebank and path, their warnings, and notes."""

    def __init__(self) -> None:
        self.files: dict[str, Mapping[str, str]] = {}
        self.warnings: list[Fault] = []
        self.notes: list[str] = []

    def add(self, name: str, files: Iterable[tuple[str, str]], warnings: Iterable[Fault]) -> None:
        """Add the files of a treebank, each with its hash, and the warnings about them."""
        self.files[name] = _by_path(files)
        self.warnings += warnings

    def add_profiled(self, name: str, profiled: ProfiledTreebank) -> None:
        """Add the files of a profiled treebank."""
        self.add(name, profiled.files, profiled.warnings)
        if profiled.in_pieces:
            self.notes.append(f"{name} was read in pieces; {_size_of(profiled.profile.vocabulary)}")

    def provenance(self, settings: Mapping[str, str]) -> Provenance:
        """The provenance of numbers: settings, a hash of the files' hashes in their order, and the version."""
        hashes = [digest for by_path in self.files.values() for digest in by_path.values()]
        joined = "\n".join("" if digest == MEMORY else digest for digest in hashes)
        signature = {**settings, "files": hashlib.sha256(joined.encode()).hexdigest()[:12], "version": VERSION}
        return Provenance(signature, self.files, tuple(self.warnings), tuple(self.notes))


def _size_of(vocabulary: Vocabulary | None) -> str:
    forms, lemmas, arcs, n_bytes = vocabulary or (0, 0, 0, 0)
    return f"its vocabulary takes {n_bytes / 1e6:,.0f} MB: {forms:,} forms, {lemmas:,} lemmas, {arcs:,} kinds of arcs"


def files_of(paths: Iterable[str | os.PathLike[str]], *, merge: bool = False) -> Mapping[str, Sequence[str]]:
    """Return the files of treebanks by name; the train, dev and test files of a treebank can be merged.

    Args:
        paths: files, folders of files, or "-" for standard input.
        merge: whether to merge files whose names only differ in the split.

    Raises:
        InputError: a folder cannot be read or has no CoNLL-U file, or two files would be the same part of a treebank.
    """
    stems: dict[str, str] = {}
    for path in paths:
        stems |= {file: stem_of(Path(file).name) or file for file in files_at(path)}
    copies = {stem for stem, n in Counter(stems.values()).items() if n > 1}
    if not merge:
        return {file if stem in copies else stem: (file,) for file, stem in stems.items()}
    parts = Counter((treebank_of(stem), splits_of(stem)) for stem in stems.values())
    files_by_name: dict[str, list[str]] = {}
    for file, stem in stems.items():
        if parts[treebank_of(stem), splits_of(stem)] > 1:
            message = f"another file is also this part of {treebank_of(stem)}: leave one of them out, or do not merge"
            raise InputError(Fault("no-pairs", message, Place(file)))
        files_by_name.setdefault(treebank_of(stem), []).append(file)
    return files_by_name


def survey(
    files: Files,
    *,
    columns: Iterable[str] = ("all",),
    scheme: str | Scheme = DEFAULT_SCHEME,
    chunks: Chunks | None = None,
    least: int = 5,
    total: str | None = None,
    format: Format = "conllu",  # noqa: A002
    training: Training | None = None,
    run: Runner = profile_here,
) -> Survey:
    """Return profiles of treebanks; only the finished numbers are kept, so that memory does not grow.

    Large files are read in pieces; a note gives the size of their vocabulary.

    Args:
        files: the files of each treebank by its name, from `files_of`.
        columns: as in `profile`.
        scheme: as in `profile`.
        chunks: as in `profile`.
        least: as in `profile`.
        total: the name of an additional profile of all treebanks together, whose counts grow with the vocabulary.
        format: "conllu" or "conllx".
        training: the contents of training treebanks: profiles then also have the columns on leakage.
        run: the function that profiles the treebanks, in this process or as jobs (`campaign.profile_jobs`).

    Raises:
        InputError: no files are given, or some are missing or invalid; the error lists all faults.
        MeasureError: the column or scheme is unknown, or a column requires training treebanks.
    """
    if not files:
        raise InputError(Fault("too-few-treebanks", "a profile requires at least one treebank"))
    wanted = _wanted(columns, training)
    classes = scheme_named(scheme)
    task = ProfileTask(wanted, classes, chunks or Chunks(), least, format, total is not None, training)
    profiles, read_files, sums = dict[str, Profile](), _ReadFiles(), CountSum()
    with closing(run(files, task)) as found:
        for name, profiled in _valid(found):
            profiles[name] = profiled.profile
            read_files.add_profiled(name, profiled)
            if profiled.counts is not None:
                sums.add(profiled.counts)
    if total is not None:
        profiles[total] = profile(sums.total(), columns=wanted, scheme=classes, least=least)
        hashes = [item for by_path in read_files.files.values() for item in by_path.items()]
        read_files.files[total] = _by_path(hashes)
    settings = dict(next(iter(profiles.values())).signature)
    if training is not None:
        settings["train"] = training.hashes
    return Survey(profiles, read_files.provenance(settings))


def _wanted(columns: Iterable[str], training: Training | None) -> tuple[str, ...]:
    """The names of columns; columns on leakage are added if there are training treebanks."""
    names = tuple(column.name for column in columns_named([*columns, *(OF_TRAINING if training else ())]))
    lacking = [name for name in names if name in OF_TRAINING and training is None]
    if lacking:
        raise MeasureError(f"the column {lacking[0]} requires training treebanks: --train FILE", "missing-training")
    return names


def similarities(files: Files, *, format: Format = "conllu") -> Similarities:  # noqa: A002
    """Return the distance of each pair of treebanks."""
    distributions, read_files = dict[str, Distributions](), _ReadFiles()
    with closing(profile_here(files, ProfileTask((), format=format, with_counts=True))) as found:
        for name, profiled in _valid(found):
            read_files.add_profiled(name, profiled)
            if profiled.counts is not None:
                distributions[name] = profiled.counts.distributions
    with tracked(list(itertools.combinations(distributions, 2)), "comparing") as pairs:
        distances = {(a, b): similarity(distributions[a], distributions[b]) for a, b in pairs}
    return Similarities(distances, read_files.provenance({}))


def select_treebanks(files: Files, criteria: Criteria = CALLIN, *, format: Format = "conllu") -> SelectedTreebanks:  # noqa: A002
    """Return the treebanks that can be compared, and all reasons for excluding the others.

    Args:
        files: the files of each treebank by its name, from `files_of`.
        criteria: the criteria.
        format: "conllu" or "conllx".

    Raises:
        InputError: files are missing or invalid; the error lists the faults of all.
    """
    surveyed = survey(files, columns=NEEDED, format=format)
    of_files = {name: surveyed.provenance.signature[name] for name in ("files", "version")}
    provenance = replace(surveyed.provenance, signature={**criteria.signature, **of_files})
    return SelectedTreebanks(select(surveyed.profiles, criteria), criteria, provenance)


def sampled(
    files: Files,
    sizes: Sequence[int],
    *,
    samples: int = 20,
    seed: int = 0,
    format: Format = "conllu",  # noqa: A002
) -> Samples:
    """Return the word dependency entropies of treebanks in random samples of several sizes."""
    rows, read_files, faults = dict[str, Sequence[Rarefied]](), _ReadFiles(), list[Fault]()
    with tracked(files.items(), "reading") as items:
        for name, (source,) in items:
            try:
                treebank = check_trees(source if isinstance(source, Treebank) else read(source, format=format))
            except InputError as error:
                faults += error.faults
                continue
            rows[name] = rarefied_entropy(treebank, sizes, samples=samples, seed=seed)
            read_files.add(name, [hash_of(source, treebank)], treebank.warnings)
            if max(sizes, default=0) > treebank.n_words:
                too_large = ", ".join(str(size) for size in sizes if size > treebank.n_words)
                read_files.notes.append(
                    f"{name} has only {number_of(treebank.n_words, 'word')}: no samples of {too_large}"
                )
    if faults:
        raise InputError(*faults)
    settings = {"sizes": ",".join(map(str, sizes)), "samples": str(samples), "seed": str(seed)}
    return Samples(rows, read_files.provenance(settings))


def _valid(profiled: Iterable[tuple[str, ProfiledTreebank | InputError]]) -> Iterator[tuple[str, ProfiledTreebank]]:
    """Yield the valid treebanks; raise an error with the faults of all invalid treebanks at the end."""
    faults: list[Fault] = []
    for name, result in profiled:
        if isinstance(result, InputError):
            faults += result.faults
        else:
            yield name, result
    if faults:
        raise InputError(*faults)


def _by_path(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Hashes by path; further files with the same path (treebanks in memory) get a number."""
    hashes: dict[str, str] = {}
    for path, digest in files:
        hashes[path if path not in hashes else f"{path} ({len(hashes) + 1})"] = digest
    return hashes
