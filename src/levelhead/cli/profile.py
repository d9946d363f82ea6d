"""levelhead profile: what treebanks are like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli import idle
from levelhead.cli.shared import options
from levelhead.cli.shared.result_paths import RESULT
from levelhead.report import profiles as report
from levelhead.report.documents import header
from levelhead.typology import GROUPS, Chunks, Criteria, collection, select
from levelhead.typology.selection import NEEDED

if TYPE_CHECKING:
    from levelhead.report.table import Table

_MOST = 1_000_000_000  # tokens, more than any treebank has
_PROFILES, _SELECTION = "profiles", "--select"
_GOES_WITH = {
    **dict.fromkeys(("columns", "long", "total", "scheme", "definitions", "chunk"), _PROFILES),
    **dict.fromkeys(("partial_chunk", "window", "least", "wde_table"), _PROFILES),
    **dict.fromkeys(("samples", "seed"), "--rarefy"),
    **dict.fromkeys(("min_tokens", "max_nonprojective", "nonprojective"), _SELECTION),
    **dict.fromkeys(("any_features", "several_per_language"), _SELECTION),
}
"""What each option that not everything takes goes with."""

Printing = tuple[str, int | None, str | None]
"""Format, places, output."""


@click.command()
@click.argument("treebanks", nargs=-1, type=click.Path())
@click.option(
    "-c", "--columns", multiple=True, metavar="NAME,...",
    help=f"Columns, groups of columns ({', '.join(GROUPS)}), summary or all; can be repeated. Default: summary.",
)  # fmt: skip
@click.option("--list-columns", is_flag=True, help="List all columns with definition, formula and source.")
@click.option("--long/--wide", "long", default=False, help="One row a value, or one row a treebank (default).")
@click.option("--merge", is_flag=True, help="Take the train, dev and test files of a treebank together.")
@click.option("--total", is_flag=True, help="Add a profile of all treebanks together (not in TSV).")
@options.scheme_option
@options.definitions_option
@click.option(
    "--chunk", type=click.IntRange(1, _MOST), default=1000, show_default=True, help="Tokens of a chunk (STTR)."
)
@click.option("--partial-chunk", is_flag=True, help="Count the last chunk though it is shorter (STTR).")
@click.option(
    "--window", type=click.IntRange(1, _MOST), default=500, show_default=True, help="Tokens of a window (MATTR)."
)
@click.option(
    "--least", type=click.IntRange(1, _MOST), default=5, show_default=True,
    help="How often a word must occur to count for the head-word entropy.",
)  # fmt: skip
@click.option(
    "--wde-table", type=RESULT, metavar="FILE",
    help="Also write the word dependency entropies, averaged over the treebanks, as weights for WLAS.",
)  # fmt: skip
@click.option("--rarefy", metavar="WORDS,...", help="In place of profiles: word dependency entropies in samples.")
@click.option(
    "--samples", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="Samples of each size."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random samples.")
@click.option("--similarity", is_flag=True, help="In place of profiles: how far each pair of treebanks is apart.")
@click.option("--select", "selection", type=click.Choice(["callin"]), help="In place of profiles: which to compare.")
@click.option(
    "--min-tokens", type=click.IntRange(0, _MOST), default=30_000, show_default=True, help="Of a treebank to select."
)
@click.option(
    "--max-nonprojective", type=click.FloatRange(0), default=25.0, show_default=True,
    help="Per cent of non-projective trees; a treebank to select has fewer.",
)  # fmt: skip
@click.option(
    "--nonprojective", type=click.Choice(["callin", "true"]), default="callin", show_default=True,
    help="Which trees are non-projective for --select: as Callin's program counts, or by the definition.",
)  # fmt: skip
@click.option("--any-features", is_flag=True, help="Also select treebanks without morphological features.")
@click.option("--several-per-language", is_flag=True, help="Select more than the largest treebank of a language.")
@options.input_format_option
@options.format_option()
@options.places_option
@options.output_option
def profile(treebanks: tuple[str, ...], **asked: Any) -> None:
    """Say what TREEBANKS are like: CoNLL-U files, compressed or not, or folders of them.

    "-" is standard input. Numbers go to standard output, everything else to standard error.
    """
    printing: Printing = (asked["output_format"], asked["places"], asked["output"])
    if asked["list_columns"]:
        if asked["columns"]:
            raise click.UsageError("--list-columns lists all columns: leave --columns out")
        idle.refuse(asked.keys() - {"list_columns", "output_format", "places", "output"}, "changes no column's text")
        _list_columns(printing)
        return
    _check(treebanks, asked)
    _check_options(asked)
    if asked["rarefy"] is not None:
        _print_samples(treebanks, asked, printing)
    elif asked["similarity"]:
        _print_similarity(treebanks, asked, printing)
    elif asked["selection"]:
        _print_selection(treebanks, asked, printing)
    else:
        _print_profiles(treebanks, asked, printing)


def _list_columns(printing: Printing) -> None:
    if printing[0] == "text":
        options.emit(report.columns_text(), printing[2])
    else:
        document = {**header("columns"), "rows": report.columns_documents()}
        _print(report.columns_table(), document, printing)


def _check(treebanks: Sequence[str], asked: dict[str, Any]) -> None:
    """Refuse what cannot be done, and to write over what is read."""
    if not treebanks:
        raise click.UsageError("Missing argument 'TREEBANKS...'.")
    if treebanks.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if sum(bool(asked[name]) for name in ("rarefy", "similarity", "selection")) > 1:
        raise click.UsageError("--rarefy, --similarity and --select cannot be asked for together")
    if asked["selection"] and asked["merge"]:
        raise click.UsageError("--select takes the files of a treebank together: leave --merge out")
    if asked["rarefy"] and asked["merge"]:
        raise click.UsageError("--rarefy takes each file as it is: --merge does not go with it")
    files = (os.fspath(file) for some in collection.files_of(treebanks).values() for file in some)
    options.check_paths([*files, *asked["definitions"]], [asked["output"], asked["wde_table"]])


def _check_options(asked: dict[str, Any]) -> None:
    """Refuse options that would change nothing."""
    modes = {"rarefy": "--rarefy", "similarity": "--similarity", "selection": _SELECTION}
    mode = next((text for name, text in modes.items() if asked[name] not in (None, False)), _PROFILES)
    for name, option in idle.given().items():
        if _GOES_WITH.get(name, mode) != mode:
            raise click.UsageError(f"{option} goes with {_GOES_WITH[name]}")


def _print_profiles(treebanks: Sequence[str], asked: dict[str, Any], printing: Printing) -> None:
    names = [name.strip() for text in asked["columns"] for name in text.split(",")] or ["summary"]
    if asked["total"] and printing[0] == "tsv":
        raise click.UsageError("--total adds a summary row, which TSV does not have: choose --format json or text")
    scheme = options.registry_of(asked["definitions"], asked["scheme"]).schemes
    hidden = ["wde"] if asked["wde_table"] is not None else []
    files = collection.files_of(treebanks, merge=asked["merge"])
    survey = collection.survey(
        files,
        columns=[*names, *hidden],
        scheme=scheme.by_name[scheme.default],
        chunks=Chunks(asked["chunk"], asked["partial_chunk"], asked["window"]),
        least=asked["least"],
        total=f"Total of {len(files)}" if asked["total"] else None,
        format=asked["input_format"],
    )
    options.print_warnings(survey.warnings)
    if asked["wde_table"] is not None:
        _write_weights(survey, asked["wde_table"], total=asked["total"])
        survey = survey.with_columns(names)
    table = report.long_table if asked["long"] else report.profiles_table
    options.print_result(
        lambda: table(survey.profiles, survey.files), lambda: report.profiles_document(survey),
        *printing, lines=lambda: report.profile_documents(survey),
    )  # fmt: skip


def _write_weights(survey: collection.Survey, path: str, *, total: bool) -> None:
    from levelhead.typology.weights import weights_text

    profiles = list(survey.profiles.values())[: -1 if total else None]
    options.emit(weights_text([one.numbers("wde") for one in profiles]), path)


def _print_similarity(treebanks: Sequence[str], asked: dict[str, Any], printing: Printing) -> None:
    found = collection.neighbours(collection.files_of(treebanks, merge=asked["merge"]), format=asked["input_format"])
    if not found.pairs:
        raise click.UsageError("--similarity compares two treebanks or more")
    options.print_warnings(found.warnings)
    _print(report.similarity_table(found), report.similarity_document(found), printing)


def _print_samples(treebanks: Sequence[str], asked: dict[str, Any], printing: Printing) -> None:
    try:
        sizes = [int(text) for text in asked["rarefy"].split(",")]
    except ValueError as error:
        raise click.UsageError(f"--rarefy wants numbers of words, not {asked['rarefy']!r}") from error
    if min(sizes) < 1:
        raise click.UsageError("--rarefy wants numbers of words from 1")
    form, samples, seed = asked["input_format"], asked["samples"], asked["seed"]
    found = collection.sampled(collection.files_of(treebanks), sizes, samples=samples, seed=seed, format=form)
    options.print_warnings(found.warnings)
    if not any(found.rows.values()):
        raise click.UsageError(f"--rarefy wants samples of more words than there are: {'; '.join(found.notes)}")
    _print(report.samples_table(found), report.samples_document(found), printing)


def _print_selection(treebanks: Sequence[str], asked: dict[str, Any], printing: Printing) -> None:
    files = collection.files_of(treebanks, merge=True)
    survey = collection.survey(files, columns=NEEDED, format=asked["input_format"])
    options.print_warnings(survey.warnings)
    criteria = Criteria(
        not asked["any_features"], asked["min_tokens"], asked["max_nonprojective"] / 100,
        asked["nonprojective"] == "callin", not asked["several_per_language"],
    )  # fmt: skip
    verdicts = select(survey.profiles, criteria)
    table = report.selection_table(verdicts, criteria, survey.files)
    _print(table, report.selection_document(verdicts, criteria, survey.files), printing)


def _print(table: Table, document: dict[str, Any], printing: Printing) -> None:
    """Print a table, or a document with its rows, or each of these with the signature."""
    signature = {"signature": document["signature"]} if "signature" in document else {}
    rows = [row | signature for row in document["rows"]]
    options.print_result(lambda: table, lambda: document, *printing, lines=lambda: rows)
