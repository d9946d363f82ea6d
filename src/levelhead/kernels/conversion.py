# cython: language_level=3, boundscheck=False, wraparound=False, infer_types=True
"""Heads of content-head trees to heads of function-head trees and back (Kohita et al. 2017), without recursion."""

import cython
import numpy as np

from levelhead.kernels.bounds import check_range, check_sizes

Int = cython.typedef(cython.int)
Size = cython.typedef(cython.Py_ssize_t)
ConstInts = cython.typedef(cython.const[cython.int][::1])
ConstBytes = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.int[::1])
Bytes = cython.typedef(cython.uchar[::1])


@cython.locals(first=Ints, following=Ints)
def visits(heads: ConstInts):
    """Return the sides of all words in the order of the recursive algorithms.

    The order is: a word's left children, its left side, its right children, its right side.
    """
    n_words: Size = heads.shape[0]
    order: Ints = memoryview(np.empty(2 * n_words, dtype=np.int32))
    first, following = children_of(heads)
    n_done: Size = 0
    with cython.nogil:
        for root in range(n_words):
            if heads[root] < 0:
                n_done = walk(heads, first, following, order, n_done, root)
    if n_done < 2 * n_words:
        raise ValueError("the heads form a cycle")
    return np.asarray(order)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def walk(heads: ConstInts, waiting: Ints, following: Ints, order: Ints, n_done: Size, root: Int) -> Size:
    """Visit the tree below a root; `waiting` has the next child of each word, or -1."""
    at: Int = root
    came_from: Int = -1  # the child whose subtree is done, or -1 on the way down
    while True:
        child = waiting[at]
        if (came_from < 0 or came_from < at) and (child < 0 or child > at):
            order[n_done] = at  # the last left child is done, or there is none
            n_done += 1
        if child >= 0:
            waiting[at] = following[child]
            at = child
            came_from = -1
            continue
        order[n_done] = -1 - at
        n_done += 1
        if at == root:
            return n_done
        came_from = at
        at = heads[at]


def children_of(heads: ConstInts):
    """List the children of each word in ascending order."""
    n_words: Size = heads.shape[0]
    check_range("heads", heads, -1, n_words - 1)
    first: Ints = memoryview(np.full(n_words, -1, dtype=np.int32))
    following: Ints = memoryview(np.full(n_words, -1, dtype=np.int32))
    for word in range(n_words - 1, -1, -1):
        if heads[word] >= 0:
            following[word] = first[heads[word]]
            first[heads[word]] = word
    return first, following


def forward(heads: ConstInts, order: ConstInts, targets: ConstBytes, roots: ConstBytes):
    """Return the HEADs after moving target words above their parents (Algorithm 1), and which words were moved."""
    n_words: Size = heads.shape[0]
    check_sizes(heads=heads, targets=targets, roots=roots)
    check_range("heads", heads, -1, n_words - 1)
    check_range("order", order, -n_words, n_words - 1)
    converted: Ints = memoryview(np.array(heads, dtype=np.int32))
    moved: Bytes = memoryview(np.zeros(n_words, dtype=np.uint8))
    left: Ints = memoryview(np.full(n_words, -1, dtype=np.int32))
    right: Ints = memoryview(np.full(n_words, -1, dtype=np.int32))
    with cython.nogil:
        for word in range(n_words):  # the outermost target among the children of each word on either side
            head = heads[word]
            if targets[word] and head >= 0:
                if word > head:
                    right[head] = word
                elif left[head] < 0:
                    left[head] = word
        for step in range(order.shape[0]):
            head = order[step] if order[step] >= 0 else -1 - order[step]
            child = left[head] if order[step] >= 0 else right[head]
            if child >= 0 and not roots[head]:
                converted[child] = converted[head]
                converted[head] = child
                moved[child] = 1
    return np.asarray(converted), np.asarray(moved)


@cython.locals(first=Ints, following=Ints)
def backward(heads: ConstInts, order: ConstInts, targets: ConstBytes, fixed: ConstBytes, frozen: cython.bint):
    """Return the HEADs after moving target words below their children (Algorithm 2)."""
    check_sizes(heads=heads, targets=targets, fixed=fixed)
    check_range("order", order, -heads.shape[0], heads.shape[0] - 1)
    converted: Ints = memoryview(np.array(heads, dtype=np.int32))
    first, following = children_of(heads)
    with cython.nogil:
        for step in range(order.shape[0]):
            target = order[step] if order[step] >= 0 else -1 - order[step]
            if targets[target] and converted[target] >= 0:
                if frozen:
                    lower_frozen(converted, first, following, fixed, target, order[step] >= 0)
                else:
                    lower(converted, first, following, fixed, target, order[step] >= 0)
    return np.asarray(converted)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lower_frozen(
    new: Ints, first: ConstInts, following: ConstInts, fixed: ConstBytes, target: Int, left: cython.bint
) -> cython.void:
    """Move a target's original children on one side to its head, and make the innermost of them its head."""
    above: Int = new[target]
    child: Int = first[target]
    innermost: Int = -1
    while child >= 0:
        if (child < target) == left and not fixed[child]:
            new[child] = above
            if innermost < 0 or (child > innermost) == left:
                innermost = child
        child = following[child]
    if innermost >= 0:
        new[target] = innermost


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lower(new: Ints, first: Ints, following: Ints, fixed: ConstBytes, target: Int, left: cython.bint) -> cython.void:
    """Move a target's current children on one side to its head, and make the innermost of them its head.

    The list of a word contains all its children and possibly former children, which are dropped here. The target is not
    added to the list of its new head, since that word and every word below the target were already visited.
    """
    above: Int = new[target]
    child: Int = first[target]
    innermost: Int = -1
    kept: Int = -1
    moved: Int = -1
    last_moved: Int = -1
    while child >= 0:
        after = following[child]
        if new[child] != target:
            pass
        elif (child < target) != left or fixed[child]:
            following[child] = kept
            kept = child
        else:
            new[child] = above
            if moved < 0:
                moved = child
            else:
                following[last_moved] = child
            last_moved = child
            if innermost < 0 or (child > innermost) == left:
                innermost = child
        child = after
    first[target] = kept
    if innermost >= 0:
        following[last_moved] = first[above]
        first[above] = moved
        new[target] = innermost
