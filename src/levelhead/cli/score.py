"""levelhead score: one pair of files, or two folders of pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.request import Request
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import engine_options
from levelhead.cli.shared.gates import gates, passed
from levelhead.evaluation import Evaluation, load_pair, score_matches
from levelhead.report import scores as report
from levelhead.scoring.matches import Matches, match

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from levelhead.campaign.job import Look
    from levelhead.gates import Gate
    from levelhead.measures import Registry
    from levelhead.secondary import Coverage
    from levelhead.setup import Setup


TABLES = ("scores", "classes", "relations", "all-relations", "sentences", "confusion", "errors", "cascading")


def _digits(context: click.Context, option: click.Parameter, value: str | None) -> str:  # noqa: ARG001
    if value is not None and not set(value) <= set("0123456"):
        raise click.BadParameter(f"{value!r} is not made of digits from 0 to 6")
    return value or ""


@click.command()
@click.argument("gold", type=options.PATH)
@click.argument("system", type=options.PATH)
@options.measure_option("all that the rules' scorer prints; LAS with --table and --by")
@options.rules_option
@options.scheme_option
@options.definitions_option
@options.punct_option
@click.option("-w", "--weights", type=options.PATH, help="Also print WeightedLAS with the weights in this file.")
@click.option("-c", "--counts", is_flag=True, help="Print the numbers behind the ratios.")
@click.option(
    "--enhancements", metavar="DIGITS", callback=_digits,
    help="Kinds of enhancement not to score, as the option of udtools, whose rules it needs: 1 gapping, 2 shared"
    " parents and 3 dependents in coordination, 4 control, 5 relative clauses, 6 case in labels; for example 146.",
)  # fmt: skip
@click.option("--explain", is_flag=True, help="Say which differences between the four rules change the numbers.")
@click.option(
    "--align-sentences",
    is_flag=True,
    help="A secondary score, of the valid sentences whose text is that of a gold sentence.",
)
@click.option(
    "--fail-under", "gates", multiple=True, metavar="MEASURE=NUMBER",
    help="Exit with 1 if a measure is below a percentage (compared unrounded); can be repeated.",
)  # fmt: skip
@click.option(
    "--fail-over", "ceilings", multiple=True, metavar="MEASURE=NUMBER",
    help="Exit with 1 if a perplexity, of which lower ones are better, is above a number; can be repeated.",
)  # fmt: skip
@click.option(
    "--table", type=click.Choice(TABLES), default="scores", show_default=True,
    help="What to print. classes: LAS (or -m) of each class of relations, and its change when one is left out;"
    " relations: its change without each relation of function words; all-relations; sentences: the counts of every"
    " sentence; confusion: gold against system relations; errors: in which way heads are wrong; cascading: how many"
    " wrong arcs hang from right ones.",
)  # fmt: skip
@click.option(
    "--by", multiple=True, metavar="PROPERTY[,PROPERTY]",
    help="Break LAS (or -m) down by deprel, relation, class, upos, direction, length, depth, projective,"
    " sentence-length, document, comment:NAME; with --train also by frequency, vocabulary, seen-sentence, seen-tree.",
)  # fmt: skip
@click.option(
    "--show", multiple=True, metavar="GOLD:SYSTEM",
    help="Print the sentences in which the one relation is taken for the other, with both trees"
    " (up to 200 words): nsubj:obj.",
)  # fmt: skip
@click.option(
    "--train", multiple=True, type=options.PATH, help="A training treebank, for --by and WLAS(WDE); can be repeated."
)
@options.report_option
@options.figures_option
@engine_options
@options.input_format_option
@options.gold_format_option
@options.format_option()
@options.places_option
@options.output_option
def score(**given: Any) -> int:
    """Score SYSTEM against GOLD: CoNLL-U files, compressed or not, or folders of files of the same names.

    "-" is standard input. Numbers go to standard output, everything else to standard error.
    """
    request = Request(**given)
    request.check()
    if request.explain:
        return _explain(request)
    if request.table != "scores" or request.by or request.show:
        return _analyse(request)
    wanted = list(gates(request.gates, request.ceilings, request.registry()))
    setup = request.setup(_every(request, wanted, request.registry()))
    if request.folders:
        return passed(_score_folders(request, setup), wanted)
    evaluation, coverage, matches = _score(request, setup)
    options.print_warnings((*evaluation.gold.warnings, *evaluation.system.warnings))
    options.print_notes(evaluation.notes)
    request.print(
        lambda: report.score_table(evaluation, coverage, counts=request.counts),
        lambda: report.score_document(evaluation, coverage),
    )
    if request.wants_page and matches is not None:
        from levelhead.campaign.outputs import Output

        blocks = {request.code: _look(request, 1)(request.code, [Output(request.name, request.name, matches)])}
        _write_page(request, {request.code: evaluation}, blocks, None)
    return passed({name: score.exact for name, score in evaluation.items()}, wanted)


def _analyse(request: Request) -> int:
    from levelhead.cli import score_analysis, score_tables

    printers: dict[str, Callable[[Request], None]] = {
        "sentences": score_tables.print_sentences,
        "confusion": score_analysis.print_confusion,
        "errors": score_analysis.print_errors,
        "cascading": score_analysis.print_cascading,
    }
    if request.by:
        score_analysis.print_breakdowns(request)
    elif request.show:
        score_analysis.print_examples(request)
    else:
        printers.get(request.table, score_tables.print_exclusions)(request)
    return DONE


def _every(request: Request, wanted: list[Gate], registry: Registry) -> list[str] | None:
    """All measures to compute, or None for the rules' own: those asked for, and those that gates need."""
    from levelhead.scoring.rules import RULES

    if not request.asked and not wanted and request.punct == "keep":
        return None
    own = () if request.measures else RULES[request.rules].measures
    every = options.without_punctuation([*own, *request.asked], request.punct, registry)
    return list(dict.fromkeys([*every, *(gate.measure for gate in wanted)]))


def _score_folders(request: Request, setup: Setup) -> Mapping[str, Fraction | None]:
    from levelhead.comparison import score_outputs
    from levelhead.folders import evaluations_of, macro_average, one_run

    plan = one_run(request.plan())
    look = _look(request, len(plan.test_sets)) if request.wants_page else None
    with request.engine.running(plan) as how:
        results = score_outputs(plan, setup, look=look, **how)
    evaluations = evaluations_of(results, setup)
    average = macro_average(evaluations)
    options.print_warnings(fault for one in evaluations.values() for fault in one.warnings)
    options.print_notes(note for one in evaluations.values() for note in one.notes)
    documents = [{"treebank": name, **report.score_document(one)} for name, one in evaluations.items()]
    request.print(
        lambda: report.scores_table(evaluations, average),
        lambda: documents if request.output_format == "jsonl" else report.scores_document(evaluations, average),
    )
    if look is not None:
        _write_page(request, evaluations, results.looked, average)
    return average


def _look(request: Request, n_treebanks: int) -> Look:
    """What makes the parts of the page, where the engine reads the outputs."""
    from levelhead.report.page.score import treebank_blocks

    return partial(treebank_blocks, name=request.name, n_treebanks=n_treebanks, registry=request.registry())


def _write_page(
    request: Request, evaluations: Mapping[str, Evaluation], blocks: Mapping[str, Any], average: report.Average | None
) -> None:
    from levelhead.report.page.score import score_page

    page = score_page(request.name, evaluations, blocks, average)
    options.write_page(page, request.report_file, request.figures)


def _score(request: Request, setup: Setup) -> tuple[Evaluation, Coverage | None, Matches | None]:
    if request.align_sentences:
        from levelhead.secondary import score_agreeing_sentences

        return *score_agreeing_sentences(request.gold, request.system, setup), None
    ready = setup.single()
    matches = match(*load_pair(request.gold, request.system, ready), ready.rules)
    return score_matches(matches, ready), None, matches


def _explain(request: Request) -> int:
    from levelhead.explanation import explain
    from levelhead.report.explanation import explanation_document, explanation_table

    explanation = explain(request.gold, request.system)
    request.print(lambda: explanation_table(explanation), lambda: explanation_document(explanation))
    return DONE
