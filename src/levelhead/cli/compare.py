"""levelhead compare: several systems against the first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, engine_options
from levelhead.cli.shared.measuring import Measuring, measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading, inputs_of, plan_of, reading_options
from levelhead.cli.shared.statistics import Statistics, statistics_options
from levelhead.cli.shared.values import Choice
from levelhead.extras import require

if TYPE_CHECKING:
    from levelhead.campaign.job import Look
    from levelhead.campaign.plan import Plan
    from levelhead.comparison.systems import Comparison
    from levelhead.evaluation.setup import Setup


class _Request(NamedTuple):
    gold: str
    systems: tuple[str, ...]
    measuring: Measuring
    statistics: Statistics
    each: bool
    wilcoxon: bool
    votes: Any
    margin: float | None
    report_file: str | None
    figures: str | None
    engine: EngineOptions
    reading: Reading
    printing: Printing

    @property
    def wants_page(self) -> bool:
        """Whether a page or its figures are written."""
        return self.report_file is not None or self.figures is not None

    def check(self) -> None:
        """Refuse outputs that would replace inputs, and what needs a library that is not installed."""
        files = [*inputs_of([self.gold, *self.systems]), *self.measuring.files()]
        options.check_paths(files, [self.printing.output, self.report_file, self.figures, self.engine.store])
        if self.wilcoxon:
            require("scipy", "Wilcoxon tests")


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
@measuring_options("UAS, LAS and CLAS", "WLAS(WDE)")
@statistics_options
@click.option("--each", is_flag=True, help="Print every treebank of folders, not only the averages")
@click.option("--wilcoxon", is_flag=True, help="Also print Wilcoxon's test over treebanks (extra: stats)")
@click.option(
    "--votes", type=Choice(["treebank", "language", "family"]), default="treebank", show_default=True,
    help="What has one vote in the sign test and in Wilcoxon's test over treebanks",
)  # fmt: skip
@click.option(
    "--margin", type=float, metavar="POINTS",
    help="Test whether differences are smaller than this; for perplexities a ratio such as 1.05",
)  # fmt: skip
@options.report_option
@options.figures_option
@engine_options
@reading_options
@printing_options
def compare(**given: Any) -> int:
    """Compare SYSTEMS with the first of them: which differences are significant?

    GOLD and SYSTEMS are files, or folders of files of the same names. A SYSTEM that is a folder of folders has several
    runs (SYSTEM/seed1/...), whose mean and spread are given. Scores and differences have confidence intervals, and
    differences p-values, corrected over systems by Holm's method. Documents are the units if gold marks them.
    """
    request = _Request(**given)
    request.check()
    measuring = request.measuring
    names = measuring.names(*request.reading.or_own("UAS", "LAS", "CLAS"))
    plan = plan_of(request.gold, request.systems, request.engine.split, runs=True)
    setup = request.reading.setup(names, measuring.registry, measuring.weights(names))
    comparison = _compared(request, plan, setup)
    print_provenance(comparison.provenance)
    _print(request, comparison)
    if request.wants_page:
        _write_page(request, comparison, plan)
    return DONE


def _compared(request: _Request, plan: Plan, setup: Setup) -> Comparison:
    from levelhead.comparison.systems import compare as compare_systems

    look = _look(len(plan.test_sets), setup) if request.wants_page else None
    tests: dict[str, Any] = {"wilcoxon": request.wilcoxon, "votes": request.votes}
    settings = request.statistics.settings(request.margin)
    with request.engine.running(plan) as how:
        return compare_systems(plan, setup, settings=settings, look=look, **tests, **how)


def _print(request: _Request, comparison: Comparison) -> None:
    request.printing.print(lambda: comparison.table(each=request.each), comparison.to_dict)


def _look(n_treebanks: int, setup: Setup) -> Look:
    """What makes the parts of the page, where the engine reads the outputs."""
    from levelhead.report.page.comparison import treebank_part

    return partial(treebank_part, n_treebanks=n_treebanks, registry=setup.registry)


def _write_page(request: _Request, comparison: Comparison, plan: Plan) -> None:
    from levelhead.report.page.comparison import comparison_page

    page = comparison_page(comparison, [comparison.looked[one.code] for one in plan.test_sets])
    options.write_page(page, request.report_file, request.figures)
