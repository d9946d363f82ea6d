"""Example sentences of an error in which a system confuses two relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from levelhead.analysis.confusion import Example, cells_named, examples_of
from levelhead.campaign.plan import Plan
from levelhead.comparison.breakdowns import for_each_output
from levelhead.comparison.error_tables import examples_document
from levelhead.comparison.tree_text import draw_examples
from levelhead.errors import Fault, InputError, quoted
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.matches import Matches
from levelhead.tables.documents import signature_line
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular

__all__ = ["ErrorExamples"]

DRAWN = 5
"""The default number of sentences that are drawn; tables and JSON then have all."""


@dataclass(frozen=True, eq=False, repr=False)
class ErrorExamples(Tabular):
    """Words with the wrong relation, with their sentences.

    Args:
        system: the name of the system.
        matches: the aligned words.
        cells: all words with each error, such as `nsubj:obj` (gold relation, system relation).
        limit: the maximum number of words per error to show; if None, 5 are drawn, and tables and JSON have all.
        provenance: their provenance.
    """

    system: str
    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    limit: int | None
    provenance: Provenance

    @property
    def listed(self) -> Mapping[str, Sequence[Example]]:
        """The words of each error in tables and JSON."""
        return {error: words[: self.limit] for error, words in self.cells.items()}

    @property
    def drawn(self) -> Mapping[str, Sequence[Example]]:
        """The words of each error that are drawn."""
        return {error: words[: self.limit or DRAWN] for error, words in self.cells.items()}

    def table(self) -> Table:
        """Return the result as a table."""
        return examples_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return examples_document(self.matches, self.listed, self.provenance.signature)

    def __str__(self) -> str:
        signature = signature_line(self.provenance.signature)
        return f"{draw_examples(self.matches, self.cells, self.limit or DRAWN)}{signature}"


def find_examples(plan: Plan, errors: Sequence[str], setup: Setup, limit: int | None = None) -> ErrorExamples:
    """Return words whose relation a system confuses with another."""
    if len(plan.test_sets) != 1:
        raise InputError(Fault("no-pairs", "examples of errors require a single pair of files, not folders"))
    read, provenance = for_each_output(plan, setup.with_measures(()), lambda matches: matches)
    (matches,) = read.values()
    cells = {error: tuple(examples_of(matches, *_relations(matches, error))) for error in errors}
    return ErrorExamples(plan.systems[0].label, matches, cells, limit, provenance)


def _relations(matches: Matches, error: str) -> tuple[str, str]:
    meant = cells_named(matches, error)
    if len(meant) > 1:
        readings = " or ".join(f"{gold} confused with {system}" for gold, system in meant)
        raise InputError(Fault("invalid-argument", f"{quoted(error)} is ambiguous: {readings}"))
    return meant[0]


_EXAMPLES = (
    Column("Error", "text"),
    Column("Sentence", "position"),
    Column("sent_id", "text"),
    Column("Word", "position"),
    Column("Form", "text"),
)


def examples_table(result: ErrorExamples) -> Table:
    """Return one row per example."""
    gold = result.matches.gold
    rows = (
        (error, example.gold_sentence + 1, sentence.id, example.gold_word + 1, sentence.forms[example.gold_word])
        for error, some in result.listed.items()
        for example in some
        for sentence in [gold[example.gold_sentence]]
    )
    return Table(_EXAMPLES, tuple(rows), (signature_line(result.provenance.signature),))
