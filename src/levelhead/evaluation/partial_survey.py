"""The first reading of two large files for partial scores: it decides how their sentences are paired."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.evaluation.partial import several_roots
from levelhead.evaluation.pieces import pieces_of
from levelhead.evaluation.setup import Setup
from levelhead.scoring.placed_pieces import Places
from levelhead.scoring.sentence_pairing import sentence_ids
from levelhead.scoring.spans import spans_of
from levelhead.treebank import Treebank
from levelhead.treebank.contents import Contents
from levelhead.treebank.lenient_reader import are_trees, as_they_are
from levelhead.treebank.pieces import LenientPieces, Pieces
from levelhead.treebank.warning_checks import Hashes

_NOTHING: Hashes = np.zeros(0, dtype=np.int64)


class Rereadable(NamedTuple):
    """A file that can be read more than once.

    Args:
        name: its name in messages, or None.
        parts: opens it, for reading its contents in parts.
    """

    name: str | None
    parts: Callable[[], AbstractContextManager[Iterator[bytes]]]

    @contextmanager
    def pieces(self, ready: Setup, *, of_gold: bool, known: Contents | None = None) -> Iterator[Pieces]:
        """Yield the file for reading in pieces, see `pieces_of`, and close it."""
        with self.parts() as parts:
            yield pieces_of((self.name, parts), ready, of_gold=of_gold, known=known)

    @contextmanager
    def rows(self, ready: Setup, known: bytes | None = None) -> Iterator[LenientPieces]:
        """Yield the file for reading row by row, see `LenientPieces`, and close it."""
        with self.parts() as parts:
            yield LenientPieces(parts, self.name, conllx=ready.format == "conllx", known=known)


class FirstReading(NamedTuple):
    """The results of the first reading of a file.

    Args:
        contents: its sizes and warnings.
        text: a hash of all its characters.
        ids: the hash of the sent_id of each sentence; None if a sentence has no sent_id.
        texts: the hash of the characters of each sentence; empty for gold.
        is_tree: whether each sentence is valid, bool, shape (sentences,); empty for gold.
        marks: for an invalid output, the marks of `ReadableRows`; None for a valid file.
        unreadable: the number of lines that could not be read.
    """

    contents: Contents
    text: bytes
    ids: Hashes | None
    texts: Hashes
    is_tree: NDArray[np.bool_]
    marks: bytes | None = None
    unreadable: int = 0


def survey_gold(gold: Rereadable, ready: Setup, size: int, known: Contents | None = None) -> FirstReading:
    """Read gold once."""
    with gold.pieces(ready, of_gold=True, known=known) as pieces:
        return _survey(pieces, pieces.each(size), ready, of_gold=True)


def survey_output(system: Rereadable, ready: Setup, size: int) -> FirstReading:
    """Read a system's output once; if it is invalid, read it again row by row."""
    with output_pieces(system, ready) as pieces:
        survey = _survey(pieces, pieces.until_failure(size), ready)
    if not pieces.failed:
        return survey
    with system.rows(ready) as rows:
        survey = _survey(rows, rows.each(size), ready)
    is_tree = survey.is_tree & as_they_are(rows.marks)
    return survey._replace(is_tree=is_tree, marks=bytes(rows.marks), unreadable=rows.unreadable)


def output_pieces(
    system: Rereadable, ready: Setup, known: FirstReading | None = None
) -> AbstractContextManager[Pieces]:
    """Return a system's output for reading in pieces: as a valid file, or row by row if it is known to be invalid."""
    if known is None or known.marks is None:
        return system.pieces(ready, of_gold=False, known=known and known.contents)
    return system.rows(ready, known.marks)


def _survey(pieces: Pieces, treebanks: Iterable[Treebank], ready: Setup, *, of_gold: bool = False) -> FirstReading:
    text = hashlib.sha256()
    ids: list[Hashes] | None = [_NOTHING]
    texts, trees = [_NOTHING], [np.zeros(0, dtype=bool)]
    for piece in treebanks:
        spans = spans_of(piece, unicode_spaces=ready.rules.unicode_spaces)
        text.update(spans.text.tobytes())
        names = [] if ids is None else [name for name in sentence_ids(piece) if name is not None]
        ids = [*ids, hashes_of(names)] if ids is not None and len(names) == len(piece) else None
        if not of_gold:
            texts.append(hashes_of(spans.sentence_texts()))
            trees.append(_are_valid(pieces, piece, ready))
    every_id = None if ids is None else np.concatenate(ids)
    return FirstReading(pieces.contents(), text.digest(), every_id, np.concatenate(texts), np.concatenate(trees))


def _are_valid(pieces: Pieces, piece: Treebank, ready: Setup) -> NDArray[np.bool_]:
    if isinstance(pieces, LenientPieces):
        return are_trees(piece, several_roots=several_roots(ready))
    return np.full(len(piece), piece.has_trees)


def places_by_id(gold: FirstReading, system: FirstReading) -> Places | None:
    """Return the gold sentence of each system sentence by their ids; None if ids are ambiguous or in another order."""
    if gold.ids is None or system.ids is None:
        return None
    order = np.argsort(gold.ids, kind="stable")
    known = gold.ids[order]
    at = np.searchsorted(known, system.ids).clip(max=len(known) - 1)
    if (known[1:] == known[:-1]).any() or (known[at] != system.ids).any():
        return None
    _, first, answer = np.unique(at, return_index=True, return_inverse=True)
    if (system.texts[first[answer]] != system.texts).any():
        return None
    first.sort()
    places = np.full(len(at), -1, dtype=np.int64)
    places[first] = order[at[first]]
    return places if (np.diff(places[first]) > 0).all() else None


def hashes_of(names: list[bytes]) -> Hashes:
    """Return 64-bit hashes, which are others in every process."""
    return np.fromiter(map(hash, names), dtype=np.int64, count=len(names))
