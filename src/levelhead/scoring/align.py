"""Alignment: which system word corresponds to which gold word."""

from __future__ import annotations

import numpy as np

from levelhead.immutable import immutable
from levelhead.kernels import spans as kernel
from levelhead.scoring.lcs import common_subsequence
from levelhead.scoring.spans import Spans
from levelhead.treebank import Treebank
from levelhead.treebank.strings import Codes, distinct


@immutable()
class Alignment:
    """Pairs of words, gold_inside to gold_inside and in order on both sides.

    Args:
        gold: the gold word of each pair, int32, shape (pairs,), ascending.
        system: the system word of each pair, int32, shape (pairs,), ascending.
    """

    gold: Codes
    system: Codes

    def __len__(self) -> int:
        return len(self.gold)


def align(gold: Treebank, system: Treebank, gold_spans: Spans, system_spans: Spans) -> Alignment:
    """Align the words of two segmentations of gold_inside text.

    Words outside multiword tokens are aligned if they cover the same characters; inside, by the longest common
    subsequence of their lower-cased forms (CoNLL 2017 evaluation, "Aligning system words with the gold standard").

    Args:
        gold: the gold treebank.
        system: the system treebank.
        gold_spans: the characters that gold words cover.
        system_spans: the characters that system words cover.
    """
    pairs, regions = kernel.align(
        gold_spans.starts, gold_spans.ends, gold_spans.inside,
        system_spans.starts, system_spans.ends, system_spans.inside,
    )  # fmt: skip
    if len(regions):
        inside = _align_regions((gold, gold_spans), (system, system_spans), regions)
        pairs = np.concatenate([pairs, inside])
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return Alignment(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))


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
    found = [np.stack([gold_inside[in_equal], system_inside[in_equal]], axis=1)]
    for gold_start, gold_end, system_start, system_end in regions[~equal].tolist():
        inner = common_subsequence(gold_ids[gold_start:gold_end].tolist(), system_ids[system_start:system_end].tolist())
        if inner:
            found.append(np.array(inner, dtype=np.int32) + np.array([gold_start, system_start], dtype=np.int32))
    return np.concatenate(found).astype(np.int32)


def _words_of(starts: Codes, ends: Codes) -> tuple[Codes, Codes]:
    """Give all words of the regions in order, and the region of each."""
    sizes = ends - starts
    region = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
    before = np.cumsum(sizes) - sizes
    return (np.arange(len(region)) - before[region] + starts[region]).astype(np.int32), region


def _lower_cased(gold: _Side, system: _Side, regions: Codes) -> tuple[Codes, Codes]:
    """Number the forms of words in regions, with the same numbers on both sides; int32, shape (words,), elsewhere -1.

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
