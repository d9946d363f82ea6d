"""levelhead compare: several systems against the first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli import idle, options
from levelhead.cli.engine_options import EngineOptions, engine_options
from levelhead.cli.program import DONE, say
from levelhead.extras import require

if TYPE_CHECKING:
    from collections.abc import Iterable

    from levelhead.campaign.job import Look
    from levelhead.campaign.plan import Plan
    from levelhead.evaluation.provenance import Provenance
    from levelhead.evaluation.setup import Setup
    from levelhead.measures.registry import Registry
    from levelhead.scoring.weights import Weights
    from levelhead.significance import Settings


_TESTS = ("power", "each", "wilcoxon", "votes", "margin")
_DRAWS = ("resamples", "resample_by", "seed", "level")
_IDLE = {
    "languages": _TESTS,
    "agreement": (*_TESTS, *_DRAWS, "measures", "scheme", "definitions", "punct", "train", "parallel"),
    "by": (*_TESTS, *_DRAWS),
    "examples": (*_TESTS, *_DRAWS, "places"),
}
"""Of each mode the options that would do nothing."""

_FLAGS = {"measures": "measure"}


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
    parallel: bool
    agreement: bool
    by: tuple[str, ...]
    train: tuple[str, ...]
    examples: int | None
    resamples: int
    resample_by: str
    seed: int
    level: float
    each: bool
    wilcoxon: bool
    votes: Any
    margin: float | None
    power: bool
    report_file: str | None
    figures: str | None
    input_format: Any
    gold_format: Any
    output_format: str
    places: int | None
    output: str | None
    engine: EngineOptions

    def check(self, given: set[str]) -> None:
        """Refuse what does not go together, and options that would do nothing.

        Args:
            given: the names of the options that stand on the command line.
        """
        modes = [name for name in _IDLE if getattr(self, name) not in (False, None, ())]
        if len(modes) > 1:
            raise click.UsageError("give one of --languages, --agreement, --by, --examples")
        needed = 2 if self.by or self.examples is not None else 1
        if len(self.systems) < needed or (self.agreement and len(self.systems) != 1):
            raise click.UsageError("this needs two systems" if needed == 2 else "--agreement is of two files")
        if self.agreement and any(map(os.path.isdir, (self.gold, *self.systems))):
            raise click.UsageError("--agreement is for one pair of files")
        if modes and (self.report_file or self.figures):
            raise click.UsageError("--report and --figures go with none of --languages, --agreement, --by, --examples")
        for mode in modes:
            unused = [name for name in _IDLE[mode] if name in given]
            if unused:
                flags = ", ".join(f"--{_FLAGS.get(name, name)}" for name in unused)
                raise click.UsageError(f"--{mode} does nothing with {flags}")
        if self.parallel and not self.languages:
            raise click.UsageError("--parallel is for --languages")
        if self.train and not (self.by or self.languages or self.needs_entropy):
            raise click.UsageError("--train is for --by, --languages and WLAS(WDE)")
        if self.train and self.languages and self.measures and not self.needs_entropy:
            raise click.UsageError("--train is for WLAS(WDE), and -m asks for other measures")
        self._refuse_idle()
        options.check_paths(self.inputs(), [self.output, self.report_file, self.engine.store])

    def _refuse_idle(self) -> None:
        """Refuse options that change nothing of these files, measures and breakdowns."""
        if self.wilcoxon:
            require("scipy", "Wilcoxon tests")
        if self.by and not self.needs_entropy:
            idle.refuse_training(name for text in self.by for name in text.split(","))
        by_scheme = bool(self.report_file or self.figures) or any("class" in text.split(",") for text in self.by)
        measures = self.measures or (("LAS",) if self.by or self.examples is not None else self.default())
        idle.refuse_for_measures(measures, self.registry, by_scheme=by_scheme)

    @property
    def needs_entropy(self) -> bool:
        """Whether a measure has weights from training treebanks."""
        return options.needs_entropy(self.measures or (self.default() if self.languages else ()))

    def default(self) -> tuple[str, ...]:
        """Return the measures that stand for none, of all systems or languages."""
        if self.languages:
            return ("LAS", "CLAS", "WLAS(WDE)") if self.train else ("LAS", "CLAS")
        return ("UAS", "LAS", "CLAS")

    def entropy_weights(self) -> dict[str, Weights]:
        """Return the weights of WLAS(WDE), averaged over the training treebanks; nothing if it was not asked for."""
        return options.entropy_weights_of(self.train) if self.needs_entropy else {}

    def inputs(self) -> Iterator[str]:
        """Give all files that are read, those of folders and of folders of runs too."""
        for path in (self.gold, *self.systems):
            yield from options.files_in(path)
        yield from (*self.train, *self.definitions, *options.files_of_measures(self.measures))

    def registry(self) -> Registry:
        """Return the measures and schemes that there are."""
        return options.registry_of(self.definitions, self.scheme)

    def asked(self, *default: str) -> list[str]:
        """Return the measures asked for."""
        return options.without_punctuation(self.measures or default, self.punct, self.registry())

    def tests(self) -> Settings:
        """Return how differences are tested."""
        from levelhead.significance import Settings

        return Settings(self.resamples, self.seed, self.level, self.margin, self.resample_by)

    def plan(self) -> Plan:
        """Return the test sets and the systems."""
        from levelhead.campaign.plan import find

        if not options.holds_test_sets(self.gold) and any(map(os.path.isdir, self.systems)):
            raise click.UsageError("GOLD is a file and a SYSTEM is a folder: give files, or folders of files")
        plan = find(self.gold, self.systems, self.engine.split)
        several_runs = any(system.run for system in plan.systems)
        if several_runs and (self.by or self.examples is not None):
            raise click.UsageError("--by and --examples compare single outputs: name one run of each system")
        options.print_unpaired(plan.ignored, "gold treebank")
        return plan

    def setup(self, measures: Iterable[str]) -> Setup:
        """Return the settings for some measures."""
        from levelhead.evaluation.setup import setup_of

        formats = {"format": self.input_format, "gold_format": self.gold_format}
        weights = self.entropy_weights()
        return setup_of(measures, rules=self.rules, registry=self.registry(), weights=weights, **formats)

    def print(self, table: Any, document: Any) -> None:
        """Print a table, or its document where JSON is asked for."""
        options.print_result(table, document, self.output_format, self.places, self.output)


@click.command()
@click.argument("gold", type=click.Path())
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@options.measure_option("UAS, LAS and CLAS; LAS and CLAS with --languages; LAS with --by and --examples")
@options.rules_option
@options.scheme_option
@options.definitions_option
@options.punct_option
@click.option("--languages", is_flag=True, help="Compare treebanks, not systems: which is harder for each system?")
@click.option("--parallel", is_flag=True,
              help="With --languages: the same sent_ids are the same sentences, even if they only count.")  # fmt: skip
@click.option("--agreement", is_flag=True,
              help="Compare two annotations as equals: symmetric F1, kappa, sentences that differ.")  # fmt: skip
@click.option("--by", multiple=True, metavar="PROPERTY[,PROPERTY]",
              help="Where do systems gain? By deprel, length ...: see `score --by`.")  # fmt: skip
@click.option("--train", multiple=True, type=click.Path(),
              help="A training treebank, for --by, WLAS(WDE) and --languages; can be repeated.")  # fmt: skip
@click.option("--examples", type=click.IntRange(1), metavar="N",
              help="Draw N sentences in which each system gains most, and N in which it loses most"
                   " (up to 200 words).")  # fmt: skip
@click.option("--resamples", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True,
              help="Random permutations")  # fmt: skip
@options.resample_by_option
@options.seed_option
@options.level_option
@click.option("--each", is_flag=True, help="With folders: also every treebank, not only the averages.")
@click.option("--wilcoxon", is_flag=True, help="With folders: also Wilcoxon's test over treebanks (extra: stats).")
@click.option("--votes", type=click.Choice(["treebank", "language", "family"]), default="treebank", show_default=True,
              help="With folders: who has one vote in the sign test and Wilcoxon's test.")  # fmt: skip
@click.option("--margin", type=float, metavar="POINTS",
              help="Are differences smaller than this? For perplexities: a ratio such as 1.05.")  # fmt: skip
@click.option("--power", is_flag=True, help="Print the smallest difference that would be found in 80% of cases.")
@options.report_option
@options.figures_option
@engine_options
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
    request.check({*idle.given()})
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


def _print_warnings_and_notes(provenance: Provenance) -> None:
    options.print_warnings(dict.fromkeys(provenance.warnings))
    for note in provenance.notes:
        say(f"note: {note}")


def _compare(request: Request) -> None:
    from levelhead.comparison.systems import compare as compare_systems
    from levelhead.report.comparison import comparison_document, comparison_table

    setup, plan = request.setup(request.asked(*request.default())), request.plan()
    page = request.report_file is not None or request.figures is not None
    look = _look(len(plan.test_sets), setup) if page else None
    settings = request.tests()
    with request.engine.running(plan) as how:
        tests = {"wilcoxon": request.wilcoxon, "votes": request.votes}
        comparison = compare_systems(plan, setup, settings=settings, look=look, **tests, **how)
    _print_warnings_and_notes(comparison.provenance)
    request.print(
        lambda: comparison_table(comparison, each=request.each, power=request.power),
        lambda: comparison_document(comparison),
    )
    if page:
        from levelhead.report.page.comparison import comparison_page

        made = comparison_page(comparison, [comparison.looked[one.code] for one in plan.test_sets])
        options.write_page(made, request.report_file, request.figures)


def _look(n_treebanks: int, setup: Setup) -> Look:
    """What makes the parts of the page, where the engine reads the outputs."""
    from levelhead.report.page.comparison import treebank_part

    return partial(treebank_part, n_treebanks=n_treebanks, registry=setup.registry)


def _languages(request: Request) -> None:
    from levelhead.comparison.languages import compare_languages
    from levelhead.report.comparison import languages_document, languages_table

    plan, setup = request.plan(), request.setup(request.asked(*request.default()))
    if len(plan.test_sets) < 2:
        raise click.UsageError("--languages needs a folder of at least two treebanks")
    with request.engine.running(plan) as how:
        found = compare_languages(plan, setup, settings=request.tests(), parallel=request.parallel, **how)
    _print_warnings_and_notes(found.provenance)
    request.print(lambda: languages_table(found), lambda: languages_document(found))


def _agreement(request: Request) -> None:
    from levelhead.comparison.agreement import agreement
    from levelhead.evaluation.pair import load_pair
    from levelhead.report.comparison import agreement_document, agreement_table
    from levelhead.scoring.matches import match

    setup = request.setup(())
    found = agreement(match(*load_pair(request.gold, request.systems[0], setup), setup.rules))
    _print_warnings_and_notes(found.evaluation.provenance)
    request.print(lambda: agreement_table(found), lambda: agreement_document(found))


def _gains(request: Request) -> None:
    from levelhead.analysis import Training
    from levelhead.analysis.buckets import BucketSettings as Settings
    from levelhead.comparison.contrasts import compare_by
    from levelhead.evaluation.provenance import short_hash
    from levelhead.report.comparison import gains_document, gains_table
    from levelhead.treebank import read

    setup = request.setup([_one(request.asked("LAS"))])
    schemes = setup.registry.schemes
    by = _one(list(request.by)).split(",")
    seen = [read(path) for path in request.train]
    buckets = Settings(schemes.by_name[schemes.default], Training.of(seen) if seen else None)
    decided = {"train": "+".join(short_hash(one.source.sha256) for one in seen)} if seen else {}
    found = compare_by(request.plan(), by, buckets, setup, decided)
    _print_warnings_and_notes(found.provenance)
    request.print(lambda: gains_table(found), lambda: gains_document(found))


def _examples(request: Request, how_many: int) -> None:
    from levelhead.comparison.contrasts import compare_sentences
    from levelhead.report.comparison import contrasts_document, contrasts_text

    if request.output_format not in {"text", "json", "jsonl"}:
        raise click.UsageError("--examples prints text or JSON")
    setup = request.setup([_one(request.asked("LAS"))])
    found = compare_sentences(request.plan(), how_many, setup)
    _print_warnings_and_notes(found.provenance)
    if request.output_format == "text":
        ((measure, definition),) = setup.defined
        options.emit(contrasts_text(found, definition.needs_for(measure.argument)), request.output)
    else:
        options.print_json(contrasts_document(found), request.output, lines=request.output_format == "jsonl")


def _one(given: list[str]) -> str:
    if len(given) > 1:
        raise click.UsageError("--by and --examples take one measure and one --by at a time")
    return given[0]
