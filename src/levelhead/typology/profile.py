"""Profiles: the values of columns for one treebank, for several together, and for files of any size."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, MeasureError, Place, unknown
from levelhead.progress import tracked
from levelhead.treebank import Treebank, blocks, check_trees, from_conllu
from levelhead.treebank.blocks import contents_or_parts
from levelhead.treebank.layouts.gold import files_at, name_of, splits_of, treebank_of
from levelhead.treebank.provenance import MEMORY
from levelhead.treebank.reader import Format
from levelhead.treebank.relations import SCHEMES, Scheme
from levelhead.treebank.training_data import Training
from levelhead.typology.counts import CountSum, RunningCounts, TreebankCounts, Vocabulary, count_treebank
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
    """Return the quartiles of values, with linear interpolation; None for fewer than five values."""
    numbers = [value for value in values if value is not None]
    return Quartiles(*map(float, np.quantile(numbers, (0.25, 0.5, 0.75)))) if len(numbers) >= FEWEST else None


DEFAULT_SCHEME = "nivre-fang"


class Profile(Mapping[str, Value]):
    """The profile of a treebank: the value of each column, by name.

    Args:
        values: the values.
        signature: the settings that determine them.
        vocabulary: the size of the counts behind them, if known.
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
        """Return the value of a column with a single number."""
        value = self[name]
        if isinstance(value, Mapping):
            raise TypeError(f"{name} has many values")
        return value

    def numbers(self, name: str) -> Mapping[str, float]:
        """Return the values of a column with several numbers."""
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
        treebank: a treebank, or its counts, which can be the sum of several treebanks.
        columns: names of columns, of their groups, or "all".
        scheme: the classes of relations for the column `class`.
        chunks: how running text is cut for type/token ratios, unless counts are given.
        least: the minimum frequency of a word with its part of speech and relation for the head-word entropy.

    Raises:
        MeasureError: the column or scheme is unknown; the message suggests similar names.
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
    """Return the columns with these names, in the order of `COLUMNS` inside groups, without duplicates.

    With a kind of keys as `by`, only its columns are known.
    """
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
            message = f"another file is also this part of {treebank_of(stem)}: leave one of them out, or do not merge"
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
"""A function that profiles treebanks."""


def profile_here(files: Files, task: ProfileTask) -> Profiles:
    """Profile treebanks one at a time, with only one in memory."""
    with tracked(files.items(), "reading") as items:
        for name, sources in items:
            yield name, profiled((counted(source, task) for source in sources), task)


def profiled(files: Iterable[CountedFile], task: ProfileTask) -> ProfiledTreebank | InputError:
    """Return the profile of a treebank, or the error of its first invalid file."""
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
        return _counted_treebank(source, source, task)
    with contents_or_parts(source, blocks.SIZES.large) as contents:
        return counted_contents(contents, source, task)


def counted_contents(contents: bytes | Iterator[bytes], name: str, task: ProfileTask) -> CountedFile:
    """Return the counts of a file; a file given in parts is never in memory as a whole."""
    if isinstance(contents, bytes):
        return _counted_treebank(name, from_conllu(contents, name=name, format=task.format), task)
    from levelhead.treebank.checked_pieces import CheckedPieces
    from levelhead.treebank.scanner import ReaderSettings

    counts = RunningCounts(task.chunks, task.training)
    pieces = CheckedPieces(contents, name, ReaderSettings(task.format == "conllx"))
    without_trees = None
    for piece in pieces.each(blocks.SIZES.piece):
        if piece.has_trees:
            counts.add(piece)
        else:
            without_trees = piece
    if without_trees is not None:
        check_trees(without_trees)  # after the last piece, so that faults of the format are reported first
    whole = pieces.contents()
    return CountedFile(counts.total(), (name, whole.sha256 or MEMORY), whole.warnings, in_pieces=True)


def hash_of(source: str | Treebank, treebank: Treebank) -> tuple[str, str]:
    """Return the path of a treebank's file and the hash of its contents, or their substitutes."""
    path = (source.source.path or MEMORY) if isinstance(source, Treebank) else os.fsdecode(source)
    return path, treebank.source.sha256 or MEMORY


def _counted_treebank(source: str | Treebank, treebank: Treebank, task: ProfileTask) -> CountedFile:
    counts = count_treebank(check_trees(treebank), task.chunks, task.training)
    return CountedFile(counts, hash_of(source, treebank), tuple(treebank.warnings))
