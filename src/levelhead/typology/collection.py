"""Collections of treebanks, of which only one is in memory at a time."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, number_of
from levelhead.immutable import immutable
from levelhead.progress import tracked
from levelhead.tables.documents import header, notes_of, path_text, points, signature_line
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, check_trees, read
from levelhead.treebank.provenance import MEMORY, Provenance
from levelhead.treebank.reader import Format
from levelhead.treebank.relations import Scheme
from levelhead.treebank.training_data import Training
from levelhead.typology.counts import CountSum
from levelhead.typology.languages import LANGUAGE_COLUMNS, language_cells
from levelhead.typology.profile import (
    DEFAULT_SCHEME,
    Files,
    Profile,
    ProfiledTreebank,
    ProfileTask,
    Runner,
    columns_named,
    hash_of,
    profile,
    profile_here,
    scheme_named,
)
from levelhead.typology.profile_columns import COLUMNS, KINDS, OF_TRAINING, ProfileColumn
from levelhead.typology.similarity import Similarity, similarity
from levelhead.typology.vocabulary import Chunks, Rarefied, rarefied_entropy

__all__ = ["Samples", "Similarities", "Survey"]


class _Key(NamedTuple):
    """A column and, if it has many values, which of them."""

    column: ProfileColumn
    part: str | None

    @property
    def name(self) -> str:
        """Its name in TSV."""
        return self.column.name if self.part is None else f"{self.column.name}:{self.part}"

    def value(self, profile: Profile) -> int | float | None:
        """Return its value; a relation that does not occur has a share of zero, but no mean or entropy."""
        if self.part is None:
            return profile.number(self.column.name)
        values = profile.numbers(self.column.name)
        return values.get(self.part, 0.0 if values and self.column.group == "frequencies" else None)


_LANGUAGES = tuple(Column(name, "text", tidy_only=True) for name in LANGUAGE_COLUMNS)
_CODES = _LANGUAGES[-2:]


def signed_notes(provenance: Provenance) -> tuple[str, ...]:
    return (*provenance.notes, signature_line(provenance.signature))


@immutable
class Survey(Mapping[str, Profile], Tabular):
    """The profiles of some treebanks, by the name of the treebank.

    Args:
        profiles: a profile for each treebank by its name.
        provenance: the provenance of the numbers.
        by: what a row of its table is: a "treebank", a "value", or one of `KINDS` in a treebank, such as a "relation".
    """

    profiles: Mapping[str, Profile]
    provenance: Provenance
    by: str = "treebank"

    def __getitem__(self, name: str) -> Profile:
        return self.profiles[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def with_columns(self, columns: Iterable[str], by: str = "treebank") -> Survey:
        """Return the survey with some of its columns and other rows, named as in `profile`."""
        names = [column.name for column in columns_named(columns, by)]
        profiles = {
            name: Profile({column: whole[column] for column in names}, whole.signature, whole.vocabulary)
            for name, whole in self.profiles.items()
        }
        return replace(self, profiles=profiles, by=by)

    def table(self) -> Table:
        """Return one row per treebank and one column per value; `wde:nsubj` is one of several values of `wde`.

        Unknown languages, families and genera are empty; if all are unknown, only TSV has the columns.

        By a kind of keys, the table has one row for each key of a treebank. By "value", it has one row per value, and
        shares are percentages. Only TSV and data frames of these tables have languages.
        """
        return (
            self._by_treebank() if self.by == "treebank" else self._by_value() if self.by == "value" else self._by_key()
        )

    def _by_value(self) -> Table:
        names = ("Treebank", "Column", "Of")
        columns = (*(Column(name, "text") for name in names), Column("Value", "number"), Column("Unit", "text"))
        rows = (
            (name, column.name, part or "", _scaled(column, key.value(profile)), column.unit, *language_cells(name))
            for name, profile in self.items()
            for key in self._keys()
            for column, part in [key]
        )
        return Table((*columns, *_LANGUAGES), tuple(rows), signed_notes(self.provenance))

    def _by_key(self) -> Table:
        columns = [COLUMNS[name] for name in next(iter(self.values()))]
        parts = sorted({key.part or "" for key in self._keys()})
        rows = (
            (name, part, *(_Key(column, part).value(profile) for column in columns), *language_cells(name))
            for name, profile in self.items()
            for part in parts
        )
        return Table(
            (
                *(Column(name.capitalize(), "text", key=name) for name in ("treebank", self.by)),
                *(
                    Column(column.heading(column.name_in_rows), column.kind, key=column.name_in_rows)
                    for column in columns
                ),
                *_LANGUAGES,
            ),
            tuple(rows),
            signed_notes(self.provenance),
        )

    def _by_treebank(self) -> Table:
        keys, notes = self._keys(), signed_notes(self.provenance)
        rows = [(name, *language_cells(name), *(key.value(profile) for key in keys)) for name, profile in self.items()]
        known = dict(zip(LANGUAGE_COLUMNS, map(any, zip(*map(language_cells, self)))))
        percent = [key for key in keys if key.column.unit == "%"]
        names_of_percent = [key.name for key in percent if key.part is None]
        names_of_percent += dict.fromkeys(f"{key.column.name}:*" for key in percent if key.part is not None)
        return Table(
            (
                Column("Treebank", "text"),
                *(column._replace(tidy_only=column in _CODES or not known[column.name]) for column in _LANGUAGES),
                *(Column(key.column.heading(key.name), key.column.kind, key=key.name) for key in keys),
            ),
            tuple(rows),
            (*([f"in percent: {', '.join(names_of_percent)}"] if percent else []), *notes),
        )

    def _keys(self) -> list[_Key]:
        """The values that occur in any profile, in the order of columns, then alphabetically."""
        keys: list[_Key] = []
        for column in map(COLUMNS.__getitem__, next(iter(self.values()))):
            parts: Iterable[str | None] = (None,)
            if column.by is not None:
                parts = sorted({part for whole in self.values() for part in whole.numbers(column.name)})
            keys += [_Key(column, part) for part in parts]
        return keys

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("profiles"),
            "columns": {name: COLUMNS[name].definition for name in next(iter(self.profiles.values()))},
            "treebanks": {document["treebank"]: document for document in self.documents()},
            **notes_of(self.provenance.notes),
        }

    def documents(self) -> list[dict[str, Any]]:
        """Return a JSON document for each treebank: shares as percentages at full precision.

        As in tables, a relation that only occurs in other treebanks has a share of zero.
        """
        shares = [(key.column.name, key.part) for key in self._keys() if key.column.group == "frequencies"]
        documents = []
        for name, whole in self.profiles.items():
            values: dict[str, Any] = {
                column: {part: _scaled(COLUMNS[column], number) for part, number in value.items()}
                if isinstance(value, Mapping)
                else _scaled(COLUMNS[column], value)
                for column, value in whole.items()
            }
            for column, part in shares:
                if part and values[column]:
                    values[column].setdefault(part, 0.0)
            documents.append(
                {
                    **header("profile"),
                    "treebank": name,
                    **dict(zip(LANGUAGE_COLUMNS, language_cells(name))),
                    "signature": dict(whole.signature),
                    "files": _files(self.provenance.files[name]),
                    "vocabulary": None if whole.vocabulary is None else whole.vocabulary._asdict(),
                    "units": {column: unit for column in whole if (unit := COLUMNS[column].unit)},
                    "values": values,
                }
            )
        return documents


def _scaled(column: ProfileColumn, value: float | None) -> float | None:
    return points(value) if column.unit == "%" else value


def _files(files: Mapping[str, str]) -> list[dict[str, str | None]]:
    return [{"path": path_text(path), "sha256": None if file == MEMORY else file} for path, file in files.items()]


class TreebankRows(Tabular):
    """A result with rows about treebanks."""

    __slots__ = ()

    _HEADER: ClassVar[Mapping[str, Any]]
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **self._HEADER,
            "signature": dict(self.provenance.signature),
            "files": {name: _files(files) for name, files in self.provenance.files.items()},
            "notes": list(self.provenance.notes),
            "rows": [{**self._HEADER, **row} for row in self._rows()],
        }

    def documents(self) -> list[dict[str, Any]]:
        """Return the rows for JSON lines, each with the signature."""
        document = self.to_dict()
        return [{**row, "signature": document["signature"]} for row in document["rows"]]

    def _rows(self) -> Iterable[dict[str, Any]]:
        raise NotImplementedError


@immutable
class Similarities(TreebankRows):
    """The distances between treebanks.

    Args:
        pairs: the distance of each pair of names, in the given order.
        provenance: the provenance of the numbers.
        matrix: the distance whose square matrix is the table ("klcpos3", "relations" or "displacement"), or None.
    """

    _HEADER = header("similarity")

    pairs: Mapping[tuple[str, str], Similarity]
    provenance: Provenance
    matrix: str | None = None

    def table(self) -> Table:
        """Return one row per pair of treebanks with their distances, or the square matrix; 0 means equal."""
        headings = ("KLcpos3(A, B)", "KLcpos3(B, A)", "JSD(relations)", "W1(displacement)")
        notes = signed_notes(self.provenance)
        if self.matrix is None:
            columns = (Column("A", "text"), Column("B", "text"), *(Column(name, "number") for name in headings))
            return Table(columns, tuple((*names, *distances) for names, distances in self.pairs.items()), notes)
        treebanks = dict.fromkeys(itertools.chain(*self.pairs))
        columns = (Column("Treebank", "text", key="treebank"), *(Column(name, "number") for name in treebanks))
        rows = tuple((a, *(self._distance(self.matrix, a, b) for b in treebanks)) for a in treebanks)
        heading = dict(zip(Similarity._fields, headings))[self.matrix]
        return Table(columns, rows, (f"{heading}: rows are A, columns are B", *notes))

    def _distance(self, kind: str, a: str, b: str) -> float | None:
        if a == b:
            return 0.0
        of_pair = self.pairs.get((a, b)) or self.pairs[b, a]._replace(klcpos3=self.pairs[b, a].klcpos3_back)
        distance: float | None = getattr(of_pair, kind)
        return distance

    def _rows(self) -> Iterator[dict[str, Any]]:
        return ({"a": first, "b": second, **far._asdict()} for (first, second), far in self.pairs.items())


@immutable
class Samples(TreebankRows):
    """Word dependency entropies in samples of treebanks.

    Args:
        rows: the entropies of each treebank by its name.
        provenance: the provenance of the numbers; its notes name treebanks that are too small for samples.
    """

    _HEADER = header("rarefied")

    rows: Mapping[str, Sequence[Rarefied]]
    provenance: Provenance

    def table(self) -> Table:
        """Return one row per treebank, relation and sample size."""
        names, numbers = ("Treebank", "Relation"), ("Words", "Mean", "SD", "Samples")
        columns = (*(Column(name, "text") for name in names), *(Column(name, "number") for name in numbers))
        rows = tuple((name, *curve) for name, curves in self.rows.items() for curve in curves)
        return Table(columns, rows, signed_notes(self.provenance))

    def _rows(self) -> Iterator[dict[str, Any]]:
        return ({"treebank": name, **curve._asdict()} for name, curves in self.rows.items() for curve in curves)


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
        """Yield the valid treebanks, and add their files; raise an error with the faults of all others at the end."""
        faults: list[Fault] = []
        for name, result in profiled:
            if isinstance(result, InputError):
                faults += result.faults
                continue
            self.add(name, result.files, result.warnings)
            if result.in_pieces:
                forms, lemmas, arcs, n_bytes = result.profile.vocabulary or (0, 0, 0, 0)
                size = f"{n_bytes / 1e6:,.0f} MB: {forms:,} forms, {lemmas:,} lemmas, {arcs:,} kinds of arcs"
                self.notes.append(f"{name} was read in pieces; its vocabulary takes {size}")
            yield name, result
        if faults:
            raise InputError(*faults)

    def provenance(self, settings: Mapping[str, str]) -> Provenance:
        """The provenance of numbers: settings, a hash of the files' hashes in their order, and the version."""
        hashes = [digest for by_path in self.files.values() for digest in by_path.values()]
        joined = "\n".join("" if digest == MEMORY else digest for digest in hashes)
        signature = {**settings, "files": hashlib.sha256(joined.encode()).hexdigest()[:12], "version": VERSION}
        return Provenance(signature, self.files, tuple(self.warnings), tuple(self.notes))


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
        raise MeasureError(f"the column {lacking[0]} requires training treebanks: --train FILE", "missing-training")
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
    return Survey(profiles, read_files.provenance(settings), by)


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
            if too_large := ", ".join(str(size) for size in sizes if size > treebank.n_words):
                words = number_of(treebank.n_words, "word")
                read_files.notes.append(f"{name} has only {words}: no samples of {too_large}")
    if faults:
        raise InputError(*faults)
    settings = {"sizes": ",".join(map(str, sizes)), "samples": str(samples), "seed": str(seed)}
    return Samples(rows, read_files.provenance(settings))
