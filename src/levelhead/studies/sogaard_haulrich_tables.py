"""Perplexities of treebanks and parsers, their correlations with accuracy, and the tables and figures of both."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import OutputResult, check_valid
from levelhead.derivation import estimate, perplexity, sequences_of
from levelhead.derivation.perplexity import estimated_model
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.point_charts import Named, cloud, curves
from levelhead.significance import SystemCounts, separated_shares, spawned
from levelhead.studies.request import Parts, StudyRequest, read_treebank, score_files
from levelhead.studies.study import StudySection, columns, table_section
from levelhead.studies.verdicts import ValueWithInterval, mean, mean_interval, pearson, resampled_estimate


class TreebankPerplexities(NamedTuple):
    """The perplexities of a treebank in both orders, its number of training words, and accuracies of parsers."""

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

    The paper's 37.0% and 96.6% do not follow from its printed averages, so it is unclear whether it reports the
    increase from the first mean to the second, or the mean increase of the treebanks.
    """

    name: str
    n_treebanks: int
    string: float
    derivation: float
    increase_of_means: float
    mean_increase: float


class AccuracyCorrelation(NamedTuple):
    """Pearson's correlation of an accuracy with treebank size, alone and over perplexity; None if undefined."""

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
    averages = []
    for name, group_rows in members.items():
        string, derivation, increase = (
            math.fsum(getattr(row, field) for row in group_rows) / len(group_rows)
            for field in ("string", "derivation", "increase")
        )
        averages.append(GroupAverage(name, len(group_rows), string, derivation, derivation / string - 1, increase))
    return averages


def correlations(rows: Sequence[TreebankPerplexities]) -> list[AccuracyCorrelation]:
    """Return the correlations of each accuracy with treebank size, alone and over each perplexity (section 4.3)."""
    names = dict.fromkeys(name for row in rows for name in row.accuracies)
    found = []
    for name in names:
        known = [row for row in rows if name in row.accuracies]
        predictors = (
            [row.size / per for row, per in zip(known, pers)]
            for pers in ([1] * len(known), [row.string for row in known], [row.derivation for row in known])
        )
        accuracy = [row.accuracies[name] for row in known]
        coefficients = (pearson(zip(values, accuracy))[0] for values in predictors)
        found.append(AccuracyCorrelation(name, len(known), *coefficients))
    return found


NAME = "sogaard-haulrich"
ORDER = "swap-lazy"
PARSERS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")
SIZES = (200, 500, 1000, 2000)
LEVEL = 0.025
"""The significance level of the one-sided tests that separate two parsers."""

MODEL = "training"
"""The name of the language model of the training set, as in `DPPL(training)`."""

COUNTED = {"UAS": "UAS", "EM": "UEM", "P": f"DPPL({MODEL})"}
"""The measures, by the names that the paper uses."""

PAIRS = {"P/UAS": ("P", "UAS"), "P/EM": ("P", "EM"), "UAS/EM": ("UAS", "EM")}

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]


def perplexities(train: Path, test: Path) -> dict[str, float | int | None]:
    """Return the size of a treebank, both perplexities without unknown words, and the number of unknown words.

    It also returns how many swaps the training set needs, and how many of its sentences have several roots.
    """
    treebank, tested = read_treebank(train), read_treebank(test)
    values: dict[str, float | int | None] = {"size": treebank.n_words}
    for name, order in (("string", "string"), ("derivation", ORDER)):
        result = perplexity(estimate(sequences_of(treebank, order)), tested, order)
        values |= {name: result.excluding_oov, "oov": result.oov, "words": tested.n_words}
    roots = np.bincount(treebank.sentence_of_word[treebank.heads < 0], minlength=len(treebank))
    values["several roots"] = int((roots > 1).sum())
    values["swaps"] = int(sequences_of(treebank, ORDER).swaps.sum())
    return values


def score_parsers(parts: Parts, outputs: Mapping[str, Path], request: StudyRequest) -> dict[str, OutputResult]:
    """Return the results of each parser on one treebank, with UAS, exact match and perplexity."""
    weights = {MODEL: estimated_model(read_treebank(parts.training), ORDER)}
    files = {parser: {parts.code: path} for parser, path in outputs.items()}
    setup = setup_of(("Words", "Sentences", *COUNTED.values()), weights=weights)
    results = check_valid(score_files({parts.code: parts.tested}, files, setup, request, by_sentence=True)).results
    for parser, path in outputs.items():
        scores = results[parser, parts.code].scores
        if scores["Words"].value != 1 or scores["Sentences"].value != 1:
            message = "its words or sentences differ from the test set: perplexities require outputs on gold words"
            raise InputError(Fault("not-gold-words", message, Place(os.fspath(path))))
    return {parser: results[parser, parts.code] for parser in outputs}


def values_of(results: Mapping[str, OutputResult]) -> dict[str, list[float | None]]:
    """Return UAS, exact match and perplexity of each parser."""
    return {name: [result.scores[text].value for result in results.values()] for name, text in COUNTED.items()}


def counts_of(results: Mapping[str, OutputResult]) -> Numbers:
    """Return the numerators and denominators of each sentence, float64, shape (sentences, parsers, measures, 2)."""
    counts = [np.stack([result.sentences[text].T for text in COUNTED.values()], axis=1) for result in results.values()]
    return np.stack(counts, axis=1)


def separated(parts: Sequence[Any], resamples: int, seed: int) -> dict[str, list[float]]:
    """Return the share of pairs of parsers that are separated on random test sets, by size and measure."""
    table = SystemCounts(("",) * len(parts[0]), tuple(COUNTED), np.array(parts), "", perplexities=(2,))
    shares_by_size: dict[str, list[float]] = {}
    for size, size_seed in zip(SIZES, spawned(seed, len(SIZES))):
        if size <= len(parts):
            samples = min(10, len(parts) // size * 5)
            shares = separated_shares(table, 0, size, samples, resamples, LEVEL, size_seed)
            if shares is not None:
                shares_by_size[str(size)] = shares.tolist()
    return shares_by_size


def _correlations(parsers: Mapping[str, Row], pair: str) -> list[float | None]:
    """The correlation of two measures over parsers, for each treebank."""
    x, y = PAIRS[pair]
    return [pearson(zip(row[x], row[y]))[0] for row in parsers.values()]


def mean_correlation(parsers: Mapping[str, Row], pair: str, resamples: int, seed: int) -> ValueWithInterval | None:
    """Return the mean over treebanks of a correlation over parsers, with its interval from resampled treebanks.

    It is None with fewer than four treebanks.
    """
    return mean_interval(_correlations(parsers, pair), resamples, seed)


def closest_pair(parsers: Mapping[str, Row], resamples: int, seed: int) -> ValueWithInterval | None:
    """Return how much more UAS and EM correlate with each other than either does with perplexity (sign reversed)."""
    rows = zip(*(_correlations(parsers, pair) for pair in PAIRS))
    known = np.array([row for row in rows if None not in row], dtype=np.float64).reshape(-1, len(PAIRS))
    # the pairs are P/UAS, P/EM and UAS/EM
    return resampled_estimate(known, lambda r: r[..., 2] - np.maximum(-r[..., 0], -r[..., 1]), resamples, seed)


def _spread(values: Iterable[float]) -> str:
    """The ratio of the largest value to the smallest, as text."""
    known = list(values)
    return f"{max(known) / min(known):.3g}" if known else "-"


def perplexity_table(listed: Sequence[TreebankPerplexities], rows: Mapping[str, Row]) -> StudySection:
    """Return the perplexities of each treebank."""
    points = [Named(row.name, row.string, row.derivation) for row in listed]
    return table_section(
        "Perplexities of treebanks",
        columns(text="treebank", number=("training words", "swaps", "string", "derivation"),
                ratio=("increase", "unknown words"))
        | columns(number=("best UAS", "average UAS")),
        [
            (row.name, row.size, rows[row.name]["swaps"], row.string, row.derivation, row.increase,
             rows[row.name]["oov"] / rows[row.name]["words"], *map(row.accuracies.get, ("best", "average")))
            for row in sorted(listed, key=lambda row: -row.size)
        ],
        figure=cloud("String and derivation perplexity", points, "string", "derivation") if points else None,
    )  # fmt: skip


def averages_of_groups(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> StudySection:
    """Return the average perplexities of groups, printed and ours."""
    published = [
        (f"{name} (printed)", None, row["string"], row["derivation"], row["increase"] / 100, None)
        for name, row in numbers["averages"].items()
    ]
    with_all = [row._replace(groups=("all", *row.groups)) for row in listed]
    return table_section(
        "Section 5: average perplexities",
        columns(text="group", number=("treebanks", "string", "derivation"), ratio=("increase", "mean increase")),
        [*published, *group_averages(with_all)],
        "The printed increases of the second and third group do not follow from the printed averages, which would"
        " give 58.9% and 61.0%; they may be means over treebanks. For our groups, the table has both.",
    )  # fmt: skip


_PREDICTORS = (
    ("treebank size", "treebank size", "size"),
    ("size over string perplexity", "string perplexity", "size_over_string"),
    ("size over derivation perplexity", "deriv perplexity", "size_over_derivation"),
)
"""The predictors of accuracy: our name, the name in the printed table, and the field of `AccuracyCorrelation`."""


def accuracy_tables(listed: Sequence[TreebankPerplexities], numbers: Mapping[str, Any]) -> tuple[StudySection, ...]:
    """Return the correlations of perplexities with accuracies, printed and ours, and those of their parts.

    The figure has the logarithm of size over perplexity, since sizes may differ by a factor of a hundred.
    """
    by_accuracy = {row.accuracy: row for row in correlations(listed)}
    in_print = numbers["correlations"]
    n = max((row.n_treebanks for row in by_accuracy.values()), default=0)
    points = [
        Named(row.name, math.log10(row.size / row.derivation), value, f"{kind} UAS")
        for row in listed
        for kind, value in row.accuracies.items()
    ]
    title, what = "Size over derivation perplexity, and accuracy", "log10(size / perplexity)"
    of_ratios = table_section(
        "Section 5.1: perplexity and accuracy",
        columns(text="predictor",
                number=(*(f"{name} (printed)" for name in in_print["treebank size"]), "UD best", "UD average")),
        [
            (name, *in_print[printed_name].values(),
             *(getattr(by_accuracy[kind], field) if kind in by_accuracy else None for kind in ("best", "average")))
            for name, printed_name, field in _PREDICTORS
        ],
        f"Pearson's correlation with UAS over {n} UD treebanks. The first row is size alone.",
        figure=cloud(title, points, what, "UAS") if points else None,
    )  # fmt: skip
    accuracies = [row for row in listed if row.accuracies]
    of_parts = table_section(
        "The parts of the ratios",
        columns(text="predictor", number=("UD best", "UD average")),
        [
            (name, *(pearson((value(row), row.accuracies.get(kind)) for row in accuracies)[0]
                     for kind in ("best", "average")))
            for name, value in _PARTS.items()
        ],
        f"The largest size is {_spread(row.size for row in listed)} times the smallest; for string perplexity, the"
        f" factor is {_spread(row.string for row in listed)}, and for derivation perplexity"
        f" {_spread(row.derivation for row in listed)}. If sizes vary much more than perplexities, size over either"
        " perplexity is mostly size.",
    )  # fmt: skip
    return of_ratios, of_parts


_PARTS: Mapping[str, Callable[[TreebankPerplexities], float]] = {
    "log of size": lambda row: math.log(row.size),
    "string perplexity alone": lambda row: row.string,
    "derivation perplexity alone": lambda row: row.derivation,
    "log of size over string perplexity": lambda row: math.log(row.size / row.string),
    "log of size over derivation perplexity": lambda row: math.log(row.size / row.derivation),
}


def parser_tables(
    parsers: Mapping[str, Row], numbers: Mapping[str, Any], request: StudyRequest
) -> tuple[StudySection, ...]:
    """Return how perplexity, UAS and exact match correlate, and how often each of them separates parsers."""
    title = "Section 5.2: perplexity as a metric for parsers"
    if not parsers:
        return (StudySection(title, ("No outputs of the four transition systems on gold words were given.",)),)
    cells = []
    for name, (x, y) in PAIRS.items():
        r, p, _ = pearson(pair for row in parsers.values() for pair in zip(row[x], row[y]))
        published = numbers["parsers"][name]
        estimate = mean_correlation(parsers, name, *request.draws)
        bounds = (None, None) if estimate is None else estimate[1:]
        cells.append((name, published["r"], mean(_correlations(parsers, name)), *bounds, r, published["p"], p))
    metrics = table_section(
        title,
        columns(
            text="pair",
            number=("printed", "mean over treebanks", "95% CI from", "95% CI to", "pooled"),
            probability=("p (printed)", "p (pooled)"),
        ),
        cells,
        f"{number_of(len(parsers), 'treebank')} and {len(PARSERS)} parsers. The printed p-values are those of a"
        " one-sided test with 14 pairs, which is neither the number of parsers (4) nor that of parsers times treebanks"
        " (28). Pooled pairs are not independent, since the parsers of a treebank share its difficulty. The 95%"
        " confidence interval of the mean comes from resampled treebanks.",
    )
    return metrics, _separation_table(parsers)


def _separation_table(parsers: Mapping[str, Row]) -> StudySection:
    """The shares of separated pairs of parsers on random test sets, by size."""
    rows = []
    for size in SIZES:
        shares = [row["separated"][str(size)] for row in parsers.values() if str(size) in row["separated"]]
        if shares:
            rows.append((size, len(shares), *(float(value) for value in np.mean(shares, axis=0))))
    drawn = {name: [(row[0], 100 * row[i]) for row in rows] for i, name in enumerate(COUNTED, 2)}
    return table_section(
        "Separating parsers on small test sets",
        columns(number=("sentences", "treebanks"), ratio=COUNTED),
        rows,
        "Shares of pairs of parsers that are separated on random test sets. A pair is separated if the parser with"
        " the higher UAS on the whole test set is significantly better on the random one, by one-sided paired"
        " randomization. All tests have a level of exactly 2.5%. An ordinary test of EM has a lower one, because many"
        " permutations tie. So ties at the critical value count as the fraction of a separation that makes the level"
        " exact (Lehmann and Romano 2005, section 15.2).",
        "Chance separates 2.5% of pairs by a measure that is independent of UAS, and more by one that correlates with"
        " UAS, since the random test sets are parts of the whole.",
        figure=curves("Separated pairs", drawn, "sentences", "separated pairs (%)") if rows else None,
    )
