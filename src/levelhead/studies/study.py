"""What studies have in common: description and results, printed numbers, tables, and HTML, Markdown and text pages."""

from __future__ import annotations

import os
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

from levelhead.errors import Fault, InputError, Place, number_of, with_minus
from levelhead.immutable import immutable
from levelhead.report.page import Block, Page, Section as Part, render
from levelhead.report.page.blocks import Origin
from levelhead.studies.verdicts import Verdict, count_of_true, verdict_of_fact
from levelhead.tables.data import DataColumn, Layout
from levelhead.tables.documents import signature_line
from levelhead.tables.svg import Drawing
from levelhead.tables.table import FILE, Cell, Column, Kind, Screen, Table, for_readers
from levelhead.tables.writers import to_markdown, to_text, to_tsv
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.write import replace_file


class Claim(NamedTuple):
    """A claim of a paper, and our verdict.

    Args:
        text: the claim, in our words.
        place: the page, section or table where the paper makes it.
        verdict: whether our numbers support it.
        evidence: the numbers behind the verdict (with a confidence interval if tested), or the missing data.
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


_STUDY = DataColumn("study", "text", "The name of the study")
_SECTION = DataColumn("section", "text", "The heading of the section")


@immutable
class Study(Tabular):
    """The results of a study.

    Args:
        name: the name on the command line.
        title: the title of the study, such as "Replication of Kohita et al. (2017) on UD 2.0".
        source: the paper.
        setting: sentences that describe the data and methods, and how they differ from those of the paper.
        sections: the sections of the study's page, with the results.
        claims: the claims of the paper, and our verdicts.
        signature: the settings and inputs that determine the numbers, by name.
        main_claim: the first words of the main claim, which is shown first; "" without a main claim.
    """

    KIND: ClassVar[str] = "reproduce"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "claims": (Claim,),
        "sections": (
            _STUDY, _SECTION, DataColumn("text", "text", "The paragraph"),
        ),
        "cells": (
            _SECTION, DataColumn("row", "integer", "The number of the row, from 1", limits=(0,)),
            DataColumn("column", "text", "The heading of the column"),
            DataColumn("value", "number", "The number in the cell; null for a text", optional=True),
            DataColumn("text", "text", "The cell as it is printed"),
        ),
        "studies": (
            _STUDY, DataColumn("title", "text", "Its title, which can be that of a paper"),
            DataColumn("source", "text", "The paper"),
        ),
    }  # fmt: skip

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
        return Table(tuple(Column(name, "text") for name in ("claim", "place", "verdict", "evidence")), self.claims)

    @property
    def verdict(self) -> str:
        """The number of claims with each verdict, and the verdict on the main claim."""
        *parts, last = [f"{n} {_PHRASES[verdict][n != 1]}" for verdict, n in _counted(self).items()]
        counted = f"{', '.join(parts)} and {last}" if parts else last
        main = [
            f'The main claim, "{claim.text}", {_PHRASES[claim.verdict][0]}: {claim.evidence}.'
            for claim in self.claims
            if self.main_claim and claim.text.startswith(self.main_claim)
        ]
        quick = [_QUICK] if "quick" in self.signature else []
        return " ".join([f"Of {number_of(len(self.claims), 'claim')}, {counted}.", *main[:1], *quick])

    @property
    def provenance(self) -> Provenance:
        """The signature, with the sentences of `setting` as notes."""
        return Provenance(self.signature, {}, notes=self.setting)

    def _sections_rows(self) -> Iterator[tuple[str, str, str]]:
        return ((self.name, section.title, text) for section in self.sections for text in section.text)

    def _studies_rows(self) -> list[tuple[str, str, str]]:
        return [(self.name, self.title, self.source)]

    def _cells_rows(self) -> Iterator[tuple[str, int, str, float | None, str]]:
        for section in self.sections:
            table = section.table
            for number, row in enumerate(table.rows if table else (), 1):
                for column, cell in zip(table.columns, row, strict=True):  # type: ignore[union-attr]
                    text = for_readers(cell, column)
                    value = float(cell) if isinstance(cell, int | float) else None
                    yield section.title, number, column.name, value, text

    def _text(self) -> str:
        return text(self)


class StudySpec(NamedTuple):
    """The description of a study.

    Args:
        function: the function that runs the study on a `StudyRequest`, as `module:name`.
        inputs: the fields of `StudyRequest` that the study reads in addition to treebanks.
        outputs: glob patterns of the subfolders of `systems` that can contain outputs; "" is `systems` itself.
        main_claim: the first words of the main claim, which is shown first.
    """

    function: str
    inputs: frozenset[str] = frozenset({"systems"})
    outputs: tuple[str, ...] = ("*",)
    main_claim: str = ""


def claim_by_parser(text: str, place: str, judged: Mapping[str, tuple[Verdict, str]], more: str = "") -> Claim:
    """Return a claim that was tested with several parsers, given the verdict and the evidence of each parser."""
    parsers = defaultdict[Verdict, list[str]](list)
    for parser, (verdict, _) in judged.items():
        parsers[verdict].append(parser)
    evidence = [f"{parser}: {numbers}" for parser, (_, numbers) in judged.items()]
    if len(parsers) > 1:
        evidence[:0] = [f"{verdict}: {', '.join(names)}" for verdict, names in parsers.items()]
    common: Verdict = "differs by parser" if len(parsers) > 1 else next(iter(parsers), "no data")
    return Claim(text, place, common, "; ".join(evidence or ["no outputs of parsers"]) + more)


def table_section(
    title: str,
    kinds: Mapping[str, Kind],
    rows: Iterable[Sequence[Cell]],
    *text: str,
    figure: Drawing | None = None,
    rule_before: int | None = None,
) -> StudySection:
    """Return a section with a table, given the kind of each column by name, and with a rule before a row."""
    rules = frozenset() if rule_before is None else frozenset({rule_before})
    table = Table(tuple(map(Column, kinds, kinds.values())), tuple(map(tuple, rows)), rules_before=rules)
    return StudySection(title, text, table, figure)


def columns(**names_by_kind: str | Iterable[str]) -> dict[str, Kind]:
    """Return a mapping from column name to kind, given the names of each kind; a single name can be a string."""
    return {
        name: cast("Kind", kind)
        for kind, names in names_by_kind.items()
        for name in ([names] if isinstance(names, str) else names)
    }


def claim_on_all(
    text: str, place: str, outcomes: Mapping[str, bool | None], more: str = "", *, before: str = ""
) -> Claim:
    """Return a claim that is confirmed if all outcomes are true, with how many are; no data if there are none."""
    known = [value for value in outcomes.values() if value is not None]
    return Claim(text, place, verdict_of_fact(all(known) if known else None), before + count_of_true(outcomes) + more)


def printed(name: str) -> Mapping[str, Any]:
    return tomllib.loads((files("levelhead.studies") / f"printed/{name}.toml").read_text(encoding="utf-8"))


def conllu(words: str) -> str:
    """Return CoNLL-U, given a line for each word (ID FORM HEAD DEPREL [MISC]) and each multiword token (ID FORM)."""
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


_QUICK = (
    "This is a quick run, which only checks that everything works: it uses few resamples, and other parts of treebanks"
    " instead of missing training sets. Its verdicts on treebanks and parsers mean nothing."
)


_MEANING = (
    "A claim holds if a test is significant in its direction, does not hold if the opposite is significant, and is"
    " inconclusive otherwise. Claims that need no test are confirmed or contradicted (see Replications)."
)


# each verdict on one claim and on several, as the verb of a sentence, and as the label of a number, in their order
_PHRASES: Mapping[Verdict, tuple[str, str, str]] = {
    "holds": ("holds", "hold", "hold"),
    "does not hold": ("does not hold", "do not hold", "do not hold"),
    "differs by parser": ("differs by parser", "differ by parser", "differ by parser"),
    "inconclusive": ("is inconclusive", "are inconclusive", "inconclusive"),
    "confirmed": ("is confirmed", "are confirmed", "confirmed"),
    "contradicted": ("is contradicted", "are contradicted", "contradicted"),
    "different data": ("is about different data", "are about different data", "different data"),
    "no data": ("cannot be tested", "cannot be tested", "no data"),
}


def _counted(study: Study) -> dict[Verdict, int]:
    counts = Counter(claim.verdict for claim in study.claims)
    return {verdict: counts[verdict] for verdict in _PHRASES if counts[verdict]}


def _for_readers(study: Study) -> Study:
    """A study with minus signs in its sentences; hyphens stay in TSV and JSON."""
    claims = tuple(claim._replace(evidence=with_minus(claim.evidence)) for claim in study.claims)
    sections = tuple(part._replace(text=tuple(map(with_minus, part.text))) for part in study.sections)
    return replace(study, claims=claims, sections=sections)


def markdown(study: Study, stem: str = "") -> str:
    """Return a study as Markdown with all tables, or a short page that links the files of `write_page`."""
    study = _for_readers(study)
    parts = [f"# {study.title}", study.verdict, study.source + ".", *study.setting, "## Claims"]
    if stem:
        verdicts = [verdict for verdict in _counted(study) if verdict not in {"inconclusive", "confirmed", "no data"}]
        parts += [f"**{verdict.capitalize()}**:\n\n{_short_claims(study, verdict)}" for verdict in verdicts]
        evidence = f"[All claims, with evidence]({stem}-claims.tsv)"
        again = f"`levelhead reproduce {study.name}` repeats this. [Replications](../studies.md) explains the verdicts."
        parts += [f"{evidence}. {again}", "## Tables and figures"]
    else:
        parts += [_MEANING, to_markdown(study.table())[:-1]]
    for number, section in enumerate(study.sections, 1):
        if stem:
            title = section.title if section.table is None else f"[{section.title}]({stem}-{number}.tsv)"
            parts.append(" ".join([f"**{title}**", *section.text]))
            parts += [f"![Chart]({stem}-{number}.svg)"] if section.figure is not None else []
        else:
            parts += [f"## {section.title}", *section.text]
            parts += [to_markdown(section.table)[:-1]] if section.table is not None else []
    return "\n\n".join([*parts, f"`{signature_line(study.signature)}`"]) + "\n"


def _short_claims(study: Study, verdict: Verdict) -> str:
    """The claims with a verdict; if the printed numbers are in question, with ours."""
    with_evidence = verdict in {"contradicted", "different data"}
    return "\n".join(
        f"- {claim.text}" + f". Here: {claim.evidence}" * with_evidence
        for claim in study.claims
        if claim.verdict == verdict
    )


def page(study: Study) -> Page:
    """Return the page of a study, as input of `levelhead.report.page.render`."""
    study = _for_readers(study)
    facts = [(verdict if n == 1 else _PHRASES[verdict][2], str(n)) for verdict, n in _counted(study).items()]
    parts = [Part("claims", "Claims", _MEANING, [Block("claims", table=study.table())])]
    for number, section in enumerate(study.sections, 1):
        block = Block(f"part-{number}", drawing=section.figure, table=section.table)
        parts.append(Part(f"part-{number}", section.title, " ".join(section.text), [block]))
    return Page(study.title, f"{study.verdict} {study.source}.", facts, {}, parts, study.setting, study.signature)


def text(study: Study, places: int | None = 2, screen: Screen = FILE) -> str:
    study = _for_readers(study)
    lines = [study.title, study.source, "", *study.setting, ""]
    for section in study.sections:
        lines += [section.title, *section.text]
        lines += ["", to_text(section.table, places, screen)] if section.table is not None else [""]
    lines += [_MEANING, ""]
    for claim in study.claims:
        lines += [f"{claim.verdict}: {claim.text} ({claim.place})", f"  {claim.evidence}"]
    return "\n".join([*lines, "", signature_line(study.signature)]) + "\n"


def write_page(study: Study, path: str | os.PathLike[str], origin: Origin | None = None) -> None:
    """Write a study to a file: HTML with its origin, or a short Markdown page with tables and figures next to it."""
    checked_page(path)
    file = Path(path)
    if file.name.endswith(".html"):
        replace_file(file, [render(page(study)._replace(origin=origin or Origin()))])
        return
    tables = {"claims": study.table()}
    for number, part in enumerate(study.sections, 1):
        if part.figure is not None:
            svg = (part.figure.file() + "\n").encode("utf-8", "backslashreplace")
            replace_file(file.with_name(f"{file.stem}-{number}.svg"), [svg])
        if part.table is not None:
            tables[str(number)] = part.table
    for name, table in tables.items():
        replace_file(file.with_name(f"{file.stem}-{name}.tsv"), [to_tsv(table, 2).encode("utf-8", "backslashreplace")])
    replace_file(file, [markdown(study, file.stem).encode("utf-8", "backslashreplace")])


def checked_page(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if the name of a page has another ending than `.html` or `.md`."""
    name, message = os.fspath(path), "the file name of a study's page must end in .html or .md"
    if not name.endswith((".html", ".md")):
        raise InputError(Fault("unknown-report-format", message, Place(name)))
