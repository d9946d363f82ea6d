"""Scoring rules: levelhead's, or exact emulations of official scorers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from levelhead.errors import MeasureError, unknown
from levelhead.immutable import digest_of, immutable
from levelhead.treebank import relations

_2017 = "Tokens Sentences Words UPOS XPOS Feats AllTags Lemmas UAS LAS CLAS".split()
_2018 = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX".split()
_TODAY = [*_2018, "ELAS", "EULAS"]
_OF_EMPTY_NODES = tuple(f"Empty{name}" for name in "ARC DEP WO DEPWO FORM LEMMA UPOS XPOS FEATS ALL".split())
_OURS = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS LAS(full) CLAS MLAS BLEX ELAS EULAS".split()


@immutable
class Rules:
    """Scoring rules: every decision in which scorers differ.

    Args:
        name: the name of the rules.
        source: the official script that these rules emulate.
        measures: the measures that the script prints, in the same order.
        of_empty_nodes: the additional measures that `score` prints if gold has empty nodes.
        main: the default measures of rankings.
        lacks: the measures that these rules do not define. If `content` is true, this field is ignored, and the rules
            only define the measures in `measures`.
        scheme: the class scheme that defines CONTENT for CLAS.
        unicode_spaces: whether all Unicode spaces are removed from forms; if False, only U+0020.
        universal_features: whether only the 21 universal features are compared; if False, the whole FEATS.
        missing_lemma_counts: whether the lemma of a word counts as correct if gold has no lemma for it.
        edges_one_to_one: whether an enhanced edge matches at most one equal edge; if False, all equal edges match.
        collapse: whether paths through empty nodes become edges; if False, edges from empty nodes are dropped.
        undefined: the value of a ratio whose denominator is 0.
        unannotated: whether a measure has no value if gold lacks a required column; if False, it is computed anyway.
        reading: the official scorer whose way of reading files is emulated; None for levelhead's own way.
        switches: the kinds of enhancements that are removed from both enhanced graphs (`scoring.enhanced_edges`).
        several_roots: whether a sentence can have several words with HEAD 0.
        content: whether files are read as morphosyntactic parses, of which only content words are scored
            (`scoring.morphosyntactic_matches`). Then only `name`, `source`, `measures`, `undefined` and
            `sorted_values` matter.
        sorted_values: whether features match even if the parts of their values are in another order (see `content`).
    """

    name: str
    source: str
    measures: tuple[str, ...]
    lacks: frozenset[str]
    scheme: relations.Scheme
    unicode_spaces: bool = True
    universal_features: bool = True
    missing_lemma_counts: bool = True
    edges_one_to_one: bool = False
    collapse: bool = False
    undefined: float | None = 0.0
    unannotated: bool = False
    of_empty_nodes: tuple[str, ...] = ()
    main: tuple[str, ...] = ("LAS", "MLAS", "BLEX", "CLAS")
    reading: str | None = None
    switches: frozenset[str] = frozenset()
    several_roots: bool = False
    content: bool = False
    sorted_values: bool = False

    @property
    def signature(self) -> str:
        """The name of the rules; a hash is added if they differ from levelhead's own rules with this name."""
        shipped = RULES.get(self.name)
        if self == shipped:
            return self.name
        same = replace(self, switches=frozenset(), several_roots=False)  # signatures have these two by themselves
        return self.name if same == shipped else f"{self.name}+{digest_of(same)[:12]}"

    def defines(self, measure: str) -> bool:
        """Return whether these rules define the measure with this name, such as "LAS" (not "LAS@CORE")."""
        return measure in self.measures if self.content else measure not in self.lacks

    def measures_or_default(self, *measures: str) -> tuple[str, ...]:
        """Return the given `measures`. If `content` is true, ignore them and return all measures of these rules."""
        return self.measures if self.content else measures

    def check_words(self) -> None:
        """Raise a `MeasureError` if these rules only score whole files, not single words."""
        if self.content:
            message = (
                f"the rules {self.name} only score whole files, not single words: use them with score, compare, rank,"
                f" languages and power, without pages that show sentences"
            )
            raise MeasureError(message, "unsupported-rules")


CONLL17 = Rules(
    name="conll17",
    reading="conll17",
    source="conll17_ud_eval.py, CoNLL 2017 shared task",
    measures=tuple(_2017),
    main=("LAS", "UAS", "CLAS"),
    lacks=frozenset({"UFeats", "MLAS", "BLEX", "ELAS", "EULAS", "MSLAS", *_OF_EMPTY_NODES}),
    scheme=relations.CONLL17,
    unicode_spaces=False,
    universal_features=False,
    missing_lemma_counts=False,
)

CONLL18 = Rules(
    name="conll18",
    reading="conll18",
    source="conll18_ud_eval.py, CoNLL 2018 shared task",
    measures=tuple(_2018),
    lacks=frozenset({"Feats", "ELAS", "EULAS", "MSLAS", *_OF_EMPTY_NODES}),
    scheme=relations.CONLL18,
)

UDTOOLS = Rules(
    name="udtools",
    reading="udtools",
    source="udtools 0.2.9, the UD scorer of 2026",
    measures=tuple(_TODAY),
    lacks=frozenset({"Feats", "MSLAS", *_OF_EMPTY_NODES}),
    scheme=relations.CONLL18,
)

UD = Rules(
    name="ud",
    source="udtools 0.2.9 with the deviations listed in the documentation of levelhead",
    measures=tuple(_OURS),
    of_empty_nodes=("EmptyARC", "EmptyDEP", "EmptyWO", "EmptyFORM", "EmptyUPOS"),
    lacks=frozenset({"Feats", "MSLAS"}),
    scheme=relations.CONLL18,
    edges_one_to_one=True,
    collapse=True,
    undefined=None,
    unannotated=True,
)

MSP25 = Rules(
    name="msp25",
    source="msp_25_eval.py (3c907f0), UniDive 2025 shared task on morphosyntactic parsing",
    measures=("MSLAS", "LAS", "Feats"),
    main=("MSLAS", "LAS", "Feats"),
    lacks=frozenset(),
    scheme=relations.CONLL18,
    content=True,
)

MSP25_SORTED = replace(
    MSP25,
    name="msp25-sorted",
    source="msp_25_eval.py in the version of a participant: as msp25, but the order of a feature's values is ignored",
    sorted_values=True,
)

_ALL = (CONLL17, CONLL18, UDTOOLS, UD, MSP25, MSP25_SORTED)

RULES: Mapping[str, Rules] = MappingProxyType({rules.name: rules for rules in _ALL})  # all rules by name

# The rules under which words are aligned by characters, and each aligned pair is compared.
WORD_RULES: Mapping[str, Rules] = MappingProxyType({rules.name: rules for rules in _ALL if not rules.content})


def rules_named(name: str | Rules) -> Rules:
    if isinstance(name, Rules):
        return name
    if name not in RULES:
        raise MeasureError(unknown("rules", name, RULES), "unknown-rules")
    return RULES[name]


def with_several_roots(rules: str | Rules) -> Rules:
    named = rules_named(rules)
    if named.content or (named.reading is not None and named.name != UDTOOLS.name):
        message = (
            f"the scorer of the rules {named.name} rejects sentences with several roots: use the rules ud, or udtools,"
            " whose scorer has the option --multiple-roots-okay"
        )
        raise MeasureError(message, "invalid-argument")
    return replace(named, several_roots=True)
