"""The words of a treebank as numbers, for the parsers: a hash of each attribute of each word; and chunks of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.strings import UNDERSCORE

Integers = NDArray[np.int32]

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "pre1", "pre2", "pre3", "suf1", "suf2", "suf3", "shape")
"""The attributes of a word, in the order of `Columns.values`."""

WIDTH = 16
"""The number of values per word, which fill a cache line."""

_TAGS = "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
_OTHER_TAG = len(_TAGS)
_MOST_FEATURES = 16  # per word; features beyond that count only as part of the whole FEATS cell


class Columns(NamedTuple):
    """The words of a treebank as numbers. Row 0 stands for no word, row 1 for the artificial root; then come the words.

    Args:
        values: the hashes of attributes; int32, shape (words + 2, WIDTH).
        feature_starts: where the morphological features of each row start; int32, shape (words + 3,).
        feature_names: the hash of each feature's name, ascending within a row; int32.
        features: the hash of each feature; int32.
        tags: a small number for each part of speech; int32, shape (words + 2,).
    """

    values: Integers
    feature_starts: Integers
    feature_names: Integers
    features: Integers
    tags: Integers


def columns_of(treebank: Treebank, templates: Iterable[str]) -> Columns:
    """Return the words of a treebank as numbers; its heads and relations are ignored."""
    named = {atom.partition(".")[2] for text in templates for atom in text.split()} | {"form", "upos"}
    values = np.zeros((treebank.n_words + 2, WIDTH), np.int32)
    values[1] = 1
    forms = treebank.forms
    readings: list[tuple[StringColumn, Callable[[str], str]]] = [
        (forms, str.lower),
        (treebank.lemmas, str),
        (treebank.upos, str),
        (treebank.xpos, str),
        (treebank.feats, str),
        *((forms, lambda text, n=n: "p" + text[:n]) for n in (1, 2, 3)),
        *((forms, lambda text, n=n: "s" + text[-n:]) for n in (1, 2, 3)),
        (forms, _shape),
    ]
    for number, (column, reading) in enumerate(readings):
        if COLUMNS[number] in named:
            values[2:, number] = _hashes(column, reading)
    for missing, name, other in ((treebank.lemmas, "lemma", "form"), (treebank.xpos, "xpos", "upos")):
        rows = 2 + np.flatnonzero(missing.codes == UNDERSCORE)
        values[rows, COLUMNS.index(name)] = values[rows, COLUMNS.index(other)]
    numbers = {tag: number for number, tag in enumerate(_TAGS)}
    by_code = np.array([numbers.get(text, _OTHER_TAG) for text in treebank.upos.strings.texts], np.int32)
    tags = np.concatenate([np.full(2, _OTHER_TAG, np.int32), by_code[treebank.upos.codes]])
    return Columns(values, *_features(treebank.feats), tags)


def columns_between(columns: Columns, first: int, last: int) -> Columns:
    """Return the columns of some of the words."""
    values, feature_starts, names, features, tags = columns
    start, end = feature_starts[first + 2], feature_starts[last + 2]
    return Columns(
        np.concatenate([values[:2], values[first + 2 : last + 2]]),
        np.concatenate([feature_starts[:2], feature_starts[first + 2 : last + 3] - start]),
        names[start : end + 1],
        features[start : end + 1],
        np.concatenate([tags[:2], tags[first + 2 : last + 2]]),
    )


def reading_backwards(starts: Integers) -> Integers:
    """Return the indices of words in backward reading order: each sentence from its last word to its first."""
    places = np.repeat(starts[:-1] + starts[1:] - 1, np.diff(starts)) - np.arange(starts[-1])
    return places.astype(np.int32)


def reversed_columns(columns: Columns, starts: Integers) -> Columns:
    """Return the columns in backward reading order."""
    rows = np.concatenate([[0, 1], reading_backwards(starts) + 2])
    sizes = np.diff(columns.feature_starts)[rows]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    chosen = np.repeat(columns.feature_starts[rows] - first[:-1], sizes) + np.arange(first[-1])
    chosen = np.append(chosen, len(columns.features) - 1)
    return Columns(
        columns.values[rows], first, columns.feature_names[chosen], columns.features[chosen], columns.tags[rows],
    )  # fmt: skip


def reversed_heads(heads: Integers, starts: Integers) -> Integers:
    """Return the heads (1-based in the sentence, 0 for the root) in backward reading order."""
    sizes = np.repeat(np.diff(starts), np.diff(starts))
    heads = heads[reading_backwards(starts)]
    return np.where(heads == 0, 0, sizes + 1 - heads).astype(np.int32)


def _hash(text: str) -> int:
    return zlib.crc32(text.encode())


def _hashes(column: StringColumn, reading: Callable[[str], str]) -> Integers:
    texts = column.strings.texts
    table = np.zeros(len(texts), np.uint32)
    table[column.distinct] = [_hash(reading(texts[code])) for code in column.distinct.tolist()]
    return table[column.codes].view(np.int32)


def _shape(text: str) -> str:
    """The kinds of the first and last character: upper case, lower case, digit, or the character itself."""
    return "".join(
        "A" if c.isupper() else "0" if c.isdigit() else "a" if c.isalpha() else c for c in text[0] + text[-1]
    )


def _features(feats: StringColumn) -> tuple[Integers, Integers, Integers]:
    """The morphological features of all rows: where each row starts, and the hashes of names and of features."""
    texts = feats.strings.texts
    first, size = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.int64)
    pairs: list[tuple[int, int]] = []
    for code in feats.distinct.tolist():
        hashes = _feature_hashes(texts[code])
        first[code], size[code] = len(pairs), len(hashes)
        pairs += hashes
    sizes = size[feats.codes]
    starts = np.concatenate([np.zeros(3, np.int64), np.cumsum(sizes)]).astype(np.int32)
    rows = np.repeat(first[feats.codes] - starts[2:-1], sizes) + np.arange(starts[-1])
    table = np.array([*pairs, (0, 0)], np.uint32).view(np.int32)
    chosen = np.append(rows, len(pairs))  # an extra feature in no row, so that no array is empty
    return starts, np.ascontiguousarray(table[chosen, 0]), np.ascontiguousarray(table[chosen, 1])


def _feature_hashes(feats: str) -> list[tuple[int, int]]:
    """The hashes of names and features in a cell, sorted; those of names have 31 bits, to sort as signed integers."""
    parts: Sequence[str] = () if feats == "_" else feats.split("|")[:_MOST_FEATURES]
    return sorted((_hash(part.partition("=")[0]) >> 1, _hash(part)) for part in parts)


WORDS_A_CHUNK = 5000
"""The approximate number of words in a chunk."""

Progress = Callable[[int], None]
"""Called after each chunk, with its number of sentences."""


def in_chunks(
    columns: Columns,
    starts: Integers,
    parse: Callable[[Columns, Integers], tuple[Integers, Integers]],
    progress: Progress | None,
) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; the result does not depend on the chunks.

    Without `progress`, there is a single chunk, since each chunk requires some setup.
    """
    if progress is None:
        return parse(columns, starts)
    chunk_starts = np.searchsorted(starts[:-1], np.arange(0, int(starts[-1]), WORDS_A_CHUNK))
    bounds: list[int] = np.unique(np.append(chunk_starts, len(starts) - 1)).tolist()
    parsed: list[tuple[Integers, Integers]] = []
    for first, last in pairwise(bounds):
        words = columns_between(columns, int(starts[first]), int(starts[last]))
        parsed.append(parse(words, starts[first : last + 1] - starts[first]))
        progress(last - first)
    return np.concatenate([heads for heads, _ in parsed]), np.concatenate([labels for _, labels in parsed])
