"""levelhead profile: descriptions of treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import treebank_files
from levelhead.cli.shared.option_types import PATH, RESULT, limited
from levelhead.cli.shared.printing import PageRequest, Printing, emit, page_options, print_warnings, printing_options
from levelhead.tables.documents import header
from levelhead.typology import GROUPS, collection, profile_columns
from levelhead.typology.profile_columns import OF_TRAINING

if TYPE_CHECKING:
    from levelhead.typology.profile import Files

OF_PAGE = ("relation", "upos")
"""The columns that the page has in addition to the printed columns; treebanks are ordered by the first."""


@command()
@click.argument("treebanks", nargs=-1, type=PATH)
@click.option(
    "-c", "--columns", multiple=True, metavar="NAME,...",
    help=f"Columns, groups of columns ({', '.join(GROUPS)}), summary or all; can be repeated  [default: summary]",
)  # fmt: skip
@click.option("--list-columns", is_flag=True, help="List all columns with definition, formula and source")
@click.option("--long/--wide", "long", default=False, help="Print one row per value, or one per treebank (default)")
@click.option(
    "--train", multiple=True, type=PATH,
    help="Training treebank: also print how many sentences of TREEBANKS occur in it; can be repeated",
)  # fmt: skip
@options.merge_option
@click.option("--total", is_flag=True, help="Add a row for all treebanks together (not in TSV)")
@options.scheme_option
@options.definitions_option
@click.option("--chunk", type=limited("chunk"), default=1000, show_default=True, help="Tokens per chunk for STTR")
@click.option("--partial-chunk", is_flag=True, help="Also count the last, shorter chunk for STTR")
@click.option("--window", type=limited("window"), default=500, show_default=True, help="Tokens per window for MATTR")
@click.option(
    "--least", type=limited("least"), default=5, show_default=True,
    help="For the head-word entropy, count only words with at least this frequency",
)  # fmt: skip
@click.option(
    "--wde-table", type=RESULT, metavar="FILE",
    help="Also write the word dependency entropies, averaged over treebanks, to this file, as weights for WLAS",
)  # fmt: skip
@click.option(
    "--rarefy", metavar="WORDS,...", help="Print the word dependency entropies in samples of these sizes instead"
)
@click.option("--samples", type=limited("samples"), default=20, show_default=True, help="Samples per size for --rarefy")
@options.seed_option
@options.input_format_option
@options.worker_options()
@options.store_option()
@page_options()
@printing_options()
def profile(
    treebanks: tuple[str, ...],
    list_columns: bool,
    rarefy: str | None,
    wde_table: str | None,
    page: PageRequest,
    printing: Printing,
    **given: Any,
) -> None:
    """Describe TREEBANKS: sizes, frequencies, entropies, morphology, tree shapes.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. "-" is standard input.
    """
    if list_columns:
        _list_columns(printing)
        return
    if not treebanks:
        raise click.UsageError("Missing argument 'TREEBANKS...'.")
    if rarefy is not None and page.wanted:
        raise click.UsageError("--rarefy cannot be combined with --report or --figures")
    outputs = [printing.output, wde_table, given["store"], *page.outputs()]
    merge = given["merge"] and rarefy is None  # samples are drawn from a single file
    files = treebank_files(treebanks, outputs, merge=merge, others=[*given["definitions"], *given["train"]])
    if rarefy is not None:
        _print_samples(files, rarefy, given, printing)
        return
    from levelhead.api.inputs import registry_of
    from levelhead.api.treebanks import profile as profiles

    given["total"] &= printing.output_format != "tsv"  # which has no summary rows
    names = [name.strip() for text in given["columns"] for name in text.split(",")] or ["summary"]
    hidden = [*(["wde"] if wde_table is not None else []), *(OF_PAGE if page.wanted else ())]
    schemes = registry_of(given["definitions"], given["scheme"]).schemes
    given |= {"columns": [*names, *hidden], "scheme": schemes.by_name[schemes.default]}
    paths = [path for some in files.values() for path in some]
    jobs = given["workers"].for_files(paths, len(files))
    survey = profiles(*treebanks, **options.arguments_for(profiles, given), jobs=jobs)
    print_warnings(survey.provenance.warnings)
    if wde_table is not None:
        from levelhead.typology.entropy import weights_text

        single = list(survey.profiles.values())[: -1 if given["total"] else None]
        emit(weights_text([profile.numbers("wde") for profile in single]), wde_table)
    of_training = OF_TRAINING if given["train"] else ()
    page.write(survey.with_columns([*names, *OF_PAGE, *of_training]) if page.wanted else survey)
    if hidden:
        survey = survey.with_columns([*names, *of_training])
    printing.print(lambda: survey.table(long=given["long"]), survey.to_dict, lines=survey.documents)


def _list_columns(printing: Printing) -> None:
    if printing.output_format == "text":
        emit(profile_columns.columns_text(), printing.output)
        return
    document = {**header("columns"), "rows": profile_columns.columns_documents()}
    printing.print(profile_columns.columns_table, lambda: document, lines=lambda: document["rows"])


def _print_samples(files: Files, sizes: str, given: dict[str, Any], printing: Printing) -> None:
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in sizes.split(",")):
        raise click.UsageError(f"--rarefy needs numbers of words from 1, as in 1000,5000, not {sizes!r}")
    how = {name: given[name] for name in ("samples", "seed", "format")}
    samples = collection.sampled(files, list(map(int, sizes.split(","))), **how)
    print_warnings(samples.provenance.warnings)
    if not any(samples.rows.values()):
        raise click.UsageError(
            f"--rarefy: all samples are larger than the treebanks: {'; '.join(samples.provenance.notes)}"
        )
    printing.print(samples.table, samples.to_dict, lines=samples.documents)
