"""Perplexities of many treebanks: averages by group, and correlations with accuracy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from levelhead.studies.statistics import pearson


class TreebankPerplexities(NamedTuple):
    """The two perplexities of one treebank.

    Args:
        name: the name of the treebank.
        groups: the groups that it belongs to.
        size: the number of words in its training set.
        string: the perplexity of its words in string order.
        derivation: the perplexity of its words in derivation order.
        accuracies: the known accuracies of parsers on it, by name.
    """

    name: str
    groups: tuple[str, ...]
    size: int
    string: float
    derivation: float
    accuracies: Mapping[str, float]

    @property
    def increase(self) -> float:
        """The increase from string to derivation perplexity, as a share of string perplexity."""
        return self.derivation / self.string - 1


class GroupAverage(NamedTuple):
    """The averages of a group of treebanks, as in the first table of section 5 of the paper.

    Args:
        name: the name of the group.
        n_treebanks: the number of treebanks.
        string: the mean string perplexity.
        derivation: the mean derivation perplexity.
        increase_of_means: the increase from the first mean to the second, as a share of the first.
        mean_increase: the mean increase of the treebanks. The paper's 37.0% and 96.6% do not follow from its printed
            averages, so it is unclear which of the two increases it reports.
    """

    name: str
    n_treebanks: int
    string: float
    derivation: float
    increase_of_means: float
    mean_increase: float


class AccuracyCorrelation(NamedTuple):
    """Pearson's correlation of an accuracy with treebank size, and with size over perplexity.

    Args:
        accuracy: the name of the accuracy.
        n_treebanks: the number of treebanks with this accuracy.
        size: the correlation with the number of words; None if there are too few treebanks or all values are equal.
        size_over_string: the correlation with the number of words over string perplexity.
        size_over_derivation: the correlation with the number of words over derivation perplexity.
    """

    accuracy: str
    n_treebanks: int
    size: float | None
    size_over_string: float | None
    size_over_derivation: float | None


def group_averages(rows: Iterable[TreebankPerplexities]) -> list[GroupAverage]:
    """Return the average perplexities of each group, in the order in which groups first occur."""
    members: dict[str, list[TreebankPerplexities]] = {}
    for row in rows:
        for group in row.groups:
            members.setdefault(group, []).append(row)
    return [_average(name, treebanks) for name, treebanks in members.items()]


def _average(name: str, rows: Sequence[TreebankPerplexities]) -> GroupAverage:
    string = math.fsum(row.string for row in rows) / len(rows)
    derivation = math.fsum(row.derivation for row in rows) / len(rows)
    mean_increase = math.fsum(row.increase for row in rows) / len(rows)
    return GroupAverage(name, len(rows), string, derivation, derivation / string - 1, mean_increase)


def correlations(rows: Sequence[TreebankPerplexities]) -> list[AccuracyCorrelation]:
    """Return the correlations of each accuracy with treebank size, alone and over each perplexity (section 4.3)."""
    names = dict.fromkeys(name for row in rows for name in row.accuracies)
    return [_correlation(name, [row for row in rows if name in row.accuracies]) for name in names]


def _correlation(name: str, rows: Sequence[TreebankPerplexities]) -> AccuracyCorrelation:
    accuracy = [row.accuracies[name] for row in rows]
    predictors = (
        [float(row.size) for row in rows],
        [row.size / row.string for row in rows],
        [row.size / row.derivation for row in rows],
    )
    size, over_string, over_derivation = (pearson(zip(values, accuracy))[0] for values in predictors)
    return AccuracyCorrelation(name, len(rows), size, over_string, over_derivation)
