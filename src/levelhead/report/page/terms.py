"""Definitions of the terms on a page: measures, classes of relations, relations, parts of speech, error types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from levelhead.measures.registry import Registry, parse_measure
from levelhead.treebank.relations import Scheme

COMPONENTS: Mapping[str, str] = {
    "Precision": "The percentage of system words that are correct.",
    "Recall": "The percentage of gold words that are correct.",
    "F1 Score": "The harmonic mean of precision and recall; the score that is usually reported.",
    "AligndAcc": "The percentage of aligned words that are correct. Words that are segmented differently are ignored.",
    "Confidence interval": "In 95% of samples of this size, the interval contains the true value. It is computed by"
    " leaving out each document or sentence in turn (jackknife).",
}

KINDS_OF_ERRORS: Mapping[str, str] = {
    "wrong label": "The head is correct, but the relation is wrong.",
    "wrong head inside the phrase": "The system's head depends on the gold head, directly or indirectly: the word"
    " stays in its phrase, but is attached to the wrong word.",
    "wrong head outside the phrase": "The system's head does not depend on the gold head: the word is attached"
    " outside its phrase.",
    "wrongly the root": "The system makes the word the root, although it has a head in gold.",
    "root not found": "The word is the root in gold, but the system gives it a head.",
    "head not aligned": "The system's head is not aligned with a gold word.",
    "no head": "HEAD is missing or cannot be read.",
}


# the universal relations of UD v2
RELATIONS: Mapping[str, str] = dict(entry.split("=") for entry in (
    "acl=clausal modifier of a noun;advcl=adverbial clause;advmod=adverbial modifier;amod=adjectival modifier;"
    "appos=apposition;aux=auxiliary;case=case marker;cc=coordinating conjunction;ccomp=clausal complement;"
    "clf=classifier;compound=compound;conj=conjunct;cop=copula;csubj=clausal subject;"
    "dep=unspecified dependency;det=determiner;discourse=discourse element;dislocated=dislocated element;"
    "expl=expletive;fixed=fixed expression;flat=flat expression;goeswith=part of a split word;"
    "iobj=indirect object;list=list item;mark=marker of a clause;nmod=nominal modifier;nsubj=nominal subject;"
    "nummod=numeric modifier;obj=object;obl=oblique nominal;orphan=dependent of an elided head;"
    "parataxis=parataxis;punct=punctuation;reparandum=overridden disfluency;root=root;vocative=vocative;"
    "xcomp=open clausal complement"
).split(";"))  # fmt: skip

TAGS: Mapping[str, str] = dict(entry.split("=") for entry in (
    "ADJ=adjective;ADP=adposition;ADV=adverb;AUX=auxiliary;CCONJ=coordinating conjunction;DET=determiner;"
    "INTJ=interjection;NOUN=noun;NUM=numeral;PART=particle;PRON=pronoun;PROPN=proper noun;PUNCT=punctuation;"
    "SCONJ=subordinating conjunction;SYM=symbol;VERB=verb;X=other"
).split(";"))  # fmt: skip


def measure_terms(names: Iterable[str], registry: Registry) -> dict[str, str]:
    defined = ((name, registry.measures[parse_measure(name, registry).name]) for name in names)
    return {name: f"{measure.meaning} Correct / counted words: {measure.formula}." for name, measure in defined}


def class_terms(scheme: Scheme) -> dict[str, str]:
    listed = {
        name: f"The relations {' '.join(sorted(some))} ({scheme.source})." for name, some in scheme.classes.items()
    }
    return listed if scheme.otherwise in listed else {**listed, scheme.otherwise: "All other relations."}


def open_ended(value: str) -> str:
    """Return an open range in words: "15 or more" instead of "15-"; other values unchanged."""
    return f"{value[:-1]} or more" if value[:-1].isdigit() and value.endswith("-") else value


def in_words(label: str) -> str:
    """Return a relation or part of speech with its name, if known: `obl (oblique nominal)`."""
    known = TAGS.get(label) or RELATIONS.get(label.partition(":")[0])
    return label if known is None or known == label else f"{label} ({known})"
