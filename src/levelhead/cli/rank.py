"""levelhead rank: many systems on many test sets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

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
from levelhead.campaign.groups import ALL, EACH
from levelhead.campaign.plan import Plan
from levelhead.campaign.ranked_systems import RankedSystems, RankingChoice, measure_in, rank_results
from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, engine_options
from levelhead.cli.shared.measuring import files_of_measures, registry_of
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.papers import Papers, papers_options
from levelhead.cli.shared.printing import Printing, emit, print_result, print_unpaired, write_page
from levelhead.cli.shared.reading import check_paths, print_extra_gold
from levelhead.cli.shared.result_paths import REPORT_OR_FOLDER, RESULT_OR_FOLDER
from levelhead.cli.shared.values import Choice, limited
from levelhead.errors import unknown
from levelhead.evaluation.setup import setup_of
from levelhead.report import ranking as report
from levelhead.significance import InferenceSettings as Tests
from levelhead.significance.units import AUTO
from levelhead.treebank.write import check_file, check_folder

if TYPE_CHECKING:
    from levelhead.measures.registry import Registry
    from levelhead.report.paper import PaperTable
    from levelhead.treebank.layouts import Split

_RESAMPLES = 2000

_Every = Literal["official", "las-first"]
"""All measures of the rules, in the order of their scorer or with LAS first."""


class _Options(NamedTuple):
    """The settings of the command line, with the manifest's values as defaults."""

    measures: tuple[str, ...]
    definitions: tuple[str, ...]
    registry: Registry
    rules: str
    ranking: str
    groups: tuple[str, ...]
    folder: str
    several_roots: bool = False


class _Extras(NamedTuple):
    """Tests (None: no tests), which confidence sets of ranks, the file of a page, a folder of figures."""

    tests: Tests | None
    rank_sets: RankSets
    report: str | None
    figures: str | None

    @property
    def wanted(self) -> bool:
        """Whether a page is requested."""
        return self.report is not None or self.figures is not None

    @property
    def is_folder(self) -> bool:
        """Whether each output gets a page as well."""
        if self.report is None:
            return False
        from levelhead.report.page.report_folder import is_folder

        return is_folder(self.report)


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
    resamples: int
    resample_by: str
    seed: int
    level: float
    report_file: str | None
    figures: str | None
    by_treebank: bool
    engine: EngineOptions
    papers: Papers
    output_format: str
    places: int | None
    output: str | None

    @property
    def extras(self) -> _Extras:
        """The tests, and the pages that are made."""
        pages = self.report_file or self.figures or self.papers.cite or self.papers.table
        tested = self.significance if self.significance is not None else bool(pages)
        tests = Tests(self.resamples, self.seed, self.level, resample_by=self.resample_by) if tested else None
        return _Extras(tests, self.rank_sets, self.report_file, self.figures)

    @property
    def every(self) -> _Every | None:
        """Whether all measures of the rules are ranked by, and in which order."""
        return "official" if self.output_format == "prototext" else "las-first" if self.all_measures else None

    def check(self) -> None:
        """Refuse what cannot be combined, and a file that cannot be written."""
        self.papers.check(self.output_format)
        if self.partial and self.output_format == "prototext":
            message = "--partial cannot be combined with --format prototext, the format of official scorers"
            raise click.UsageError(message)
        if self.scores is not None:
            self._check_for_scores()
        if self.extras.is_folder:
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
@click.argument("gold", type=click.Path(), required=False)
@click.argument("systems", type=click.Path(), required=False)
@click.option("--manifest", type=click.Path(), help="TOML file with treebanks, systems, groups and rules")
@click.option("--scores", type=click.Path(), help="Rank a table of scores (TSV) instead of files")
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
@click.option(
    "--resamples", type=limited("draws"), default=_RESAMPLES, show_default=True,
    help="Number of random permutations, and of draws for confidence sets of ranks",
)  # fmt: skip
@options.resample_by_option
@options.seed_option
@options.level_option
@click.option(
    "--report", "report_file", type=REPORT_OR_FOLDER, metavar="PATH",
    help="Also write a page with tables and charts to this HTML file; for a folder or a name ending in /, also write"
    " a page of errors for every output (extra: report)",
)  # fmt: skip
@options.figures_option
@click.option("--by-treebank", is_flag=True, help="Print the scores of each system on each test set")
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
    written = read_manifest(request.manifest) if request.manifest is not None else None
    chosen = _chosen(request, written)
    if request.scores is not None:
        results = _table_of_scores(request)
        chosen = chosen._replace(measures=chosen.measures if request.measures else results.measures)
    else:
        results = _scored(request, written, chosen)
    found = _ranked(results, chosen, written, request.extras)
    printing = Printing(request.output_format, request.places, request.output)
    if not request.papers.print(found, lambda digits: _papers(found, digits), printing):
        _emit(found, request)
    if request.extras.wanted:
        _write_page(results, found, request.extras)
    return DONE


def _table_of_scores(request: _Request) -> Results:
    """The results in a table of scores."""
    extras, engine = request.extras, request.engine
    results = [request.output, extras.report, extras.figures, engine.store]
    check_paths(filter(None, [request.scores, request.manifest]), results)
    found = _only_systems(read_scores(request.scores or ""), request.only)
    _check_output(request.output_format, request.output, found.systems)
    return found


def _scored(request: _Request, written: Manifest | None, chosen: _Options) -> Results:
    """The results of scoring the outputs of all systems."""
    extras, engine = request.extras, request.engine
    campaign = _only(_campaign(request.gold, request.systems, written, engine.split), request.only)
    files = (str(Path(chosen.folder, path)) for path in files_of_measures(chosen.measures))
    named = (*chosen.definitions, *files, *filter(None, [request.gold, request.systems]))
    results = [request.output, extras.report, extras.figures, engine.store]
    check_paths([*_inputs(campaign, request.manifest), *named], results)
    _check_output(request.output_format, request.output, [system.name for system in campaign.systems])
    return _score(campaign, chosen, engine, extras, partial=request.partial)


def _inputs(campaign: Plan, manifest: str | None) -> Iterable[str]:
    yield from [manifest] if manifest is not None else []
    yield from (os.fspath(test_set.gold) for test_set in campaign.test_sets if test_set.gold is not None)
    yield from (os.fspath(path) for system in campaign.systems for path in system.outputs.values())


def _ranked(results: Results, chosen: _Options, written: Manifest | None, extras: _Extras) -> RankedSystems:
    own = written.groups if written else {}
    measures = [measure_in(results, measure, chosen.registry) for measure in chosen.measures]
    choice = RankingChoice(chosen.ranking, chosen.groups, own, extras.tests, extras.rank_sets)
    return rank_results(results, measures, choice)


def _write_page(results: Results, found: RankedSystems, extras: _Extras) -> None:
    from levelhead.report.page.ranking_report import page_of, write_ranking_report

    if extras.report is not None:
        write_ranking_report(extras.report, results, found)
    if extras.figures is not None:
        write_page(lambda: page_of(results, found), None, extras.figures)


def _chosen(request: _Request, written: Manifest | None) -> _Options:
    from levelhead.scoring.rules import RULES

    measures, every = request.measures, request.every
    rules = request.rules or (written.rules if written else None) or "ud"
    asked = measures or (written.measures if written else None) or ()
    own = request.definitions or tuple(map(str, written.definitions if written else ()))
    scheme = request.scheme or (written.scheme if written else None)
    registry = registry_of(own, scheme)
    if every == "las-first" or (every and not asked):
        official = sorted(RULES[rules].measures, key=lambda name: every == "las-first" and name != "LAS")
        asked = tuple(dict.fromkeys((*asked, *official)))
    main = RULES[rules].main
    ranking = request.ranking or (written.ranking if written else None) or "exact"
    named = tuple(asked or main) if scheme is None else _with_scheme(asked or main, registry)
    folder = str(Path(written.path).parent) if written is not None and not measures else ""
    shown = request.groups or (written.show if written else None) or (ALL,)
    shown = (EACH, *shown) if request.papers.table and request.by_treebank else shown
    return _Options(named, own, registry, rules, ranking, shown, folder, request.allow_several_roots)


def _with_scheme(measures: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """Add the default scheme to measures that do not name one, so that their names are complete."""
    from levelhead.measures.registry import parse_measure, qualified

    return tuple(str(qualified(parse_measure(text, registry), registry)) for text in measures)


def _campaign(gold: str | None, systems: str | None, written: Manifest | None, split: Split | None) -> Plan:
    if gold is not None and systems is not None:
        plan = plan_in(gold, systems, split=split)
        print_extra_gold(gold)
        return plan
    if gold is not None or written is None:
        raise click.UsageError("give GOLD and SYSTEMS, or --manifest, or --scores")
    plan = written.campaign()
    print_extra_gold(written.path)
    return plan


def _only(campaign: Plan, names: tuple[str, ...]) -> Plan:
    """Leave out all systems except those named, and warn of files that match no test set."""
    _check_names(names, [system.name for system in campaign.systems])
    print_unpaired(campaign.ignored, "test set")
    return campaign._replace(systems=tuple(s for s in campaign.systems if not names or s.name in names))


def _only_systems(results: Results, names: tuple[str, ...]) -> Results:
    """Leave out the scores of all systems except those named."""
    _check_names(names, results.systems)
    kept = tuple(system for system in results.systems if not names or system in names)
    return results._replace(
        systems=kept, results={key: result for key, result in results.results.items() if key[0] in kept}
    )


def _check_names(names: Iterable[str], systems: Sequence[str]) -> None:
    for name in names:
        if name not in systems:
            raise click.UsageError(unknown("system", name, systems))


def _score(campaign: Plan, chosen: _Options, engine: EngineOptions, extras: _Extras, *, partial: bool) -> Results:
    setup = setup_of(
        chosen.measures,
        rules=chosen.rules,
        registry=chosen.registry,
        folder=chosen.folder,
        partial=partial,
        allow_several_roots=chosen.several_roots,
    )
    unit = extras.tests.resample_by if extras.tests else AUTO
    with engine.running(campaign) as how:
        how |= {"by_sentence": extras.tests is not None, "resample_by": unit}
        if not extras.wanted:
            return score_plan(campaign, setup, **how)
        from levelhead.report.page.ranking_report import score_for_report

        return score_for_report(campaign, setup, folder=extras.is_folder, **how)


def _papers(found: RankedSystems, places: int) -> list[PaperTable]:
    from levelhead.report.paper import ranking_papers

    return ranking_papers(found, places)


def _emit(found: RankedSystems, request: _Request) -> None:
    if request.output_format == "prototext":
        _emit_prototext(found.results, request.output)
        return
    print_result(
        lambda: found.table(by_treebank=request.by_treebank), found.to_dict, request.output_format, request.places,
        request.output, lines=lambda: list(report.result_documents(found.results)),
    )  # fmt: skip


def _check_output(output_format: str, output: str | None, systems: Sequence[str]) -> None:
    """Check the output of prototext: a folder for several systems, otherwise a file."""
    if output_format != "prototext":
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


def _emit_prototext(results: Results, output: str | None) -> None:
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
