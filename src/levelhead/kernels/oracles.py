# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, infer_types=True
"""Static oracles: from the heads of whole treebanks to the transitions that build them.

Words are numbered from 1 in their sentence, 0 is the artificial root. In the arrays of one sentence, row 0 belongs to
the root, whose head is -1, so that no word is its head.
"""

import cython
import numpy as np

from levelhead.kernels.bounds import check_range, check_starts

Int = cython.typedef(cython.int)
Size = cython.typedef(cython.Py_ssize_t)
ConstInts = cython.typedef(cython.const[cython.int][::1])
Table = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.int[::1])
Longs = cython.typedef(cython.longlong[::1])
Bytes = cython.typedef(cython.uchar[::1])

SHIFT = cython.declare(cython.uchar, 0)
LEFT_ARC = cython.declare(cython.uchar, 1)
RIGHT_ARC = cython.declare(cython.uchar, 2)
REDUCE = cython.declare(cython.uchar, 3)
SWAP = cython.declare(cython.uchar, 4)

ARC_EAGER = cython.declare(Int, 0)
ARC_STANDARD = cython.declare(Int, 1)
SWAP_EAGER = cython.declare(Int, 2)
SWAP_LAZY = cython.declare(Int, 3)

DERIVED = cython.declare(cython.uchar, 0)
NOT_DERIVABLE = cython.declare(cython.uchar, 1)
NO_TREE = cython.declare(cython.uchar, 2)
TOO_LONG = cython.declare(cython.uchar, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def load(heads: ConstInts, first: Size, n: Int, head: Ints, missing: Ints) -> cython.bint:
    """Copy the heads of a sentence and count each word's dependents; return False if a head is not in the sentence."""
    for word in range(n + 1):
        missing[word] = 0
    head[0] = -1
    for word in range(1, n + 1):
        head[word] = heads[first + word - 1]
        if head[word] < 0 or head[word] > n:
            return False
        missing[head[word]] += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def arc_eager(
    head: Ints, leftmost: Ints, stack: Ints, has_head: Ints, n: Int, out: Bytes, at: Size, order: Ints, first: Size
) -> Size:
    """Write the transitions of arc-eager and return their end, or -1 (Goldberg & Nivre 2012, Algorithm 1)."""
    top: Int = 0
    front: Int = 1
    attached: Int = 0
    for word in range(n + 1):
        has_head[word] = 0
        leftmost[word] = n + 1
    for word in range(n, 0, -1):
        leftmost[head[word]] = word
    stack[0] = 0
    while front <= n:
        s = stack[top]
        if head[s] == front:
            out[at] = LEFT_ARC
            order[first + attached] = first + s - 1
            attached += 1
            top -= 1
        elif head[front] == s:
            out[at] = RIGHT_ARC
            order[first + attached] = first + front - 1
            attached += 1
            has_head[front] = 1
            top += 1
            stack[top] = front
            front += 1
        elif head[front] < s or leftmost[front] < s:
            if not has_head[s]:
                return -1
            out[at] = REDUCE
            top -= 1
        else:
            out[at] = SHIFT
            top += 1
            stack[top] = front
            front += 1
        at += 1
    return at if attached == n else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_components(head: Ints, n: Int, attached: Int, order: Ints, first: Size, component: Ints) -> cython.void:
    """Find the root of each word's maximal projective component, which arc-standard can join without SWAP."""
    for word in range(n + 1):
        component[word] = word
    for k in range(attached - 1, -1, -1):  # words are attached before their heads
        word = order[first + k] - first + 1
        component[word] = component[head[word]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank_words(head: Ints, n: Int, child: Ints, sibling: Ints, rank: Ints) -> cython.bint:
    """Number the words in projective order, the in-order walk of the tree; False if the walk misses words."""
    node: Int = 0
    n_ranked: Int = 0
    for word in range(n + 1):
        child[word] = 0
        rank[word] = -1
    for word in range(n, 0, -1):
        sibling[word] = child[head[word]]
        child[head[word]] = word
    while node >= 0:
        follower = child[node]  # the next dependent to visit
        if rank[node] < 0 and (follower == 0 or follower > node):
            rank[node] = n_ranked
            n_ranked += 1
        if follower:
            child[node] = sibling[follower]
            node = follower
        else:
            node = head[node]
    return n_ranked == n + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_inversions(rank: Ints, n: Int, sums: Ints) -> cython.longlong:
    """Count the pairs of words that the projective order inverts, an upper bound of the number of swaps.

    `sums` becomes a binary indexed tree over ranks (Fenwick 1994).
    """
    found: cython.longlong = 0
    for word in range(n + 1):
        sums[word] = 0
    for word in range(n, 0, -1):
        node = rank[word] - 1  # the ranks of words are 1 to n; the rank of the root is 0
        while node > 0:
            found += sums[node]
            node -= node & -node
        node = rank[word]
        while node <= n:
            sums[node] += 1
            node += node & -node
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def arc_standard(
    system: Int,
    head: Ints,
    missing: Ints,
    stack: Ints,
    component: Ints,
    buffer: Ints,
    rank: Ints,
    n: Int,
    out: Bytes,
    at: Size,
    order: Ints,
    first: Size,
) -> Size:
    """Write the transitions of arc-standard (Nivre 2008) and the words in order of attachment; return their end.

    In the swap systems, two words in the wrong projective order are swapped immediately (Nivre 2009, Figure 4), or, if
    lazy, only if the top of the stack and the next word are in different components (Nivre, Kuhlmann & Hall 2009).
    Without SWAP, the stack keeps the roots of partial trees if the tree is not projective.
    """
    top: Int = 0
    front: Int = 0
    attached: Int = 0
    s0: Int = 0
    stack[0] = 0
    for word in range(n):
        buffer[word] = word + 1
    while True:
        if top > 0:
            s1 = stack[top - 1]
            word = s1 if head[s1] == s0 and missing[s1] == 0 else s0 if head[s0] == s1 and missing[s0] == 0 else 0
            if word > 0:
                out[at] = LEFT_ARC if word == s1 else RIGHT_ARC
                at += 1
                order[first + attached] = first + word - 1
                attached += 1
                s0 = head[word]
                missing[s0] -= 1
                top -= 1
                stack[top] = s0
                continue
            if system != ARC_STANDARD and 0 < s1 < s0 and rank[s1] > rank[s0]:
                if system == SWAP_EAGER or front == n or component[s0] != component[buffer[front]]:
                    out[at] = SWAP
                    at += 1
                    top -= 1
                    stack[top] = s0
                    front -= 1
                    buffer[front] = s1
                    continue
        if front == n:
            return at
        out[at] = SHIFT
        at += 1
        top += 1
        s0 = buffer[front]
        stack[top] = s0
        front += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def derive_some(
    heads: ConstInts,
    starts: ConstInts,
    system: Int,
    most_swaps: cython.longlong,
    out: Bytes,
    offsets: Longs,
    order: Ints,
    verdicts: Bytes,
    work: Table,
    i: Size,
    needed: Longs,
) -> Size:
    """Derive sentences from i on; stop if transitions may not fit, and store the required size in `needed`."""
    n_sentences: Size = starts.shape[0] - 1
    head: Ints = work[0]
    missing: Ints = work[1]
    stack: Ints = work[2]
    component: Ints = work[3]
    other: Ints = work[4]
    rank: Ints = work[6]
    while i < n_sentences:
        first = starts[i]
        n = starts[i + 1] - starts[i]
        end = -1
        verdicts[i] = NOT_DERIVABLE
        if not load(heads, first, n, head, missing):
            verdicts[i] = NO_TREE
        elif system == ARC_EAGER:
            end = arc_eager(head, component, stack, other, n, out, offsets[i], order, first)
        else:
            end = arc_standard(
                ARC_STANDARD, head, missing, stack, component, other, rank, n, out, offsets[i], order, first
            )
            attached = end - offsets[i] - n  # without SWAP, each word is shifted once
            if attached < n:
                end = -1
            if attached < n and system != ARC_STANDARD:
                find_components(head, n, attached, order, first, component)
                load(heads, first, n, head, missing)
                if not rank_words(head, n, other, work[5], rank):
                    verdicts[i] = NO_TREE
                else:
                    needed[0] = count_inversions(rank, n, other)
                    if needed[0] > most_swaps:
                        verdicts[i] = TOO_LONG
                    else:
                        needed[0] = offsets[i] + 2 * (needed[0] + starts[n_sentences] - first)
                        if needed[0] > out.shape[0]:
                            return i
                        end = arc_standard(
                            system, head, missing, stack, component, other, rank, n, out, offsets[i], order, first
                        )
        offsets[i + 1] = offsets[i]
        if end >= 0:
            offsets[i + 1] = end
            verdicts[i] = DERIVED
        i += 1
    return i


def oracle(heads: ConstInts, starts: ConstInts, system: Int, most_swaps: cython.longlong):
    """Return the transitions of every sentence of a treebank, with offsets, the order of words, and verdicts."""
    n_sentences: Size = starts.shape[0] - 1
    n_words: Size = heads.shape[0]
    longest = check_starts(starts, n_words)
    check_range("system", system, ARC_EAGER, SWAP_LAZY)
    transitions = np.empty(2 * n_words + 1, dtype=np.uint8)
    offsets = np.zeros(n_sentences + 1, dtype=np.int64)
    order: Ints = memoryview(np.zeros(n_words, dtype=np.int32))
    verdicts: Bytes = memoryview(np.zeros(n_sentences, dtype=np.uint8))
    out_view: Bytes = memoryview(transitions)
    offsets_view: Longs = memoryview(offsets)
    work: Table = rows(np.zeros((7, longest + 2), dtype=np.int32))
    needed: Longs = memoryview(np.zeros(1, dtype=np.int64))
    i = 0
    while True:
        with cython.nogil:
            i = derive_some(heads, starts, system, most_swaps, out_view, offsets_view, order, verdicts, work, i, needed)
        if i == n_sentences:
            break
        larger = np.empty(needed[0] + transitions.shape[0] // 4, dtype=np.uint8)
        larger[: offsets[i]] = transitions[: offsets[i]]
        transitions = larger
        out_view = memoryview(transitions)
    return transitions[: offsets[n_sentences]].copy(), offsets, np.asarray(order), np.asarray(verdicts)


def projective_order(heads: ConstInts, starts: ConstInts):
    """Return the position of each word in the in-order walk of its tree, and the root of its projective component."""
    n_words: Size = heads.shape[0]
    longest = check_starts(starts, n_words)
    places: Ints = memoryview(np.zeros(n_words, dtype=np.int32))
    components: Ints = memoryview(np.zeros(n_words, dtype=np.int32))
    order: Ints = memoryview(np.zeros(n_words, dtype=np.int32))
    transitions: Bytes = memoryview(np.zeros(2 * longest + 1, dtype=np.uint8))
    work: Table = rows(np.zeros((7, longest + 2), dtype=np.int32))
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            first = starts[i]
            n = starts[i + 1] - starts[i]
            if not load(heads, first, n, work[0], work[1]):
                continue
            end = arc_standard(
                ARC_STANDARD, work[0], work[1], work[2], work[3], work[4], work[6], n, transitions, 0, order, first
            )
            find_components(work[0], n, end - n, order, first, work[3])
            rank_words(work[0], n, work[4], work[5], work[6])
            for word in range(n):
                places[first + word] = work[6][word + 1]
                components[first + word] = work[3][word + 1]
    return np.asarray(places), np.asarray(components)


def rows(work):
    """Return a table whose rows kernels can use; if they are not compiled, this is a list of memoryviews."""
    return work if cython.compiled else [memoryview(row) for row in work]
