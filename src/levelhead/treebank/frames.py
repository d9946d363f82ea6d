"""Treebanks as data frames, one row per word."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from levelhead.tables.data import DataColumn
from levelhead.tables.frames import Frames, frame_of_columns
from levelhead.treebank.tokens import written_heads

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import polars as pl  # type: ignore[import-not-found,unused-ignore]

    from levelhead.treebank.treebank import Treebank


NUMBERS = ("sentence", "word", "head")  # the columns of `word_table` with numbers; the others have strings or None


def word_table(treebank: Treebank) -> dict[str, list[Any]]:
    """Return the words of a treebank as a mapping from column name to values.

    All comments except sent_id, all empty nodes, and all columns of multiword tokens except form and range are lost.

    Returns:
        The columns have the same names as in the tables of `levelhead.words`. Empty cells of CoNLL-U have "_".

        sentence                        the number of the sentence, from 1
        sent_id                         the sent_id of the sentence, or None
        word                            the ID of the word, from 1 in each sentence
        form, lemma, upos, xpos, feats  as in CoNLL-U
        head                            the ID of the head; 0 for the root, None for a word without a head
        deprel                          the relation with its subtype
        deps, misc                      as in CoNLL-U
        token                           the form of the surface token that contains the word
        range                           the ID of the multiword token that contains the word, such as "3-4", or None
    """
    tokens, texts = treebank.tokens, treebank.strings.texts
    ids, n_words = (tokens.first - treebank.sentence_starts[tokens.sentence] + 1).tolist(), tokens.n_words.tolist()
    ranges = (f"{n}-{n + size - 1}" if inside else None for n, size, inside in zip(ids, n_words, tokens.multiword))
    return {
        "sentence": (treebank.sentence_of_word + 1).tolist(),
        "sent_id": list(chain.from_iterable([sentence.id] * len(sentence) for sentence in treebank)),
        "word": list(chain.from_iterable(range(1, len(sentence) + 1) for sentence in treebank)),
        "form": list(treebank.forms),
        "lemma": list(treebank.lemmas),
        "upos": list(treebank.upos),
        "xpos": list(treebank.xpos),
        "feats": list(treebank.feats),
        "head": written_heads(treebank, None),
        "deprel": list(treebank.relations),
        "deps": list(treebank.deps),
        "misc": list(treebank.misc),
        "token": [texts[code] for code in np.repeat(tokens.forms, tokens.n_words).tolist()],
        "range": [name for name, size in zip(ranges, n_words) for _ in range(size)],
    }


def to_polars(treebank: Treebank) -> pl.DataFrame:
    """Return the words of a treebank as a polars data frame with the columns of `word_table`.

    Raises a LevelheadError if polars is not installed.
    """
    return cast("pl.DataFrame", _frame(treebank, "polars"))


def to_pandas(treebank: Treebank) -> pd.DataFrame:
    """Return the words of a treebank as a pandas data frame with the columns of `word_table`.

    Raises a LevelheadError if pandas is not installed.
    """
    return cast("pd.DataFrame", _frame(treebank, "pandas"))


def _frame(treebank: Treebank, library: Frames) -> Any:
    table = word_table(treebank)
    columns = [
        DataColumn(name, "integer" if name in NUMBERS else "text", "", optional=None in cells)
        for name, cells in table.items()
    ]
    return frame_of_columns(columns, table, library)
