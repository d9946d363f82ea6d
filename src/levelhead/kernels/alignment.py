# cython: language_level=3, boundscheck=False, wraparound=False, infer_types=True
"""Alignment of words by their character spans, or with the lowest cost of character edits."""

import cython
import numpy as np

from levelhead.kernels.bounds import check_starts

Size = cython.typedef(cython.Py_ssize_t)
ConstInts = cython.typedef(cython.const[cython.int][::1])
ConstLongs = cython.typedef(cython.const[cython.longlong][::1])
ConstBytes = cython.typedef(cython.const[cython.uchar][::1])
Table = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.int[::1])


@cython.cfunc
@cython.exceptval(check=False)
@cython.inline
def is_past(
    starts: ConstLongs, ends: ConstLongs, inside: ConstBytes, word: Size, region_end: cython.longlong
) -> cython.bint:
    """Whether a word is after a multiword region: words of multiword tokens by their start, others by their end."""
    if word >= starts.shape[0]:
        return True
    if inside[word]:
        return starts[word] >= region_end
    return ends[word] > region_end


def align_spans(
    gold_starts: ConstLongs,
    gold_ends: ConstLongs,
    gold_inside: ConstBytes,
    system_starts: ConstLongs,
    system_ends: ConstLongs,
    system_inside: ConstBytes,
):
    """Pair the words outside multiword regions, and find the regions (CoNLL 2017 evaluation, "Aligning system words").

    A region starts at the first word of a multiword token on either side and grows until it contains all of its
    multiword tokens; its words are aligned by the longest common subsequence of their forms.
    """
    n_gold: Size = gold_starts.shape[0]
    n_system: Size = system_starts.shape[0]
    pairs: Table = memoryview(np.empty((min(n_gold, n_system) + 1, 2), dtype=np.int32))
    regions: Table = memoryview(np.empty((n_gold + n_system + 1, 4), dtype=np.int32))
    n_pairs: Size = 0
    n_regions: Size = 0
    gold: Size = 0
    system: Size = 0
    while gold < n_gold and system < n_system:
        if not gold_inside[gold] and not system_inside[system]:
            if gold_starts[gold] == system_starts[system] and gold_ends[gold] == system_ends[system]:
                pairs[n_pairs, 0] = gold
                pairs[n_pairs, 1] = system
                n_pairs += 1
                gold += 1
                system += 1
            elif gold_starts[gold] <= system_starts[system]:
                gold += 1
            else:
                system += 1
            continue
        # The other side can be in a word that starts before the multiword token, which is not part of the region.
        if gold_inside[gold]:
            region_end = gold_ends[gold]
            if not system_inside[system] and system_starts[system] < gold_starts[gold]:
                system += 1
        else:
            region_end = system_ends[system]
            if gold_starts[gold] < system_starts[system]:
                gold += 1
        regions[n_regions, 0] = gold
        regions[n_regions, 2] = system
        while not is_past(gold_starts, gold_ends, gold_inside, gold, region_end) or not is_past(
            system_starts, system_ends, system_inside, system, region_end
        ):
            if gold < n_gold and (system >= n_system or gold_starts[gold] <= system_starts[system]):
                if gold_inside[gold] and gold_ends[gold] > region_end:
                    region_end = gold_ends[gold]
                gold += 1
            else:
                if system_inside[system] and system_ends[system] > region_end:
                    region_end = system_ends[system]
                system += 1
        regions[n_regions, 1] = gold
        regions[n_regions, 3] = system
        n_regions += 1
    return np.asarray(pairs)[:n_pairs].copy(), np.asarray(regions)[:n_regions].copy()


def shared_spans(gold_starts: ConstLongs, gold_ends: ConstLongs, system_starts: ConstLongs, system_ends: ConstLongs):
    """Return which spans of the system are also in gold."""
    n_gold: Size = gold_starts.shape[0]
    n_system: Size = system_starts.shape[0]
    found: cython.uchar[::1] = memoryview(np.zeros(n_system, dtype=np.uint8))
    gold: Size = 0
    with cython.nogil:
        for i in range(n_system):
            while gold < n_gold and gold_starts[gold] < system_starts[i]:
                gold += 1
            if gold < n_gold and gold_starts[gold] == system_starts[i]:
                found[i] = gold_ends[gold] == system_ends[i]
    return np.asarray(found)


@cython.locals(g=Size, s=Size, best=cython.int)
def align_forms(gold: ConstInts, gold_starts: ConstInts, system: ConstInts, system_starts: ConstInts):
    """Align system words with gold words by edit distance over forms (`scoring.form_alignment.align_forms`)."""
    check_starts(gold_starts, gold.shape[0])
    longest = check_starts(system_starts, system.shape[0])
    n_gold: Size = gold_starts.shape[0] - 1
    n_system: Size = system_starts.shape[0] - 1
    rest: Table = memoryview(np.zeros((n_gold + 1, n_system + 1), dtype=np.int32))  # the cost of the words from here on
    edits: Table = memoryview(np.zeros((n_gold, n_system), dtype=np.int32))
    row: Ints = memoryview(np.zeros(longest + 1, dtype=np.int32))
    for g in range(n_gold - 1, -1, -1):
        rest[g, n_system] = rest[g + 1, n_system] + gold_starts[g + 1] - gold_starts[g]
    for s in range(n_system - 1, -1, -1):
        rest[n_gold, s] = rest[n_gold, s + 1] + system_starts[s + 1] - system_starts[s]
    for g in range(n_gold - 1, -1, -1):
        for s in range(n_system - 1, -1, -1):
            edits[g, s] = distance(
                gold, gold_starts[g], gold_starts[g + 1], system, system_starts[s], system_starts[s + 1], row
            )
            best = rest[g + 1, s + 1] + edits[g, s]
            best = min(best, rest[g + 1, s] + gold_starts[g + 1] - gold_starts[g])
            best = min(best, rest[g, s + 1] + system_starts[s + 1] - system_starts[s])
            rest[g, s] = best
    found: Ints = memoryview(np.full(n_gold, -1, dtype=np.int32))
    g = 0
    s = 0
    while g < n_gold and s < n_system:
        if rest[g, s] == rest[g + 1, s + 1] + edits[g, s]:
            found[g] = s
            g += 1
            s += 1
        elif rest[g, s] == rest[g, s + 1] + system_starts[s + 1] - system_starts[s]:
            s += 1
        else:
            g += 1
    return np.asarray(found)


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(diagonal=cython.int)
def distance(
    one: ConstInts, one_start: Size, one_end: Size, other: ConstInts, other_start: Size, other_end: Size, row: Ints
) -> cython.int:
    """Return the Levenshtein distance of two words; `row` must have one item more than the second word."""
    size: Size = other_end - other_start
    for j in range(size + 1):
        row[j] = j
    for i in range(one_start, one_end):
        diagonal = row[0]
        row[0] = diagonal + 1
        for j in range(size):
            above = row[j + 1]
            diagonal += one[i] != other[other_start + j]
            diagonal = min(diagonal, above + 1)
            diagonal = min(diagonal, row[j] + 1)
            row[j + 1] = diagonal
            diagonal = above
    return row[size]
