"""Campaigns: many systems on many test sets, macro-averages and rankings."""

from levelhead.campaign.find import Manifest, find_plan, read_manifest
from levelhead.campaign.plan import Plan, TestSet
from levelhead.campaign.ranked_systems import with_intervals
from levelhead.campaign.ranking import RANKINGS, Group, Ranking, Standing, groups_named, macro_average, rank
from levelhead.campaign.results import OutputResult, Results, read_scores
from levelhead.campaign.run import check_valid, score_plan
from levelhead.treebank.layouts.outputs import System
from levelhead.typology.languages import Language, language_of

__all__ = [
    "RANKINGS",
    "Group",
    "Language",
    "Manifest",
    "OutputResult",
    "Plan",
    "Ranking",
    "Results",
    "Standing",
    "System",
    "TestSet",
    "check_valid",
    "find_plan",
    "groups_named",
    "language_of",
    "macro_average",
    "rank",
    "read_manifest",
    "read_scores",
    "score_plan",
    "with_intervals",
]
