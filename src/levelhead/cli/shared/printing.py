"""Printing of results, warnings and notes, and the options that choose how and where a result is printed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import OutputClosed, say
from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.cli.shared.option_groups import command_line
from levelhead.cli.shared.values import InputPath
from levelhead.errors import Fault, OutputError, listed
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.evaluation.provenance import Provenance
    from levelhead.report.page import Page
    from levelhead.report.page.blocks import Origin
    from levelhead.tables.table import Table

_MOST_FILES = 2
"""The largest number of files with the same kind of warning for which all warnings are printed."""


@immutable(eq=True)
class Printing:
    """The values of these options.

    Args:
        output_format: the output format.
        places: the number of decimal places, or None.
        output: the file, or None for standard output.
    """

    output_format: str
    places: int | None
    output: str | None

    def print(
        self,
        table: Callable[[], Table],
        document: Callable[[], object],
        *,
        lines: Callable[[], list[Any]] | None = None,
    ) -> None:
        """Print a table or its JSON document; only what is printed is computed."""
        print_result(table, document, self.output_format, self.places, self.output, lines=lines)


printing_options: Decorator = grouped(
    "printing", Printing, (options.format_option(), options.places_option, options.output_option)
)
"""The options that choose how a table is printed, passed to a command as the argument `printing`."""


@immutable(eq=True)
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

    def write(self, make: Callable[[], Page]) -> None:
        """Write the page, its charts and tables, if requested; on a terminal a line says so as long as it takes."""
        from levelhead.progress import working

        with working("making the page"):
            page = make()
            if self.report_file is not None:
                from levelhead.report.page import render
                from levelhead.treebank.write import replace_file

                titled = page._replace(title=self.title or page.title, origin=page_origin())
                replace_file(self.report_file, [render(titled)])
            if self.figures is not None:
                from levelhead.report.page import write_figures

                write_figures(page, self.figures)


def page_options(report: Decorator = options.report_option) -> Decorator:
    """Return the options for a page, passed to a command as the argument `page`."""
    return grouped("page", PageRequest, (report, options.title_option, options.figures_option))


def page_origin() -> Origin:
    """Return the command that is running, with the files and folders that it reads."""
    from levelhead.report.page.blocks import Origin

    context = click.get_current_context()
    roles = [option.name or "" for option in context.command.params if isinstance(option.type, InputPath)]
    read = [(role, context.params[role]) for role in roles if context.params.get(role)]
    files = [(role, list(map(os.fspath, paths if isinstance(paths, tuple) else [paths]))) for role, paths in read]
    return Origin(command_line(context), [(role, listed(paths)) for role, paths in files])


def print_provenance(*provenances: Provenance) -> None:
    """Print the warnings and notes of results to standard error."""
    print_warnings(dict.fromkeys(fault for provenance in provenances for fault in provenance.warnings))
    print_notes(note for provenance in provenances for note in provenance.notes)


def print_table(table: Table, output_format: str, places: int | None, output: str | None) -> None:
    """Print a finished table."""
    from levelhead.tables.writers import WRITERS

    default = None if output_format == "tsv" else 2
    if output_format == "tsv":
        for note in table.notes:
            say(note)
    text = WRITERS[output_format](table, default if places is None else places)
    if output_format == "text" and output in {None, "-"} and sys.stdout is not None and sys.stdout.isatty():
        from levelhead.cli.shared.color import colored_table, wants_color

        text = colored_table(text) if wants_color(sys.stdout) else text
    emit(text, output)


def print_result(
    table: Callable[[], Table],
    document: Callable[[], object],
    output_format: str,
    places: int | None,
    output: str | None,
    *,
    lines: Callable[[], list[Any]] | None = None,
) -> None:
    """Print a table or a JSON document; only what is printed is computed."""
    if output_format == "jsonl":
        print_json((lines or document)(), output, lines=True)
    elif output_format == "json":
        print_json(document(), output)
    else:
        print_table(table(), output_format, places, output)


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


def print_unpaired(paths: Sequence[object], of: str) -> None:
    """Warn on standard error, in one line, of files that match no treebank."""
    if paths:
        from levelhead.campaign.plan import unmatched_note

        say(f"warning: {unmatched_note(list(map(str, paths)), of)}")


def print_notes(notes: Iterable[str]) -> None:
    """Print notes about the numbers to standard error, each note once."""
    for note in dict.fromkeys(notes):
        say(f"note: {note}")
