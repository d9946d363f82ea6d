"""The files of a job, and its gold treebank, whole or in pieces: read once by a worker, and scored against itself."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from levelhead.campaign.records import GOLD
from levelhead.errors import InputError, Place, reason_of
from levelhead.evaluation.files import open_files
from levelhead.evaluation.fold import fold, score_treebanks
from levelhead.evaluation.pair import Evaluation, InputFile, as_gold, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.jobs import StaleInput
from levelhead.scoring import Score
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.blocks import whole_or_parts
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, decompressed, parts_of, parts_of_bytes
from levelhead.treebank.provenance import contents_hash

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor
    from levelhead.evaluation.pieces import GoldFacts


@immutable
class File:
    """A file with the hash of its contents when the jobs were planned."""

    path: str
    sha256: str  # of its bytes on disk
    # The bytes of a pipe, which can be read only once, or of a file that this process just read and scores itself.
    data: bytes | None = field(default=None, compare=False, repr=False)


class LargeFile(Exception):
    """A file that is too large to be read whole."""


def contents(file: File) -> bytes:
    if file.data is not None:
        return file.data
    with _readable(file):
        data = Path(file.path).read_bytes()
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise _changed(file)
    return data


def whole_contents(file: File, most: int) -> bytes:
    if file.data is None and _state(file)[0] > most:
        raise LargeFile
    raw = contents(file)
    if most >= DEFAULT_LIMITS.size:
        return decompressed(raw, "")
    with parts_of_bytes(raw, "") as parts:
        whole = whole_or_parts(parts, most)
    if not isinstance(whole, bytes):
        raise LargeFile
    return whole


def parts_of_file(file: File) -> AbstractContextManager[Iterator[bytes]]:
    return parts_of(file.path) if file.data is None else parts_of_bytes(file.data, "")


@contextmanager
def unchanged(*files: File) -> Iterator[None]:
    """Check that files are unchanged since the job was planned, and remain unchanged."""
    before = {file: _state(file) for file in files if file.data is None}
    for file in before:
        with _readable(file), Path(file.path).open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != file.sha256:
            raise _changed(file)
    try:
        yield
    finally:
        for file, state in before.items():
            if _state(file) != state:
                raise _changed(file)


def _state(file: File) -> tuple[int, int, int]:
    with _readable(file):
        status = Path(file.path).stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(file: File) -> StaleInput:
    return StaleInput("it was written to while it was read", "changing-file", Place(file.path))


@contextmanager
def _readable(file: File) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StaleInput(reason_of(error), "changing-file", Place(file.path)) from error


_GOLDS_AT_ONCE = 2  # jobs are ordered by test set, so that a worker reads each gold file once

Source = File | Treebank
"""Gold or an output: a file, or a treebank in memory."""


def hash_of(source: Source | None) -> str | None:
    """Return the hash of a file or of the contents of a treebank in memory; None without a source."""
    if isinstance(source, Treebank):
        return contents_hash(source)
    return None if source is None else source.sha256


def input_file(file: File, name: str | None) -> InputFile:
    return InputFile(name, partial(parts_of_file, file))


def gold_of(source: Source, setup: Setup, most: int = sys.maxsize) -> Treebank | InputError:
    """Return the gold treebank of a job, or the reason why it cannot be read."""
    return as_gold(source, setup) if isinstance(source, Treebank) else _gold(source, setup.with_measures(()), most)


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _gold(file: File, setup: Setup, most: int) -> Treebank | InputError:
    try:
        treebank = parse_as(whole_contents(file, most), GOLD, setup.rules, setup.format_of_gold)
    except InputError as error:
        return error
    return as_gold(treebank, setup)


def undefined_measures(gold: Source, setup: Setup, valueless: Iterable[str], most: int | None) -> list[str]:
    """Return the measures that gold does not annotate: gold scored against itself has no value either.

    Gold is read whole up to the size `most`, and in pieces without it.
    """
    measures = tuple(valueless)
    return list(_undefined(gold, _for_gold(setup, measures), most)) if measures else []


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _undefined(gold: Source, setup: Setup, most: int | None) -> tuple[str, ...]:
    if most is None and isinstance(gold, File):
        return without_value(score_gold_in_pieces(gold, setup, ()))
    treebank = gold_of(gold, setup, sys.maxsize if most is None else most)
    return without_value(score_treebanks(treebank, treebank, setup)) if isinstance(treebank, Treebank) else ()


def without_value(scores: Mapping[str, Score]) -> tuple[str, ...]:
    return tuple(name for name, score in scores.items() if score.value is None)


def score_gold_in_pieces(
    gold: File, setup: Setup, visitors: Sequence[Visitor], measures: Sequence[str] | None = None
) -> Evaluation:
    setup = setup if measures is None else _for_gold(setup, measures)
    source = input_file(gold, GOLD)
    with open_files(source, source, setup, blocks.SIZES.piece, facts_of(gold, setup)) as stream:
        return fold(stream, setup, visitors)


def _for_gold(setup: Setup, measures: Sequence[str]) -> Setup:
    """Return the settings for gold with some measures, without those that name a file, which always have a value."""
    chosen = tuple(m for m, definition in setup.defined if str(m) in measures and not definition.needs_file)
    return replace(setup, measures=chosen, partial=False)


def facts_of(gold: File, setup: Setup) -> GoldFacts:
    """Return the facts about a gold file that the jobs of a worker share, so that they are found only once."""
    return _shared_facts(gold, replace(setup, measures=(), partial=False))


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _shared_facts(_gold: File, _setup: Setup) -> GoldFacts:
    from levelhead.evaluation.pieces import GoldFacts

    return GoldFacts()
