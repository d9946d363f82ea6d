"""The scores of a pair of treebanks, and how a pair is read into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from levelhead.errors import Fault, InputError, MeasureError, Place, number_of
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.measures.registry import parse_measure
from levelhead.scoring.rules import Rules
from levelhead.scoring.score import Score
from levelhead.tables.data import Layout
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, from_conllu
from levelhead.treebank.input_bytes import PrefetchedFile, are_large_files, in_two_threads, read_bytes
from levelhead.treebank.provenance import FileSummary, Provenance
from levelhead.treebank.reader import Format
from levelhead.treebank.tokens import refuse_partial

if TYPE_CHECKING:
    from levelhead.evaluation.leakage import Leakage
    from levelhead.evaluation.score_data import PartialCoverage
    from levelhead.tables.table import Table
    from levelhead.treebank.official_reader import OfficialReading


_MOST_SHOWN = 6
# The measures in the short representation, if there are more than `_MOST_SHOWN`.
_MAIN = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")

Input = Treebank | str | os.PathLike[str]


class InputFile(NamedTuple):
    """A file that can be read more than once."""

    name: str | None  # its name in messages, or None
    parts: Callable[[], AbstractContextManager[Iterator[bytes]]]  # opens it, for reading its contents in parts


@immutable
class Evaluation(Mapping[str, Score], Tabular):
    """A system's score for each measure; scores on several treebanks are macro-averages.

    Args:
        scores: the score of each measure, in the requested order.
        gold: the size of the gold treebank and the warnings about its file. For several treebanks, sizes are summed.
        system: the size of the system's output and the warnings about its file.
        provenance: the settings and files behind the numbers.
        valid_trees: for partial scores, the scores that the system has if all words in sentences without a valid tree
            count as wrong; empty for other scores.
        coverage: for partial scores, the share of gold that the output covers; None for other scores.
        leakage: the share of gold that occurs in training; None if no training treebanks were given.
        looked: the errors for a report page, if `score` was called with `prepare`; otherwise None.
        parts: a mapping from the code of each treebank to the scores on it; empty if there is a single pair of files.
    """

    KIND: ClassVar[str] = "score"

    scores: Mapping[str, Score]
    gold: FileSummary
    system: FileSummary
    provenance: Provenance
    valid_trees: Mapping[str, Score] = field(default_factory=dict)
    coverage: PartialCoverage | None = None
    leakage: Leakage | None = None
    looked: Any = None
    parts: Mapping[str, Evaluation] = field(default_factory=dict)

    def signed_by(self, provenance: Provenance) -> Evaluation:
        """Return the evaluation with another `provenance`; all scores get the signature of this provenance."""
        scores, valid_trees = (
            {name: replace(score, signature=provenance.signature) for name, score in some.items()}
            for some in (self.scores, self.valid_trees)
        )
        return replace(self, scores=scores, valid_trees=valid_trees, provenance=provenance)

    @property
    def treebanks(self) -> Mapping[str, Evaluation]:
        """The same as `parts`, but for a single pair of files, a mapping from the name of gold to this evaluation."""
        return self.parts or {self.gold.name: self}

    @property
    def verdict(self) -> str | None:
        """A sentence with the main scores; None if there is only one treebank and no confidence interval."""
        from levelhead.evaluation.score_tables import headline

        return headline(self) if self.parts or "level" in self.signature else None

    @property
    def signature(self) -> Mapping[str, str]:
        """A mapping with everything that determines the numbers, such as the rules."""
        return self.provenance.signature

    @property
    def reasons(self) -> dict[str, str]:
        """A mapping from each measure without a value to the reason why it has none."""
        return {name: score.reason for name, score in self.scores.items() if score.reason}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the numbers."""
        return self.provenance.notes

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The warnings about both files."""
        return self.provenance.warnings

    def __getitem__(self, measure: str) -> Score:
        """Return the score of a measure; the case of shipped names does not matter."""
        if measure in self.scores:
            return self.scores[measure]
        missing = KeyError(f"{measure!r} was not requested: use {', '.join(self.scores)}")
        if measure in self.parts:
            raise KeyError(f"use .treebanks[{measure!r}] for the scores on this treebank")
        try:
            text = str(parse_measure(measure.strip()))
        except MeasureError:
            raise missing from None
        if text not in self.scores:
            raise missing
        return self.scores[text]

    def __repr__(self) -> str:
        notes = f"; {number_of(len(self.parts), 'treebank')} in .treebanks" if self.parts else ""
        notes += f"; {number_of(len(self.notes), 'note')} in .notes" if self.notes else ""
        names = (
            list(self.scores) if len(self.scores) <= _MOST_SHOWN else [text for text in _MAIN if text in self.scores]
        )
        values = ((name, self.scores[name].value) for name in names)
        shown = [f"{name}={'-' if value is None else f'{value:.2f}'}" for name, value in values]
        more = len(self.scores) - len(names)
        kind = "partial Evaluation" if self.coverage else "Evaluation"
        return f"<{kind}: {', '.join([*shown, *([f'{more} more'] if more else [])])}{notes}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def table(self, *, counts: bool = False, measures: Sequence[str] = ()) -> Table:
        """Return the result as a table.

        Args:
            counts: whether to show the counts behind the scores.
            measures: the measures to show, in this order; by default all. Only has an effect for several treebanks.
        """
        from levelhead.evaluation.score_tables import counts_table, score_table, scores_table

        if self.parts:
            return counts_table(self.parts) if counts else scores_table(self, measures)
        return score_table(self, counts=counts)

    @classmethod
    def layouts(cls) -> Mapping[str, Layout]:
        """Return a mapping from the name of each table to its columns."""
        from levelhead.evaluation.score_data import LAYOUTS

        return LAYOUTS

    def records(self, name: str) -> Iterator[Any]:
        """Return the rows of a table; `name` is a key of `layouts`."""
        from levelhead.evaluation.score_data import rows_of

        return rows_of(name, self)


def load_pair(gold: Input, system: Input, setup: Setup) -> tuple[Treebank, Treebank]:
    if are_large_files(gold, system):
        return in_two_threads(lambda: load_gold(gold, setup), lambda: load(system, setup.rules, setup.format))
    return load_gold(gold, setup), load(system, setup.rules, setup.format)


def load_gold(gold: Input, setup: Setup) -> Treebank:
    return as_gold(load(gold, setup.rules, setup.format_of_gold), setup)


def as_gold(gold: Treebank, setup: Setup) -> Treebank:
    """Return gold as it is compared: without multiword tokens if the system's output can have none."""
    splits_tokens = (setup.format, setup.format_of_gold) == ("conllx", "conllu")
    return refuse_partial(gold).without_multiword_tokens() if splits_tokens else refuse_partial(gold)


def load(source: Input, rules: Rules, format: Format = "conllu") -> Treebank:  # noqa: A002
    """Return a treebank in memory. Under the rules of an official scorer, files are read as that scorer reads them."""
    if isinstance(source, Treebank):
        return refuse_partial(source)
    data = source.contents() if isinstance(source, PrefetchedFile) else read_bytes(source)
    return parse_as(data, os.fsdecode(source), rules, format)


def parse_as(data: bytes, name: str | None, rules: Rules, format: Format = "conllu") -> Treebank:  # noqa: A002
    official = official_reading_of(rules)
    if official is None:
        return from_conllu(data, name=name, format=format, allow_several_roots=rules.several_roots)
    if format != "conllu":
        message = f"the scorer of the rules {rules.name} does not read {format}; use the rules ud"
        raise InputError(Fault("refused-by-rules", message, Place(name)))
    from levelhead.treebank.official_reader import read_officially

    return read_officially(data, official, name)


def official_reading_of(rules: Rules) -> OfficialReading | None:
    """Return how the official scorer of the rules reads files; None for levelhead's own reading."""
    if rules.content:
        from levelhead.treebank.morphosyntactic_reader import READING

        return READING
    if rules.reading is None:
        return None
    from levelhead.treebank.official_reader import SCORERS

    return replace(SCORERS[rules.reading], several_roots=rules.several_roots)
