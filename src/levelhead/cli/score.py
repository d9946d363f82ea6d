"""levelhead score: one pair of files, or two folders of pairs."""

from __future__ import annotations

import os
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli import options
from levelhead.cli.program import DONE, GATE, say
from levelhead.errors import Fault, InputError
from levelhead.evaluation import Evaluation
from levelhead.evaluation import score as score_pair
from levelhead.measures import parse_measure
from levelhead.report import scores as report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from levelhead.scoring import Rules
    from levelhead.secondary import Coverage


Gate = tuple[str, Fraction]


def _digits(context: click.Context, option: click.Parameter, value: str | None) -> str:  # noqa: ARG001
    if value is not None and not set(value) <= set("0123456"):
        raise click.BadParameter(f"{value!r} is not made of digits from 0 to 6")
    return value or ""


@click.command()
@click.argument("gold", type=options.PATH)
@click.argument("system", type=options.PATH)
@options.measure_option
@options.rules_option
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
@options.input_format_option
@options.format_option()
@options.places_option
@options.output_option
def score(
    gold: str,
    system: str,
    measures: tuple[str, ...],
    rules: str,
    weights: str | None,
    counts: bool,
    enhancements: str,
    explain: bool,
    align_sentences: bool,
    gates: tuple[str, ...],
    input_format: str,
    output_format: str,
    places: int | None,
    output: str | None,
) -> int:
    """Score SYSTEM against GOLD: CoNLL-U files, compressed or not, or folders of files of the same names.

    "-" is standard input. Numbers go to standard output, everything else to standard error.
    """
    asked = [*measures, *([f"WeightedLAS({weights})"] if weights is not None else [])]
    wanted = list(map(_gate, gates))
    options.check_paths(_inputs(gold, system, [*asked, *(measure for measure, _ in wanted)]), output)
    if explain:
        return _explain(gold, system, output_format, places, output)
    settings: dict[str, Any] = {
        "rules": _rules(rules, enhancements),
        "format": input_format,
        "measures": _every(asked, wanted, rules, only_added=not measures),
    }
    if os.path.isdir(gold) != os.path.isdir(system):  # noqa: PTH112
        raise click.UsageError("GOLD and SYSTEM must both be files or both be folders")
    if os.path.isdir(gold) and (counts or align_sentences):  # noqa: PTH112
        raise click.UsageError("--counts and --align-sentences are for one pair of files")
    if os.path.isdir(gold):  # noqa: PTH112 -- pathlib is slow to load
        from levelhead.folders import macro_average, pairs_in, score_pairs

        evaluations = score_pairs(pairs_in(gold, system), **settings)
        average = macro_average(evaluations)
        _print_folders(evaluations, average, output_format, places, output)
        values: Mapping[str, Fraction | None] = average
    else:
        evaluation, coverage = _score(gold, system, settings, align_sentences=align_sentences)
        _print_pair(evaluation, coverage, output_format, places, output, counts=counts)
        values = {name: score.exact for name, score in evaluation.items()}
    return _passed(values, wanted)


def _rules(name: str, enhancements: str) -> Rules:
    """The rules of a name, with the kinds of enhancement that are not scored."""
    from levelhead.scoring.enhancements import switches_of
    from levelhead.scoring.rules import RULES

    if enhancements and name != "udtools":
        raise click.UsageError("--enhancements needs --rules udtools")
    return RULES[name]._replace(switches=switches_of(enhancements))


def _every(asked: list[str], gates: list[Gate], rules: str, *, only_added: bool) -> list[str] | None:
    """All measures to compute, or None for the rules' own: those asked for, and those that gates need."""
    from levelhead.scoring.rules import RULES

    if not asked and not gates:
        return None
    own = RULES[rules].measures if only_added else ()
    return list(dict.fromkeys(str(parse_measure(text)) for text in [*own, *asked, *(measure for measure, _ in gates)]))


def _inputs(gold: str, system: str, asked: list[str]) -> Iterator[str]:
    """All files that are read: those of folders too, and the weights that measures name."""
    for path in (gold, system):
        yield path
        if os.path.isdir(path):  # noqa: PTH112
            with suppress(OSError):  # is told where the folder is read
                yield from (entry.path for entry in os.scandir(path))
    yield from (measure.argument for measure in map(parse_measure, asked) if measure.argument is not None)


def _gate(text: str) -> Gate:
    name, equals, bound = text.rpartition("=")
    try:
        percentage = Fraction(bound)
    except (ValueError, ZeroDivisionError):
        equals = ""
    if not (name and equals):
        raise InputError(Fault("invalid-gate", f"{text!r} is not MEASURE=NUMBER"))
    return str(parse_measure(name)), percentage / 100


def _passed(values: Mapping[str, Fraction | None], gates: list[Gate]) -> int:
    code = DONE
    for measure, bound in gates:
        value = values[measure]
        if value is None or value < bound:
            shown = "has no value" if value is None else f"is {float(100 * value):.4f}"
            say(f"{measure} {shown}, under {float(100 * bound):g}")
            code = GATE
    return code


def _print_pair(
    evaluation: Evaluation,
    coverage: Coverage | None,
    output_format: str,
    places: int | None,
    output: str | None,
    *,
    counts: bool,
) -> None:
    options.print_warnings((*evaluation.gold.warnings, *evaluation.system.warnings))
    if output_format in {"json", "jsonl"}:
        options.print_json(report.score_document(evaluation, coverage), output, lines=output_format == "jsonl")
    else:
        table = report.score_table(evaluation, coverage, counts=counts)
        options.print_table(table, output_format, places, output)


def _print_folders(
    evaluations: Mapping[str, Evaluation],
    average: report.Average,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    for evaluation in evaluations.values():
        options.print_warnings((*evaluation.gold.warnings, *evaluation.system.warnings))
    if output_format == "jsonl":
        options.print_json(
            [{"treebank": name, **report.score_document(one)} for name, one in evaluations.items()], output, lines=True
        )
    elif output_format == "json":
        options.print_json(report.scores_document(evaluations, average), output)
    else:
        options.print_table(report.scores_table(evaluations, average), output_format, places, output)


def _score(
    gold: str, system: str, settings: dict[str, Any], *, align_sentences: bool
) -> tuple[Evaluation, Coverage | None]:
    if not align_sentences:
        return score_pair(gold, system, **settings), None
    from levelhead.secondary import score_agreeing_sentences

    return score_agreeing_sentences(gold, system, measures=settings["measures"], rules=settings["rules"])


def _explain(gold: str, system: str, output_format: str, places: int | None, output: str | None) -> int:
    from levelhead.explanation import explain
    from levelhead.report.explanation import explanation_document, explanation_table

    explanation = explain(gold, system)
    if output_format in {"json", "jsonl"}:
        options.print_json(explanation_document(explanation), output, lines=output_format == "jsonl")
    else:
        options.print_table(explanation_table(explanation), output_format, places, output)
    return DONE
