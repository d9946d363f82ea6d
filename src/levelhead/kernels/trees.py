# cython: language_level=3, boundscheck=False, wraparound=False
"""Checks that sentences are trees, for the heads of a whole treebank, without recursion."""

import cython
import numpy as np


def bad_sentences(
    heads: cython.const[cython.int][::1], starts: cython.const[cython.int][::1], several_roots: cython.bint
):
    """Return the errors of sentences whose heads do not form a tree."""
    n_sentences: cython.Py_ssize_t = starts.shape[0] - 1
    verdicts = np.zeros(n_sentences, dtype=np.int8)
    seen = np.zeros(max(1, heads.shape[0]), dtype=np.int32)
    verdicts_view: cython.schar[::1] = memoryview(verdicts)
    seen_view: cython.int[::1] = memoryview(seen)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n_sentences):
            verdicts_view[i] = verdict(heads, seen_view, starts[i], starts[i + 1], several_roots)
    return verdicts


def global_heads(heads: cython.const[cython.int][::1], starts: cython.const[cython.int][::1]):
    """Return the heads of all sentences as indices into all words."""
    indices = np.empty(heads.shape[0], dtype=np.int32)
    view: cython.int[::1] = memoryview(indices)
    i: cython.Py_ssize_t
    word: cython.Py_ssize_t
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            for word in range(starts[i], starts[i + 1]):
                view[word] = -1 if heads[word] == 0 else heads[word] - 1 + starts[i]
    return indices


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def verdict(
    heads: cython.const[cython.int][::1],
    seen: cython.int[::1],
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    several_roots: cython.bint,
) -> cython.schar:
    """Return the error code of one sentence; `seen` is the walk (its start + 1) in which each word was visited."""
    n_roots: cython.Py_ssize_t = 0
    word: cython.Py_ssize_t
    at: cython.Py_ssize_t
    walk: cython.int
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
        walk = cython.cast(cython.int, word + 1)
        while seen[at] == 0:
            seen[at] = walk
            if heads[at] == 0:
                break
            at = first + heads[at] - 1
            if seen[at] == walk:
                return 4
    return 0
