# cython: language_level=3, boundscheck=False, wraparound=False, infer_types=True
"""Checks that sentences are trees, for a whole treebank, without recursion."""

import cython
import numpy as np

Size = cython.typedef(cython.Py_ssize_t)
ConstInts = cython.typedef(cython.const[cython.int][::1])
Ints = cython.typedef(cython.int[::1])


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
