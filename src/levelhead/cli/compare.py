"""levelhead compare: compare systems with the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import BAD_INPUT, DONE, GATE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_paths, holds_test_sets, inputs_of, named_files
from levelhead.cli.shared.option_types import RESULT, Choice, limited
from levelhead.cli.shared.printing import (
    PageRequest,
    Papers,
    Printing,
    emit,
    page_options,
    papers_options,
    print_provenance,
    printing_options,
)

if TYPE_CHECKING:
    from levelhead.comparison.systems import Comparison


@command()
@options.gold_argument
@options.systems_argument
@options.measuring_options("UAS, LAS and CLAS", "WLAS(WDE)")
@options.partial_option
@click.option(
    "--resamples", type=limited("resamples"), default=10_000, show_default=True,
    help="Number of random permutations",
)  # fmt: skip
@options.resample_by_option
@options.seed_option
@options.level_option
@click.option("--each", is_flag=True, help="For folders, print each treebank, not only the averages")
@click.option("--wilcoxon", is_flag=True, help="Also print Wilcoxon's test over treebanks (extra: stats)")
@click.option(
    "--votes", type=Choice(["treebank", "language", "family"]), default="treebank", show_default=True,
    help="Units of the sign test and Wilcoxon's test over treebanks: each has one vote",
)  # fmt: skip
@click.option(
    "--margin", type=float, metavar="POINTS",
    help="Test whether differences are smaller than this margin (points; for perplexities a ratio such as 1.05)",
)  # fmt: skip
@click.option(
    "--fail-if-worse", multiple=True, metavar="MEASURE,...",
    help="Exit with 1 if a system is significantly worse than the first; with --margin, unless the interval shows"
    " that it is worse by at most the margin",
)  # fmt: skip
@click.option(
    "--summary", "summary_file", type=RESULT, metavar="MARKDOWN",
    help="Also write scores, differences and the ten sentences with the largest losses to this Markdown file",
)  # fmt: skip
@options.as_runs_option
@page_options()
@options.engine_options
@options.scored_reading_options
@papers_options
@printing_options()
def compare(
    page: PageRequest, papers: Papers, printing: Printing, each: bool, summary_file: str | None, **given: Any
) -> int:
    """Compare each of SYSTEMS with the first: which differences are significant?

    GOLD and SYSTEMS are files, or folders of files with the same names. For several training runs, SYSTEM is a folder
    of folders named run or seed with a number (SYSTEM/seed1/...), and the table shows the mean and spread of runs.
    Scores and differences have confidence intervals. P-values are corrected for several systems by Holm's method.
    Documents are the units if gold marks them.
    """
    from levelhead.api.comparing import compare as compared
    from levelhead.comparison.regression import gated_measures
    from levelhead.measures.registry import STANDARD, split_measures

    papers.check(printing.output_format)
    gold, systems = given["gold"], given["systems"]
    if given["fail_if_worse"] and len(systems) < 2:
        raise click.UsageError("--fail-if-worse requires a baseline and at least one other SYSTEM")
    gated = [name for text in given["fail_if_worse"] for name in split_measures(text)]
    files = [*inputs_of([gold, *systems]), *named_files(given), *options.files_of_measures(gated)]
    check_paths(files, [printing.output, *page.outputs(), summary_file, given["store"]])
    if given["wilcoxon"]:
        from levelhead.extras import require

        require("scipy", "Wilcoxon tests")
    if holds_test_sets(gold):  # otherwise folders of runs are allowed
        check_kinds(gold, systems)
    prepare: Any = [*(["page"] if page.wanted else []), *(["summary"] if summary_file is not None else [])]
    arguments = options.arguments_for(compared, given, inputs_of(systems))
    arguments["fail_if_worse"] = gated_measures(given["fail_if_worse"], arguments.get("registry", STANDARD))
    comparison = compared(**arguments, prepare=prepare)
    print_provenance(comparison.provenance)
    if not papers.print(comparison, printing, each=each):
        printing.print(lambda: comparison.table(each=each), comparison.to_dict)
    page.write(comparison, arguments.get("registry"))
    if summary_file is not None:
        from levelhead.report.paper import summary

        worst = {code: looked.worst for code, looked in comparison.looked.items()}
        (measure,) = {looked.worst_by for looked in comparison.looked.values()}
        emit(summary(comparison, measure, worst), summary_file)
    return _exit_code(comparison)


def _exit_code(comparison: Comparison) -> int:
    """Report the gates that failed, with the errors of invalid outputs, and return the exit code."""
    from levelhead.comparison.regression import failing
    from levelhead.errors import InputError

    for faults in comparison.invalid.values():
        say(str(InputError(*faults)))
    for line in failing(comparison):
        say(line)
    verdicts = {gate.verdict for gate in comparison.gates}
    return GATE if "not met" in verdicts else BAD_INPUT if "undecided" in verdicts else DONE
