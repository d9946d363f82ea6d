"""levelhead power: the difference that a test set can detect."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli import idle, options
from levelhead.cli.engine_options import EngineOptions, engine_options
from levelhead.cli.program import DONE
from levelhead.cli.result_paths import CHART

if TYPE_CHECKING:
    from levelhead.measures import Registry
    from levelhead.power import Design, Power

_MEASURES = ("UAS", "LAS", "CLAS")

_OF_FILES = (
    "rules", "scheme", "definitions", "punct", "train", "each", "input_format", "gold_format", "split", "resample_by",
    "jobs", "store", "address", "tls_ca", "tls_cert", "tls_key",
)  # fmt: skip
"""Options that have no effect without files."""


class Request(NamedTuple):
    """The arguments and options of `levelhead power`; see there."""

    files: tuple[str, ...]
    measures: tuple[str, ...]
    rules: str
    scheme: str | None
    definitions: tuple[str, ...]
    punct: str
    train: tuple[str, ...]
    sizes: tuple[int, ...]
    runs: tuple[int, ...]
    run_sd: float | None
    alpha: float
    power: float
    resample_by: str
    each: bool
    figure: str | None
    input_format: Any
    gold_format: Any
    output_format: str
    places: int | None
    output: str | None
    engine: EngineOptions

    def check(self) -> None:
        """Refuse a wrong number of files, options without effect, and results over inputs."""
        if len(self.files) not in {0, 3}:
            raise click.UsageError("give GOLD and two SYSTEMs, or no files for typical test sets")
        if not self.files:
            idle.refuse(_OF_FILES, "requires files")
        elif not options.holds_test_sets(self.files[0]):
            idle.refuse(["each"], "is for folders of treebanks")
            if any(map(os.path.isdir, self.files[1:])):
                raise click.UsageError("GOLD is a file and a SYSTEM is a folder: give files, or folders of files")
        if self.train and not options.needs_entropy(self.measures):
            raise click.UsageError("--train is for WLAS(WDE)")
        idle.refuse_for_measures(self.measures or _MEASURES, self.registry)
        if self.figure is not None:
            from levelhead.report.page.files import checked_suffix

            checked_suffix(self.figure)
        read = [path for given in self.files for path in options.files_in(given)]
        read += [*self.train, *self.definitions, *options.files_of_measures(self.measures)]
        options.check_paths(read, [self.output, self.figure, self.engine.store])

    def registry(self) -> Registry:
        """Return the available measures and schemes."""
        return options.registry_of(self.definitions, self.scheme)

    def design(self) -> Design:
        """Return the designs to compute."""
        from levelhead.power import Design
        from levelhead.significance.power import checked_test

        deviation = None if self.run_sd is None else self.run_sd / 100
        return Design(self.sizes, self.runs, deviation, checked_test(self.alpha, self.power))

    def result(self) -> Power:
        """Return the detectable differences."""
        from levelhead.power import power, typical_power

        design = self.design()
        if not self.files:
            return typical_power(self.measures or _MEASURES, design)
        from levelhead.campaign.plan import find
        from levelhead.setup import setup_of

        registry = self.registry()
        measures = options.without_punctuation(self.measures or _MEASURES, self.punct, registry)
        weights = options.entropy_weights_of(self.train) if options.needs_entropy(self.measures) else {}
        formats = {"format": self.input_format, "gold_format": self.gold_format}
        setup = setup_of(measures, rules=self.rules, registry=registry, weights=weights, **formats)
        if self.run_sd is not None and setup.perplexities:
            raise click.UsageError("--run-sd is in points: leave perplexities out")
        gold, *systems = self.files
        plan = find(gold, systems, self.engine.split)
        options.print_unpaired(plan.ignored, "gold treebank")
        with self.engine.running(plan) as how:
            return power(plan, setup, design, resample_by=self.resample_by, **how)


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:  # noqa: ARG001
    """Read numbers between commas."""
    if text is None:
        return ()
    try:
        return tuple(sorted({int(one) for one in text.split(",")}))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a list of whole numbers such as 100,500") from error


@click.command()
@click.argument("files", nargs=-1, type=click.Path(), metavar="[GOLD SYSTEM SYSTEM]")
@options.measure_option("UAS, LAS and CLAS")
@options.rules_option
@options.scheme_option
@options.definitions_option
@options.punct_option
@click.option("--train", multiple=True, type=click.Path(), help="A training treebank for WLAS(WDE); can be repeated.")
@click.option("--units", "sizes", metavar="N,...", callback=_numbers,
              help="Numbers of units: sentences or documents. Default: 6 sizes, and that of the test set.")  # fmt: skip
@click.option("--runs", metavar="K,...", callback=_numbers,
              help="Numbers of training runs per system. Default: 1; 1,3,5,10 if their spread is known.")  # fmt: skip
@click.option("--run-sd", type=click.FloatRange(0), metavar="POINTS",
              help="Standard deviation between runs. Default: estimated from folders of runs.")  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level of the two-sided test.")
@click.option("--power", type=float, default=0.8, show_default=True,
              help="Probability with which the difference is detected.")  # fmt: skip
@options.resample_by_option
@click.option("--each", is_flag=True, help="With folders: also every treebank, not only the macro-average.")
@click.option("--figure", type=CHART, metavar="FILE", help="Also draw, as .svg, .png, .pdf or .html.")
@engine_options
@options.input_format_option
@options.gold_format_option
@options.format_option()
@options.places_option
@options.output_option
def power(**given: Any) -> int:
    """Show which difference between two systems a test set can detect.

    GOLD and SYSTEMs are files or folders, as for `compare`; a SYSTEM that is a folder of folders has several training
    runs. From their outputs, the table shows the smallest difference that a test set of n sentences or documents
    detects with k runs of each system. Without files, it shows what is typical of the outputs of CoNLL 2018.
    """
    request = Request(**given)
    request.check()
    found = request.result()
    options.print_warnings(dict.fromkeys(found.provenance.warnings))
    _print(request, found)
    return DONE


def _print(request: Request, found: Power) -> None:
    from levelhead.report import power as report

    options.print_result(
        lambda: report.power_table(found, each=request.each),
        lambda: report.power_document(found),
        request.output_format,
        request.places,
        request.output,
    )
    if request.figure is not None:
        from levelhead.report.page.files import write_drawing

        write_drawing(report.power_chart(found, each=request.each), request.figure)
