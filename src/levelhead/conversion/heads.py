"""The heads of converted trees, the words that take part, and the three interpretations of the algorithm."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from levelhead.arguments import choice, optional
from levelhead.conversion.script import lowered_as_by_the_script
from levelhead.conversion.targets import Flags, Targets
from levelhead.kernels import conversion as kernel
from levelhead.treebank import Treebank, check_trees, relations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from levelhead.treebank.strings import Codes

Variant = Literal["paper", "frozen", "script"]

VARIANTS: Mapping[str, str] = MappingProxyType(
    {
        "paper": "Algorithms 1 and 2; going back, a word's children are determined after its descendants are converted",
        "frozen": "the same, but a word's children are always those of the input tree",
        "script": "the published script: whole relations are compared, and the first child of its list, not the"
        " innermost, becomes the head",
    }
)
"""The interpretations of the paper, with a description of each."""


class Words(NamedTuple):
    """The words that take part in a conversion.

    Args:
        targets: whether each word is a target, uint8, shape (words,).
        fixed: whether each word is a part of a fixed expression, uint8, shape (words,).
        roots: whether each word is a root or labeled as root: its children stay in forward conversion; uint8, (words,).
        variant: the interpretation of the algorithm.
    """

    targets: Flags
    fixed: Flags
    roots: Flags
    variant: Variant


def ud_version(treebank: Treebank) -> int | None:
    """Return the version of UD of a treebank's relations: 1, 2, or None if they do not show it."""
    labels = treebank.relations
    return relations.ud_version_of(labels.strings[code] for code in labels.distinct.tolist())


def words_of(treebank: Treebank, targets: Targets, variant: Variant, ud: int | None) -> Words:
    """Return the words that take part."""
    check_trees(treebank)
    choice(get_args(Variant))("variant", variant)
    optional(choice((1, 2)))("ud", ud)
    chosen = targets._replace(subtypes=False) if variant == "script" else targets
    roots = chosen.labeled(treebank, frozenset({"root"})) | (treebank.heads < 0)
    fixed = chosen.fixed_in(treebank, ud or ud_version(treebank) or 2)
    return Words(chosen.of(treebank), fixed, roots.astype(np.uint8), variant)


def raised(heads: Codes, words: Words) -> tuple[Codes, Flags]:
    """Move targets above their heads: Algorithm 1."""
    return kernel.forward(heads, kernel.visits(heads), words.targets, words.roots)


def lowered(heads: Codes, words: Words) -> Codes:
    """Move targets below their children again: Algorithm 2.

    A target without a head is unchanged, since moving its children would give the sentence several roots.
    """
    order = kernel.visits(heads)
    if words.variant == "script":
        return lowered_as_by_the_script(heads, order, words.targets, words.fixed)
    return kernel.backward(heads, order, words.targets, words.fixed, words.variant == "frozen")
