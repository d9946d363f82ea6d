"""The counts of a treebank's file; those of a large one piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from levelhead.errors import Fault
from levelhead.treebank import Treebank, blocks, from_conllu
from levelhead.treebank.provenance import MEMORY
from levelhead.treebank.reader import Format
from levelhead.typology.counts import RunningCounts, TreebankCounts, count_treebank
from levelhead.typology.lexical import Chunks


class CountedFile(NamedTuple):
    """A treebank that was counted.

    Args:
        counts: its counts.
        path: the path of its file, or what stands for that of a treebank in memory.
        sha256: the hash of the decompressed file, or what stands for it.
        warnings: the warnings about the file.
        in_pieces: whether it was read piece by piece.
    """

    counts: TreebankCounts
    path: str
    sha256: str
    warnings: tuple[Fault, ...]
    in_pieces: bool = False


def counted(treebank: Treebank, chunks: Chunks) -> CountedFile:
    """Count a treebank in memory.

    Args:
        treebank: the treebank.
        chunks: how running text is cut for type/token ratios.
    """
    source = treebank.source
    counts = count_treebank(treebank, chunks)
    return CountedFile(counts, source.path or MEMORY, source.sha256 or MEMORY, tuple(treebank.warnings))


def counted_contents(contents: bytes | Iterator[bytes], name: str, form: Format, chunks: Chunks) -> CountedFile:
    """Count a file; one that is given part by part is never in memory as a whole.

    Args:
        contents: its contents, as `blocks.contents_or_parts` returns them.
        name: its path.
        form: "conllu" or "conllx".
        chunks: how running text is cut for type/token ratios.

    Raises:
        InputError: it is not valid; with every fault.
    """
    if isinstance(contents, bytes):
        return counted(from_conllu(contents, name=name, format=form), chunks)
    return _counted_parts(contents, name, form, chunks)


def _counted_parts(parts: Iterator[bytes], name: str, form: Format, chunks: Chunks) -> CountedFile:
    from levelhead.treebank.pieces import OwnPieces

    counts = RunningCounts(chunks)
    pieces = OwnPieces(parts, name, conllx=form == "conllx")
    while not (pieces.ended or pieces.failed):
        pieces.more(blocks.SIZES.piece)
        if pieces.treebank is not None:
            counts.add(pieces.take(len(pieces.treebank)))
    error = pieces.error()
    if error is not None:
        raise error
    contents = pieces.contents()
    return CountedFile(counts.total(), name, contents.sha256 or MEMORY, contents.warnings, in_pieces=True)
