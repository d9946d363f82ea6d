"""The errors of outputs for their page, computed where the engine reads the outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.breakdown import (
    Breakdown,
    breakdown_of,
    bucket_cells,
    check_breakable,
    ratio_parts,
    with_averages,
    words_in,
)
from levelhead.analysis.confusion import ERRORS, kinds_of_errors, types_by_name
from levelhead.analysis.repairs import ErrorKinds, TreebankRepairs, average_repairs, errors_in, gain_parts, repairs_of
from levelhead.analysis.word_properties import PROPERTIES, Buckets, PropertySettings
from levelhead.campaign.outputs import sentence_parts
from levelhead.errors import ConlluError, MeasureError
from levelhead.evaluation.fold import CountedPiece, counts_by_sentence
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import Registry, parse_measure
from levelhead.report.page.blocks import ConfusionMatrix
from levelhead.report.page.examples import (
    Examples,
    ExampleTally,
    GroupNames,
    OutputTrees,
    counted,
    joined_examples,
    values_of_words,
)
from levelhead.scoring import Agree, Matches, Measure
from levelhead.significance.histograms import Cells, HistogramTally, UnitHistogram
from levelhead.significance.jackknife import UnitParts, bucket_estimates
from levelhead.tables.data import PercentInterval
from levelhead.treebank.documents import Documents
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.relations import NIVRE_FANG

_MOST_RELATIONS = 18
_SIZE = 1 << 31  # more than there are relations


class ConfusionTally:
    """Counts how often each gold relation is aligned with each relation of the system."""

    def __init__(self) -> None:
        self._frequency: dict[str, int] = {}  # of the relations, which are numbered in this order
        self._cells, self._right_heads = Counter[int](), Counter[int]()

    def add(self, matches: Matches) -> NDArray[np.int64]:
        """Count a piece, and return the number of the cell of each aligned word, int64, shape (pairs,)."""
        gold, system = _numbered(PROPERTIES["relation"].of(matches, PropertySettings(NIVRE_FANG)), self._frequency)
        cells = gold[matches.alignment.gold] * _SIZE + system[matches.alignment.system]
        self._cells += counted(cells)
        self._right_heads += counted(cells[matches.agree(Agree.HEAD)])
        return cells

    def matrix(self) -> ConfusionMatrix:
        """Return the confusion matrix of gold and system relations, of only the most frequent relations."""
        names = _most_frequent_first(self._frequency)[:_MOST_RELATIONS]
        numbers = {name: number for number, name in enumerate(self._frequency)}
        cells = [[numbers[gold] * _SIZE + numbers[system] for system in names] for gold in names]
        counts = [[self._cells[cell] for cell in row] for row in cells]
        wrong = [
            [n - self._right_heads[cell] * (i == j) for j, (n, cell) in enumerate(zip(of_row, row))]
            for i, (of_row, row) in enumerate(zip(counts, cells))
        ]
        return ConfusionMatrix(names, counts, wrong)

    def names(self) -> Callable[[int], str | None]:
        """Return a function from a cell's number to the name of its words; None for cells that are not shown."""
        shown = set(_most_frequent_first(self._frequency)[:_MOST_RELATIONS])
        relations = [name if name in shown else None for name in self._frequency]

        def name(cell: int) -> str | None:
            gold, system = relations[cell // _SIZE], relations[cell % _SIZE]
            return None if gold is None or system is None else f"{gold} {system}"

        return name


def _numbered(buckets: Buckets, frequency: dict[str, int]) -> Sequence[NDArray[np.int64]]:
    """Count the values of words, and return their numbers in gold and system, in the order of the frequencies."""
    counts = np.bincount(np.concatenate([buckets.gold, buckets.system]), minlength=len(buckets.names))
    for name, n in zip(buckets.names, counts.tolist(), strict=True):
        frequency[name] = frequency.get(name, 0) + n
    numbers = _places(buckets.names, frequency)
    return numbers[buckets.gold], numbers[buckets.system]


def _places(names: Iterable[str], order: Iterable[str]) -> NDArray[np.int64]:
    place = {name: i for i, name in enumerate(order)}
    return np.array([place[name] for name in names], dtype=np.int64)


def _most_frequent_first(frequency: Mapping[str, int]) -> list[str]:
    return sorted(frequency, key=lambda name: (-frequency[name], name))


_LEVEL = 0.95
BY_FREQUENCY = ("relation", "upos")  # the properties whose values are shown in the order of their frequency

# the properties of words by which errors are broken down
PROPERTY_TITLES = {
    "relation": "Relation",
    "upos": "Part of speech",
    "class": "Class of relation",
    "direction": "Direction of the arc",
    "length": "Length of the arc",
    "sentence-length": "Length of the sentence",
}

STORE = "0"  # of all treebanks


class TreebankErrors(NamedTuple):
    """The errors of an output on one treebank."""

    measure: str  # whose errors are shown
    repairs: TreebankRepairs
    kinds: Mapping[str, int]  # the number of words with each kind of wrong head or relation
    breakdowns: Mapping[str, Breakdown]  # by property
    confused: ConfusionMatrix
    examples: Examples
    intervals: Mapping[str, PercentInterval | None]  # 95%, of scores that are ratios of whole numbers
    n_documents: int = 0


class ErrorTally:
    """Finds the errors of an output on one treebank; both can be read in pieces."""

    def __init__(self, *_: str, name: str, n_treebanks: int, setup: Setup) -> None:
        self._name, self._n_treebanks, self._registry = name, n_treebanks, setup.registry
        measure = "LAS"  # otherwise the first measure that can be broken down
        for other in () if "LAS" in setup.names else reversed(setup.names):
            with suppress(MeasureError):
                definition = check_breakable(parse_measure(other, setup.registry), setup.registry)
                measure = other if definition.correct is None else measure  # functions have no kinds of errors
        measure = f"{measure.removesuffix('.recall')}.recall" if setup.partial else measure
        self._measure = parse_measure(measure, setup.registry)
        self._setup = setup.with_measures(
            scored
            for scored, definition in setup.defined
            if not (setup.partial or definition.needs_file or definition.lower_is_better)
        )
        self.start()

    def start(self) -> None:
        """Drop all counts, because the files are read again from the beginning."""
        self._without_trees: ConlluError | None = None
        self._undefined: float | None = None
        self._documents, self._kinds = Documents(), ErrorKinds()
        self._repairs = HistogramTally(lambda cells: gain_parts(cells, self._measure))
        self._scores = {
            str(measure): HistogramTally(lambda cells: cells.counts.astype(np.float64))
            for measure in self._setup.measures
        }
        self._types = np.zeros(len(ERRORS), dtype=np.int64)
        self._confused = ConfusionTally()
        self._properties = {by: _PropertyTally(by, self._measure, self._registry) for by in PROPERTY_TITLES}
        self._examples = ExampleTally(self._n_treebanks)

    def add(self, piece: CountedPiece) -> None:
        matches = piece.matches
        if self._without_trees is not None or not isinstance(matches, Matches):
            return
        try:
            matches.check_trees()
        except ConlluError as error:  # raised at the end: other errors precede it
            self._without_trees = error
            return
        self._undefined = matches.rules.undefined
        documents, counts = self._documents.add(matches.gold), counts_by_sentence(matches, self._setup)
        units, single_group = np.arange(len(documents)), np.zeros_like(documents)
        for measure in self._setup.measures:
            if str(measure) in counts and counts[str(measure)].correct.dtype.kind != "f":  # it has a value
                parts = sentence_parts(counts[str(measure)], measure).T.astype(np.int64)
                self._scores[str(measure)].add(Cells(units, single_group, parts), documents)
        wrong = errors_in(matches, self._measure, self._kinds, registry=self._registry)
        self._repairs.add(wrong.cells, documents)
        types = kinds_of_errors(matches)
        self._types += np.bincount(types, minlength=len(ERRORS))
        words = wrong.word[wrong.word >= 0]
        groups = {
            "repair": wrong.kind[wrong.word >= 0],
            "cell": values_of_words(matches, words, self._confused.add(matches)),
            "kind": values_of_words(matches, words, types),
            **{by: tally.add(matches, documents)[words] for by, tally in self._properties.items()},
        }
        self._examples.add(OutputTrees(self._name, matches), words, groups)

    def result(self, gold: FileSummary, system: FileSummary) -> TreebankErrors:  # noqa: ARG002 -- as the engine calls it
        if self._without_trees is not None:
            raise self._without_trees
        names: GroupNames = {
            "repair": [*map(str, self._kinds.numbers)].__getitem__, "kind": ERRORS.__getitem__,
            "cell": self._confused.names(),
            **{by: [*tally.frequency].__getitem__ for by, tally in self._properties.items()},
        }  # fmt: skip
        few, repaired = self._repairs.few_documents(), self._repairs_of(self._repairs.histogram())
        scores = ((name, tally.histogram()) for name, tally in self._scores.items() if tally.has_counts)
        parts = {name: UnitParts(of.groups, of.parts[:, None], of.n_units, 1) for name, of in scores}
        return TreebankErrors(
            str(self._measure),
            repaired if few is None else repaired.averaged_by(self._repairs_of(few)),
            {name: n for name, n in types_by_name(self._types).items() if name != ERRORS[0]},
            {by: tally.breakdown(self._undefined) for by, tally in self._properties.items()},
            self._confused.matrix(),
            self._examples.examples(names),
            {name: bucket_estimates(of_units, _LEVEL)[0].interval for name, of_units in parts.items()},
            len(self._documents.ids),
        )

    def _repairs_of(self, found: UnitHistogram) -> TreebankRepairs:
        return repairs_of(found, self._kinds, self._measure, self._undefined, _LEVEL)


class _PropertyTally:
    """A breakdown of a measure by one property."""

    def __init__(self, by: str, measure: Measure, registry: Registry) -> None:
        self._by, self._measure, self._registry = by, measure, registry
        self._settings = PropertySettings(registry.schemes.by_name[registry.schemes.default])
        self.frequency: dict[str, int] = {}  # of the values, which are numbered in this order
        self._units = HistogramTally(lambda cells: ratio_parts(cells.counts, measure))

    def add(self, matches: Matches, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add a piece, and return the number of the value of each gold word."""
        gold, system = _numbered(PROPERTIES[self._by].of(matches, self._settings), self.frequency)
        names = [(name,) for name in self.frequency]
        words = words_in(names, gold, system, matches, self._measure, self._registry)
        self._units.add(bucket_cells([words], np.arange(len(matches.gold))), documents)
        return gold

    def breakdown(self, undefined: float | None) -> Breakdown:
        shown = _most_frequent_first(self.frequency) if self._by in BY_FREQUENCY else [*self.frequency]
        places, names = _places(self.frequency, shown), [(name,) for name in shown]

        def of_units(found: UnitHistogram) -> Breakdown:
            totals = found.totals._replace(groups=places[found.totals.groups])
            ordered = found._replace(groups=places[found.groups], totals=totals)
            return breakdown_of([self._by], self._measure, names, ordered, undefined, _LEVEL)

        own, few = of_units(self._units.histogram()), self._units.few_documents()
        return own if few is None else with_averages(own, of_units(few))


def joined_errors(parts: Sequence[TreebankErrors]) -> TreebankErrors:
    """Return the errors of all treebanks, without breakdowns, confusions and intervals, and mean costs of errors."""
    kinds = {kind: sum(part.kinds[kind] for part in parts) for kind in parts[0].kinds}
    examples = joined_examples([part.examples for part in parts])
    repairs = parts[0].repairs._replace(kinds=tuple(average_repairs([part.repairs for part in parts], _LEVEL)))
    return TreebankErrors(parts[0].measure, repairs, kinds, {}, ConfusionMatrix((), (), ()), examples, {})
