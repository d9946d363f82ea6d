"""Perplexities of many treebanks: averages of groups, how much they increase, and what they correlate with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from levelhead.studies.statistics import pearson


class TreebankPerplexities(NamedTuple):
    """The two perplexities of one treebank.

    Args:
        name: its name.
        groups: the groups it belongs to.
        size: the words of its training set.
        string: its perplexity in the order of the string.
        derivation: its perplexity in the order of a derivation.
        accuracies: accuracies of parsers on it, by name; those not known are left out.
    """

    name: str
    groups: tuple[str, ...]
    size: int
    string: float
    derivation: float
    accuracies: Mapping[str, float]

    @property
    def increase(self) -> float:
        """How much larger the derivation perplexity is, as a share of the string perplexity."""
        return self.derivation / self.string - 1


class GroupAverage(NamedTuple):
    """The averages of a group of treebanks, as in the first table of Søgaard & Haulrich's section 5.

    Args:
        name: its name.
        n_treebanks: how many there are.
        string: the mean of their string perplexities.
        derivation: the mean of their derivation perplexities.
        increase_of_means: how much larger the second mean is than the first, as a share.
        mean_increase: the mean of how much larger each treebank's is. The paper's 37.0 and 96.6 % do not follow from
            its printed averages, so that it is unclear which of the two it means; both are given.
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
        n_treebanks: how many treebanks have it.
        size: its correlation with the number of words; None where there are too few, or all are the same.
        size_over_string: with that number over string perplexity.
        size_over_derivation: with that number over derivation perplexity.
    """

    accuracy: str
    n_treebanks: int
    size: float | None
    size_over_string: float | None
    size_over_derivation: float | None


def group_averages(rows: Iterable[TreebankPerplexities]) -> list[GroupAverage]:
    """Average the perplexities of each group, in the order in which groups are first named.

    Args:
        rows: the treebanks.
    """
    members: dict[str, list[TreebankPerplexities]] = {}
    for row in rows:
        for group in row.groups:
            members.setdefault(group, []).append(row)
    return [_average(name, treebanks) for name, treebanks in members.items()]


def _average(name: str, rows: Sequence[TreebankPerplexities]) -> GroupAverage:
    string = sum(row.string for row in rows) / len(rows)
    derivation = sum(row.derivation for row in rows) / len(rows)
    mean_increase = sum(row.increase for row in rows) / len(rows)
    return GroupAverage(name, len(rows), string, derivation, derivation / string - 1, mean_increase)


def correlations(rows: Sequence[TreebankPerplexities]) -> list[AccuracyCorrelation]:
    """Correlate each accuracy with treebank size, alone and over the two perplexities (the paper's section 4.3).

    Args:
        rows: the treebanks.
    """
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
