"""Conversion of treebanks to and from objects of other libraries, which functions that take treebanks also take."""

from levelhead.interop.spacy_library import from_spacy, to_spacy
from levelhead.interop.stanza_library import from_stanza, to_stanza
from levelhead.interop.treebanks import from_frame
from levelhead.treebank.frames import to_pandas, to_polars, word_table

__all__ = [
    "from_frame", "from_spacy", "from_stanza", "to_pandas", "to_polars", "to_spacy", "to_stanza", "word_table",
]  # fmt: skip
