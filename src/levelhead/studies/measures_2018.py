"""Which measure separates systems best: a study of the outputs of the CoNLL 2018 shared task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from levelhead.campaign import Results
from levelhead.errors import Fault, InputError, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import IntervalRow, spreads
from levelhead.scoring.weights import weights_of
from levelhead.significance import resampled_rows
from levelhead.studies.measures_2018_estimates import (
    LAS,
    LOG_ODDS,
    MEASURES,
    POINTS,
    SAMPLES,
    SMALL,
    WELL_PARSED,
    Comparison,
    ResultsByTestSet,
    Row,
    Statistic,
    compare_systems,
    counts_on,
    entropies,
    estimated,
    known,
    mean_of,
    results_by_test_set,
    significant_share,
    spread_of,
    spreads_by_scale,
    value_of,
    well_parsed,
)
from levelhead.studies.request import StudyRequest, StudyTask, parts_of, run_tasks, score_files, signature, systems_in
from levelhead.studies.study import Claim, Study, StudySection
from levelhead.studies.verdicts import (
    Sign,
    ValueWithInterval,
    agreed_verdict,
    estimate_shown,
    joint_verdict,
    verdict_of_effect,
)
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Column, Plain, Table
from levelhead.treebank.relations import UD2
from levelhead.typology import averaged_entropy

NAME = "measures-2018"
TITLE = "Which measure separates parsers best?"
SOURCE = "A study of our own, of the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"

MAIN_CLAIM = "CLAS and WLAS, which use fewer words, separate fewer"
"""The first words of the claim with which the page opens."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = parts_of(request)
    systems = systems_in(request.systems, treebanks)
    if not any(sum(code in paths for paths in systems.values()) > 1 for code in treebanks):
        raise InputError(Fault("missing-system-file", "no test set has outputs of two systems"))
    gold = run_tasks(NAME, [StudyTask(code, entropies, (parts.tested,)) for code, parts in treebanks.items()], request)
    weights = averaged_entropy(list(gold.values()), UD2)
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of(weights)})
    golds = {code: parts.tested for code, parts in treebanks.items()}
    results = _compared(score_files(golds, systems, setup, request, by_sentence=True), request)
    if not results:
        raise InputError(Fault("missing-system-file", "no test set has valid outputs of two systems"))
    table = results_by_test_set(results)
    sections = (
        _separation(table, request), _small(table, request), *_evenness(table, request), _stability(table, request),
        *_by_family(table), _pairs_of_systems(results), _sets(table),
    )  # fmt: skip
    signed = signature(request, rules="ud", test_sets=str(len(table.codes)), systems=str(len(systems)))
    return Study(
        NAME, TITLE, SOURCE, _setting(table, systems), sections, _claims_on_measures(table, request), signed, MAIN_CLAIM
    )


def _setting(table: ResultsByTestSet, systems: Collection[str]) -> tuple[str, ...]:
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
            f" {_spread_text(table)} Each measure is compared with LAS on the same pairs.{_left_out(table)} On UD v2,"
            " CNC differs from CLAS in two ways: it counts `clf`, and it counts words whose label is not a UD relation"
            " (such as `ROOT`), which CLAS leaves out. Derivation perplexity requires the systems' training data and is"
            f" not included. {len(MEASURES) - 1} measures are compared with LAS in several ways, without a correction"
            " for multiple tests: 1 interval in 20 excludes 0 by chance."
        ),
    )


def _left_out(table: ResultsByTestSet) -> str:
    """Sentences on the measures that are left out on some test sets."""
    return "".join(
        f" {name} is left out on {', '.join(f'{code} ({reason})' for code, reason in reasons.items())}, also in its"
        " comparison with LAS."
        for name, reasons in table.undefined.items()
    )


def _spread_text(table: ResultsByTestSet) -> str:
    """A sentence on how far apart the systems are."""
    means = table.values[:, :, LAS].mean(axis=0) if table.systems else np.array([])
    span = f"Their mean LAS ranges from {means.min():.1%} to {means.max():.1%}. " if len(means) else ""
    return f"{span}If systems are far apart, more pairs are significantly different than among close competitors."


def _compared(scored: Results, request: StudyRequest) -> dict[str, Row]:
    """Compare the systems on each test set that has two valid outputs."""
    counts = {
        test_set.code: counted
        for test_set in scored.test_sets
        if (counted := counts_on(scored, test_set.code)) is not None
    }
    draws = request.resamples, request.seed
    tasks = [
        StudyTask(code, compare_systems, (), (table._replace(parts=table.parts.tolist()), *draws))
        for code, (table, _) in counts.items()
    ]
    return {code: row | {"undefined": counts[code][1]} for code, row in run_tasks(NAME, tasks, request).items()}


def _estimate_rows(comparison: Comparison, *, plain: bool = False) -> tuple[tuple[str | float | None, ...], ...]:
    """A row for each measure: its value and its difference from LAS, with intervals; in percent unless plain."""
    kind = Plain if plain else float
    return tuple(
        (name, *_cells(estimate.value, kind), *_cells(estimate.change, kind)) for name, estimate in comparison.items()
    )


def _cells(estimate: ValueWithInterval | None, kind: type[float]) -> tuple[float | None, ...]:
    return (None, None, None) if estimate is None else tuple(map(kind, estimate))


def _interval_dots(comparison: Comparison, what: str) -> Drawing | None:
    """Dots with intervals, in percent; None if no measure has a value."""
    rows = [
        IntervalRow(name, *(100 * end for end in estimate.value))
        for name, estimate in comparison.items()
        if estimate.value is not None
    ]
    return spreads(what, rows, "%") if rows else None


def _estimate_columns(what: str) -> tuple[Column, ...]:
    names = (what, "95% CI from", "95% CI to")
    changes = ("minus LAS", "minus LAS from", "minus LAS to")
    return (Column("measure", "text"), *(Column(name) for name in names),
            *(Column(name, "difference") for name in changes))  # fmt: skip


def _over_all(statistic: Statistic, table: ResultsByTestSet, request: StudyRequest) -> Comparison:
    n = len(table.codes)
    return estimated(statistic, n, resampled_rows(n, request.resamples, request.seed))


def _separation(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    comparison = _over_all(mean_of(table.significant, table.pairs), table, request)
    corrected = value_of(mean_of(table.corrected, table.pairs), range(len(table.codes)))
    rows = tuple((*row, share) for row, share in zip(_estimate_rows(comparison), corrected))
    columns = (*_estimate_columns("significant pairs"), Column("with Holm correction"))
    text = (
        (
            f"The share of the {int(table.pairs.sum())} pairs (two systems on a test set) that differ with p < .05. The"
            " last column corrects p for the number of pairs on a test set."
        ),
    )
    return StudySection(
        "Which measure separates systems", text, Table(columns, rows), _interval_dots(comparison, "significant pairs")
    )


def _small(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    comparison = _over_all(mean_of(table.small, table.pairs), table, request)
    whole = [
        value
        for value in value_of(mean_of(table.significant, table.pairs), range(len(table.codes)))
        if value is not None
    ]
    text = (
        (
            f"The same on random samples of {SMALL} sentences, {SAMPLES} from each test set. On whole test sets,"
            f" {min(whole):.0%} to {max(whole):.0%} of the pairs differ, depending on the measure."
        ),
    )
    shown = Table(_estimate_columns("significant pairs"), _estimate_rows(comparison))
    return StudySection("On small test sets", text, shown, _interval_dots(comparison, "significant pairs"))


def _by_family(table: ResultsByTestSet) -> Iterator[StudySection]:
    titles = {
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
    for title, (statistic, least, text) in titles.items():
        yield StudySection(title, (text,), _family_table(table, statistic, least))


def _family_table(table: ResultsByTestSet, statistic: Statistic, least: int) -> Table:
    names = sorted(set(table.families), key=lambda name: (-table.families.count(name), name))
    cells: list[tuple[str | float | None, ...]] = []
    for name in names:
        rows = [i for i, family in enumerate(table.families) if family == name]
        if len(rows) >= least:
            cells.append((name, len(rows), int(table.pairs[rows].sum()), *value_of(statistic, rows)))
    columns = (Column("family or branch", "text"), Column("test sets", "number"), Column("pairs", "number"),
               *(Column(name) for name in MEASURES))  # fmt: skip
    return Table(columns, tuple(cells))


def _evenness(table: ResultsByTestSet, request: StudyRequest) -> Iterator[StudySection]:
    """The spread on every scale: on the well-parsed test sets, then on all test sets."""
    about = (
        "The spread is the standard deviation of a system's scores over test sets, averaged over the"
        f" {len(table.systems)} systems with all outputs. If scores are lower, the same spread is a larger share of the"
        " mean score and a smaller share of the mean error. So a measure counts as more or less even than LAS only if"
        " it is on all four scales. Test sets differ not only in language, but also in training data, size and domain:"
        " a small spread does not prove that a measure is fair."
    )
    groups = {
        "How evenly, on well-parsed test sets": (well_parsed(table), (about, _chosen(table))),
        "How evenly, on all test sets": (np.arange(len(table.codes)), ()),
    }
    for number, (title, (rows, texts)) in enumerate(groups.items()):
        by_scale = spreads_by_scale(table, rows, request.resamples, request.seed)
        for scale, comparison in by_scale.items():
            first = scale == next(iter(by_scale))
            figure = _interval_dots(comparison, "spread in points") if first and number == 0 else None
            shown = Table(_estimate_columns("spread"), _estimate_rows(comparison, plain=scale == LOG_ODDS))
            yield StudySection(f"{title}: {scale}", texts if first else (), shown, figure)


def _chosen(table: ResultsByTestSet) -> str:
    """Which test sets are left out, since their LAS is low."""
    well = well_parsed(table)
    if len(well) == len(table.codes):
        few = sum(table.values[:, :, LAS].mean(axis=1) >= WELL_PARSED) < 2
        how_many = "fewer than two" if few else "all"
        return f"All test sets are used: {how_many} have a mean LAS of at least {WELL_PARSED:.0%}."
    others = [code for number, code in enumerate(table.codes) if number not in set(well.tolist())]
    return (
        f"Well-parsed are the {len(well)} test sets with a mean LAS of at least {WELL_PARSED:.0%}; the others are"
        f" {', '.join(others)}."
    )


def _stability(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    order = _over_all(mean_of(table.concordance), table, request)
    noise = value_of(mean_of(table.noise), range(len(table.codes)))
    rows = tuple((*row, error) for row, error in zip(_estimate_rows(order), noise))
    columns = (*_estimate_columns("same order"), Column("relative error"))
    text = (
        (
            "Sentences of a test set are resampled. The table shows the share of pairs of systems that have the same"
            " order as on the whole test set, averaged over test sets, and the standard error as a share of the score."
        ),
    )
    return StudySection(
        "How stable the order of systems is", text, Table(columns, rows), _interval_dots(order, "same order")
    )


def _pairs_of_systems(results: Mapping[str, Row]) -> StudySection:
    p_values: dict[tuple[str, str], dict[str, list[float]]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in results.values():
        for number, pair in enumerate(combinations(row["systems"], 2)):
            counts[pair] += 1
            for name, values in row["p"].items():
                p_values.setdefault(pair, {}).setdefault(name, []).append(values[number])
    cells: tuple[tuple[Any, ...], ...] = tuple(
        (f"{first} and {second}", counts[first, second],
         *(significant_share(values[name]) if name in values else None for name in MEASURES))
        for (first, second), values in p_values.items()
    )  # fmt: skip
    columns = (Column("systems", "text"), Column("test sets", "number"), *(Column(name) for name in MEASURES))
    return StudySection(
        "By pair of systems",
        ("The share of test sets on which two systems differ significantly.",),
        Table(columns, cells),
    )


def _sets(table: ResultsByTestSet) -> StudySection:
    columns = (Column("test set", "text"), Column("family or branch", "text"), Column("pairs", "number"),
               *(Column(name) for name in MEASURES))  # fmt: skip
    cells: tuple[tuple[Any, ...], ...] = tuple(
        (code, family, int(pairs), *known(row))
        for code, family, pairs, row in zip(table.codes, table.families, table.pairs, table.significant)
    )
    return StudySection("By test set", ("The share of significant pairs.",), Table(columns, cells))


CONTENT, RICH = ("CLAS", "WLAS"), ("MLAS", "BLEX")


def _claims_on_measures(results: ResultsByTestSet, request: StudyRequest) -> tuple[Claim, ...]:
    """The verdicts on the expectations."""
    n = len(results.codes)
    draws = resampled_rows(n, request.resamples, request.seed)
    whole = {POINTS: estimated(mean_of(results.significant, results.pairs), n, draws)}
    small = {POINTS: estimated(mean_of(results.small, results.pairs), n, draws)}
    spread = spreads_by_scale(results, well_parsed(results), request.resamples, request.seed)
    order = {POINTS: estimated(mean_of(results.concordance), n, draws)}
    return (
        _expected("CLAS and WLAS, which use fewer words, separate fewer pairs of systems than LAS", whole, CONTENT, -1),
        _expected(f"CLAS and WLAS separate fewer pairs on samples of {SMALL} sentences", small, CONTENT, -1),
        _expected("MLAS and BLEX, which require more, separate more pairs than LAS", whole, RICH, 1),
        _expected(f"MLAS and BLEX separate more pairs on samples of {SMALL} sentences", small, RICH, 1),
        _expected("CLAS and WLAS score languages with training data more evenly than LAS", spread, CONTENT, -1),
        _expected("MLAS and BLEX score languages with training data less evenly than LAS", spread, RICH, 1),
        _expected("The order of systems is less stable by CLAS and WLAS than by LAS", order, CONTENT, -1),
        _expected("The order of systems is less stable by MLAS and BLEX than by LAS", order, RICH, -1),
    )


def _expected(text: str, scales: Mapping[str, Comparison], names: Sequence[str], sign: Sign) -> Claim:
    """Check an expectation: every measure must differ from LAS in the given direction, on every scale."""
    verdict = joint_verdict(
        agreed_verdict(verdict_of_effect(measures[name].change, sign) for measures in scales.values()) for name in names
    )
    evidence = (
        f"{name} minus LAS " + ", ".join(_shown(measures[name].change, scale) for scale, measures in scales.items())
        for name in names
    )
    return Claim(text, "an expectation", verdict, "; ".join(evidence))


def _shown(change: ValueWithInterval | None, scale: str) -> str:
    """A difference from LAS as text, with its scale."""
    points = scale == POINTS
    return f"{estimate_shown(change, 2 if points else 3, 100 if points else 1)} {scale}"
