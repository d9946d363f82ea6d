"""levelhead trees: the trees of gold and systems, where they differ."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.measuring import measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_provenance
from levelhead.cli.shared.reading import inputs_of, plan_of, reading_options
from levelhead.errors import number_of
from levelhead.extras import require

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.cli.shared.measuring import Measuring
    from levelhead.cli.shared.reading import Reading
    from levelhead.comparison.contrasts import Contrasts
    from levelhead.report.compared_trees import TreeGroup

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

    def print(
        self,
        drawn: Callable[[], str],
        groups: Callable[[], list[TreeGroup]],
        document: Callable[[], object],
        signature: Mapping[str, str],
    ) -> None:
        """Print trees as text, a drawing, a page or JSON; each is made only when it is printed."""
        if self.json:
            options.print_json(document(), self.output, lines=self.output_format == "jsonl")
        elif self.output_format == "text":
            options.emit(_colored(drawn()) if self._on_terminal else drawn(), self.output)
        else:
            options.emit(_written(groups(), self.output_format, signature), self.output)

    @property
    def _on_terminal(self) -> bool:
        return self.output in {None, "-"} and sys.stdout.isatty() and "NO_COLOR" not in os.environ


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
@options.format_option("text", "svg", "tikz", "html", "json", "jsonl")
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
    if output_format == "html":
        require("jinja2", "pages")
    options.check_paths([*inputs_of([gold, *systems]), *measuring.files()], [output])
    if bool(show) != (len(systems) == 1):
        raise click.UsageError("give one system and --show GOLD:SYSTEM, or several systems without --show")
    request = _Request(plan_of(gold, systems, split), show, limit, measuring, reading, output_format, output)
    (_confused if show else _contrasts)(request)
    return DONE


_MARKED = re.compile(r"^ {4}(?:[ ╵╷│╴┘┐┤╶└┌├─┴┬┼]*[►─ ] \* | *\* +\d+ ).*$", re.MULTILINE)


def _colored(text: str) -> str:
    """Marked words in red."""
    return _MARKED.sub(lambda line: click.style(line[0], fg="red"), text)


def _written(groups: list[TreeGroup], output_format: str, signature: Mapping[str, str]) -> str:
    from levelhead.report.compared_trees import trees_page, trees_svg, trees_tikz
    from levelhead.report.scores import signature_line

    if output_format == "html":
        from levelhead.report.page import render

        return render(trees_page(groups, signature)).decode()
    return (trees_svg if output_format == "svg" else trees_tikz)(groups, signature_line(signature))


def _confused(request: _Request) -> None:
    from levelhead.analysis.confusion import examples_of
    from levelhead.comparison.breakdowns import for_each_output
    from levelhead.report.analysis import examples_document
    from levelhead.report.compared_trees import TreeGroup
    from levelhead.report.page.examples import Shown
    from levelhead.report.scores import signature_line
    from levelhead.report.tree_text import draw_examples

    if len(request.plan.test_sets) > 1:
        raise click.UsageError("--show requires one pair of files")
    read, provenance = for_each_output(request.plan, request.reading.setup(), lambda matches: matches)
    print_provenance(provenance)
    (matches,) = read.values()
    found = {cell: list(examples_of(matches, *_relations(matches, cell))) for cell in request.show}
    shown = {cell: some[: request.most] for cell, some in found.items()}
    output = Shown(request.plan.systems[0].label, matches)
    request.print(
        lambda: f"{draw_examples(matches, found, request.most)}{signature_line(provenance.signature)}\n",
        lambda: [
            TreeGroup(f"{cell}: {number_of(len(found[cell]), 'word')}", [output], [one.gold_sentence for one in some])
            for cell, some in shown.items()
        ],
        lambda: examples_document(matches, shown, provenance.signature),
        provenance.signature,
    )


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
    ((measure, definition),) = setup.defined
    request.print(
        lambda: contrasts_text(found, definition.needs_for(measure.argument)),
        lambda: list(_groups(found)),
        lambda: contrasts_document(found),
        found.provenance.signature,
    )


def _groups(found: Contrasts) -> Iterator[TreeGroup]:
    from levelhead.report.compared_trees import TreeGroup
    from levelhead.report.page.examples import Shown

    for name, baseline, system, gained, lost in found.outputs:
        outputs = [Shown(one.name, one.matches) for one in (baseline, system)]
        for verb, some in (("gains", gained), ("loses", lost)):
            title = f"{name}: {system.name} {verb} most against {baseline.name}"
            yield TreeGroup(title, outputs, [one.sentence for one in some])
