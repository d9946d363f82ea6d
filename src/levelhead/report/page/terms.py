"""What the terms of a page mean: measures, classes of relations, relations, parts of speech, kinds of errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from levelhead.measures.registry import Registry, parse_measure
from levelhead.treebank.schemes import Scheme

COMPONENTS: Mapping[str, str] = MappingProxyType(
    {
        "Precision": "The percentage of the system's words that are right.",
        "Recall": "The percentage of gold's words that are right.",
        "F1 Score": "The harmonic mean of precision and recall: the usual score.",
        "AligndAcc": "The percentage of the aligned words that are right: words that are split in another way do not"
        " count.",
        "Confidence interval": "The true value is inside in 95% of all samples of this size: documents or sentences"
        " are left out in turn.",
    }
)

KINDS_OF_ERRORS: Mapping[str, str] = MappingProxyType(
    {
        "wrong label": "The head is right and the relation is not.",
        "wrong head inside the phrase": "The system's head is below the gold head: the phrase is right, what is inside"
        " is not.",
        "wrong head outside the phrase": "The system's head is not below the gold head: the word is taken out of its"
        " phrase.",
        "wrongly the root": "The system takes the word for the root.",
        "root not found": "The word is gold's root and the system gives it a head.",
        "head not aligned": "The system's head is a word that gold does not have.",
    }
)


def _listed(text: str) -> Mapping[str, str]:
    """What labels mean, from a list such as `ADJ=adjective;ADP=adposition`."""
    return MappingProxyType(dict(one.split("=") for one in text.split(";")))


RELATIONS = _listed(
    "acl=clausal modifier of a noun;advcl=adverbial clause;advmod=adverbial modifier;amod=adjectival modifier;"
    "appos=apposition;aux=auxiliary;case=case marker;cc=coordinating conjunction;ccomp=clausal complement;"
    "clf=classifier;compound=compound;conj=conjunct;cop=copula;csubj=clausal subject;"
    "dep=unspecified dependency;det=determiner;discourse=discourse element;dislocated=dislocated element;"
    "expl=expletive;fixed=fixed expression;flat=flat expression;goeswith=part of a split word;"
    "iobj=indirect object;list=list item;mark=marker of a clause;nmod=nominal modifier;nsubj=nominal subject;"
    "nummod=numeric modifier;obj=object;obl=oblique nominal;orphan=dependent of an elided head;"
    "parataxis=parataxis;punct=punctuation;reparandum=overridden disfluency;root=root;vocative=vocative;"
    "xcomp=open clausal complement"
)
"""The universal relations of UD v2, in words."""

TAGS = _listed(
    "ADJ=adjective;ADP=adposition;ADV=adverb;AUX=auxiliary;CCONJ=coordinating conjunction;DET=determiner;"
    "INTJ=interjection;NOUN=noun;NUM=numeral;PART=particle;PRON=pronoun;PROPN=proper noun;PUNCT=punctuation;"
    "SCONJ=subordinating conjunction;SYM=symbol;VERB=verb;X=other"
)
"""The universal parts of speech, in words."""


def measure_terms(names: Iterable[str], registry: Registry) -> dict[str, str]:
    """Return what measures mean, and how they are computed.

    Args:
        names: the measures.
        registry: the available measures and schemes.
    """
    found = {}
    for name in names:
        definition = registry.measures[parse_measure(name, registry).name]
        found[name] = f"{definition.meaning} Correct and counted: {definition.formula}."
    return found


def class_terms(scheme: Scheme) -> dict[str, str]:
    """Return the relations of each class.

    Args:
        scheme: the classes.
    """
    source = f"({scheme.source})"
    listed = {name: f"The relations {' '.join(sorted(some))} {source}." for name, some in scheme.classes.items()}
    return listed if scheme.otherwise in listed else {**listed, scheme.otherwise: "All other relations."}


def open_ended(value: str) -> str:
    """Return a class of lengths as people say it: "15 or more" instead of "15-"; other values as they are.

    Args:
        value: the value of a property.
    """
    return f"{value[:-1]} or more" if value[:-1].isdigit() and value.endswith("-") else value


def in_words(label: str) -> str:
    """Return a relation or part of speech with what it means, where that is known: `obl (oblique nominal)`.

    Args:
        label: the relation, with or without its subtype, or the part of speech.
    """
    known = TAGS.get(label) or RELATIONS.get(label.partition(":")[0])
    return label if known is None or known == label else f"{label} ({known})"
