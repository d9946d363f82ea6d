# cython: language_level=3, boundscheck=False, wraparound=False
"""Character spans of words, and their alignment, as in the CoNLL 2017 evaluation ("Aligning system words")."""

import cython
import numpy as np


@cython.cfunc
@cython.exceptval(check=False)
@cython.inline
def is_past(
    starts: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
    inside: cython.const[cython.uchar][::1],
    word: cython.Py_ssize_t,
    region_end: cython.longlong,
) -> cython.bint:
    """Whether a word is after a multiword region: words of multiword tokens by their start, others by their end."""
    if word >= starts.shape[0]:
        return True
    if inside[word]:
        return starts[word] >= region_end
    return ends[word] > region_end


def align(
    gold_starts: cython.const[cython.longlong][::1],
    gold_ends: cython.const[cython.longlong][::1],
    gold_inside: cython.const[cython.uchar][::1],
    system_starts: cython.const[cython.longlong][::1],
    system_ends: cython.const[cython.longlong][::1],
    system_inside: cython.const[cython.uchar][::1],
):
    """Pair the words outside multiword regions, and find the regions.

    A region starts at the first word of a multiword token on either side and grows until it contains all of its
    multiword tokens; its words are aligned by the longest common subsequence of their forms.
    """
    n_gold: cython.Py_ssize_t = gold_starts.shape[0]
    n_system: cython.Py_ssize_t = system_starts.shape[0]
    pairs = np.empty((min(n_gold, n_system) + 1, 2), dtype=np.int32)
    regions = np.empty((n_gold + n_system + 1, 4), dtype=np.int32)
    pairs_view: cython.int[:, ::1] = memoryview(pairs)
    regions_view: cython.int[:, ::1] = memoryview(regions)
    n_pairs: cython.Py_ssize_t = 0
    n_regions: cython.Py_ssize_t = 0
    gold: cython.Py_ssize_t = 0
    system: cython.Py_ssize_t = 0
    region_end: cython.longlong
    while gold < n_gold and system < n_system:
        if not gold_inside[gold] and not system_inside[system]:
            if gold_starts[gold] == system_starts[system] and gold_ends[gold] == system_ends[system]:
                pairs_view[n_pairs, 0] = cython.cast(cython.int, gold)
                pairs_view[n_pairs, 1] = cython.cast(cython.int, system)
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
        regions_view[n_regions, 0] = cython.cast(cython.int, gold)
        regions_view[n_regions, 2] = cython.cast(cython.int, system)
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
        regions_view[n_regions, 1] = cython.cast(cython.int, gold)
        regions_view[n_regions, 3] = cython.cast(cython.int, system)
        n_regions += 1
    return pairs[:n_pairs].copy(), regions[:n_regions].copy()


def shared(
    gold_starts: cython.const[cython.longlong][::1],
    gold_ends: cython.const[cython.longlong][::1],
    system_starts: cython.const[cython.longlong][::1],
    system_ends: cython.const[cython.longlong][::1],
):
    """Return which spans of the system are also in gold."""
    n_gold: cython.Py_ssize_t = gold_starts.shape[0]
    n_system: cython.Py_ssize_t = system_starts.shape[0]
    found = np.zeros(n_system, dtype=np.uint8)
    view: cython.uchar[::1] = memoryview(found)
    gold: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n_system):
            while gold < n_gold and gold_starts[gold] < system_starts[i]:
                gold += 1
            if gold < n_gold and gold_starts[gold] == system_starts[i]:
                view[i] = gold_ends[gold] == system_ends[i]
    return found
