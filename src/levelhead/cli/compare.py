"""levelhead compare: compare systems with the first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.program import BAD_INPUT, DONE, GATE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, as_runs_option, engine_options
from levelhead.cli.shared.measuring import Measuring, files_of_measures, measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.papers import Papers, papers_options
from levelhead.cli.shared.printing import PageRequest, Printing, emit, page_options, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading, check_paths, inputs_of, plan_of, scored_reading_options
from levelhead.cli.shared.result_paths import RESULT
from levelhead.cli.shared.statistics import Statistics, statistics_options
from levelhead.cli.shared.values import Choice
from levelhead.extras import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from levelhead.campaign.outputs import Output
    from levelhead.campaign.plan import Plan
    from levelhead.comparison.systems import Comparison
    from levelhead.comparison.worst_sentences import WorseSentence
    from levelhead.evaluation.setup import Setup
    from levelhead.measures.registry import Registry


class _Request(NamedTuple):
    gold: str
    systems: tuple[str, ...]
    measuring: Measuring
    statistics: Statistics
    partial: bool
    each: bool
    wilcoxon: bool
    votes: Any
    margin: float | None
    fail_if_worse: tuple[str, ...]
    summary: str | None
    as_runs: bool
    page: PageRequest
    engine: EngineOptions
    reading: Reading
    papers: Papers
    printing: Printing

    def check(self) -> None:
        """Refuse outputs that would replace inputs, and options whose library is not installed."""
        self.papers.check(self.printing.output_format)
        from levelhead.measures.registry import split_measures

        if self.fail_if_worse and len(self.systems) < 2:
            raise click.UsageError("--fail-if-worse requires a baseline and at least one other SYSTEM")
        files = [*inputs_of([self.gold, *self.systems]), *self.measuring.files()]
        files += files_of_measures(name for text in self.fail_if_worse for name in split_measures(text))
        results = [self.printing.output, *self.page.outputs(), self.summary, self.engine.store]
        check_paths(files, results)
        if self.wilcoxon:
            require("scipy", "Wilcoxon tests")


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
    request = _Request(**given)
    request.check()
    from levelhead.comparison.regression import gated_measures

    measuring = request.measuring
    gates = gated_measures(request.fail_if_worse, measuring.registry)
    names = list(dict.fromkeys([*measuring.names(*request.reading.or_own("UAS", "LAS", "CLAS")), *gates]))
    plan = plan_of(request.gold, request.systems, request.engine.split, runs=True, as_runs=request.as_runs)
    setup = request.reading.setup(names, measuring.registry, measuring.weights(names), partial=request.partial)
    worst_by = _word_measure([*gates, *names], setup) if request.summary is not None else None
    comparison = _compared(request, plan, setup, gates, worst_by)
    print_provenance(comparison.provenance)
    _print(request, comparison)
    if request.page.wanted:
        _write_page(request, comparison, [comparison.looked[test_set.code].page for test_set in plan.test_sets])
    if worst_by is not None:
        _write_summary(request, comparison, worst_by.names[0])
    return _exit_code(comparison)


def _compared(request: _Request, plan: Plan, setup: Setup, gates: list[str], worst_by: Setup | None) -> Comparison:
    from levelhead.comparison.systems import compare as compare_systems

    wants_parts = request.page.wanted or worst_by is not None
    look = (
        partial(
            _look_at,
            n_treebanks=len(plan.test_sets),
            registry=setup.registry,
            page=request.page.wanted,
            worst_by=worst_by,
        )
        if wants_parts
        else None
    )
    tests: dict[str, Any] = {"wilcoxon": request.wilcoxon, "votes": request.votes, "fail_if_worse": gates}
    settings = request.statistics.settings(request.margin)
    with request.engine.running(plan) as how:
        return compare_systems(plan, setup, settings=settings, look=look, **tests, **how)


def _print(request: _Request, comparison: Comparison) -> None:
    from levelhead.report.paper import comparison_papers

    tables = partial(comparison_papers, comparison, each=request.each)
    if not request.papers.print(comparison, tables, request.printing):
        request.printing.print(lambda: comparison.table(each=request.each), comparison.to_dict)


class _Parts(NamedTuple):
    """The parts of the page for one test set, computed where the engine reads the outputs."""

    page: Any
    worst: list[WorseSentence]


def _look_at(
    code: str, outputs: Sequence[Output], *, n_treebanks: int, registry: Registry, page: bool, worst_by: Setup | None
) -> _Parts:
    part = None
    if page:
        from levelhead.report.page.treebank_contrasts import treebank_part

        part = treebank_part(code, outputs, n_treebanks=n_treebanks, registry=registry)
    if worst_by is None:
        return _Parts(part, [])
    from levelhead.comparison.worst_sentences import worst_sentences

    return _Parts(part, worst_sentences(code, outputs, setup=worst_by))


def _word_measure(names: Sequence[str], setup: Setup) -> Setup:
    """The settings with the first measure that counts words and needs no file; LAS by default."""
    from levelhead.measures.registry import parse_measure

    defined = {str(measure): (measure, definition) for measure, definition in setup.defined}
    for name in names:
        measure, definition = defined[name]
        if definition.unit == "words" and not definition.needs_file:
            return setup.with_measures([measure])
    return setup.with_measures([parse_measure("LAS", setup.registry)])


def _write_page(request: _Request, comparison: Comparison, parts: list[Any]) -> None:
    from levelhead.report.page.comparison import comparison_page

    registry = request.measuring.registry
    request.page.write(lambda: comparison_page(comparison, parts, registry))


def _write_summary(request: _Request, comparison: Comparison, measure: str) -> None:
    from levelhead.report.summary import summary

    worst = {code: parts.worst for code, parts in comparison.looked.items()}
    emit(summary(comparison, measure, worst), request.summary)


def _exit_code(comparison: Comparison) -> int:
    """Report the gates that failed, with the errors of invalid outputs, and return the exit code."""
    from levelhead.comparison.verdicts import failing
    from levelhead.errors import InputError

    for faults in comparison.invalid.values():
        say(str(InputError(*faults)))
    for line in failing(comparison):
        say(line)
    verdicts = {gate.verdict for gate in comparison.gates}
    return GATE if "not met" in verdicts else BAD_INPUT if "undecided" in verdicts else DONE
