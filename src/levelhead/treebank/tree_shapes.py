"""The shape of trees: depth, gaps, non-projective arcs, ill-nested trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.kernels import shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.strings import Codes
    from levelhead.treebank.treebank import Treebank


class Shapes(NamedTuple):
    """The shapes of all trees of a treebank.

    Args:
        depths: the number of arcs between each word and the root, int32, shape (words,).
        gap_degrees: the number of gaps in the span of the words below each word, int32, shape (words,).
        nonprojective: whether each word's arc spans a word that its head does not dominate, bool, shape (words,).
        right_crossed: whether each word's head is to the right and a word between them has its head outside their span
            (the root is outside), bool, shape (words,).
        ill_nested: whether each sentence has two disjoint subtrees that interleave, bool, shape (sentences,).
    """

    depths: Codes
    gap_degrees: Codes
    nonprojective: NDArray[np.bool_]
    right_crossed: NDArray[np.bool_]
    ill_nested: NDArray[np.bool_]


def shapes_of(treebank: Treebank) -> Shapes:
    """Return the shapes of the trees of a treebank.

    Source: Kuhlmann and Nivre (2006) for gap degree and well-nestedness.

    Args:
        treebank: any treebank.
    """
    depths, gap_degrees, *flags = shapes.shapes(treebank.local_heads(), treebank.sentence_starts)
    return Shapes(depths, gap_degrees, *(flag.view(np.bool_) for flag in flags))


def nonprojective_arcs(treebank: Treebank) -> NDArray[np.bool_]:
    """Return which arcs are non-projective: some word between the word and its head is not below the head.

    The arc of a root is never non-projective. Source: Kuhlmann and Nivre (2006).

    Args:
        treebank: any treebank.

    Returns:
        bool, shape (words,).
    """
    return shapes_of(treebank).nonprojective
