"""Printing of results, warnings and notes, as the options of a command say.

`given` has the values of these options by name.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import OutputClosed, refuse_if, say, terminal_width
from levelhead.cli.shared.command import command_line
from levelhead.cli.shared.inputs import InputPath
from levelhead.errors import Fault, OutputError, listed, printable

if TYPE_CHECKING:
    from levelhead.report.page.blocks import Origin
    from levelhead.tables.data import DataTable
    from levelhead.tables.table import Screen, Table
    from levelhead.tabular import Tabular
    from levelhead.treebank.provenance import Provenance

_OF_DATA = frozenset({"tsv", "jsonl", "json", "prototext"})  # the formats without notes below a table
_ROWS = 20  # that a terminal shows
_MOST_FILES = 2
"""The largest number of files with the same kind of warning for which all warnings are printed."""


def print_result(
    given: Mapping[str, Any],
    result: Tabular,
    table: Callable[[], Table] | None = None,
    *,
    main: str | None = None,
) -> None:
    """Print a result in the requested format, with at most --limit rows; only what is printed is computed."""
    output_format, output, name = given["output_format"], given.get("output"), given.get("table_name")
    limit = limit_of(given)
    if output_format in {"jsonl", "tsv"}:
        data = result.data(name or main)
        with data_writer(given) as write:
            write(data if limit is None else data._replace(rows=[*data.rows][:limit]))
        return
    refuse_if(name is not None, "--table requires --format tsv or jsonl")
    if output_format == "json":
        document = result.to_dict()
        if limit is not None:
            shown = main or next(iter(document["tables"]))
            document["tables"][shown] = document["tables"][shown][:limit]
        print_json(document, output)
        return
    from levelhead.tables.writers import WRITERS, texts

    places = result.PLACES if given.get("places") is None else given["places"]
    tables = (table(),) if table else result.text_tables() if output_format == "text" else (result.table(),)
    tables = tuple(each.cut(limit, "--limit 0") for each in tables)
    screen = screen_for(given)
    text = texts(tables, places, screen) if output_format == "text" else WRITERS[output_format](tables[0], places)
    if output_format == "text" and screen.is_terminal:
        from levelhead.cli.shared.color import colored_table, wants_color

        text = colored_table(text) if wants_color(sys.stdout) else text
    emit(below_verdict(given, result, text), output)


def below_verdict(given: Mapping[str, Any], result: Tabular, text: str) -> str:
    """Return `text` with the verdict of the result above it; unchanged with --quiet or a format other than text."""
    if given["output_format"] != "text" or given.get("quiet"):
        return text
    return result.below_verdict(text, screen_of(given.get("output")).width)


def limit_of(given: Mapping[str, Any]) -> int | None:
    """Return the largest number of rows, None for all: as --limit says, by default 20 as text on a terminal."""
    if given.get("limit", 0) is None:
        return _ROWS if given["output_format"] == "text" and screen_of(given["output"]).is_terminal else None
    return given.get("limit") or None


def screen_of(output: str | None) -> Screen:
    """Return where text goes: the terminal, or a file or pipe, which has all columns."""
    from levelhead.tables.table import Screen

    file = Screen()
    if output not in {None, "-"}:
        return file
    return Screen(terminal_width(sys.__stdout__, file.width), bool(sys.stdout and sys.stdout.isatty()))


def screen_for(given: Mapping[str, Any]) -> Screen:
    """Return where text goes, with all notes and the whole signature if requested, or if it is not a terminal."""
    screen = screen_of(given.get("output"))
    notes, signature = (given.get(name, True) or not screen.is_terminal for name in ("notes", "signature"))
    return screen._replace(all_notes=notes, whole_signature=signature)


@contextmanager
def data_writer(given: Mapping[str, Any]) -> Iterator[Callable[[DataTable], None]]:
    """Yield a function that writes rows as TSV or JSON Lines, as often as it is called with rows of a table."""
    from levelhead.tables.writers import json_lines, tsv_parts

    output, places = given.get("output"), given.get("places")
    is_tsv = given["output_format"] == "tsv"
    on_terminal = is_tsv and screen_of(output).is_terminal
    with output_writer(output) as write:
        n_written = 0

        def add(table: DataTable) -> None:
            nonlocal n_written
            for text in tsv_parts(table, places, head=not n_written) if is_tsv else json_lines(table):
                write(re.sub(r"[^\t\n]+", lambda part: printable(part[0]), text) if on_terminal else text)
            n_written += 1

        yield add


def show(
    given: Mapping[str, Any],
    result: Any,
    table: Callable[[], Table] | None = None,
    *,
    main: str | None = None,
    **options: Any,
) -> None:
    """Print warnings and notes, write the HTML page if requested, and print the table (or a citation)."""
    print_provenance(given, result.provenance)
    write_page(given, result)  # first, since a pipe can be closed
    if not _print_paper(given, result, each=options.get("each", False)):
        print_result(given, result, partial(result.table, **options) if options else table, main=main)


def wants_page(given: Mapping[str, Any]) -> bool:
    return given.get("report_file") is not None or given.get("figures") is not None


def write_page(given: Mapping[str, Any], result: Any) -> None:
    if wants_page(given):
        from levelhead.api.reports import write_report

        how = {"title": given["title"], "figures": given["figures"], "origin": page_origin()}
        write_report(result, given["report_file"], **how)


def check_papers(given: Mapping[str, Any]) -> None:
    output_format = given["output_format"]
    cite = given["cite"]
    in_paper = given.get("layout") == "paper"
    if cite and output_format not in {"text", "latex", "json"}:
        raise click.UsageError(f"--cite requires --format text, latex or json, not {output_format}")
    refuse_if(cite and in_paper, "--cite cannot be combined with --layout paper: it prints no table")
    if in_paper:
        from levelhead.tables.writers import PAPER_FORMATS

        if output_format not in PAPER_FORMATS:
            *most, last = PAPER_FORMATS
            formats = f"{', '.join(most)} or {last}"
            raise click.UsageError(f"--layout paper requires --format {formats}, not {output_format}")


def _print_paper(given: Mapping[str, Any], result: Any, *, each: bool) -> bool:
    """Print a citation or a table for a paper; return whether either was requested."""
    output_format, output = given["output_format"], given.get("output")
    if given.get("cite"):
        from levelhead.report.citation import citation

        cited = citation(result)
        if output_format == "json":
            print_json(cited.to_dict(), output)
        else:
            emit_folded(f"{cited.latex if output_format == 'latex' else cited.methods}\n\n{cited.bibtex}", output)
        return True
    if given.get("layout") != "paper":
        return False
    from levelhead.api.reports import paper_table

    places = 2 if given["places"] is None else given["places"]
    emit(paper_table(result, output_format, places=places, each=each), output)
    return True


def page_origin() -> Origin:
    from levelhead.report.page.blocks import Origin

    context = click.get_current_context()
    roles = [option.name or "" for option in context.command.params if isinstance(option.type, InputPath)]
    read = [(role, context.params[role]) for role in roles if context.params.get(role)]
    files = [(role, list(map(os.fspath, paths if isinstance(paths, tuple) else [paths]))) for role, paths in read]
    return Origin(command_line(context), [(role, listed(paths)) for role, paths in files])


def print_provenance(given: Mapping[str, Any], provenance: Provenance) -> None:
    """Print the warnings about files to standard error, and the main notes, or all, if no table has them below it."""
    for message in provenance.about_files:
        say(message)
    print_warnings(dict.fromkeys(provenance.warnings))
    from levelhead.tables.table import Detail

    in_table = given["output_format"] not in _OF_DATA and not given.get("cite") and given.get("layout") != "paper"
    for note in () if in_table else dict.fromkeys(provenance.notes):
        if given.get("notes") or not isinstance(note, Detail):
            say(f"note: {note}")


def print_json(document: object, output: str | None) -> None:
    from levelhead.tables.writers import json_text

    emit(json_text(document, 2) + "\n", output)


def emit_folded(text: str, output: str | None) -> None:
    """Write text, on a terminal in lines that fit."""
    from levelhead.tables.writers import folded

    screen = screen_of(output)
    emit("\n".join(folded(line, screen.width) for line in text.split("\n")) if screen.is_terminal else text, output)


def emit(text: str, output: str | None) -> None:
    """Write text as UTF-8 to a file (completely or not at all) or to standard output."""
    with output_writer(output) as write:
        write(text)


@contextmanager
def output_writer(output: str | None) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes text as UTF-8 to a file, which is complete at the end, or to standard output."""
    if output is None or output == "-":
        yield _print
        return
    from levelhead.treebank.write import replacing

    with replacing(output) as write_parts:
        yield lambda text: write_parts([text.encode("utf-8", "backslashreplace")])


def _print(text: str) -> None:
    if sys.stdout is None:
        raise OutputError("standard output is closed", "output")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise OutputClosed from error


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
