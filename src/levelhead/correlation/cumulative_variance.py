"""Cumulative variance: the variance of scores among the best two, three, ... up to all treebanks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.measurements import Measurements
from levelhead.errors import Fault, InputError
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Column, Table


class CumulativeVariance(NamedTuple):
    """The variance of a measure as treebanks are added in top-scoring order.

    Args:
        treebanks: the treebanks in the order in which they are added.
        variances: the variances of the first two, three, ... of them, float64, shape (treebanks - 1,).
    """

    treebanks: tuple[str, ...]
    variances: NDArray[np.float64]


def cumulative_variance(treebanks: tuple[str, ...], scores: NDArray[np.float64]) -> CumulativeVariance:
    """Return the variance of the best k scores for every k from 2 (Callin, figure 5).

    It is the sample variance (n - 1), as in his program. Each measure has its own order.

    Args:
        treebanks: their names.
        scores: the scores, shape (treebanks,); treebanks without one (NaN) are left out.

    Raises:
        InputError: fewer than two treebanks have a score.
    """
    known = np.flatnonzero(~np.isnan(scores))
    if len(known) < 2:
        raise InputError(Fault("too-few-treebanks", f"a variance requires at least two treebanks, not {len(known)}"))
    order = known[np.argsort(-scores[known], kind="stable")]
    best = scores[order]
    variances = np.array([best[:k].var(ddof=1) for k in range(2, len(best) + 1)])
    return CumulativeVariance(tuple(treebanks[i] for i in order), variances)


_BLANK = ""


def variance_table(variances: Mapping[str, CumulativeVariance], table: Measurements) -> Table:
    """Return the variance of the best k scores, one row per k, one column per measure."""
    columns = (Column("Treebanks", "number"), *(Column(name, "number") for name in variances))
    longest = max(len(variance.variances) for variance in variances.values())
    rows = tuple(
        (
            k + 2,
            *(
                float(variance.variances[k]) if k < len(variance.variances) else _BLANK
                for variance in variances.values()
            ),
        )
        for k in range(longest)
    )
    orders = tuple(f"{name}: {' '.join(variance.treebanks)}" for name, variance in variances.items())
    return Table(columns, rows, (*orders, *table.notes, signature_line(table.signature())))


def variance_document(variances: Mapping[str, CumulativeVariance], table: Measurements) -> dict[str, Any]:
    """Return cumulative variances for JSON."""
    return {
        **header("cumulative-variance"),
        "signature": table.signature(),
        "notes": list(table.notes),
        "measures": {
            name: {"treebanks": list(variance.treebanks), "variances": variance.variances.tolist()}
            for name, variance in variances.items()
        },
    }
