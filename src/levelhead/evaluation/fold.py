"""The fold: how a pair of treebanks is read, the one sum of scores over their matched pieces, and the result.

Whole treebanks in memory are one piece.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from levelhead.errors import Fault, InputError, MalformedDeps, MeasureError, Place, add_fault, number_of
from levelhead.evaluation.provenance import Annotation, annotation_of, notes_on, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.measures.registry import parse_measure
from levelhead.scoring import enhanced_edges
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import SYSTEM_RANK, Matches, TreebankPair
from levelhead.scoring.rules import Rules
from levelhead.scoring.score import Score, count, match_pair, score_of, without_trees
from levelhead.tables.data import Tabular
from levelhead.treebank import Treebank, from_conllu
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.parts import refuse_partial
from levelhead.treebank.provenance import FileSummary, Provenance, summary_of
from levelhead.treebank.reader import Format
from levelhead.treebank.two_files import PrefetchedFile, are_large_files, in_two_threads, pipelined

if TYPE_CHECKING:
    from levelhead.evaluation.leakage import Leakage
    from levelhead.evaluation.score_data import PartialCoverage
    from levelhead.scoring.measure import Definition, Measure
    from levelhead.scoring.partial_matches import PartialMatches
    from levelhead.tables.data import Layout
    from levelhead.tables.table import Table
    from levelhead.treebank.official_reader import OfficialReading

    class Visitor(Protocol):
        """Sees every matched piece, in order."""

        def start(self) -> None:
            """Forget all pieces: the files are read from the beginning."""

        def add(self, piece: CountedPiece) -> None:
            """Add the next piece, or whole files."""


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
    """The scores of one system by measure; on several treebanks, macro-averages.

    Args:
        scores: the score of each measure, in the requested order.
        gold: the size of the gold treebank (summed over several treebanks) and the warnings about its file.
        system: the size of the system's output and the warnings about its file.
        provenance: the provenance of the numbers.
        valid_trees: for partial scores, the scores if all words of sentences without a valid tree
            are wrong; otherwise empty.
        coverage: for partial scores, the share of gold that the output covers; otherwise None.
        leakage: the share of gold that occurs in training; None without training treebanks.
        looked: what `prepare` prepared for a page; otherwise None.
        parts: the scores on each treebank, by its code; empty for a single pair of files.
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
        """Return the evaluation with another `provenance`, which also signs its scores."""
        scores, valid_trees = (
            {name: replace(score, signature=provenance.signature) for name, score in some.items()}
            for some in (self.scores, self.valid_trees)
        )
        return replace(self, scores=scores, valid_trees=valid_trees, provenance=provenance)

    @property
    def treebanks(self) -> Mapping[str, Evaluation]:
        """The scores on each treebank, by its code or name."""
        return self.parts or {self.gold.name: self}

    @property
    def verdict(self) -> str | None:
        """The main scores as a sentence; None for a single treebank without intervals."""
        from levelhead.evaluation.score_tables import headline

        return headline(self) if self.parts or "level" in self.signature else None

    @property
    def signature(self) -> Mapping[str, str]:
        """Everything that determines the numbers, by name."""
        return self.provenance.signature

    @property
    def reasons(self) -> dict[str, str]:
        """Why measures have no value, by measure."""
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
            measures: the measures to show for several treebanks, in this order; by default all.
        """
        from levelhead.evaluation.score_tables import counts_table, score_table, scores_table

        if self.parts:
            return counts_table(self.parts) if counts else scores_table(self, measures)
        return score_table(self, counts=counts)

    @classmethod
    def layouts(cls) -> Mapping[str, Layout]:
        """Return the columns of each table."""
        from levelhead.evaluation.score_data import LAYOUTS

        return LAYOUTS

    def records(self, name: str) -> Iterator[Any]:
        """Return the rows of the table `name`."""
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
    """Return a treebank in memory; a file is read as the official scorer of the rules reads it."""
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


NOT_IN_GOLD = "not annotated in gold"


class CountedPiece:
    """A matched piece, with the counts of its sentences if a visitor needs them; `counted` if scores are partial."""

    def __init__(self, matches: TreebankPair, setup: Setup, counted: Mapping[str, Any] | None) -> None:
        self.matches, self._setup, self._counted = matches, setup, counted

    @cached_property
    def sentences(self) -> Mapping[str, tuple[Counts, ...]]:
        """The counts of all countable measures by gold sentence; for partial scores, also with valid trees only."""
        if self._counted is None:
            return {name: (counts,) for name, counts in counts_by_sentence(self.matches, self._setup).items()}
        return {name: (counts.sentences, counts.sentences_valid_trees) for name, counts in self._counted.items()}


def counts_by_sentence(matches: TreebankPair, setup: Setup) -> dict[str, Counts]:
    how: dict[str, Any] = {"schemes": setup.registry.schemes, "by_sentence": True}
    counts = {}
    for measure, definition in setup.defined:
        with suppress(InputError, MalformedDeps, MeasureError):  # the measure then has no value
            counts[str(measure)] = count(matches, measure, definition, weights=setup.values_of(measure), **how)
    return counts


class Fold:
    """The counts of all measures, summed over the pieces of two treebanks; visitors see each piece once counted."""

    def __init__(self, setup: Setup, visitors: Sequence[Visitor] = ()) -> None:
        self._setup, self._visitors = setup, visitors
        self._defined = {
            str(measure): (measure, definition) for measure, definition in setup.defined
        }  # a measure that is requested twice is counted once
        self._counts: dict[str, Any] = {}  # Counts, or PartialCounts
        self._without_trees: dict[str, str | None] = {}  # None if any piece has the trees that the measure needs
        self._errors: dict[str, MalformedDeps | MeasureError] = {}
        self._faults: dict[str, dict[str, list[Fault]]] = {}  # by measure and message, as of trees without a derivation
        self._gold = self._system = Annotation(frozenset(), frozenset())
        self._of_edges = [name for name, (_, definition) in self._defined.items() if definition.counted_item == "edges"]
        self._n_steps = [0, 0]
        for visitor in visitors:
            visitor.start()

    def add(self, piece: TreebankPair | PartialMatches) -> int:
        """Count a piece, and return the number of its gold words."""
        setup = self._setup
        counted = dict[str, Any]()
        counter: Callable[..., Any] = count
        if isinstance(piece, TreebankPair):
            matches = piece
        else:
            from levelhead.scoring.partial_matches import count_partially

            matches = piece.matches
            counter = count_partially
        sides = ((self._gold, matches.gold, False), (self._system, matches.system, setup.partial))
        self._gold, self._system = (
            Annotation(*map(frozenset.union, so_far, annotation_of(side, setup.defined, partial=partial)))
            for so_far, side, partial in sides
        )
        for name, (measure, definition) in self._defined.items():
            missing = without_trees(matches, measure, definition)
            self._without_trees[name] = missing and self._without_trees.get(name, missing) and missing
            how = {"schemes": setup.registry.schemes, "weights": setup.values_of(measure)}
            try:
                counts = counter(piece, measure, definition, before=self._counts.get(name), **how)
                self._counts[name] = counted[name] = counts
            except MalformedDeps as error:
                self._note(name, error)
            except MeasureError as error:
                self._errors.setdefault(name, error)
            except InputError as error:
                for fault in error.faults:
                    add_fault(self._faults.setdefault(name, {}), fault.message, fault)
        if self._of_edges and isinstance(matches, Matches):
            self._n_steps = [*map(sum, zip(self._n_steps, matches.n_steps))]
        if self._visitors:
            counted_piece = CountedPiece(matches, setup, None if piece is matches else counted)
            for visitor in self._visitors:
                visitor.add(counted_piece)
        return matches.gold.n_words

    def _note(self, name: str, error: MalformedDeps) -> None:
        """Keep the error that comes first in the order in which treebanks are checked."""
        first = self._errors.get(name)
        if not isinstance(first, MalformedDeps) or error.rank < first.rank:
            self._errors[name] = error

    def evaluation(self, gold: FileSummary, system: FileSummary, coverage: PartialCoverage | None = None) -> Evaluation:
        """Return the scores; call it once, at the end."""
        setup = self._setup
        for rank, n_steps in zip((0, SYSTEM_RANK), self._n_steps):
            if n_steps > enhanced_edges.MOST_STEPS:
                for name in self._of_edges:
                    self._note(name, MalformedDeps(enhanced_edges.TOO_MANY_PATHS, rank + enhanced_edges.RANK_OF_PATHS))
        notes = notes_on(self._gold, self._system, setup.defined, setup.rules, setup.registry.schemes)
        provenance = pair_provenance(gold, system, setup, (*notes, *setup.warnings))
        how: dict[str, Any] = {"undefined": setup.rules.undefined, "signature": provenance.signature}
        scores: dict[str, Score] = {}
        valid_trees: dict[str, Score] = {}
        for measure, definition in setup.defined:
            name = str(measure)
            perplexity = definition.lower_is_better
            if reason := self._reason_of_absence(name, measure, definition):
                scores[name] = valid_trees[name] = Score(measure, 0, 0, 0, None, reason=reason, **how)
                continue
            counts = self._counts[name]
            total = counts if coverage is None else counts.total
            scores[name] = score_of(total, measure, perplexity=perplexity, **how)
            if coverage is not None:
                valid_trees[name] = score_of(counts.valid_trees, measure, **how)
        return Evaluation(scores, gold, system, provenance, {} if coverage is None else valid_trees, coverage)

    def _reason_of_absence(self, name: str, measure: Measure, definition: Definition) -> str | None:
        if missing := self._without_trees[name]:
            return missing
        absent = definition.absent(measure.argument, self._gold.columns) if self._setup.rules.unannotated else ()
        if absent:
            return f"{NOT_IN_GOLD}: {', '.join(absent)}"
        error = self._errors.get(name)
        if isinstance(error, MeasureError):
            raise error
        if error is not None:
            return f"DEPS cannot be read: {error}"
        if name not in self._faults:
            return None
        fault = next(iter(self._faults[name].values()))[0]
        return fault.message if fault.slug == "not-annotated" else str(fault)


class PairStream(NamedTuple):
    """Two treebanks as a stream of pieces."""

    pairs: Iterator[Any] | tuple[Any]  # the pieces; one in a tuple if files are whole
    match: Callable[[Any], TreebankPair | PartialMatches]  # matches a piece; called in order
    summaries: Callable[[], tuple[FileSummary, FileSummary, PartialCoverage | None]]  # called after the last piece
    advance: Callable[[int], None] | None = None  # takes the number of gold words counted


def fold(stream: PairStream, setup: Setup, visitors: Sequence[Visitor] = ()) -> Evaluation:
    """Return the scores of two treebanks, counted piece by piece; the next piece is read meanwhile."""
    total = Fold(setup, visitors)

    def add(pair: Any) -> None:
        n_words = total.add(stream.match(pair))
        if stream.advance is not None:
            stream.advance(n_words)

    if isinstance(stream.pairs, tuple):
        add(stream.pairs[0])
    else:
        pipelined(stream.pairs, add)
    return total.evaluation(*stream.summaries())


def matched_stream(matches: TreebankPair) -> PairStream:
    summaries = summary_of(matches.gold), summary_of(matches.system), None
    return PairStream((matches,), lambda piece: piece, lambda: summaries)


def score_treebanks(gold: Treebank, system: Treebank, setup: Setup) -> Evaluation:
    return fold(matched_stream(match_pair(gold, system, setup.rules)), setup.for_pair())
