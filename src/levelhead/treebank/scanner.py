"""The compiled scanner of valid files: CoNLL-U to columns, without repairs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from levelhead.kernels import pools, scan, trees
from levelhead.treebank.input_bytes import ScannedBytes
from levelhead.treebank.strings import ANY_SPACE, StringColumn, Strings
from levelhead.treebank.tokens import COLUMNS, FORM, Comments, EmptyNodes, MultiwordTokens, Source
from levelhead.treebank.treebank import Treebank

if TYPE_CHECKING:
    from levelhead.treebank.plus import ColumnLayout

HEADLESS = rb"(?m)^([1-9][0-9]*)(\t(?:[^\t\n]*\t){5})_(?=\t)"
"""Finds a word without a head: its ID, and the columns up to HEAD."""

_ANY_TREE = rb"(?m)^([1-9][0-9]*\t(?:[^\t\n]*\t){5})[^\t\n]*\t[^\t\n]*(?=\t)"  # a word up to its DEPREL


class ReaderSettings(NamedTuple):
    """The settings of reading a file."""

    conllx: bool = False  # without ranges, empty nodes and comments, with several roots allowed
    several_roots: bool = False
    layout: ColumnLayout | None = None  # of a CoNLL-U Plus file
    ignores_trees: bool = False
    any_heads: bool = False  # heads that are words of the sentence but do not form a tree

    def of(self, data: bytes, name: str | None = None) -> ReaderSettings:
        """Return the settings for a file, with the columns that the first line of the file names."""
        if self.conllx or b"global.columns" not in data[: data.find(b"\n") + 1]:
            return self
        from levelhead.treebank.plus import layout_of

        return self._replace(layout=layout_of(data, name))


def scan_file(data: bytes, reading: ReaderSettings, *, start: bool = True) -> Treebank | None:
    """Return the treebank in a file without repairs, or None if the file has any fault."""
    layout = reading.layout
    if layout is not None and (b"\r" in data or b"\0" in data):  # perhaps in an extra column, which is not scanned
        return None
    ten, rows = (data, []) if layout is None else layout.ten_columns(data)
    treebank = None
    if not reading.ignores_trees:
        treebank = scan_treebank(
            ten, conllx=reading.conllx, several_roots=reading.several_roots, any_heads=reading.any_heads
        )
    if treebank is None and (reading.ignores_trees or re.search(HEADLESS, ten[: max(ten.find(b"\n\n"), 0)])):
        pattern, without_tree = (_ANY_TREE, rb"\g<1>0\t_") if reading.ignores_trees else (HEADLESS, rb"\1\g<2>0")
        ten, n_words = re.subn(pattern, without_tree, ten)
        treebank = scan_treebank(ten, conllx=reading.conllx, several_roots=True)
        treebank = replace(treebank, has_trees=False) if treebank and treebank.n_words == n_words else None
    if treebank is None or layout is None:
        return treebank
    from levelhead.treebank.plus import extra_columns

    try:
        extra = extra_columns(layout, rows)
    except UnicodeDecodeError:
        return None
    header = treebank.comments.text.index(b"\n") + 1 if start else 0
    starts = (treebank.comments.starts - header).clip(min=0)
    return replace(treebank, comments=Comments(treebank.comments.text[header:], starts), extra=extra)


def scan_treebank(
    data: bytes, *, conllx: bool = False, several_roots: bool = False, any_heads: bool = False
) -> Treebank | None:
    """Return the treebank in ten columns, or None if they have any fault."""
    if not data:
        return None
    begun = scan.begin(data, not conllx) if conllx or not isinstance(data, ScannedBytes) else data.begun
    scanned = scan.arrays_of(begun)
    if isinstance(scanned, int):
        return None
    pool, offsets, codes, local_heads, multiword, empty, starts, lines, comments, comment_starts = scanned
    allowed, ascii_only = scan.kinds_of_bytes(begun)
    if not (allowed and (ascii_only or pools.is_utf8(comments))):  # the scanner checks the cells
        return None
    bad = trees.bad_sentences(local_heads, starts, conllx or several_roots)
    if (bad == 1).any() if any_heads else bad.any():  # 1: a head is outside the sentence
        return None
    strings = Strings(pool, offsets)
    columns: dict[str, Any] = {name: StringColumn(column, strings) for name, column in zip(COLUMNS, codes)}
    treebank = Treebank(
        **columns,
        heads=trees.global_heads(local_heads, starts),
        sentence_starts=starts,
        multiword=MultiwordTokens(multiword[:, 0], multiword[:, 1], multiword[:, 2], multiword[:, 3:]),
        empty=EmptyNodes(empty[:, 0], empty[:, 1], empty[:, 2], empty[:, 3:]),
        comments=Comments(comments, comment_starts),
        source=Source(lines=lines),
    )
    blank = [code for code in strings.with_spaces.tolist() if not strings[code].translate(ANY_SPACE)]
    forms = (codes[0], multiword[:, 3 + FORM], empty[:, 3 + FORM]) if blank else ()
    return None if any(np.isin(column, blank).any() for column in forms) else treebank
