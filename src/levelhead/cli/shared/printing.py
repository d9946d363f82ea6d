"""Printing of results, warnings and notes, and the options that choose how and where a result is printed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.cli.program import OutputClosed, say
from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import Decorator, grouped
from levelhead.errors import Fault, OutputError
from levelhead.immutable import immutable

if TYPE_CHECKING:
    from levelhead.evaluation.provenance import Provenance
    from levelhead.report.page import Page
    from levelhead.report.table import Table

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
        """Print a table or its JSON document; only what is printed is computed.

        Args:
            table: returns the table.
            document: returns the document.
            lines: returns the documents of JSON lines; None for a single document.
        """
        print_result(table, document, self.output_format, self.places, self.output, lines=lines)


printing_options: Decorator = grouped(
    "printing", Printing, (options.format_option(), options.places_option, options.output_option)
)
"""The options that choose how a table is printed, passed to a command as the argument `printing`."""


def print_provenance(*provenances: Provenance) -> None:
    """Print the warnings and notes of results to standard error.

    Args:
        provenances: the provenance of each result.
    """
    print_warnings(dict.fromkeys(fault for provenance in provenances for fault in provenance.warnings))
    print_notes(note for provenance in provenances for note in provenance.notes)


def print_table(table: Table, output_format: str, places: int | None, output: str | None) -> None:
    """Print a finished table."""
    from levelhead.report.writers import WRITERS

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
    """Print a table or a JSON document; only what is printed is computed.

    Args:
        table: returns the table.
        document: returns the document of `--format json`.
        output_format: the value of `--format`.
        places: digits after the point, None for the default of the format.
        output: the file, or None for standard output.
        lines: returns the documents of `--format jsonl`; None for a single document.
    """
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


def write_page(make: Callable[[], Page], report: str | None, figures: str | None) -> None:
    """Write a page, its charts and tables, if requested; on a terminal a line says so as long as it takes.

    Args:
        make: makes the page.
        report: the file of the page, or None.
        figures: the folder of charts and tables, or None.
    """
    from levelhead.progress import working

    with working("making the page"):
        page = make()
        if report is not None:
            from levelhead.report.page import render
            from levelhead.treebank.write import replace_file

            replace_file(report, [render(page)])
        if figures is not None:
            from levelhead.report.page import write_figures

            write_figures(page, figures)


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
    """Warn on standard error, in one line, of files that match no treebank.

    Args:
        paths: the files.
        of: what the files should match: "gold treebank".
    """
    if paths:
        from levelhead.campaign.plan import unmatched_note

        say(f"warning: {unmatched_note(list(map(str, paths)), of)}")


def print_notes(notes: Iterable[str]) -> None:
    """Print notes about the numbers to standard error, each note once."""
    for note in dict.fromkeys(notes):
        say(f"note: {note}")
