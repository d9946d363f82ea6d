"""levelhead breakdown: scores and errors by properties of words or by sentence, of one system or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.measuring import measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_provenance, printing_options
from levelhead.cli.shared.reading import check_paths, inputs_of, plan_of, reading_options

if TYPE_CHECKING:
    from levelhead.analysis.word_properties import PropertySettings
    from levelhead.campaign.plan import Plan
    from levelhead.cli.shared.measuring import Measuring
    from levelhead.cli.shared.printing import Printing
    from levelhead.cli.shared.reading import Reading
    from levelhead.comparison.breakdowns import Intervals, PerTreebank
    from levelhead.comparison.contrasts import Gains
    from levelhead.evaluation.setup import Setup


class _Request(NamedTuple):
    plan: Plan
    by: tuple[str, ...]
    measuring: Measuring
    reading: Reading
    printing: Printing
    intervals: Intervals

    def setup(self, measures: list[str]) -> Setup:
        """Return the settings for some measures."""
        return self.reading.setup(measures, self.measuring.registry, self.measuring.weights(measures))

    def buckets(self) -> PropertySettings:
        """Return the data that properties may need: classes, and the words and trees seen in training."""
        from levelhead.analysis.word_properties import PropertySettings

        return PropertySettings(self.measuring.default_scheme, self.measuring.training())

    def properties(self) -> list[list[str]]:
        """Return the properties of each breakdown."""
        return [text.split(",") for text in self.by]


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
    from levelhead.comparison.breakdowns import Intervals

    check_paths([*inputs_of([gold, *systems]), *measuring.files()], [printing.output])
    special = [text for text in by if text in _TABLES]
    if special and (len(by) > 1 or len(systems) > 1):
        raise click.UsageError(f"--by {special[0]} requires a single system and cannot be combined with another --by")
    if len(systems) > 1 and len(by) > 1:
        raise click.UsageError("with several systems, give a single --by")
    request = _Request(plan_of(gold, systems, split), by, measuring, reading, printing, Intervals(resample_by, level))
    show = _TABLES[special[0]] if special else _breakdowns if len(systems) == 1 else _gains
    show(request)
    return DONE


def _breakdowns(request: _Request) -> None:
    from levelhead.comparison.breakdowns import break_down_outputs

    setup, buckets = request.setup([request.measuring.single()]), request.buckets()
    _print(request, break_down_outputs(request.plan, setup, request.properties(), buckets, request.intervals))


def _print(request: _Request, result: PerTreebank[Any] | Gains) -> None:
    print_provenance(result.provenance)
    request.printing.print(result.table, result.to_dict)


def _gains(request: _Request) -> None:
    from levelhead.comparison.contrasts import compare_by

    (by,) = request.properties()
    buckets = request.buckets()
    decided = {"train": buckets.training.hashes} if buckets.training else {}
    setup = request.setup([request.measuring.single()])
    gains = compare_by(request.plan, by, buckets, setup, decided, request.intervals)
    _print(request, gains)


def _repairs(request: _Request) -> None:
    from levelhead.comparison.breakdowns import repairs_of_outputs

    setup = request.setup([request.measuring.single()])
    _print(request, repairs_of_outputs(request.plan, setup, request.intervals))


def _sentences(request: _Request) -> None:
    from levelhead.comparison.breakdowns import count_sentences_of_outputs

    _print(request, count_sentences_of_outputs(request.plan, request.setup(request.measuring.names("LAS"))))


def _errors(request: _Request) -> None:
    from levelhead.comparison.breakdowns import error_types_of_outputs

    _print(request, error_types_of_outputs(request.plan, request.setup([])))


def _cascading(request: _Request) -> None:
    from levelhead.comparison.breakdowns import cascading_errors_of_outputs

    _print(request, cascading_errors_of_outputs(request.plan, request.setup([]), request.measuring.default_scheme))


_TABLES: Mapping[str, Callable[[_Request], None]] = {
    "repair": _repairs,
    "sentence": _sentences,
    "error": _errors,
    "cascading": _cascading,
}
"""The values of `--by` that are not properties of words."""
