"""levelhead score: one pair of files, or two folders of pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli import options
from levelhead.cli.gates import gates, passed
from levelhead.cli.program import DONE
from levelhead.cli.request import Request
from levelhead.evaluation import Evaluation
from levelhead.evaluation import score as score_pair
from levelhead.report import scores as report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from levelhead.gates import Gate
    from levelhead.measures import Registry
    from levelhead.secondary import Coverage


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
    registry = request.registry()
    wanted = list(gates(request.gates, request.ceilings, registry))
    settings = {
        **request.settings(),
        "registry": registry,
        "measures": _every(request, wanted, registry),
        "weights": request.entropy_weights(),
    }
    if request.folders:
        return passed(_score_folders(request, settings), wanted)
    evaluation, coverage = _score(request, settings)
    options.print_warnings(evaluation.warnings)
    options.print_notes(evaluation.notes)
    request.print(
        lambda: report.score_table(evaluation, coverage, counts=request.counts),
        lambda: report.score_document(evaluation, coverage),
    )
    _write_page(request, {next(iter(request.pairs())): evaluation})
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


def _score_folders(request: Request, settings: dict[str, Any]) -> Mapping[str, Fraction | None]:
    from levelhead.folders import macro_average, score_pairs

    evaluations = score_pairs(request.pairs(), **settings)
    average = macro_average(evaluations)
    options.print_warnings(fault for one in evaluations.values() for fault in one.warnings)
    options.print_notes(note for one in evaluations.values() for note in one.notes)
    documents = [{"treebank": name, **report.score_document(one)} for name, one in evaluations.items()]
    request.print(
        lambda: report.scores_table(evaluations, average),
        lambda: documents if request.output_format == "jsonl" else report.scores_document(evaluations, average),
    )
    _write_page(request, evaluations, average)
    return average


def _write_page(request: Request, evaluations: Mapping[str, Evaluation], average: report.Average | None = None) -> None:
    if request.report_file is not None or request.figures is not None:
        from levelhead.cli.score_analysis import write_page

        write_page(request, evaluations, average)


def _score(request: Request, settings: dict[str, Any]) -> tuple[Evaluation, Coverage | None]:
    if not request.align_sentences:
        return score_pair(request.gold, request.system, **settings), None
    from levelhead.secondary import score_agreeing_sentences

    chosen = {name: settings[name] for name in ("measures", "rules", "registry")}
    return score_agreeing_sentences(request.gold, request.system, **chosen)


def _explain(request: Request) -> int:
    from levelhead.explanation import explain
    from levelhead.report.explanation import explanation_document, explanation_table

    explanation = explain(request.gold, request.system)
    request.print(lambda: explanation_table(explanation), lambda: explanation_document(explanation))
    return DONE
