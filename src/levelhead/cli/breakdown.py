"""levelhead breakdown: scores and errors by properties of words or by sentence, of one system or several."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_outputs_of_systems
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options

_SPECIAL = frozenset({"repair", "sentence", "error", "cascading"})
"""The values of `--by` that are not properties of words."""


@command()
@options.gold_argument
@options.systems_argument
@click.option(
    "--by", multiple=True, required=True, metavar="PROPERTY[,PROPERTY]",
    help="Property, or a combination of properties: class, deprel, relation, head-relation, upos, lemma, feature:NAME,"
    " direction, length, depth, projective, sentence-length, document, comment:NAME; with --train also frequency,"
    " vocabulary, seen-sentence, seen-tree, seen-heads. For one system also: repair (points gained by repairing each"
    " kind of error), sentence (counts per sentence), error (types of errors), cascading (wrong arcs whose head is"
    " attached correctly or incorrectly). Can be repeated for one system",
)  # fmt: skip
@options.measuring_options("LAS", "--by frequency, vocabulary, seen-sentence, seen-heads and seen-tree, and WLAS(WDE)")
@options.interval_options
@options.split_option
@options.reading_options
@printing_options()
def breakdown(by: tuple[str, ...], printing: Printing, **given: Any) -> None:
    """Break scores down by properties of words: where is SYSTEM good, and where does it make errors?

    With several systems: where is each better or worse than the first? GOLD and SYSTEM are files or folders, as in
    levelhead score. With --by class or deprel, the table also has the score without each class or relation. Scores have
    confidence intervals; documents are the units if gold marks them.
    """
    from levelhead.api.breakdowns import breakdown as broken_down

    gold, systems = given["gold"], given["systems"]
    check_outputs_of_systems(gold, systems, given, [printing.output])
    special = [text for text in by if text in _SPECIAL]
    if special and (len(by) > 1 or len(systems) > 1):
        raise click.UsageError(f"--by {special[0]} requires a single system and cannot be combined with another --by")
    if len(systems) > 1 and len(by) > 1:
        raise click.UsageError("with several systems, give a single --by")
    check_kinds(gold, systems)
    if not {"sentence", "error", "cascading"} & {*by}:
        options.check_single_measure(given["measures"])
    result = broken_down(by=by, **options.arguments_for(broken_down, given))
    print_provenance(result.provenance)
    printing.print(result.table, result.to_dict)
