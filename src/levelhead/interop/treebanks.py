"""Objects that hold a treebank become a `Treebank`: the one place that knows all of them."""

from __future__ import annotations

import os
from typing import Any

from levelhead.arguments import DOCUMENTS, checked, is_list, refuse, type_of_treebank
from levelhead.interop.data_frames import from_frame
from levelhead.interop.spacy_library import from_spacy
from levelhead.interop.stanza_library import from_stanza
from levelhead.treebank import Treebank
from levelhead.treebank.sentence import conllu_parts
from levelhead.treebank.write import replace_file

__all__ = ["write"]

OBJECTS = "a treebank, a data frame of words, a Recovery, or a document of spaCy or Stanza"


def treebank_of(value: Any) -> Treebank | None:
    """Return a treebank from a treebank, a recovery, a data frame of words, or documents of spaCy or Stanza.

    Invalid trees are read as by `read(path, partial=True)`, so that functions that require valid trees refuse them. The
    relation ROOT of spaCy becomes root. Return None for any other object.
    """
    kind = type_of_treebank(value)
    if kind is None and is_list(value):
        documents = list(value)
        kinds = {type_of_treebank(document) for document in documents}
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind not in DOCUMENTS:
            return None
    match kind:
        case "levelhead.Treebank":
            return value  # type: ignore[no-any-return]
        case "levelhead.Recovery":
            return value.treebank  # type: ignore[no-any-return]
        case "spacy.Doc":
            return from_spacy(value, rename_root=True)
        case "stanza.Document":
            return from_stanza(value)
        case "pandas.DataFrame" | "polars.DataFrame":
            return from_frame(value, partial=True)
    return None


def as_treebank(name: str, value: Any, expected: str = OBJECTS) -> Treebank:
    """Return the argument with a name as a treebank; the error says what is expected."""
    treebank = treebank_of(value)
    return refuse(name, value, expected) if treebank is None else treebank


@checked(treebank=as_treebank, path="path")
def write(treebank: Any, path: str | os.PathLike[str]) -> None:
    """Write a treebank as CoNLL-U; the file is written completely or not at all.

    A treebank from a CoNLL-U Plus file is written as CoNLL-U Plus, with the same columns and any new columns with
    values.

    Args:
        treebank: the treebank, or another object (see `levelhead.interop`).
        path: the file, which is replaced if it exists; "-" is standard output.

    Raises:
        OutputError: the file cannot be written.
    """
    replace_file(path, conllu_parts(treebank))
