"""The scores of files that are too large for memory: read, aligned and counted in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, MalformedDeps, MeasureError, Place, UnreadableFile, add_fault
from levelhead.evaluation.leakage import LeakageCounts, counts_by_sentence, with_leakage
from levelhead.evaluation.pair import Evaluation, load_pair, parse_as, score_treebanks, splits_tokens
from levelhead.evaluation.provenance import Provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.progress import counter
from levelhead.scoring.counts import Counts
from levelhead.scoring.enhanced_edges import check_steps
from levelhead.scoring.matches import SYSTEM_RANK, Matches, TreebankPair, match_pair, match_spans
from levelhead.scoring.measure_notes import Annotation, annotation_of, notes_on
from levelhead.scoring.pieces import PiecePair, paired_pieces
from levelhead.scoring.punctuation import callin_punctuation
from levelhead.scoring.score import Score, count, reason_of_absence, reason_of_malformed_deps, score_of, without_trees
from levelhead.treebank import Treebank
from levelhead.treebank.blocks import begun
from levelhead.treebank.contents import Contents
from levelhead.treebank.input_bytes import is_stream, parts_of
from levelhead.treebank.official_pieces import OfficialPieces
from levelhead.treebank.official_reader import HeadsBack, official_reading
from levelhead.treebank.pieces import OwnPieces, Pieces
from levelhead.treebank.two_files import are_files, one_ahead

if TYPE_CHECKING:
    from levelhead.evaluation.coverage import PartialCoverage
    from levelhead.evaluation.pair import Looking
    from levelhead.treebank.training_data import Training

Parts = tuple[str, Iterator[bytes]]
"""The path of a file, and its contents in parts."""


def score_parts_of_gold(
    gold: Parts,
    system: str,
    setup: Setup,
    size: int,
    training: Training | None = None,
    look: Looking | None = None,
) -> Evaluation:
    """Score a system's output against gold; errors of the output are only reported if gold is valid."""
    with parts_of(system) as parts:
        try:
            output = begun(parts)
        except UnreadableFile as error:
            raise (pieces_of(gold, setup, of_gold=True).error() or error) from error
        return score_parts(gold, (system, output), setup, size, training, look)


def score_parts(
    gold: Parts,
    system: Parts,
    setup: Setup,
    size: int,
    training: Training | None = None,
    look: Looking | None = None,
) -> Evaluation:
    """Score a system's output against gold, in pieces."""
    ready = setup.single()
    seen = None if training is None else LeakageCounts(training)
    together = are_files(gold[0], system[0])
    try:
        with counter("scoring", "words") as advance:

            def add(pair: TreebankPair) -> None:
                advance(pair.gold.n_words)
                if seen is not None:
                    seen.add(pair.gold, counts_by_sentence(pair, ready))
                if look is not None:
                    look.add(pair)

            punctuation, known = _first_reading(gold[0], ready, size)
            ours, theirs = pieces_of(gold, ready, of_gold=True, known=known), pieces_of(system, ready, of_gold=False)
            evaluation = score_pieces(ours, theirs, ready, size, add, together=together, punctuation=punctuation)
            if known is not None and known.sha256 != ours.sha256:
                raise changed_file(gold[0])
    except HeadsBack:
        return _score_whole(gold[0], system[0], ready, training, look)
    return evaluation if seen is None else with_leakage(evaluation, seen.leakage(evaluation))


def _first_reading(gold: str, ready: Setup, size: int) -> tuple[frozenset[str] | None, Contents | None]:
    """The result of `read_punctuation`, and the sizes of gold and warnings about it; both None without a reading."""
    if not ready.needs_punctuation:
        return None, None
    with parts_of(gold) as parts:
        first = pieces_of((gold, parts), ready, of_gold=True)
        return read_punctuation(first, size), first.contents()


def score_pieces(
    gold: Pieces,
    system: Pieces,
    ready: Setup,
    size: int,
    look: Callable[[TreebankPair], None] | None = None,
    *,
    together: bool = True,
    punctuation: frozenset[str] | None = None,
) -> Evaluation:
    """Score a system's output against gold, both read in pieces."""
    tally = PieceCounts(ready)

    def add(matches: TreebankPair) -> None:
        tally.add(matches)
        if look is not None:
            look(matches)

    def match_and_add(pair: PiecePair) -> None:
        matches = match_spans(pair.gold, pair.system, ready.rules, *pair[2:])
        add(replace(matches, punctuation=punctuation))

    if ready.rules.content:
        _add_sentences(gold, system, size, lambda pair: add(match_pair(*pair, ready.rules)))
    else:
        one_ahead(paired_pieces(gold, system, ready.rules, size, together=together), match_and_add)
    if not gold.n_sentences:  # official scorers accept empty files
        nothing = parse_as(b"", None, ready.rules)
        add(match_pair(nothing, nothing, ready.rules))
    return tally.evaluation(gold.contents(), system.contents())


def _add_sentences(gold: Pieces, system: Pieces, size: int, add: Callable[[tuple[Treebank, Treebank]], None]) -> None:
    """Add the pieces of files of morphosyntactic parsing; errors of a file precede errors of comparison."""
    from levelhead.scoring.content_pieces import check_rest, paired_sentences

    for pair in paired_sentences(gold, system, size):
        try:
            add(pair)
        except InputError:
            check_rest(gold, system)
            raise


def read_punctuation(gold: Pieces, size: int) -> frozenset[str]:
    """Return the relations that `(nopunct=callin)` leaves out, for which gold is read."""
    return callin_punctuation(gold.each(size))


def changed_file(*names: str | None) -> UnreadableFile:
    """Return the error for files that differ when they are read for a second time."""
    message = "the file was changed while it was read"
    return UnreadableFile(*(Fault("changing-file", message, Place(name)) for name in names))


def _score_whole(gold: str, system: str, setup: Setup, training: Training | None, look: Looking | None) -> Evaluation:
    """Score files that cannot be cut, as is found while reading."""
    for path in (gold, system):
        if is_stream(path):
            message = "it cannot be read in pieces under these rules: give this input as a file, not as a pipe"
            raise InputError(Fault("file-too-large", message, Place(path)))
    return score_treebanks(*load_pair(gold, system, setup), setup, training, look)


def pieces_of(
    file: tuple[str | None, Iterator[bytes]], setup: Setup, *, of_gold: bool, known: Contents | None = None
) -> Pieces:
    """Return a file that is read in pieces under the rules."""
    name, parts = file
    if setup.rules.content:
        from levelhead.treebank.content_reader import READING

        return OfficialPieces(parts, name, READING)
    if setup.rules.reading is not None:
        official = official_reading(setup.rules.reading, several_roots=setup.rules.several_roots)
        return OfficialPieces(parts, name, official)
    conllx = (setup.format_of_gold if of_gold else setup.format) == "conllx"
    return OwnPieces(
        parts,
        name,
        conllx=conllx,
        splits_tokens=of_gold and splits_tokens(setup),
        several_roots=setup.rules.several_roots,
        known=known,
    )


class _Labels:
    """The properties of one side that notes are about, over all pieces."""

    def __init__(self, ready: Setup) -> None:
        self._measures = ready.defined
        self._relations: set[str] = set()
        self._columns: set[str] = set()

    def add(self, piece: Treebank) -> None:
        """Add the labels of a piece."""
        found = annotation_of(piece, self._measures)
        self._relations.update(found.relations)
        self._columns.update(found.columns)

    def annotation(self) -> Annotation:
        """Return the properties of the whole file that notes are about."""
        return Annotation(sorted(self._relations), frozenset(self._columns))


class PieceCounts:
    """The counts of all measures, summed over the pieces of two files.

    Args:
        ready: the settings, with the weights that measures name.
    """

    def __init__(self, ready: Setup) -> None:
        self._ready = ready
        self._defined = dict(ready.defined)  # a measure that is requested twice is counted once
        self._counts: dict[str, Any] = {}  # Counts, or PartialCounts
        self._malformed: dict[str, MalformedDeps] = {}
        self._without_weight: dict[str, MeasureError] = {}
        self._faults: dict[str, dict[str, list[Fault]]] = {}  # by measure and message, as of trees without a derivation
        self._with_trees: set[str] = set()
        self._missing: dict[str, str] = {}
        self._gold, self._system = _Labels(ready), _Labels(ready)
        self._of_edges = [str(measure) for measure, definition in self._defined.items() if definition.unit == "edges"]
        self._n_steps = [0, 0]

    def add(self, matches: TreebankPair, counter: Callable[..., Any] | None = None) -> Mapping[str, Any]:
        """Count a piece."""
        counted = {}
        counter = counter or partial(count, matches)
        self._gold.add(matches.gold)
        self._system.add(matches.system)
        schemes = self._ready.registry.schemes
        for measure, definition in self._defined.items():
            name, weights = str(measure), self._ready.values_of(measure)
            missing = without_trees(matches, measure, definition)
            if missing is None:
                self._with_trees.add(name)
            else:
                self._missing[name] = missing
            try:
                before = self._counts.get(name)
                found = counter(measure, definition, schemes=schemes, weights=weights, before=before)
            except MalformedDeps as error:
                self._note(name, error)
            except MeasureError as error:
                self._without_weight.setdefault(name, error)
            except InputError as error:
                for fault in error.faults:
                    add_fault(self._faults.setdefault(name, {}), fault.message, fault)
            else:
                self._counts[name] = counted[name] = found
        if self._of_edges and isinstance(matches, Matches):
            self._add_steps(matches)
        return counted

    def _note(self, name: str, error: MalformedDeps) -> None:
        known = self._malformed.setdefault(name, error)
        self._malformed[name] = min(known, error, key=lambda deps: deps.rank)

    def _add_steps(self, matches: Matches) -> None:
        """Count the steps of paths through empty nodes, whose number is limited for a whole file."""
        for side, n_steps in enumerate(matches.n_steps):
            self._n_steps[side] += n_steps
            try:
                check_steps(self._n_steps[side])
            except MalformedDeps as error:
                for name in self._of_edges:
                    self._note(name, MalformedDeps(str(error), side * SYSTEM_RANK + error.rank))

    def evaluation(self, gold: Contents, system: Contents, coverage: PartialCoverage | None = None) -> Evaluation:
        """Return the scores; call it once, at the end."""
        ready, of_gold, of_system = self._ready, self._gold.annotation(), self._system.annotation()
        sides = of_gold, of_system if coverage is None else of_system.of_analyzed_words()
        notes = notes_on(*sides, ready.defined, ready.rules, ready.registry.schemes, "the system")
        provenance = pair_provenance(gold, system, ready, (*notes, *ready.warnings))
        if coverage is None:
            return Evaluation(self._scores(self._counts, provenance), gold, system, provenance)
        every, strict = (
            self._scores({name: getattr(one, which) for name, one in self._counts.items()}, provenance)
            for which in ("total", "valid_trees")
        )
        return Evaluation(every, gold, system, provenance, strict, coverage)

    def _scores(self, counts: Mapping[str, Counts], provenance: Provenance) -> dict[str, Score]:
        scores = dict(self._scores_of(counts))
        return {name: replace(score, signature=provenance.signature) for name, score in scores.items()}

    def _scores_of(self, counts: Mapping[str, Counts]) -> Iterator[tuple[str, Score]]:
        rules, annotated = self._ready.rules, self._gold.annotation().columns
        undefined = rules.undefined
        for measure, definition in self._ready.defined:
            name = str(measure)
            nothing = Score(measure, 0, 0, 0, None, undefined)
            absent = definition.absent(measure.argument, annotated) if rules.unannotated else ()
            missing = None if name in self._with_trees else self._missing[name]
            if missing or absent:
                yield name, replace(nothing, reason=missing or reason_of_absence(absent))
            elif name in self._malformed:
                yield name, replace(nothing, reason=reason_of_malformed_deps(self._malformed[name]))
            elif name in self._without_weight:
                raise self._without_weight[name]
            elif name in self._faults:
                (first, *_), *_ = self._faults[name].values()
                yield name, replace(nothing, reason=str(first))
            else:
                yield name, score_of(counts[name], measure, undefined, perplexity=definition.lower_is_better)
