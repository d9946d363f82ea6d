# cython: language_level=3, boundscheck=False, wraparound=False, infer_types=True
"""Trees: their check, depth, gaps, non-projective arcs and their lifting, ill-nested trees; without recursion.

Shapes take O(n log n) steps in the words of a sentence, with one exception: the check for ill-nested trees can take a
step for each pair of non-projective arcs of which neither head dominates the other.
"""

import cython
import numpy as np

from levelhead.kernels.bounds import check_starts

Int = cython.typedef(cython.int)
Size = cython.typedef(cython.Py_ssize_t)
ConstInts = cython.typedef(cython.const[cython.int][::1])
Table = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.int[::1])
Bytes = cython.typedef(cython.uchar[::1])

PROJECTIVE = cython.declare(cython.uchar, 0)  # verdicts of lifting, as in the oracles
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
    """Return the error code of one sentence (0 for a tree); `seen` stores from which word each word was reached."""
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


def shapes(heads: ConstInts, starts: ConstInts):
    """Return the shape of every tree."""
    n_words: cython.Py_ssize_t = heads.shape[0]
    longest = check_starts(starts, n_words)
    depths: Ints = memoryview(np.zeros(n_words, dtype=np.int32))
    gaps: Ints = memoryview(np.zeros(n_words, dtype=np.int32))
    crossed: Bytes = memoryview(np.zeros(n_words, dtype=np.uint8))
    right_crossed: Bytes = memoryview(np.zeros(n_words, dtype=np.uint8))
    ill_nested: Bytes = memoryview(np.zeros(starts.shape[0] - 1, dtype=np.uint8))
    table = np.zeros((14, 2 * longest + 4), dtype=np.int32)
    work: Table = table if cython.compiled else [memoryview(row) for row in table]
    with cython.nogil:
        bad = measure(heads, starts, depths, gaps, crossed, right_crossed, ill_nested, work)
    if bad >= 0:
        raise ValueError(f"sentence {bad + 1} is not a tree")
    return np.asarray(depths), np.asarray(gaps), np.asarray(crossed), np.asarray(right_crossed), np.asarray(ill_nested)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def measure(
    heads: ConstInts, starts: ConstInts, depths: Ints, gaps: Ints, crossed: Bytes, right: Bytes, ill: Bytes, work: Table
) -> cython.Py_ssize_t:
    """Measure each sentence; return the index of the first sentence that is not a tree, or -1 if all are trees."""
    size: Ints = work[2]
    enter: Ints = work[3]
    entered: Ints = work[4]
    for i in range(starts.shape[0] - 1):
        start = starts[i]
        n = starts[i + 1] - starts[i]
        sentence: ConstInts = heads[start : start + n]
        if not lay_out(sentence, n, work[0], work[1], size, enter, entered, work[8], work[7]):
            return i
        for word in range(n):
            depths[start + word] = work[8][word + 1]
        if contiguous(sentence, n, work[1], size, work[5], work[6]):
            continue
        index(sentence, n, enter, entered, work[9], work[10], work[11], work[12], work[13])
        find_gaps(sentence, n, work[1], enter, entered, work[13], work[7], gaps[start : start + n])
        here: Bytes = crossed[start : start + n]
        find_crossed(sentence, n, size, enter, work[9], work[10], work[11], work[12], here, right[start : start + n])
        ill[i] = interleaved(sentence, n, size, enter, here, work[0], work[1], work[5], work[6], work[7])
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lay_out(
    heads: ConstInts, n: Int, below: Ints, order: Ints, size: Ints, enter: Ints, entered: Ints, depth: Ints, after: Ints
) -> cython.bint:
    """Number the nodes (0 is above the roots) so that descendants follow their node: `enter`, and back `entered`.

    Also compute the size of each subtree (`size`), an order with heads before dependents (`order`), and depths. Return
    whether the sentence is a tree.
    """
    for node in range(n + 1):
        size[node] = 1
        after[node] = 0
    after[n + 1] = 0
    for node in range(1, n + 1):  # the dependents of each head side by side: below[after[head] : after[head + 1]]
        if heads[node - 1] < 0 or heads[node - 1] > n:
            return False
        after[heads[node - 1] + 1] += 1
    for node in range(1, n + 2):
        after[node] += after[node - 1]
    for node in range(n, 0, -1):
        head = heads[node - 1]
        after[head + 1] -= 1
        below[after[head + 1]] = node
    # after[head + 1] is now the start of the dependents of head; they end at the start of those of head + 1
    order[0] = 0
    depth[0] = -1
    at = 1
    for node in range(n + 1):
        if node == at:
            return False  # nothing else is below the root
        head = order[node]
        fill: Int = after[head + 1]
        end: Int = after[head + 2] if head < n else n
        while fill < end:
            order[at] = below[fill]
            depth[below[fill]] = depth[head] + 1
            at += 1
            fill += 1
    for at in range(n, 0, -1):
        node = order[at]
        size[heads[node - 1]] += size[node]
    for node in range(n + 1):  # from here on: the number of nodes of a subtree that already have a number
        after[node] = 1
    enter[0] = 0
    entered[0] = 0
    for at in range(1, n + 1):
        node = order[at]
        head = heads[node - 1]
        enter[node] = enter[head] + after[head]
        after[head] += size[node]
        entered[enter[node]] = node
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def contiguous(heads: ConstInts, n: Int, order: Ints, size: Ints, lowest: Ints, highest: Ints) -> cython.bint:
    """Whether every subtree is a contiguous span, so that the sentence is projective."""
    for node in range(n + 1):
        lowest[node] = node
        highest[node] = node
    for at in range(n, 0, -1):
        node = order[at]
        if highest[node] - lowest[node] + 1 != size[node]:
            return False
        head = heads[node - 1]
        lowest[head] = min(lowest[head], lowest[node])
        highest[head] = max(highest[head], highest[node])
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def index(
    heads: ConstInts,
    n: Int,
    enter: Ints,
    entered: Ints,
    first_enter: Ints,
    last_enter: Ints,
    first_head: Ints,
    last_head: Ints,
    parent_enter: Ints,
) -> cython.void:
    """Fill the heaps in which `least` finds minima of ranges; for maxima, the values are negated."""
    width: Int = n + 1
    first_enter[width] = last_enter[width] = first_head[width] = last_head[width] = parent_enter[width] = 0
    for node in range(1, width):
        first_enter[width + node] = enter[node]
        last_enter[width + node] = -enter[node]
        first_head[width + node] = heads[node - 1]
        last_head[width + node] = -heads[node - 1]
        parent_enter[width + node] = enter[heads[entered[node] - 1]]
    for node in range(width - 1, 0, -1):
        first_enter[node] = min(first_enter[2 * node], first_enter[2 * node + 1])
        last_enter[node] = min(last_enter[2 * node], last_enter[2 * node + 1])
        first_head[node] = min(first_head[2 * node], first_head[2 * node + 1])
        last_head[node] = min(last_head[2 * node], last_head[2 * node + 1])
        parent_enter[node] = min(parent_enter[2 * node], parent_enter[2 * node + 1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least(values: Ints, width: Int, first: Int, end: Int) -> Int:
    """Return the smallest value from index `first` up to but not including index `end`, from a heap of minima."""
    low: Int = first + width
    high: Int = end + width
    found: Int = 2147483647
    while low < high:
        if low & 1:
            found = min(found, values[low])
            low += 1
        if high & 1:
            high -= 1
            found = min(found, values[high])
        low >>= 1
        high >>= 1
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_gaps(
    heads: ConstInts, n: Int, order: Ints, enter: Ints, entered: Ints, parent_enter: Ints, blocks: Ints, gaps: Ints
) -> cython.void:
    """Count for each node the blocks of words below it, minus one.

    A block of a node starts at each word below it whose left neighbor is not below it. For a word, these are the nodes
    on the way up to the lowest common ancestor with its left neighbor. So each word adds one at itself and subtracts
    one at this ancestor, and the sums over subtrees are the blocks.
    """
    for node in range(n + 1):
        blocks[node] = 0
    blocks[1] = 1
    for node in range(2, n + 1):
        one = min(enter[node - 1], enter[node])
        other = max(enter[node - 1], enter[node])
        blocks[node] += 1
        blocks[entered[least(parent_enter, n + 1, one + 1, other + 1)]] -= 1
    for at in range(n, 0, -1):
        node = order[at]
        blocks[heads[node - 1]] += blocks[node]
        gaps[node - 1] = blocks[node] - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_crossed(
    heads: ConstInts,
    n: Int,
    size: Ints,
    enter: Ints,
    first_enter: Ints,
    last_enter: Ints,
    first_head: Ints,
    last_head: Ints,
    crossed: Bytes,
    right_crossed: Bytes,
) -> cython.void:
    """Mark arcs over a word that is not below the head; and those to the right with a head outside the span within."""
    for word in range(1, n + 1):
        head = heads[word - 1]
        low = min(word, head) + 1
        high = max(word, head)
        if head == 0 or low >= high:
            continue
        crossed[word - 1] = (
            least(first_enter, n + 1, low, high) < enter[head]
            or -least(last_enter, n + 1, low, high) >= enter[head] + size[head]
        )
        right_crossed[word - 1] = head > word and (
            least(first_head, n + 1, low, high) < word or -least(last_head, n + 1, low, high) > head
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def interleaved(
    heads: ConstInts,
    n: Int,
    size: Ints,
    enter: Ints,
    crossed: Bytes,
    before: Ints,
    arc_head: Ints,
    low: Ints,
    high: Ints,
    filled: Ints,
) -> cython.bint:
    """Whether two disjoint subtrees interleave: two crossing arcs of which neither head dominates the other.

    (Without such arcs, each subtree, being connected, would lie in one gap of the other.) Such arcs are non-projective.
    They are sorted by the `enter` of their heads, so that arcs whose heads are dominated by a head follow it, and are
    skipped.
    """
    for at in range(n + 2):
        before[at] = 0
    for node in range(1, n + 1):
        if crossed[node - 1]:
            before[enter[heads[node - 1]] + 1] += 1
    for at in range(1, n + 2):  # the number of arcs with heads that were entered earlier
        before[at] += before[at - 1]
    for at in range(n + 1):
        filled[at] = before[at]
    for node in range(1, n + 1):
        if crossed[node - 1]:
            head = heads[node - 1]
            at = filled[enter[head]]
            filled[enter[head]] = at + 1
            arc_head[at] = head
            low[at] = min(node, head)
            high[at] = max(node, head)
    for one in range(before[n + 1]):
        head = arc_head[one]
        for other in range(before[enter[head] + size[head]], before[n + 1]):
            if low[one] < low[other] < high[one] < high[other] or low[other] < low[one] < high[other] < high[one]:
                return True
    return False


def lift(heads: ConstInts, starts: ConstInts, most_steps: cython.longlong):
    """Attach dependents of non-projective arcs to their head's head, shortest arcs first, until all are projective."""
    longest = check_starts(starts, heads.shape[0])
    lifted: Ints = memoryview(np.array(heads, dtype=np.int32))
    verdicts: Bytes = memoryview(np.zeros(starts.shape[0] - 1, dtype=np.uint8))
    table = np.zeros((9, longest + 2), dtype=np.int32)
    work: Table = table if cython.compiled else [memoryview(row) for row in table]
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            verdicts[i] = lift_one(lifted[starts[i] : starts[i + 1]], starts[i + 1] - starts[i], most_steps, work)
            if verdicts[i] != PROJECTIVE:
                for word in range(starts[i], starts[i + 1]):
                    lifted[word] = heads[word]
    return np.asarray(lifted), np.asarray(verdicts)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lift_one(heads: Ints, n: Int, most_steps: cython.longlong, work: Table) -> cython.uchar:
    """Lift the arcs of one sentence, the leftmost on a tie (Nivre & Nilsson 2005, the algorithm PROJECTIVIZE)."""
    size: Ints = work[2]
    enter: Ints = work[3]
    steps: cython.longlong = 0
    while True:
        if not lay_out(heads, n, work[0], work[1], size, enter, work[4], work[8], work[7]):
            return NO_TREE
        if contiguous(heads, n, work[1], size, work[5], work[6]):
            return PROJECTIVE
        steps += n
        shortest: Int = 0
        length: Int = n + 1
        left: Int = 0
        for word in range(1, n + 1):
            head = heads[word - 1]
            low = min(word, head)
            high = max(word, head)
            if high - low > length or (high - low == length and low > left):
                continue
            between = low
            for between in range(low + 1, high):
                if enter[between] < enter[head] or enter[between] >= enter[head] + size[head]:
                    shortest = word
                    length = high - low
                    left = low
                    break
            steps += between - low
        if steps > most_steps:
            return TOO_LONG
        heads[shortest - 1] = heads[heads[shortest - 1] - 1]
