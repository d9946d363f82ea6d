"""Alignment: which system word corresponds to which gold word."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from levelhead.immutable import immutable
from levelhead.kernels.alignment import align_spans
from levelhead.scoring.spans import Offsets, Spans
from levelhead.treebank import Treebank
from levelhead.treebank.strings import Codes, distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray


@immutable()
class Alignment:
    """Pairs of aligned words, one to one and in order on both sides.

    Args:
        gold: the gold word of each pair, int32, shape (pairs,), ascending.
        system: the system word of each pair, int32, shape (pairs,), ascending.
    """

    gold: Codes
    system: Codes

    def __len__(self) -> int:
        return len(self.gold)


def align(gold: Treebank, system: Treebank, gold_spans: Spans, system_spans: Spans) -> Alignment:
    """Return the alignment of two segmentations of the same text.

    Words outside multiword tokens are aligned if they cover the same characters; inside, by the longest common
    subsequence of their lower-cased forms (CoNLL 2017 evaluation, "Aligning system words with the gold standard").
    """
    pairs, regions = align_spans(
        gold_spans.starts, gold_spans.ends, gold_spans.inside,
        system_spans.starts, system_spans.ends, system_spans.inside,
    )  # fmt: skip
    if len(regions):
        inside = _align_regions((gold, gold_spans), (system, system_spans), regions)
        pairs = np.concatenate([pairs, inside])
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return Alignment(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))


def align_sentences(gold: Treebank, system: Treebank, gold_spans: Spans, system_spans: Spans) -> Alignment:
    """Return the alignment of two treebanks with equal numbers of sentences, sentence by sentence.

    Sentences with the same characters are aligned as by `align`, others by edit distance over forms (`align_forms`).
    """
    same = same_texts(gold_spans, system_spans)
    pairs, regions = [np.zeros((0, 2), dtype=np.int32)], [np.zeros((0, 4), dtype=np.int32)]
    ends = zip(pairwise(gold.sentence_starts.tolist()), pairwise(system.sentence_starts.tolist()))
    for i, ((one, one_end), (other, other_end)) in enumerate(ends):
        if same[i]:
            ours = _of_sentence(gold_spans, i, slice(one, one_end))
            found, inside = align_spans(*ours, *_of_sentence(system_spans, i, slice(other, other_end)))
            regions.append(inside + np.array([one, one, other, other], dtype=np.int32))
        else:
            from levelhead.scoring.form_alignment import align_forms

            aligned = np.array(align_forms(gold.forms[one:one_end], system.forms[other:other_end]), dtype=np.int32)
            words = np.flatnonzero(aligned >= 0)
            found = np.stack([words.astype(np.int32), aligned[words]], axis=1)
        pairs.append(found + np.array([one, other], dtype=np.int32))
    inside = np.concatenate(regions)
    if len(inside):
        pairs.append(_align_regions((gold, gold_spans), (system, system_spans), inside))
    every = np.concatenate(pairs)
    every = every[np.argsort(every[:, 0], kind="stable")]
    return Alignment(np.ascontiguousarray(every[:, 0]), np.ascontiguousarray(every[:, 1]))


def same_texts(gold: Spans, system: Spans) -> NDArray[np.bool_]:
    """Return whether the two versions of each sentence have the same characters, bool, shape (sentences,)."""
    return np.array([one == other for one, other in zip(gold.sentence_texts(), system.sentence_texts())], dtype=bool)


def _of_sentence(spans: Spans, sentence: int, words: slice) -> tuple[Offsets, Offsets, NDArray[np.uint8]]:
    """The starts and ends of the words of a sentence in its text, and whether each is part of a multiword token."""
    start = spans.sentence_starts[sentence]
    return spans.starts[words] - start, spans.ends[words] - start, spans.inside[words]


_Side = tuple[Treebank, Spans]


def _align_regions(gold: _Side, system: _Side, regions: Codes) -> Codes:
    """Align the words inside multiword regions: all at once where both sides agree, otherwise region by region."""
    gold_ids, system_ids = _lower_cased(gold, system, regions)
    gold_words, region_of_gold = _words_of(regions[:, 0], regions[:, 1])
    system_words, _ = _words_of(regions[:, 2], regions[:, 3])
    same_size = regions[:, 1] - regions[:, 0] == regions[:, 3] - regions[:, 2]
    in_same = same_size[region_of_gold]
    gold_inside, system_inside = gold_words[in_same], system_words[np.repeat(same_size, regions[:, 3] - regions[:, 2])]
    differs = np.zeros(len(regions), dtype=bool)
    differs[region_of_gold[in_same][gold_ids[gold_inside] != system_ids[system_inside]]] = True
    equal = same_size & ~differs
    in_equal = equal[region_of_gold[in_same]]
    from levelhead.scoring.lcs import common_subsequence  # loaded when needed: `score` starts faster without it

    blocks = [np.stack([gold_inside[in_equal], system_inside[in_equal]], axis=1)]
    for gold_start, gold_end, system_start, system_end in regions[~equal].tolist():
        inner = common_subsequence(gold_ids[gold_start:gold_end].tolist(), system_ids[system_start:system_end].tolist())
        if inner:
            blocks.append(np.array(inner, dtype=np.int32) + np.array([gold_start, system_start], dtype=np.int32))
    return np.concatenate(blocks).astype(np.int32)


def _words_of(starts: Codes, ends: Codes) -> tuple[Codes, Codes]:
    """Return all words of the regions in order, and the region of each."""
    sizes = ends - starts
    region = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
    before = np.cumsum(sizes) - sizes
    return (np.arange(len(region)) - before[region] + starts[region]).astype(np.int32), region


def _lower_cased(gold: _Side, system: _Side, regions: Codes) -> tuple[Codes, Codes]:
    """Number the forms of words in regions, equally on both sides; -1 for other words; int32, shape (words,).

    Forms are lower-cased; words outside multiword tokens are compared without their spaces.
    """
    numbers: dict[str, int] = {}
    result = []
    for (treebank, spans), starts, ends in ((gold, *regions[:, :2].T), (system, *regions[:, 2:].T)):
        words, _ = _words_of(starts, ends)
        ids = np.full(treebank.n_words, -1, dtype=np.int32)
        of_code = np.full(len(treebank.strings), -1, dtype=np.int32)
        for inside in (0, 1):
            some = words[spans.inside[words] == inside]
            codes = treebank.forms.codes[some]
            used = distinct(codes, len(treebank.strings))
            for code, form in zip(used.tolist(), treebank.strings.texts_of(used)):
                compared = (form if inside else form.translate(spans.spaces)).lower()
                of_code[code] = numbers.setdefault(compared, len(numbers))
            ids[some] = of_code[codes]
        result.append(ids)
    return result[0], result[1]
