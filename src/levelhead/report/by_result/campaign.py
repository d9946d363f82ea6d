"""Rankings of systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.report.by_result import View
from levelhead.report.ranking import ranking_document, ranking_table, results_table
from levelhead.tables.table import Table


def _table(board: RankedSystems, *, by_treebank: bool = False) -> Table:
    if not by_treebank:
        return ranking_table(board.results, board.rankings)
    codes = {code for ranking in board.rankings for code in ranking.group.codes}
    shown = tuple(test_set for test_set in board.results.test_sets if test_set.code in codes)
    return results_table(board.results._replace(test_sets=shown))


def _document(board: RankedSystems) -> dict[str, Any]:
    return ranking_document(board.results, board.rankings)


VIEWS: Mapping[type, View] = {RankedSystems: View(_table, _document)}
