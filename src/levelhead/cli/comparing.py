"""Comparisons: levelhead compare, languages, power, agree and diff."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import click

from levelhead.arguments import is_collection
from levelhead.cli.program import BAD_INPUT, DONE, GATE, refuse_if, say
from levelhead.cli.shared import options, printing
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_kinds, inputs_of, refused
from levelhead.errors import InputError


@command()
@options.gold_argument
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
@options.measuring_options
@options.partial_option
@options.resample_by_option
@options.level_option
@options.each_option
@setting("--wilcoxon", is_flag=True)
@setting("--votes", type=options.Choice(["treebank", "language", "family"]))
@setting("--margin", type=options.FiniteRange(), metavar="POINTS")
@click.option(
    "--fail-if-worse", multiple=True, metavar="MEASURE,...",
    help="Exit with code 1 if a system is significantly worse than the first by one of these measures. With --margin,"
    " do so if the interval of its difference includes a loss above the margin",
)  # fmt: skip
@click.option(
    "--summary", "summary_file", type=options.RESULT, metavar="MARKDOWN",
    help="Also write a summary to this Markdown file: scores, differences, and the ten sentences with the most"
    " additional errors",
)  # fmt: skip
@options.as_runs_option
@options.page_options
@options.engine_options
@options.scored_reading_options
@options.papers_options
@options.result_options
def compare(each: bool, summary_file: str | None, **given: Any) -> int:
    """Compare each of SYSTEMS with the first: which differences are significant?

    GOLD and SYSTEMS are files, or folders of files with the same names. For several training runs, SYSTEM has
    a folder for each, named run or seed with a number (SYSTEM/seed1/...); the table shows the mean and spread of runs.
    Scores and differences have confidence intervals. P-values and the intervals of differences are corrected for the
    number of systems. For a single SYSTEM, only scores are printed.
    """
    from levelhead.comparison.regression import outcome_text

    printing.check_papers(given)
    gold, systems = given["gold"], given["systems"]
    if given["fail_if_worse"] and len(systems) < 2:
        raise click.UsageError("--fail-if-worse requires a baseline and at least one other SYSTEM")
    if is_collection(gold):  # otherwise folders of runs are allowed
        check_kinds(gold, systems)
    given["prepare"] = [*["page"] * printing.wants_page(given), *["summary"] * (summary_file is not None)]
    comparison = options.call(given, files=inputs_of(systems))
    printing.show(given, comparison, each=each)
    if summary_file is not None:
        from levelhead.report.paper import summary

        worst = {code: looked.worst for code, looked in comparison.looked.items()}
        (measure,) = {looked.worst_by for looked in comparison.looked.values()}
        printing.emit(summary(comparison, measure, worst), summary_file)
    for faults in comparison.invalid.values():
        say(str(InputError(*faults)))
    for gate in comparison.gates:
        if gate.verdict != "met":
            say(outcome_text(gate))
    verdicts = {gate.verdict for gate in comparison.gates}
    return GATE if "not met" in verdicts else BAD_INPUT if "undecided" in verdicts else DONE


@command()
@options.gold_and_systems
@options.measuring_options
@options.interval_options
@setting("--parallel", is_flag=True)
@options.as_runs_option
@options.engine_options
@options.reading_options
@options.result_options
def languages(**given: Any) -> None:
    """Compare the treebanks of GOLD: which is harder for a system, and is this due to function words?

    GOLD and SYSTEMS are folders of files with the same names. Every pair of treebanks is compared for each system.
    P-values and the intervals of differences are corrected for the number of pairs.
    """
    with refused("too-few-treebanks", "GOLD must be a folder of at least two treebanks"):
        result = options.call(given, files=inputs_of(given["systems"]))
    printing.show(given, result)


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    try:
        numbers = sorted({int(number) for number in text.split(",")} if text is not None else ())
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a list of whole numbers such as 100,500") from error
    kind = options.WHOLE[parameter.opts[0].strip("-")]
    return tuple(kind.convert(number, parameter, context) for number in numbers)


@command()
@click.argument("files", nargs=-1, type=options.PATH, metavar="[GOLD SYSTEM SYSTEM]")
@options.measuring_options
@setting("--units", metavar="N,...", callback=_numbers)
@setting("--runs", metavar="K,...", callback=_numbers)
@setting("--run-sd", type=options.FiniteRange(0), metavar="POINTS")
@setting("--alpha", type=options.FiniteRange(0, 1, min_open=True, max_open=True))
@setting("--power", type=options.FiniteRange(0, 1, min_open=True, max_open=True))
@options.resample_by_option
@options.each_option
@options.figure_option
@options.as_runs_option
@options.engine_options
@options.reading_options
@options.result_options
def power(files: tuple[str, ...], each: bool, figure: str | None, **given: Any) -> None:
    """Show the smallest difference between two systems that a test set can detect.

    GOLD and SYSTEMS are files or folders, as in levelhead compare. The table shows the smallest difference that can be
    detected with n sentences or documents and k runs of each system, estimated from the outputs. Without files, it
    shows typical values for the outputs of CoNLL 2018.
    """
    refuse_if(len(files) not in {0, 3}, "give GOLD and two SYSTEMS, or no files for typical test sets")
    if files:
        check_kinds(files[0], files[1:])
        given |= {"gold": files[0], "systems": files[1:]}
    in_points = refused("invalid-argument", "--run-sd is in points: leave out perplexities")
    with in_points if given["run_sd"] is not None else nullcontext():
        result = options.call(given, files=inputs_of(files[1:]))
    printing.show(given, result, each=each)
    if figure is not None:
        from levelhead.report.charts.result_charts import power_chart
        from levelhead.report.page.files import write_drawing

        write_drawing(power_chart(result, each=each), figure)


@command()
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="FIRST [SECOND...]")
@click.option(
    "--by", type=options.Choice(["label", "measure", "pattern"]),
    help="Table to print: agreement on each kind of label (`label`), F1 of each measure (`measure`), or patterns of"
    " disagreement (`pattern`)  [default: all three in text output, otherwise label]",
)  # fmt: skip
@options.limit_option
@options.interval_options
@options.page_options
@options.reading_options
@options.result_options
def agree(files: tuple[str, ...], **given: Any) -> None:
    """Measure the agreement between annotations of the same text. None of them counts as gold.

    F1 does not depend on which annotation comes first. Cohen's kappa, Fleiss' kappa and Krippendorff's alpha correct
    for chance. They are computed for heads, relations, tags and each feature, with confidence intervals. Disagreements
    are grouped by their pair of labels (pattern).

    A single file holds several annotations if `# user_id` names the annotator of each sentence, as in exports of
    Arborator. A single folder holds a file for each annotator and document, as in exports of INCEpTION.
    """
    refuse_if(len(files) > 1 and any(map(is_collection, files)), "agree takes several files, or one folder")
    _show_by(given, options.call(given, *files), "label")


@command()
@click.argument("old", type=options.PATH)
@click.argument("new", type=options.PATH)
@click.option(
    "--by", type=options.Choice(["pattern", "sentence", "file"]),
    help="Table to print: patterns of changes (`pattern`), changed sentences (`sentence`), or files (`file`)  [default:"
    " pattern, with a summary in text output]",
)  # fmt: skip
@options.limit_option
@click.option(
    "--changelog", type=options.RESULT, metavar="MARKDOWN", help="Also write a draft changelog to this Markdown file"
)
@options.page_options
@options.rules_option
@options.input_format_option
@options.result_options
def diff(changelog: str | None, **given: Any) -> None:
    """List the changes from OLD to NEW: two versions of a treebank, or two outputs.

    Sentences can be added, removed, re-tokenized or re-annotated, and their text can change. Changes of annotation are
    grouped by column and pattern, such as `obl -> obj`. Sentences are paired by sent_id, otherwise by text. OLD and NEW
    can also be folders, such as two releases of a treebank: files are paired by name.
    """
    changes = options.call(given)
    if changelog is not None:
        printing.emit(changes.changelog(), changelog)
    _show_by(given, changes, "pattern")


def _show_by(given: dict[str, Any], result: Any, default: str) -> None:
    """Show the rows of --by, and without it a summary as text, or the default rows."""
    rows = given["by"] or default
    if given["output_format"] == "text" and given["by"] is None:
        printing.show(given, result)
    else:
        printing.show(given, result, main=f"{rows}s", by=rows)
