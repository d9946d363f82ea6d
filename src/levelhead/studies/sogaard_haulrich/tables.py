"""The tables and figures of Søgaard and Haulrich, with the printed numbers next to ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.report.charts.study_charts import Named, cloud, curves
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Column, Table
from levelhead.studies.columns import number_columns
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
    """The ratio of the largest value to the smallest, as text."""
    known = list(values)
    return f"{max(known) / min(known):.3g}" if known else "-"


def perplexity_table(listed: Sequence[TreebankPerplexities], rows: Mapping[str, Row]) -> StudySection:
    """Return the perplexities of each treebank."""
    columns = (Column("treebank", "text"), *number_columns("training words", "swaps", "string", "derivation"),
               Column("increase"), Column("unknown words"), *number_columns("best UAS", "average UAS"))  # fmt: skip
    cells = tuple(
        (own.name, own.size, rows[own.name]["swaps"], own.string, own.derivation, own.increase,
         rows[own.name]["oov"] / rows[own.name]["words"], own.accuracies.get("best"), own.accuracies.get("average"))
        for own in sorted(listed, key=lambda own: -own.size)
    )  # fmt: skip
    points = [Named(own.name, own.string, own.derivation) for own in listed]
    figure = cloud("String and derivation perplexity", points, "string", "derivation") if points else None
    return StudySection("Perplexities of treebanks", (), Table(columns, cells), figure)


def averages_of_groups(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> StudySection:
    """Return the average perplexities of groups, printed and ours."""
    columns = (Column("group", "text"), *number_columns("treebanks", "string", "derivation"), Column("increase"),
               Column("mean increase"))  # fmt: skip
    published = [
        (f"{name} (printed)", None, row["string"], row["derivation"], row["increase"] / 100, None)
        for name, row in numbers["averages"].items()
    ]
    with_all = [own._replace(groups=("all", *own.groups)) for own in listed]
    ours = [
        (group.name, group.n_treebanks, group.string, group.derivation, group.increase_of_means, group.mean_increase)
        for group in group_averages(with_all)
    ]
    text = (
        (
            "The printed increases of the second and third group do not follow from the printed averages, which would"
            " give 58.9% and 61.0%; they may be means over treebanks. For our groups, the table has both."
        ),
    )
    return StudySection("Section 5: average perplexities", text, Table(columns, (*published, *ours)))


_PREDICTORS = (
    ("treebank size", "treebank size", "size"),
    ("size over string perplexity", "string perplexity", "size_over_string"),
    ("size over derivation perplexity", "deriv perplexity", "size_over_derivation"),
)
"""The predictors of accuracy: our name, the name in the printed table, and the field of `AccuracyCorrelation`."""


def accuracy_tables(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> tuple[StudySection, ...]:
    """Return the correlations of perplexities with accuracies, printed and ours, and those of their parts."""
    by_accuracy = {row.accuracy: row for row in correlations(listed)}
    printed = numbers["correlations"]
    names = (*(f"{name} (printed)" for name in printed["treebank size"]), "UD best", "UD average")
    columns = (Column("predictor", "text"), *number_columns(*names))
    cells = tuple(
        (name, *printed[printed_name].values(),
         *(getattr(by_accuracy[kind], field) if kind in by_accuracy else None for kind in ("best", "average")))
        for name, printed_name, field in _PREDICTORS
    )  # fmt: skip
    n = max((row.n_treebanks for row in by_accuracy.values()), default=0)
    text = f"Pearson's correlation with UAS over {n} UD treebanks. The first row is size alone."
    table, figure = Table(columns, cells), _ratios_figure(listed)
    return StudySection("Section 5.1: perplexity and accuracy", (text,), table, figure), _parts_of_ratios(listed)


def _parts_of_ratios(listed: Sequence[TreebankPerplexities]) -> StudySection:
    """The correlations of sizes and perplexities with accuracies, to see which part of a ratio predicts them."""
    known = [own for own in listed if own.accuracies]
    cells = tuple(
        (name, *(pearson((value(own), own.accuracies.get(kind)) for own in known)[0] for kind in ("best", "average")))
        for name, value in _PARTS.items()
    )
    text = (
        f"The largest size is {_spread(own.size for own in listed)} times the smallest; for string perplexity, the"
        f" factor is {_spread(own.string for own in listed)}, and for derivation perplexity"
        f" {_spread(own.derivation for own in listed)}. If sizes vary much more than perplexities, size over either"
        " perplexity is mostly size."
    )
    columns = (Column("predictor", "text"), *number_columns("UD best", "UD average"))
    return StudySection("The parts of the ratios", (text,), Table(columns, cells))


def _ratios_figure(listed: Sequence[TreebankPerplexities]) -> Drawing | None:
    """UAS against the logarithm of size over perplexity, since sizes may differ by a factor of a hundred."""
    points = [
        Named(own.name, math.log10(own.size / own.derivation), value, f"{kind} UAS")
        for own in listed
        for kind, value in own.accuracies.items()
    ]
    what = "log10(size / perplexity)"
    return cloud("Size over derivation perplexity, and accuracy", points, what, "UAS") if points else None


_PARTS: Mapping[str, Callable[[TreebankPerplexities], float]] = {
    "log of size": lambda own: math.log(own.size),
    "string perplexity alone": lambda own: own.string,
    "derivation perplexity alone": lambda own: own.derivation,
    "log of size over string perplexity": lambda own: math.log(own.size / own.string),
    "log of size over derivation perplexity": lambda own: math.log(own.size / own.derivation),
}


def parser_tables(
    parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: StudyRequest
) -> tuple[StudySection, ...]:
    """Return how perplexity, UAS and exact match correlate, and how often each of them separates parsers."""
    if not parsers:
        return (StudySection(_METRICS, ("No outputs of the four transition systems on gold words were given.",)),)
    return _metrics_table(parsers, numbers, request), _separation_table(parsers)


_METRICS = "Section 5.2: perplexity as a metric for parsers"


def _metrics_table(parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: StudyRequest) -> StudySection:
    """The correlations of perplexity, UAS and exact match over parsers."""
    columns = (Column("pair", "text"),
               *number_columns("printed", "mean over treebanks", "95% CI from", "95% CI to", "pooled"),
               Column("p (printed)", "probability"), Column("p (pooled)", "probability"))  # fmt: skip
    cells = []
    for name in PAIRS:
        r, p, _ = pooled(parsers, name)
        published = numbers["parsers"][name]
        estimate = mean_correlation(parsers, name, request.resamples, request.seed)
        bounds = (None, None) if estimate is None else estimate[1:]
        cells.append((name, published["r"], averaged(parsers, name), *bounds, r, published["p"], p))
    text = (
        f"{len(parsers)} treebanks and {len(PARSERS)} parsers. The printed p-values are those of a one-sided test"
        " with 14 pairs, which is neither the number of parsers (4) nor that of parsers times treebanks (28)."
        " Pooled pairs are not independent, since the parsers of a treebank share its difficulty. The 95%"
        " confidence interval of the mean comes from resampled treebanks."
    )
    return StudySection(_METRICS, (text,), Table(columns, tuple(cells)))


def _separation_table(parsers: Mapping[str, Row]) -> StudySection:
    """The shares of separated pairs of parsers on random test sets, by size."""
    rows = []
    for size in SIZES:
        shares = [row["separated"][str(size)] for row in parsers.values() if str(size) in row["separated"]]
        if shares:
            rows.append((size, len(shares), *(float(value) for value in np.mean(shares, axis=0))))
    columns = (*number_columns("sentences", "treebanks"), Column("UAS"), Column("EM"), Column("P"))
    drawn = {name: [(row[0], 100 * row[i]) for row in rows] for i, name in ((2, "UAS"), (3, "EM"), (4, "P"))}
    figure = curves("Separated pairs", drawn, "sentences", "separated pairs (%)") if rows else None
    return StudySection("Separating parsers on small test sets", _SEPARATING, Table(columns, tuple(rows)), figure)


_SEPARATING = (
    (
        "Shares of pairs of parsers that are separated on random test sets. A pair is separated if the parser with"
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
