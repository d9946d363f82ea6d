"""What `levelhead score --table` prints beside scores: restrictions to classes, counts of sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

from levelhead.cli.shared import options
from levelhead.evaluation import Evaluation
from levelhead.provenance import joint_signature

if TYPE_CHECKING:
    from levelhead.cli.request import Request
    from levelhead.exclusions import Kind
    from levelhead.setup import Setup


def print_exclusions(request: Request) -> None:
    """Print the first measure for each class alone, and its change when a class or relation is left out."""
    from levelhead.exclusions import exclusions_of, values_of
    from levelhead.report.exclusions import exclusions_document, exclusions_table
    from levelhead.report.scores import signature_line

    registry = request.registry()
    (asked,) = one_measure(request)
    exclusions = exclusions_of(asked, cast("Kind", request.table), registry)
    evaluations = _evaluations(request, request.setup(exclusions.measures))
    options.print_warnings(fault for evaluation in evaluations.values() for fault in evaluation.warnings)
    options.print_notes(note for evaluation in evaluations.values() for note in evaluation.notes)
    rows = {name: values_of(evaluation) for name, evaluation in evaluations.items()}
    shown = exclusions.occurring(rows.values())
    signed = joint_signature(evaluation.signature for evaluation in evaluations.values())
    # the classes are in the head of the table
    signature = {name: value for name, value in signed.items() if name != "classes"}
    signature["scheme"] = registry.schemes.default
    request.print(
        lambda: exclusions_table(rows, shown, (signature_line(signature),)),
        lambda: exclusions_document(rows, shown, signature),
    )


def one_measure(request: Request) -> list[str]:
    """Return the one measure asked for, LAS by default."""
    asked = options.without_punctuation(request.asked or ["LAS"], request.punct, request.registry())
    if len(asked) > 1:
        raise click.UsageError("such a table is of one measure; give one -m")
    return asked


def print_sentences(request: Request) -> None:
    """Print one row of counts for each gold sentence."""
    from levelhead.campaign.outputs import read_outputs
    from levelhead.report.documents import header
    from levelhead.report.scores import signature_line
    from levelhead.report.sentences import sentences_table
    from levelhead.sentences import count_sentences_of

    setup = request.setup(options.without_punctuation(request.asked or ["LAS"], request.punct, request.registry()))
    treebanks = {name: count_sentences_of(one.matches, setup) for name, (one,) in read_outputs(request.plan(), setup)}
    provenances = [counts.provenance for counts in treebanks.values()]
    options.print_warnings(fault for one in provenances for fault in one.warnings)
    options.print_notes(note for one in provenances for note in one.notes)
    columns = {name: counts.columns() for name, counts in treebanks.items()}
    signature = joint_signature(one.signature for one in provenances)
    request.print(
        lambda: sentences_table(treebanks, (signature_line(signature),)),
        lambda: {**header("sentences", signature), "treebanks": columns},
    )


def _evaluations(request: Request, setup: Setup) -> Mapping[str, Evaluation]:
    from levelhead.folders import score_folder

    if request.folders:
        plan = request.plan()
        with request.engine.running(plan) as how:
            return score_folder(plan, setup, **how)
    from levelhead.campaign.outputs import read_outputs
    from levelhead.evaluation import score_treebanks

    return {name: score_treebanks(one.matches.gold, one.matches.system, setup) for name, (one,) in
            read_outputs(request.plan(), setup)}  # fmt: skip
