"""The result of a study: tables with the printed numbers next to ours, and a verdict on each claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from levelhead.studies.page import claims_table, document, text
from levelhead.studies.verdicts import Verdict
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Table
from levelhead.tabular import Tabular


class Claim(NamedTuple):
    """A claim of a paper, and our verdict.

    Args:
        text: the claim, in our words.
        place: the page, section or table where the paper makes it.
        verdict: whether our numbers support it.
        evidence: the numbers behind the verdict, including the interval or p if it is inconclusive; or what is missing.
    """

    text: str
    place: str
    verdict: Verdict
    evidence: str


class StudySection(NamedTuple):
    """A section of the page of a study.

    Args:
        title: the heading.
        text: the paragraphs before the table.
        table: the table, if any.
        figure: the figure, if any.
    """

    title: str
    text: tuple[str, ...] = ()
    table: Table | None = None
    figure: Drawing | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Study(Tabular):
    """The results of a study.

    Args:
        name: the name on the command line.
        title: "Replication of" and the title of the paper, or the title of a study of our own.
        source: the paper.
        setting: sentences on the data and methods, and how they differ from the paper's.
        sections: the results.
        claims: the claims of the paper with our verdicts.
        signature: everything that decides the numbers, by name.
        main_claim: the first words of the claim with which the page opens; empty for none.
    """

    name: str
    title: str
    source: str
    setting: tuple[str, ...]
    sections: tuple[StudySection, ...]
    claims: tuple[Claim, ...]
    signature: Mapping[str, str]
    main_claim: str = ""

    def table(self) -> Table:
        """Return a table of the claims."""
        return claims_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return document(self)

    def __str__(self) -> str:
        return text(self).rstrip("\n")
