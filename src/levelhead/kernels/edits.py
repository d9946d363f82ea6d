# cython: language_level=3, boundscheck=False, wraparound=False
"""The alignment of two lists of words with the lowest cost of character edits."""

import cython
import numpy as np

from levelhead.kernels.bounds import check_starts


def align(
    gold: cython.const[cython.int][::1],
    gold_starts: cython.const[cython.int][::1],
    system: cython.const[cython.int][::1],
    system_starts: cython.const[cython.int][::1],
):
    """Align system words with gold words by edit distance over forms, in order.

    Pairing two words costs the Levenshtein distance of their forms, leaving out a word costs its length. Ties are
    broken to the left: each gold word in turn gets the first system word that it has in any of the remaining
    alignments; a pair is preferred to none.
    """
    check_starts(gold_starts, gold.shape[0])
    check_starts(system_starts, system.shape[0])
    n_gold: cython.Py_ssize_t = gold_starts.shape[0] - 1
    n_system: cython.Py_ssize_t = system_starts.shape[0] - 1
    costs = np.zeros((n_gold + 1, n_system + 1), dtype=np.int32)  # of the words from here on
    pairs = np.zeros((n_gold, n_system), dtype=np.int32)
    longest = int(np.diff(np.asarray(system_starts)).max()) if n_system else 0
    row = np.zeros(longest + 1, dtype=np.int32)
    rest: cython.int[:, ::1] = memoryview(costs)
    edits: cython.int[:, ::1] = memoryview(pairs)
    row_view: cython.int[::1] = memoryview(row)
    g: cython.Py_ssize_t
    s: cython.Py_ssize_t
    best: cython.int
    for g in range(n_gold - 1, -1, -1):
        rest[g, n_system] = rest[g + 1, n_system] + gold_starts[g + 1] - gold_starts[g]
    for s in range(n_system - 1, -1, -1):
        rest[n_gold, s] = rest[n_gold, s + 1] + system_starts[s + 1] - system_starts[s]
    for g in range(n_gold - 1, -1, -1):
        for s in range(n_system - 1, -1, -1):
            edits[g, s] = distance(
                gold, gold_starts[g], gold_starts[g + 1], system, system_starts[s], system_starts[s + 1], row_view
            )
            best = rest[g + 1, s + 1] + edits[g, s]
            best = min(best, rest[g + 1, s] + gold_starts[g + 1] - gold_starts[g])
            best = min(best, rest[g, s + 1] + system_starts[s + 1] - system_starts[s])
            rest[g, s] = best
    found = np.full(n_gold, -1, dtype=np.int32)
    found_view: cython.int[::1] = memoryview(found)
    g = 0
    s = 0
    while g < n_gold and s < n_system:
        if rest[g, s] == rest[g + 1, s + 1] + edits[g, s]:
            found_view[g] = cython.cast(cython.int, s)
            g += 1
            s += 1
        elif rest[g, s] == rest[g, s + 1] + system_starts[s + 1] - system_starts[s]:
            s += 1
        else:
            g += 1
    return found


@cython.cfunc
@cython.exceptval(check=False)
def distance(
    one: cython.const[cython.int][::1],
    one_start: cython.Py_ssize_t,
    one_end: cython.Py_ssize_t,
    other: cython.const[cython.int][::1],
    other_start: cython.Py_ssize_t,
    other_end: cython.Py_ssize_t,
    row: cython.int[::1],
) -> cython.int:
    """Return the Levenshtein distance of two words; `row` has the length of the second word plus one."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    diagonal: cython.int
    above: cython.int
    size: cython.Py_ssize_t = other_end - other_start
    for j in range(size + 1):
        row[j] = cython.cast(cython.int, j)
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
