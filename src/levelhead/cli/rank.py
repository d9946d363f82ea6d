"""levelhead rank: many systems on many test sets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.campaign import (
    RANK_SETS,
    RANKINGS,
    Manifest,
    RankSets,
    Results,
    plan_in,
    read_manifest,
    read_scores,
    score_plan,
)
from levelhead.campaign.plan import Plan, check_matched
from levelhead.campaign.ranked_systems import RankedSystems, RankingChoice, measure_in, needed_plan, rank_results
from levelhead.campaign.ranking import ALL, EACH
from levelhead.campaign.ranking_tables import result_documents
from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, as_runs_option, engine_options
from levelhead.cli.shared.grouped import grouped
from levelhead.cli.shared.measuring import files_of_measures, registry_of
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.papers import Papers, papers_options
from levelhead.cli.shared.printing import (
    PageRequest,
    Printing,
    emit,
    page_options,
    page_origin,
    print_notes,
    print_unpaired,
)
from levelhead.cli.shared.reading import check_paths, print_extra_gold
from levelhead.cli.shared.result_paths import REPORT_OR_FOLDER, RESULT_OR_FOLDER
from levelhead.cli.shared.statistics import Statistics
from levelhead.cli.shared.values import Choice, limited
from levelhead.errors import unknown
from levelhead.evaluation.setup import setup_of
from levelhead.significance.units import AUTO
from levelhead.treebank.write import check_file, check_folder

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry
    from levelhead.report.paper import PaperTable
    from levelhead.significance import InferenceSettings

_RESAMPLES = click.option(
    "--resamples", type=limited("draws"), default=2000, show_default=True,
    help="Number of random permutations, and of draws for confidence sets of ranks",
)  # fmt: skip

_REPORT = click.option(
    "--report", "report_file", type=REPORT_OR_FOLDER, metavar="PATH",
    help="Also write a page with tables and charts to this HTML file; for a folder or a name ending in /, also write"
    " a page of errors for every output (extra: report)",
)  # fmt: skip

_statistics_options = grouped(
    "statistics", Statistics, (_RESAMPLES, options.resample_by_option, options.seed_option, options.level_option)
)


class _Request(NamedTuple):
    """The values of all arguments and options."""

    gold: str | None
    systems: str | None
    manifest: str | None
    scores: str | None
    ranking: str | None
    groups: tuple[str, ...]
    only: tuple[str, ...]
    measures: tuple[str, ...]
    scheme: str | None
    definitions: tuple[str, ...]
    partial: bool
    all_measures: bool
    rules: str | None
    allow_several_roots: bool
    significance: bool | None
    rank_sets: RankSets
    statistics: Statistics
    page: PageRequest
    by_treebank: bool
    as_runs: bool
    engine: EngineOptions
    papers: Papers
    output_format: str
    places: int | None
    output: str | None

    @property
    def report_is_folder(self) -> bool:
        """Whether each output gets a page as well."""
        if self.page.report_file is None:
            return False
        from levelhead.report.page.report_folder import is_folder

        return is_folder(self.page.report_file)

    @property
    def tests(self) -> InferenceSettings | None:
        """The settings of intervals and tests; None without tests."""
        tested = self.significance
        if tested is None:
            tested = bool(self.page.wanted or self.papers.cite or self.papers.table)
        return self.statistics.settings() if tested else None

    @property
    def results(self) -> tuple[str | None, ...]:
        """The files that are written, if requested."""
        return self.output, *self.page.outputs(), self.engine.store

    def check(self) -> None:
        """Refuse options that cannot be combined, and a file that cannot be written."""
        self.papers.check(self.output_format)
        if self.partial and self.output_format == "prototext":
            message = "--partial cannot be combined with --format prototext, the format of official scorers"
            raise click.UsageError(message)
        if self.scores is not None:
            self._check_for_scores()
        if self.report_is_folder:
            from levelhead.report.page.report_folder import no_folder

            refused = no_folder(partial=self.partial, from_scores=self.scores is not None)
            if refused:
                raise click.UsageError(refused)
        if self.output_format != "prototext" and self.output is not None:
            check_file(self.output)

    def _check_for_scores(self) -> None:
        """Refuse options that decide how outputs are scored: a table of scores has no outputs."""
        if self.gold is not None:
            raise click.UsageError("--scores cannot be combined with GOLD and SYSTEMS")
        if self.partial:
            raise click.UsageError("--scores cannot be combined with --partial")
        if self.allow_several_roots:
            raise click.UsageError("--allow-several-roots has no effect with --scores")


@command()
@click.argument("gold", type=options.PATH, required=False)
@click.argument("systems", type=options.PATH, required=False)
@click.option("--manifest", type=options.PATH, help="TOML file with treebanks, systems, groups and rules")
@click.option("--scores", type=options.PATH, help="Rank a table of scores (TSV) instead of files")
@click.option(
    "--ranking", type=Choice(RANKINGS, "ranking"),
    help="How to average and rank: at full precision, or exactly as a shared task did  [default: exact]",
)  # fmt: skip
@click.option(
    "--group", "groups", multiple=True, metavar="NAME",
    help="Test sets to average over: all, each (every test set separately), a group of the manifest, family:NAME,"
    " genus:NAME, language:NAME, conll18:pud ...; can be repeated  [default: all]",
)  # fmt: skip
@click.option("--system", "only", multiple=True, metavar="NAME", help="Rank only this system; can be repeated")
@options.measure_option("LAS, MLAS, BLEX and CLAS; LAS, UAS and CLAS under conll17; MSLAS, LAS and Feats under msp25")
@options.scheme_option
@options.definitions_option
@options.partial_option
@click.option("--all-measures", is_flag=True, help="Rank by all measures of the official scorer, LAS first")
@click.option(
    "--rules", type=Choice(options.RULES, "rules"),
    help="Scoring rules: levelhead's (ud), or an exact emulation of an official scorer  [default: ud]",
)  # fmt: skip
@options.allow_several_roots_option
@click.option(
    "--significance/--no-significance", default=None,
    help="Show confidence intervals, confidence sets of ranks, letters of systems that do not differ significantly, and"
    " lines between neighbors that do  [default: with --report, --figures, --layout paper and --cite]",
)  # fmt: skip
@click.option(
    "--rank-sets", type=Choice(RANK_SETS), default="marginal", show_default=True,
    help="Compute confidence sets of ranks at the level for each system (marginal) or for all systems jointly"
    " (simultaneous)",
)  # fmt: skip
@_statistics_options
@page_options(_REPORT)
@click.option("--by-treebank", is_flag=True, help="Print the scores of each system on each test set")
@as_runs_option
@engine_options
@papers_options
@options.format_option(*options.FORMATS, "prototext")
@options.places_option
@click.option(
    "--output", "-o", type=RESULT_OR_FOLDER,
    help="Write to this file instead of standard output; for prototext of several systems, to a folder per system in"
    " this folder",
)  # fmt: skip
def rank(**given: Any) -> int:
    """Rank the systems in SYSTEMS by their macro-averages over the test sets in GOLD.

    GOLD is a folder of TREEBANK.conllu files, of UD releases, or with the metadata.json of TIRA. SYSTEMS has a folder
    of output files for each system. Missing and invalid outputs score 0, and the reasons are listed.
    """
    request = _Request(**given)
    request.check()
    manifest = read_manifest(request.manifest) if request.manifest is not None else None
    settings = _settings(request, manifest)
    if request.scores is not None:
        results = _table_of_scores(request)
        measures = settings.measures if request.measures else results.measures
    else:
        plan = needed_plan(_plan(request, manifest), settings.choice, _groups(request, manifest))
        results = _score_outputs(request, settings, plan)
        measures = settings.measures
    named = [measure_in(results, measure, settings.registry) for measure in measures]
    ranked = rank_results(results, named, settings.choice)
    _print(request, ranked)
    if request.page.wanted:
        _write_page(request, results, ranked)
    return DONE


class _Settings(NamedTuple):
    """The settings of the command line; those of the manifest are the defaults.

    Args:
        measures: the measures to rank by.
        definitions: the files of custom measures and schemes.
        registry: the available measures and schemes.
        rules: the name of the rules.
        choice: the settings of rankings.
        folder: the folder of relative paths in measures; the current folder if empty.
    """

    measures: tuple[str, ...]
    definitions: tuple[str, ...]
    registry: Registry
    rules: str
    choice: RankingChoice
    folder: str


def _settings(request: _Request, manifest: Manifest | None) -> _Settings:
    rules = request.rules or (manifest.rules if manifest else None) or "ud"
    definitions = request.definitions or tuple(map(str, manifest.definitions if manifest else ()))
    scheme = request.scheme or (manifest.scheme if manifest else None)
    registry = registry_of(definitions, scheme)
    measures = _measures(request, manifest, rules)
    groups = _groups(request, manifest)
    choice = RankingChoice(
        request.ranking or (manifest.ranking if manifest else None) or "exact",
        (EACH, *groups) if request.papers.table and request.by_treebank else groups,
        manifest.groups if manifest else {},
        request.tests,
        request.rank_sets,
    )
    return _Settings(
        measures if scheme is None else _with_scheme(measures, registry),
        definitions,
        registry,
        rules,
        choice,
        str(Path(manifest.path).parent) if manifest is not None and not request.measures else "",
    )


def _groups(request: _Request, manifest: Manifest | None) -> tuple[str, ...]:
    return request.groups or (manifest.show if manifest else None) or (ALL,)


def _measures(request: _Request, manifest: Manifest | None, rules: str) -> tuple[str, ...]:
    """The requested measures, and all measures of the rules if requested, in the order of their scorer or LAS first."""
    from levelhead.scoring.rules import RULES

    requested = request.measures or (manifest.measures if manifest else None) or ()
    official = RULES[rules].measures
    if request.output_format == "prototext":
        return requested or official
    if request.all_measures:
        return tuple(dict.fromkeys((*requested, *sorted(official, key=lambda name: name != "LAS"))))
    return requested or RULES[rules].main


def _with_scheme(measures: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """Add the default scheme to measures that do not name one, so that their names are complete."""
    from levelhead.measures.registry import parse_measure, qualified

    return tuple(str(qualified(parse_measure(text, registry), registry)) for text in measures)


def _table_of_scores(request: _Request) -> Results:
    """The results in a table of scores, of the requested systems."""
    check_paths(filter(None, [request.scores, request.manifest]), request.results)
    results = read_scores(request.scores or "")
    _check_names(request.only, results.systems)
    if request.only:
        results = results.of_systems(request.only)
    _check_output(request, results.systems)
    return results


def _plan(request: _Request, manifest: Manifest | None) -> Plan:
    """The test sets and the requested systems; warn of files that match no test set."""
    if request.gold is not None and request.systems is not None:
        plan = plan_in(request.gold, request.systems, split=request.engine.split, as_runs=request.as_runs)
        print_extra_gold(request.gold)
    elif request.gold is None and manifest is not None:
        plan = manifest.campaign(as_runs=request.as_runs)
        print_extra_gold(manifest.path)
    else:
        raise click.UsageError("give GOLD and SYSTEMS, or --manifest, or --scores")
    _check_names(request.only, [system.name for system in plan.systems])
    chosen = tuple(system for system in plan.systems if not request.only or system.name in request.only)
    plan = plan._replace(systems=chosen)
    check_matched(plan)
    print_unpaired(plan.ignored, "test set")
    print_notes(plan.notes)
    return plan


def _check_names(names: Iterable[str], systems: Sequence[str]) -> None:
    for name in names:
        if name not in systems:
            raise click.UsageError(unknown("system", name, systems))


def _score_outputs(request: _Request, settings: _Settings, plan: Plan) -> Results:
    """The results of scoring the outputs of all systems."""
    files = (str(Path(settings.folder, path)) for path in files_of_measures(settings.measures))
    named = (*settings.definitions, *files, *filter(None, [request.gold, request.systems]))
    check_paths([*_inputs(plan, request.manifest), *named], request.results)
    _check_output(request, [system.name for system in plan.systems])
    setup = setup_of(
        settings.measures,
        rules=settings.rules,
        registry=settings.registry,
        folder=settings.folder,
        partial=request.partial,
        allow_several_roots=request.allow_several_roots,
    )
    tests = settings.choice.tests
    with request.engine.running(plan) as how:
        how |= {"by_sentence": tests is not None, "resample_by": tests.resample_by if tests else AUTO}
        if not request.page.wanted:
            return score_plan(plan, setup, **how)
        from levelhead.report.page.ranking_report import score_for_report

        return score_for_report(plan, setup, folder=request.report_is_folder, origin=page_origin(), **how)


def _inputs(plan: Plan, manifest: str | None) -> Iterable[str]:
    yield from [manifest] if manifest is not None else []
    yield from (os.fspath(test_set.gold) for test_set in plan.test_sets if test_set.gold is not None)
    yield from (os.fspath(path) for system in plan.systems for path in system.outputs.values())


def _print(request: _Request, ranked: RankedSystems) -> None:
    printing = Printing(request.output_format, request.places, request.output)
    if request.papers.print(ranked, lambda places: _papers(ranked, places), printing):
        return
    if request.output_format == "prototext":
        _write_prototext(ranked.results, request.output)
        return
    printing.print(
        lambda: ranked.table(by_treebank=request.by_treebank),
        ranked.to_dict,
        lines=lambda: list(result_documents(ranked.results)),
    )


def _papers(ranked: RankedSystems, places: int) -> list[PaperTable]:
    from levelhead.report.paper import ranking_papers

    return ranking_papers(ranked, places)


def _write_page(request: _Request, results: Results, ranked: RankedSystems) -> None:
    from levelhead.report.page.ranking_report import page_of, write_ranking_report

    if request.page.report_file is not None:
        write_ranking_report(request.page.report_file, results, ranked, page_origin(), request.page.title)
    if request.page.figures is not None:
        replace(request.page, report_file=None).write(lambda: page_of(results, ranked))


def _check_output(request: _Request, systems: Sequence[str]) -> None:
    """Check the output of prototext: a folder for several systems, otherwise a file."""
    output = request.output
    if request.output_format != "prototext":
        return
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
    """Write the file of a single system to the output; those of several systems to one folder per system."""
    from levelhead.report.prototext import prototext

    if len(results.systems) == 1:
        emit(prototext(results, results.systems[0]), output)
        return
    for system in results.systems:
        folder = os.path.join(output or "", system)  # noqa: PTH118
        try:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        except OSError as error:
            raise click.FileError(folder, error.strerror or str(error)) from error
        emit(prototext(results, system), os.path.join(folder, "evaluation.prototext"))  # noqa: PTH118
