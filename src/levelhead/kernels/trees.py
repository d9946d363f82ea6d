# cython: language_level=3, boundscheck=False, wraparound=False, infer_types=True
"""Checks that sentences are trees, and lifting of non-projective arcs, for a whole treebank, without recursion."""

import cython
import numpy as np

Int = cython.typedef(cython.int)
Size = cython.typedef(cython.Py_ssize_t)
ConstInts = cython.typedef(cython.const[cython.int][::1])
Table = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.int[::1])
Longs = cython.typedef(cython.longlong[::1])

PROJECTIVE = cython.declare(cython.uchar, 0)
NO_TREE = cython.declare(cython.uchar, 2)
TOO_LONG = cython.declare(cython.uchar, 3)


def bad_sentences(heads: ConstInts, starts: ConstInts, several_roots: cython.bint):
    """Return the errors of sentences whose heads do not form a tree."""
    n_sentences: Size = starts.shape[0] - 1
    verdicts: cython.schar[::1] = memoryview(np.zeros(n_sentences, dtype=np.int8))
    seen: Ints = memoryview(np.zeros(max(1, heads.shape[0]), dtype=np.int32))
    with cython.nogil:
        for i in range(n_sentences):
            verdicts[i] = verdict(heads, seen, starts[i], starts[i + 1], several_roots)
    return np.asarray(verdicts)


def global_heads(heads: ConstInts, starts: ConstInts):
    """Return the heads of all sentences as indices into all words."""
    indices: Ints = memoryview(np.empty(heads.shape[0], dtype=np.int32))
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            for word in range(starts[i], starts[i + 1]):
                indices[word] = -1 if heads[word] == 0 else heads[word] - 1 + starts[i]
    return np.asarray(indices)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def verdict(heads: ConstInts, seen: Ints, first: Size, end: Size, several_roots: cython.bint) -> cython.schar:
    """Return the error code of one sentence; `seen` is the walk (its start + 1) in which each word was visited."""
    n_roots: Size = 0
    for word in range(first, end):
        if heads[word] < 0 or heads[word] > end - first:
            return 1
        n_roots += heads[word] == 0
    if n_roots == 0:
        return 2
    if n_roots > 1 and not several_roots:
        return 3
    for word in range(first, end):
        at = word
        walk = word + 1
        while seen[at] == 0:
            seen[at] = walk
            if heads[at] == 0:
                break
            at = first + heads[at] - 1
            if seen[at] == walk:
                return 4
    return 0


# Lifting: rows of one sentence are numbered as in the oracles, 0 is the artificial root.


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def number_subtrees(head: Ints, n: Int, child: Ints, sibling: Ints, enter: Ints, leave: Ints) -> Int:
    """Number the words top-down, so that a subtree is a range of numbers.

    Returns 1 if the tree is projective, 0 if it is not, -1 if it is not a tree. A tree is projective if the walk visits
    the words in order, each after its left dependents and before its right dependents.
    """
    node: Int = 0
    number: Int = 0
    latest: Int = -1
    projective: Int = 1
    for word in range(n + 1):
        child[word] = 0
        leave[word] = -1
    for word in range(n, 0, -1):
        sibling[word] = child[head[word]]
        child[head[word]] = word
    enter[0] = 0
    while node >= 0:
        follower = child[node]
        if leave[node] < 0 and (follower == 0 or follower > node):
            leave[node] = 0
            if node < latest:
                projective = 0
            latest = node
        if follower:
            child[node] = sibling[follower]
            number += 1
            enter[follower] = number
            node = follower
        else:
            leave[node] = number
            node = head[node]
    return projective if number == n else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def smallest_nonprojective(head: Ints, n: Int, enter: Ints, leave: Ints, steps: Longs) -> Int:
    """Return the dependent of the shortest non-projective arc, the leftmost on a tie; `steps` counts the work."""
    best: Int = 0
    best_size: Int = n + 1
    best_left: Int = 0
    for word in range(1, n + 1):
        h = head[word]
        left = min(word, h)
        right = max(h, word)
        if right - left > best_size or (right - left == best_size and left > best_left):
            continue
        between = left
        for between in range(left + 1, right):
            if enter[between] < enter[h] or enter[between] > leave[h]:
                best = word
                best_size = right - left
                best_left = left
                break
        steps[0] += between - left
    return best


def lift(heads: ConstInts, starts: ConstInts, most_steps: cython.longlong):
    """Lift non-projective arcs, the shortest first, to the head of their head, until none is left."""
    n_sentences: Size = starts.shape[0] - 1
    longest = int(np.diff(np.asarray(starts)).max(initial=0))
    lifted: Ints = memoryview(np.array(heads, dtype=np.int32))
    verdicts: cython.uchar[::1] = memoryview(np.zeros(n_sentences, dtype=np.uint8))
    work = np.zeros((5, longest + 2), dtype=np.int32)
    steps: Longs = memoryview(np.zeros(1, dtype=np.int64))
    work_view: Table = work if cython.compiled else [memoryview(row) for row in work]
    with cython.nogil:
        for i in range(n_sentences):
            verdicts[i] = lift_one(heads, starts[i], starts[i + 1] - starts[i], most_steps, lifted, work_view, steps)
    return np.asarray(lifted), np.asarray(verdicts)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lift_one(
    heads: ConstInts, first: Size, n: Int, most_steps: cython.longlong, lifted: Ints, work: Table, steps: Longs
) -> cython.uchar:
    """Lift the arcs of one sentence (Nivre & Nilsson 2005, the algorithm PROJECTIVIZE)."""
    head: Ints = work[0]
    steps[0] = 0
    head[0] = -1
    for word in range(1, n + 1):
        head[word] = heads[first + word - 1]
        if head[word] < 0 or head[word] > n:
            return NO_TREE
    while True:
        projective = number_subtrees(head, n, work[1], work[2], work[3], work[4])
        if projective < 0:
            return NO_TREE
        if projective:
            break
        steps[0] += n
        word = smallest_nonprojective(head, n, work[3], work[4], steps)
        if steps[0] > most_steps:
            return TOO_LONG
        head[word] = head[head[word]]
    for word in range(1, n + 1):
        lifted[first + word - 1] = head[word]
    return PROJECTIVE
