"""levelhead breakdown: scores and errors by properties of words or by sentence, of one system or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.measuring import measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_provenance, printing_options
from levelhead.cli.shared.reading import check_kinds, check_paths, inputs_of, reading_options

if TYPE_CHECKING:
    from levelhead.cli.shared.measuring import Measuring
    from levelhead.cli.shared.printing import Printing
    from levelhead.cli.shared.reading import Reading

_SPECIAL = frozenset({"repair", "sentence", "error", "cascading"})
"""The values of `--by` that are not properties of words."""


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
@click.option(
    "--by", multiple=True, required=True, metavar="PROPERTY[,PROPERTY]",
    help="Property, or a combination of properties: class, deprel, relation, head-relation, upos, lemma, feature:NAME,"
    " direction, length, depth, projective, sentence-length, document, comment:NAME; with --train also frequency,"
    " vocabulary, seen-sentence, seen-tree, seen-heads. For one system also: repair (points gained by repairing each"
    " kind of error), sentence (counts per sentence), error (types of errors), cascading (wrong arcs whose head is"
    " attached correctly or incorrectly). Can be repeated for one system",
)  # fmt: skip
@measuring_options("LAS", "--by frequency, vocabulary, seen-sentence, seen-heads and seen-tree, and WLAS(WDE)")
@options.resample_by_option
@options.level_option
@split_option
@reading_options
@printing_options
def breakdown(
    gold: str,
    systems: tuple[str, ...],
    by: tuple[str, ...],
    resample_by: str,
    level: float,
    split: Any,
    measuring: Measuring,
    reading: Reading,
    printing: Printing,
) -> int:
    """Break scores down by properties of words: where is SYSTEM good, and where does it make errors?

    With several systems: where is each better or worse than the first? GOLD and SYSTEM are files or folders, as in
    levelhead score. With --by class or deprel, the table also has the score without each class or relation. Scores have
    confidence intervals; documents are the units if gold marks them.
    """
    from levelhead.api.breakdowns import breakdown as broken_down

    check_paths([*inputs_of([gold, *systems]), *measuring.files()], [printing.output])
    special = [text for text in by if text in _SPECIAL]
    if special and (len(by) > 1 or len(systems) > 1):
        raise click.UsageError(f"--by {special[0]} requires a single system and cannot be combined with another --by")
    if len(systems) > 1 and len(by) > 1:
        raise click.UsageError("with several systems, give a single --by")
    check_kinds(gold, systems)
    if not {"sentence", "error", "cascading"} & {*by}:
        measuring.check_single()
    result = broken_down(
        gold, systems, by=by, resample_by=resample_by, level=level, split=split, **measuring.arguments(),
        **reading.arguments(),
    )  # fmt: skip
    print_provenance(result.provenance)
    printing.print(result.table, result.to_dict)
    return DONE
