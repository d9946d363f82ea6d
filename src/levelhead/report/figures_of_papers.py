"""The figures of Callin's paper and figure 3 of Kohita et al. (2017), of anyone's data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from levelhead.correlation import CumulativeVariance, Measurements
from levelhead.report.figures import Chart, bars, lines, scatter
from levelhead.treebank.schemes import Scheme


def relation_weights(
    weights: Mapping[str, float], scheme: Scheme | None = None, *, axis: str = "averaged WDE"
) -> Chart:
    """Return one bar for each relation, in order of weight, coloured by class (Callin, figure 2).

    Args:
        weights: the weight of each relation, for example its word dependency entropy.
        scheme: the classes of relations; all bars have one colour if None.
        axis: what the weights are called.
    """
    order = sorted(weights, key=weights.__getitem__)
    records = [
        {"relation": name, "weight": weights[name], "class": scheme.class_of(name) if scheme else ""} for name in order
    ]
    colour = {"color": {"field": "class", "type": "nominal", "title": None}} if scheme else {}
    return {
        **bars({}),
        "data": {"values": records},
        "encoding": {
            "y": {"field": "relation", "type": "nominal", "sort": order, "title": None},
            "x": {"field": "weight", "type": "quantitative", "title": axis},
            **colour,
        },
    }


def by_treebank(
    table: Measurements, columns: tuple[str, ...], *, sort_by: str, horizontal: bool = False, axis: str = "value"
) -> Chart:
    """Return bars of several columns for each treebank, in order of one of them.

    Callin's figure 3 has STTR and the frequencies of content and function relations lying, in order of STTR; his
    figure 4 has LAS, WLAS and precision and recall of content relations standing, in order of LAS.

    Args:
        table: the values.
        columns: which columns.
        sort_by: the column that decides the order of treebanks, smallest first.
        horizontal: whether bars lie.
        axis: what the values are called.

    Raises:
        InputError: there is no such column.
    """
    chosen = {name: table.number(name) for name in dict.fromkeys((*columns, sort_by))}
    order = np.argsort(chosen[sort_by], kind="stable").tolist()
    rows = {table.treebanks[row]: {name: _value(chosen[name][row]) for name in columns} for row in order}
    return bars(rows, horizontal=horizontal, axis=axis)


def cumulative_variances(variances: Mapping[str, CumulativeVariance]) -> Chart:
    """Return the variance of the best two, three, ... scores of each measure (Callin, figure 5).

    Args:
        variances: by measure, as `levelhead.correlation.cumulative_variance` makes them.
    """
    series = {name: list(enumerate(one.variances.tolist(), 2)) for name, one in variances.items()}
    return lines(series, x="treebanks, best first", y="variance of scores")


class Reduction(NamedTuple):
    """What a conversion did to a relation or a language (Kohita et al., figure 3).

    Args:
        label: the relation or the language.
        reduction: by how many bits the entropy of head words fell: original minus converted.
        improvement: by how much F1 or LAS rose.
        group: what colours the point: the parser, for example.
    """

    label: str
    reduction: float
    improvement: float
    group: str = ""


def entropy_reduction(points: tuple[Reduction, ...], *, score: str = "LAS", as_printed: bool = False) -> Chart:
    """Return the improvement of a score over the reduction of head-word entropy (Kohita et al., figure 3).

    The text defines the difference as original minus converted. The printed figure must have converted minus
    original: a reduction that goes with improvements is on its left, and the correlation is called negative.

    Args:
        points: one for each relation or language.
        score: what improved.
        as_printed: whether the sign of the horizontal axis is that of the printed figure.
    """
    x = "converted minus original entropy (bits)" if as_printed else "reduction of entropy (bits)"
    y = f"improvement of {score}"
    records = [
        {x: -point.reduction if as_printed else point.reduction, y: point.improvement}
        | {"label": point.label, "group": point.group}
        for point in points
    ]
    return scatter(records, x, y, label="label", colour="group" if any(point.group for point in points) else None)


def scatter_of(table: Measurements, x: str, y: str, *, colour: str | None = None) -> Chart:
    """Return a scatter plot of two columns, each treebank labelled.

    Args:
        table: the values.
        x: the column on the horizontal axis.
        y: the column on the vertical axis.
        colour: a column of text that colours the points.

    Raises:
        InputError: there is no such column.
    """
    one, other = table.number(x), table.number(y)
    groups = table.text(colour) if colour else None
    records: list[dict[str, Any]] = [
        {"treebank": name, x: float(one[row]), y: float(other[row])}
        | ({colour: groups[row]} if colour and groups else {})
        for row, name in enumerate(table.treebanks)
        if not np.isnan(one[row] + other[row])
    ]
    return scatter(records, x, y, colour=colour)


def _value(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
