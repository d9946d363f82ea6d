"""Rankings: levelhead rank and difficulty."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from levelhead.campaign import RANKINGS, Manifest, Results, read_manifest, read_scores
from levelhead.cli.program import refuse_if
from levelhead.cli.shared import options, printing
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import ResultPath, check_files, files_of_measures, inputs_of, refused
from levelhead.scoring.rules import RULES
from levelhead.treebank.write import check_file, check_folder, output_errors

_OUTPUT = click.option(
    "--output", "-o", type=ResultPath("file or folder"),
    help="Write to this file instead of standard output; with --format prototext and several systems, write to"
    " subfolders of this folder",
)  # fmt: skip


@command()
@click.argument("gold", type=options.PATH, required=False)
@click.argument("systems", type=options.PATH, required=False)
@setting("--ranking", type=options.Choice(RANKINGS, "ranking"))
@setting("--missing", type=options.Choice(["zero", "adjust"]))
@setting("--group", "groups", multiple=True, metavar="NAME")
@setting("--system", "only", multiple=True, metavar="NAME")
@options.measure_option
@options.scheme_option
@options.definitions_option
@options.partial_option
@setting("--all-measures", is_flag=True)
@setting("--manifest", type=options.PATH)
@setting("--scores", type=options.PATH, help="Use this TSV table of scores instead of GOLD and SYSTEMS")
@options.rules_option
@options.allow_several_roots_option
@click.option(
    "--significance/--no-significance", default=None,
    help="Show confidence intervals, ranges of ranks, and significant differences as letters and lines"
    "  [default: only with --report, --figures, --layout paper or --cite; intervals with --missing adjust]",
)  # fmt: skip
@options.resample_by_option
@options.level_option
@click.option(
    "--report", "report_file", type=ResultPath("pages"), metavar="PATH",
    help="Also write a page with tables and charts to this HTML file; if PATH is a folder, or ends in /, also write a"
    " page of errors for every output (requires the extra `report`)",
)  # fmt: skip
@options.title_option
@options.figures_option
@click.option("--by-treebank", is_flag=True, help="Print the scores of each system on each test set")
@options.as_runs_option
@options.engine_options
@options.papers_options
@options.answer_options
@options.printing_options(*options.FORMATS, "prototext", output=_OUTPUT)
def rank(by_treebank: bool, **given: Any) -> None:
    """Rank the systems in SYSTEMS by their macro-averages over the test sets in GOLD.

    GOLD is a folder of TREEBANK.conllu files, a UD release, or a folder with TIRA's metadata.json. SYSTEMS has a folder
    of output files for each system. Missing and invalid outputs score 0, and the reasons are listed.
    """
    _check(given)
    manifest = Manifest() if given["manifest"] is None else read_manifest(given["manifest"])
    outputs, others = _files_of(manifest, given)
    check_files([*outputs, *others])
    if given["output_format"] == "prototext":
        _check_prototext(given, manifest)
        given["all_measures"] = False
        if not (given["measures"] or manifest.measures):
            given["measures"] = RULES[given["rules"] or manifest.rules or "ud"].measures
    in_paper = given["layout"] == "paper"
    if given["significance"] is None and (given["cite"] or in_paper):
        given["significance"] = True
    given["by_treebank"] = by_treebank and in_paper
    if printing.wants_page(given):
        from levelhead.report.page.ranking_report import is_folder

        in_folder = given["report_file"] is not None and is_folder(given["report_file"])
        given |= {"prepare": "pages" if in_folder else "page", "origin": printing.page_origin()}
    with refused("invalid-argument"):
        ranked = options.call(given, files=outputs)
    if given["output_format"] == "prototext":
        printing.print_provenance(given, ranked.provenance)
        printing.write_page(given, ranked)
        _write_prototext(ranked.results, given["output"])
    else:
        printing.show(given, ranked, main="scores" if by_treebank else None, by_treebank=by_treebank)


def _check(given: dict[str, Any]) -> None:
    """Refuse options that cannot be combined, and a file that cannot be written."""
    printing.check_papers(given)
    with_scores = given["scores"] is not None
    partial = given["partial"]
    prototext = given["output_format"] == "prototext"
    in_manifest = given["gold"] is None and given["manifest"] is not None
    has_files = with_scores or in_manifest or (given["gold"] is not None and given["systems"] is not None)
    for is_wrong, message in (
        (partial and prototext, "--partial cannot be combined with --format prototext, the format of official scorers"),
        (with_scores and given["gold"] is not None, "--scores cannot be combined with GOLD and SYSTEMS"),
        (with_scores and partial, "--scores cannot be combined with --partial"),
        (with_scores and given["allow_several_roots"], "--allow-several-roots has no effect with --scores"),
        (not has_files, "give GOLD and SYSTEMS, or --manifest, or --scores"),
    ):
        refuse_if(is_wrong, message)
    if not prototext and given["output"] is not None:
        check_file(given["output"])


def _files_of(manifest: Manifest, given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the outputs of systems, and the other files that are read."""
    systems = (given["systems"], manifest.systems, *manifest.folders.values())
    golds = (manifest.gold, *(test_set.gold for test_set in manifest.test_sets))
    outputs, files = (
        [*inputs_of(path for path in paths if path is not None and Path(path).exists())] for paths in (systems, golds)
    )
    named = files_of_measures(() if given["measures"] else manifest.measures or ())
    files += (str(Path(manifest.path).parent / path) for path in named)
    files += map(str, () if given["definitions"] else manifest.definitions)
    return outputs, files


def _check_prototext(given: dict[str, Any], manifest: Manifest) -> None:
    from levelhead.api.ranking import plan_to_rank

    output, systems = given["output"], given["only"]
    if not systems and given["scores"] is not None:
        systems = read_scores(given["scores"]).systems
    elif not systems:
        plan = plan_to_rank(given["gold"], given["systems"], manifest, given["split"], (), as_runs=given["as_runs"])
        systems = [system.name for system in plan.systems]
    if len(systems) == 1:
        check_file(output or "-")
        return
    if output is None or output == "-":
        raise click.UsageError(
            "with several systems, --format prototext requires --output FOLDER, or a single --system"
        )
    for system in systems:
        if os.path.basename(system) != system or system in {"", ".", ".."}:  # noqa: PTH119
            raise click.UsageError(f"the system name {system!r} cannot be the name of a folder")
    check_folder(output)


def _write_prototext(results: Results, output: str | None) -> None:
    from levelhead.report.prototext import prototext

    if len(results.systems) == 1:
        printing.emit(prototext(results, results.systems[0]), output)
        return
    for system in results.systems:
        folder = os.path.join(output or "", system)  # noqa: PTH118
        with output_errors(folder):
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        printing.emit(prototext(results, system), os.path.join(folder, "evaluation.prototext"))  # noqa: PTH118


@command()
@click.argument("gold", type=options.PATH, required=False)
@click.argument("systems", type=options.PATH, required=False)
@setting("--scores", type=options.PATH, help="Use this TSV table of scores instead of GOLD and SYSTEMS")
@setting("--measure", "-m", metavar="MEASURE")
@setting("--explain", type=options.PATH, metavar="TABLE")
@setting("--system", "only", multiple=True, metavar="NAME")
@options.definitions_option
@options.scheme_option
@options.rules_option
@options.interval_options
@options.limit_option
@options.page_options
@options.as_runs_option
@options.engine_options
@options.result_options
def difficulty(**given: Any) -> None:
    """Measure how difficult the test sets in GOLD are, given the abilities of the systems in SYSTEMS.

    GOLD and SYSTEMS are folders, as in levelhead rank; outputs can be missing. The tables show the difficulty of each
    test set, the ability of each system, and on which test sets systems are better or worse than expected.
    """
    has_files, has_scores = given["gold"] is not None and given["systems"] is not None, given["scores"] is not None
    if has_files == has_scores or (has_scores and given["gold"] is not None):
        raise click.UsageError("give GOLD and SYSTEMS, or --scores")
    with refused("invalid-argument"):
        result = options.call(given, files=inputs_of([given["systems"]] if has_files else []))
    printing.show(given, result)
