"""Heads recorded in MISC, so that a converted treebank can be had back without loss."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.conversion.heads import Words, lowered, raised
from levelhead.errors import Fault, InputError, Place
from levelhead.kernels import trees
from levelhead.treebank import Column, Treebank
from levelhead.treebank.treebank import COLUMNS

if TYPE_CHECKING:
    from levelhead.treebank.strings import Codes

ATTRIBUTE = "ContentHead"
"""The attribute in MISC that holds a word's head in the content-head tree, as CoNLL-U writes heads."""

_RECORD = re.compile(rf"{ATTRIBUTE}=([0-9]{{1,9}})")


class Restored(NamedTuple):
    """What the records of a treebank say.

    Args:
        heads: the recorded heads, and the present ones where a sentence has no records or others than it should.
        whole: whether the records of each sentence hold: its present tree is what forward conversion makes of them.
        recorded: whether each sentence has records.
    """

    heads: Codes
    whole: NDArray[np.bool_]
    recorded: NDArray[np.bool_]


def with_records(treebank: Treebank, words: Words) -> Treebank:
    """Record in MISC the head of each word that forward conversion changes or backward conversion would not restore.

    Args:
        treebank: content-head trees.
        words: what takes part in the conversion.

    Raises:
        InputError: there are such records already.
    """
    _refuse_records(treebank)
    heads = treebank.heads
    converted, _ = raised(heads, words)
    chosen = np.flatnonzero((converted != heads) | (lowered(converted, words) != heads))
    texts = [_added(treebank.misc[word], head) for word, head in zip(chosen, treebank.local_heads()[chosen])]
    return _with_misc(treebank, chosen, texts)


def without_records(treebank: Treebank) -> Treebank:
    """Remove all records from MISC."""
    found = _records_in(treebank)
    chosen = np.flatnonzero(np.isin(treebank.misc.codes, list(found)))
    texts = [found[code][1] for code in treebank.misc.codes[chosen].tolist()]
    return _with_misc(treebank, chosen, texts)


def n_records(treebank: Treebank) -> int:
    """Count the words with records."""
    return int(np.isin(treebank.misc.codes, list(_records_in(treebank))).sum())


def restored(treebank: Treebank, words: Words) -> Restored:
    """Read the records, and see in which sentences they hold.

    Args:
        treebank: function-head trees, perhaps changed since they were converted.
        words: what took part in the conversion.
    """
    starts, sentences = treebank.sentence_starts, treebank.sentence_of_word
    local = treebank.local_heads()
    recorded = np.zeros(len(treebank), dtype=bool)
    for code, (head, _) in _records_in(treebank).items():
        chosen = treebank.misc.codes == code
        local[chosen] = head
        recorded[sentences[chosen]] = True
    whole = recorded & (trees.bad_sentences(local, starts, True) == 0)  # noqa: FBT003 -- CoNLL-X may have several roots
    as_index = np.where(local == 0, -1, local - 1 + starts[sentences]).astype(np.int32)
    heads = np.where(whole[sentences], as_index, treebank.heads).astype(np.int32)
    converted, _ = raised(heads, words)
    whole[sentences[whole[sentences] & (converted != treebank.heads)]] = False
    return Restored(np.where(whole[sentences], heads, treebank.heads).astype(np.int32), whole, recorded)


def _refuse_records(treebank: Treebank) -> None:
    present = np.flatnonzero(np.isin(treebank.misc.codes, list(_records_in(treebank))))
    if len(present):
        word = int(present[0])
        sentence = int(treebank.sentence_of_word[word])
        number = str(word - int(treebank.sentence_starts[sentence]) + 1)
        line = int(treebank.source.lines[sentence]) if len(treebank.source.lines) else None
        message = f"word {number} of the sentence that begins here has a recorded head already"
        raise InputError(Fault("recorded-heads", message, Place(treebank.source.path, line, sentence + 1, number)))


def _records_in(treebank: Treebank) -> dict[int, tuple[int, str]]:
    """Give for each code of a MISC with records the last recorded head, and the MISC without them."""
    found = {}
    for code in treebank.misc.distinct.tolist():
        parts = treebank.strings[code].split("|")
        records = [match[1] for match in map(_RECORD.fullmatch, parts) if match]
        if records:
            rest = [part for part in parts if not _RECORD.fullmatch(part)]
            found[code] = (int(records[-1]), "|".join(rest) if rest else "_")
    return found


def _added(misc: str, head: int) -> str:
    record = f"{ATTRIBUTE}={head}"
    return record if misc == "_" else f"{misc}|{record}"


def _with_misc(treebank: Treebank, chosen: NDArray[np.intp], texts: list[str]) -> Treebank:
    """Return a treebank in which these words have these values of MISC."""
    strings, codes = treebank.strings.with_texts(texts)
    misc = treebank.misc.codes.copy()
    misc[chosen] = codes
    columns: dict[str, Any] = {name: Column(getattr(treebank, name).codes, strings) for name in COLUMNS}
    return replace(treebank, **{**columns, "misc": Column(misc, strings)})
