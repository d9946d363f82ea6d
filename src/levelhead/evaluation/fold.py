"""The one sum of scores: over matched pieces of two treebanks; whole treebanks in memory are one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from levelhead.errors import Fault, InputError, MalformedDeps, MeasureError, add_fault
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import Annotation, annotation_of, notes_on, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring import enhanced_edges
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import SYSTEM_RANK, Matches, TreebankPair
from levelhead.scoring.score import Score, count, match_pair, score_of, without_trees
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import pipelined
from levelhead.treebank.provenance import FileSummary, summary_of

if TYPE_CHECKING:
    from levelhead.evaluation.score_data import PartialCoverage
    from levelhead.scoring.measure import Definition, Measure
    from levelhead.scoring.partial_matches import PartialMatches

    class Visitor(Protocol):
        """Sees every matched piece, in order."""

        def start(self) -> None:
            """Forget all pieces, because the files will be read from the beginning."""

        def add(self, piece: CountedPiece) -> None:
            """Add the next piece, or whole files."""


NOT_IN_GOLD = "not annotated in gold"


class CountedPiece:
    """A matched piece, with the counts of its sentences if a visitor needs them; `counted` if scores are partial."""

    def __init__(self, matches: TreebankPair, setup: Setup, counted: Mapping[str, Any] | None) -> None:
        self.matches, self._setup, self._counted = matches, setup, counted

    @cached_property
    def sentences(self) -> Mapping[str, tuple[Counts, ...]]:
        """The counts of gold sentences, by measure. Partial scores also have counts with invalid trees as wrong."""
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
