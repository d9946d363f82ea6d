"""Which measure separates systems best: a study of the outputs of the CoNLL 2018 shared task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from levelhead.campaign import OutputResult, Results
from levelhead.errors import Fault, InputError, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import plotted_row, spreads
from levelhead.scoring.selection import weights_of
from levelhead.significance.jackknife import SystemCounts, ratios
from levelhead.significance.resampling import random_orders_within, resampled, spawned
from levelhead.significance.units import DOCUMENT, FEWEST_UNITS, Units, parallel_groups
from levelhead.studies import verdicts
from levelhead.studies.request import (
    StudyRequest,
    compared_in,
    counts_of,
    parts_of,
    read_treebank,
    run_tasks,
    score_files,
)
from levelhead.studies.study import Claim, Study, StudySection, columns, table_section
from levelhead.treebank.relations import UD2
from levelhead.typology import averaged_entropy, count_treebank, profile
from levelhead.typology.languages import family_of

NAME = "measures-2018"

# the compared measures, by their names in the tables
MEASURES = {
    "UAS": "UAS", "LAS": "LAS", "CLAS": "CLAS", "CNC": "CNC", "WLAS": "WLAS(wde,default=0.5)", "MLAS": "MLAS",
    "BLEX": "BLEX",
}  # fmt: skip

LAS = list(MEASURES).index("LAS")
CONTENT, RICH = ("CLAS", "WLAS"), ("MLAS", "BLEX")

SMALL, SAMPLES = 200, 4  # the sentences of a small sample, and the number of such samples from each test set

WELL_PARSED = 0.5  # the lowest mean LAS; most test sets below it have no training data

LEAST_SCORES = 10  # the fewest test sets of a system whose spread counts

# the scales for the spread of scores
POINTS, OF_SCORE, OF_ERROR, LOG_ODDS = SCALES = (
    "in points", "as a share of the mean score", "as a share of the mean error", "in log odds",
)  # fmt: skip

Row = Mapping[str, Any]

# A function of the numbers of test sets and of a measure. It returns the value of the measure, and that of LAS on the
# same test sets; nan for missing values.
Statistic = Callable[[verdicts.RowNumbers, int], tuple[float, float]]


class MeasureEstimate(NamedTuple):
    """A statistic over test sets, and its value minus that of LAS on the same test sets; None if undefined."""

    value: verdicts.Effect | None
    change: verdicts.Effect | None


Comparison = Mapping[str, MeasureEstimate]  # by measure


def reproduce(request: StudyRequest) -> Study:
    treebanks = parts_of(request)
    golds, systems = compared_in(request.systems, treebanks)
    trained = {code: (parts.training,) for code, parts in treebanks.items() if parts.train or request.quick}
    weights = averaged_entropy(list(run_tasks(NAME, entropies, trained, request).values()), UD2) if trained else {}
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of(weights)})
    scored = score_files(golds, systems, setup, request, by_sentence=True)
    results = {
        code: compare_systems(*counted, *request.draws)
        for code in golds
        if (counted := counts_on(scored, code, weighted=bool(weights))) is not None
    }
    if not results:
        raise InputError(Fault("missing-system-file", "no test set has valid outputs of two systems"))
    table = results_by_test_set(results, groups_of(scored, results))
    whole, small, order = (
        estimated(mean_of(table.shares[name]), table.groups) for name in ("significant", "small", "concordance")
    )
    rows = table.well_parsed if len(table.well_parsed) > 1 else np.arange(len(table.codes))
    groups = _groups_among(table.groups, rows)
    spread = {scale: estimated(spread_of(table.values, scale, rows), groups) for scale in SCALES}
    expectations: tuple[tuple[str, Mapping[str, Comparison], Sequence[str], verdicts.Sign], ...] = (
        ("{} separates fewer pairs of systems than LAS", {POINTS: whole}, CONTENT, -1),
        (f"{{}} separates fewer pairs than LAS on samples of {SMALL} sentences", {POINTS: small}, CONTENT, -1),
        ("{} separates more pairs of systems than LAS", {POINTS: whole}, RICH, 1),
        (f"{{}} separates more pairs than LAS on samples of {SMALL} sentences", {POINTS: small}, RICH, 1),
        ("{} scores languages with training data more evenly than LAS", spread, CONTENT, -1),
        ("{} scores languages with training data less evenly than LAS", spread, RICH, 1),
        ("The order of systems is less stable by {} than by LAS", {POINTS: order}, (*CONTENT, *RICH), -1),
    )
    claims = tuple(
        _expected(text.format(name), scales, name, sign) for text, scales, names, sign in expectations for name in names
    )
    sections = (*_findings(table, whole, small, spread, order), *_details(table))
    sizes = {"test_sets": str(len(table.codes)), "systems": str(len(systems))}
    signature = {"resamples": str(request.resamples), "rules": "ud", **sizes}
    source = "A study of our own, of the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"
    title = "Which measure separates parsers best?"
    setting = _setting(table, systems, len(trained))
    return Study(NAME, title, source, setting, sections, claims, signature)


def _setting(table: ResultsByTestSet, systems: Collection[str], n_trained: int) -> tuple[str, ...]:
    span = "{:.1%} to {:.1%}".format(*np.nanquantile(np.nanmean(table.values[:, :, LAS], axis=0), [0, 1]))
    left_out = "".join(
        f" {name} is left out on {', '.join(f'{code} ({reason})' for code, reason in reasons.items())}."
        for name, reasons in table.undefined.items()
        if n_trained or name != "WLAS"
    )
    weighted = (
        f"averaged over {number_of(n_trained, 'training set')}"
        if n_trained
        else "and is left out without training sets"
    )
    joint = [[table.codes[row] for row in group] for group in table.groups if len(group) > 1]
    together = "".join(f" {', '.join(codes)} are parallel and are left out together." for codes in joint)
    return (
        (
            f"{number_of(len(table.codes), 'test set')}, {number_of(len(systems), 'system')} with {table.n_outputs}"
            f" valid outputs. Their mean LAS ranges from {span}."
        ),
        (
            "Pairs of systems are compared as in `levelhead compare`, at the 5% level, corrected for the number of"
            f" pairs. The units are documents on {number_of(table.n_documents, 'test set')} with {FEWEST_UNITS} or more"
            " of them, otherwise sentences. The 95% confidence intervals leave out one test set at a time (jackknife),"
            f" so they hold for other test sets like these.{together}"
        ),
        (
            f"WLAS weights each relation by its word dependency entropy, {weighted}.{left_out} Unlike CLAS, CNC counts"
            f" `clf`, and words whose label is not a UD relation. {len(MEASURES) - 1} measures are compared with LAS on"
            " the same pairs, in several ways. This is not corrected, so 1 interval in 20 excludes 0 by chance."
        ),
    )


def groups_of(scored: Results, codes: Collection[str]) -> list[list[int]]:
    units = {code: units for code in codes if (units := units_on(scored, code)) is not None}
    parallel = parallel_groups(units, {code: scored.gold[code].sha256 or "" for code in codes}, {})
    return verdicts.rows_by(parallel.get(code, code) for code in codes)


def units_on(results: Results, code: str) -> Units | None:
    outputs = (results.results.get((name, code)) for name in results.systems)
    return next((output.units for output in outputs if output is not None and output.units is not None), None)


def valid_outputs(results: Results, code: str) -> dict[str, OutputResult]:
    outputs = {name: results.results.get((name, code)) for name in results.systems}
    return {name: output for name, output in outputs.items() if output is not None and output.state == "valid"}


def entropies(gold: Path) -> Any:
    return profile(count_treebank(read_treebank(gold)), columns=["wde"])["wde"]


def counts_on(
    results: Results, code: str, *, weighted: bool = True
) -> tuple[SystemCounts, verdicts.RowNumbers | None, dict[str, str]] | None:
    """Return the counts of valid outputs, the document of each sentence, and why measures are left out."""
    valid = valid_outputs(results, code)
    if len(valid) < 2:
        return None
    texts = dict(zip(MEASURES, results.measures))
    undefined = {} if weighted else {"WLAS": "no training sets"}
    undefined |= {
        name: score.reason or "nothing to count in an output"
        for name, text in texts.items()
        for score in (result.scores[text] for result in valid.values())
        if score.value is None
    }
    defined = {name: text for name, text in texts.items() if name not in undefined}
    counts = counts_of(valid.values(), defined.values())
    units = units_on(results, code)
    documents = units.of_sentence if units and units.kind == DOCUMENT and units.n_units >= FEWEST_UNITS else None
    return SystemCounts(tuple(valid), tuple(defined), counts), documents, undefined


def compare_systems(
    counts: SystemCounts, documents: verdicts.RowNumbers | None, undefined: Mapping[str, str], resamples: int, seed: int
) -> Row:
    """Return the values of the systems and the shares of pairs by measure, and what is missing."""
    of_sentence = np.arange(len(counts.parts)) if documents is None else documents
    boot_seed, small_seed = spawned(seed, 2)
    by_unit = _by_unit(counts, of_sentence)
    values = ratios(counts.parts.sum(axis=0))
    boot = ratios(resampled(by_unit.parts, resamples, boot_seed))
    pairs = combinations(range(len(values)), 2)
    same = [np.sign(boot[:, b] - boot[:, a]) == np.sign(values[b] - values[a]) for a, b in pairs]
    small = []
    for (order,) in random_orders_within([np.arange(len(of_sentence))], SAMPLES, small_seed, 1):
        rows = np.sort(order[:SMALL])
        sample = _by_unit(counts._replace(parts=counts.parts[rows]), of_sentence[rows])
        small.append((verdicts.pair_p_values(sample) < verdicts.LEVEL).mean(axis=0))
    shares_by_name = {
        "significant": (verdicts.pair_p_values(by_unit) < verdicts.LEVEL).mean(axis=0),
        "uncorrected": (verdicts.pair_p_values(by_unit, 1) < verdicts.LEVEL).mean(axis=0),
        "small": np.mean(small, axis=0),
        "concordance": np.mean(same, axis=(0, 1)),
    }
    return {
        "systems": counts.systems,
        "undefined": undefined,
        "documents": documents is not None,
        "values": dict(zip(counts.measures, values.T.tolist())),
        **{name: dict(zip(counts.measures, shares.tolist())) for name, shares in shares_by_name.items()},
    }


def _by_unit(counts: SystemCounts, of_sentence: verdicts.RowNumbers) -> SystemCounts:
    _, numbers = np.unique(of_sentence, return_inverse=True)
    return counts._replace(parts=Units("", numbers).sums(counts.parts))


class ResultsByTestSet(NamedTuple):
    """The results of all test sets; arrays have a row per test set and a column per measure, nan for no value."""

    codes: tuple[str, ...]
    groups: list[list[int]]  # of parallel test sets
    shares: Mapping[str, verdicts.Numbers]  # by name, such as "significant"
    values: verdicts.Numbers  # of each system, shape (test sets, systems, measures)
    pairs: tuple[int, ...]
    n_documents: int  # test sets whose units are documents
    undefined: Mapping[str, Mapping[str, str]]

    @property
    def n_outputs(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.values[:, :, LAS])))

    @property
    def well_parsed(self) -> verdicts.RowNumbers:
        return np.flatnonzero(np.nanmean(self.values[:, :, LAS], axis=1) >= WELL_PARSED)


def results_by_test_set(results: Mapping[str, Row], groups: list[list[int]]) -> ResultsByTestSet:
    rows = list(results.values())
    names = ("significant", "uncorrected", "small", "concordance")
    shares = {name: np.array([[row[name].get(one, np.nan) for one in MEASURES] for row in rows]) for name in names}
    systems = list(dict.fromkeys(system for row in rows for system in row["systems"]))
    values = np.full((len(rows), len(systems), len(MEASURES)), np.nan)
    for i, row in enumerate(rows):
        places = [systems.index(system) for system in row["systems"]]
        for m, name in enumerate(MEASURES):
            values[i, places, m] = row["values"].get(name, np.nan)
    undefined = {
        name: {code: row["undefined"][name] for code, row in results.items() if name in row["undefined"]}
        for name in MEASURES
    }
    pairs = tuple(len(row["systems"]) * (len(row["systems"]) - 1) // 2 for row in rows)
    n_documents = sum(row["documents"] for row in rows)
    known = {name: reasons for name, reasons in undefined.items() if reasons}
    return ResultsByTestSet(tuple(results), groups, shares, values, pairs, n_documents, known)


def estimated(statistic: Statistic, groups: Sequence[Sequence[int]]) -> Comparison:
    def changed(m: int, rows: verdicts.RowNumbers) -> float:
        value, las = statistic(rows, m)
        return value - las

    return {
        name: MeasureEstimate(
            verdicts.jackknifed(lambda rows, m=m: statistic(rows, m)[0], groups),  # type: ignore[misc]
            None if m == LAS else verdicts.jackknifed(partial(changed, m), groups),
        )
        for m, name in enumerate(MEASURES)
    }


def _groups_among(groups: Sequence[Sequence[int]], rows: verdicts.RowNumbers) -> list[list[int]]:
    place = {row: i for i, row in enumerate(rows.tolist())}
    return [chosen for group in groups if (chosen := [place[row] for row in group if row in place])]


def value_of(statistic: Statistic, rows: Sequence[int]) -> list[verdicts.Cell]:
    """Return a statistic over some test sets in percent, one value per measure; None if undefined."""
    return _in_percent([statistic(np.array(rows), m)[0] for m in range(len(MEASURES))])


def _in_percent(values: Sequence[float]) -> list[verdicts.Cell]:
    return [None if np.isnan(value) else 100 * float(value) for value in values]


def mean_of(shares: verdicts.Numbers) -> Statistic:
    def statistic(rows: verdicts.RowNumbers, m: int) -> tuple[float, float]:
        known = rows[~np.isnan(shares[rows, m])]
        return (float(shares[known, m].mean()), float(shares[known, LAS].mean())) if len(known) else (np.nan, np.nan)

    return statistic


def spread_of(values: verdicts.Numbers, scale: str, chosen: verdicts.RowNumbers) -> Statistic:
    """Return a statistic: the standard deviation of scores over the chosen test sets, averaged over systems."""
    scores = values[chosen]
    scores = scores[:, np.count_nonzero(~np.isnan(scores[:, :, LAS]), axis=0) >= min(LEAST_SCORES, len(chosen))]

    @np.errstate(invalid="ignore", divide="ignore")
    def spread(own: verdicts.Numbers) -> float:
        if scale == LOG_ODDS:
            own = np.log(own / (1 - own))
        n = np.count_nonzero(~np.isnan(own), axis=0)
        mean = np.nansum(own, axis=0) / n
        deviation = np.sqrt(np.nansum((own - mean) ** 2, axis=0) / np.where(n > 1, n - 1, np.nan))
        return float(np.mean(deviation / {OF_SCORE: mean, OF_ERROR: 1 - mean}.get(scale, 1.0)))

    def statistic(rows: verdicts.RowNumbers, m: int) -> tuple[float, float]:
        own, las = scores[rows][:, :, m], scores[rows][:, :, LAS]
        return spread(own), spread(np.where(np.isnan(own), np.nan, las))

    return statistic


def _estimates_section(
    title: str, what: str, comparison: Comparison, *text: str,
    more: Mapping[str, Sequence[verdicts.Cell]] = MappingProxyType({}), plain: bool = False, figure: str = "",
) -> StudySection:  # fmt: skip
    """A row for each measure: its value and its difference from LAS, with intervals; in percent unless plain."""
    unit = 1 if plain else 100
    dots = [
        plotted_row(name, unit * estimate.value.value, (unit * estimate.value.low, unit * estimate.value.high))
        for name, estimate in comparison.items()
        if estimate.value is not None
    ]
    return table_section(
        title,
        columns(text="measure", percent=(what, "95% CI from", "95% CI to"))
        | columns(points=("minus LAS", "minus LAS from", "minus LAS to"), percent=more),
        [
            (name, *(None if x is None else unit * x for part in estimates for x in (part or [None] * 3)[:3]), *extra)
            for (name, estimates), *extra in zip(comparison.items(), *more.values())
        ],
        *text,
        figure=spreads(figure, dots, "%") if dots and figure else None,
    )


def _findings(
    table: ResultsByTestSet,
    whole: Comparison,
    small: Comparison,
    spread: Mapping[str, Comparison],
    order: Comparison,
) -> Iterator[StudySection]:
    everywhere = range(len(table.codes))
    yield _estimates_section(
        "Which measure separates systems",
        "significant pairs",
        whole,
        f"The share of the {sum(table.pairs):,} pairs (two systems on a test set) that differ significantly, averaged"
        " over test sets.",
        more={"not corrected": value_of(mean_of(table.shares["uncorrected"]), everywhere)},
        figure="significant pairs",
    )
    yield _estimates_section(
        "On small test sets",
        "significant pairs",
        small,
        f"The same on random samples of {SMALL} sentences, {SAMPLES} from each test set.",
        figure="significant pairs",
    )
    about = (
        "The spread is the standard deviation of a system's scores over test sets, averaged over systems with outputs"
        f" for at least {LEAST_SCORES} of them. A measure counts as more or less even than LAS only if all four scales"
        " agree."
    )
    well = set(table.well_parsed.tolist())
    others = ", ".join(code for number, code in enumerate(table.codes) if number not in well)
    chosen = f"{len(well)} test sets with a mean LAS of at least {WELL_PARSED:.0%} are well parsed, unlike {others}."
    if len(well) < 2 or not others:
        how_many = "fewer than two" if len(well) < 2 else "all"
        chosen = f"All test sets are used: {how_many} have a mean LAS of at least {WELL_PARSED:.0%}."
    for scale, comparison in spread.items():
        first = scale == POINTS
        yield _estimates_section(
            f"Spread over well-parsed test sets, {scale}", "spread", comparison, *((about, chosen) if first else ()),
            plain=scale == LOG_ODDS, figure="spread in points" if first else "",
        )  # fmt: skip
    yield _estimates_section(
        "How stable the order of systems is",
        "same order",
        order,
        "The share of pairs of systems whose order stays the same if the documents or sentences of a test set are"
        " resampled, averaged over test sets.",
        figure="same order",
    )


def _details(table: ResultsByTestSet) -> Iterator[StudySection]:
    families = [family_of(code) for code in table.codes]
    members = {
        name: [i for i, family in enumerate(families) if family == name]
        for name in sorted(set(families), key=lambda name: (-families.count(name), name))
    }
    yield table_section(
        "By family",
        columns(text="family or branch", number="test sets", percent=MEASURES),
        [(name, len(rows), *value_of(mean_of(table.shares["significant"]), rows)) for name, rows in members.items()],
        "The share of significant pairs; Indo-European by branch.",
    )
    yield table_section(
        "By test set",
        columns(text=("test set", "family or branch"), number="pairs", percent=MEASURES),
        [
            (code, family, pairs, *_in_percent(row))
            for code, family, pairs, row in zip(table.codes, families, table.pairs, table.shares["significant"])
        ],
        "The share of significant pairs.",
    )


def _expected(text: str, scales: Mapping[str, Comparison], name: str, sign: verdicts.Sign) -> Claim:
    changes = {scale: measures[name].change for scale, measures in scales.items()}
    verdict = verdicts.agreed_verdict(verdicts.verdict_of_effects((change, sign)) for change in changes.values())
    places = {scale: (2, 100) if scale == POINTS else (3, 1) for scale in scales}
    evidence = (f"{verdicts.estimate_shown(change, *places[scale])} {scale}" for scale, change in changes.items())
    return Claim(text, "an expectation", verdict, f"difference from LAS {', '.join(evidence)}")
