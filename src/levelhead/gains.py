"""Where one system beats another: by any property of words, and sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from levelhead.analysis import break_down
from levelhead.analysis.buckets import Comments, Settings
from levelhead.comparison import Output, Outputs, counts_of, origin_of, read_outputs, signed, told_of
from levelhead.errors import Fault, MeasureError
from levelhead.evaluation import decisive, measures_for, weights_for
from levelhead.measures import STANDARD, Registry
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Measure, Resource
from levelhead.scoring.rules import Rules, rules_named
from levelhead.scoring.score import Score
from levelhead.treebank.reader import Format

_EQUAL = 1e-9
"""Sums of weights closer than this are equal."""


class Gain(NamedTuple):
    """One bucket of words, one system.

    Args:
        values: the value of each property.
        system: the system.
        baseline: the baseline's score in the bucket.
        score: the system's.
    """

    values: tuple[str, ...]
    system: str
    baseline: Score
    score: Score

    @property
    def more_correct(self) -> float:
        """How many more words the system gets right: what the bucket gives to the difference of the whole."""
        return self.score.correct - self.baseline.correct

    @property
    def difference(self) -> float | None:
        """The difference of the values."""
        one, other = self.score.value, self.baseline.value
        return None if one is None or other is None else one - other


class Contrast(NamedTuple):
    """One gold sentence on which two systems differ.

    Args:
        sentence: its index.
        baseline: how many words the baseline gets right, or the sum of their weights.
        system: how many the system.
        gold: how many there are.
    """

    sentence: int
    baseline: float
    system: float
    gold: float


class Where(NamedTuple):
    """Where systems gain over the first one, treebank by treebank.

    Args:
        by: the properties.
        measure: the measure.
        baseline: the first system.
        treebanks: the gains on each treebank.
        signature: what decides the numbers.
        files: the hashes of all files, by treebank and then by "gold" or the system (and run).
        warnings: what was odd in them.
        notes: what to know before the numbers are used, in sentences.
    """

    by: tuple[str, ...]
    measure: str
    baseline: str
    treebanks: Mapping[str, Sequence[Gain]]
    signature: Mapping[str, str]
    files: Mapping[str, Mapping[str, str]]
    warnings: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()


class Contrasts(NamedTuple):
    """Sentences in which systems gain or lose most.

    Args:
        measure: the measure.
        found: of each treebank and system: the outputs of the baseline and of the system, gains, losses.
        signature: what decides the numbers.
        files: the hashes of all files, by treebank and then by "gold" or the system (and run).
        warnings: what was odd in them.
        notes: what to know before the numbers are used, in sentences.
    """

    measure: Measure
    found: Sequence[tuple[str, Output, Output, Sequence[Contrast], Sequence[Contrast]]]
    signature: Mapping[str, str]
    files: Mapping[str, Mapping[str, str]]
    warnings: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()


def compare_by(
    outputs: Outputs,
    measure: Measure,
    by: Sequence[str],
    settings: Settings,
    *,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    registry: Registry = STANDARD,
    decided: Mapping[str, str] | None = None,
) -> Where:
    """Say where systems gain over the first one, by properties of words.

    Args:
        outputs: the files of at least two systems.
        measure: a measure of words.
        by: properties, see `break_down`.
        settings: what properties may need.
        rules: as in `compare`.
        format: as in `compare`.
        gold_format: as in `compare`.
        registry: the measures and schemes that there are.
        decided: what else decides the numbers, for the signature: hashes of training treebanks.
    """
    chosen = rules_named(rules)
    measures_for(chosen, [measure], registry)
    found, origins, baseline, comments = {}, {}, "", Comments(by)
    for name, some in read_outputs(outputs, chosen, format, gold_format):
        comments.see(some[0].matches.gold)
        found[name] = gains_by(some, measure, by, settings, registry)
        origins[name], baseline = origin_of(some, [measure], registry), some[0].name
    comments.check()
    parts = {"measure": str(measure), "by": "+".join(by), **decisive([measure], {}, registry), **(decided or {})}
    if "class" in by:
        parts["scheme"] = settings.scheme.name
    files = {name: one.files for name, one in origins.items()}
    return Where(tuple(by), str(measure), baseline, found, signed(origins, chosen, parts), files, *told_of(origins))


def compare_sentences(
    outputs: Outputs,
    measure: Measure,
    how_many: int,
    *,
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    registry: Registry = STANDARD,
    weights: Mapping[str, Resource] | None = None,
) -> Contrasts:
    """Find the sentences in which each system gains most over the first one, and in which it loses most.

    Args:
        outputs: the files of at least two systems.
        measure: a measure of words.
        how_many: how many sentences of each kind, on each treebank.
        rules: as in `compare`.
        format: as in `compare`.
        gold_format: as in `compare`.
        registry: the measures and schemes that there are.
        weights: as in `compare`.

    Raises:
        MeasureError: the measure does not count words.
    """
    chosen = rules_named(rules)
    read = weights_for(measures_for(chosen, [measure], registry), registry, weights)
    found, origins = [], {}
    for name, (baseline, *others) in read_outputs(outputs, chosen, format, gold_format):
        origins[name] = origin_of([baseline, *others], [measure], registry)
        for one in others:
            both = contrasts(baseline.matches, one.matches, measure, how_many, registry, read)
            found.append((name, baseline, one, *both))
    parts = {"measure": str(measure), **decisive([measure], read, registry)}
    files = {name: one.files for name, one in origins.items()}
    return Contrasts(measure, found, signed(origins, chosen, parts), files, *told_of(origins))


def gains_by(
    outputs: Sequence[Output], measure: Measure, by: Sequence[str], settings: Settings, registry: Registry = STANDARD
) -> list[Gain]:
    """Break a measure down for every system, and set each beside the first.

    Args:
        outputs: the outputs on one treebank, the baseline first.
        measure: a measure of words.
        by: properties, see `break_down`.
        settings: what properties may need.
        registry: the measures and schemes that there are.

    Returns:
        The buckets, the largest gains in words first.
    """
    first, *others = outputs
    broken = {one.name: dict(break_down(one.matches, measure, by, settings, registry=registry).rows) for one in outputs}
    nothing = Score(measure, 0, 0, 0, 0, first.matches.rules.undefined)
    found = [
        Gain(values, one.name, broken[first.name].get(values, nothing), broken[one.name].get(values, nothing))
        for one in others
        for values in dict.fromkeys([*broken[first.name], *broken[one.name]])
    ]
    return sorted(found, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def contrasts(
    baseline: Matches,
    system: Matches,
    measure: Measure,
    how_many: int,
    registry: Registry = STANDARD,
    weights: Mapping[str, Resource] | None = None,
) -> tuple[list[Contrast], list[Contrast]]:
    """Give the sentences in which a system gains most, and those in which it loses most.

    Args:
        baseline: the baseline's words, aligned to gold's.
        system: the system's, likewise.
        measure: a measure of words.
        how_many: how many sentences of each kind.
        registry: the measures and schemes that there are.
        weights: what was read of the files that the measure names, if it was read before.

    Raises:
        MeasureError: the measure does not count words.
    """
    definition = registry.measures[measure.name]
    if definition.unit != "words":
        raise MeasureError(f"{measure} does not count words, and shows no sentences", "unknown-measure")
    both = [counts_of(matches, [measure], registry, weights)[str(measure)][0] for matches in (baseline, system)]
    one, other = (counts.correct for counts in both)
    change = other - one
    order = np.argsort(-change, kind="stable").tolist()
    gained = [i for i in order if change[i] > _EQUAL][:how_many]
    lost = [i for i in reversed(order) if change[i] < -_EQUAL][:how_many]
    gold = both[0].gold
    first, second = (
        [Contrast(i, one[i].item(), other[i].item(), gold[i].item()) for i in some] for some in (gained, lost)
    )
    return first, second
