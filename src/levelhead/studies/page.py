"""A study as one page of Markdown, as plain text, and as JSON."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from levelhead.errors import Fault, InputError, Place
from levelhead.report.table import Column, Table
from levelhead.report.writers import to_markdown, to_text
from levelhead.studies.study import Study
from levelhead.treebank.write import replace_file


def claims_table(study: Study) -> Table:
    """Return the claims with their verdicts as a table.

    Args:
        study: the study.
    """
    names = ("claim", "where", "verdict", "evidence")
    columns = tuple(Column(name, "text") for name in names)
    return Table(columns, tuple((one.text, one.place, one.verdict, one.evidence) for one in study.claims))


def summary(study: Study) -> str:
    """Return how many claims hold, in a sentence."""
    counted = Counter(claim.verdict for claim in study.claims)
    parts = [f"{n} {verdict}" for verdict, n in counted.items()]
    return f"Of {len(study.claims)} claims: {', '.join(parts)}."


def markdown(study: Study) -> str:
    """Return the page of a study.

    Args:
        study: the study.
    """
    lines = [f"# {study.title}", "", study.source + ".", "", *_paragraphs(study.setting)]
    lines += ["## Claims", "", summary(study), "", to_markdown(claims_table(study))]
    for section in study.sections:
        lines += [f"## {section.title}", "", *_paragraphs(section.text)]
        lines += [to_markdown(section.table)] if section.table is not None else []
    lines += [f"`{_signed(study)}`"]
    return "\n".join(lines) + "\n"


def _paragraphs(sentences: tuple[str, ...]) -> list[str]:
    return [line for sentence in sentences for line in (sentence, "")]


def _signed(study: Study) -> str:
    return "|".join(f"{name}:{value}" for name, value in study.signature.items())


def text(study: Study, places: int | None = 2) -> str:
    """Return a study for the terminal.

    Args:
        study: the study.
        places: digits after the point.
    """
    lines = [study.title, study.source, "", *study.setting, ""]
    for section in study.sections:
        lines += [section.title, *section.text]
        lines += ["", to_text(section.table, places)] if section.table is not None else [""]
    for claim in study.claims:
        lines += [f"{claim.verdict}: {claim.text} ({claim.place})", f"  {claim.evidence}"]
    return "\n".join([*lines, "", summary(study), _signed(study)]) + "\n"


def document(study: Study) -> dict[str, Any]:
    """Return a study as JSON.

    Args:
        study: the study.
    """
    sections = [
        {"title": one.title, "text": list(one.text), **({} if one.table is None else {"table": _rows(one.table)})}
        for one in study.sections
    ]
    return {
        "schema": 1, "kind": "study", "signature": dict(study.signature), "study": study.name, "title": study.title,
        "source": study.source, "setting": list(study.setting), "sections": sections,
        "claims": [claim._asdict() for claim in study.claims],
    }  # fmt: skip


def _rows(table: Table) -> dict[str, Any]:
    columns = [{"name": column.name, "kind": column.kind} for column in table.columns]
    return {"columns": columns, "rows": [list(row) for row in table.rows], "notes": list(table.notes)}


def write_page(study: Study, path: str | os.PathLike[str]) -> None:
    """Write the page of a study to a file, whole or not at all.

    Args:
        study: the study.
        path: a file whose name ends in `.md`.

    Raises:
        InputError: nothing is written to files of such names.
        OutputError: it cannot be written.
    """
    name = os.fspath(path)
    if not name.endswith(".md"):
        raise InputError(Fault("unknown-report-format", "the name of a study's page ends in .md", Place(name)))
    replace_file(name, [markdown(study).encode("utf-8", "backslashreplace")])
