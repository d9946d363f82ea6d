"""Profiles of treebanks, their similarity, and the selection of treebanks to compare."""

from levelhead.typology.collection import Survey
from levelhead.typology.counts import TreebankCounts, count_treebank
from levelhead.typology.profile import Profile, profile
from levelhead.typology.profile_columns import COLUMNS, GROUPS, SUMMARY, ProfileColumn
from levelhead.typology.selection import CALLIN, Criteria, SelectedTreebanks, SelectionDecision, select
from levelhead.typology.similarity import Similarity, similarity
from levelhead.typology.vocabulary import (
    CALLIN_CHUNKS,
    Chunks,
    HeadEntropy,
    Rarefied,
    averaged_entropy,
    entropy_weights,
    head_entropy,
    rarefied_entropy,
    word_dependency_entropy,
)

__all__ = [
    "CALLIN",
    "CALLIN_CHUNKS",
    "COLUMNS",
    "GROUPS",
    "SUMMARY",
    "Chunks",
    "Criteria",
    "HeadEntropy",
    "Profile",
    "ProfileColumn",
    "Rarefied",
    "SelectedTreebanks",
    "SelectionDecision",
    "Similarity",
    "Survey",
    "TreebankCounts",
    "averaged_entropy",
    "count_treebank",
    "entropy_weights",
    "head_entropy",
    "profile",
    "rarefied_entropy",
    "select",
    "similarity",
    "word_dependency_entropy",
]
