"""The universal relations of UD version 1 and version 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

_BOTH = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp compound conj cop csubj dep det discourse dislocated expl"
    " goeswith iobj list mark nmod nsubj nummod parataxis punct reparandum root vocative xcomp".split()
)

UD1 = _BOTH | frozenset("auxpass csubjpass dobj foreign mwe name neg nsubjpass remnant".split())
"""The 40 relations of UD v1 (universaldependencies.org/docsv1)."""

UD2 = _BOTH | frozenset("clf fixed flat obj obl orphan".split())
"""The 37 relations of UD v2 (universaldependencies.org/u/dep)."""

TO_UD2: Mapping[str, str] = MappingProxyType(
    {
        "auxpass": "aux",
        "csubjpass": "csubj",
        "dobj": "obj",
        "foreign": "flat",
        "mwe": "fixed",
        "name": "flat",
        "nsubjpass": "nsubj",
        "remnant": "orphan",
    }
)
"""The UD v2 counterparts of relations only in v1 (universaldependencies.org/v2/summary.html); `neg` has none."""

TO_UD1: Mapping[str, str] = MappingProxyType(
    {"fixed": "mwe", "flat": "name", "obj": "dobj", "obl": "nmod", "orphan": "remnant"}
)
"""The UD v1 counterparts of relations only in v2; `clf` has none."""


def universal(relation: str) -> str:
    """Return a relation without its subtype: `acl` for `acl:relcl`."""
    return relation.partition(":")[0]


def ud_version_of(relations: Iterable[str]) -> int | None:
    """Return the version of UD of a treebank: 1, 2, or None if its relations do not show it."""
    universal_relations = {universal(relation) for relation in relations}
    only_first, only_second = universal_relations & (UD1 - UD2), universal_relations & (UD2 - UD1)
    if len(only_first) == len(only_second):
        return None
    return 1 if len(only_first) > len(only_second) else 2
