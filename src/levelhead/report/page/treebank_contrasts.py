"""The parts of the page of a comparison that are computed where the outputs on a treebank are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from levelhead.analysis.repairs import wrong_words
from levelhead.analysis.word_properties import PROPERTIES, Buckets, PropertySettings
from levelhead.campaign.outputs import Output
from levelhead.comparison.contrasts import Gain, contrasts, gains_by
from levelhead.evaluation.setup import Setup, setup_of
from levelhead.measures.registry import Registry
from levelhead.report.page.blocks import ConfusionMatrix
from levelhead.report.page.confusions import ConfusionTally
from levelhead.report.page.examples import (
    ALL_WORDS,
    Examples,
    OutputTrees,
    examples_of_errors,
    sentence,
    values_of_words,
)
from levelhead.significance import units_of
from levelhead.significance.bucket_estimates import IntervalSettings
from levelhead.significance.units import AUTO

TITLES = {"deprel": "Relation", "upos": "Part of speech", "direction": "Direction", "length": "Length of the arc"}
"""The properties by which differences are shown, with their titles."""

_MOST_SENTENCES = 100
_FEWEST_SENTENCES = 3


class TreebankPart(NamedTuple):
    """The data of one treebank on the page of a comparison.

    Args:
        treebank: its code.
        systems: the names of the outputs, the baseline first.
        n_sentences: the number of gold sentences.
        gains: the differences of each system from the baseline, by property.
        contrasts: the sentences in which each system gains or loses most, grouped by the number of the system, and
            their words that only the system or only the baseline gets right, grouped by property.
        changes: the gain in correct words in the sentence of each of these.
        values: the values of each property, in the order of its groups.
        confusions: for a single treebank, the confusion matrix of each output with its words.
    """

    treebank: str
    systems: tuple[str, ...]
    n_sentences: int
    gains: Mapping[str, Sequence[Gain]]
    contrasts: Examples
    changes: Sequence[float]
    values: Mapping[str, Sequence[str]]
    confusions: Sequence[tuple[ConfusionMatrix, Examples]]


def treebank_part(treebank: str, outputs: Sequence[Output], *, n_treebanks: int, registry: Registry) -> TreebankPart:
    """Return the data of one treebank; the engine calls this where the outputs are read."""
    for output in outputs:
        output.matches.check_trees()
    shown = [OutputTrees(output.name, output.matches) for output in outputs]
    setup = setup_of(["LAS"], rules=outputs[0].matches.rules, registry=registry)
    schemes, (measure,) = registry.schemes, setup.measures
    settings = PropertySettings(schemes.by_name[schemes.default])
    intervals = IntervalSettings(units_of(outputs[0].matches.gold, AUTO))
    gains = {by: gains_by(outputs, measure, [by], settings, registry, intervals) for by in TITLES}
    found = {by: PROPERTIES[by].of(outputs[0].matches, settings) for by in TITLES}
    examples, changes = _contrasts(shown, ALL_WORDS // (n_treebanks * len(outputs)), setup, found)
    confusions = [_confusion(one, len(outputs), setup) for one in shown] if n_treebanks == 1 else []
    systems = tuple(output.name for output in outputs)
    values = {by: buckets.names for by, buckets in found.items()}
    return TreebankPart(treebank, systems, len(outputs[0].matches.gold), gains, examples, changes, values, confusions)


def _confusion(shown: OutputTrees, n_outputs: int, setup: Setup) -> tuple[ConfusionMatrix, Examples]:
    """The confusion matrix of an output, and the words in its cells."""
    words = wrong_words(shown.matches, setup.measures[0], registry=setup.registry)
    confused = ConfusionTally()
    cells = values_of_words(shown.matches, words, confused.add(shown.matches))
    groups = {"cell": confused.renumbered(cells)}
    return confused.matrix(), examples_of_errors(shown, words, groups, 2 * n_outputs)


def _contrasts(
    shown: Sequence[OutputTrees], most: int, setup: Setup, values: Mapping[str, Buckets]
) -> tuple[Examples, list[float]]:
    """The sentences in which each system gains or loses most, gains first, with the words that differ."""
    starts, n_systems = shown[0].matches.gold.sentence_starts, len(shown) - 1
    sentences: list[dict[str, Any]] = []
    entries: list[tuple[tuple[int, int], float, Mapping[str, int]]] = []
    totals: dict[str, dict[int, int]] = {by: {} for by in values}
    wrong = [wrong_words(one.matches, setup.measures[0], registry=setup.registry) for one in shown]
    for number, system in enumerate(shown[1:], 1):
        every = contrasts(shown[0].matches, system.matches, None, setup)
        totals[str(number)] = {kind: len(some) for kind, some in enumerate(every)}
        differing = np.setxor1d(wrong[0], wrong[number])
        groups = {by: found.gold[differing] * n_systems + number - 1 for by, found in values.items()}
        for by, numbers in groups.items():
            totals[by] |= Counter(numbers.tolist())
        for kind, some in enumerate(every):
            left = most // 2
            for n_shown, contrast in enumerate(some[:_MOST_SENTENCES]):
                start, end = starts[contrast.sentence : contrast.sentence + 2].tolist()
                left -= end - start
                if left < 0 and n_shown >= _FEWEST_SENTENCES:
                    break
                place, change = len(sentences), contrast.system - contrast.baseline
                sentences.append(sentence([shown[0], system], contrast.sentence))
                entries.append(((place, -1), change, {str(number): kind}))
                for row in range(*np.searchsorted(differing, [start, end])):
                    own = {by: int(numbers[row]) for by, numbers in groups.items()}
                    entries.append(((place, int(differing[row]) - start), change, own))
    grouped = {name: [own.get(name, -1) for _, _, own in entries] for name in totals}
    return Examples(sentences, [at for at, _, _ in entries], grouped, totals), [change for _, change, _ in entries]


def joined_contrasts(parts: Sequence[TreebankPart]) -> tuple[Examples, Mapping[str, Sequence[str]]]:
    """Return the sentences and words of all treebanks, the largest differences first, and the values of properties."""
    values = {by: list(dict.fromkeys(name for part in parts for name in part.values[by])) for by in TITLES}
    names, n_systems = list(parts[0].contrasts.groups), len(parts[0].systems) - 1
    totals: dict[str, dict[int, int]] = {name: {} for name in names}
    start, found = 0, []
    for part in parts:
        places = {by: [values[by].index(name) for name in own] for by, own in part.values.items()}
        columns = []
        for name in names:
            number = partial(_renumbered, places.get(name), n_systems)
            columns.append([number(own) for own in part.contrasts.groups[name]])
            for own, n in part.contrasts.totals[name].items():
                totals[name][number(own)] = totals[name].get(number(own), 0) + n
        for (place, word), change, numbers in zip(part.contrasts.words, part.changes, zip(*columns), strict=True):
            found.append((-abs(change), start + place, word, numbers))
        start += len(part.contrasts.sentences)
    found.sort()
    groups = {name: [entry[3][column] for entry in found] for column, name in enumerate(names)}
    return Examples((), [(place, word) for _, place, word, _ in found], groups, totals), values


def _renumbered(places: Sequence[int] | None, n_systems: int, group: int) -> int:
    """The group of a value and system in all treebanks; groups that are not of values have the same number."""
    return group if places is None or group < 0 else places[group // n_systems] * n_systems + group % n_systems
