"""Several outputs compared, and the outputs of one system on several treebanks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.comparison.agreement import Agreement
from levelhead.comparison.breakdowns import (
    Breakdowns,
    CascadingErrors,
    Confusions,
    CountsBySentence,
    ErrorTypes,
    Repairs,
)
from levelhead.comparison.changes import Changes
from levelhead.comparison.contrasts import Contrasts, Gains
from levelhead.comparison.evaluations import Evaluations
from levelhead.comparison.examples import DRAWN, ErrorExamples
from levelhead.comparison.judgement import Judgement
from levelhead.comparison.languages import Languages
from levelhead.comparison.power import Power
from levelhead.comparison.release_changes import ReleaseChanges
from levelhead.comparison.suspects import Suspects
from levelhead.comparison.systems import Comparison
from levelhead.report import agreement, analysis, breakdown, changes, comparison, power, scores, suspects
from levelhead.report.by_result import View
from levelhead.report.documents import header
from levelhead.report.judgement import judgement_document, judgement_table
from levelhead.report.sentence_counts import sentences_table
from levelhead.report.table import Column, Table
from levelhead.report.tree_text import draw_examples

_CONTRASTS = (
    Column("Treebank", "text"),
    Column("System", "text"),
    Column("Sentence", "position"),
    Column("sent_id", "text"),
    Column("Baseline correct", "number"),
    Column("System correct", "number"),
    Column("Words", "number"),
)


_EXAMPLES = (
    Column("Error", "text"),
    Column("Sentence", "position"),
    Column("sent_id", "text"),
    Column("Word", "position"),
    Column("Form", "text"),
)


def _examples_table(result: ErrorExamples) -> Table:
    gold = result.matches.gold
    rows = (
        (error, example.gold_sentence + 1, sentence.id, example.gold_word + 1, sentence.forms[example.gold_word])
        for error, some in result.listed.items()
        for example in some
        for sentence in [gold[example.gold_sentence]]
    )
    return Table(_EXAMPLES, tuple(rows), (scores.signature_line(result.provenance.signature),))


def _examples_text(examples: ErrorExamples) -> str:
    signature = scores.signature_line(examples.provenance.signature)
    return f"{draw_examples(examples.matches, examples.cells, examples.limit or DRAWN)}{signature}\n"


def _examples_document(examples: ErrorExamples) -> dict[str, Any]:
    return analysis.examples_document(examples.matches, examples.listed, examples.provenance.signature)


def _scores_table(result: Evaluations) -> Table:
    return scores.scores_table(result, result.average, result.valid_trees_average)


def _scores_document(result: Evaluations) -> dict[str, Any]:
    return scores.scores_document(result, result.average, result.valid_trees_average)


def _contrasts_table(result: Contrasts) -> Table:
    rows = (
        (
            name,
            system.name,
            contrast.sentence + 1,
            gold[contrast.sentence].id,
            contrast.baseline,
            contrast.system,
            contrast.gold,
        )
        for name, baseline, system, gained, lost in result.listed
        for gold in [baseline.matches.gold]
        for contrast in (*gained, *lost)
    )
    return Table(_CONTRASTS, tuple(rows), (scores.signature_line(result.provenance.signature),))


def _contrasts_text(result: Contrasts) -> str:
    return comparison.contrasts_text(result, result.needs)


def _sentences_table(sentences: CountsBySentence) -> Table:
    return sentences_table(sentences.treebanks, (scores.signature_line(sentences.provenance.signature),))


def _sentences_document(sentences: CountsBySentence) -> dict[str, Any]:
    columns = {name: counts.columns() for name, counts in sentences.treebanks.items()}
    return {**header("sentences", sentences.provenance.signature), "treebanks": columns}


def _per_treebank(table: Any, document: Any) -> View:
    """The view of a result by treebank, from functions of the treebanks and the signature."""
    return View(
        lambda result: table(result.treebanks, result.provenance.signature),
        lambda result: document(result.treebanks, result.provenance.signature),
    )


def _breakdowns_table(breakdowns: Breakdowns) -> Table:
    return breakdown.breakdown_table(breakdowns.treebanks, breakdowns.provenance.signature, breakdowns.units)


def _breakdowns_document(breakdowns: Breakdowns) -> dict[str, Any]:
    return breakdown.breakdown_document(breakdowns.treebanks, breakdowns.provenance.signature, breakdowns.units)


VIEWS: Mapping[type, View] = {
    Evaluations: View(_scores_table, _scores_document),
    Comparison: View(comparison.comparison_table, comparison.comparison_document),
    Power: View(power.power_table, power.power_document),
    Languages: View(comparison.languages_table, comparison.languages_document),
    Agreement: View(agreement.agreement_table, agreement.agreement_document, text=agreement.agreement_text),
    Changes: View(changes.changes_table, changes.changes_document, text=changes.changes_text),
    ReleaseChanges: View(changes.changes_table, changes.changes_document, text=changes.changes_text),
    Suspects: View(suspects.suspects_table, suspects.suspects_document),
    Judgement: View(judgement_table, judgement_document, places=3),
    Gains: View(comparison.gains_table, comparison.gains_document),
    Contrasts: View(_contrasts_table, comparison.contrasts_document, text=_contrasts_text),
    ErrorExamples: View(_examples_table, _examples_document, text=_examples_text),
    Breakdowns: View(_breakdowns_table, _breakdowns_document),
    Repairs: View(breakdown.repairs_table, breakdown.repairs_document),
    Confusions: _per_treebank(analysis.confusion_table, analysis.confusion_document),
    ErrorTypes: _per_treebank(analysis.errors_table, analysis.errors_document),
    CascadingErrors: _per_treebank(analysis.cascading_table, analysis.cascading_document),
    CountsBySentence: View(_sentences_table, _sentences_document),
}
