"""Named partitions of the relations into classes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank.relations import universal
from levelhead.treebank.strings import Column

UNKNOWN = "UNKNOWN"
"""The class of relations that a scheme does not list."""


class Scheme(NamedTuple):
    """A partition of universal relations into classes.

    Args:
        name: how it is called.
        source: where it comes from.
        classes: the relations of each class, disjoint.
        otherwise: the class of relations that are not listed.
    """

    name: str
    source: str
    classes: Mapping[str, frozenset[str]]
    otherwise: str = UNKNOWN

    def class_of(self, relation: str) -> str:
        """Return the class of a relation, with or without subtype."""
        label = universal(relation)
        return next((name for name, members in self.classes.items() if label in members), self.otherwise)

    def is_in(self, name: str, relations: Column) -> NDArray[np.bool_]:
        """Say of each word whether its relation is in a class, bool, shape (words,)."""
        member = np.zeros(len(relations.strings), dtype=bool)
        for code in relations.distinct.tolist():
            member[code] = self.class_of(relations.strings[code]) == name
        return member[relations.codes]


def _classes(**members: str) -> Mapping[str, frozenset[str]]:
    return MappingProxyType({name: frozenset(labels.split()) for name, labels in members.items()})


_FUNCTION = "aux case cc clf cop det mark"

CONLL17 = Scheme(
    "conll17",
    "conll17_ud_eval.py: CLAS leaves out function words and punctuation; every other label, known or not, is content",
    _classes(FUNCTION=_FUNCTION, PUNCT="punct"),
    otherwise="CONTENT",
)

CONLL18 = Scheme(
    "conll18",
    "conll18_ud_eval.py: CLAS keeps 29 relations; a label in no list belongs to no class",
    _classes(
        CONTENT="nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod"
        " acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep",
        FUNCTION=_FUNCTION,
        PUNCT="punct",
    ),
)

SCHEMES: Mapping[str, Scheme] = MappingProxyType({scheme.name: scheme for scheme in (CONLL17, CONLL18)})
"""All schemes by name."""
