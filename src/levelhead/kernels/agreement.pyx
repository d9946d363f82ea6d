# cython: language_level=3, boundscheck=False, wraparound=False
"""Agreement between aligned words, in one pass over the pairs."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

import numpy as np

ctypedef const int32_t[::1] Codes

cdef enum:  # as in scoring.matches.Agree
    HEAD = 1, RELATION = 2, FULL_RELATION = 4, UPOS = 8, XPOS = 16, FEATS = 32, ALL_FEATS = 64, LEMMA = 128
    CHILDREN = 256
    TAGS = HEAD | RELATION | UPOS | FEATS


def compare(
    Codes gold, Codes system, Codes of_system, tuple gold_columns, tuple system_columns, Codes known, tuple relations,
    tuple feats, tuple heads, tuple function_words, bint missing_lemma_counts,
):
    """Return the flags of each pair of words; `known` has the gold code of each system code, or -1."""
    cdef Codes gold_relations, gold_upos, gold_xpos, gold_feats, gold_lemmas
    cdef Codes system_relations, system_upos, system_xpos, system_feats, system_lemmas
    gold_relations, gold_upos, gold_xpos, gold_feats, gold_lemmas = gold_columns
    system_relations, system_upos, system_xpos, system_feats, system_lemmas = system_columns
    cdef Codes gold_universal = relations[0], system_universal = relations[1]  # of each code, without subtypes
    cdef bint universal_feats = bool(feats)  # otherwise the whole FEATS are compared
    cdef Codes gold_feature = feats[0] if feats else relations[0]
    cdef Codes system_feature = feats[1] if feats else relations[1]
    cdef Codes gold_heads = heads[0], system_heads = heads[1]
    cdef int64_t n_pairs = gold.shape[0], i
    cdef int32_t one, other, head
    cdef uint16_t agree
    flags = np.empty(n_pairs, dtype=np.uint16)
    cdef uint16_t[::1] view = flags
    with nogil:
        for i in range(n_pairs):
            one, other = gold[i], system[i]
            agree = 0
            head = system_heads[other]
            if head < 0:
                agree |= HEAD * (gold_heads[one] < 0)
            elif gold_heads[one] >= 0 and of_system[head] == gold_heads[one]:
                agree |= HEAD
            agree |= RELATION * (gold_universal[gold_relations[one]] == system_universal[system_relations[other]])
            agree |= FULL_RELATION * (gold_relations[one] == known[system_relations[other]])
            agree |= UPOS * (gold_upos[one] == known[system_upos[other]])
            agree |= XPOS * (gold_xpos[one] == known[system_xpos[other]])
            if gold_feats[one] == known[system_feats[other]]:
                agree |= ALL_FEATS | FEATS
            elif universal_feats and gold_feature[gold_feats[one]] == system_feature[system_feats[other]]:
                agree |= FEATS
            if gold_lemmas[one] == known[system_lemmas[other]] or (missing_lemma_counts and gold_lemmas[one] == 0):
                agree |= LEMMA
            view[i] = agree
    add_children(gold, system, gold_heads, system_heads, function_words[0], function_words[1], view)
    return flags


def count_chosen(
    Codes gold, Codes system, const uint16_t[::1] flags, uint16_t needs, tuple relations, tuple chosen, bint by_gold,
):
    """Return the numbers of correct pairs, selected gold and system words, and pairs with a selected gold word.

    A pair is correct if its flags include those that are needed. Words are selected by the codes of their relations;
    with `by_gold`, a system word in a pair is selected like the gold word, not by its own relation.
    """
    cdef Codes of_gold = relations[0], of_system = relations[1]
    cdef const uint8_t[::1] in_gold = chosen[0], in_system = chosen[1]
    cdef int64_t correct = 0, n_gold = 0, n_system = 0, n_pairs = 0, i
    cdef uint8_t one, other
    with nogil:
        for i in range(of_gold.shape[0]):
            n_gold += in_gold[of_gold[i]]
        for i in range(of_system.shape[0]):
            n_system += in_system[of_system[i]]
        for i in range(gold.shape[0]):
            one = in_gold[of_gold[gold[i]]]
            other = in_system[of_system[system[i]]]
            n_pairs += one
            if by_gold:
                n_system += <int64_t> one - other
                other = one
            correct += one & other & ((flags[i] & needs) == needs)
    return correct, n_gold, n_system, n_pairs


cdef void add_children(
    Codes gold, Codes system, Codes gold_heads, Codes system_heads,
    const uint8_t[::1] in_gold, const uint8_t[::1] in_system, uint16_t[::1] flags,
):
    """Add whether the lists of functional children are equal (MLAS).

    Alignment is one to one and in order, so two lists are equal if the length of both is the number of their
    pairs of functional children that are aligned and agree in head, relation, UPOS and features.
    """
    cdef int64_t n_gold = gold_heads.shape[0], n_system = system_heads.shape[0], i
    cdef int32_t head
    cdef int32_t[::1] of_gold = np.zeros(n_gold, dtype=np.int32), of_system = np.zeros(n_system, dtype=np.int32)
    cdef int32_t[::1] both = np.zeros(n_gold, dtype=np.int32)
    with nogil:
        for i in range(n_gold):
            if in_gold[i] and gold_heads[i] >= 0:
                of_gold[gold_heads[i]] += 1
        for i in range(n_system):
            if in_system[i] and system_heads[i] >= 0:
                of_system[system_heads[i]] += 1
        for i in range(gold.shape[0]):
            head = gold_heads[gold[i]]
            if in_gold[gold[i]] and head >= 0 and (flags[i] & TAGS) == TAGS:
                both[head] += 1
        for i in range(gold.shape[0]):
            if of_gold[gold[i]] == of_system[system[i]] and both[gold[i]] == of_gold[gold[i]]:
                flags[i] |= CHILDREN
