"""The result of a study: tables of printed numbers next to ours, and a verdict on each claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from levelhead.report.by_result import View
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Table
from levelhead.studies.verdicts import Verdict
from levelhead.tabular import Tabular


class Claim(NamedTuple):
    """A claim of a paper, and what our numbers say about it.

    Args:
        text: the claim, in our words.
        place: where the paper makes it.
        verdict: whether our numbers support it.
        evidence: the numbers behind the verdict, with the interval or p where it is inconclusive; or what is missing.
    """

    text: str
    place: str
    verdict: Verdict
    evidence: str


class StudySection(NamedTuple):
    """A part of a page of results.

    Args:
        title: its heading.
        text: paragraphs before the table.
        table: its table, if it has one.
        figure: its figure, if it has one.
    """

    title: str
    text: tuple[str, ...] = ()
    table: Table | None = None
    figure: Drawing | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Study(Tabular):
    """The results of a study.

    Args:
        name: as on the command line.
        title: "Replication of" a paper, or the title of the study.
        source: the paper.
        setting: what it was run on, and where that departs from the paper, in sentences.
        sections: the results.
        claims: the claims of the paper with verdicts.
        signature: everything that decides the numbers, by name.
        main_claim: how the text of the claim begins that the page opens with, if there is one.
    """

    name: str
    title: str
    source: str
    setting: tuple[str, ...]
    sections: tuple[StudySection, ...]
    claims: tuple[Claim, ...]
    signature: Mapping[str, str]
    main_claim: str = ""

    def _view(self) -> View:
        """The claims with their verdicts; as text with all tables."""
        from levelhead.studies.page import claims_table, document, text

        return View(claims_table, document, text=text)
