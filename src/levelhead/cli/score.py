"""levelhead score: scores of a pair of files, or of two folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, engine_options
from levelhead.cli.shared.gates import gates, passed
from levelhead.cli.shared.measuring import Measuring, files_of_measures, measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.papers import check_cite, cite_option, print_citation
from levelhead.cli.shared.printing import (
    PageRequest,
    Printing,
    page_options,
    print_notes,
    print_warnings,
    printing_options,
)
from levelhead.cli.shared.reading import (
    Reading,
    check_kinds,
    check_paths,
    holds_test_sets,
    inputs_of,
    plan_of,
    scored_reading_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from levelhead.campaign.outputs import VisitEach
    from levelhead.comparison.evaluations import Evaluations
    from levelhead.evaluation.gates import Gate
    from levelhead.evaluation.pair import Evaluation, Input
    from levelhead.evaluation.score_tables import Average
    from levelhead.evaluation.setup import Setup
    from levelhead.measures.registry import Registry

    Parts: TypeAlias = Mapping[str, Any]  # data for the page, per test set


_MOST_AHEAD = 1 << 23  # bytes: reading larger files takes longer than loading the rest of the program


class _Request(NamedTuple):
    gold: str
    system: str
    measuring: Measuring
    reading: Reading
    printing: Printing
    counts: bool
    cite: bool
    enhancements: str
    partial: bool
    under: tuple[str, ...]
    over: tuple[str, ...]
    page: PageRequest
    engine: EngineOptions

    @property
    def folders(self) -> bool:
        """Whether gold and system are folders."""
        return holds_test_sets(self.gold)

    @property
    def name(self) -> str:
        """The name of the system."""
        from levelhead.campaign.plan import name_of

        return name_of(self.gold, self.system)

    def check(self) -> None:
        """Refuse options that cannot be combined."""
        check_kinds(self.gold, [self.system])
        check_cite(self.printing.output_format, cite=self.cite)
        if self.enhancements and self.reading.rules != "udtools":
            raise click.UsageError("--enhancements requires --rules udtools")
        files = [*inputs_of([self.gold, self.system]), *self.measuring.files()]
        files += files_of_measures(self.gated())
        check_paths(files, [self.printing.output, *self.page.outputs(), self.engine.store])

    def gated(self) -> Iterator[str]:
        """Yield the measures of gates, as written on the command line."""
        from levelhead.measures.registry import split_measures

        for gate in (*self.under, *self.over):
            yield split_measures(gate.rpartition("=")[0])[0]

    def setup(self, wanted: list[Gate], registry: Registry) -> Setup:
        """Return the settings for the printed measures and those of gates."""
        from levelhead.api.inputs import settings_for
        from levelhead.scoring.rules import RULES

        rules = RULES[self.reading.rules]
        if self.enhancements:
            from levelhead.scoring.enhanced_edges import switches_of

            rules = replace(rules, switches=switches_of(self.enhancements))
        reading = {**self.reading.arguments(), "rules": rules}
        return settings_for(
            self._every(wanted), **reading, registry=registry, train=self.measuring.train, partial=self.partial
        )

    def _every(self, wanted: list[Gate]) -> list[str] | None:
        """All measures to compute, or None for the rules' own."""
        from levelhead.scoring.rules import RULES

        if not self.measuring.measures and not wanted and self.measuring.punct == "keep":
            return None
        printed = self.measuring.names(*RULES[self.reading.rules].measures)
        return list(dict.fromkeys([*printed, *(gate.measure for gate in wanted)]))


def _digits(context: click.Context, option: click.Parameter, value: str | None) -> str:  # noqa: ARG001
    if value is not None and not set(value) <= set("0123456"):
        raise click.BadParameter(f"{value!r} must consist of digits from 0 to 6")
    return value or ""


@command()
@click.argument("gold", type=options.PATH)
@click.argument("system", type=options.PATH)
@measuring_options(
    "all that the rules' scorer prints",
    "WLAS(WDE), and to report the share of GOLD that occurs in training, with scores on the rest",
)
@click.option("-c", "--counts", is_flag=True, help="Print the counts of words behind each score")
@click.option(
    "--enhancements", metavar="DIGITS", callback=_digits,
    help="Kinds of enhancements to ignore, such as 146: 1 gapping, 2 shared parents and 3 dependents in coordination,"
    " 4 control, 5 relative clauses, 6 case in labels (requires --rules udtools)",
)  # fmt: skip
@options.partial_option
@options.align_sentences_option
@click.option(
    "--fail-under", "under", multiple=True, metavar="MEASURE=NUMBER",
    help="Exit with 1 if a measure is below a percentage (compared unrounded); can be repeated",
)  # fmt: skip
@click.option(
    "--fail-over", "over", multiple=True, metavar="MEASURE=NUMBER",
    help="Exit with 1 if a perplexity (lower is better) is above a number; can be repeated",
)  # fmt: skip
@page_options()
@engine_options
@scored_reading_options
@cite_option
@printing_options
def score(**given: Any) -> int:
    """Score SYSTEM against GOLD: CoNLL-U files, compressed or not, or folders of files with the same names.

    "-" is standard input. Scores go to standard output, warnings and notes to standard error.
    """
    request = _Request(**given)
    with _files_ahead(request) as (gold, system):
        request.check()
        registry = request.measuring.registry
        wanted = list(gates(request.under, request.over, registry))
        setup = request.setup(wanted, registry)
        if request.folders:
            return _score_folders(request, setup, wanted)
        from levelhead.evaluation.score_tables import score_document, score_table

        evaluation, parts = _score(request, setup, gold, system)
    print_warnings((*evaluation.gold.warnings, *evaluation.system.warnings))
    print_notes(evaluation.notes)
    if request.cite:
        print_citation(evaluation, request.printing)
    else:
        request.printing.print(
            lambda: score_table(evaluation, counts=request.counts),
            lambda: score_document(evaluation),
        )
    if request.page.wanted:
        _write_page(request, dict.fromkeys(parts, evaluation), parts, None)
    bounded = {gate.measure: evaluation[gate.measure] for gate in wanted}
    reasons = {name: score.reason for name, score in bounded.items()}
    return passed(wanted, {name: score.exact for name, score in bounded.items()}, reasons)


@contextmanager
def _files_ahead(request: _Request) -> Iterator[tuple[Input, Input]]:
    """Start reading the two files in the background, if they are of medium size and nothing else reads them."""
    from levelhead.treebank.two_files import are_large_files

    paths = request.gold, request.system
    alone = not (request.page.wanted or request.partial or request.engine.store)
    if not (alone and are_large_files(*paths) and max(map(os.path.getsize, paths)) <= _MOST_AHEAD):
        yield paths
        return
    from levelhead.treebank.two_files import PrefetchedFile

    with PrefetchedFile(paths[0]) as gold, PrefetchedFile(paths[1]) as system:
        yield gold, system


def _score(request: _Request, setup: Setup, gold: Input, system: Input) -> tuple[Evaluation, Parts]:
    """The scores of a pair, and the parts of the page, if there is one.

    The engine is used only if needed: loading its code takes longer than scoring.
    """
    if request.engine.store is not None:
        evaluations, parts = _counted(request, setup.for_pair())
        (evaluation,) = evaluations.values()
        return evaluation, parts
    from levelhead.evaluation.files import score_files

    training = request.measuring.training()
    if not request.page.wanted:
        return score_files(gold, system, setup, training=training), {}
    from levelhead.progress import working

    setup = setup.for_pair()
    setup.rules.check_words()
    code = _code_of_gold(request)
    errors = _look(request, 1, setup).start(code, request.name)
    evaluation = score_files(gold, system, setup, training=training, look=errors)
    with working("finding the errors"):
        return evaluation, {code: errors.result(evaluation.gold, evaluation.system)}


def _counted(request: _Request, setup: Setup) -> tuple[Evaluations, Parts]:
    """The scores on each test set, counted by the engine, and the parts of the page."""
    from levelhead.comparison.evaluations import score_and_look, single_run

    plan = single_run(plan_of(request.gold, request.system, request.engine.split))
    look = _look(request, len(plan.test_sets), setup) if request.page.wanted else None
    with request.engine.running(plan) as how:
        return score_and_look(plan, setup, training=request.measuring.training(), look=look, **how)


def _score_folders(request: _Request, setup: Setup, wanted: Sequence[Gate]) -> int:
    from levelhead.evaluation.score_tables import missing_scores

    evaluations, parts = _counted(request, setup)
    average = evaluations.average
    print_warnings(fault for evaluation in evaluations.values() for fault in evaluation.warnings)
    print_notes(note for evaluation in evaluations.values() for note in evaluation.notes)
    if request.cite:
        print_citation(evaluations, request.printing)
    else:
        _print_folders(request, evaluations)
    if request.page.wanted:
        _write_page(request, evaluations, parts, average)
    reasons: dict[str, list[str]] = {}
    for measure, reason in missing_scores(evaluations):
        reasons.setdefault(measure, []).append(reason)
    return passed(wanted, average, {measure: "; ".join(texts) for measure, texts in reasons.items()})


def _print_folders(request: _Request, evaluations: Evaluations) -> None:
    from levelhead.evaluation.score_tables import counts_table, score_document, scores_document, scores_table

    average, strict = evaluations.average, evaluations.valid_trees_average
    request.printing.print(
        lambda: counts_table(evaluations) if request.counts else scores_table(evaluations, average, strict),
        lambda: scores_document(evaluations, average, strict),
        lines=lambda: [{"treebank": name, **score_document(evaluation)} for name, evaluation in evaluations.items()],
    )


def _look(request: _Request, n_treebanks: int, setup: Setup) -> VisitEach:
    """The function that finds the errors for the page where outputs are read."""
    from levelhead.campaign.outputs import VisitEach
    from levelhead.report.page.treebank_errors import errors_of_each, measure_of_errors

    settings: dict[str, Any] = {
        "name": request.name,
        "n_treebanks": n_treebanks,
        "setup": setup,
        "measure": measure_of_errors(setup.names, setup.registry),
        "partial": request.partial,
    }
    return VisitEach(partial(errors_of_each, **settings))


def _code_of_gold(request: _Request) -> str:
    from pathlib import Path

    from levelhead.treebank.layouts import gold_files

    return gold_files(Path(request.gold))[0].code


def _write_page(
    request: _Request, evaluations: Mapping[str, Evaluation], parts: Parts, average: Average | None
) -> None:
    from levelhead.report.page.score import score_page

    registry = request.measuring.registry
    request.page.write(lambda: score_page(request.name, evaluations, parts, average, registry))
