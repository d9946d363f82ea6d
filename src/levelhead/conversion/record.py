"""Heads recorded in MISC, so that a converted treebank can be restored without loss."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.conversion.heads import Words, lowered, raised
from levelhead.errors import Fault, InputError, Place
from levelhead.kernels import trees
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.treebank import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from levelhead.treebank.strings import Codes

ATTRIBUTE = "ContentHead"
"""The attribute in MISC with a word's head in the content-head tree, in the form of CoNLL-U.

On the first word with a record in a sentence, a checksum of the function-head tree and of the recorded tree follows
after a colon.
"""

_RECORD = re.compile(rf"{ATTRIBUTE}=([0-9]{{1,9}})(?::([0-9a-f]{{8}}))?")


class Restored(NamedTuple):
    """The heads restored from the records of a treebank.

    Args:
        heads: the recorded heads, or the current heads without a record.
        valid: whether the records of each sentence are complete, and made for its current tree.
        recorded: whether each sentence has records.
    """

    heads: Codes
    valid: NDArray[np.bool_]
    recorded: NDArray[np.bool_]


class _Record(NamedTuple):
    """The record in a MISC: head and checksum, and the MISC without the record."""

    head: int
    checksum: str | None
    rest: str


def with_records(treebank: Treebank, words: Words) -> Treebank:
    """Record in MISC the head of each word that forward conversion changes or backward conversion would not restore."""
    _refuse_records(treebank)
    heads = treebank.heads
    converted, _ = raised(heads, words)
    chosen = np.flatnonzero((converted != heads) | (lowered(converted, words) != heads))
    records = [f"{ATTRIBUTE}={head}" for head in treebank.local_heads()[chosen].tolist()]
    sentences, first = np.unique(treebank.sentence_of_word[chosen], return_index=True)
    function = replace(treebank, heads=converted)
    sums = _checksums(function, treebank.local_heads(), sentences.tolist())
    for i, checksum in zip(first.tolist(), sums):
        records[i] += f":{checksum}"
    texts = [_added(treebank.misc[word], record) for word, record in zip(chosen.tolist(), records)]
    return _with_misc(treebank, chosen, texts)


def without_records(treebank: Treebank) -> Treebank:
    """Remove all records from MISC."""
    words, records = _recorded_words(treebank)
    return _with_misc(treebank, words, [record.rest for record in records])


def n_records(treebank: Treebank) -> int:
    """Return the number of words with records."""
    return len(_recorded_words(treebank)[0])


def restored(treebank: Treebank) -> Restored:
    """Read the records, and check in which sentences they are valid."""
    starts, sentences = treebank.sentence_starts, treebank.sentence_of_word
    words, records = _recorded_words(treebank)
    local = treebank.local_heads()
    local[words] = [record.head for record in records]
    recorded, valid = np.zeros(len(treebank), dtype=bool), np.zeros(len(treebank), dtype=bool)
    recorded[sentences[words]] = True
    sums = {i: record.checksum for i, record in zip(sentences[words].tolist(), records) if record.checksum}
    valid[list(sums)] = [stored == now for stored, now in zip(sums.values(), _checksums(treebank, local, sums))]
    # a treebank read as CoNLL-X can have several roots in a sentence
    valid &= trees.bad_sentences(local, starts, True) == 0
    as_index = np.where(local == 0, -1, local - 1 + starts[sentences]).astype(np.int32)
    return Restored(as_index, valid, recorded)


def _checksums(treebank: Treebank, recorded: Codes, sentences: Iterable[int]) -> list[str]:
    """Return a checksum of the current and recorded heads of each of some sentences.

    Both are needed, since the current tree does not change if a record is lost or added.
    """
    both = np.stack([treebank.local_heads(), recorded]).astype("<i4")
    starts = treebank.sentence_starts.tolist()
    return [f"{zlib.crc32(both[:, starts[i] : starts[i + 1]].tobytes()):08x}" for i in sentences]


def _refuse_records(treebank: Treebank) -> None:
    words, _ = _recorded_words(treebank)
    if len(words):
        word = int(words[0])
        sentence = int(treebank.sentence_of_word[word])
        number = str(word - int(treebank.sentence_starts[sentence]) + 1)
        line = int(treebank.source.lines[sentence]) if len(treebank.source.lines) else None
        message = f"word {number} of the sentence that starts here already has a recorded head"
        raise InputError(Fault("recorded-heads", message, Place(treebank.source.path, line, sentence + 1, number)))


def _recorded_words(treebank: Treebank) -> tuple[NDArray[np.intp], list[_Record]]:
    """Return the words with a record, and their records."""
    by_code = _records_in(treebank)
    words = np.flatnonzero(np.isin(treebank.misc.codes, list(by_code)))
    return words, [by_code[code] for code in treebank.misc.codes[words].tolist()]


def _records_in(treebank: Treebank) -> dict[int, _Record]:
    """Return the record of each code of a MISC with a record; the last of several counts."""
    by_code = {}
    for code in treebank.misc.distinct.tolist():
        parts = treebank.strings[code].split("|")
        records = [match for match in map(_RECORD.fullmatch, parts) if match]
        if records:
            rest = [part for part in parts if not _RECORD.fullmatch(part)]
            by_code[code] = _Record(int(records[-1][1]), records[-1][2], "|".join(rest) if rest else "_")
    return by_code


def _added(misc: str, record: str) -> str:
    return record if misc == "_" else f"{misc}|{record}"


def _with_misc(treebank: Treebank, chosen: NDArray[np.intp], texts: list[str]) -> Treebank:
    """Return a treebank in which these words have these values of MISC."""
    strings, codes = treebank.strings.with_texts(texts)
    misc = treebank.misc.codes.copy()
    misc[chosen] = codes
    columns: dict[str, Any] = {name: StringColumn(getattr(treebank, name).codes, strings) for name in COLUMNS}
    return replace(treebank, **{**columns, "misc": StringColumn(misc, strings)})
