"""The tables and figures of Søgaard and Haulrich with our numbers next to theirs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.report.charts.study_charts import Named, cloud, curves
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Column, Table
from levelhead.studies.request import StudyRequest
from levelhead.studies.sogaard_haulrich.averages import TreebankPerplexities, correlations, group_averages
from levelhead.studies.sogaard_haulrich.measures import (
    PAIRS,
    PARSERS,
    SIZES,
    Row,
    averaged,
    mean_correlation,
    pooled,
)
from levelhead.studies.statistics import pearson
from levelhead.studies.study import StudySection


def _spread(values: Iterable[float]) -> str:
    """The largest value over the smallest, as text."""
    known = list(values)
    return f"{max(known) / min(known):.3g}" if known else "-"


def _numbers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "number") for name in names)


def perplexity_table(listed: Sequence[TreebankPerplexities], rows: Mapping[str, Row]) -> StudySection:
    """Return the perplexities of each treebank.

    Args:
        listed: the treebanks with their perplexities and accuracies.
        rows: what `perplexities` returns, by treebank.
    """
    columns = (Column("treebank", "text"), *_numbers("training words", "swaps", "string", "derivation"),
               Column("increase"), Column("unknown words"), *_numbers("best UAS", "average UAS"))  # fmt: skip
    cells = tuple(
        (one.name, one.size, rows[one.name]["swaps"], one.string, one.derivation, one.increase,
         rows[one.name]["oov"] / rows[one.name]["words"], one.accuracies.get("best"), one.accuracies.get("average"))
        for one in sorted(listed, key=lambda one: -one.size)
    )  # fmt: skip
    points = [Named(one.name, one.string, one.derivation) for one in listed]
    figure = cloud("String and derivation perplexity", points, "string", "derivation") if points else None
    return StudySection("Perplexities of treebanks", (), Table(columns, cells), figure)


def averages_of_groups(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> StudySection:
    """Return the average perplexities of groups, printed and ours.

    Args:
        listed: the treebanks with their perplexities and accuracies.
        numbers: the printed numbers.
    """
    columns = (Column("group", "text"), *_numbers("treebanks", "string", "derivation"), Column("increase"),
               Column("mean increase"))  # fmt: skip
    theirs = [
        (f"{name} (printed)", None, row["string"], row["derivation"], row["increase"] / 100, None)
        for name, row in numbers["averages"].items()
    ]
    every = [one._replace(groups=("all", *one.groups)) for one in listed]
    ours = [
        (one.name, one.n_treebanks, one.string, one.derivation, one.increase_of_means, one.mean_increase)
        for one in group_averages(every)
    ]
    text = (
        (
            "The printed increases of the second and third group do not follow from the printed averages (58.9 and 61.0"
            " per cent would); they may be means over treebanks. Both are given for ours."
        ),
    )
    return StudySection("Section 5: average perplexities", text, Table(columns, (*theirs, *ours)))


_PREDICTORS = {
    "treebank size": "size",
    "string perplexity": "size_over_string",
    "deriv perplexity": "size_over_derivation",
}


def accuracy_tables(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> tuple[StudySection, ...]:
    """Return how perplexities correlate with accuracies, printed and ours.

    Args:
        listed: the treebanks with their perplexities and accuracies.
        numbers: the printed numbers.
    """
    found = {one.accuracy: one for one in correlations(listed)}
    columns = (Column("treebank size over", "text"), *_numbers(*(f"{name} (printed)" for name in
               numbers["correlations"]["treebank size"])), *_numbers("UD best", "UD average"))  # fmt: skip
    cells = tuple(
        (name, *numbers["correlations"][name].values(),
         *(getattr(found[kind], field) if kind in found else None for kind in ("best", "average")))
        for name, field in _PREDICTORS.items()
    )  # fmt: skip
    n = max((one.n_treebanks for one in found.values()), default=0)
    known = [one for one in listed if one.accuracies]
    more = tuple(
        (
            name,
            *(pearson((function(one), one.accuracies.get(kind)) for one in known)[0] for kind in ("best", "average")),
        )
        for name, function in _OTHERS.items()
    )
    text = (f"Pearson's correlation with UAS over {n} UD treebanks; the first line is size alone.",)
    also = (
        (
            f"What the ratios hide: sizes differ by a factor of {_spread(one.size for one in listed)}, string"
            f" perplexities by one of {_spread(one.string for one in listed)}, derivation perplexities by one of"
            f" {_spread(one.derivation for one in listed)}. Where the first is by far the largest, size over either"
            " perplexity is mostly size."
        ),
    )
    return (
        StudySection("Section 5.1: perplexity and accuracy", text, Table(columns, cells), _ratios_figure(listed)),
        StudySection("The parts of the ratios", also,
                Table((Column("predictor", "text"), *_numbers("UD best", "UD average")), more)),
    )  # fmt: skip


def _ratios_figure(listed: Sequence[TreebankPerplexities]) -> Drawing | None:
    """The logarithm of size over perplexity, since sizes may differ by a factor of a hundred."""
    points = [
        Named(one.name, math.log10(one.size / one.derivation), value, f"{kind} UAS")
        for one in listed
        for kind, value in one.accuracies.items()
    ]
    what = "log10(size / perplexity)"
    return cloud("Size over derivation perplexity, and accuracy", points, what, "UAS") if points else None


_OTHERS: Mapping[str, Callable[[TreebankPerplexities], float]] = {
    "log of size": lambda one: math.log(one.size),
    "string perplexity alone": lambda one: one.string,
    "derivation perplexity alone": lambda one: one.derivation,
    "log of size over string perplexity": lambda one: math.log(one.size / one.string),
    "log of size over derivation perplexity": lambda one: math.log(one.size / one.derivation),
}


def parser_tables(
    parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: StudyRequest
) -> Iterable[StudySection]:
    """Give how perplexity, UAS and exact match correlate and which of them separate parsers.

    Args:
        parsers: the values and separations of parsers by treebank.
        numbers: the printed numbers.
        request: resamples and seed.
    """
    title = "Section 5.2: perplexity as a metric for parsers"
    if not parsers:
        yield StudySection(title, ("No outputs of the four transition systems on gold words were given.",))
        return
    columns = (Column("pair", "text"), *_numbers("printed", "mean over treebanks", "from", "to", "pooled"),
               Column("p (printed)", "probability"), Column("p of pooled", "probability"))  # fmt: skip
    cells = []
    for name in PAIRS:
        r, p, _ = pooled(parsers, name)
        theirs = numbers["parsers"][name]
        estimate = mean_correlation(parsers, name, request.resamples, request.seed)
        bounds = (None, None) if estimate is None else estimate[1:]
        cells.append((name, theirs["r"], averaged(parsers, name), *bounds, r, theirs["p"], p))
    text = (
        (
            f"{len(parsers)} treebanks and {len(PARSERS)} parsers. The printed p-values are those of a one-sided test"
            " with 14 pairs, which is neither 4 (parsers) nor 28 (parsers of all treebanks). Pooled pairs are not"
            " independent: parsers of one treebank share its difficulty. The interval of the mean is that of 95%, from"
            " resampled treebanks."
        ),
    )
    yield StudySection(title, text, Table(columns, tuple(cells)))
    rows = []
    for size in SIZES:
        shares = [row["separated"][str(size)] for row in parsers.values() if str(size) in row["separated"]]
        if shares:
            rows.append((size, len(shares), *(float(value) for value in np.mean(shares, axis=0))))
    columns = (*_numbers("sentences", "treebanks"), Column("UAS"), Column("EM"), Column("P"))
    drawn = {name: [(row[0], 100 * row[i]) for row in rows] for i, name in ((2, "UAS"), (3, "EM"), (4, "P"))}
    figure = curves("Separated pairs", drawn, "sentences", "separated pairs (%)") if rows else None
    yield StudySection("Separating parsers on small test sets", _SEPARATING, Table(columns, tuple(rows)), figure)


_SEPARATING = (
    (
        "The share of pairs of parsers that are separated on random test sets. A pair is separated if the parser with"
        " the higher UAS on the whole test set is significantly better on the random one, by one-sided paired"
        " randomization. All tests have a level of exactly 2.5%. An ordinary test of EM has a lower one, because many"
        " permutations tie. So ties at the critical value count as the fraction of a separation that makes the level"
        " exact (Lehmann and Romano 2005, section 15.2)."
    ),
    (
        "Chance separates 2.5% of pairs by a measure that is independent of UAS, and more by one that correlates with"
        " UAS, since the random test sets are parts of the whole."
    ),
)
