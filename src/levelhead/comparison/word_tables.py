"""The aligned words and the sentences of systems on one or several treebanks, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, ClassVar

from levelhead.campaign import Plan, Results
from levelhead.campaign.outputs import VisitEach
from levelhead.comparison.systems import measures_part, score_outputs, sources_of_results
from levelhead.evaluation.pieces import changed_file
from levelhead.evaluation.provenance import Provenance, comparison_provenance
from levelhead.evaluation.setup import Setup
from levelhead.evaluation.word_tables import (
    SENTENCES,
    WORDS,
    SentenceRows,
    WordRows,
    sentences_table,
    without_counts,
    words_table,
)
from levelhead.immutable import immutable
from levelhead.tables.data import DataTable, Layout
from levelhead.tables.table import Table, first_rows
from levelhead.tabular import Tabular

Receive = Callable[[DataTable], object]


@immutable
class AlignedWords(Tabular):
    """The aligned words of systems: one row per gold word and system, and per unaligned system word.

    Args:
        words: the table of words.
        provenance: the provenance of the table.
    """

    KIND: ClassVar[str] = "words"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"words": WORDS}

    words: DataTable
    provenance: Provenance

    def table(self) -> Table:
        """Return the first rows as a table."""
        return first_rows(self.words).signed(self.provenance)


@immutable
class CountedSentences(Tabular):
    """The counts of measures in sentences: one row per gold sentence and system.

    Args:
        sentences: the table of sentences.
        provenance: the provenance of the table.
    """

    KIND: ClassVar[str] = "sentences"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"sentences": SENTENCES}

    sentences: DataTable
    provenance: Provenance

    def table(self) -> Table:
        """Return the first rows as a table."""
        return first_rows(self.sentences).signed(self.provenance)


def words_of_outputs(plan: Plan, setup: Setup, each: Receive | None = None, **how: Any) -> AlignedWords:
    """Return the aligned words of all outputs; with `each`, pass them on instead."""
    schemes = setup.registry.schemes
    scheme = schemes.by_name[schemes.default]
    workers = how.get("workers")
    at_once = each if workers is None or workers.here else None  # other processes send their rows back
    start = partial(WordRows, scheme=scheme, each=at_once)
    look = VisitEach(start if at_once is None else _Once(start))
    results = score_outputs(plan, setup, look=look, **how)
    pieces = [piece for code, label in _outputs(results) for piece in results.looked[code][label]]
    if each is not None and at_once is None:
        for piece in pieces:
            each(words_table([piece]))
    provenance = _provenance(results, setup, {"scheme": scheme.signature})
    return AlignedWords(words_table(() if each else pieces), provenance)


class _Once:
    """Starts the visitor of each output once: an output that changes is scored again, but its rows were passed on."""

    def __init__(self, start: Callable[[str, str], WordRows]) -> None:
        self._start, self._started = start, set[tuple[str, str]]()

    def __call__(self, code: str, name: str) -> WordRows:
        if (code, name) in self._started:
            raise changed_file(f"{code} of {name}")
        self._started.add((code, name))
        return self._start(code, name)


def sentences_of_outputs(plan: Plan, setup: Setup, **how: Any) -> CountedSentences:
    """Return the counts of every measure in every sentence of all outputs."""
    results = score_outputs(plan, setup, look=VisitEach(partial(SentenceRows, measures=setup.names)), **how)
    pieces, notes = [], dict[str, None]()
    for code, label in _outputs(results):
        reasons = {name: score.reason for name, score in results.results[label, code].scores.items() if score.reason}
        notes |= dict.fromkeys(f"{code}: no {name} for {label}: {reason}" for name, reason in reasons.items())
        pieces += [without_counts(piece, results.measures, reasons) for piece in results.looked[code][label]]
    provenance = _provenance(results, setup, {})
    noted = replace(provenance, notes=(*provenance.notes, *notes))
    return CountedSentences(sentences_table(pieces, results.measures), noted)


def _outputs(results: Results) -> product[tuple[str, str]]:
    return product((test_set.code for test_set in results.test_sets), results.systems)


def _provenance(results: Results, setup: Setup, parts: Mapping[str, str]) -> Provenance:
    return comparison_provenance(sources_of_results(results), setup, {**measures_part(results), **parts})
