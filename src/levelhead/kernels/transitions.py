# cython: language_level=3, boundscheck=False, wraparound=False
"""Transitions carried out on whole treebanks, and what each transition of arc-eager would cost."""

import cython
import numpy as np

from levelhead.kernels.bounds import check_range, check_sizes, check_starts

SHIFT = cython.declare(cython.uchar, 0)
LEFT_ARC = cython.declare(cython.uchar, 1)
RIGHT_ARC = cython.declare(cython.uchar, 2)
REDUCE = cython.declare(cython.uchar, 3)
SWAP = cython.declare(cython.uchar, 4)

ARC_EAGER = cython.declare(cython.int, 0)
ARC_STANDARD = cython.declare(cython.int, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def replay_arc_eager(
    transitions: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    n: cython.int,
    heads: cython.int[::1],
    first: cython.Py_ssize_t,
    stack: cython.int[::1],
) -> cython.Py_ssize_t:
    """Carry out the transitions of one sentence; return the first that is not legal, `end` where a word is left, or -1.

    Words wait for their head with -1.
    """
    top: cython.int = 0
    front: cython.int = 1
    s: cython.int
    stack[0] = 0
    while at < end:
        s = stack[top]
        if front > n:
            return at
        if transitions[at] == SHIFT:
            top += 1
            stack[top] = front
            front += 1
        elif transitions[at] == RIGHT_ARC:
            heads[first + front - 1] = s
            top += 1
            stack[top] = front
            front += 1
        elif top == 0:
            return at
        elif transitions[at] == LEFT_ARC and heads[first + s - 1] < 0:
            heads[first + s - 1] = front
            top -= 1
        elif transitions[at] == REDUCE and heads[first + s - 1] >= 0:
            top -= 1
        else:
            return at
        at += 1
    return end if front <= n else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def replay_arc_standard(
    transitions: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    n: cython.int,
    swaps: cython.bint,
    heads: cython.int[::1],
    first: cython.Py_ssize_t,
    stack: cython.int[::1],
    buffer: cython.int[::1],
) -> cython.Py_ssize_t:
    """Do the same for arc-standard, and with swaps for the swap systems."""
    top: cython.int = 0
    front: cython.int = 0
    word: cython.int
    stack[0] = 0
    for word in range(n):
        buffer[word] = word + 1
    while at < end:
        if transitions[at] == SHIFT:
            if front == n:
                return at
            top += 1
            stack[top] = buffer[front]
            front += 1
            at += 1
            continue
        if top == 0:
            return at
        if transitions[at] == RIGHT_ARC:
            heads[first + stack[top] - 1] = stack[top - 1]
            top -= 1
        elif stack[top - 1] == 0:
            return at
        elif transitions[at] == LEFT_ARC:
            heads[first + stack[top - 1] - 1] = stack[top]
            top -= 1
            stack[top] = stack[top + 1]
        elif transitions[at] == SWAP and swaps and stack[top - 1] < stack[top]:
            front -= 1
            buffer[front] = stack[top - 1]
            top -= 1
            stack[top] = stack[top + 1]
        else:
            return at
        at += 1
    return end if front < n or top > 0 else -1


def replay(
    transitions: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    starts: cython.const[cython.int][::1],
    system: cython.int,
):
    """Carry out the transitions of every sentence.

    Args:
        transitions: those of all sentences, uint8.
        offsets: where each sentence's begin, and their number, int64, shape (sentences + 1,).
        starts: the first word of each sentence, and the number of words, int32, shape (sentences + 1,).
        system: 0 arc-eager, 1 arc-standard, 2 swap-eager, 3 swap-lazy.

    Returns:
        The heads, 1-based in the sentence, 0 for the root, -1 for none, int32, shape (words,); for each sentence the
        position in `transitions` of the first that is not legal, the end of its transitions if words are left over,
        or -1 if all is well, int64, shape (sentences,).

    Raises:
        ValueError: the sentences or their transitions do not follow one another.
    """
    n_sentences: cython.Py_ssize_t = starts.shape[0] - 1
    i: cython.Py_ssize_t
    check_sizes(starts=starts, offsets=offsets)
    check_starts(starts, starts[n_sentences] if n_sentences >= 0 else 0)
    check_starts(offsets, transitions.shape[0])
    longest = int(np.diff(np.asarray(starts)).max(initial=0))
    heads = np.full(starts[n_sentences], -1, dtype=np.int32)
    faults = np.zeros(n_sentences, dtype=np.int64)
    stack = np.zeros(longest + 2, dtype=np.int32)
    buffer = np.zeros(longest + 2, dtype=np.int32)
    heads_view: cython.int[::1] = memoryview(heads)
    faults_view: cython.longlong[::1] = memoryview(faults)
    stack_view: cython.int[::1] = memoryview(stack)
    buffer_view: cython.int[::1] = memoryview(buffer)
    with cython.nogil:
        for i in range(n_sentences):
            if system == ARC_EAGER:
                faults_view[i] = replay_arc_eager(
                    transitions,
                    offsets[i],
                    offsets[i + 1],
                    starts[i + 1] - starts[i],
                    heads_view,
                    starts[i],
                    stack_view,
                )
            else:
                faults_view[i] = replay_arc_standard(
                    transitions, offsets[i], offsets[i + 1], starts[i + 1] - starts[i], system != ARC_STANDARD,
                    heads_view, starts[i], stack_view, buffer_view,
                )  # fmt: skip
    return heads, faults


def arc_eager_costs(
    stacks: cython.const[cython.int][:, ::1],
    sizes: cython.const[cython.int][::1],
    fronts: cython.const[cython.int][::1],
    assigned: cython.const[cython.int][:, ::1],
    gold: cython.const[cython.int][:, ::1],
    lengths: cython.const[cython.int][::1],
):
    """Count the gold arcs that each transition of arc-eager puts out of reach (Goldberg & Nivre 2012, section 4.1).

    Args:
        stacks: the stack of each configuration, its bottom, the artificial root 0, first; int32, shape (n, width).
        sizes: how many words each stack holds, the root included, int32, shape (n,).
        fronts: the first word of each buffer, one more than the sentence's words if it is empty, int32, shape (n,).
        assigned: the head of each word so far, -1 for none; column 0 is not read; int32, shape (n, width).
        gold: the gold head of each word, likewise.
        lengths: the words of each sentence, less than the width, int32, shape (n,).

    Returns:
        The costs of shift, left-arc, right-arc, reduce, -1 for what is not legal, int32, shape (n, 4).

    Raises:
        ValueError: arrays are of different sizes, or point outside their rows.
    """
    n: cython.Py_ssize_t = sizes.shape[0]
    check_sizes(stacks=stacks, sizes=sizes, fronts=fronts, assigned=assigned, gold=gold, lengths=lengths)
    check_range("sizes", sizes, 1, stacks.shape[1])
    check_range("fronts", fronts, 1, 2147483647)
    check_range("lengths", lengths, 0, min(gold.shape[1], assigned.shape[1]) - 1)
    held = np.arange(stacks.shape[1]) < np.asarray(sizes)[:, None]
    check_range("words on stacks", np.asarray(stacks)[held], 0, min(gold.shape[1], assigned.shape[1]) - 1)
    costs = np.full((n, 4), -1, dtype=np.int32)
    costs_view: cython.int[:, ::1] = memoryview(costs)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            if fronts[i] <= lengths[i]:
                count_costs(stacks, sizes[i], fronts[i], assigned, gold, lengths[i], costs_view, i)
    return costs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_costs(
    stacks: cython.const[cython.int][:, ::1],
    size: cython.int,
    front: cython.int,
    assigned: cython.const[cython.int][:, ::1],
    gold: cython.const[cython.int][:, ::1],
    length: cython.int,
    costs: cython.int[:, ::1],
    i: cython.Py_ssize_t,
) -> cython.void:
    """Count the costs in configuration i, whose buffer is not empty."""
    s: cython.int = stacks[i, size - 1]
    k: cython.int
    at: cython.int
    dependents_ahead: cython.int = 0
    for k in range(front, length + 1):
        dependents_ahead += gold[i, k] == s
    head_behind: cython.int = 0  # the front word's head is on the stack, and what it has to give to words on the stack
    dependents_behind: cython.int = 0
    for at in range(size):
        k = stacks[i, at]
        head_behind += gold[i, front] == k
        dependents_behind += k != 0 and assigned[i, k] < 0 and gold[i, k] == front
    costs[i, 0] = head_behind + dependents_behind
    costs[i, 2] = (gold[i, front] > front) + dependents_behind
    if head_behind > 0 and gold[i, front] != s:
        costs[i, 2] += 1
    if s != 0:
        if assigned[i, s] < 0:
            costs[i, 1] = (gold[i, s] > front) + dependents_ahead
        else:
            costs[i, 3] = dependents_ahead
