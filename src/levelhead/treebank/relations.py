"""The universal relations of UD version 1 and version 2, and named partitions of them into classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from levelhead.immutable import digest_of, immutable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from levelhead.treebank.strings import StringColumn

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
    only_first, only_second = len(universal_relations & (UD1 - UD2)), len(universal_relations & (UD2 - UD1))
    return None if only_first == only_second else 1 if only_first > only_second else 2


UNKNOWN = "UNKNOWN"  # the class of relations that a scheme does not list
_COUNTERPARTS: Mapping[int | None, Mapping[str, str]] = MappingProxyType({None: {}, 1: TO_UD1, 2: TO_UD2})


@immutable
class Scheme:
    """A partition of universal relations into classes."""

    name: str
    source: str
    classes: Mapping[str, frozenset[str]]  # the relations of each class, disjoint
    otherwise: str = UNKNOWN  # the class of relations that are not listed
    version: int | None = None  # of UD; other relations are in the class of their counterpart, if there are versions

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.classes, self.otherwise)))

    @property
    def signature(self) -> str:
        """The name of the scheme, with a hash of the contents if the scheme is not shipped with levelhead."""
        is_shipped = self == SCHEMES.get(self.name)
        return self.name if is_shipped else f"{self.name}+{digest_of(replace(self, source=''))[:12]}"

    @property
    def counterparts(self) -> Mapping[str, str]:
        """The counterpart of each relation of the other version of UD (`TO_UD1`, `TO_UD2`), looked up instead."""
        return _COUNTERPARTS[self.version]

    def class_of(self, relation: str) -> str:
        """Return the class of a relation, with or without subtype."""
        return self._class_of_label.get(universal(relation), self.otherwise)

    @cached_property
    def _class_of_label(self) -> Mapping[str, str]:
        of_label = {label: name for name, members in self.classes.items() for label in members}
        for label, counterpart in self.counterparts.items():
            of_label.setdefault(label, of_label.get(counterpart, self.otherwise))
        return of_label

    def is_in(self, name: str, relations: StringColumn) -> NDArray[np.bool_]:
        return relations.mapped(lambda relation: self.class_of(relation) == name, bool)


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
    "conll18_ud_eval.py: CLAS keeps 29 relations; other labels belong to no class",
    _classes(
        CONTENT="nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod"
        " acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep",
        FUNCTION=_FUNCTION,
        PUNCT="punct",
    ),
)

NIVRE_FANG = Scheme(
    "nivre-fang",
    "Nivre and Fang (2017), Table 1",
    _classes(
        CORE="ccomp csubj iobj nsubj obj xcomp",
        NONCORE="acl advcl advmod amod appos conj dep discourse dislocated expl list nmod nummod obl orphan parataxis"
        " reparandum root vocative",
        FUN=_FUNCTION,
        MWE="compound fixed flat goeswith",
        PUNCT="punct",
    ),
    version=2,
)

_CALLIN_CONTENT = (
    "acl advcl advmod amod appos ccomp compound conj csubj csubjpass dislocated dobj iobj name nmod nsubj nsubjpass"
    " nummod parataxis remnant root vocative xcomp"
)
_CALLIN_FUNCTION = "aux auxpass case cc cop det expl mark mwe neg"

CALLIN = Scheme(
    "callin",
    "Callin, Table 2 and section 4.1: the table lists `list` in two classes, the text in OTHER",
    _classes(
        CONTENT=_CALLIN_CONTENT,
        FUNCTION=_CALLIN_FUNCTION,
        OTHER="dep discourse foreign goeswith list punct reparandum",
    ),
    version=1,
)

CALLIN_CODE = Scheme(
    "callin-code",
    "Callin's program, whose numbers the paper prints: `list` is CONTENT",
    _classes(
        CONTENT=f"{_CALLIN_CONTENT} list",
        FUNCTION=_CALLIN_FUNCTION,
        OTHER="dep discourse foreign goeswith punct reparandum",
    ),
    version=1,
)

KOHITA = Scheme(
    "kohita",
    "Kohita, Noji and Matsumoto (2017), note 7: the functional arcs that CNC leaves out; every other label is content",
    _classes(FUNCTION="aux auxpass case cc cop det mark neg", PUNCT="punct"),
    otherwise="CONTENT",
)

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {scheme.name: scheme for scheme in (NIVRE_FANG, CALLIN, CALLIN_CODE, KOHITA, CONLL17, CONLL18)}
)
"""All shipped schemes by name."""
