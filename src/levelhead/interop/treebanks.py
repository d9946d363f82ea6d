"""Objects that hold a treebank become a `Treebank`: data frames of words, documents of spaCy and Stanza."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from levelhead.arguments import DOCUMENTS, checked, is_list, refuse, type_of_treebank
from levelhead.errors import ConlluError, Fault, InputError, listed, quoted
from levelhead.interop.sentence_blocks import SentenceBlock, fault_in, treebank_from_blocks
from levelhead.interop.spacy_library import from_spacy
from levelhead.interop.stanza_library import from_stanza
from levelhead.treebank import Treebank
from levelhead.treebank.frames import NUMBERS
from levelhead.treebank.sentence import conllu_parts
from levelhead.treebank.write import replace_file

_ORIGIN = "data frame"
_NAMES: Mapping[str, tuple[str, ...]] = {
    "sentence": ("sentence",), "word": ("word", "id"), "form": ("form",), "lemma": ("lemma",), "upos": ("upos",),
    "xpos": ("xpos",), "feats": ("feats",), "head": ("head",), "relation": ("deprel", "relation"), "deps": ("deps",),
    "misc": ("misc",), "sent_id": ("sent_id",), "token": ("token",), "range": ("range",),
}  # fmt: skip
"""The columns, by what they hold; the first name that a frame has is used."""

_REQUIRED = ("sentence", "form", "head", "relation")
_WRITTEN = ("form", "lemma", "upos", "xpos", "feats", "head", "relation", "deps", "misc")


@checked(allow_several_roots="flag", partial="flag")
def from_frame(frame: Any, *, allow_several_roots: bool = False, partial: bool = False) -> Treebank:
    """Return a treebank from a polars or pandas data frame with one row per word.

    Args:
        frame: a data frame with the columns `sentence`, `form`, `head` and `relation` (or `deprel`), and optionally the
            other columns of `word_table`. The column `word` can also be named `id`. Missing values become "_".
        allow_several_roots: whether a sentence can have several words with HEAD 0.
        partial: whether to accept invalid trees (see `read`).

    Raises:
        InputError: `frame` is not a data frame, or a column is missing.
        ConlluError: the words are not a valid treebank; the error lists all faults.
    """
    if type_of_treebank(frame) not in {"polars.DataFrame", "pandas.DataFrame"}:
        refuse("frame", frame, "a polars or pandas data frame")
    names = list(frame.columns)
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise InputError(Fault("invalid-table", f"a data frame of words has two columns {twice[0]}"))
    columns = {of: next((name for name in given if name in names), None) for of, given in _NAMES.items()}
    if missing := [" or ".join(_NAMES[of]) for of in _REQUIRED if columns[of] is None]:
        message = f"a data frame of words has no column {listed(missing)}; it has {listed(list(map(str, names)))}"
        raise InputError(Fault("unknown-column", message))
    cells = {of: _texts(frame[name], whole=of in NUMBERS) for of, name in columns.items() if name is not None}
    rows = [dict(zip(cells, row)) for row in zip(*cells.values())]
    sentences = (list(words) for _, words in groupby(rows, lambda row: row["sentence"]))
    blocks = (_block(number, words) for number, words in enumerate(sentences, 1))
    return treebank_from_blocks(blocks, _ORIGIN, several_roots=allow_several_roots, partial=partial)


def _texts(column: Any, *, whole: bool) -> list[str | None]:
    """The values of a column as text; None for missing values. In pandas, whole numbers can be floats."""
    is_missing = (column.is_null() if hasattr(column, "is_null") else column.isna()).to_list()
    values = column.to_list()
    if whole:
        values = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values]
    return [None if missing else str(value) for value, missing in zip(values, is_missing, strict=True)]


def _block(number: int, words: Sequence[Mapping[str, str | None]]) -> SentenceBlock:
    sent_id = words[0].get("sent_id")
    rows = list[list[str]]()
    previous = None
    for place, word in enumerate(words, 1):
        if (word_id := word.get("word", str(place))) != str(place):
            message = f"word {place} has the id {quoted(str(word_id))}: expected {place}"
            raise ConlluError(fault_in(_ORIGIN, number, "invalid-id", message, str(place)))
        span = word.get("range")
        if span is not None and span != previous:
            rows.append([span, word.get("token") or "_", *["_"] * 8])
        previous = span
        rows.append([str(place), *(word.get(name) or "_" for name in _WRITTEN)])
    return SentenceBlock([] if sent_id is None else [f"# sent_id = {sent_id}"], rows)


__all__ = ["write"]

OBJECTS = "a treebank, a data frame of words, a Recovery, or a document of spaCy or Stanza"


_READERS: Mapping[str, Callable[[Any], Treebank]] = {
    "levelhead.Treebank": lambda value: value,
    "levelhead.Recovery": lambda value: value.treebank,
    "spacy.Doc": partial(from_spacy, rename_root=True),
    "stanza.Document": from_stanza,
    **dict.fromkeys(("pandas.DataFrame", "polars.DataFrame"), partial(from_frame, partial=True)),
}


def as_treebank(name: str, value: Any, expected: str = OBJECTS) -> Treebank:
    """Return the argument with a name as a treebank; the error says what is expected."""
    kind, given = type_of_treebank(value), value
    if kind is None and is_list(value):
        given = list(value)
        kinds = {type_of_treebank(document) for document in given}
        kind = kinds.pop() if len(kinds) == 1 and kinds <= DOCUMENTS else None
    return refuse(name, value, expected) if kind is None else _READERS[kind](given)


@checked(treebank=as_treebank, path="path")
def write(treebank: Any, path: str | os.PathLike[str]) -> None:
    """Write a treebank as CoNLL-U; the file is written completely or not at all.

    A treebank that was read from CoNLL-U Plus is written as CoNLL-U Plus with the same columns. Columns of CoNLL-U that
    the file lacked are added if they now have values.

    Args:
        treebank: the treebank, or another object (see `levelhead.interop`).
        path: the file, which is replaced if it exists; "-" is standard output.

    Raises:
        OutputError: the file cannot be written.
    """
    replace_file(path, conllu_parts(treebank))
