"""Features of the parsers: templates as readable text, and the words of a treebank as numbers, in chunks.

A template is a list of atoms `position.attribute`. Positions of a configuration: `s0` is the top of the stack, `s1` the
item below it, and `b0` the first word of the buffer; `s0l` and `s0l2` are the outermost and second outermost child on
the left, `s0r` is the outermost child on the right, `s0ll` a child of a child, `s0p` and `s0n` the previous and next
word in the sentence, and `s0h` the head. Positions of an arc: `h` and `d` are its head and dependent, with the same
suffixes; `sib` is the outermost child of the head on the dependent's side, and `sib2` on the other side. Attributes are
columns (`feats` is the whole cell) or properties of the partial tree: `label`, `distance`, `n_left` (the number of left
children) and `left_set` (the set of their labels). A template with `feat` expands to one feature per morphological
feature of the word; with two words, to one per feature that both share. `between` expands to one feature per part of
speech between the two words.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.strings import UNDERSCORE

Integers = NDArray[np.int32]

# the attributes of a word, in the order of `Columns.values`
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "pre1", "pre2", "pre3", "suf1", "suf2", "suf3", "shape")

WIDTH = 16  # the number of values per word, which fill a cache line
_TAGS = "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
_OTHER_TAG = len(_TAGS)
_MOST_FEATURES = 16  # per word; features beyond that count only as part of the whole FEATS cell


class Columns(NamedTuple):
    """The words of a treebank as numbers. Row 0 stands for no word, row 1 for the artificial root; then come words."""

    values: Integers  # the hashes of attributes, shape (words + 2, WIDTH)
    feature_starts: Integers  # where the morphological features of each row start, shape (words + 3,)
    feature_names: Integers  # the hash of each feature's name, ascending within a row
    features: Integers  # the hash of each feature
    tags: Integers  # a small number for each part of speech, shape (words + 2,)


def columns_of(treebank: Treebank, templates: Iterable[str]) -> Columns:
    """Return the words of a treebank as numbers; its heads and relations are ignored."""
    named = {atom.partition(".")[2] for text in templates for atom in text.split()} | {"form", "upos"}
    values = np.zeros((treebank.n_words + 2, WIDTH), np.int32)
    values[1] = 1
    forms = treebank.forms
    readings: list[tuple[StringColumn, Callable[[str], str]]] = [
        (forms, str.lower),
        *((column, str) for column in (treebank.lemmas, treebank.upos, treebank.xpos, treebank.feats)),
        *((forms, lambda text, n=n: "p" + text[:n]) for n in (1, 2, 3)),
        *((forms, lambda text, n=n: "s" + text[-n:]) for n in (1, 2, 3)),
        (forms, lambda text: "".join(map(_kind, text[0] + text[-1]))),
    ]
    for number, (column, reading) in enumerate(readings):
        if COLUMNS[number] in named:
            hashed = column.mapped(lambda text: _hash(reading(text)), np.uint32)  # noqa: B023 -- called at once
            values[2:, number] = hashed.view(np.int32)
    for missing, name, substitute in ((treebank.lemmas, "lemma", "form"), (treebank.xpos, "xpos", "upos")):
        rows = 2 + np.flatnonzero(missing.codes == UNDERSCORE)
        values[rows, COLUMNS.index(name)] = values[rows, COLUMNS.index(substitute)]
    numbers = {tag: number for number, tag in enumerate(_TAGS)}
    of_tags = treebank.upos.mapped(lambda tag: numbers.get(tag, _OTHER_TAG), np.int32)
    tags = np.concatenate([np.full(2, _OTHER_TAG, np.int32), of_tags])
    feats = treebank.feats
    first, size = np.zeros((2, len(feats.strings)), np.int64)
    pairs: list[tuple[int, int]] = []
    for code, text in zip(feats.distinct.tolist(), feats.distinct_texts):
        parts = [] if text == "_" else text.split("|")[:_MOST_FEATURES]
        # those of names have 31 bits, to sort as signed integers
        hashes = sorted((_hash(part.partition("=")[0]) >> 1, _hash(part)) for part in parts)
        first[code], size[code] = len(pairs), len(hashes)
        pairs += hashes
    sizes = size[feats.codes]
    starts = np.concatenate([np.zeros(3, np.int64), np.cumsum(sizes)]).astype(np.int32)
    rows = np.repeat(first[feats.codes] - starts[2:-1], sizes) + np.arange(starts[-1])
    table = np.array([*pairs, (0, 0)], np.uint32).view(np.int32)
    chosen = np.append(rows, len(pairs))  # an extra feature in no row, so that no array is empty
    names, features = (np.ascontiguousarray(table[chosen, i]) for i in range(2))
    return Columns(values, starts, names, features, tags)


def reading_backwards(starts: Integers) -> Integers:
    """Return the indices of words in backward reading order: each sentence from its last word to its first."""
    return (np.repeat(starts[:-1] + starts[1:] - 1, np.diff(starts)) - np.arange(starts[-1])).astype(np.int32)


def of_words(columns: Columns, words: NDArray[Any]) -> Columns:
    rows = np.concatenate([[0, 1], words + 2])
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


def _kind(character: str) -> str:
    """The kind of a character: upper case, lower case, digit, or the character itself."""
    return "A" if character.isupper() else "0" if character.isdigit() else "a" if character.isalpha() else character


WORDS_A_CHUNK = 5000  # the approximate number of words in a chunk
Progress = Callable[[int], None]  # called after each chunk, with its number of sentences


def in_chunks(
    columns: Columns,
    starts: Integers,
    parse: Callable[[Columns, Integers], tuple[Integers, Integers]],
    progress: Progress | None,
) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; without `progress` in a single chunk, since each needs some setup."""
    if progress is None:
        return parse(columns, starts)
    chunk_starts = np.searchsorted(starts[:-1], np.arange(0, int(starts[-1]), WORDS_A_CHUNK))
    bounds: list[int] = np.unique(np.append(chunk_starts, len(starts) - 1)).tolist()
    parsed: list[tuple[Integers, Integers]] = []
    for first, last in pairwise(bounds):
        words = of_words(columns, np.arange(starts[first], starts[last]))
        parsed.append(parse(words, starts[first : last + 1] - starts[first]))
        progress(last - first)
    return np.concatenate([heads for heads, _ in parsed]), np.concatenate([labels for _, labels in parsed])


_CONFIGURATION = (
    "s0 s1 s2 s3 b0 b1 b2 b3 s0l s0l2 s0r s0r2 s1l s1l2 s1r s1r2 s2l s2r b0l b0l2"
    " s0ll s0rr s1ll s1rr s0p s0n s1p s1n b0p b0n s0h"
).split()
_ARC = "h d hl hl2 hr hr2 dl dl2 dr dr2 hp hn dp dn sib sib2 hh".split()
# the position numbers of the kernel (parser_features.pxi)
_POSITIONS = {name: number for number, name in enumerate([*_CONFIGURATION, *_ARC])}

_ATTRIBUTES = {name: number for number, name in enumerate(COLUMNS)} | {
    name: WIDTH + number
    for number, name in enumerate("label n_left n_right left_set right_set distance next_to".split())
}
_PLAIN, _EACH, _AGREE, _BETWEEN = range(4)
_MOST_ATOMS, _MOST_TEMPLATES = 256, 512

# choose a transition of arc-standard or a swap system
ACTIONS = """
s0.form | s0.lemma | s0.upos | s0.xpos | s0.feats | s0.form s0.upos | s0.lemma s0.upos | s0.upos s0.feats
s1.form | s1.lemma | s1.upos | s1.xpos | s1.feats | s1.form s1.upos | s1.lemma s1.upos | s1.upos s1.feats
b0.form | b0.lemma | b0.upos | b0.xpos | b0.feats | b0.form b0.upos | b0.lemma b0.upos | b0.upos b0.feats
s2.upos | s2.lemma s2.upos | b1.upos | b1.lemma b1.upos | b2.upos | b1.feats b1.upos
s0.upos s0.feat | s1.upos s1.feat | b0.upos b0.feat
s0.suf2 s0.upos | s0.suf3 s0.upos | s1.suf2 s1.upos | s1.suf3 s1.upos | b0.suf2 b0.upos | b0.suf3 b0.upos
s0.upos s1.upos | s0.xpos s1.xpos | s0.lemma s1.lemma | s0.lemma s1.upos | s0.upos s1.lemma | s0.form s1.form
s0.lemma s0.upos s1.lemma s1.upos | s0.upos s1.upos s0.feats s1.feats | s0.upos s1.upos s0.feats
s0.upos s1.upos s1.feats
s0.upos s1.upos s0.feat s1.feat
s0.upos b0.upos | s0.xpos b0.xpos | s0.lemma b0.lemma | s0.lemma b0.upos | s0.upos b0.lemma
s0.upos b0.upos s0.feats b0.feats
s0.upos b0.upos s0.feat b0.feat
s1.upos b0.upos | s1.lemma b0.upos | s1.upos b0.lemma
s0.upos s1.upos b0.upos | s0.upos s1.upos s2.upos | s0.upos b0.upos b1.upos | s0.upos s1.upos b0.upos b1.upos
s0.upos s1.upos b0.upos s2.upos | s0.lemma s1.upos b0.upos | s0.upos s1.lemma b0.upos | s0.upos s1.upos b0.lemma
s0.xpos s1.xpos b0.xpos | b0.upos b1.upos b2.upos
s0.upos s1.upos s0l.upos | s0.upos s1.upos s0r.upos | s0.upos s1.upos s1l.upos | s0.upos s1.upos s1r.upos
s0.upos s1.upos s0l.label | s0.upos s1.upos s0r.label | s0.upos s1.upos s1l.label | s0.upos s1.upos s1r.label
s0.upos s0l.label s0l.upos | s0.upos s0r.label s0r.upos | s1.upos s1l.label s1l.upos | s1.upos s1r.label s1r.upos
s0.lemma s0l.lemma | s0.lemma s0r.lemma | s1.lemma s1l.lemma | s1.lemma s1r.lemma
s0.upos s0l.upos s0l2.upos | s0.upos s0r.upos s0r2.upos | s1.upos s1l.upos s1l2.upos | s1.upos s1r.upos s1r2.upos
s0.upos s0.left_set | s0.upos s0.right_set | s1.upos s1.left_set | s1.upos s1.right_set
s0.lemma s0.left_set | s1.lemma s1.right_set | s1.lemma s1.left_set
s0.upos s0.n_left | s0.upos s0.n_right | s1.upos s1.n_left | s1.upos s1.n_right
s0.upos s1.upos s0.n_left s1.n_right | s0.upos s1.upos s0.n_right s1.n_right
s0.distance | s0.upos s1.upos s0.distance | s0.lemma s0.distance | s1.lemma s0.distance
s0.upos s1.upos between
s0.upos s1.upos s0p.upos s1n.upos | s0.upos s1.upos s0n.upos s1p.upos | s0.upos s1.upos s0n.upos
s0.upos s1.upos s1p.upos
s0.upos b0.upos s1.upos s0l.label s1r.label | s0.upos s2.upos s1.upos s1l.label | b0.upos b0l.label
"""

# choose a transition of arc-eager
EAGER_ACTIONS = """
s0.form | s0.lemma | s0.upos | s0.xpos | s0.feats | s0.form s0.upos | s0.lemma s0.upos | s0.upos s0.feats
b0.form | b0.lemma | b0.upos | b0.xpos | b0.feats | b0.form b0.upos | b0.lemma b0.upos | b0.upos b0.feats
b1.form | b1.lemma | b1.upos | b1.lemma b1.upos | b1.upos b1.feats | b2.upos | b2.lemma b2.upos | b3.upos
s1.upos | s1.lemma s1.upos | s2.upos
s0.upos s0.feat | b0.upos b0.feat | b1.upos b1.feat
s0.suf2 s0.upos | s0.suf3 s0.upos | b0.suf2 b0.upos | b0.suf3 b0.upos
s0.upos b0.upos | s0.xpos b0.xpos | s0.lemma b0.lemma | s0.lemma b0.upos | s0.upos b0.lemma | s0.form b0.form
s0.lemma s0.upos b0.lemma b0.upos | s0.upos b0.upos s0.feats b0.feats | s0.upos b0.upos s0.feats
s0.upos b0.upos b0.feats
s0.upos b0.upos s0.feat b0.feat
b0.upos b1.upos | b0.lemma b1.lemma | b0.upos b1.upos b2.upos | s0.upos b0.upos b1.upos
s0.upos b0.upos b1.upos b2.upos
s0.upos s1.upos b0.upos | s0.upos s1.upos s2.upos b0.upos | s0.upos b0.upos s1.upos b1.upos
s0.lemma b0.upos b1.upos | s0.upos b0.lemma b1.upos | s0.upos b0.upos b1.lemma | s0.xpos b0.xpos b1.xpos
s0.upos s0.label | s0.upos s0h.upos | s0.upos b0.upos s0.label | s0.upos b0.upos s0h.upos | s0h.lemma s0h.upos b0.upos
s0.label | s1.label s0.label | s0h.lemma b0.lemma
s0.upos b0.upos s0l.upos | s0.upos b0.upos s0r.upos | s0.upos b0.upos b0l.upos | s0.upos b0.upos b0l2.upos
s0.upos b0.upos s0l.label | s0.upos b0.upos s0r.label | s0.upos b0.upos b0l.label
s0.upos s0l.label s0l.upos | s0.upos s0r.label s0r.upos | b0.upos b0l.label b0l.upos
s0.lemma s0l.lemma | s0.lemma s0r.lemma | b0.lemma b0l.lemma
s0.upos s0l.upos s0l2.upos | s0.upos s0r.upos s0r2.upos | b0.upos b0l.upos b0l2.upos
s0.upos s0.left_set | s0.upos s0.right_set | b0.upos b0.left_set | s0.lemma s0.left_set | s0.lemma s0.right_set
s0.upos s0.n_left | s0.upos s0.n_right | b0.upos b0.n_left | s0.upos b0.upos s0.n_right b0.n_left
s0.distance | s0.upos b0.upos s0.distance | s0.lemma s0.distance | b0.lemma s0.distance
s0.upos b0.upos between
s0.upos b0.upos s0p.upos b0n.upos | s0.upos b0.upos s0n.upos b0p.upos | s0.upos b0.upos s0n.upos
s0.upos b0.upos b0p.upos
"""

# choose the label of an arc
LABELS = """
h.form | h.lemma | h.upos | h.xpos | h.lemma h.upos | h.upos h.feats
d.form | d.lemma | d.upos | d.xpos | d.feats | d.lemma d.upos | d.upos d.feats | d.form d.upos | d.suf3 d.upos
d.suf2 d.upos
d.upos d.feat | h.upos d.upos d.feat | h.upos h.feat d.upos
h.upos d.upos | h.xpos d.xpos | h.lemma d.lemma | h.lemma d.upos | h.upos d.lemma | h.lemma d.upos d.feats
h.upos d.upos d.feats
h.upos d.upos h.feats d.feats | h.upos d.upos h.feat d.feat
h.upos d.upos dl.upos | h.upos d.upos dr.upos | d.upos dl.lemma dl.label | d.upos dr.lemma dr.label
d.upos dl.label h.upos
h.upos d.upos h.left_set | h.upos d.upos h.right_set | h.upos d.upos d.left_set | h.upos d.upos d.right_set
h.lemma d.upos h.left_set | h.lemma d.upos sib.label | h.upos d.upos sib.label sib.upos | h.upos d.upos sib2.label
d.upos d.feats sib.label h.upos
h.upos d.upos dp.upos | h.upos d.upos dn.upos | d.upos dp.lemma | d.upos dn.lemma
d.upos h.upos h.distance | d.lemma h.distance | h.upos d.upos between
d.feats dl.lemma h.upos
"""

# choose arcs; every feature includes the direction
ARCS = """
h.form h.upos | h.lemma | h.upos | h.xpos | h.upos h.feats | h.lemma h.upos h.distance
d.form d.upos | d.lemma | d.upos | d.xpos | d.upos d.feats | d.lemma d.upos h.distance | d.suf2 d.upos | d.suf3 d.upos
h.distance | d.upos h.distance | h.upos h.distance | d.form h.distance
h.upos d.upos | h.upos d.upos h.distance | h.xpos d.xpos | h.xpos d.xpos h.distance
h.lemma d.lemma | h.lemma d.upos | h.upos d.lemma | h.lemma d.upos h.distance | h.upos d.lemma h.distance
h.lemma h.upos d.lemma d.upos | h.form d.form | h.form d.upos | h.upos d.form | h.upos d.suf3 | h.upos d.upos d.suf2
h.upos d.upos h.feats d.feats | h.upos d.upos d.feats | h.upos h.feats d.upos | h.upos d.upos d.feats h.distance
h.lemma d.upos d.feats | h.upos h.feats d.lemma
d.upos d.feat | h.upos d.upos d.feat | h.upos h.feat d.upos | h.upos d.upos h.feat d.feat | h.feat d.feat
h.upos d.upos hp.upos | h.upos d.upos hn.upos | h.upos d.upos dp.upos | h.upos d.upos dn.upos
h.upos hn.upos dp.upos d.upos | hp.upos h.upos dp.upos d.upos | h.upos hn.upos d.upos dn.upos
hp.upos h.upos d.upos dn.upos | hp.upos h.upos hn.upos d.upos | dp.upos d.upos dn.upos h.upos
dp.upos d.upos dn.upos | hp.upos h.upos hn.upos | d.upos dp.lemma | d.upos dn.lemma | h.upos d.upos dp.lemma
h.upos d.upos dn.lemma | d.lemma dp.upos | d.lemma dn.upos | h.upos hn.lemma d.upos | h.upos hp.lemma d.upos
h.xpos hn.xpos dp.xpos d.xpos | hp.xpos h.xpos dp.xpos d.xpos
h.upos d.upos between | h.upos d.upos h.next_to | between d.upos
"""

# score two neighboring children on the same side of a head, or the innermost child
SIBLINGS = """
d.upos sib.upos | h.upos d.upos sib.upos | h.upos d.upos sib.upos h.distance | d.xpos sib.xpos | h.xpos d.xpos sib.xpos
d.lemma sib.lemma | d.lemma sib.upos | d.upos sib.lemma | h.lemma d.upos sib.upos | h.upos d.lemma sib.upos
h.upos d.upos sib.lemma | h.lemma d.lemma sib.upos | h.lemma d.upos sib.lemma
h.upos d.upos d.feats sib.upos sib.feats | d.upos sib.upos d.feat sib.feat | h.upos sib.upos d.upos d.feats
h.upos h.feats d.upos sib.upos | d.form sib.form | h.upos d.upos sib.upos dn.upos | h.upos d.upos sib.upos dp.upos
"""

# score an arc together with the head of its head
GRANDPARENTS = """
hh.upos d.upos | hh.upos h.upos d.upos | hh.upos h.upos d.upos h.distance | hh.xpos h.xpos d.xpos
hh.lemma d.lemma | hh.lemma d.upos | hh.upos d.lemma | hh.lemma h.upos d.upos | hh.upos h.lemma d.upos
hh.upos h.upos d.lemma | hh.lemma h.lemma d.upos | hh.upos h.lemma d.lemma | hh.lemma h.upos d.lemma
hh.upos hh.feats d.upos d.feats | hh.upos h.upos d.upos d.feats | hh.upos d.upos hh.feat d.feat
hh.upos h.upos d.upos dp.upos | hh.upos h.upos d.upos dn.upos
"""

# label the arcs of a known tree
GRAPH_LABELS = LABELS + "\nhh.upos h.upos d.upos | hh.lemma d.upos\n"

# choose arcs together with their relations; every feature includes the direction
RELATIONS = """
h.lemma h.upos | h.upos | h.upos h.feats
d.form d.upos | d.lemma | d.upos | d.xpos | d.upos d.feats | d.lemma d.upos | d.suf2 d.upos | d.suf3 d.upos
h.upos d.upos | h.xpos d.xpos | h.upos d.upos h.distance | h.lemma d.lemma | h.lemma d.upos | h.upos d.lemma
h.upos d.upos h.feats d.feats | h.upos d.upos d.feats | h.upos h.feats d.upos | h.lemma d.upos d.feats
d.upos d.feat | h.upos d.upos d.feat | h.upos h.feat d.upos | h.upos d.upos h.feat d.feat
h.upos d.upos hp.upos | h.upos d.upos hn.upos | h.upos d.upos dp.upos | h.upos d.upos dn.upos
d.upos dp.lemma | d.upos dn.lemma | h.upos dp.upos d.upos dn.upos
h.upos d.upos between | h.upos d.upos dp.lemma | h.upos d.upos dn.lemma
"""

_GRAPH = {"arcs": ARCS, "siblings": SIBLINGS, "grandparents": GRANDPARENTS, "labels": GRAPH_LABELS}


def templates_for(parser: str) -> dict[str, str]:
    if parser.startswith("graph"):
        return dict(_GRAPH) | ({"relations": RELATIONS} if parser == "graph" else {})
    return {"actions": EAGER_ACTIONS if parser == "arc-eager" else ACTIONS, "labels": LABELS}


def compiled_for(parser: str, templates: Mapping[str, str]) -> tuple[tuple[NDArray[Any], ...], ...]:
    return tuple(compiled(templates[name], arcs=name != "actions") for name in templates_for(parser))


@lru_cache(maxsize=64)
def compiled(text: str, *, arcs: bool) -> tuple[NDArray[Any], ...]:
    """Return the positions and attributes of distinct atoms, each template's atoms, its kind, and a hash of it."""
    atoms: dict[tuple[int, int], int] = {}
    starts, members, kinds, seeds = [0], list[int](), list[int](), list[int]()
    for template in (part.strip() for line in text.splitlines() for part in line.split("|") if part.strip()):
        words = template.split()
        expanded = list[int]()
        for word in words:
            position, _, attribute = word.partition(".")
            if word == "between":
                continue
            if position not in (_ARC if arcs else _CONFIGURATION) or attribute not in {"feat", *_ATTRIBUTES}:
                raise ValueError(word)
            if attribute == "feat":  # expands to each morphological feature
                expanded.append(_POSITIONS[position])
            else:
                members.append(atoms.setdefault((_POSITIONS[position], _ATTRIBUTES[attribute]), len(atoms)))
        starts.append(len(members))
        if len(expanded) + ("between" in words) > (1 if "between" in words else 2):
            raise ValueError("a template can be expanded in only one way")
        kind = _BETWEEN if "between" in words else (_PLAIN, _EACH, _AGREE)[len(expanded)]
        kinds += [kind, *[*expanded, 0, 0][:2]]
        seeds.append(zlib.crc32(template.encode()) << 32 | zlib.crc32(template.encode()[::-1]))
    if not 0 < len(seeds) <= _MOST_TEMPLATES or not 0 < len(atoms) <= _MOST_ATOMS:
        raise ValueError("no templates, or too many")
    arrays = (*zip(*atoms), starts, members, kinds)
    return (*(np.array(numbers, np.int32) for numbers in arrays), np.array(seeds, np.uint64))
