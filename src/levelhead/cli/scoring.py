"""Scores: levelhead score and explain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE, GATE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_paths, holds_test_sets, inputs_of, named_files
from levelhead.cli.shared.option_types import PATH
from levelhead.cli.shared.printing import (
    PageRequest,
    Printing,
    check_cite,
    page_options,
    print_citation,
    print_provenance,
    printing_options,
)
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from levelhead.comparison.evaluations import Evaluations
    from levelhead.evaluation.gates import Gate
    from levelhead.evaluation.pair import Evaluation, Input
    from levelhead.measures.registry import Registry

_MOST_AHEAD = 1 << 23  # bytes: reading larger files takes longer than loading the rest of the program


def _digits(context: click.Context, option: click.Parameter, value: str | None) -> str:  # noqa: ARG001
    if value is not None and not set(value) <= set("0123456"):
        raise click.BadParameter(f"{value!r} must consist of digits from 0 to 6")
    return value or ""


def _removed(context: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: ARG001
    if value:
        raise click.UsageError("--align-sentences was replaced by --partial, which counts all gold words")


@command()
@options.gold_argument
@click.argument("system", type=PATH)
@options.measuring_options
@click.option("-c", "--counts", is_flag=True, help="Print the counts of words behind each score")
@click.option(
    "--enhancements", metavar="DIGITS", callback=_digits,
    help="Kinds of enhancements to ignore, such as 146: 1 gapping, 2 shared parents and 3 dependents in coordination,"
    " 4 control, 5 relative clauses, 6 case in labels (requires --rules udtools)",
)  # fmt: skip
@options.partial_option
@click.option("--align-sentences", is_flag=True, hidden=True, expose_value=False, callback=_removed)
@click.option(
    "--fail-under", "under", multiple=True, metavar="MEASURE=NUMBER",
    help="Exit with 1 if a measure is below a percentage (compared unrounded); can be repeated",
)  # fmt: skip
@click.option(
    "--fail-over", "over", multiple=True, metavar="MEASURE=NUMBER",
    help="Exit with 1 if a perplexity (lower is better) is above a number; can be repeated",
)  # fmt: skip
@page_options()
@options.engine_options
@options.scored_reading_options
@options.cite_option
@printing_options()
def score(
    gold: str,
    system: str,
    counts: bool,
    enhancements: str,
    under: tuple[str, ...],
    over: tuple[str, ...],
    page: PageRequest,
    cite: bool,
    printing: Printing,
    **given: Any,
) -> int:
    """Score SYSTEM against GOLD: CoNLL-U files, compressed or not, or folders of files with the same names.

    "-" is standard input. Scores go to standard output, warnings and notes to standard error.
    """
    folders = holds_test_sets(gold)
    with _files_ahead(gold, system, alone=not (page.wanted or given["partial"] or given["store"])) as (read, output):
        check_kinds(gold, [system])
        check_cite(printing.output_format, cite=cite)
        if enhancements and given["rules"] != "udtools":
            raise click.UsageError("--enhancements requires --rules udtools")
        files = [*inputs_of([gold, system]), *named_files(given), *options.files_of_measures(_gated((*under, *over)))]
        check_paths(files, [printing.output, *page.outputs(), given["store"]])
        from levelhead.api.inputs import registry_of
        from levelhead.api.scoring import score as scored

        registry = registry_of(given["definitions"], given["scheme"])
        gates = list(_gates(under, over, registry))
        counted = inputs_of([system]) if folders or given["store"] else None
        arguments = options.arguments_for(scored, given, counted)
        arguments |= _measures(arguments, gates, registry)
        if enhancements:
            from levelhead.scoring.enhanced_edges import switches_of
            from levelhead.scoring.rules import RULES

            arguments["rules"] = replace(RULES["udtools"], switches=switches_of(enhancements))
        prepare = ["page"] if page.wanted else []
        result = scored(read, output, **arguments | {"registry": registry, "prepare": prepare})
    print_provenance(result.provenance)
    if cite:
        print_citation(result, printing)
    else:
        printing.print(lambda: result.table(counts=counts), result.to_dict, lines=lambda: _lines(result))
    page.write(result, registry)
    return _passed(gates, result)


@contextmanager
def _files_ahead(gold: str, system: str, *, alone: bool) -> Iterator[tuple[Input, Input]]:
    """Start reading the two files in the background, if they are of medium size and nothing else reads them."""
    from levelhead.treebank.two_files import are_large_files

    if not (alone and are_large_files(gold, system) and max(map(os.path.getsize, (gold, system))) <= _MOST_AHEAD):
        yield gold, system
        return
    from levelhead.treebank.two_files import PrefetchedFile

    with PrefetchedFile(gold) as of_gold, PrefetchedFile(system) as of_system:
        yield of_gold, of_system


def _gated(gates: Iterable[str]) -> Iterator[str]:
    """Yield the measures of gates, as written on the command line."""
    from levelhead.measures.registry import split_measures

    for gate in gates:
        yield split_measures(gate.rpartition("=")[0])[0]


def _gates(under: Sequence[str], over: Sequence[str], registry: Registry) -> Iterator[Gate]:
    """Yield the gates on the command line: bounds of measures that decide the exit code."""
    if not (under or over):
        return
    from levelhead.evaluation.gates import bound_of, gate_of, percentage_warning  # loaded when needed: they load numpy
    from levelhead.measures.registry import parse_measure

    for option, texts in (("--fail-under", under), ("--fail-over", over)):
        for text in texts:
            name, equals, number = text.rpartition("=")
            bound = bound_of(number)
            if bound is None or not (name and equals):
                raise InputError(Fault("invalid-gate", f"{text!r} is not MEASURE=NUMBER"))
            measure = parse_measure(name, registry)
            lower = registry.measures[measure.name].lower_is_better
            if lower != (option == "--fail-over"):
                kind, better = ("lower", "--fail-over") if lower else ("higher", "--fail-under")
                raise InputError(Fault("invalid-gate", f"{option} {text}: {kind} values are better; use {better}"))
            if doubtful := percentage_warning(name, bound, highest=lower):
                say(f"warning: {option} {text}: {doubtful}")
            yield gate_of(str(measure), bound, highest=lower)


def _measures(given: dict[str, Any], gates: Sequence[Gate], registry: Registry) -> dict[str, Any]:
    """The printed measures and those of gates, which keep punctuation; none if the function knows them."""
    if not (given["measures"] or gates):
        return {}
    from levelhead.api.inputs import without_punctuation
    from levelhead.measures.registry import parse_measure
    from levelhead.scoring.rules import RULES

    texts = given["measures"] or RULES[given["rules"]].measures
    names = [str(parse_measure(text, registry)) for text in texts]
    printed = without_punctuation(names, "ud", given["punct"], registry) or ()
    return {"measures": list(dict.fromkeys([*printed, *(gate.measure for gate in gates)])), "punct": "keep"}


def _lines(result: Evaluation | Evaluations) -> Any:
    from levelhead.evaluation.pair import Evaluation

    if isinstance(result, Evaluation):
        return result.to_dict()
    return [{"treebank": code, **evaluation.to_dict()} for code, evaluation in result.items()]


def _passed(gates: Sequence[Gate], result: Evaluation | Evaluations) -> int:
    """Report the gates that failed, and return the exit code."""
    if not gates:
        return DONE
    from levelhead.evaluation.pair import Evaluation
    from levelhead.evaluation.score_tables import missing_scores

    if isinstance(result, Evaluation):
        values = {gate.measure: result[gate.measure].exact for gate in gates}
        reasons = {gate.measure: [result[gate.measure].reason or ""] for gate in gates}
    else:
        values, reasons = dict(result.average), {}
        for measure, reason in missing_scores(result):
            reasons.setdefault(measure, []).append(reason)
    broken = [gate.broken(values[gate.measure], "; ".join(reasons.get(gate.measure, ()))) for gate in gates]
    messages = list(filter(None, broken))
    for message in messages:
        say(message)
    return GATE if messages else DONE


@command()
@click.argument("gold", type=PATH)
@click.argument("system", type=PATH)
@printing_options()
def explain(gold: str, system: str, printing: Printing) -> None:
    """Show which differences between the rules ud, udtools, conll18 and conll17 change the scores of SYSTEM.

    GOLD and SYSTEM are files; "-" is standard input.
    """
    from levelhead.api.scoring import explain as explained

    check_paths([gold, system], [printing.output])
    explanation = explained(gold, system)
    printing.print(explanation.table, explanation.to_dict)
