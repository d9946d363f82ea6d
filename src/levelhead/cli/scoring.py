"""Scores: levelhead score and explain."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from levelhead.arguments import is_collection
from levelhead.cli.program import DONE, GATE, refuse_if, say
from levelhead.cli.shared import options, printing
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import inputs_of
from levelhead.errors import Fault, InputError, quoted

if TYPE_CHECKING:
    from levelhead.evaluation.gates import Gate
    from levelhead.measures.registry import Registry

_MAIN = ("LAS", "CLAS", "MLAS", "BLEX", "UAS")  # the measures of folders that are shown
_MOST_AHEAD = 1 << 23  # bytes: reading larger files takes longer than loading the rest of the program


@command()
@options.gold_and_system
@options.measuring_options
@click.option("-c", "--counts", is_flag=True, help="Print the counts of words behind each score")
@setting("--intervals", is_flag=True)
@click.option(
    "--all-measures", is_flag=True,
    help="For folders, print all measures that the official scorer prints  [default: LAS, CLAS, MLAS, BLEX and UAS]",
)  # fmt: skip
@click.option(
    "--enhancements", metavar="DIGITS",
    help="Enhancements to ignore, as digits such as 14: 1 (gapping), 2 (shared parents in coordination), 3 (shared"
    " dependents in coordination), 4 (control), 5 (relative clauses), 6 (case in labels). Requires --rules udtools",
)  # fmt: skip
@options.partial_option
@click.option("--align-sentences", is_flag=True, hidden=True)
@click.option(
    "--fail-under", "under", multiple=True, metavar="MEASURE=NUMBER,...", callback=options.separated,
    help="Exit with code 1 if the unrounded score is below this percentage; can be repeated",
)  # fmt: skip
@click.option(
    "--fail-over", "over", multiple=True, metavar="MEASURE=NUMBER,...", callback=options.separated,
    help="Exit with code 1 if the unrounded perplexity is above this number; can be repeated",
)  # fmt: skip
@options.page_options
@options.engine_options
@options.scored_reading_options
@options.cite_option
@options.result_options
def score(
    counts: bool,
    all_measures: bool,
    enhancements: str | None,
    under: tuple[str, ...],
    over: tuple[str, ...],
    **given: Any,
) -> int:
    """Score SYSTEM against GOLD: CoNLL-U files, compressed or not, or folders of files with the same names.

    "-" is standard input. AligndAcc (the name in the official scripts) is the percentage of aligned words that are
    correct.
    """
    refuse_if(given["align_sentences"], "--align-sentences was replaced by --partial, which counts all gold words")
    if enhancements and not set(enhancements) <= set("0123456"):
        message = f"{enhancements!r} must consist of digits from 0 to 6"
        raise click.BadParameter(message, param_hint="'--enhancements'")
    gold, system = read = [given["gold"], given["system"]]
    with ExitStack() as stack:
        if not (printing.wants_page(given) or given["partial"] or given["store"] or given["intervals"]):
            from levelhead.treebank.input_bytes import PrefetchedFile, are_large_files

            if are_large_files(gold, system) and max(map(os.path.getsize, read)) <= _MOST_AHEAD:
                read = [stack.enter_context(PrefetchedFile(path)) for path in read]
        printing.check_papers(given)
        refuse_if(enhancements and given["rules"] != "udtools", "--enhancements requires --rules udtools")
        from levelhead.api.inputs import registry_of
        from levelhead.api.scoring import score as scored

        registry = registry_of(given["definitions"], given["scheme"])
        gates = list(_gates(under, over, registry)) if under or over else []
        planned = is_collection(gold) or given["store"] or given["intervals"]
        counted = inputs_of([system]) if planned else None
        arguments = options.arguments_for(scored, given, counted)
        if gates or given["measures"]:
            arguments |= _measures(arguments, gates, registry)
        if enhancements:
            from levelhead.scoring.enhanced_edges import switches_of
            from levelhead.scoring.rules import RULES

            arguments["rules"] = replace(RULES["udtools"], switches=switches_of(enhancements))
        arguments |= {"registry": registry, "prepare": ["page"] if printing.wants_page(given) else []}
        result: Any = scored(**arguments | {"gold": read[0], "system": read[1]})
    shown = () if all_measures or given["measures"] else dict.fromkeys((*_MAIN, *(gate.measure for gate in gates)))
    printing.show(given, result, counts=counts, measures=shown)
    return _passed(gates, result) if gates else DONE


def _gates(under: Sequence[str], over: Sequence[str], registry: Registry) -> Iterator[Gate]:
    from levelhead.evaluation.gates import Gate, bound_of, percentage_warning  # loaded when needed: they load numpy
    from levelhead.measures.registry import parse_measure

    for option, texts in (("--fail-under", under), ("--fail-over", over)):
        for text in texts:
            name, equals, number = text.rpartition("=")
            bound = bound_of(number)
            if bound is None or not (name and equals):
                example = "LAS=80" if option == "--fail-under" else "DPPL(FILE)=60"
                message = f"{option} {quoted(text)} is not MEASURE=NUMBER, such as {example}"
                raise InputError(Fault("invalid-gate", message))
            measure = parse_measure(name, registry)
            lower = registry.measures[measure.name].lower_is_better
            if lower != (option == "--fail-over"):
                kind, better = ("lower", "--fail-over") if lower else ("higher", "--fail-under")
                raise InputError(Fault("invalid-gate", f"{option} {text}: {kind} values are better; use {better}"))
            if doubtful := percentage_warning(name, bound, highest=lower):
                say(f"warning: {option} {text}: {doubtful}")
            yield Gate(str(measure), bound, lower)


def _measures(given: Mapping[str, Any], gates: Sequence[Gate], registry: Registry) -> dict[str, Any]:
    """Return the printed measures and those of gates, which keep punctuation."""
    from levelhead.api.inputs import as_list, without_punctuation
    from levelhead.measures.registry import parse_measure
    from levelhead.scoring.rules import RULES

    texts = given["measures"] or RULES[given["rules"]].measures
    names = [str(parse_measure(text, registry)) for text in texts]
    printed = as_list(without_punctuation(names, "ud", given["punct"], registry) or ())
    return {"measures": list(dict.fromkeys([*printed, *(gate.measure for gate in gates)])), "punct": "keep"}


def _passed(gates: Sequence[Gate], result: Any) -> int:
    broken = [gate.broken(result[gate.measure]) for gate in gates]
    for message in filter(None, broken):
        say(message)
    return GATE if any(broken) else DONE


@command()
@options.gold_and_system
@options.quiet_option
@options.printing_options()
def explain(**given: Any) -> None:
    """Show which differences between the rules ud, udtools, conll18 and conll17 change the scores of SYSTEM.

    GOLD and SYSTEM are files; "-" is standard input.
    """
    printing.print_result(given, options.call(given))
