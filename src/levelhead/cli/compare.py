"""levelhead compare: several systems against the first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli import options
from levelhead.cli.program import DONE

if TYPE_CHECKING:
    from levelhead.comparison import Outputs
    from levelhead.measures import Registry
    from levelhead.significance import Settings


class Request(NamedTuple):
    """The arguments and options of `levelhead compare`; see there."""

    gold: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    rules: str
    scheme: str | None
    definitions: tuple[str, ...]
    punct: str
    languages: bool
    agreement: bool
    by: tuple[str, ...]
    train: tuple[str, ...]
    examples: int | None
    resamples: int
    seed: int
    level: float
    each: bool
    wilcoxon: bool
    power: bool
    report_file: str | None
    figures: str | None
    input_format: Any
    gold_format: Any
    output_format: str
    places: int | None
    output: str | None

    def check(self) -> None:
        """Refuse what does not go together."""
        options.check_paths(self.inputs(), [self.output, self.report_file])
        modes = [self.languages, self.agreement, bool(self.by), self.examples is not None]
        if sum(modes) > 1:
            raise click.UsageError("give one of --languages, --agreement, --by, --examples")
        needed = 2 if self.by or self.examples is not None else 1
        if len(self.systems) < needed or (self.agreement and len(self.systems) != 1):
            raise click.UsageError("this needs two systems" if needed == 2 else "--agreement is of two files")
        if any(modes) and (self.report_file or self.figures):
            raise click.UsageError("--report and --figures go with none of --languages, --agreement, --by, --examples")
        if self.train and not self.by:
            raise click.UsageError("--train is for --by")

    def inputs(self) -> Iterator[str]:
        """Give all files that are read, those of folders and of folders of runs too."""
        for path in (self.gold, *self.systems):
            yield path
            yield from (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)  # noqa: PTH118
        yield from (*self.train, *self.definitions)

    def registry(self) -> Registry:
        """Return the measures and schemes that there are."""
        return options.registry_of(self.definitions, self.scheme)

    def asked(self, *default: str) -> list[str]:
        """Return the measures asked for."""
        return options.without_punctuation(self.measures or default, self.punct, self.registry())

    def tests(self) -> Settings:
        """Return how differences are tested."""
        from levelhead.significance import Settings

        return Settings(self.resamples, self.seed, self.level)

    def outputs(self) -> Outputs:
        """Return the files to read."""
        from levelhead.comparison import find_outputs

        return find_outputs(self.gold, self.systems)

    def settings(self) -> dict[str, Any]:
        """Return how files are read and scored."""
        formats = {"format": self.input_format, "gold_format": self.gold_format}
        return {"rules": self.rules, **formats, "registry": self.registry()}

    def print(self, table: Any, document: Any) -> None:
        """Print a table, or its document where JSON is asked for."""
        if self.output_format in {"json", "jsonl"}:
            options.print_json(document(), self.output, lines=self.output_format == "jsonl")
        else:
            options.print_table(table(), self.output_format, self.places, self.output)


@click.command()
@click.argument("gold", type=click.Path())
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@options.measure_option
@options.rules_option
@options.scheme_option
@options.definitions_option
@options.punct_option
@click.option("--languages", is_flag=True, help="Compare treebanks, not systems: which is harder for each system?")
@click.option("--agreement", is_flag=True,
              help="Compare two annotations as equals: symmetric F1, kappa, sentences that differ.")  # fmt: skip
@click.option("--by", multiple=True, metavar="PROPERTY[,PROPERTY]",
              help="Where do systems gain? By deprel, length ...: see `score --by`.")  # fmt: skip
@click.option("--train", multiple=True, type=click.Path(), help="A training treebank, for --by; can be repeated.")
@click.option("--examples", type=click.IntRange(1), metavar="N",
              help="Draw N sentences in which each system gains most, and N in which it loses most.")  # fmt: skip
@click.option("--resamples", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True,
              help="Samples of the bootstrap, and permutations.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of all draws.")
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Of the intervals.")  # fmt: skip
@click.option("--each", is_flag=True, help="With folders: also every treebank, not only the averages.")
@click.option("--wilcoxon", is_flag=True, help="With folders: also Wilcoxon's test over treebanks (extra: stats).")
@click.option("--power", is_flag=True, help="Print the smallest difference that would be found in 80% of cases.")
@options.report_option
@options.figures_option
@options.input_format_option
@options.gold_format_option
@options.format_option()
@options.places_option
@options.output_option
def compare(**given: Any) -> int:
    """Compare SYSTEMS with the first of them: which differences are real?

    GOLD and SYSTEMS are files, or folders of files of the same names. A SYSTEM that is a folder of folders has several
    runs (SYSTEM/seed1/...), whose mean and spread are given. Scores and differences have intervals by the paired
    bootstrap over sentences; p is of the paired randomisation test, corrected over systems by Holm's method.
    """
    request = Request(**given)
    request.check()
    if request.languages:
        _languages(request)
    elif request.agreement:
        _agreement(request)
    elif request.by:
        _gains(request)
    elif request.examples is not None:
        _examples(request, request.examples)
    else:
        _compare(request)
    return DONE


def _compare(request: Request) -> None:
    from levelhead.comparison import compare as compare_outputs
    from levelhead.report.comparison import comparison_document, comparison_table

    asked = request.asked("UAS", "LAS", "CLAS")
    comparison = compare_outputs(
        request.outputs(), measures=asked, settings=request.tests(), wilcoxon=request.wilcoxon, **request.settings()
    )
    options.print_warnings(comparison.warnings)
    request.print(
        lambda: comparison_table(comparison, each=request.each, power=request.power),
        lambda: comparison_document(comparison),
    )
    if request.report_file is not None or request.figures is not None:
        from levelhead.comparison import read_outputs
        from levelhead.report.page.comparison import comparison_page
        from levelhead.scoring.rules import rules_named

        outputs = request.outputs()
        read = read_outputs(outputs, rules_named(request.rules), request.input_format, request.gold_format)
        page = comparison_page(comparison, read, len(outputs.gold), request.registry())
        options.write_page(page, request.report_file, request.figures)


def _languages(request: Request) -> None:
    from levelhead.languages import compare_languages
    from levelhead.report.comparison import languages_document, languages_table

    outputs = request.outputs()
    if len(outputs.gold) < 2:
        raise click.UsageError("--languages needs a folder of at least two treebanks")
    settings = request.settings()
    pairs = compare_languages(outputs, measures=request.asked("LAS", "CLAS"), settings=request.tests(), **settings)
    signature = {"rules": request.rules, "resamples": str(request.resamples), "seed": str(request.seed)}
    request.print(lambda: languages_table(pairs, signature), lambda: languages_document(pairs, signature))


def _agreement(request: Request) -> None:
    from levelhead.agreement import agreement
    from levelhead.evaluation import load_pair
    from levelhead.report.comparison import agreement_document, agreement_table
    from levelhead.scoring.matches import match
    from levelhead.scoring.rules import rules_named

    rules = rules_named(request.rules)
    pair = load_pair(request.gold, request.systems[0], rules, request.input_format, request.gold_format)
    found = agreement(match(*pair, rules))
    request.print(lambda: agreement_table(found), lambda: agreement_document(found))


def _gains(request: Request) -> None:
    from levelhead.analysis import Training
    from levelhead.analysis.buckets import Settings
    from levelhead.comparison import read_outputs
    from levelhead.gains import gains_by
    from levelhead.measures import parse_measure
    from levelhead.report.comparison import gains_document, gains_table
    from levelhead.scoring.rules import rules_named
    from levelhead.treebank import read

    registry = request.registry()
    measure = parse_measure(_one(request.asked("LAS")), registry)
    by = _one(list(request.by)).split(",")
    training = Training.of(read(path) for path in request.train) if request.train else None
    settings = Settings(registry.schemes.by_name[registry.schemes.default], training)
    read_all = read_outputs(request.outputs(), rules_named(request.rules), request.input_format, request.gold_format)
    found, baseline = {}, ""
    for name, outputs in read_all:
        found[name] = gains_by(outputs, measure, by, settings, registry)
        baseline = outputs[0].name
    request.print(
        lambda: gains_table(found, by, str(measure), baseline), lambda: gains_document(found, by, str(measure))
    )


def _examples(request: Request, how_many: int) -> None:
    from levelhead.comparison import read_outputs
    from levelhead.gains import contrasts
    from levelhead.measures import parse_measure
    from levelhead.report.drawing import draw_contrasts
    from levelhead.scoring.rules import rules_named

    if request.output_format != "text":
        raise click.UsageError("--examples prints text")
    registry = request.registry()
    measure = parse_measure(_one(request.asked("LAS")), registry)
    texts = []
    read_all = read_outputs(request.outputs(), rules_named(request.rules), request.input_format, request.gold_format)
    for name, (baseline, *others) in read_all:
        for system in others:
            gained, lost = contrasts(baseline.matches, system.matches, measure, how_many, registry)
            texts.append(f"{name}: " + draw_contrasts(baseline, system, gained, lost))
    options.emit("".join(texts), request.output)


def _one(given: list[str]) -> str:
    if len(given) > 1:
        raise click.UsageError("this is of one measure and one --by at a time")
    return given[0]
