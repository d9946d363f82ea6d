"""Scoring rules: levelhead's own, or exact emulations of official scorers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from levelhead.errors import MeasureError, unknown
from levelhead.treebank import schemes

_2017 = "Tokens Sentences Words UPOS XPOS Feats AllTags Lemmas UAS LAS CLAS".split()
_2018 = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX".split()
_TODAY = [*_2018, "ELAS", "EULAS"]
_OURS = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS LAS(full) CLAS MLAS BLEX ELAS EULAS".split()


class Rules(NamedTuple):
    """Every decision in which the scorers differ.

    Args:
        name: the name of the rules.
        source: the script whose numbers they give.
        measures: the measures that it prints, in its order.
        lacks: measures that these rules do not have.
        scheme: the partition of relations whose class CONTENT is what CLAS counts.
        unicode_spaces: whether all space separators are removed from forms (otherwise only U+0020).
        universal_features: whether only the 21 universal features are compared (otherwise the whole FEATS).
        missing_lemma_counts: whether a word without a gold lemma counts as right.
        edges_one_to_one: whether an enhanced edge matches at most one other (otherwise every pair that agrees counts).
        collapse: whether paths through empty nodes become edges (otherwise edges from empty nodes are dropped).
        undefined: the value of a ratio with nothing to count.
        unannotated: whether a column that gold leaves out is reported as such (otherwise it is scored all the same).
        reading: the official scorer whose reading of files is used; None for levelhead's own checks and repairs.
        switches: the kinds of enhancement that are removed from both graphs (`scoring.enhancement_switches`).
        several_roots: whether a sentence of a file may have more than one word with HEAD 0.
    """

    name: str
    source: str
    measures: tuple[str, ...]
    lacks: frozenset[str]
    scheme: schemes.Scheme
    unicode_spaces: bool = True
    universal_features: bool = True
    missing_lemma_counts: bool = True
    edges_one_to_one: bool = False
    collapse: bool = False
    undefined: float | None = 0.0
    unannotated: bool = False
    reading: str | None = None
    switches: frozenset[str] = frozenset()
    several_roots: bool = False


CONLL17 = Rules(
    name="conll17",
    reading="conll17",
    source="conll17_ud_eval.py, CoNLL 2017 shared task",
    measures=tuple(_2017),
    lacks=frozenset({"UFeats", "MLAS", "BLEX", "ELAS", "EULAS"}),
    scheme=schemes.CONLL17,
    unicode_spaces=False,
    universal_features=False,
    missing_lemma_counts=False,
)

CONLL18 = Rules(
    name="conll18",
    reading="conll18",
    source="conll18_ud_eval.py, CoNLL 2018 shared task",
    measures=tuple(_2018),
    lacks=frozenset({"Feats", "ELAS", "EULAS"}),
    scheme=schemes.CONLL18,
)

UDTOOLS = Rules(
    name="udtools",
    reading="udtools",
    source="udtools 0.2.9, the UD scorer of 2026",
    measures=tuple(_TODAY),
    lacks=frozenset({"Feats"}),
    scheme=schemes.CONLL18,
)

UD = Rules(
    name="ud",
    source="udtools 0.2.9 with the deviations listed in the documentation of levelhead",
    measures=tuple(_OURS),
    lacks=frozenset({"Feats"}),
    scheme=schemes.CONLL18,
    edges_one_to_one=True,
    collapse=True,
    undefined=None,
    unannotated=True,
)

RULES: Mapping[str, Rules] = MappingProxyType({rules.name: rules for rules in (CONLL17, CONLL18, UDTOOLS, UD)})
"""All rules by name."""


def rules_named(name: str | Rules) -> Rules:
    """Return the rules of a name.

    Raises:
        MeasureError: the rules are unknown.
    """
    if isinstance(name, Rules):
        return name
    if name not in RULES:
        raise MeasureError(unknown("rules", name, RULES), "unknown-rules")
    return RULES[name]


def with_several_roots(rules: str | Rules) -> Rules:
    """Return the same rules for files whose sentences may have several roots.

    Args:
        rules: rules, or the name of some.

    Raises:
        MeasureError: the rules are unknown, or emulate a scorer that refuses such files.
    """
    found = rules_named(rules)
    if found.reading is not None and found.name != UDTOOLS.name:
        message = (
            f"the scorer of the rules {found.name} refuses sentences with several roots: use the rules ud, or udtools,"
            " whose scorer has the option --multiple-roots-okay"
        )
        raise MeasureError(message, "invalid-argument")
    return found._replace(several_roots=True)
