"""The shipped measures in groups, with advice on which of them to report."""

from __future__ import annotations

from typing import NamedTuple


class MeasureGroup(NamedTuple):
    """Measures that answer the same question.

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
        "Report UPOS, UFeats and Lemmas if the system predicts them. XPOS and AllTags compare systems on one treebank,"
        " not treebanks: tag sets differ.",
    ),
    MeasureGroup(
        "Attachment",
        ("UAS", "LS", "LAS"),
        "Report LAS, with UAS next to it. LAS(full) also compares subtypes. State it if punctuation is left out"
        " (nopunct). LS helps to explain errors of labels.",
    ),
    MeasureGroup(
        "Weighted attachment",
        ("WeightedLAS", "WLAS", "CallinWLAS"),
        "Report these in addition to LAS and with the weights, without which nobody can compare the numbers. CallinWLAS"
        " is for comparison with Callin's results.",
    ),
    MeasureGroup(
        "Content words",
        ("CLAS", "CNC"),
        "Report CLAS next to LAS to compare languages: function words are usually easier than content words, and"
        " languages differ in how many they have. CNC is for comparison with Kohita et al.",
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
        "Report ELAS for systems that predict enhanced graphs, and state which enhancements were left out.",
    ),
    MeasureGroup(
        "Whole sentences and trees",
        ("UEM", "LEM", "Roots", "Trees"),
        "Use these to look at errors. Do not rank by them: each sentence counts once, so that intervals are wide.",
    ),
    MeasureGroup(
        "Without gold trees",
        ("DPPL",),
        "Use it without gold trees, and compare only perplexities of one model on the same text.",
    ),
)
"""The groups, in the order of the registry."""


def group_of(name: str) -> MeasureGroup | None:
    """Return the group of a measure; None for a custom one.

    Args:
        name: the name of the measure.
    """
    return next((group for group in MEASURE_GROUPS if name in group.names), None)
