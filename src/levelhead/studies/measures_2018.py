"""Which measure separates systems best: a study of the outputs of the CoNLL 2018 shared task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import Results
from levelhead.errors import Fault, InputError, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import plotted_row, spreads
from levelhead.scoring.weights import weights_of
from levelhead.significance import (
    holm,
    pairwise_randomization_p,
    resampled,
    resampled_rows,
    significant_shares,
    spawned,
)
from levelhead.significance.jackknife import SystemCounts, ratios
from levelhead.studies.request import (
    StudyRequest,
    counts_of,
    parts_of,
    read_treebank,
    run_tasks,
    score_files,
    systems_in,
)
from levelhead.studies.study import Claim, Study, StudySection, columns, table_section
from levelhead.studies.verdicts import (
    LEVEL,
    Cell,
    Numbers,
    Sign,
    ValueWithInterval,
    agreed_verdict,
    estimate_shown,
    joint_verdict,
    percentile_estimate,
    verdict_of_effect,
)
from levelhead.tables.table import Plain
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

# the scales for the spread of scores
POINTS, OF_SCORE, OF_ERROR, LOG_ODDS = SCALES = (
    "in points", "as a share of the mean score", "as a share of the mean error", "in log odds",
)  # fmt: skip

Row = Mapping[str, Any]
Draws = NDArray[np.int64]  # indices of test sets, shape (resamples, test sets)

# A function of draws. It returns the value of each measure, and the value of LAS on the test sets for which that
# measure is defined; both of shape (resamples, measures), nan for missing values.
Statistic = Callable[[Draws], tuple[Numbers, Numbers]]


class MeasureEstimate(NamedTuple):
    """A statistic over test sets, and its value minus that of LAS on the same test sets; None if undefined."""

    value: ValueWithInterval | None
    change: ValueWithInterval | None


Comparison = Mapping[str, MeasureEstimate]  # by measure


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = parts_of(request)
    systems = systems_in(request.systems, treebanks)
    if not any(sum(code in paths for paths in systems.values()) > 1 for code in treebanks):
        raise InputError(Fault("missing-system-file", "no test set has outputs of two systems"))
    golds = {code: parts.tested for code, parts in treebanks.items()}
    by_treebank = run_tasks(NAME, entropies, {code: (path,) for code, path in golds.items()}, request)
    weights = {"wde": weights_of(averaged_entropy(list(by_treebank.values()), UD2))}
    scored = score_files(golds, systems, setup_of(MEASURES.values(), weights=weights), request, by_sentence=True)
    counts = {code: counted for code in golds if (counted := counts_on(scored, code)) is not None}
    arguments = {
        code: (table._replace(parts=table.parts.tolist()), *request.draws) for code, (table, _) in counts.items()
    }
    results = {
        code: row | {"undefined": counts[code][1]}
        for code, row in run_tasks(NAME, compare_systems, arguments, request).items()
    }
    if not results:
        raise InputError(Fault("missing-system-file", "no test set has valid outputs of two systems"))
    table = results_by_test_set(results)
    n = len(table.codes)
    whole, small, order = (
        estimated(statistic, n, *request.draws)
        for statistic in (
            mean_of(table.significant, table.pairs), mean_of(table.small, table.pairs), mean_of(table.concordance),
        )
    )  # fmt: skip
    spread, spread_everywhere = (
        {scale: estimated(spread_of(table.values[rows], scale), len(rows), *request.draws) for scale in SCALES}
        for rows in (table.well_parsed if len(table.well_parsed) > 1 else np.arange(n), np.arange(n))
    )
    claims = (
        _expected("CLAS and WLAS, which use fewer words, separate fewer pairs of systems than LAS", {POINTS: whole},
                  CONTENT, -1),
        _expected(f"CLAS and WLAS separate fewer pairs on samples of {SMALL} sentences", {POINTS: small}, CONTENT, -1),
        _expected("MLAS and BLEX, which require more, separate more pairs than LAS", {POINTS: whole}, RICH, 1),
        _expected(f"MLAS and BLEX separate more pairs on samples of {SMALL} sentences", {POINTS: small}, RICH, 1),
        _expected("CLAS and WLAS score languages with training data more evenly than LAS", spread, CONTENT, -1),
        _expected("MLAS and BLEX score languages with training data less evenly than LAS", spread, RICH, 1),
        _expected("The order of systems is less stable by CLAS and WLAS than by LAS", {POINTS: order}, CONTENT, -1),
        _expected("The order of systems is less stable by MLAS and BLEX than by LAS", {POINTS: order}, RICH, -1),
    )  # fmt: skip
    sections = (
        *_findings(table, whole, small, spread, spread_everywhere, order), *_details(table, results),
    )  # fmt: skip
    signature = {"rules": "ud", "test_sets": str(n), "systems": str(len(systems))}
    source = "A study of our own, of the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"
    title = "Which measure separates parsers best?"
    setting = _setting(table, systems)
    return Study(NAME, title, source, setting, sections, claims, signature)


def _setting(table: ResultsByTestSet, systems: Collection[str]) -> tuple[str, ...]:
    means = table.values[:, :, LAS].mean(axis=0) if table.systems else np.array([])
    span = f"Their mean LAS ranges from {means.min():.1%} to {means.max():.1%}. " if len(means) else ""
    left_out = "".join(
        f" {name} is left out on {', '.join(f'{code} ({reason})' for code, reason in reasons.items())}, also in its"
        " comparison with LAS."
        for name, reasons in table.undefined.items()
    )
    return (
        (
            f"{number_of(len(table.codes), 'test set')}, {number_of(len(systems), 'system')}. A system"
            " without a valid output on a test set is"
            f" left out there; {', '.join(table.systems)} have valid outputs on all. Scores follow the rules `ud`."
        ),
        (
            "WLAS weights each relation by its word dependency entropy, averaged over these test sets. Pairs of systems"
            " are compared by approximate randomization of sentences, two-sided, at the 5% level. The 95% confidence"
            " intervals come from resampled test sets: they show how well a finding generalizes to other test sets like"
            " these. A difference whose interval includes 0 is inconclusive."
        ),
        (
            f"The task of 2018 had 26 systems. This study compares {len(systems)} of them: {', '.join(systems)}."
            f" {span}If systems are far apart, more pairs are significantly different than among close competitors."
            f" Each measure is compared with LAS on the same pairs.{left_out} On UD v2,"
            " CNC differs from CLAS in two ways: it counts `clf`, and it counts words whose label is not a UD relation"
            " (such as `ROOT`), which CLAS leaves out. Derivation perplexity requires the systems' training data and is"
            f" not included. {len(MEASURES) - 1} measures are compared with LAS in several ways, without a correction"
            " for multiple tests: 1 interval in 20 excludes 0 by chance."
        ),
    )


def entropies(gold: Path) -> Any:
    return profile(count_treebank(read_treebank(gold)), columns=["wde"])["wde"]


def counts_on(results: Results, code: str) -> tuple[SystemCounts, dict[str, str]] | None:
    """Return the counts of valid outputs, and why measures are left out, which have no value for one of them."""
    outputs = {name: results.results[name, code] for name in results.systems if (name, code) in results.results}
    valid = {name: result for name, result in outputs.items() if result.state == "valid"}
    if len(valid) < 2:
        return None
    texts = dict(zip(MEASURES, results.measures))
    undefined = {
        name: score.reason or "nothing to count in an output"
        for name, text in texts.items()
        for score in (result.scores[text] for result in valid.values())
        if score.value is None
    }
    defined = {name: text for name, text in texts.items() if name not in undefined}
    counts = counts_of(valid.values(), defined.values())
    return SystemCounts(tuple(valid), tuple(defined), counts), undefined


def compare_systems(counts: SystemCounts, resamples: int, seed: int) -> dict[str, Any]:
    counts = counts._replace(parts=np.array(counts.parts, dtype=np.float64))
    boot_seed, swap_seed, small_seed = spawned(seed, 3)
    values = ratios(counts.parts.sum(axis=0))
    boot = ratios(counts.shaped(resampled(counts.flat, resamples, boot_seed)))
    pairs = combinations(range(len(values)), 2)
    same = [np.sign(boot[:, b] - boot[:, a]) == np.sign(values[b] - values[a]) for a, b in pairs]
    rows_by_name = {
        "values": values.T,
        "errors": boot.std(axis=0, ddof=1).T,
        "concordance": np.mean(same, axis=(0, 1)),
        "p": pairwise_randomization_p(counts, resamples, swap_seed).T,
        "small": significant_shares(counts, SMALL, SAMPLES, resamples // 4, LEVEL, small_seed),
    }
    return {
        "systems": list(counts.systems),
        **{name: dict(zip(counts.measures, rows.tolist())) for name, rows in rows_by_name.items()},
    }  # fmt: skip


class ResultsByTestSet(NamedTuple):
    """The results of all test sets; arrays have a row per test set and a column per measure, nan for no value."""

    codes: tuple[str, ...]
    families: tuple[str, ...]
    significant: Numbers
    corrected: Numbers
    small: Numbers
    concordance: Numbers
    noise: Numbers
    values: Numbers  # shape (test sets, systems with valid outputs on all of them, measures)
    systems: tuple[str, ...]
    pairs: Numbers
    undefined: Mapping[str, Mapping[str, str]]

    @property
    def well_parsed(self) -> NDArray[np.int64]:
        """The indices of the well-parsed test sets."""
        return np.flatnonzero(self.values[:, :, LAS].mean(axis=1) >= WELL_PARSED)


def results_by_test_set(results: Mapping[str, Row]) -> ResultsByTestSet:
    rows = list(results.values())

    def by_measure(function: Callable[[Row, str], Any], shape: tuple[int, ...] = ()) -> Numbers:
        missing = np.full(shape, np.nan)
        cells = [[missing if name in row["undefined"] else function(row, name) for name in MEASURES] for row in rows]
        return np.array(cells).reshape(len(rows), len(MEASURES), *shape)

    systems = [name for name in rows[0]["systems"] if all(name in row["systems"] for row in rows)]
    values = by_measure(
        lambda row, name: [row["values"][name][row["systems"].index(system)] for system in systems], (len(systems),)
    )
    undefined = {
        name: {code: row["undefined"][name] for code, row in results.items() if name in row["undefined"]}
        for name in MEASURES
    }
    return ResultsByTestSet(
        tuple(results),
        tuple(family_of(code) for code in results),
        by_measure(lambda row, name: significant_share(row["p"][name])),
        by_measure(lambda row, name: significant_share(holm(row["p"][name]))),
        by_measure(lambda row, name: row["small"][name]),
        by_measure(lambda row, name: row["concordance"][name]),
        by_measure(lambda row, name: np.mean(row["errors"][name]) / np.mean(row["values"][name])),
        np.ascontiguousarray(values.swapaxes(1, 2)),
        tuple(systems),
        np.array([len(row["p"]["LAS"]) for row in rows], dtype=np.float64),
        {name: reasons for name, reasons in undefined.items() if reasons},
    )


def significant_share(values: Sequence[float | None]) -> float:
    return sum(value is not None and value < LEVEL for value in values) / len(values)


def estimated(statistic: Statistic, n: int, resamples: int, seed: int) -> Comparison:
    """Return a statistic over n test sets for each measure, with 95% percentile intervals from resampled test sets."""
    (value,), (las,) = statistic(np.arange(n)[None])
    resampled_value, resampled_las = statistic(resampled_rows(n, resamples, seed))
    changes = resampled_value - resampled_las
    return {
        name: MeasureEstimate(
            percentile_estimate(float(value[m]), resampled_value[:, m]),
            None if m == LAS else percentile_estimate(float(value[m] - las[m]), changes[:, m]),
        )
        for m, name in enumerate(MEASURES)
    }


def value_of(statistic: Statistic, rows: Iterable[int]) -> list[Cell]:
    """Return a statistic over some test sets, one value per measure; None if undefined."""
    return _known(statistic(np.array(list(rows))[None])[0][0])


def _known(values: Numbers) -> list[Cell]:
    return [None if np.isnan(value) else float(value) for value in values]


def mean_of(values: Numbers, weights: Numbers | None = None) -> Statistic:
    """Return a statistic: the mean over test sets."""
    present = ~np.isnan(values) * (np.ones(len(values)) if weights is None else weights)[:, None]
    filled = np.nan_to_num(values)
    las = np.broadcast_to(filled[:, LAS : LAS + 1], filled.shape)

    def statistic(draws: Draws) -> tuple[Numbers, Numbers]:
        weight = present[draws]
        total = weight.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return (weight * filled[draws]).sum(axis=1) / total, (weight * las[draws]).sum(axis=1) / total

    return statistic


def spread_of(values: Numbers, scale: str) -> Statistic:
    """Return a statistic: the standard deviation of a system's scores over test sets, averaged over systems."""
    present: Numbers = np.where(np.isnan(values).any(axis=1, keepdims=True), 0.0, 1.0)
    filled: Numbers = np.where(present > 0, values, 0.5)
    if scale == LOG_ODDS:
        with np.errstate(divide="ignore"):
            np.log(filled / (1 - filled), out=filled)
    las = np.broadcast_to(filled[:, :, LAS : LAS + 1], filled.shape)

    def statistic(draws: Draws) -> tuple[Numbers, Numbers]:
        return _spread(filled[draws], present[draws], scale), _spread(las[draws], present[draws], scale)

    return statistic


def _spread(scores: Numbers, weight: Numbers, scale: str) -> Numbers:
    """The mean over systems of the spread over test sets; arrays are (resamples, test sets, systems or 1, measures)."""
    total = weight.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weight * scores).sum(axis=1) / total
        squares = (weight * (scores - mean[:, None]) ** 2).sum(axis=1)
        per_system = np.sqrt(squares / (total - 1)) / {OF_SCORE: mean, OF_ERROR: 1 - mean}.get(scale, 1.0)
    spread: Numbers = per_system.mean(axis=1)
    return spread


def _estimates_section(
    title: str, what: str, comparison: Comparison, *text: str,
    more: Mapping[str, Sequence[Cell]] = MappingProxyType({}), plain: bool = False, figure: str = "",
) -> StudySection:  # fmt: skip
    """A row for each measure: its value and its difference from LAS, with intervals; in percent unless plain."""
    dots = [
        plotted_row(name, estimate.value[0], estimate.value[1:], 100)
        for name, estimate in comparison.items()
        if estimate.value is not None
    ]
    kind = Plain if plain else float
    return table_section(
        title,
        columns(text="measure", ratio=(what, "95% CI from", "95% CI to"))
        | columns(difference=("minus LAS", "minus LAS from", "minus LAS to"), ratio=more),
        [
            (name, *(None if x is None else kind(x) for part in estimates for x in part or [None] * 3), *extra)
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
    spread_everywhere: Mapping[str, Comparison],
    order: Comparison,
) -> Iterator[StudySection]:
    everywhere = range(len(table.codes))
    yield _estimates_section(
        "Which measure separates systems",
        "significant pairs",
        whole,
        f"The share of the {int(table.pairs.sum())} pairs (two systems on a test set) that differ with p < .05. The"
        " last column corrects p for the number of pairs on a test set.",
        more={"with Holm correction": value_of(mean_of(table.corrected, table.pairs), everywhere)},
        figure="significant pairs",
    )
    shares = [share for share in value_of(mean_of(table.significant, table.pairs), everywhere) if share is not None]
    yield _estimates_section(
        "On small test sets",
        "significant pairs",
        small,
        f"The same on random samples of {SMALL} sentences, {SAMPLES} from each test set. On whole test sets,"
        f" {min(shares):.0%} to {max(shares):.0%} of the pairs differ, depending on the measure.",
        figure="significant pairs",
    )
    about = (
        "The spread is the standard deviation of a system's scores over test sets, averaged over the"
        f" {len(table.systems)} systems with all outputs. If scores are lower, the same spread is a larger share of the"
        " mean score and a smaller share of the mean error. So a measure counts as more or less even than LAS only if"
        " it is on all four scales. Test sets differ not only in language, but also in training data, size and domain:"
        " a small spread does not prove that a measure is fair."
    )
    well = set(table.well_parsed.tolist())
    others = ", ".join(code for number, code in enumerate(table.codes) if number not in well)
    chosen = (
        f"Well-parsed are the {len(well)} test sets with a mean LAS of at least {WELL_PARSED:.0%}; the others are"
        f" {others}."
    )
    if len(well) < 2 or not others:
        how_many = "fewer than two" if len(well) < 2 else "all"
        chosen = f"All test sets are used: {how_many} have a mean LAS of at least {WELL_PARSED:.0%}."
    for scale, comparison in spread.items():
        first = scale == POINTS
        yield _estimates_section(
            f"How evenly, on well-parsed test sets: {scale}", "spread", comparison, *((about, chosen) if first else ()),
            plain=scale == LOG_ODDS, figure="spread in points" if first else "",
        )  # fmt: skip
    for scale, comparison in spread_everywhere.items():
        title = f"How evenly, on all test sets: {scale}"
        yield _estimates_section(title, "spread", comparison, plain=scale == LOG_ODDS)
    yield _estimates_section(
        "How stable the order of systems is",
        "same order",
        order,
        "Sentences of a test set are resampled. The table shows the share of pairs of systems that have the same"
        " order as on the whole test set, averaged over test sets, and the standard error as a share of the score.",
        more={"relative error": value_of(mean_of(table.noise), everywhere)},
        figure="same order",
    )


def _details(table: ResultsByTestSet, results: Mapping[str, Row]) -> Iterator[StudySection]:
    statistics = {
        "By family: which measure separates systems": (
            mean_of(table.significant, table.pairs), 1,
            "The share of significant pairs by family; Indo-European by branch. Small families say little.",
        ),
        "By family: how evenly test sets are scored": (
            spread_of(table.values, POINTS), 3,
            "The standard deviation of scores, in points, within families of at least three test sets.",
        ),
        "By family: how stable the order of systems is": (
            mean_of(table.concordance), 1, "The share of pairs of systems that have the same order in resamples.",
        ),
    }  # fmt: skip
    members = {
        name: [i for i, family in enumerate(table.families) if family == name]
        for name in sorted(set(table.families), key=lambda name: (-table.families.count(name), name))
    }
    for title, (statistic, least, text) in statistics.items():
        rows = [
            (name, len(places), int(table.pairs[places].sum()), *value_of(statistic, places))
            for name, places in members.items()
            if len(places) >= least
        ]
        kinds = columns(text="family or branch", number=("test sets", "pairs"), ratio=MEASURES)
        yield table_section(title, kinds, rows, text)
    p_values: defaultdict[tuple[str, str], list[Mapping[str, float]]] = defaultdict(list)
    for row in results.values():
        for pair, *values in zip(combinations(row["systems"], 2), *row["p"].values()):
            p_values[pair].append(dict(zip(row["p"], values)))
    yield table_section(
        "By pair of systems",
        columns(text="systems", number="test sets", ratio=MEASURES),
        [
            (" and ".join(pair), len(by_test_set), *(
                significant_share(values) if (values := [p[name] for p in by_test_set if name in p]) else None
                for name in MEASURES))
            for pair, by_test_set in p_values.items()
        ],
        "The share of test sets on which two systems differ significantly.",
    )  # fmt: skip
    yield table_section(
        "By test set",
        columns(text=("test set", "family or branch"), number="pairs", ratio=MEASURES),
        [
            (code, family, int(pairs), *_known(row))
            for code, family, pairs, row in zip(table.codes, table.families, table.pairs, table.significant)
        ],
        "The share of significant pairs.",
    )


def _expected(text: str, scales: Mapping[str, Comparison], names: Sequence[str], sign: Sign) -> Claim:
    """Check an expectation: every measure must differ from LAS in the given direction, on every scale."""
    verdict = joint_verdict(
        agreed_verdict(verdict_of_effect(measures[name].change, sign) for measures in scales.values()) for name in names
    )
    places = {scale: (2, 100) if scale == POINTS else (3, 1) for scale in scales}
    evidence = (
        f"{name} minus LAS "
        + ", ".join(
            f"{estimate_shown(measures[name].change, *places[scale])} {scale}" for scale, measures in scales.items()
        )
        for name in names
    )
    return Claim(text, "an expectation", verdict, "; ".join(evidence))
