"""What studies have in common: their description and results, printed numbers, and tables of verdicts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pkgutil import resolve_name
from typing import Any, NamedTuple

from levelhead.studies.page import claims_table, document, text
from levelhead.studies.request import StudyRequest
from levelhead.studies.verdicts import Verdict
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Column, Table
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


class StudySpec(NamedTuple):
    """The description of a study.

    Args:
        name: its name on the command line.
        about: the paper and its topic, for the help text.
        function: the function that runs it, which takes a `StudyRequest`, as `module:name`.
        inputs: the fields of `StudyRequest` with the files that it reads besides treebanks; others are ignored.
        outputs: patterns of the subfolders of `systems` in which it looks for outputs; "" is the folder itself.
    """

    name: str
    about: str
    function: str
    inputs: frozenset[str] = frozenset({"systems"})
    outputs: tuple[str, ...] = ("*",)

    def run(self, request: StudyRequest) -> Study:
        """Return the results of the study.

        Args:
            request: the inputs and settings.

        Raises:
            InputError: an input is missing or invalid.
        """
        study: Study = resolve_name(self.function)(request)
        return study


def verdicts_by_parser(claims: Mapping[str, Sequence[Claim]]) -> StudySection:
    """Return a table of verdicts, one row per claim and one column per parser, and a sentence on the disagreements."""
    columns = (Column("claim", "text"), *(Column(parser, "text") for parser in claims))
    rows = tuple((each[0].text, *(claim.verdict for claim in each)) for each in zip(*claims.values()))
    differing = [row for row in rows if len(set(row[1:])) > 1]
    opposed = sum({"holds", "does not hold"} <= set(row[1:]) for row in differing)
    text = "Each verdict rests on the scores of a single parser."
    if len(claims) > 1 and rows and not differing:
        text += f" All parsers agree on {'the claim' if len(rows) == 1 else f'all {len(rows)} claims'}."
    elif differing:
        verbs = "holds for one parser and fails" if opposed == 1 else "hold for one parser and fail"
        contradicted = (
            f"{opposed} {verbs} for another" if opposed else "No claim holds for one parser and fails for another"
        )
        text += f" Parsers differ on {len(differing)} of {len(rows)} claims. {contradicted}."
    return StudySection("Do the findings depend on the parser?", (text,), Table(columns, rows))


def number_columns(*names: str) -> tuple[Column, ...]:
    """Return columns of plain numbers."""
    return tuple(Column(name, "number") for name in names)


@cache
def printed(name: str) -> Mapping[str, Any]:
    """Return the printed numbers of a paper, with their pages and tables."""
    return tomllib.loads((files("levelhead.studies") / f"printed/{name}.toml").read_text(encoding="utf-8"))


def conllu(words: str) -> str:
    """Return CoNLL-U for words written as ID FORM HEAD DEPREL [MISC], and multiword tokens written as ID FORM."""
    lines = []
    for line in words.strip().split("\n"):
        cells = line.split()
        if len(cells) == 2:
            cells += "________"
        elif len(cells) > 3:  # fewer are an example of a line with too few columns
            number, form, head, relation, *misc = cells
            cells = [number, form, "_", "_", "_", "_", head, relation, "_", misc[0] if misc else "_"]
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"
