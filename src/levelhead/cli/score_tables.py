"""What `levelhead score --table` prints beside scores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from levelhead.cli import options
from levelhead.cli.program import DONE
from levelhead.evaluation import Evaluation
from levelhead.evaluation import score as score_pair
from levelhead.folders import Pairs, pairs_in, score_pairs

Printing = tuple[str, int | None, str | None]
"""Format, places, output."""


def print_exclusions(
    gold: str, system: str, asked: list[str], kind: Any, settings: dict[str, Any], printing: Printing
) -> int:
    """Print the first measure for each class alone, and its change when a class or relation is left out."""
    from levelhead.exclusions import exclusions_of, values_of
    from levelhead.report.exclusions import exclusions_document, exclusions_table
    from levelhead.report.scores import signature_line

    if len(asked) > 1:
        raise click.UsageError(f"--table {kind} is of one measure")
    exclusions = exclusions_of(asked[0], kind, settings["registry"])
    evaluations = _evaluations(gold, system, {**settings, "measures": exclusions.measures})
    for evaluation in evaluations.values():
        options.print_warnings((*evaluation.gold.warnings, *evaluation.system.warnings))
    options.print_notes(evaluations.values())
    rows = {name: values_of(evaluation) for name, evaluation in evaluations.items()}
    exclusions = exclusions.occurring(rows.values())
    output_format, places, output = printing
    if output_format in {"json", "jsonl"}:
        document = exclusions_document(rows, exclusions, next(iter(evaluations.values())).signature)
        options.print_json(document, output, lines=output_format == "jsonl")
    else:
        signature = {name: value for name, value in _signature(evaluations).items() if name != "classes"}
        scheme = settings["registry"].schemes.default
        notes = (signature_line({**signature, "scheme": scheme}),)
        options.print_table(exclusions_table(rows, exclusions, notes), output_format, places, output)
    return DONE


def print_sentences(
    gold: str, system: str, asked: list[str], _: str, settings: dict[str, Any], printing: Printing
) -> int:
    """Print one row of counts for each gold sentence."""
    from levelhead.report.sentences import sentences_table
    from levelhead.sentences import count_sentences

    pairs = _pairs(gold, system)
    treebanks = {name: count_sentences(*pair, measures=asked, **settings) for name, pair in pairs.items()}
    output_format, places, output = printing
    if output_format in {"json", "jsonl"}:
        columns = {name: counts.columns() for name, counts in treebanks.items()}
        documents = [{"schema": 1, "kind": "sentences", "treebank": name, **table} for name, table in columns.items()]
        options.print_json(documents, output, lines=output_format == "jsonl")
    else:
        options.print_table(sentences_table(treebanks), output_format, places, output)
    return DONE


def _pairs(gold: str, system: str) -> Pairs:
    """The pairs of two folders, or the one pair of two files under the name of the gold file."""
    if os.path.isdir(gold):  # noqa: PTH112
        return pairs_in(gold, system)
    return {Path(gold).name.partition(".")[0] or gold: (Path(gold), Path(system))}


def _evaluations(gold: str, system: str, settings: dict[str, Any]) -> dict[str, Evaluation]:
    if os.path.isdir(gold):  # noqa: PTH112
        return score_pairs(pairs_in(gold, system), **settings)
    return {name: score_pair(*pair, **settings) for name, pair in _pairs(gold, system).items()}


def _signature(evaluations: dict[str, Evaluation]) -> dict[str, str]:
    """What all have in common."""
    first, *others = (evaluation.signature for evaluation in evaluations.values())
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
