"""Profiles: the values of columns for one treebank, for several together, and for files of any size; their tables."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, Place, unknown
from levelhead.progress import tracked
from levelhead.tables.data import DataColumn, DataTable, Layout
from levelhead.tables.table import Column, Table
from levelhead.treebank import Treebank, check_trees, from_conllu, input_bytes
from levelhead.treebank.input_bytes import contents_or_parts
from levelhead.treebank.layouts.gold import files_at, name_of, splits_of, treebank_of
from levelhead.treebank.provenance import MEMORY
from levelhead.treebank.reader import Format
from levelhead.treebank.relations import SCHEMES, Scheme
from levelhead.treebank.training_data import Training
from levelhead.typology.counts import CountSum, RunningCounts, TreebankCounts, Vocabulary, count_treebank
from levelhead.typology.languages import LANGUAGE_COLUMNS, TREEBANK_COLUMNS, language_cells
from levelhead.typology.profile_columns import (
    COLUMNS,
    GROUPS,
    KINDS,
    OF_TRAINING,
    ProfileColumn,
    ProfileSettings,
    Value,
)
from levelhead.typology.vocabulary import Chunks

_MOST_SHOWN = 6  # columns in the short representation

FEWEST = 5
"""The minimum number of values for outliers."""


class Quartiles(NamedTuple):
    """The quartiles of values."""

    low: float
    median: float
    high: float

    def is_outlier(self, value: float) -> bool:
        """Whether a value lies more than 1.5 interquartile ranges below the first or above the third quartile."""
        reach = 1.5 * (self.high - self.low)  # Tukey (1977)
        return value < self.low - reach or value > self.high + reach


def quartiles(values: Iterable[float | None]) -> Quartiles | None:
    numbers = [value for value in values if value is not None]
    return Quartiles(*map(float, np.quantile(numbers, (0.25, 0.5, 0.75)))) if len(numbers) >= FEWEST else None


DEFAULT_SCHEME = "nivre-fang"


class Profile(Mapping[str, Value]):
    """The profile of a treebank, as a mapping from columns to values.

    Args:
        values: a mapping from the name of each column to its value.
        signature: the settings that determine the values.
        vocabulary: the numbers of distinct forms, lemmas and arcs, and the memory that they take; None if unknown.
    """

    def __init__(
        self, values: Mapping[str, Value], signature: Mapping[str, str], vocabulary: Vocabulary | None = None
    ) -> None:
        self.values_by_name, self.signature, self.vocabulary = dict(values), dict(signature), vocabulary

    def __getitem__(self, name: str) -> Value:
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def __repr__(self) -> str:
        numbers = {name: value for name, value in self.items() if isinstance(value, int | float)}
        shown = [f"{name}={round(value, 2):g}" for name, value in islice(numbers.items(), _MOST_SHOWN)]
        more = len(self) - len(shown)
        return f"<Profile: {', '.join([*shown, *([f'{more} more'] if more else [])])}>"

    def number(self, name: str) -> float | None:
        """Return the value of a column that has a single number."""
        value = self[name]
        if isinstance(value, Mapping):
            raise TypeError(f"{name} has many values")
        return value

    def numbers(self, name: str) -> Mapping[str, float]:
        """Return the values of a column that has several numbers, such as one number for each relation."""
        value = self[name]
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} has one value")
        return value


def profile(
    treebank: Treebank | TreebankCounts,
    *,
    columns: Iterable[str] = ("all",),
    scheme: str | Scheme = DEFAULT_SCHEME,
    chunks: Chunks | None = None,
    least: int = 5,
) -> Profile:
    """Return the profile of a treebank, or of several treebanks together.

    Args:
        treebank: a treebank, or the counts of one or several treebanks (`count_treebank`).
        columns: names of columns, or of groups of columns. "summary" stands for the columns that tables show by
            default, and "all" for all columns except those that require training treebanks.
        scheme: the classes of relations for the column `class`.
        chunks: how running text is cut for type/token ratios; ignored if counts are given.
        least: words that occur less often with the same UPOS and relation do not count in the head-word entropy.

    Raises:
        MeasureError: a column or the scheme is unknown; the message suggests similar names.
    """
    chosen = columns_named(columns)
    settings = ProfileSettings(scheme_named(scheme), least)
    counts = count_treebank(treebank, chunks) if isinstance(treebank, Treebank) else treebank
    cut = counts.lexical.chunks
    signature = {
        "scheme": settings.scheme.signature,
        "chunk": f"{cut.size}{'+partial' if cut.partial else ''}",
        "window": str(cut.window),
        "least": str(least),
        "version": VERSION,
    }
    return Profile({column.name: column.value(counts, settings) for column in chosen}, signature, counts.vocabulary)


def columns_named(names: Iterable[str], by: str = "treebank") -> tuple[ProfileColumn, ...]:
    """Return the columns with these names, or in groups with these names; `by` can restrict them to one of `KINDS`."""
    kind = by if by in KINDS else None
    known = [column for column in COLUMNS.values() if kind in (None, column.by)]
    named = {
        **{column.name: [column] for column in known},
        **{group: members for group in GROUPS if (members := [column for column in known if column.group == group])},
        "all": [column for column in known if column.name not in OF_TRAINING],
        "summary": [column for column in known if column.in_summary and column.by == kind],
    }
    columns: dict[str, ProfileColumn] = {}
    for name in names:
        if name not in named:
            raise MeasureError(unknown("column", name, named), "unknown-column")
        columns |= {column.name: column for column in named[name]}
    return tuple(columns.values())


def scheme_named(scheme: str | Scheme) -> Scheme:
    if isinstance(scheme, Scheme):
        return scheme
    if scheme not in SCHEMES:
        raise MeasureError(unknown("scheme", scheme, SCHEMES), "unknown-scheme")
    return SCHEMES[scheme]


Files = Mapping[str, Sequence[str | Treebank]]
"""The files of each treebank by its name, or treebanks in memory."""


def files_of(paths: Iterable[str | os.PathLike[str]], *, merge: bool = False) -> Mapping[str, Sequence[str]]:
    """Return the files of treebanks by name; the train, dev and test files of a treebank can be merged."""
    stems = {file: name_of(Path(file)) or file for path in paths for file in files_at(path)}
    if not merge:
        times = Counter(stems.values())
        return {file if times[stem] > 1 else stem: (file,) for file, stem in stems.items()}
    parts = Counter((treebank_of(stem), splits_of(stem)) for stem in stems.values())
    files_by_name: dict[str, list[str]] = {}
    for file, stem in stems.items():
        if parts[treebank_of(stem), splits_of(stem)] > 1:
            message = f"two files are the same part of {treebank_of(stem)}: leave one of them out, or do not merge"
            raise InputError(Fault("no-pairs", message, Place(file)))
        files_by_name.setdefault(treebank_of(stem), []).append(file)
    return files_by_name


class ProfileTask(NamedTuple):
    """The computation for each treebank."""

    columns: tuple[str, ...]
    scheme: Scheme = SCHEMES[DEFAULT_SCHEME]
    chunks: Chunks = Chunks()
    least: int = 5  # frequency of a word with its part of speech and relation for the head-word entropy
    format: Format = "conllu"
    with_counts: bool = False  # whether to return the counts as well
    training: Training | None = None  # for the columns on leakage


class CountedFile(NamedTuple):
    """The counts of a treebank."""

    counts: TreebankCounts
    file: tuple[str, str]  # the path and the hash of its decompressed contents, or their substitutes
    warnings: tuple[Fault, ...]
    in_pieces: bool = False


class ProfiledTreebank(NamedTuple):
    """The profile of a treebank."""

    profile: Profile
    files: tuple[tuple[str, str], ...]  # the path and the hash of each
    warnings: tuple[Fault, ...]
    in_pieces: bool  # whether a file was read in pieces
    counts: TreebankCounts | None = None  # if requested


Profiles = Generator[tuple[str, ProfiledTreebank | InputError], None, None]
"""The profile of each treebank in order, or the error of its files."""

Runner = Callable[[Files, ProfileTask], Profiles]


def profile_here(files: Files, task: ProfileTask) -> Profiles:
    with tracked(files.items(), "reading") as items:
        for name, sources in items:
            yield name, profiled((counted(source, task) for source in sources), task)


def profiled(files: Iterable[CountedFile], task: ProfileTask) -> ProfiledTreebank | InputError:
    read, warnings, in_pieces, counts = list[tuple[str, str]](), list[Fault](), False, CountSum()
    try:
        for file in files:
            read.append(file.file)
            warnings += file.warnings
            in_pieces |= file.in_pieces
            counts.add(file.counts)
    except InputError as error:
        return error
    total = counts.total()
    values = profile(total, columns=task.columns, scheme=task.scheme, least=task.least)
    return ProfiledTreebank(values, tuple(read), tuple(warnings), in_pieces, total if task.with_counts else None)


def counted(source: str | Treebank, task: ProfileTask) -> CountedFile:
    if isinstance(source, Treebank):
        return _counted_treebank(source, task)
    with contents_or_parts(source, input_bytes.SIZES.large) as contents:
        return counted_contents(contents, source, task)


def counted_contents(contents: bytes | Iterator[bytes], name: str, task: ProfileTask) -> CountedFile:
    """Return the counts of a file; a file given in parts is never in memory as a whole."""
    if isinstance(contents, bytes):
        return _counted_treebank(from_conllu(contents, name=name, format=task.format), task)
    from levelhead.treebank.scanner import ReaderSettings
    from levelhead.treebank.ud_reader import CheckedPieces

    counts = RunningCounts(task.chunks, task.training)
    pieces = CheckedPieces(contents, name, ReaderSettings(task.format == "conllx"))
    without_trees = None
    for piece in pieces.each(input_bytes.SIZES.piece):
        if piece.has_trees:
            counts.add(piece)
        else:
            without_trees = piece
    if without_trees is not None:
        check_trees(without_trees)  # after the last piece, so that faults of the format are reported first
    whole = pieces.contents()
    return CountedFile(counts.total(), (name, whole.sha256 or MEMORY), whole.warnings, in_pieces=True)


def hash_of(treebank: Treebank) -> tuple[str, str]:
    """Return the path of a treebank's file and the hash of its contents, or their substitutes."""
    return treebank.source.path or MEMORY, treebank.source.sha256 or MEMORY


def _counted_treebank(treebank: Treebank, task: ProfileTask) -> CountedFile:
    counts = count_treebank(check_trees(treebank), task.chunks, task.training)
    return CountedFile(counts, hash_of(treebank), tuple(treebank.warnings))


ProfilesByName = Mapping[str, Profile]


_TREEBANK = TREEBANK_COLUMNS[0]
_VALUE = (
    DataColumn("column", "text", "The column of the profile"),
    DataColumn(
        "part", "text", "The relation, part of speech ... of the value; null for a column with a single value",
        optional=True,
    ),
    DataColumn("value", "number", "The value; null if there is none", optional=True),
    DataColumn("unit", "text", "The unit of the value: percent, words, bits ...; empty without a unit"),
)  # fmt: skip
_SINGLE = tuple(column.data(column.name) for column in COLUMNS.values() if column.by is None)
_PART = DataColumn("{column}:{part}", "number", "The column's value for a relation, part of speech ...", optional=True)
_KEYS = {
    kind: DataColumn(kind, "text", about)
    for kind, about in (
        ("relation", "The relation without subtype"), ("deprel", "The relation with subtype"),
        ("class", "The class of relations"), ("upos", "The part of speech"), ("feature", "The feature: Name=Value"),
    )
}  # fmt: skip
_N_SHOWN = 3  # of the columns about languages: without codes

TABLES: Mapping[str, str] = MappingProxyType(
    {
        "treebank": "treebanks", "value": "values", "relation": "relations", "deprel": "deprels", "class": "classes",
        "upos": "upos", "feature": "features",
    }
)  # fmt: skip
"""The table of each kind of rows."""

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "treebanks": (*TREEBANK_COLUMNS, *_SINGLE, _PART),
        "values": (_TREEBANK, *_VALUE),
        **{
            TABLES[kind]: (_TREEBANK, key, *(c.data(c.name_in_rows) for c in COLUMNS.values() if c.by == kind))
            for kind, key in _KEYS.items()
        },
        "totals": _VALUE,
        "vocabularies": (_TREEBANK, Vocabulary),
    }
)


class Key(NamedTuple):
    """A column and, if it has many values, which of them."""

    column: ProfileColumn
    part: str | None

    @property
    def name(self) -> str:
        return self.column.name if self.part is None else f"{self.column.name}:{self.part}"

    def value(self, profile: Profile) -> int | float | None:
        """Return the value in a profile. The share of a relation that does not occur is 0; other values are None."""
        if self.part is None:
            return profile.number(self.column.name)
        values = profile.numbers(self.column.name)
        return values.get(self.part, 0.0 if values and self.column.group == "frequencies" else None)

    @property
    def data(self) -> DataColumn:
        return self.column.data(self.name) if self.part is None else _PART._replace(name=self.name)


def _keys_of(profiles: Collection[Profile]) -> list[Key]:
    """Return the values that occur in any profile, in the order of columns, then alphabetically."""
    keys: list[Key] = []
    for column in map(COLUMNS.__getitem__, next(iter(profiles), ())):
        parts: Iterable[str | None] = (None,)
        if column.by is not None:
            parts = sorted({part for whole in profiles for part in whole.numbers(column.name)})
        keys += [Key(column, part) for part in parts]
    return keys


def data_of(name: str, profiles: ProfilesByName, total: Profile | None) -> DataTable | Iterator[Any]:
    if name == "values":
        return _value_rows(profiles)
    if name == "vocabularies":
        return ((code, whole.vocabulary) for code, whole in profiles.items() if whole.vocabulary is not None)
    if name == "treebanks":
        keys = sorted(_keys_of(profiles.values()), key=lambda key: key.part is not None)
        rows = [(code, *language_cells(code), *(key.value(whole) for key in keys)) for code, whole in profiles.items()]
        return DataTable((*TREEBANK_COLUMNS, *(key.data for key in keys)), rows)
    if name == "totals":
        return (row[1:] for row in _value_rows({} if total is None else {"": total}))
    kind = next(kind for kind in KINDS if TABLES[kind] == name)
    columns, rows = _rows_by(kind, profiles)
    return DataTable((_TREEBANK, _KEYS[kind], *(column.data(column.name_in_rows) for column in columns)), rows)


def _value_rows(profiles: ProfilesByName) -> Iterator[tuple[str, str, str | None, float | None, str]]:
    keys = _keys_of(profiles.values())
    for code, whole in profiles.items():
        for key in keys:
            yield code, key.column.name, key.part, key.value(whole), key.column.unit


def _rows_by(kind: str, profiles: ProfilesByName) -> tuple[list[ProfileColumn], list[tuple[Any, ...]]]:
    """The columns of a kind, and a row for each of its keys in a treebank."""
    columns = [COLUMNS[name] for name in next(iter(profiles.values())) if COLUMNS[name].by == kind]
    parts = sorted({part for whole in profiles.values() for column in columns for part in whole.numbers(column.name)})
    rows = [
        (code, part, *(Key(column, part).value(whole) for column in columns))
        for code, whole in profiles.items()
        for part in parts
    ]
    return columns, rows


def table_by_treebank(profiles: ProfilesByName, total: str | None) -> Table:
    keys = _keys_of(profiles.values())
    languages = [language_cells(name)[:_N_SHOWN] for name in profiles]
    shown = [n for n, cells in enumerate(zip(*languages)) if any(cells)]
    rows = {
        name: (name, *(cells[n] for n in shown), *(key.value(profile) for key in keys))
        for (name, profile), cells in zip(profiles.items(), languages)
    }
    summary = () if total is None else (rows.pop(total),)
    return Table(
        (
            Column("Treebank", "text"),
            *(Column(LANGUAGE_COLUMNS[n], "text", rank=1) for n in shown),
            *(key.column.display(key.name) for key in keys),
        ),
        tuple(rows.values()),
        summary=summary,
    )


def table_by_value(profiles: ProfilesByName) -> Table:
    texts = [Column(name, "text") for name in ("Treebank", "Column", "Of", "Unit")]
    rows = ((*row[:2], row[2] or "", row[3], COLUMNS[row[1]].unit_text) for row in _value_rows(profiles))
    return Table((*texts[:3], Column("Value", "number"), texts[3]), tuple(rows))


def table_by_kind(kind: str, profiles: ProfilesByName) -> Table:
    columns, rows = _rows_by(kind, profiles)
    heads = [Column("Treebank", "text"), Column(kind.capitalize(), "text")]
    return Table((*heads, *(column.display(column.name_in_rows) for column in columns)), tuple(rows))
