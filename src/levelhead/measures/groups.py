"""The shipped measures in groups, with advice on which to report."""

from __future__ import annotations

from typing import NamedTuple


class MeasureGroup(NamedTuple):
    """A group of related measures, with advice.

    Args:
        title: what they measure.
        names: the measures.
        advice: which of them to report, and when.
    """

    title: str
    names: tuple[str, ...]
    advice: str


MEASURE_GROUPS = (
    MeasureGroup(
        "Segmentation",
        ("Tokens", "Sentences", "Words"),
        "Report Words and Sentences if the system segments raw text: every other score depends on them. With gold"
        " segmentation they are 100.",
    ),
    MeasureGroup(
        "Tags, features and lemmas",
        ("UPOS", "XPOS", "Feats", "UFeats", "AllTags", "Lemmas"),
        "Report UPOS, UFeats and Lemmas if the system predicts them. Use XPOS and AllTags only to compare systems on"
        " the same treebank, since tag sets differ between treebanks.",
    ),
    MeasureGroup(
        "Attachment",
        ("UAS", "LS", "LAS"),
        "Report LAS together with UAS. LAS(full) also compares subtypes. If you leave out punctuation (nopunct), say"
        " so. LS helps to explain errors in labels.",
    ),
    MeasureGroup(
        "Weighted attachment",
        ("WeightedLAS", "WLAS", "CallinWLAS"),
        "Report these in addition to LAS, and publish the weights so that others can compare. CallinWLAS is for"
        " comparison with Callin's results.",
    ),
    MeasureGroup(
        "Content words",
        ("CLAS", "CNC"),
        "Report CLAS with LAS to compare languages: function words are usually easier than content words, and"
        " languages differ in their share of function words. CNC is for comparison with Kohita et al.",
    ),
    MeasureGroup(
        "Content words with morphology or lemmas",
        ("MLAS", "BLEX", "MSLAS"),
        "Report MLAS and BLEX with LAS for systems that also tag and lemmatize, as in the CoNLL 2018 shared task. Gold"
        " must have features and lemmas. MSLAS is for morphosyntactic parsing, whose files only --rules msp25 reads.",
    ),
    MeasureGroup(
        "Enhanced graphs",
        ("ELAS", "EULAS"),
        "Report ELAS for systems that predict enhanced graphs, and state which enhancements you leave out.",
    ),
    MeasureGroup(
        "Whole sentences and trees",
        ("UEM", "LEM", "Roots", "Trees"),
        "Use these for error analysis, not for rankings: each sentence counts once, so intervals are wide.",
    ),
    MeasureGroup(
        "Without gold trees",
        ("DPPL",),
        "Use it without gold trees, and compare only perplexities of the same model on the same text.",
    ),
)
"""The groups, in the order of the registry."""


def group_of(name: str) -> MeasureGroup | None:
    """Return the group of a measure; None for a custom measure."""
    return next((group for group in MEASURE_GROUPS if name in group.names), None)
