"""levelhead profile: descriptions of treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.engine import store_option, worker_options
from levelhead.cli.shared.measuring import registry_of
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import emit, page_options, print_result, print_warnings
from levelhead.cli.shared.reading import treebank_files
from levelhead.cli.shared.result_paths import RESULT
from levelhead.cli.shared.values import limited
from levelhead.tables.documents import header
from levelhead.typology import GROUPS, collection, profile_columns
from levelhead.typology.profile_columns import OF_TRAINING

if TYPE_CHECKING:
    from levelhead.typology.profile import Files

OF_PAGE = ("relation", "upos")
"""The columns that the page has in addition to the printed columns; treebanks are ordered by the first."""

Printing = tuple[str, int | None, str | None]
"""Format, places, output."""


@command()
@click.argument("treebanks", nargs=-1, type=options.PATH)
@click.option(
    "-c", "--columns", multiple=True, metavar="NAME,...",
    help=f"Columns, groups of columns ({', '.join(GROUPS)}), summary or all; can be repeated  [default: summary]",
)  # fmt: skip
@click.option("--list-columns", is_flag=True, help="List all columns with definition, formula and source")
@click.option("--long/--wide", "long", default=False, help="Print one row per value, or one per treebank (default)")
@click.option(
    "--train", multiple=True, type=options.PATH,
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
@worker_options()
@store_option
@page_options()
@options.format_option()
@options.places_option
@options.output_option
def profile(treebanks: tuple[str, ...], **chosen: Any) -> None:
    """Describe TREEBANKS: sizes, frequencies, entropies, morphology, tree shapes.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. "-" is standard input.
    """
    printing: Printing = (chosen["output_format"], chosen["places"], chosen["output"])
    if chosen["list_columns"]:
        _list_columns(printing)
        return
    if not treebanks:
        raise click.UsageError("Missing argument 'TREEBANKS...'.")
    chosen["total"] &= printing[0] != "tsv"  # which has no summary rows
    sampled = chosen["rarefy"] is not None
    if sampled and chosen["page"].wanted:
        raise click.UsageError("--rarefy cannot be combined with --report or --figures")
    outputs = [chosen["output"], chosen["wde_table"], chosen["store"], *chosen["page"].outputs()]
    merge = chosen["merge"] and not sampled  # samples are drawn from a single file
    files = treebank_files(treebanks, outputs, merge=merge, others=[*chosen["definitions"], *chosen["train"]])
    if sampled:
        _print_samples(files, chosen, printing)
    else:
        _print_profiles(treebanks, files, chosen, printing)


def _list_columns(printing: Printing) -> None:
    if printing[0] == "text":
        emit(profile_columns.columns_text(), printing[2])
        return
    document = {**header("columns"), "rows": profile_columns.columns_documents()}
    print_result(profile_columns.columns_table, lambda: document, *printing, lines=lambda: document["rows"])


def _print_profiles(treebanks: Sequence[str], files: Files, chosen: dict[str, Any], printing: Printing) -> None:
    from levelhead.api.treebanks import profile as profiles

    names = [name.strip() for text in chosen["columns"] for name in text.split(",")] or ["summary"]
    scheme = registry_of(chosen["definitions"], chosen["scheme"]).schemes
    with_page = chosen["page"].wanted
    hidden = [*(["wde"] if chosen["wde_table"] is not None else []), *(OF_PAGE if with_page else ())]
    named = ("merge", "total", "chunk", "partial_chunk", "window", "least", "train", "store")
    survey = profiles(
        *treebanks,
        columns=[*names, *hidden],
        scheme=scheme.by_name[scheme.default],
        format=chosen["input_format"],
        jobs=chosen["workers"].for_files((path for some in files.values() for path in some), len(files)),
        **{name: chosen[name] for name in named},
    )
    print_warnings(survey.provenance.warnings)
    if chosen["wde_table"] is not None:
        _write_weights(survey, chosen["wde_table"], total=chosen["total"])
    if with_page:
        _write_page(survey, names, chosen)
    if hidden:
        survey = survey.with_columns([*names, *(OF_TRAINING if chosen["train"] else ())])
    print_result(
        lambda: survey.table(long=chosen["long"]), survey.to_dict, *printing,
        lines=survey.documents,
    )  # fmt: skip


def _write_page(survey: collection.Survey, names: Sequence[str], chosen: dict[str, Any]) -> None:
    shown = survey.with_columns([*names, *OF_PAGE, *(OF_TRAINING if chosen["train"] else ())])
    chosen["page"].write_result(shown)


def _write_weights(survey: collection.Survey, path: str, *, total: bool) -> None:
    from levelhead.typology.entropy import weights_text

    profiles = list(survey.profiles.values())[: -1 if total else None]
    emit(weights_text([profile.numbers("wde") for profile in profiles]), path)


def _print_samples(files: Files, chosen: dict[str, Any], printing: Printing) -> None:
    sizes = _sizes(chosen["rarefy"])
    samples = collection.sampled(
        files, sizes, samples=chosen["samples"], seed=chosen["seed"], format=chosen["input_format"]
    )
    print_warnings(samples.provenance.warnings)
    if not any(samples.rows.values()):
        raise click.UsageError(
            f"--rarefy: all samples are larger than the treebanks: {'; '.join(samples.provenance.notes)}"
        )
    print_result(samples.table, samples.to_dict, *printing, lines=samples.documents)


def _sizes(text: str) -> Sequence[int]:
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in text.split(",")):
        raise click.UsageError(f"--rarefy needs numbers of words from 1, as in 1000,5000, not {text!r}")
    return [int(part) for part in text.split(",")]
