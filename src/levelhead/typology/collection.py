"""Collections of treebanks, of which only one is in memory at a time."""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, listed, number_of
from levelhead.immutable import immutable
from levelhead.progress import tracked
from levelhead.tables.data import DataColumn, DataTable, Layout
from levelhead.tables.table import Column, Detail, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, check_trees, read
from levelhead.treebank.provenance import MEMORY, Provenance, file_id
from levelhead.treebank.reader import Format
from levelhead.treebank.relations import Scheme
from levelhead.treebank.training_data import Training
from levelhead.typology.counts import CountSum
from levelhead.typology.languages import TREEBANK_COLUMNS, short_names
from levelhead.typology.profile import (
    DEFAULT_SCHEME,
    FEWEST,
    LAYOUTS,
    TABLES,
    Files,
    Profile,
    ProfiledTreebank,
    ProfileTask,
    Runner,
    columns_named,
    data_of,
    hash_of,
    profile,
    profile_here,
    quartiles,
    scheme_named,
    table_by_kind,
    table_by_treebank,
    table_by_value,
)
from levelhead.typology.profile_columns import COLUMNS, KINDS, OF_TRAINING
from levelhead.typology.similarity import Similarity, similarity
from levelhead.typology.vocabulary import Chunks, Rarefied, rarefied_entropy

__all__ = ["Samples", "Similarities", "Survey"]


@immutable
class Survey(Mapping[str, Profile], Tabular):
    """A mapping from treebank names to profiles.

    Args:
        profiles: a mapping from the name of each treebank to its profile.
        provenance: the settings and files behind the numbers.
        by: what each row of the table shows. With "treebank", it shows the profile of a treebank. With "value", it
            shows one value of a profile. With "relation" or "upos", for example, it shows all words of a treebank with
            the same relation or UPOS (see `KINDS`).
        total: the name of the profile of all treebanks together; None without such a profile.
    """

    KIND: ClassVar[str] = "profile"
    LAYOUTS = LAYOUTS

    profiles: Mapping[str, Profile]
    provenance: Provenance
    by: str = "treebank"
    total: str | None = None

    def __getitem__(self, name: str) -> Profile:
        return self.profiles[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    @property
    def of_treebanks(self) -> dict[str, Profile]:
        """The profiles of single treebanks, without the total."""
        return {name: whole for name, whole in self.profiles.items() if name != self.total}

    def with_columns(self, columns: Iterable[str], by: str = "treebank") -> Survey:
        """Return the survey with only these columns; `columns` and `by` are the arguments of `profile`."""
        names = [column.name for column in columns_named(columns, by)]
        profiles = {
            name: Profile({column: whole[column] for column in names}, whole.signature, whole.vocabulary)
            for name, whole in self.profiles.items()
        }
        return replace(self, profiles=profiles, by=by)

    @cached_property
    def verdict(self) -> str | None:
        """A sentence that names the treebanks that are outliers in the most columns; None with too few treebanks."""
        return most_unusual(self.of_treebanks)

    def records(self, name: str) -> Any:
        """Return the rows of the data table `name`, such as "treebanks" or "values"."""
        return data_of(name, self.of_treebanks, self.profiles[self.total] if self.total is not None else None)

    @property
    def _main(self) -> str:
        return TABLES[self.by]

    def table(self) -> Table:
        """Return the profiles as a table; the field `by` says what each row shows.

        If each row shows a treebank, each value for a relation has its own column. For example, the column `wde:nsubj`
        has the word dependency entropy (`wde`) of nsubj. Unknown languages, families and genera have empty cells.
        """
        if self.by == "treebank":
            table = table_by_treebank(self.profiles, self.total)
        else:
            table = table_by_value(self.profiles) if self.by == "value" else table_by_kind(self.by, self)
        return table.signed(self.provenance)


def most_unusual(profiles: Mapping[str, Profile]) -> str | None:
    """Return which treebanks are outliers in most columns with a single value, except counts, as a sentence."""
    n_treebanks, names = len(profiles), [*profiles]
    if n_treebanks < FEWEST:
        return None
    columns = (COLUMNS[name] for name in profiles[names[0]])
    shares = [each.name for each in columns if each.by is None and (each.group != "sizes" or each.unit)]
    values = {name: [profile.number(name) for profile in profiles.values()] for name in shares}
    differing = {name: of_column for name, of_column in values.items() if len({*of_column} - {None}) > 1}
    labels, columns_of = short_names(names), defaultdict[str, list[str]](list)
    for column, of_column in differing.items():
        middle = quartiles(of_column)
        for name, value in zip(names, of_column):
            if value is not None and middle is not None and middle.is_outlier(value):
                columns_of[labels[name]].append(column)
    most = max(map(len, columns_of.values()), default=0)
    if not most:
        return f"None of the {n_treebanks} treebanks is an outlier in any column, not counting sizes."
    *others, last = sorted(label for label, columns in columns_of.items() if len(columns) == most)
    of, where = f"of {n_treebanks} treebanks", f"{most} of {len(differing)} columns, not counting sizes"
    if not others:
        return f"{last} is the most unusual {of}: an outlier in {where} ({listed(columns_of[last])})."
    if len(others) < 5:
        *first, final = (f"{label} ({listed(columns_of[label])})" for label in (*others, last))
        return f"{', '.join(first)} and {final} are the most unusual {of}: outliers in {where}."
    return f"{len(others) + 1} {of} are outliers in {where}, the others in fewer."


_MATRICES = ("klcpos3", "relations", "displacement")
_A, _B = (TREEBANK_COLUMNS[0]._replace(name=f"treebank_{x}", about=f"Treebank {x.upper()}") for x in "ab")


def _distances_to(treebank: str) -> DataColumn:
    about = "The distance of the row's treebank from this treebank, 0 if equal; null if there is nothing to compare"
    return DataColumn(treebank, "number", about, optional=True)


@immutable
class Similarities(Tabular):
    """The distances between treebanks.

    Args:
        pairs: a mapping from the names of two treebanks to the distances between these treebanks.
        provenance: the settings and files behind the numbers.
        matrix: the distance that the table shows as a square matrix ("klcpos3", "relations" or "displacement"). If
            None, the table shows all distances, with one row per pair of treebanks.
    """

    KIND: ClassVar[str] = "similarity"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "pairs": (_A, _B, Similarity),
        **dict.fromkeys(_MATRICES, (_A, _distances_to("{treebank}"))),
    }

    pairs: Mapping[tuple[str, str], Similarity]
    provenance: Provenance
    matrix: str | None = None

    @property
    def verdict(self) -> str:
        """A sentence that names the most and the least similar treebanks by `matrix` ("relations" if it is None)."""
        kind = self.matrix or "relations"
        distances = {names: d for names, each in self.pairs.items() if (d := getattr(each, kind)) is not None}
        if not distances:
            return f"No distance by {kind}: there is nothing to compare."
        near, far = (
            f"{' and '.join(names)} ({distances[names]:.2f})"
            for names in (extreme(distances, key=lambda each: distances[each]) for extreme in (min, max))
        )
        if len(distances) == 1:
            return f"Distance by {kind}: {near}; 0 means identical."
        return f"By {kind}, {near} are the most similar, and {far} the least; 0 means identical."

    def records(self, name: str) -> Any:
        """Return the rows of the data table `name`, such as "pairs" or "klcpos3"."""
        if name == "pairs":
            return ((*names, distances) for names, distances in self.pairs.items())
        return DataTable((_A, *map(_distances_to, self._treebanks)), self._matrix(name))

    def table(self) -> Table:
        """Return the distances as a square matrix if `matrix` is set, otherwise with one row per pair of treebanks."""
        headings = ("KLcpos3(A, B)", "KLcpos3(B, A)", "JSD(relations)", "W1(displacement)")
        if self.matrix is None:
            columns = (Column("A", "text"), Column("B", "text"), *(Column(name, "number") for name in headings))
            rows = tuple((*names, *distances) for names, distances in self.pairs.items())
            return Table(columns, rows).signed(self.provenance)
        columns = (Column("Treebank", "text"), *(Column(name, "number") for name in self._treebanks))
        heading = dict(zip(Similarity._fields, headings))[self.matrix]
        note = f"{heading}: rows are A, columns are B"
        return Table(columns, self._matrix(self.matrix), (note,)).signed(self.provenance)

    @property
    def _main(self) -> str:
        return self.matrix or "pairs"

    @property
    def _treebanks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(itertools.chain(*self.pairs)))

    def _matrix(self, kind: str) -> tuple[tuple[str | float | None, ...], ...]:
        return tuple((a, *(self._distance(kind, a, b) for b in self._treebanks)) for a in self._treebanks)

    def _distance(self, kind: str, a: str, b: str) -> float | None:
        if a == b:
            return 0.0
        of_pair = self.pairs.get((a, b)) or self.pairs[b, a]._replace(klcpos3=self.pairs[b, a].klcpos3_back)
        distance: float | None = getattr(of_pair, kind)
        return distance


@immutable
class Samples(Tabular):
    """Word dependency entropies in random samples of sentences.

    Args:
        rows: a mapping from the name of each treebank to its entropies, one for each relation and sample size.
        provenance: the settings and files behind the numbers. Its notes name treebanks that are smaller than a sample.
    """

    KIND: ClassVar[str] = "rarefy"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"entropies": (TREEBANK_COLUMNS[0], Rarefied)}

    rows: Mapping[str, Sequence[Rarefied]]
    provenance: Provenance

    def _entropies_rows(self) -> Iterator[tuple[str, Rarefied]]:
        return ((name, curve) for name, curves in self.rows.items() for curve in curves)

    def table(self) -> Table:
        """Return a row for each combination of treebank, relation and sample size."""
        names, numbers = ("Treebank", "Relation"), ("Words", "Mean", "SD", "Samples")
        columns = (*(Column(name, "text") for name in names), *(Column(name, "number") for name in numbers))
        rows = tuple((name, *curve) for name, curve in self._entropies_rows())
        return Table(columns, rows).signed(self.provenance)


class _ReadFiles:
    """The files that were read: their hashes by treebank and path, their warnings, and notes."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, str]] = {}
        self.warnings: list[Fault] = []
        self.notes: list[str] = []

    def add(self, name: str, files: Iterable[tuple[str, str]], warnings: Iterable[Fault]) -> None:
        hashes = self.files[name] = dict[str, str]()
        for path, digest in files:  # treebanks in memory have the same path
            hashes[path if path not in hashes else f"{path} ({len(hashes) + 1})"] = digest
        self.warnings += warnings

    def valid(
        self, profiled: Iterable[tuple[str, ProfiledTreebank | InputError]]
    ) -> Iterator[tuple[str, ProfiledTreebank]]:
        """Yield each valid treebank and record its files; at the end, raise the errors of all invalid treebanks."""
        faults: list[Fault] = []
        for name, result in profiled:
            if isinstance(result, InputError):
                faults += result.faults
                continue
            self.add(name, result.files, result.warnings)
            if result.in_pieces:
                forms, lemmas, arcs, n_bytes = result.profile.vocabulary or (0, 0, 0, 0)
                size = f"{n_bytes / 1e6:,.0f} MB: {forms:,} forms, {lemmas:,} lemmas, {arcs:,} kinds of arcs"
                self.notes.append(Detail(f"{name} was read in pieces; its vocabulary takes {size}"))
            yield name, result
        if faults:
            raise InputError(*faults)

    def provenance(self, settings: Mapping[str, str]) -> Provenance:
        """Return the provenance of numbers, with these settings, a hash over all files in order, and the version."""
        hashes = [digest for by_path in self.files.values() for digest in by_path.values()]
        joined = "\n".join("" if digest == MEMORY else digest for digest in hashes)
        signature = {**settings, "files": hashlib.sha256(joined.encode()).hexdigest()[:12], "version": VERSION}
        files = {
            name: {path: file_id(digest, path) for path, digest in by_path.items()}
            for name, by_path in self.files.items()
        }
        return Provenance(signature, files, tuple(self.warnings), tuple(self.notes))


def survey(
    files: Files,
    *,
    columns: Iterable[str] = ("all",),
    scheme: str | Scheme = DEFAULT_SCHEME,
    chunks: Chunks | None = None,
    least: int = 5,
    by: str = "treebank",
    total: str | None = None,
    format: Format = "conllu",  # noqa: A002
    training: Training | None = None,
    run: Runner = profile_here,
) -> Survey:
    """Return the result of `levelhead.profile`; `total` is the name of the total, `run` profiles each treebank."""
    if not files:
        raise InputError(Fault("too-few-treebanks", "a profile requires at least one treebank"))
    if training and by in KINDS:
        raise InputError(Fault("invalid-argument", f"training treebanks cannot be combined with rows by {by}"))
    names = tuple(column.name for column in columns_named([*columns, *(OF_TRAINING if training else ())], by))
    if training is None and (lacking := [name for name in names if name in OF_TRAINING]):
        raise MeasureError(f"the column {lacking[0]} requires training treebanks (--train FILE)", "missing-training")
    classes = scheme_named(scheme)
    task = ProfileTask(names, classes, chunks or Chunks(), least, format, total is not None, training)
    profiles, read_files, sums = dict[str, Profile](), _ReadFiles(), CountSum()
    with closing(run(files, task)) as results:
        for name, profiled in read_files.valid(results):
            profiles[name] = profiled.profile
            if profiled.counts is not None:
                sums.add(profiled.counts)
    if total is not None:
        profiles[total] = profile(sums.total(), columns=names, scheme=classes, least=least)
        read_files.add(total, [item for by_path in read_files.files.values() for item in by_path.items()], ())
    settings = {**next(iter(profiles.values())).signature, **({"train": training.hashes} if training else {})}
    return Survey(profiles, read_files.provenance(settings), by, total)


def similarities(files: Files, matrix: str | None = None, *, format: Format = "conllu") -> Similarities:  # noqa: A002
    read_files = _ReadFiles()
    with closing(profile_here(files, ProfileTask((), format=format, with_counts=True))) as results:
        valid = ((name, profiled.counts) for name, profiled in read_files.valid(results))
        distributions = {name: counts.distributions for name, counts in valid if counts is not None}
    with tracked(list(itertools.combinations(distributions, 2)), "comparing") as pairs:
        distances = {(a, b): similarity(distributions[a], distributions[b]) for a, b in pairs}
    return Similarities(distances, read_files.provenance({}), matrix)


def sampled(
    files: Files,
    sizes: Sequence[int],
    *,
    samples: int = 20,
    seed: int = 0,
    format: Format = "conllu",  # noqa: A002
) -> Samples:
    rows, read_files, faults = dict[str, Sequence[Rarefied]](), _ReadFiles(), list[Fault]()
    with tracked(files.items(), "reading") as items:
        for name, (source,) in items:
            try:
                treebank = check_trees(source if isinstance(source, Treebank) else read(source, format=format))
            except InputError as error:
                faults += error.faults
                continue
            rows[name] = rarefied_entropy(treebank, sizes, samples=samples, seed=seed)
            read_files.add(name, [hash_of(treebank)], treebank.warnings)
            if too_large := ", ".join(str(size) for size in sizes if size > treebank.n_words):
                words = number_of(treebank.n_words, "word")
                read_files.notes.append(f"{name} has only {words}: no samples of {too_large}")
    if faults:
        raise InputError(*faults)
    settings = {"sizes": ",".join(map(str, sizes)), "samples": str(samples), "seed": str(seed)}
    return Samples(rows, read_files.provenance(settings))
