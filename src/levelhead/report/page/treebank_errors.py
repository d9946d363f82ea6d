"""The errors of one output for its page, computed where the engine reads the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.breakdown import (
    Breakdown,
    CombinedBuckets,
    breakdown_of,
    bucket_cells,
    check_breakable,
    ratio_parts,
    words_in,
)
from levelhead.analysis.confusion import ERRORS, kinds_of_errors
from levelhead.analysis.repairs import ErrorKinds, TreebankRepairs, errors_in, gain_parts, repairs_of
from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.campaign.job import sentence_parts
from levelhead.errors import ConlluError, MeasureError
from levelhead.evaluation.fold import CountedPiece, counts_by_sentence
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import Registry, parse_measure
from levelhead.report.page.blocks import ConfusionMatrix
from levelhead.report.page.confusions import ConfusionTally
from levelhead.report.page.examples import Examples, ExampleTally, OutputTrees, values_of_words
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Measure
from levelhead.significance.estimates import Interval
from levelhead.significance.jackknife import UnitParts, bucket_estimates
from levelhead.significance.units import Cells, DocumentNumbers, HistogramTally, UnitHistogram
from levelhead.treebank.contents import FileSummary

_LEVEL = 0.95
_BY_FREQUENCY = ("deprel", "upos")

PROPERTY_TITLES = {
    "deprel": "Relation",
    "upos": "Part of speech",
    "class": "Class of relation",
    "direction": "Direction of the arc",
    "length": "Length of the arc",
    "sentence-length": "Length of the sentence",
}
"""The properties of words by which errors are broken down, with their titles."""


class TreebankErrors(NamedTuple):
    """The errors of an output on one treebank.

    Args:
        measure: the measure whose errors are shown.
        repairs: the cost of each type of error.
        numbers: the group of each type of error in `examples`.
        kinds: the number of words with each kind of wrong head or relation.
        breakdowns: the measure by each property.
        values: by property, the group of each value in `examples`.
        confused: the confusion matrix of relations.
        examples: the wrong words in their sentences.
        intervals: the 95% confidence interval of each score that counts words, edges or sentences; None with too few
            units.
    """

    measure: str
    repairs: TreebankRepairs
    numbers: Mapping[tuple[str, str], int]
    kinds: Mapping[str, int]
    breakdowns: Mapping[str, Breakdown]
    values: Mapping[str, Mapping[str, int]]
    confused: ConfusionMatrix
    examples: Examples
    intervals: Mapping[str, Interval | None]


class ErrorTally:
    """Finds the errors of an output on one treebank; both can be read in pieces.

    Args:
        name: the system.
        n_treebanks: the number of treebanks on the page.
        setup: the settings, with the measures of the page.
        measure: the measure whose errors are shown; it must support breakdowns.
        partial: whether scores are partial; they get no intervals.
    """

    def __init__(self, name: str, *, n_treebanks: int, setup: Setup, measure: str, partial: bool) -> None:
        self._name, self._n_treebanks, self._registry = name, n_treebanks, setup.registry
        shown = f"{measure.removesuffix('.recall')}.recall" if partial else measure
        self._measure = parse_measure(shown, setup.registry)
        self._setup = setup.with_measures(
            scored
            for scored, definition in setup.defined
            if not (partial or definition.needs_file or definition.counter or definition.lower_is_better)
        )
        self.start()

    def start(self) -> None:
        """Forget all pieces: the files are read from the beginning."""
        self._without_trees: ConlluError | None = None
        self._undefined: float | None = None
        self._documents, self._kinds = DocumentNumbers(), ErrorKinds()
        self._repairs = HistogramTally(lambda cells: gain_parts(cells, self._measure))
        self._scores = {str(measure): HistogramTally(_as_parts) for measure in self._setup.measures}
        self._types = np.zeros(len(ERRORS), dtype=np.int64)
        self._confused = ConfusionTally()
        self._properties = {by: _PropertyTally(by, self._measure, self._registry) for by in PROPERTY_TITLES}
        self._examples = ExampleTally(self._n_treebanks)

    def add(self, piece: CountedPiece) -> None:
        """Add a piece, or whole files."""
        matches = piece.matches
        if self._without_trees is not None or not isinstance(matches, Matches):
            return
        try:
            matches.check_trees()
        except ConlluError as error:  # raised at the end: other errors precede it
            self._without_trees = error
            return
        self._undefined = matches.rules.undefined
        documents = self._documents.of(matches.gold)
        self._add_scores(matches, documents)
        wrong = errors_in(matches, self._measure, self._kinds, registry=self._registry)
        self._repairs.add(wrong.cells, documents)
        types = kinds_of_errors(matches)
        self._types += np.bincount(types, minlength=len(ERRORS))
        values = {by: tally.add(matches, documents) for by, tally in self._properties.items()}
        known = wrong.word >= 0
        words = wrong.word[known]
        groups = {
            "repair": wrong.kind[known],
            "cell": values_of_words(matches, words, self._confused.add(matches)),
            "kind": values_of_words(matches, words, types),
        }
        groups |= {by: numbers[words] for by, numbers in values.items()}
        self._examples.add(OutputTrees(self._name, matches), words, groups)

    def _add_scores(self, matches: Matches, documents: NDArray[np.int64]) -> None:
        found = counts_by_sentence(matches, self._setup)
        units, groups = np.arange(len(documents)), np.zeros_like(documents)
        for measure in self._setup.measures:
            if str(measure) in found:  # otherwise it has no value
                parts = sentence_parts(found[str(measure)], measure).T.astype(np.int64)
                self._scores[str(measure)].add(Cells(units, groups, parts), documents)

    def result(self, gold: FileSummary, system: FileSummary) -> TreebankErrors:  # noqa: ARG002 -- as the engine calls it
        """Return the errors."""
        if self._without_trees is not None:
            raise self._without_trees
        numbers = {kind: number for number, kind in enumerate(sorted(self._kinds.numbers))}
        of_kind = np.array([numbers[kind] for kind in self._kinds.numbers])
        kinds, histogram = [*self._kinds.numbers], self._repairs.histogram()
        renumbered = {by: tally.places().__getitem__ for by, tally in self._properties.items()}
        return TreebankErrors(
            str(self._measure),
            repairs_of(histogram, kinds, self._measure, self._undefined, _LEVEL),
            numbers,
            dict(zip(ERRORS[1:], self._types[1:].tolist(), strict=True)),
            {by: tally.breakdown(self._undefined) for by, tally in self._properties.items()},
            {by: {name: n for n, name in enumerate(tally.names())} for by, tally in self._properties.items()},
            self._confused.matrix(),
            self._examples.examples({"repair": of_kind.__getitem__, "cell": self._confused.renumbered, **renumbered}),
            {name: _interval(tally.histogram()) for name, tally in self._scores.items() if tally.has_counts},
        )


def _as_parts(cells: Cells) -> NDArray[np.float64]:
    return cells.counts.astype(np.float64)


def _interval(found: UnitHistogram) -> Interval | None:
    (estimate,) = bucket_estimates(UnitParts(found.groups, found.parts[:, None], found.n_units, 1), _LEVEL)
    return estimate.interval


class _PropertyTally:
    """A breakdown by one property.

    Args:
        by: the property.
        measure: the measure.
        registry: the available measures and schemes.
    """

    def __init__(self, by: str, measure: Measure, registry: Registry) -> None:
        self._by, self._measure, self._registry = by, measure, registry
        self._settings = PropertySettings(registry.schemes.by_name[registry.schemes.default])
        self._frequency: dict[str, int] = {}  # of the values, which are numbered in this order
        self._units = HistogramTally(lambda cells: ratio_parts(cells.counts, measure))

    def add(self, matches: Matches, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add a piece, and return the number of the value of each gold word."""
        found = PROPERTIES[self._by].of(matches, self._settings)
        frequency = np.bincount(np.concatenate([found.gold, found.system]), minlength=len(found.names))
        for name, n in zip(found.names, frequency.tolist(), strict=True):
            self._frequency[name] = self._frequency.get(name, 0) + n
        number = {name: i for i, name in enumerate(self._frequency)}
        numbers = np.array([number[name] for name in found.names], dtype=np.int64)
        buckets = CombinedBuckets([(name,) for name in number], numbers[found.gold], numbers[found.system])
        words = words_in(buckets, matches, self._measure, self._registry)
        self._units.add(bucket_cells([words], np.arange(len(matches.gold))), documents)
        return buckets.gold

    def names(self) -> list[str]:
        """Return the values in the order in which they are shown."""
        names = [*self._frequency]
        return sorted(names, key=lambda name: (-self._frequency[name], name)) if self._by in _BY_FREQUENCY else names

    def places(self) -> NDArray[np.int64]:
        """Return the place of each value in this order, by its number."""
        place = {name: i for i, name in enumerate(self.names())}
        return np.array([place[name] for name in self._frequency], dtype=np.int64)

    def breakdown(self, undefined: float | None) -> Breakdown:
        """Return the breakdown."""
        found, places = self._units.histogram(), self.places()
        totals = found.totals._replace(groups=places[found.totals.groups])
        ordered = found._replace(groups=places[found.groups], totals=totals)
        names = [(name,) for name in self.names()]
        return breakdown_of([self._by], self._measure, names, ordered, undefined, _LEVEL)


def errors_of_each(
    code: str,  # noqa: ARG001 -- the engine gives the code of the test set
    output: str,  # noqa: ARG001 -- and the name of the output
    *,
    name: str,
    n_treebanks: int,
    setup: Setup,
    measure: str,
    partial: bool,
) -> ErrorTally:
    """Return what finds the errors of an output; the engine calls this where the output is read."""
    return ErrorTally(name, n_treebanks=n_treebanks, setup=setup, measure=measure, partial=partial)


def measure_of_errors(names: Sequence[str], registry: Registry) -> str:
    """Return the measure whose errors a page shows: LAS, or otherwise the first measure that can be broken down."""
    if "LAS" in names:
        return "LAS"
    for name in names:
        try:
            check_breakable(parse_measure(name, registry), registry)
        except MeasureError:
            continue
        return name
    return "LAS"
