"""The records of jobs whose files are read in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.evaluator_status import CANNOT_OPEN
from levelhead.campaign.job import GoldView, lists_of, sentence_parts, undefined_measures, valid_fields, without_files
from levelhead.campaign.job_files import File, parts_of_file, unchanged
from levelhead.campaign.partial_record import PARTIAL_COUNTS, partial_fields
from levelhead.campaign.record_fields import GOLD, contents_fields, faults_of_error, small, units_fields
from levelhead.errors import InputError, MalformedDeps, MeasureError, TextMismatch
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial_pieces import partial_scores_in_pieces
from levelhead.evaluation.partial_survey import Rereadable
from levelhead.evaluation.pieces import pieces_of, read_punctuation, score_pieces
from levelhead.evaluation.setup import Setup
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import TreebankPair
from levelhead.scoring.partial_matches import PartialMatches, count_partially
from levelhead.scoring.score import count
from levelhead.significance.units import UnitTally
from levelhead.treebank.contents import Contents
from levelhead.treebank.official_reader import HeadsBack
from levelhead.treebank.pieces import Pieces

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Looking

_GOLDS_AT_ONCE = 2


def record_in_pieces(
    gold: File,
    system: File | None,
    setup: Setup,
    resample_by: str | None,
    size: int,
    look: Looking | None = None,
) -> dict[str, Any] | None:
    """Return the record of an output, counted in pieces."""
    if system is None and setup.rules.content:
        return None
    tally = None if resample_by is None else _SentenceTally(setup, resample_by)
    try:
        with unchanged(gold) if system is None else unchanged(gold, system):
            if system is None:
                return _record_of_missing(gold, setup, tally, size)
            return _record(gold, system, setup, tally, look, size)
    except (HeadsBack, MeasureError):
        return None
    except _NoUnits as error:
        return {"faults_of": "gold", "faults": faults_of_error(error.reason)}
    except InputError as error:
        of_gold = not isinstance(error, TextMismatch) and error.place.file == GOLD
        return {"faults_of": "gold", "faults": faults_of_error(error)} if of_gold else None


def view_pieces_of_gold(gold: File, setup: Setup, view: GoldView, size: int) -> Any:
    """Return the result of a function of the pieces of a gold treebank; None if it is invalid."""
    with unchanged(gold):
        try:
            with _gold(gold, setup) as pieces:
                return view(pieces.each(size))
        except InputError:
            return None


def _record(
    gold: File, system: File, setup: Setup, tally: _SentenceTally | None, look: Looking | None, size: int
) -> dict[str, Any] | None:
    if setup.partial:
        evaluation = _partial_scores(gold, system, setup, tally, look, size)
    else:

        def add(matches: TreebankPair) -> None:
            if tally is not None:
                tally.add(matches)
            if look is not None:
                look.add(matches)

        punctuation = _punctuation(gold, setup, size)
        with _gold(gold, setup) as gold_pieces, parts_of_file(system) as parts:
            pieces = pieces_of((None, parts), setup, of_gold=False)
            evaluation = score_pieces(gold_pieces, pieces, setup, size, add, punctuation=punctuation)
    if evaluation is None:
        return None
    _gold_facts(gold, setup).contents = evaluation.gold
    record = valid_fields(evaluation, setup)
    if setup.partial:
        record |= partial_fields(evaluation)
    if tally is not None:
        record |= tally.sentences(evaluation)
    record["undefined"] = undefined_measures(gold, setup, record["undefined"], size, _score_gold)
    return record | _of_gold(evaluation.gold, tally)


def _partial_scores(
    gold: File, system: File, setup: Setup, tally: _SentenceTally | None, look: Looking | None, size: int
) -> Evaluation | None:
    def add(partly: PartialMatches) -> None:
        if tally is not None:
            tally.add_partially(partly)
        if look is not None:
            look.add(partly.matches)

    files = Rereadable(GOLD, partial(parts_of_file, gold)), Rereadable(None, partial(parts_of_file, system))
    return partial_scores_in_pieces(*files, setup, size, add, _gold_facts(gold, setup).contents)


def _record_of_missing(gold: File, setup: Setup, tally: _SentenceTally | None, size: int) -> dict[str, Any]:
    measures = setup.names if setup.rules.undefined is None else ()
    look = None if tally is None else tally.add_units
    perfect = _score_gold(gold, without_files(setup, measures), size, look)
    undefined = [name for name, score in perfect.items() if score.value is None]
    record = {"state": "missing", "status": CANNOT_OPEN, "reasons": [], "undefined": undefined}
    return record | _of_gold(perfect.gold, tally)


def _of_gold(contents: Contents, tally: _SentenceTally | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"gold": contents_fields(contents)}
    return fields if tally is None else fields | {"gold_hash": contents.sha256, "units": tally.units()}


@contextmanager
def _gold(file: File, setup: Setup) -> Iterator[Pieces]:
    with parts_of_file(file) as parts:
        yield pieces_of((GOLD, parts), setup, of_gold=True, known=_gold_facts(file, setup).contents)


class _GoldFacts:
    """Facts about a gold file that the jobs of a worker share, so that they are found only once."""

    def __init__(self) -> None:
        self.contents: Contents | None = None
        self.punctuation: frozenset[str] | None = None


def _gold_facts(gold: File, setup: Setup) -> _GoldFacts:
    return _shared_facts(gold, setup.with_measures(()))


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _shared_facts(_gold: File, _setup: Setup) -> _GoldFacts:
    return _GoldFacts()


def _punctuation(gold: File, setup: Setup, size: int) -> frozenset[str] | None:
    if not setup.needs_punctuation:
        return None
    facts = _gold_facts(gold, setup)
    if facts.punctuation is None:
        with _gold(gold, setup) as pieces:
            facts.punctuation = read_punctuation(pieces, size)
    return facts.punctuation


def _score_gold(gold: File, setup: Setup, size: int, look: Callable[[TreebankPair], None] | None = None) -> Evaluation:
    """Score gold against itself."""
    punctuation = _punctuation(gold, setup, size)
    with _gold(gold, setup) as one, _gold(gold, setup) as other:
        return score_pieces(one, other, setup, size, look, punctuation=punctuation)


class _NoUnits(Exception):
    """Gold does not mark the units of tests."""

    def __init__(self, reason: InputError) -> None:
        super().__init__(reason)
        self.reason = reason


class _SentenceTally:
    """The units of gold, and the counts of every sentence: at most 16 bytes for each measure.

    Args:
        setup: the settings.
        resample_by: the units of tests.
    """

    def __init__(self, setup: Setup, resample_by: str) -> None:
        self._setup = setup
        self._defined = dict(setup.defined)  # without duplicates
        self._units = UnitTally(resample_by)
        self._kinds = PARTIAL_COUNTS if setup.partial else ("sentences",)
        self._parts: dict[tuple[str, str], list[NDArray[Any]]] = {}

    def add_units(self, matches: TreebankPair) -> None:
        """Add the gold sentences of a piece."""
        self._units.add(matches.gold)

    def add(self, matches: TreebankPair) -> None:
        """Add the gold sentences of a piece and their counts."""
        self._add(matches, lambda *given, **settings: (count(matches, *given, **settings, by_sentence=True),))

    def add_partially(self, partly: PartialMatches) -> None:
        """Add the gold sentences of a piece and their partial counts."""
        kinds = attrgetter(*PARTIAL_COUNTS)
        self._add(partly.matches, lambda *given, **settings: kinds(count_partially(partly, *given, **settings)))

    def _add(self, matches: TreebankPair, counter: Callable[..., tuple[Counts, ...]]) -> None:
        self.add_units(matches)
        schemes = self._setup.registry.schemes
        for measure, definition in self._defined.items():
            values = self._setup.values_of(measure)
            try:
                counts_by_kind = counter(measure, definition, schemes=schemes, weights=values)
            except (InputError, MalformedDeps, MeasureError):  # then the measure has no value, for any sentence
                continue
            for kind, counts in zip(self._kinds, counts_by_kind, strict=True):
                self._parts.setdefault((kind, str(measure)), []).append(small(sentence_parts(counts, measure)))

    def sentences(self, evaluation: Evaluation) -> dict[str, dict[str, list[list[float]]]]:
        """Return numerators and denominators of the measures that have a value; to be called once."""
        fields: dict[str, dict[str, list[list[float]]]] = {kind: {} for kind in self._kinds}
        for kind, name in tuple(self._parts):
            parts = self._parts.pop((kind, name))
            if evaluation[name].reason is None:
                fields[kind][name] = lists_of(np.concatenate(parts, axis=1))
        return fields

    def units(self) -> dict[str, Any]:
        """Return the units."""
        try:
            return units_fields(self._units.units(GOLD))
        except InputError as error:
            raise _NoUnits(error) from error
