"""Recovered answers."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.recovery.recovery import Recovery
from levelhead.report.by_result import View
from levelhead.report.recovery import recovery_document, recovery_table

VIEWS: Mapping[type, View] = {Recovery: View(recovery_table, recovery_document)}
