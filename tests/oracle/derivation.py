"""Derivations by the definitions in the papers, on Python lists and sets; slow and plain."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

Heads = tuple[int, ...]


def random_heads(draw: Random, n: int) -> Heads:
    """Draw a tree: words are joined one by one, in random order, to what is there; most are not projective."""
    words = draw.sample(range(1, n + 1), n)
    heads = [0] * n
    for i, word in enumerate(words[1:], 1):
        heads[word - 1] = draw.choice(words[:i])
    return tuple(heads)


def random_projective_heads(draw: Random, n: int) -> Heads:
    """Draw a projective tree: a span has a root, and each side of it is cut into spans below."""
    heads = [0] * n

    def fill(begin: int, end: int, head: int) -> None:
        if begin == end:
            return
        root = draw.randrange(begin, end)
        heads[root - 1] = head
        for low, high in ((begin, root), (root + 1, end)):
            cuts = sorted({low, high, *(draw.randint(low, high) for _ in range(draw.randint(0, 2)))})
            for one, other in zip(cuts, cuts[1:]):
                fill(one, other, root)

    fill(1, n + 1, 0)
    return tuple(heads)


def dependents(heads: Heads, word: int) -> list[int]:
    """The dependents of a word, or of the root 0, from left to right."""
    return [dependent for dependent, head in enumerate(heads, 1) if head == word]


def in_order(heads: Heads, node: int = 0) -> list[int]:
    """The projective order of the tree below a node: dependents on the left, itself, dependents on the right."""
    below = dependents(heads, node)
    left = [word for dependent in below if dependent < node for word in in_order(heads, dependent)]
    right = [word for dependent in below if dependent > node for word in in_order(heads, dependent)]
    return [*left, node, *right]


def yield_of(heads: Heads, node: int) -> set[int]:
    """A node and all below it."""
    return {node}.union(*(yield_of(heads, dependent) for dependent in dependents(heads, node)))


def is_projective(heads: Heads) -> bool:
    """Whether all words between a head and its dependent are below the head."""
    return not nonprojective_arcs(heads)


def nonprojective_arcs(heads: Heads) -> list[tuple[int, int, int]]:
    """The arcs over words that are not below their head: size, left end, dependent."""
    found = []
    for word, head in enumerate(heads, 1):
        left, right = sorted((word, head))
        if not set(range(left + 1, right)) <= yield_of(heads, head):
            found.append((right - left, left, word))
    return found


def lifted(heads: Heads) -> Heads:
    """Nivre & Nilsson (2005): while there is a non-projective arc, lift the smallest, the leftmost of equal ones."""
    current = list(heads)
    while arcs := nonprojective_arcs(tuple(current)):
        word = min(arcs)[2]
        current[word - 1] = current[current[word - 1] - 1]
    return tuple(current)


def standard(heads: Heads, swap: Callable[[int, int, int | None], bool]) -> tuple[list[str], list[int]]:
    """Transitions and attached words with the priority LEFT-ARC, RIGHT-ARC, SWAP, SHIFT; stops where none is possible.

    Nivre (2009), Figure 4; `swap` decides on the second word, the top and the next word of the buffer.
    """
    stack, buffer = [0], list(range(1, len(heads) + 1))
    done: list[int] = []
    steps = []

    def complete(word: int) -> bool:
        return set(dependents(heads, word)) <= set(done)

    while buffer or len(stack) > 1:
        second, top = stack[-2:] if len(stack) > 1 else (None, stack[-1])
        if second and heads[second - 1] == top and complete(second):
            steps.append("LEFT-ARC")
            done.append(second)
            del stack[-2]
        elif second is not None and heads[top - 1] == second and complete(top):
            steps.append("RIGHT-ARC")
            done.append(top)
            del stack[-1]
        elif second and second < top and swap(second, top, buffer[0] if buffer else None):
            steps.append("SWAP")
            buffer.insert(0, stack.pop(-2))
        elif buffer:
            steps.append("SHIFT")
            stack.append(buffer.pop(0))
        else:
            break
    return steps, done


def components(heads: Heads) -> dict[int, int]:
    """The maximal projective component of each word, named by its root: what can be joined without SWAP."""
    joined = set(standard(heads, lambda *_: False)[1])

    def root(word: int) -> int:
        return root(heads[word - 1]) if word in joined else word

    return {word: root(word) for word in range(1, len(heads) + 1)}


def arc_eager(heads: Heads) -> tuple[list[str], list[int]]:
    """Goldberg & Nivre (2012), Algorithm 1."""
    stack, buffer = [0], list(range(1, len(heads) + 1))
    done: list[int] = []
    steps = []
    while buffer:
        top, front = stack[-1], buffer[0]
        if top and heads[top - 1] == front:
            steps.append("LEFT-ARC")
            done.append(stack.pop())
        elif heads[front - 1] == top:
            steps.append("RIGHT-ARC")
            done.append(front)
            stack.append(buffer.pop(0))
        elif any(heads[front - 1] == k or (k and heads[k - 1] == front) for k in range(top)):
            steps.append("REDUCE")
            stack.pop()
        else:
            steps.append("SHIFT")
            stack.append(buffer.pop(0))
    return steps, done


def derivation(heads: Heads, system: str) -> tuple[list[str], list[int]]:
    """Transitions and words in the order in which they are attached."""
    if system == "arc-eager":
        return arc_eager(heads)
    rank = {word: number for number, word in enumerate(in_order(heads))}
    component = components(heads)

    def wrong(second: int, top: int, front: int | None) -> bool:
        if system == "arc-standard" or rank[second] < rank[top]:
            return False
        return system == "swap-eager" or front is None or component[top] != component[front]

    return standard(heads, wrong)


def replay(steps: Sequence[str], n: int, system: str) -> Heads:
    """Carry out transitions by their names, each of which must be legal; all words must be read and joined."""
    stack, buffer, heads = [0], list(range(n, 0, -1)), [-1] * (n + 1)  # the next word of the buffer is its last
    for step in steps:
        if step == "SHIFT":
            stack.append(buffer.pop())
        elif step == "SWAP":
            assert 0 < stack[-2] < stack[-1]
            buffer.append(stack.pop(-2))
        elif step == "REDUCE":
            assert heads[stack.pop()] >= 0
        else:
            left, right = (stack[-1], buffer[-1]) if system == "arc-eager" else stack[-2:]
            head, word = (left, right) if step == "RIGHT-ARC" else (right, left)
            assert word > 0 > heads[word]
            heads[word] = head
            if system != "arc-eager":
                stack[-2:] = [head]
            elif step == "LEFT-ARC":
                stack.pop()
            else:
                stack.append(buffer.pop())
    assert not buffer
    assert system == "arc-eager" or stack == [0]
    return tuple(heads[1:])


State = tuple[tuple[int, ...], int, Heads]
"""Stack, first word of the buffer, heads so far (-1 for none)."""


def eager_steps(state: State, *, one_root: bool = False) -> Iterator[tuple[str, State]]:
    """All legal transitions of arc-eager and where they lead; if there is to be one root, it never leaves the stack."""
    stack, front, heads = state
    if front > len(heads):
        return
    top = stack[-1]
    yield "SHIFT", ((*stack, front), front + 1, heads)
    yield "RIGHT-ARC", ((*stack, front), front + 1, (*heads[: front - 1], top, *heads[front:]))
    if top and heads[top - 1] < 0:
        yield "LEFT-ARC", (stack[:-1], front, (*heads[: top - 1], front, *heads[top:]))
    if top and heads[top - 1] >= one_root:
        yield "REDUCE", (stack[:-1], front, heads)


def best_reachable(gold: Heads, *, one_root: bool = False) -> Callable[[State], int]:
    """Give a function that tries everything to say how many gold arcs can still be had at most."""

    @cache
    def best(state: State) -> int:
        followers = [best(follower) for _, follower in eager_steps(state, one_root=one_root)]
        return max(followers) if followers else sum(head == right for head, right in zip(state[2], gold))

    return best
