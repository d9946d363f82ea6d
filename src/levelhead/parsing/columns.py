"""What a parser sees of a treebank: numbers for the values of its columns."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import Treebank

N_COLUMNS = 16
_MOST_FEATS = 16

TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X CONJ _".split()


class Columns(NamedTuple):
    """Values as hashes: two rows (no word, the root), then one a word."""

    values: NDArray[np.int32]
    feat_starts: NDArray[np.int32]
    feat_names: NDArray[np.int32]
    feat_values: NDArray[np.int32]
    tags: NDArray[np.int32]


def columns_of(treebank: Treebank) -> Columns:
    """Return the columns of a treebank."""
    texts = treebank.strings.texts
    n = treebank.n_words
    values = np.zeros((n + 2, N_COLUMNS), np.int32)
    values[1] = 1
    def put(column, codes, function):
        table = np.zeros(len(texts), np.uint32)
        used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
        table[used] = [zlib.crc32(function(texts[code]).encode()) for code in used.tolist()]
        values[2:, column] = table[codes].view(np.int32)
    forms = treebank.forms.codes
    put(0, forms, str.lower)
    lemmas = treebank.lemmas.codes
    if (lemmas != 0).sum() < n / 2:
        lemmas = forms
    put(1, lemmas, str)
    put(2, treebank.upos.codes, str)
    xpos = treebank.xpos.codes
    put(3, xpos if (xpos != 0).any() else treebank.upos.codes, str)
    put(4, treebank.feats.codes, str)
    for column, function in enumerate(_AFFIXES, 5):
        put(column, forms, function)
    put(11, forms, _shape)
    tag_ids = {tag: i for i, tag in enumerate(TAGS)}
    tags = np.full(n + 2, 19, np.int32)
    table = np.array([tag_ids.get(text, 19) for text in texts], np.int32)
    tags[2:] = table[treebank.upos.codes]
    # feats
    codes = treebank.feats.codes
    used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
    names, vals, count, start = [], [], np.zeros(len(texts), np.int32), np.zeros(len(texts), np.int32)
    for code in used.tolist():
        text = texts[code]
        pairs = sorted((zlib.crc32(p.partition("=")[0].encode()) >> 1, zlib.crc32(p.encode())) for p in text.split("|") if p != "_")[:_MOST_FEATS]
        start[code], count[code] = len(names), len(pairs)
        names += [p[0] for p in pairs]
        vals += [p[1] for p in pairs]
    sizes = count[codes]
    feat_starts = np.zeros(n + 3, np.int32)
    np.cumsum(sizes, out=feat_starts[3:])
    index = np.repeat(start[codes] - feat_starts[2:-1], sizes) + np.arange(feat_starts[-1])
    fn = np.array(names + [0], np.uint32).view(np.int32)
    fv = np.array(vals + [0], np.uint32).view(np.int32)
    # comparison of names is signed in the kernel: sort agrees after conversion
    order_names, order_vals = fn[index], fv[index]
    return Columns(values, feat_starts, np.append(order_names, 0).astype(np.int32), np.append(order_vals, 0).astype(np.int32), tags)


_AFFIXES = (
    lambda t: "p" + t[:1], lambda t: "p" + t[:2], lambda t: "p" + t[:3],
    lambda t: "s" + t[-1:], lambda t: "s" + t[-2:], lambda t: "s" + t[-3:],
)


def _shape(text: str) -> str:
    return "".join("A" if c.isupper() else "0" if c.isdigit() else "a" if c.isalpha() else c for c in text[:1] + text[-1:])
