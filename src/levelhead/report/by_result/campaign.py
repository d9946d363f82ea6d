"""Rankings of systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.report.by_result import View
from levelhead.report.ranking import ranking_document, ranking_table, results_table
from levelhead.report.table import Table


def _table(board: RankedSystems, *, by_treebank: bool = False) -> Table:
    return results_table(board.results) if by_treebank else ranking_table(board.results, board.rankings)


def _document(board: RankedSystems) -> dict[str, Any]:
    return ranking_document(board.results, board.rankings)


VIEWS: Mapping[type, View] = {RankedSystems: View(_table, _document)}
