"""levelhead trees: the trees of gold and systems, where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.measuring import measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_provenance
from levelhead.cli.shared.reading import inputs_of, plan_of, reading_options

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.cli.shared.measuring import Measuring
    from levelhead.cli.shared.reading import Reading

_LIMIT = 5


class _Request(NamedTuple):
    plan: Plan
    show: tuple[str, ...]
    limit: int | None
    measuring: Measuring
    reading: Reading
    output_format: str
    output: str | None

    @property
    def most(self) -> int | None:
        """How many sentences are shown."""
        return _LIMIT if self.limit is None and not self.json else self.limit

    @property
    def json(self) -> bool:
        return self.output_format.startswith("json")

    def print_json(self, document: object) -> None:
        options.print_json(document, self.output, lines=self.output_format == "jsonl")


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
@click.option(
    "--show", multiple=True, metavar="GOLD:SYSTEM",
    help="Show the sentences of one system in which the first relation is taken for the second, such as nsubj:obj; can"
    " be repeated",
)  # fmt: skip
@click.option(
    "--limit", type=click.IntRange(1), metavar="N",
    help=f"Show at most N words for each --show, or N sentences of gains and N of losses for each system and treebank."
    f"  [default: {_LIMIT}; all in JSON]",
)  # fmt: skip
@measuring_options("LAS", "WLAS(WDE)")
@split_option
@reading_options
@options.format_option("text", "json", "jsonl")
@options.output_option
def trees(
    gold: str,
    systems: tuple[str, ...],
    show: tuple[str, ...],
    limit: int | None,
    measuring: Measuring,
    split: Any,
    reading: Reading,
    output_format: str,
    output: str | None,
) -> int:
    """Draw the trees of GOLD and SYSTEM where they differ (sentences of up to 200 words).

    With one system: the sentences behind an error, --show GOLD:SYSTEM. With several: the sentences in which each gains
    or loses most against the first.
    """
    options.check_paths([*inputs_of([gold, *systems]), *measuring.files()], [output])
    if bool(show) != (len(systems) == 1):
        raise click.UsageError("give one system and --show GOLD:SYSTEM, or several systems without --show")
    request = _Request(plan_of(gold, systems, split), show, limit, measuring, reading, output_format, output)
    (_confused if show else _contrasts)(request)
    return DONE


def _confused(request: _Request) -> None:
    from levelhead.analysis.confusion import examples_of
    from levelhead.cli.shared.outputs import Pairs
    from levelhead.report.analysis import examples_document
    from levelhead.report.drawing import draw_examples
    from levelhead.report.scores import signature_line

    if len(request.plan.test_sets) > 1:
        raise click.UsageError("--show requires one pair of files")
    pairs = Pairs(request.plan, request.reading.setup())
    ((_, matches),) = pairs
    found = {cell: list(examples_of(matches, *_relations(matches, cell))) for cell in request.show}
    if request.json:
        shown = {cell: some[: request.most] for cell, some in found.items()}
        request.print_json(examples_document(matches, shown, pairs.signature))
    else:
        text = draw_examples(matches, found, request.most)
        options.emit(f"{text}{signature_line(pairs.signature)}\n", request.output)


def _relations(matches: Any, cell: str) -> tuple[str, str]:
    from levelhead.analysis.confusion import cells_named

    if not all(cell.split(":")) or ":" not in cell:
        raise click.UsageError(f"{cell!r} is not GOLD:SYSTEM, as in nsubj:obj")
    meant = cells_named(matches, cell)
    if len(meant) > 1:
        readings = " or ".join(f"{gold} taken for {system}" for gold, system in meant)
        raise click.UsageError(f"{cell!r} is ambiguous: {readings}")
    return meant[0]


def _contrasts(request: _Request) -> None:
    from levelhead.comparison.contrasts import compare_sentences
    from levelhead.report.comparison import contrasts_document, contrasts_text

    if any(system.run for system in request.plan.systems):
        raise click.UsageError("trees shows single outputs: name one run of each system")
    measures, measuring = [request.measuring.single()], request.measuring
    setup = request.reading.setup(measures, measuring.registry, measuring.weights(measures))
    found = compare_sentences(request.plan, request.most, setup)
    print_provenance(found.provenance)
    if request.json:
        request.print_json(contrasts_document(found))
    else:
        ((measure, definition),) = setup.defined
        options.emit(contrasts_text(found, definition.needs_for(measure.argument)), request.output)
