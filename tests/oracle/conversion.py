"""The pseudo-code of Kohita et al. (2017) word for word: recursive, on one sentence. Words count from 1, head 0 is none.

The paper does not say when the lists of children are read: forward, from the input; backward, either from the input
(`frozen`) or from the heads as they are when a side is at turn. The recursion goes over the children of the input.
"""

from collections.abc import Collection, Sequence

Pair = tuple[str, str]


class Tree:
    """A sentence: p, h and l of each word, with a dummy at 0, and the lists left and right of the input."""

    def __init__(self, upos: Sequence[str], heads: Sequence[int], labels: Sequence[str]) -> None:
        self.p, self.h, self.l = ["", *upos], [-1, *heads], ["", *labels]
        self.left = [self.children(j, "left") for j in range(len(self.h))]
        self.right = [self.children(j, "right") for j in range(len(self.h))]

    def children(self, j: int, side: str) -> list[int]:
        """The present children of a word on one side, in order."""
        found = [i for i in range(1, len(self.h)) if self.h[i] == j]
        return [i for i in found if (i < j) == (side == "left")]

    @property
    def roots(self) -> list[int]:
        return self.children(0, "right")


def universal(label: str) -> str:
    return label.partition(":")[0]


def forward(tree: Tree, targets: Collection[Pair]) -> list[int]:
    """Algorithm 1."""

    def conv(j: int) -> None:
        for i in tree.left[j]:
            conv(i)
        change_dep(search(tree.left[j]), j)
        for i in tree.right[j]:
            conv(i)
        change_dep(search(reversed(tree.right[j])), j)

    def search(children) -> int | None:
        for i in children:
            if (tree.p[i], universal(tree.l[i])) in targets:
                return i
        return None

    def change_dep(i: int | None, j: int) -> None:
        is_root = universal(tree.l[j]) == "root" or tree.h[j] == 0
        if i is not None and not is_root:
            tree.h[i] = tree.h[j]
            tree.h[j] = i

    for root in tree.roots:
        conv(root)
    return tree.h[1:]


def backward(tree: Tree, targets: Collection[Pair], fixed: str, *, frozen: bool = False) -> list[int]:
    """Algorithm 2; a target that is a root stays, or the sentence would have several."""

    def conv(j: int) -> None:
        is_target = (tree.p[j], universal(tree.l[j])) in targets and tree.h[j] != 0
        for i in tree.left[j]:
            conv(i)
        if is_target:
            change_dep(tree.left[j] if frozen else tree.children(j, "left"), j)
        for i in tree.right[j]:
            conv(i)
        if is_target:
            change_dep(reversed(tree.right[j] if frozen else tree.children(j, "right")), j)

    def change_dep(children, j: int) -> None:
        last_child = -1
        for i in children:
            if universal(tree.l[i]) != fixed:
                last_child = i
                tree.h[i] = tree.h[j]
        if last_child != -1:
            tree.h[j] = last_child

    for root in tree.roots:
        conv(root)
    return tree.h[1:]


def is_projective(heads: Sequence[int], dependent: int) -> bool:
    """Whether a word's head dominates all words between the two; `heads` as above, without the dummy."""
    head = heads[dependent - 1]
    between = range(min(head, dependent) + 1, max(head, dependent)) if head else ()
    return all(dominates(heads, head, word) for word in between)


def dominates(heads: Sequence[int], ancestor: int, word: int) -> bool:
    while word not in {0, ancestor}:
        word = heads[word - 1]
    return word == ancestor
