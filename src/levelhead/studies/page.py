"""A study as an HTML page, as Markdown with separate figures, as plain text, and as JSON."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, Place, with_minus
from levelhead.report.page import Block, Page
from levelhead.report.page import Section as Part
from levelhead.report.page.blocks import Origin
from levelhead.studies.verdicts import Verdict
from levelhead.tables.documents import header
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import to_markdown, to_text
from levelhead.treebank.write import replace_file

if TYPE_CHECKING:
    from levelhead.studies.study import Study


def claims_table(study: Study) -> Table:
    """Return the claims with their verdicts as a table."""
    names = ("claim", "place", "verdict", "evidence")
    columns = tuple(Column(name, "text") for name in names)
    return Table(columns, tuple((claim.text, claim.place, claim.verdict, claim.evidence) for claim in study.claims))


def summary(study: Study) -> str:
    """Return the result in two sentences: how many claims got each verdict, and the verdict on the main claim."""
    *parts, last = [f"{n} {_PHRASES[verdict][n != 1]}" for verdict, n in _counted(study)]
    counted = f"{', '.join(parts)} and {last}" if parts else last
    main = [
        f'The main claim, "{claim.text}", {_PHRASES[claim.verdict][0]}: {claim.evidence}.'
        for claim in study.claims
        if study.main_claim and claim.text.startswith(study.main_claim)
    ]
    quick = [_QUICK] if "quick" in study.signature else []
    return " ".join([f"Of {len(study.claims)} claims, {counted}.", *main[:1], *quick])


_QUICK = (
    "This is a quick run, which only checks that everything works: it uses few resamples, and other parts of treebanks"
    " instead of missing training sets. Its verdicts on treebanks and parsers mean nothing."
)


_PLURAL: Mapping[Verdict, str] = MappingProxyType(
    {"holds": "hold", "does not hold": "do not hold", "inconclusive": "inconclusive", "no data": "no data"}
)
"""The verdicts for several claims, in the order in which pages list them."""

_PHRASES: Mapping[Verdict, tuple[str, str]] = MappingProxyType(
    {
        "holds": ("holds", "hold"),
        "does not hold": ("does not hold", "do not hold"),
        "inconclusive": ("is inconclusive", "are inconclusive"),
        "no data": ("cannot be tested", "cannot be tested"),
    }
)
"""The verdict on one claim and on several claims, as the verb of a sentence."""


def _counted(study: Study) -> list[tuple[Verdict, int]]:
    """The number of claims with each verdict, without zeros."""
    counted = Counter(claim.verdict for claim in study.claims)
    return [(verdict, counted[verdict]) for verdict in _PLURAL if counted[verdict]]


def _for_readers(study: Study) -> Study:
    """A study with minus signs in its sentences; hyphens stay in TSV and JSON."""
    claims = tuple(claim._replace(evidence=with_minus(claim.evidence)) for claim in study.claims)
    sections = tuple(part._replace(text=tuple(map(with_minus, part.text))) for part in study.sections)
    return replace(study, claims=claims, sections=sections)


def markdown(study: Study, stem: str = "") -> str:
    """Return the page of a study as Markdown."""
    study = _for_readers(study)
    lines = [f"# {study.title}", "", summary(study), "", study.source + ".", "", *_paragraphs(study.setting)]
    lines += ["## Claims", "", to_markdown(claims_table(study))]
    names = _figures(study, stem) if stem else {}
    for number, section in enumerate(study.sections):
        lines += [f"## {section.title}", "", *_paragraphs(section.text)]
        lines += [f"![{section.title}]({names[number][0]})", ""] if number in names else []
        lines += [to_markdown(section.table)] if section.table is not None else []
    lines += [f"`{_signed(study)}`"]
    return "\n".join(lines) + "\n"


def _figures(study: Study, stem: str) -> dict[int, tuple[str, Drawing]]:
    """The file name and drawing of each figure, by section number."""
    drawn = [(number, section.figure) for number, section in enumerate(study.sections) if section.figure is not None]
    return {number: (f"{stem}-{i}.svg", figure) for i, (number, figure) in enumerate(drawn, 1)}


def page(study: Study) -> Page:
    """Return the page of a study, as input of `levelhead.report.page.render`."""
    study = _for_readers(study)
    facts = [(verdict if n == 1 else _PLURAL[verdict], str(n)) for verdict, n in _counted(study)]
    parts = [Part("claims", "Claims", "", [Block("claims", table=claims_table(study))])]
    for number, section in enumerate(study.sections, 1):
        block = Block(f"part-{number}", drawing=section.figure, table=section.table)
        parts.append(Part(f"part-{number}", section.title, " ".join(section.text), [block]))
    return Page(study.title, f"{summary(study)} {study.source}.", facts, {}, parts, study.setting, study.signature)


def _paragraphs(sentences: tuple[str, ...]) -> list[str]:
    return [line for sentence in sentences for line in (sentence, "")]


def _signed(study: Study) -> str:
    return "|".join(f"{name}:{value}" for name, value in study.signature.items())


def text(study: Study, places: int | None = 2) -> str:
    """Return a study as plain text."""
    study = _for_readers(study)
    quick = [_QUICK] if "quick" in study.signature else []
    lines = [study.title, study.source, "", *quick, *study.setting, ""]
    for section in study.sections:
        lines += [section.title, *section.text]
        lines += ["", to_text(section.table, places)] if section.table is not None else [""]
    for claim in study.claims:
        lines += [f"{claim.verdict}: {claim.text} ({claim.place})", f"  {claim.evidence}"]
    return "\n".join([*lines, "", summary(study), _signed(study)]) + "\n"


def document(study: Study) -> dict[str, Any]:
    """Return a study as JSON."""
    sections = [
        {
            "title": section.title,
            "text": list(section.text),
            **(
                {}
                if (table := section.table) is None
                else {
                    "table": {
                        "columns": [{"name": column.name, "kind": column.kind} for column in table.columns],
                        "rows": [list(row) for row in table.rows],
                        "notes": list(table.notes),
                    }
                }
            ),
        }
        for section in study.sections
    ]
    return {
        **header("study", study.signature), "study": study.name, "title": study.title,
        "source": study.source, "setting": list(study.setting), "sections": sections,
        "claims": [claim._asdict() for claim in study.claims],
    }  # fmt: skip


def write_page(study: Study, path: str | os.PathLike[str], origin: Origin | None = None) -> None:
    """Write a study to a file, with how it was made in HTML; Markdown gets its figures as SVG files next to it."""
    from levelhead.report.page import render

    checked_page(path)
    name = os.fspath(path)
    if name.endswith(".html"):
        replace_file(name, [render(page(study)._replace(origin=origin or Origin()))])
        return
    stem, folder = Path(name).stem, Path(name).parent
    for figure, drawing in _figures(study, stem).values():
        replace_file(folder / figure, [(drawing.file() + "\n").encode("utf-8", "backslashreplace")])
    replace_file(name, [markdown(study, stem).encode("utf-8", "backslashreplace")])


def checked_page(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if the name of a page has another ending than `.html` or `.md`."""
    name = os.fspath(path)
    if not name.endswith((".html", ".md")):
        raise InputError(
            Fault("unknown-report-format", "the file name of a study's page must end in .html or .md", Place(name))
        )
