"""The counts of every sentence, for analysis in pandas, polars or R."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from levelhead.evaluation.pair import Input, load_pair
from levelhead.evaluation.provenance import Provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.counts import Counts, count_words
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import NOTHING, Component
from levelhead.scoring.measure_notes import notes_on
from levelhead.scoring.score import check_annotated, count_by_sentence
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import summary_of


class SentenceCounts(NamedTuple):
    """The counts of a system, one row per gold sentence.

    A system word belongs to the gold sentence in which its first character lies.

    Args:
        gold: the gold treebank.
        words: gold, system and aligned words.
        counts: the counts of each measure by its text.
        provenance: the provenance of the counts.
    """

    gold: Treebank
    words: Counts
    counts: Mapping[str, Counts]
    provenance: Provenance

    def columns(self) -> dict[str, list[Any]]:
        """Return the counts as columns by name, with one value per sentence."""
        table: dict[str, list[Any]] = {
            "sentence": list(range(1, len(self.gold) + 1)),
            "sent_id": [sentence.id for sentence in self.gold],
            "words.gold": self.words.gold.tolist(),
            "words.system": self.words.system.tolist(),
            "words.aligned": self.words.correct.tolist(),
        }
        for name, counts in self.counts.items():
            for part in ("correct", "gold", "system"):
                table[f"{name}.{part}"] = getattr(counts, part).tolist()
        return table

    def to_polars(self) -> Any:
        """Return the counts as a polars DataFrame with these columns."""
        from levelhead.extras import required_library

        with required_library("polars"):
            import polars as pl  # type: ignore[import-not-found,unused-ignore]
        return pl.DataFrame(self.columns())

    def to_pandas(self) -> Any:
        """Return the counts as a pandas DataFrame with these columns."""
        from levelhead.extras import required_library

        with required_library("pandas"):
            import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
        return pd.DataFrame(self.columns())


def count_sentences(gold: Input, system: Input, setup: Setup) -> SentenceCounts:
    return count_sentences_of(match(*load_pair(gold, system, setup), setup.rules), setup)


def count_sentences_of(matches: Matches, setup: Setup) -> SentenceCounts:
    setup = setup.for_pair()
    gold, system, schemes = matches.gold, matches.system, setup.registry.schemes
    counts = {
        str(measure): count_by_sentence(matches, measure, definition, schemes=schemes, weights=setup.values_of(measure))
        for measure, definition in setup.defined
    }
    notes = notes_on(gold, system, setup.defined, setup.rules, schemes)
    provenance = pair_provenance(summary_of(gold), summary_of(system), setup, notes)
    return SentenceCounts(gold, count_words(matches, NOTHING, by_sentence=True), counts, provenance)


def counts_of(matches: Matches, setup: Setup) -> dict[str, tuple[Counts, Component]]:
    """Return the counts of each measure in every sentence, with the component that is its value."""
    counts = {}
    for measure, definition in setup.defined:
        check_annotated(matches, measure, definition)
        values = setup.values_of(measure)
        table = count_by_sentence(matches, measure, definition, schemes=setup.registry.schemes, weights=values)
        counts[str(measure)] = (table, "perplexity" if definition.lower_is_better else measure.component or "f1")
    return counts
