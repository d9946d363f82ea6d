"""The profile of one treebank from its files; large files are read in pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from levelhead.errors import Fault, InputError
from levelhead.progress import tracked
from levelhead.treebank import Treebank, blocks, check_trees, from_conllu
from levelhead.treebank.blocks import contents_or_parts
from levelhead.treebank.provenance import MEMORY
from levelhead.treebank.reader import Format
from levelhead.treebank.schemes import SCHEMES, Scheme
from levelhead.treebank.training_data import Training
from levelhead.typology.counts import CountSum, RunningCounts, TreebankCounts, count_treebank
from levelhead.typology.lexical import Chunks
from levelhead.typology.profile import DEFAULT_SCHEME, Profile, profile

Files = Mapping[str, Sequence[str | Treebank]]
"""The files of each treebank by its name, or treebanks in memory."""


class ProfileTask(NamedTuple):
    """The computation for each treebank.

    Args:
        columns: the names of columns.
        scheme: the classes of relations.
        chunks: how running text is cut for type/token ratios.
        least: how often a word with its part of speech and relation must occur to count for the head-word entropy.
        format: "conllu" or "conllx".
        with_counts: whether to return the counts as well.
        training: the contents of training treebanks, for the columns on leakage, or None.
    """

    columns: tuple[str, ...]
    scheme: Scheme = SCHEMES[DEFAULT_SCHEME]
    chunks: Chunks = Chunks()
    least: int = 5
    format: Format = "conllu"
    with_counts: bool = False
    training: Training | None = None


class CountedFile(NamedTuple):
    """The counts of a treebank.

    Args:
        counts: its counts.
        file: the path of the file and the hash of its decompressed contents, or their substitutes.
        warnings: the warnings about the file.
        in_pieces: whether it was read in pieces.
    """

    counts: TreebankCounts
    file: tuple[str, str]
    warnings: tuple[Fault, ...]
    in_pieces: bool = False


class ProfiledTreebank(NamedTuple):
    """The profile of a treebank.

    Args:
        profile: the profile.
        files: the path and the hash of each file.
        warnings: the warnings about the files.
        in_pieces: whether a file was read in pieces.
        counts: the counts, if requested.
    """

    profile: Profile
    files: tuple[tuple[str, str], ...]
    warnings: tuple[Fault, ...]
    in_pieces: bool
    counts: TreebankCounts | None = None


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
    """Return the counts of a treebank."""
    if isinstance(source, Treebank):
        return _counted_treebank(source, source, task)
    with contents_or_parts(source, blocks.SIZES.large) as contents:
        return counted_contents(contents, source, task)


def counted_contents(contents: bytes | Iterator[bytes], name: str, task: ProfileTask) -> CountedFile:
    """Return the counts of a file; a file given in parts is never in memory as a whole."""
    if isinstance(contents, bytes):
        return _counted_treebank(name, from_conllu(contents, name=name, format=task.format), task)
    return _counted_parts(contents, name, task)


def hash_of(source: str | Treebank, treebank: Treebank) -> tuple[str, str]:
    """Return the path of a treebank's file and the hash of its contents, or their substitutes."""
    path = (source.source.path or MEMORY) if isinstance(source, Treebank) else os.fsdecode(source)
    return path, treebank.source.sha256 or MEMORY


def _counted_treebank(source: str | Treebank, treebank: Treebank, task: ProfileTask) -> CountedFile:
    counts = count_treebank(check_trees(treebank), task.chunks, task.training)
    return CountedFile(counts, hash_of(source, treebank), tuple(treebank.warnings))


def _counted_parts(parts: Iterator[bytes], name: str, task: ProfileTask) -> CountedFile:
    from levelhead.treebank.pieces import OwnPieces

    counts = RunningCounts(task.chunks, task.training)
    pieces = OwnPieces(parts, name, conllx=task.format == "conllx")
    without_trees = None
    for piece in pieces.each(blocks.SIZES.piece):
        if piece.has_trees:
            counts.add(piece)
        else:
            without_trees = piece
    if without_trees is not None:
        check_trees(without_trees)  # after the last piece, so that faults of the format are reported first
    contents = pieces.contents()
    return CountedFile(counts.total(), (name, contents.sha256 or MEMORY), contents.warnings, in_pieces=True)
