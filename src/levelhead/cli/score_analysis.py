"""What `levelhead score` prints of where errors sit: breakdowns, confusion, kinds of errors, examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from levelhead.campaign.outputs import read_outputs
from levelhead.cli import options
from levelhead.cli.score_tables import one_measure
from levelhead.comparison.folders import one_run
from levelhead.evaluation.provenance import Provenance, joint_signature, pair_provenance
from levelhead.scoring.crossing import notes_of, notes_on
from levelhead.scoring.matches import Matches
from levelhead.treebank.contents import contents_of

if TYPE_CHECKING:
    from levelhead.analysis import Training
    from levelhead.cli.request import Request
    from levelhead.scoring.measure import Measure
    from levelhead.treebank.schemes import Scheme

    _Used = tuple[Scheme, tuple[str, ...]]


class _Pairs:
    """The pairs of files that a request names, matched one by one; warnings and notes are printed after the last.

    Args:
        request: what was asked for.
        measures: the measures that are counted.
        scheme: a scheme that is used beside them, if any, with what uses it.
    """

    def __init__(self, request: Request, measures: tuple[Measure, ...] = (), scheme: _Used | None = None) -> None:
        self.request, self.scheme, self.setup = request, scheme, request.setup(measures)
        self.provenances: list[Provenance] = []

    def __iter__(self) -> Iterator[tuple[str, Matches]]:
        setup = self.setup
        for name, (output,) in read_outputs(one_run(self.request.plan()), setup):
            gold, system = output.matches.gold, output.matches.system
            notes = notes_on(gold, system, setup.defined, setup.rules, setup.registry.schemes)
            notes += notes_of(gold, system, [self.scheme] if self.scheme else [])
            own = setup.signature_of_measures() | ({"scheme": self.scheme[0].name} if self.scheme else {})
            self.provenances.append(pair_provenance(contents_of(gold), contents_of(system), setup, notes, own))
            yield name, output.matches
        options.print_warnings(fault for one in self.provenances for fault in one.warnings)
        options.print_notes(note for one in self.provenances for note in one.notes)

    @property
    def signature(self) -> Mapping[str, str]:
        """What decides the numbers of all."""
        return joint_signature(one.signature for one in self.provenances)


def _scheme(request: Request) -> Scheme:
    schemes = request.registry().schemes
    return schemes.by_name[schemes.default]


def _training(request: Request) -> Training | None:
    from levelhead.analysis import Training
    from levelhead.treebank import read

    return Training.of(read(path) for path in request.train) if request.train else None


def print_breakdowns(request: Request) -> None:
    """Print one table of all breakdowns, one after the other."""
    from levelhead.analysis import break_down
    from levelhead.analysis.breakdown import check_breakable
    from levelhead.analysis.buckets import BucketSettings as Settings
    from levelhead.analysis.buckets import RequestedComments as Comments
    from levelhead.measures.registry import parse_measure
    from levelhead.report.analysis import breakdown_document, breakdown_table

    registry = request.registry()
    measure = parse_measure(one_measure(request)[0], registry)
    check_breakable(measure, registry)
    settings = Settings(_scheme(request), _training(request))
    asked = [by.split(",") for by in request.by]
    by_class = any("class" in by for by in asked)
    pairs = _Pairs(request, (measure,), (_scheme(request), ("--by class",)) if by_class else None)
    found, comments = {}, Comments(name for by in asked for name in by)
    for name, matches in pairs:
        found[name] = [break_down(matches, measure, by, settings, registry=registry) for by in asked]
        comments.see(matches.gold)
    comments.check()
    signed = pairs.signature
    request.print(lambda: breakdown_table(found, signed), lambda: breakdown_document(found, signed))


def print_confusion(request: Request) -> None:
    """Print which relation is taken for which, the most frequent errors first."""
    from levelhead.analysis import confuse
    from levelhead.report.analysis import confusion_document, confusion_table

    pairs = _Pairs(request)
    found = {name: confuse(matches) for name, matches in pairs}
    signed = pairs.signature
    request.print(lambda: confusion_table(found, signed), lambda: confusion_document(found, signed))


def print_errors(request: Request) -> None:
    """Print in which way words are wrong."""
    from levelhead.analysis import error_types
    from levelhead.report.analysis import errors_document, errors_table

    pairs = _Pairs(request)
    found = {name: error_types(matches) for name, matches in pairs}
    signed = pairs.signature
    request.print(lambda: errors_table(found, signed), lambda: errors_document(found, signed))


def print_cascading(request: Request) -> None:
    """Print how many wrong arcs hang from right ones."""
    from levelhead.analysis import cascading_errors
    from levelhead.report.analysis import cascading_document, cascading_table

    scheme = _scheme(request)
    pairs = _Pairs(request, scheme=(scheme, ("--table cascading",)))
    found = {name: cascading_errors(matches, scheme) for name, matches in pairs}
    signed = pairs.signature
    request.print(lambda: cascading_table(found, signed), lambda: cascading_document(found, signed))


def print_examples(request: Request) -> None:
    """Print the sentences behind cells of the confusion, with both trees."""
    from levelhead.analysis import Example
    from levelhead.analysis.confusion import cells_named, examples_of
    from levelhead.report.analysis import examples_document
    from levelhead.report.drawing import draw_examples
    from levelhead.report.scores import signature_line

    if request.output_format not in {"text", "json", "jsonl"}:
        raise click.UsageError("--show prints text or JSON")
    pairs = _Pairs(request)
    ((_, matches),) = pairs
    found: dict[str, list[Example]] = {}
    for cell in request.show:
        if not all(cell.split(":")) or ":" not in cell:
            raise click.UsageError(f"{cell!r} is not GOLD:SYSTEM, as in nsubj:obj")
        meant = cells_named(matches, cell)
        if len(meant) > 1:
            readings = " or ".join(f"{gold} taken for {system}" for gold, system in meant)
            raise click.UsageError(f"{cell!r} is ambiguous: {readings}")
        found[cell] = list(examples_of(matches, *meant[0]))
    if request.json:
        options.print_json(
            examples_document(matches, found, pairs.signature), request.output, lines=request.output_format == "jsonl"
        )
    else:
        text = draw_examples(matches, found)
        options.emit(f"{text}{signature_line(pairs.signature)}\n", request.output)
