"""The one sum of scores: over matched pieces of two treebanks; whole treebanks in memory are one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from levelhead.errors import Fault, InputError, MalformedDeps, MeasureError, add_fault
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.counts import Counts
from levelhead.scoring.enhanced_edges import check_steps
from levelhead.scoring.matches import SYSTEM_RANK, Matches, TreebankPair
from levelhead.scoring.measure_notes import Annotation, annotation_of, notes_on
from levelhead.scoring.score import Score, count, match_pair, reason_of_absence, score_of, without_trees
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import FileSummary, summary_of
from levelhead.treebank.two_files import pipelined

if TYPE_CHECKING:
    from levelhead.evaluation.coverage import PartialCoverage
    from levelhead.scoring.partial_matches import PartialMatches

    class Visitor(Protocol):
        """Sees every matched piece, in order."""

        def start(self) -> None:
            """Forget all pieces: the files are read from the beginning."""

        def add(self, piece: CountedPiece) -> None:
            """Add the next piece, or whole files."""


class CountedPiece:
    """A matched piece, with the counts of its sentences if a visitor needs them."""

    def __init__(self, matches: TreebankPair, setup: Setup, counted: Mapping[str, Any] | None) -> None:
        self.matches, self._setup, self._counted = matches, setup, counted

    @cached_property
    def sentences(self) -> Mapping[str, tuple[Counts, ...]]:
        """The counts in each gold sentence of all measures that can be counted; partial also with valid trees only."""
        if self._counted is None:
            return {name: (counts,) for name, counts in counts_by_sentence(self.matches, self._setup).items()}
        return {name: (counts.sentences, counts.sentences_valid_trees) for name, counts in self._counted.items()}


def counts_by_sentence(matches: TreebankPair, setup: Setup) -> dict[str, Counts]:
    """Return the counts in each gold sentence, of all measures that can be counted."""
    how: dict[str, Any] = {"schemes": setup.registry.schemes, "by_sentence": True}
    counts = {}
    for measure, definition in setup.defined:
        with suppress(InputError, MalformedDeps, MeasureError):  # the measure then has no value
            counts[str(measure)] = count(matches, measure, definition, weights=setup.values_of(measure), **how)
    return counts


class _Labels:
    """The properties of one side that notes are about, over all pieces."""

    def __init__(self, setup: Setup) -> None:
        self._measures = setup.defined
        self._relations: set[str] = set()
        self._columns: set[str] = set()

    def add(self, piece: Treebank) -> None:
        """Add the labels of a piece."""
        annotation = annotation_of(piece, self._measures)
        self._relations.update(annotation.relations)
        self._columns.update(annotation.columns)

    def annotation(self) -> Annotation:
        """Return the properties of the whole file."""
        return Annotation(sorted(self._relations), frozenset(self._columns))


class Fold:
    """The counts of all measures, summed over the pieces of two treebanks."""

    def __init__(self, setup: Setup, visitors: Sequence[Visitor] = ()) -> None:
        self._setup, self._visitors = setup, visitors
        self._defined = dict(setup.defined)  # a measure that is requested twice is counted once
        self._counts: dict[str, Any] = {}  # Counts, or PartialCounts
        self._malformed: dict[str, MalformedDeps] = {}
        self._without_weight: dict[str, MeasureError] = {}
        self._faults: dict[str, dict[str, list[Fault]]] = {}  # by measure and message, as of trees without a derivation
        self._with_trees: set[str] = set()
        self._missing: dict[str, str] = {}
        self._gold, self._system = _Labels(setup), _Labels(setup)
        self._of_edges = [str(measure) for measure, definition in self._defined.items() if definition.unit == "edges"]
        self._n_steps = [0, 0]
        for visitor in visitors:
            visitor.start()

    def add(self, piece: TreebankPair | PartialMatches) -> None:
        """Count a piece."""
        if isinstance(piece, TreebankPair):
            matches, counted = piece, None
            self._count(matches, partial(count, matches))
        else:
            from levelhead.scoring.partial_matches import count_partially

            matches = piece.matches
            counted = self._count(matches, partial(count_partially, piece))
        counted_piece = CountedPiece(matches, self._setup, counted)
        for visitor in self._visitors:
            visitor.add(counted_piece)

    def _count(self, matches: TreebankPair, counter: Callable[..., Any]) -> Mapping[str, Any]:
        counted = {}
        self._gold.add(matches.gold)
        self._system.add(matches.system)
        schemes = self._setup.registry.schemes
        for measure, definition in self._defined.items():
            name, weights = str(measure), self._setup.values_of(measure)
            missing = without_trees(matches, measure, definition)
            if missing is None:
                self._with_trees.add(name)
            else:
                self._missing[name] = missing
            try:
                before = self._counts.get(name)
                counts = counter(measure, definition, schemes=schemes, weights=weights, before=before)
            except MalformedDeps as error:
                self._note(name, error)
            except MeasureError as error:
                self._without_weight.setdefault(name, error)
            except InputError as error:
                for fault in error.faults:
                    add_fault(self._faults.setdefault(name, {}), fault.message, fault)
            else:
                self._counts[name] = counted[name] = counts
        if self._of_edges and isinstance(matches, Matches):
            self._add_steps(matches)
        return counted

    def _note(self, name: str, error: MalformedDeps) -> None:
        first = self._malformed.setdefault(name, error)
        self._malformed[name] = min(first, error, key=lambda deps: deps.rank)

    def _add_steps(self, matches: Matches) -> None:
        """Count the steps of paths through empty nodes, whose number is limited for a whole file."""
        for side, n_steps in enumerate(matches.n_steps):
            self._n_steps[side] += n_steps
            try:
                check_steps(self._n_steps[side])
            except MalformedDeps as error:
                for name in self._of_edges:
                    self._note(name, MalformedDeps(str(error), side * SYSTEM_RANK + error.rank))

    def evaluation(self, gold: FileSummary, system: FileSummary, coverage: PartialCoverage | None = None) -> Evaluation:
        """Return the scores; call it once, at the end."""
        setup, of_gold, of_system = self._setup, self._gold.annotation(), self._system.annotation()
        sides = of_gold, of_system if coverage is None else of_system.of_analyzed_words()
        notes = notes_on(*sides, setup.defined, setup.rules, setup.registry.schemes)
        provenance = pair_provenance(gold, system, setup, (*notes, *setup.warnings))
        kinds: list[Mapping[str, Counts]] = [self._counts]
        if coverage is not None:
            kinds = [
                {name: getattr(counts, kind) for name, counts in self._counts.items()}
                for kind in ("total", "valid_trees")
            ]
        scores, *strict = (
            {name: replace(score, signature=provenance.signature) for name, score in self._scores(counts)}
            for counts in kinds
        )
        return Evaluation(scores, gold, system, provenance, strict[0] if strict else {}, coverage)

    def _scores(self, counts: Mapping[str, Counts]) -> Iterator[tuple[str, Score]]:
        rules, annotated = self._setup.rules, self._gold.annotation().columns
        undefined = rules.undefined
        for measure, definition in self._setup.defined:
            name = str(measure)
            nothing = Score(measure, 0, 0, 0, None, undefined)
            absent = definition.absent(measure.argument, annotated) if rules.unannotated else ()
            missing = None if name in self._with_trees else self._missing[name]
            if missing or absent:
                yield name, replace(nothing, reason=missing or reason_of_absence(absent))
            elif name in self._malformed:
                yield name, replace(nothing, reason=f"DEPS cannot be read: {self._malformed[name]}")
            elif name in self._without_weight:
                raise self._without_weight[name]
            elif name in self._faults:
                (first, *_), *_ = self._faults[name].values()
                yield name, replace(nothing, reason=str(first))
            else:
                yield name, score_of(counts[name], measure, undefined, perplexity=definition.lower_is_better)


class OnlyWhole(Exception):
    """It turned out that files cannot be scored in pieces."""


class PairStream(NamedTuple):
    """Two treebanks as a stream of pieces."""

    pairs: Iterator[Any] | tuple[Any]  # the pieces; one in a tuple if files are whole
    match: Callable[[Any], TreebankPair | PartialMatches]  # matches a piece; called in order
    summaries: Callable[[], tuple[FileSummary, FileSummary, PartialCoverage | None]]
    visitors: tuple[Visitor, ...] = ()  # those that belong to the stream


def fold(stream: PairStream, setup: Setup, visitors: Sequence[Visitor] = ()) -> Evaluation:
    """Return the scores of two treebanks, counted piece by piece; the next piece is read meanwhile."""
    total = Fold(setup, (*stream.visitors, *visitors))
    if isinstance(stream.pairs, tuple):
        total.add(stream.match(stream.pairs[0]))
    else:
        pipelined(stream.pairs, lambda pair: total.add(stream.match(pair)))
    return total.evaluation(*stream.summaries())


def matched_stream(matches: TreebankPair) -> PairStream:
    """Return matched treebanks as a stream of one piece."""
    summaries = summary_of(matches.gold), summary_of(matches.system), None
    return PairStream((matches,), lambda piece: piece, lambda: summaries)


def score_matches(matches: TreebankPair, setup: Setup) -> Evaluation:
    """Score aligned treebanks."""
    return fold(matched_stream(matches), setup)


def score_treebanks(gold: Treebank, system: Treebank, setup: Setup) -> Evaluation:
    """Score one treebank against another."""
    return score_matches(match_pair(gold, system, setup.rules), setup.for_pair())
