"""levelhead compare: compare systems with the first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import click

from levelhead.cli.program import BAD_INPUT, DONE, GATE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import as_runs_option, engine_options
from levelhead.cli.shared.measuring import files_of_measures, measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.papers import Papers, papers_options
from levelhead.cli.shared.printing import Printing, emit, page_options, print_provenance, printing_options
from levelhead.cli.shared.reading import check_kinds, check_paths, holds_test_sets, inputs_of, scored_reading_options
from levelhead.cli.shared.result_paths import RESULT
from levelhead.cli.shared.statistics import statistics_options
from levelhead.cli.shared.values import Choice
from levelhead.extras import require

if TYPE_CHECKING:
    from levelhead.api.comparing import Prepared
    from levelhead.comparison.systems import Comparison


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
@measuring_options("UAS, LAS and CLAS", "WLAS(WDE)")
@options.partial_option
@statistics_options
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
    "--summary", type=RESULT, metavar="MARKDOWN",
    help="Also write scores, differences and the ten sentences with the largest losses to this Markdown file",
)  # fmt: skip
@as_runs_option
@page_options()
@engine_options
@scored_reading_options
@papers_options
@printing_options
def compare(**given: Any) -> int:
    """Compare each of SYSTEMS with the first: which differences are significant?

    GOLD and SYSTEMS are files, or folders of files with the same names. For several training runs, SYSTEM is a folder
    of folders named run or seed with a number (SYSTEM/seed1/...), and the table shows the mean and spread of runs.
    Scores and differences have confidence intervals. P-values are corrected for several systems by Holm's method.
    Documents are the units if gold marks them.
    """
    from levelhead.api.comparing import compare as compared
    from levelhead.comparison.regression import gated_measures

    _check(given)
    gold, systems, measuring, page = given["gold"], given["systems"], given["measuring"], given["page"]
    statistics, prepare = given["statistics"], cast("list[Prepared]", ["page"] if page.wanted else [])
    if given["summary"] is not None:
        prepare.append("summary")
    gates = gated_measures(given["fail_if_worse"], measuring.registry)
    named = ("partial", "margin", "wilcoxon", "votes", "as_runs")
    comparison = compared(
        gold, systems, prepare=prepare, fail_if_worse=gates, **{name: given[name] for name in named},
        **statistics._asdict(), **measuring.arguments(), **given["reading"].arguments(),
        **given["engine"].arguments(inputs_of(systems)),
    )  # fmt: skip
    print_provenance(comparison.provenance)
    _print(comparison, given["papers"], given["printing"], each=given["each"])
    page.write_result(comparison, measuring.registry)
    if given["summary"] is not None:
        from levelhead.report.summary import summary

        worst = {code: looked.worst for code, looked in comparison.looked.items()}
        (measure,) = {looked.worst_by for looked in comparison.looked.values()}
        emit(summary(comparison, measure, worst), given["summary"])
    return _exit_code(comparison)


def _check(given: dict[str, Any]) -> None:
    """Refuse outputs that would replace inputs, and options whose library is not installed."""
    gold, systems, printing = given["gold"], given["systems"], given["printing"]
    given["papers"].check(printing.output_format)
    from levelhead.measures.registry import split_measures

    if given["fail_if_worse"] and len(systems) < 2:
        raise click.UsageError("--fail-if-worse requires a baseline and at least one other SYSTEM")
    files = [*inputs_of([gold, *systems]), *given["measuring"].files()]
    files += files_of_measures(name for text in given["fail_if_worse"] for name in split_measures(text))
    check_paths(files, [printing.output, *given["page"].outputs(), given["summary"], given["engine"].store])
    if given["wilcoxon"]:
        require("scipy", "Wilcoxon tests")
    if holds_test_sets(gold):  # otherwise folders of runs are allowed
        check_kinds(gold, systems)


def _print(comparison: Comparison, papers: Papers, printing: Printing, *, each: bool) -> None:
    from levelhead.report.paper import comparison_papers

    if not papers.print(comparison, partial(comparison_papers, comparison, each=each), printing):
        printing.print(lambda: comparison.table(each=each), comparison.to_dict)


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
