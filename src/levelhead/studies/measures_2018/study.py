"""Which measure separates systems best, spreads languages least, and is most stable: all systems, all test sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from levelhead.campaign import Results
from levelhead.errors import Fault, InputError
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import IntervalRow, spreads
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Column, Plain, Table
from levelhead.scoring.weights import weights_of
from levelhead.significance import resampled_rows
from levelhead.studies.measures_2018.claims import claims_on_measures
from levelhead.studies.measures_2018.estimates import (
    LAS,
    LOG_ODDS,
    POINTS,
    WELL_PARSED,
    Comparison,
    ResultsByTestSet,
    Row,
    Statistic,
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
from levelhead.studies.measures_2018.separation import MEASURES, SAMPLES, SMALL, compare_systems, counts_on, entropies
from levelhead.studies.request import StudyRequest, StudyTask, run_tasks, signature
from levelhead.studies.scores import score_files
from levelhead.studies.study import Study, StudySection
from levelhead.studies.treebank_parts import parts_of, systems_in
from levelhead.studies.verdicts import ValueWithInterval
from levelhead.treebank.relations import UD2
from levelhead.typology import averaged_entropy

NAME = "measures-2018"
TITLE = "Which measure separates parsers best?"
SOURCE = "A study of our own, made for the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"

MAIN_CLAIM = "CLAS and WLAS, which rest on fewer words, separate fewer"
"""How the claim begins that the page opens with."""


def reproduce(request: StudyRequest) -> Study:
    """Run the study.

    Args:
        request: test sets, and a folder of folders with the outputs of systems.

    Raises:
        InputError: a file is not valid.
    """
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
    setting = (
        (
            f"{len(table.codes)} test sets, {len(systems)} systems; a system without a valid output on a test set is"
            f" left out there, and {', '.join(table.systems)} have one everywhere. Scores follow the rules `ud`."
        ),
        (
            "WLAS weighs each relation by its word dependency entropy, averaged over these test sets. Systems are"
            " compared in pairs by approximate randomization over sentences, two-sided, at the level of 5%. The 95%"
            " confidence intervals come from resampled test sets: they say how far a finding would carry to other test"
            " sets like these. A difference whose interval includes 0 is inconclusive."
        ),
        (
            f"The task of 2018 had twenty-six systems; compared here are {len(systems)}: {', '.join(systems)}."
            f" {_spread_text(table)} Each measure is compared with LAS on the same pairs.{_left_out(table)} On UD v2,"
            " CNC differs from CLAS in two ways: it counts `clf`, and it counts words whose label is not a UD relation"
            " (such as `ROOT`), which CLAS leaves out. Derivation perplexity requires the systems' training data and is"
            f" not included. {len(MEASURES) - 1} measures are compared with LAS in several ways, without a correction"
            " for that: one interval in twenty excludes 0 by chance."
        ),
    )
    signed = signature(request, rules="ud", test_sets=str(len(table.codes)), systems=str(len(systems)))
    return Study(NAME, TITLE, SOURCE, setting, sections, claims_on_measures(table, request), signed, MAIN_CLAIM)


def _left_out(table: ResultsByTestSet) -> str:
    """Which measures are left out on which test sets, in sentences."""
    return "".join(
        f" {name} is left out on {', '.join(f'{code} ({reason})' for code, reason in reasons.items())}, also in its"
        " comparison with LAS."
        for name, reasons in table.undefined.items()
    )


def _spread_text(table: ResultsByTestSet) -> str:
    """How far apart systems are, in a sentence."""
    means = table.values[:, :, LAS].mean(axis=0) if table.systems else np.array([])
    reach = f"Their mean LAS reaches from {means.min():.1%} to {means.max():.1%}: w" if len(means) else "W"
    return f"{reach}here systems are far apart, shares of significant pairs are higher than among close competitors."


def _compared(scored: Results, request: StudyRequest) -> dict[str, Row]:
    """Compare the systems on each test set that has two valid outputs."""
    counts = {
        test_set.code: found for test_set in scored.test_sets if (found := counts_on(scored, test_set.code)) is not None
    }
    draws = request.resamples, request.seed
    tasks = [
        StudyTask(code, compare_systems, (), (one._replace(parts=one.parts.tolist()), *draws))
        for code, (one, _) in counts.items()
    ]
    return {code: row | {"undefined": counts[code][1]} for code, row in run_tasks(NAME, tasks, request).items()}


def _estimate_rows(found: Comparison, *, plain: bool = False) -> tuple[tuple[str | float | None, ...], ...]:
    """A row for each measure: its value and its difference from LAS, with intervals; in percent unless plain."""
    kind = Plain if plain else float
    return tuple(
        (name, *_cells(estimate.value, kind), *_cells(estimate.change, kind)) for name, estimate in found.items()
    )


def _cells(estimate: ValueWithInterval | None, kind: type[float]) -> tuple[float | None, ...]:
    return (None, None, None) if estimate is None else tuple(map(kind, estimate))


def _interval_dots(found: Comparison, what: str) -> Drawing | None:
    """Dots with intervals, in percent; None if no measure has a value."""
    rows = [
        IntervalRow(name, *(100 * end for end in estimate.value))
        for name, estimate in found.items()
        if estimate.value is not None
    ]
    return spreads(what, rows, "%") if rows else None


def _estimate_columns(what: str) -> tuple[Column, ...]:
    """The columns of `_estimate_rows`."""
    names = (what, "95% CI from", "95% CI to")
    changes = ("minus LAS", "minus LAS from", "minus LAS to")
    return (Column("measure", "text"), *(Column(name) for name in names),
            *(Column(name, "difference") for name in changes))  # fmt: skip


def _over_all(statistic: Statistic, table: ResultsByTestSet, request: StudyRequest) -> Comparison:
    n = len(table.codes)
    return estimated(statistic, n, resampled_rows(n, request.resamples, request.seed))


def _separation(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    found = _over_all(mean_of(table.significant, table.pairs), table, request)
    corrected = value_of(mean_of(table.corrected, table.pairs), range(len(table.codes)))
    rows = tuple((*row, share) for row, share in zip(_estimate_rows(found), corrected))
    columns = (*_estimate_columns("significant pairs"), Column("after Holm"))
    text = (
        (
            f"The share of {int(table.pairs.sum())} pairs (two systems, one test set) that differ with p < .05; the"
            " last column corrects p for the pairs of a test set."
        ),
    )
    return StudySection(
        "Which measure separates systems", text, Table(columns, rows), _interval_dots(found, "significant pairs")
    )


def _small(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    found = _over_all(mean_of(table.small, table.pairs), table, request)
    whole = [
        value
        for value in value_of(mean_of(table.significant, table.pairs), range(len(table.codes)))
        if value is not None
    ]
    text = (
        (
            f"The same in random samples of {SMALL} sentences, {SAMPLES} of each test set: on whole test sets"
            f" {min(whole):.0%} to {max(whole):.0%} of the pairs differ, by measure."
        ),
    )
    shown = Table(_estimate_columns("significant pairs"), _estimate_rows(found))
    return StudySection("On small test sets", text, shown, _interval_dots(found, "significant pairs"))


def _by_family(table: ResultsByTestSet) -> Iterator[StudySection]:
    titles = {
        "By family: which measure separates systems": (
            mean_of(table.significant, table.pairs), 1,
            "The share of significant pairs by family; Indo-European by branch. Families of few test sets say little.",
        ),
        "By family: how evenly test sets are scored": (
            spread_of(table.values, POINTS), 3,
            "The standard deviation of scores, in points, inside families of at least three test sets.",
        ),
        "By family: how stable the order of systems is": (
            mean_of(table.concordance), 1, "The share of pairs of systems in the same order in resamples.",
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
    """The spread on every scale: where parsers were trained, then on all test sets."""
    about = (
        f"How much the scores of one system vary over test sets: their standard deviation, averaged over"
        f" {len(table.systems)} systems with all outputs. Lower scores alone make the spread a larger share of the mean"
        " score and a smaller share of the mean error. So a measure counts as more or less even than LAS only if it is"
        " so on all four scales. Test sets differ in training data, size and domain, and not only in language: a small"
        " spread does not prove that a measure is fair."
    )
    groups = {
        "How evenly, where parsers were trained": (well_parsed(table), (about, _chosen(table))),
        "How evenly, on all test sets": (np.arange(len(table.codes)), ()),
    }
    for number, (title, (rows, texts)) in enumerate(groups.items()):
        found = spreads_by_scale(table, rows, request.resamples, request.seed)
        for scale, comparison in found.items():
            first = scale == next(iter(found))
            figure = _interval_dots(comparison, "spread in points") if first and number == 0 else None
            shown = Table(_estimate_columns("spread"), _estimate_rows(comparison, plain=scale == LOG_ODDS))
            yield StudySection(f"{title}: {scale}", texts if first else (), shown, figure)


def _chosen(table: ResultsByTestSet) -> str:
    """Which test sets are left out as hardly parsed."""
    well = well_parsed(table)
    if len(well) == len(table.codes):
        few = sum(table.values[:, :, LAS].mean(axis=1) >= WELL_PARSED) < 2
        which_sets = "fewer than two" if few else "all"
        return f"All test sets are used: {which_sets} have a mean LAS of at least {WELL_PARSED:.0%}."
    others = [code for number, code in enumerate(table.codes) if number not in set(well.tolist())]
    return (
        f"These are the {len(well)} test sets with a mean LAS of at least {WELL_PARSED:.0%}; left out are"
        f" {', '.join(others)}."
    )


def _stability(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    order = _over_all(mean_of(table.concordance), table, request)
    noise = value_of(mean_of(table.noise), range(len(table.codes)))
    rows = tuple((*row, error) for row, error in zip(_estimate_rows(order), noise))
    columns = (*_estimate_columns("same order"), Column("relative error"))
    text = (
        (
            "Sentences of a test set are drawn again with replacement: the share of pairs of systems in the same order"
            " as on the whole test set, averaged over test sets; and the standard error as a share of the score."
        ),
    )
    return StudySection(
        "How stable the order of systems is", text, Table(columns, rows), _interval_dots(order, "same order")
    )


def _pairs_of_systems(results: Mapping[str, Row]) -> StudySection:
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in results.values():
        for number, pair in enumerate(combinations(row["systems"], 2)):
            counts[pair] += 1
            for name, values in row["p"].items():
                found.setdefault(pair, {}).setdefault(name, []).append(values[number])
    cells: tuple[tuple[Any, ...], ...] = tuple(
        (f"{first} and {second}", counts[first, second],
         *(significant_share(values[name]) if name in values else None for name in MEASURES))
        for (first, second), values in found.items()
    )  # fmt: skip
    columns = (Column("systems", "text"), Column("test sets", "number"), *(Column(name) for name in MEASURES))
    return StudySection(
        "By pair of systems", ("The share of test sets on which two systems differ.",), Table(columns, cells)
    )


def _sets(table: ResultsByTestSet) -> StudySection:
    columns = (Column("test set", "text"), Column("family or branch", "text"), Column("pairs", "number"),
               *(Column(name) for name in MEASURES))  # fmt: skip
    cells: tuple[tuple[Any, ...], ...] = tuple(
        (code, family, int(pairs), *known(row))
        for code, family, pairs, row in zip(table.codes, table.families, table.pairs, table.significant)
    )
    return StudySection("By test set", ("The share of significant pairs.",), Table(columns, cells))
