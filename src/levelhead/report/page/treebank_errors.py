"""The errors of one output for its page, computed where the engine reads the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis import Breakdown, break_down
from levelhead.analysis.breakdown import check_breakable
from levelhead.analysis.confusion import ERRORS, kinds_of_errors
from levelhead.analysis.repairs import TreebankRepairs, WrongWords, repairs, wrong_words
from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.campaign.outputs import Output
from levelhead.errors import MeasureError
from levelhead.measures.registry import Registry, parse_measure
from levelhead.report.page.blocks import ConfusionMatrix
from levelhead.report.page.examples import (
    Examples,
    OutputTrees,
    cells_of,
    confused_relations,
    examples_of_errors,
    pairs_of,
)
from levelhead.scoring.matches import Matches
from levelhead.significance import units_of
from levelhead.significance.bucket_estimates import IntervalSettings
from levelhead.significance.units import AUTO

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
    """

    measure: str
    repairs: TreebankRepairs
    numbers: Mapping[tuple[str, str], int]
    kinds: Mapping[str, int]
    breakdowns: Mapping[str, Breakdown]
    values: Mapping[str, Mapping[str, int]]
    confused: ConfusionMatrix
    examples: Examples


def treebank_errors(
    treebank: str,  # noqa: ARG001 -- the engine gives the code of the test set
    outputs: Sequence[Output],
    *,
    name: str,
    n_treebanks: int,
    registry: Registry,
    measure: str = "LAS",
) -> TreebankErrors:
    """Return the errors of an output on one treebank; the engine calls this where the output is read.

    Args:
        treebank: its code.
        outputs: a single output.
        name: the system.
        n_treebanks: the number of treebanks on the page.
        registry: the available measures and schemes.
        measure: the measure whose errors are shown; it must support breakdowns.

    Raises:
        ConlluError: gold or the output has no trees.
    """
    (output,) = outputs
    matches = output.matches
    matches.check_trees()
    measure = f"{measure.removesuffix('.recall')}.recall" if output.partial else measure  # as partial scores are
    parsed, intervals = parse_measure(measure, registry), IntervalSettings(units_of(matches.gold, AUTO))
    settings = PropertySettings(registry.schemes.by_name[registry.schemes.default])
    wrong = wrong_words(matches, parsed, registry=registry)
    breakdowns = {
        by: break_down(matches, parsed, [by], settings, registry=registry, intervals=intervals)
        for by in PROPERTY_TITLES
    }
    groups, values = _groups(matches, wrong, settings)
    return TreebankErrors(
        str(parsed),
        repairs(matches, parsed, intervals, registry=registry),
        {kind: number for number, kind in enumerate(wrong.kinds)},
        dict(zip(ERRORS[1:], np.bincount(kinds_of_errors(matches), minlength=len(ERRORS))[1:].tolist(), strict=True)),
        breakdowns,
        values,
        confused_relations(matches),
        examples_of_errors(OutputTrees(name, matches), wrong.word, groups, n_treebanks),
    )


def _groups(
    matches: Matches, wrong: WrongWords, settings: PropertySettings
) -> tuple[dict[str, NDArray[np.int64]], dict[str, dict[str, int]]]:
    """The groups of wrong words, and by property the group of each value."""
    words = wrong.word
    of_pair = pairs_of(matches, words)
    groups = {
        "repair": wrong.kind,
        "cell": np.where(of_pair < 0, -1, cells_of(matches)[of_pair]),
        "kind": np.where(of_pair < 0, -1, kinds_of_errors(matches)[of_pair]),
    }
    values = {}
    for by in PROPERTY_TITLES:
        buckets = PROPERTIES[by].of(matches, settings)
        groups[by] = buckets.gold[words].astype(np.int64)
        values[by] = {name: number for number, name in enumerate(buckets.names)}
    return groups, values


def measure_of_errors(names: Sequence[str], registry: Registry) -> str:
    """Return the measure whose errors a page shows: LAS, or otherwise the first measure that can be broken down.

    Args:
        names: the measures of the page.
        registry: the available measures and schemes.
    """
    if "LAS" in names:
        return "LAS"
    for name in names:
        try:
            check_breakable(parse_measure(name, registry), registry)
        except MeasureError:
            continue
        return name
    return "LAS"
