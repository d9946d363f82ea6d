"""The words of each sentence for a language model, in the order of the string or of a derivation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation.derive import derive
from levelhead.derivation.transition_systems import SYSTEMS
from levelhead.errors import Fault, InputError, unknown
from levelhead.treebank import StringColumn, Strings, Treebank
from levelhead.treebank.strings import character_set

ORDERS = ("string", *SYSTEMS)
"""The orders of words: the order of the string, or the order in which a transition system attaches them."""


class Sequences(NamedTuple):
    """The words of some sentences in some order.

    Args:
        words: the words of all sentences, with spaces as underscores.
        starts: where each sentence starts, then the number of words, int32, shape (sentences + 1,).
        order: the order, one of `ORDERS`.
        swaps: the number of swaps of each sentence for the order, int64, shape (sentences,).
        sha256: the hash of the file; None without a file.
    """

    words: StringColumn
    starts: NDArray[np.int32]
    order: str
    swaps: NDArray[np.int64]
    sha256: str | None = None


def sequences_of(treebank: Treebank, order: str = "string", *, lift: bool = False) -> Sequences:
    """Return the syntactic words of a treebank in an order, without the artificial root.

    Args:
        treebank: the trees.
        order: "string", or the name of a transition system: the order in which words get their heads in its canonical
            derivation (Søgaard & Haulrich, section 3).
        lift: whether to lift non-projective arcs if the system only derives projective trees.

    Raises:
        InputError: the order is unknown, or the transition system cannot derive a tree.
    """
    if order not in ORDERS:
        raise InputError(Fault("unknown-order", unknown("order", order, ORDERS)))
    words, sha256 = _with_underscores(treebank.forms), treebank.source.sha256
    if order == "string":
        return Sequences(words, treebank.sentence_starts, order, np.zeros(len(treebank), dtype=np.int64), sha256)
    derivations = derive(treebank, SYSTEMS[order], lift=lift)
    words = words.take(derivations.order.astype(np.intp))
    return Sequences(words, treebank.sentence_starts, order, derivations.swaps, sha256)


def sequences_from(sentences: Iterable[Sequence[str]]) -> Sequences:
    """Return sequences for lists of words.

    Args:
        sentences: the words of each.
    """
    rows = [list(sentence) for sentence in sentences]
    starts = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    strings, codes = Strings.of([]).with_texts(word.replace(" ", "_") for row in rows for word in row)
    return Sequences(StringColumn(codes, strings), starts, "string", np.zeros(len(rows), dtype=np.int64))


def _with_underscores(forms: StringColumn) -> StringColumn:
    """Replace the spaces inside words, since language models separate words by them."""
    spaced = np.intersect1d(forms.strings.codes_with(character_set((0x20, 0x20))), forms.distinct)
    if not len(spaced):
        return forms
    strings, new = forms.strings.with_texts(forms.strings[int(code)].replace(" ", "_") for code in spaced)
    codes = np.arange(len(forms.strings), dtype=np.int32)
    codes[spaced] = new
    return StringColumn(codes[forms.codes], strings)
