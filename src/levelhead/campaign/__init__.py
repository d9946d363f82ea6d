"""Campaigns: many systems on many test sets, macro-averages and rankings."""

from levelhead.campaign.groups import Group, groups_named
from levelhead.campaign.languages import Language, language_of
from levelhead.campaign.manifest import Manifest, read_manifest
from levelhead.campaign.plan import Plan, System, TestSet, plan_in
from levelhead.campaign.rank_intervals import RankedIntervals, with_intervals
from levelhead.campaign.ranking import RANKINGS, Ranking, Standing, macro_average, rank
from levelhead.campaign.results import Result, Results
from levelhead.campaign.score import score_campaign
from levelhead.campaign.table import read_scores

__all__ = [
    "RANKINGS",
    "Group",
    "Language",
    "Manifest",
    "Plan",
    "RankedIntervals",
    "Ranking",
    "Result",
    "Results",
    "Standing",
    "System",
    "TestSet",
    "groups_named",
    "language_of",
    "macro_average",
    "plan_in",
    "rank",
    "read_manifest",
    "read_scores",
    "score_campaign",
    "with_intervals",
]
