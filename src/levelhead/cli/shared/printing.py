"""Printing of results, warnings and notes, and the options that choose how and where a result is printed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import OutputClosed, say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import Decorator, command_line, grouped
from levelhead.cli.shared.option_types import InputPath
from levelhead.errors import Fault, OutputError, listed
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.api.reports import Shown
    from levelhead.campaign.ranked_systems import RankedSystems
    from levelhead.comparison.systems import Comparison
    from levelhead.evaluation.provenance import Provenance
    from levelhead.measures.registry import Registry
    from levelhead.report.citation import Cited
    from levelhead.report.page.blocks import Origin
    from levelhead.tables.table import Table

_MOST_FILES = 2
"""The largest number of files with the same kind of warning for which all warnings are printed."""


@immutable
class Printing:
    """The values of the options that choose how and where a table is printed.

    Args:
        output_format: the output format.
        output: the file, or None for standard output.
        places: the number of decimal places, or None.
    """

    output_format: str
    output: str | None = None
    places: int | None = None

    def print(
        self,
        table: Callable[[], Table],
        document: Callable[[], object],
        *,
        lines: Callable[[], list[Any]] | None = None,
        places: int = 2,
    ) -> None:
        """Print a table or a JSON document; only what is printed is computed; `places` is the default in text."""
        if self.output_format == "jsonl":
            print_json((lines or document)(), self.output, lines=True)
        elif self.output_format == "json":
            print_json(document(), self.output)
        else:
            self.print_table(table(), places)

    def show(
        self, result: Any, *, notes: bool = True, lines: Callable[[], list[Any]] | None = None, **options: Any
    ) -> None:
        """Print the warnings and notes of a result, and its table with these options, or its JSON document."""
        print_provenance(result.provenance, notes=notes)
        self.print(lambda: result.table(**options), result.to_dict, lines=lines)

    def print_table(self, table: Table, places: int = 2) -> None:
        """Print a finished table."""
        from levelhead.tables.writers import WRITERS

        if self.output_format == "tsv":
            for note in table.notes:
                say(note)
        default = None if self.output_format == "tsv" else places
        text = WRITERS[self.output_format](table, default if self.places is None else self.places)
        if self.output_format == "text" and self.output in {None, "-"} and sys.stdout and sys.stdout.isatty():
            from levelhead.cli.shared.color import colored_table, wants_color

            text = colored_table(text) if wants_color(sys.stdout) else text
        emit(text, self.output)


def printing_options(*formats: str, places: bool = True) -> Decorator:
    """Return --format, --places and --output, passed to a command as the argument `printing`."""
    chosen = (options.format_option(*formats), *((options.places_option,) if places else ()), options.output_option)
    return grouped("printing", Printing, chosen)


@immutable
class PageRequest:
    """The values of the options for a page.

    Args:
        report_file: the file of the page, or None.
        title: its heading, or None for the default.
        figures: the folder of its charts and tables, or None.
    """

    report_file: str | None
    title: str | None
    figures: str | None

    @property
    def wanted(self) -> bool:
        """Whether the page or its figures are requested."""
        return self.report_file is not None or self.figures is not None

    def outputs(self) -> tuple[str | None, str | None]:
        """Return the file and the folder that are written."""
        if self.title is not None and self.report_file is None:
            raise click.UsageError("--title requires --report")
        return self.report_file, self.figures

    def write(self, result: Shown, registry: Registry | None = None) -> None:
        """Write the page of a result, if requested."""
        if not self.wanted:
            return
        from levelhead.api.reports import write_report

        how = {"title": self.title, "figures": self.figures, "registry": registry, "origin": page_origin()}
        write_report(result, self.report_file, **how)  # type: ignore[arg-type]


def page_options(report: Decorator = options.report_option) -> Decorator:
    """Return the options for a page, passed to a command as the argument `page`."""
    return grouped("page", PageRequest, (report, options.title_option, options.figures_option))


@immutable
class Papers:
    """The values of these options.

    Args:
        layout: "table" or "paper".
        cite: whether to print what to cite instead of numbers.
    """

    layout: str
    cite: bool

    @property
    def table(self) -> bool:
        """Whether a table for a paper is printed."""
        return self.layout == "paper"

    def check(self, output_format: str) -> None:
        """Refuse formats that do not support the requested layout."""
        check_cite(output_format, cite=self.cite)
        if self.cite and self.table:
            raise click.UsageError("--cite cannot be combined with --layout paper: it prints no table")
        if self.table:
            from levelhead.tables.writers import PAPER_FORMATS

            if output_format not in PAPER_FORMATS:
                *most, last = PAPER_FORMATS
                formats = f"{', '.join(most)} or {last}"
                raise click.UsageError(f"--layout paper requires --format {formats}, not {output_format}")

    def print(self, result: Comparison | RankedSystems, printing: Printing, *, each: bool = False) -> bool:
        """Print a table for a paper or a citation; return whether either was requested."""
        if self.cite:
            print_citation(result, printing)
        elif self.table:
            from levelhead.api.reports import paper_table

            places = 2 if printing.places is None else printing.places
            text = paper_table(result, printing.output_format, places=places, each=each)  # type: ignore[arg-type]
            emit(text, printing.output)
        return self.cite or self.table


papers_options: Decorator = grouped("papers", Papers, (options.layout_option, options.cite_option))
"""The options for papers, passed to a command as the argument `papers`."""


def check_cite(output_format: str, *, cite: bool) -> None:
    """Refuse formats that do not support citations."""
    if cite and output_format not in {"text", "latex", "json"}:
        raise click.UsageError(f"--cite requires --format text, latex or json, not {output_format}")


def print_citation(result: Cited, printing: Printing) -> None:
    """Print a sentence on methods, and the BibTeX entries that it cites."""
    from levelhead.report.citation import citation
    from levelhead.tables.documents import header

    cited = citation(result)
    if printing.output_format == "json":
        texts = {"methods": cited.methods, "latex": cited.latex, "bibtex": cited.bibtex}
        print_json({**header("citation"), **texts}, printing.output)
        return
    methods = cited.latex if printing.output_format == "latex" else cited.methods
    emit(f"{methods}\n\n{cited.bibtex}", printing.output)


def page_origin() -> Origin:
    """Return the command that is running, with the files and folders that it reads."""
    from levelhead.report.page.blocks import Origin

    context = click.get_current_context()
    roles = [option.name or "" for option in context.command.params if isinstance(option.type, InputPath)]
    read = [(role, context.params[role]) for role in roles if context.params.get(role)]
    files = [(role, list(map(os.fspath, paths if isinstance(paths, tuple) else [paths]))) for role, paths in read]
    return Origin(command_line(context), [(role, listed(paths)) for role, paths in files])


def print_provenance(provenance: Provenance, *, notes: bool = True) -> None:
    """Print the warnings and notes of a result to standard error; notes can be below its table instead."""
    for message in provenance.about_files:
        say(message)
    print_warnings(dict.fromkeys(provenance.warnings))
    for note in dict.fromkeys(provenance.notes if notes else ()):
        say(f"note: {note}")


def print_json(document: object, output: str | None, *, lines: bool = False) -> None:
    """Print a document as JSON, or a list of documents as JSON lines."""
    import json

    if lines and isinstance(document, list):
        text = "".join(json.dumps(part, ensure_ascii=False) + "\n" for part in document)
    else:
        text = json.dumps(document, ensure_ascii=False, indent=None if lines else 2) + "\n"
    # characters that a terminal interprets or hides are escaped; a JSON reader gets the same text
    emit(re.sub(r"[^\n -~]", lambda m: m[0] if m[0].isprintable() else json.dumps(m[0])[1:-1], text), output)


def emit(text: str, output: str | None) -> None:
    """Write text as UTF-8 to a file (completely or not at all) or to standard output."""
    data = text.encode("utf-8", "backslashreplace")
    if output is None or output == "-":
        if sys.stdout is None:
            raise OutputError("standard output is closed", "output")
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            raise OutputClosed from error
    else:
        from levelhead.treebank.write import replace_file

        replace_file(output, [data])


def print_warnings(faults: Iterable[Fault]) -> None:
    """Print warnings to standard error; for a kind found in many files, only the first and the number of files."""
    every = list(faults)
    files: dict[str, set[str | None]] = {}
    for fault in every:
        files.setdefault(fault.slug, set()).add(fault.place.file)
    reported = set()
    for fault in every:
        n_files = len(files[fault.slug])
        if n_files <= _MOST_FILES:
            say(f"warning: {fault}")
        elif fault.slug not in reported:
            reported.add(fault.slug)
            example = f"first {fault.place}: {fault.message}"
            say(f"warning: {fault.slug} in {n_files} files, {example}; run levelhead validate to list all")
