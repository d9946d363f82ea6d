"""Treebanks: levelhead profile, similarity, select, suspects, testsets and validate."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from levelhead.arguments import is_collection
from levelhead.cli.program import BAD_INPUT, DONE, refuse_if, say
from levelhead.cli.shared import options, printing
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import ResultPath, check_files, refused, treebank_files
from levelhead.treebank.layouts.gold import files_at
from levelhead.treebank.validation import CHECKED_RULES, annotation, validation_text

if TYPE_CHECKING:
    from levelhead.typology.profile import Files

OF_PAGE = ("relation", "upos")
"""The columns that the page has in addition to the printed columns; treebanks are ordered by the first."""


@command()
@click.argument("treebanks", nargs=-1, type=options.UNCHECKED)
@setting("-c", "--columns", multiple=True, metavar="NAME,...")
@click.option("--list-columns", is_flag=True, help="List all columns with definition, formula and source")
@setting("--by", type=options.Choice(["treebank", "value", "relation", "deprel", "class", "upos", "feature"]))
@setting("--train", multiple=True, type=options.PATH)
@options.merge_option
@setting("--total", is_flag=True)
@options.scheme_option
@options.definitions_option
@setting("--chunk", type=options.WHOLE["chunk"])
@setting("--partial-chunk", is_flag=True)
@setting("--window", type=options.WHOLE["window"])
@setting("--least", type=options.WHOLE["least"])
@click.option(
    "--wde-table", type=options.RESULT, metavar="FILE",
    help="Also write mean word dependency entropies to this file, as weights for WLAS",
)  # fmt: skip
@click.option("--rarefy", metavar="WORDS,...", help="Print only word dependency entropies of samples of these sizes")
@click.option(
    "--samples", type=options.WHOLE["samples"], default=20, show_default=True,
    help="Number of samples per size for --rarefy",
)  # fmt: skip
@click.option("--seed", type=options.WHOLE["seed"], default=0, show_default=True, help="Random seed for --rarefy")
@options.input_format_option
@options.worker_options
@options.store_option
@options.page_options
@options.result_options
def profile(
    treebanks: tuple[str, ...], list_columns: bool, rarefy: str | None, wde_table: str | None, **given: Any
) -> None:
    """Describe TREEBANKS: sizes, frequencies, entropies, morphology, tree shapes.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. "-" is standard input.
    """
    if list_columns:
        _list_columns(given)
        return
    refuse_if(not treebanks, "Missing argument 'TREEBANKS...'")
    refuse_if(
        rarefy is not None and printing.wants_page(given), "--rarefy cannot be combined with --report or --figures"
    )
    if given["by"] not in (None, "treebank", "value") and (
        printing.wants_page(given) or wde_table is not None or given["train"]
    ):
        message = f"--by {given['by']} cannot be combined with --report, --figures, --wde-table or --train"
        raise click.UsageError(message)
    merge = given["merge"] and rarefy is None  # samples are drawn from a single file
    files = treebank_files(treebanks, merge=merge)
    if rarefy is not None:
        _print_samples(files, rarefy, given)
        return
    from levelhead.api.inputs import registry_of
    from levelhead.typology.profile_columns import OF_TRAINING

    names = [name.strip() for text in given["columns"] for name in text.split(",")] or ["summary"]
    hidden = [*(["wde"] if wde_table is not None else []), *(OF_PAGE if printing.wants_page(given) else ())]
    schemes = registry_of(given["definitions"], given["scheme"]).schemes
    given |= {"columns": [*names, *hidden], "scheme": schemes.by_name[schemes.default]}
    given["jobs"] = options.workers_for(given, list(map(str, chain(*files.values()))), len(files))
    survey = options.call(given, *treebanks)
    if wde_table is not None:
        from levelhead.typology.vocabulary import weights_text

        printing.emit(weights_text([profile.numbers("wde") for profile in survey.of_treebanks.values()]), wde_table)
    of_training = OF_TRAINING if given["train"] else ()
    printing.write_page(
        given, survey.with_columns([*names, *OF_PAGE, *of_training]) if printing.wants_page(given) else survey
    )
    if hidden:
        survey = survey.with_columns([*names, *of_training], survey.by)
    printing.print_provenance(given, survey.provenance)
    printing.print_result(given, survey)


def _list_columns(given: dict[str, Any]) -> None:
    from levelhead.api.listings import ProfileColumnList
    from levelhead.typology.profile_columns import COLUMNS, columns_text

    if given["output_format"] == "text":
        printing.emit_folded(columns_text(), given["output"])
    else:
        printing.show(given, ProfileColumnList(tuple(COLUMNS.values())))


def _print_samples(files: Files, sizes: str, given: dict[str, Any]) -> None:
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in sizes.split(",")):
        raise click.UsageError(f"--rarefy needs numbers of words from 1, as in 1000,5000, not {sizes!r}")
    from levelhead.typology import collection

    how = {name: given[name] for name in ("samples", "seed", "format") if given[name]}
    samples = collection.sampled(files, list(map(int, sizes.split(","))), **how)
    refuse_if(not any(samples.rows.values()), "--rarefy: all treebanks have fewer words: use smaller samples")
    printing.show(given, samples)


@command()
@click.argument("treebanks", nargs=-1, required=True, type=options.UNCHECKED)
@setting("--matrix", type=options.Choice(["klcpos3", "relations", "displacement"]))
@options.limit_option
@options.merge_option
@options.input_format_option
@options.result_options
def similarity(treebanks: tuple[str, ...], **given: Any) -> None:
    """Measure how similar each pair of TREEBANKS is.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. "-" is standard input. For each pair A, B the
    table shows KLcpos3 in both directions, the Jensen-Shannon divergence of relations, and the distance of dependency
    displacements; 0 means identical.
    """
    treebank_files(treebanks, merge=given["merge"])
    with refused("too-few-treebanks", "similarity requires at least two treebanks"):
        similarities = options.call(given, *treebanks)
    printing.show(given, similarities)


@command()
@click.argument("treebanks", nargs=-1, required=True, type=options.UNCHECKED)
@setting("--min-tokens", type=options.WHOLE["min-tokens"])
@setting("--max-nonprojective", type=options.FiniteRange(0), metavar="PERCENT")
@setting("--nonprojective", type=options.Choice(["callin", "true"]))
@setting("--any-features", is_flag=True)
@setting("--several-per-language", is_flag=True)
@options.input_format_option
@options.answer_options
@options.printing_options(places=False)
def select(treebanks: tuple[str, ...], **given: Any) -> None:
    """Select the TREEBANKS that are comparable by Callin's criteria, and list all reasons for excluding the others.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. The train, dev and test file of a treebank
    count as one treebank. "-" is standard input.
    """
    treebank_files(treebanks, merge=True)
    selection = options.call(given, *treebanks)
    printing.show(given, selection)


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="[SYSTEM]...", nargs=-1, type=options.PATH)
@options.limit_option
@setting("--folds", type=options.WHOLE["folds"])
@options.seed_option
@options.rules_option
@options.worker_options
@options.store_option
@click.option(
    "--sentences-to",
    "conllu",
    type=options.RESULT_TREEBANK,
    metavar="CONLLU",
    help="Also write the sentences with suspects to this file",
)
@options.page_options
@options.result_options
def suspects(conllu: str | None, **given: Any) -> None:
    """Find words of GOLD whose annotation is probably wrong.

    A word is suspect if systems agree on a different analysis, or if the same words in the same context are annotated
    differently elsewhere. Give the outputs of SYSTEMs for the same text, preferably three or more; without them,
    parsers are trained on GOLD by cross-validation. Scores only rank the suspects: check them by hand.
    """
    files = [given["gold"], *given["systems"]]
    refuse_if(any(map(is_collection, files)), "suspects takes files, not folders")
    given["jobs"] = options.workers_for_training(given, given["gold"])
    result = options.call(given)
    printing.show(given, result)
    if conllu is not None:
        from levelhead.interop.treebanks import write

        write(result.to_treebank(), conllu)


@command()
@click.argument("names", nargs=-1, metavar="[get] [NAME]...")
@options.limit_option
@options.printing_options(places=False)
def testsets(names: tuple[str, ...], **given: Any) -> None:
    """List the test sets of UD releases with these NAMEs (default: all); `get` downloads and verifies them.

    A NAME is CODE or CODE-SPLIT, such as en_ewt (test) or en_ewt-dev, or a pattern such as 'fr_*'. Commands accept a
    NAME with a release, such as en_ewt@2.16, instead of a file. The column Changes counts the releases in which a file
    changed.
    """
    from levelhead.api.testsets import testsets as listed

    get = names[:1] == ("get",)
    refuse_if(get and not names[1:], "get requires NAMEs with a release, such as en_ewt@2.16")
    printing.show(given, listed(names[get:] or "*", download=get, tell=say))


@command()
@click.argument("files", nargs=-1, required=True, type=options.UNCHECKED)
@options.input_format_option
@setting("--rules", type=options.Choice(CHECKED_RULES, "rules"))
@setting("--fix", type=ResultPath("treebanks"), metavar="COPY")
@click.option("--strict", is_flag=True, help="Treat warnings as errors: exit with code 2")
@options.quiet_option
@options.limit_option
@options.printing_options(*options.FORMATS, "github", places=False)
def validate(files: tuple[str, ...], rules: str | None, fix: str | None, strict: bool, **given: Any) -> int:
    """List all errors and warnings of CoNLL-U FILES, of folders, or of the gold files of a manifest.

    Text output has one line for each kind of warning; other formats list every warning. Warnings do not make a file
    invalid. The exit code is 2 if a file has an error; with --fix, if a copy does.
    """
    from levelhead.api.validation import gold_of_manifests

    golds = gold_of_manifests(files)
    paths = [file for path in golds for file in files_at(path)]
    if fix is not None and rules not in {None, "ud"}:
        raise click.UsageError(f"--fix repairs CoNLL-U: it cannot be combined with --rules {rules}")
    refuse_if(fix == "-", "--fix requires a file or folder: errors and warnings go to standard output")
    check_files([*paths, *(path for path in (*golds, *files) if path not in paths)])
    validation = options.call(given | {"rules": rules, "fix": fix}, *files)
    if given["output_format"] == "text":
        text = validation_text(validation, printing.limit_of(given))
        printing.emit_folded(printing.below_verdict(given, validation, text), given["output"])
    elif given["output_format"] == "github":
        printing.emit(
            "".join(f"{annotation(fault)}\n" for fault in validation.faults[: printing.limit_of(given)]),
            given["output"],
        )
    else:
        printing.print_result(given, validation)
    return BAD_INPUT if not validation.valid or (strict and validation.faults) else DONE
