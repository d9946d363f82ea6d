"""Which measure separates systems best: a study of the outputs of the CoNLL 2018 shared task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from levelhead.campaign import Results
from levelhead.errors import Fault, InputError, number_of
from levelhead.evaluation.setup import setup_of
from levelhead.report.charts.page_charts import plotted_row, spreads
from levelhead.scoring.weights import weights_of
from levelhead.significance import resampled_rows
from levelhead.studies.measures_2018_estimates import (
    LAS,
    LOG_ODDS,
    MEASURES,
    POINTS,
    SAMPLES,
    SCALES,
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
from levelhead.studies.request import StudyRequest, parts_of, run_tasks, score_files, signature, systems_in
from levelhead.studies.study import Claim, Study, StudySection, columns, table_section
from levelhead.studies.verdicts import (
    Sign,
    agreed_verdict,
    estimate_shown,
    joint_verdict,
    verdict_of_effect,
)
from levelhead.tables.table import Plain
from levelhead.treebank.relations import UD2
from levelhead.typology import averaged_entropy

NAME = "measures-2018"
TITLE = "Which measure separates parsers best?"
SOURCE = "A study of our own, of the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"


def reproduce(request: StudyRequest) -> Study:
    """Run the study."""
    treebanks = parts_of(request)
    systems = systems_in(request.systems, treebanks)
    if not any(sum(code in paths for paths in systems.values()) > 1 for code in treebanks):
        raise InputError(Fault("missing-system-file", "no test set has outputs of two systems"))
    golds = {code: parts.tested for code, parts in treebanks.items()}
    by_treebank = run_tasks(NAME, entropies, {code: (path,) for code, path in golds.items()}, request)
    weights = averaged_entropy(list(by_treebank.values()), UD2)
    setup = setup_of(MEASURES.values(), weights={"wde": weights_of(weights)})
    results = _compared(score_files(golds, systems, setup, request, by_sentence=True), request)
    if not results:
        raise InputError(Fault("missing-system-file", "no test set has valid outputs of two systems"))
    table = results_by_test_set(results)
    sections = (
        _separation(table, request), _small(table, request), *_evenness(table, request), _stability(table, request),
        *_by_family(table), _pairs_of_systems(results), _sets(table),
    )  # fmt: skip
    signed = signature(request, rules="ud", test_sets=str(len(table.codes)), systems=str(len(systems)))
    return Study(NAME, TITLE, SOURCE, _setting(table, systems), sections, _claims_on_measures(table, request), signed)


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


def _compared(scored: Results, request: StudyRequest) -> dict[str, Row]:
    """Compare the systems on each test set that has two valid outputs."""
    counts = {
        test_set.code: counted
        for test_set in scored.test_sets
        if (counted := counts_on(scored, test_set.code)) is not None
    }
    arguments = {
        code: (table._replace(parts=table.parts.tolist()), *request.draws) for code, (table, _) in counts.items()
    }
    compared = run_tasks(NAME, compare_systems, arguments, request)
    return {code: row | {"undefined": counts[code][1]} for code, row in compared.items()}


def _estimates_section(
    title: str, what: str, comparison: Comparison, *text: str,
    more: tuple[str, Sequence[float | None]] | None = None, plain: bool = False, figure: str | None = None,
) -> StudySection:  # fmt: skip
    """A row for each measure: its value and its difference from LAS, with intervals; in percent unless plain.

    The figure is about `what`, unless it has another name; an empty name means no figure.
    """
    kind = Plain if plain else float
    rows = [
        (name, *(None if part is None else kind(part) for estimate in estimates for part in estimate or [None] * 3))
        for name, estimates in comparison.items()
    ]
    ratios, changes = (what, "95% CI from", "95% CI to"), ("minus LAS", "minus LAS from", "minus LAS to")
    kinds = columns(text="measure", ratio=ratios, difference=changes)
    if more is not None:
        kinds |= columns(ratio=more[0])
        rows = [(*row, value) for row, value in zip(rows, more[1])]
    dots = [
        plotted_row(name, estimate.value[0], estimate.value[1:], 100)
        for name, estimate in comparison.items()
        if estimate.value is not None
    ]
    name = what if figure is None else figure
    return table_section(title, kinds, rows, *text, figure=spreads(name, dots, "%") if dots and name else None)


def _over_all(statistic: Statistic, table: ResultsByTestSet, request: StudyRequest) -> Comparison:
    n = len(table.codes)
    return estimated(statistic, n, resampled_rows(n, *request.draws))


def _separation(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    corrected = value_of(mean_of(table.corrected, table.pairs), range(len(table.codes)))
    return _estimates_section(
        "Which measure separates systems",
        "significant pairs",
        _over_all(mean_of(table.significant, table.pairs), table, request),
        f"The share of the {int(table.pairs.sum())} pairs (two systems on a test set) that differ with p < .05. The"
        " last column corrects p for the number of pairs on a test set.",
        more=("with Holm correction", corrected),
    )


def _small(table: ResultsByTestSet, request: StudyRequest) -> StudySection:
    shares = value_of(mean_of(table.significant, table.pairs), range(len(table.codes)))
    whole = [value for value in shares if value is not None]
    return _estimates_section(
        "On small test sets",
        "significant pairs",
        _over_all(mean_of(table.small, table.pairs), table, request),
        f"The same on random samples of {SMALL} sentences, {SAMPLES} from each test set. On whole test sets,"
        f" {min(whole):.0%} to {max(whole):.0%} of the pairs differ, depending on the measure.",
    )


def _by_family(table: ResultsByTestSet) -> Iterator[StudySection]:
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
    for title, (rows, text) in groups.items():
        for scale, comparison in spreads_by_scale(table, rows, *request.draws).items():
            first = scale == SCALES[0]
            yield _estimates_section(
                f"{title}: {scale}", "spread", comparison, *(text if first else ()), plain=scale == LOG_ODDS,
                figure="spread in points" if first and text else "",
            )  # fmt: skip


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
    return _estimates_section(
        "How stable the order of systems is",
        "same order",
        _over_all(mean_of(table.concordance), table, request),
        "Sentences of a test set are resampled. The table shows the share of pairs of systems that have the same"
        " order as on the whole test set, averaged over test sets, and the standard error as a share of the score.",
        more=("relative error", value_of(mean_of(table.noise), range(len(table.codes)))),
    )


def _pairs_of_systems(results: Mapping[str, Row]) -> StudySection:
    p_values: dict[tuple[str, str], dict[str, list[float]]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in results.values():
        for number, pair in enumerate(combinations(row["systems"], 2)):
            counts[pair] += 1
            for name, values in row["p"].items():
                p_values.setdefault(pair, {}).setdefault(name, []).append(values[number])
    return table_section(
        "By pair of systems",
        columns(text="systems", number="test sets", ratio=MEASURES),
        [
            (" and ".join(pair), counts[pair],
             *(significant_share(values[name]) if name in values else None for name in MEASURES))
            for pair, values in p_values.items()
        ],
        "The share of test sets on which two systems differ significantly.",
    )  # fmt: skip


def _sets(table: ResultsByTestSet) -> StudySection:
    return table_section(
        "By test set",
        columns(text=("test set", "family or branch"), number="pairs", ratio=MEASURES),
        [
            (code, family, int(pairs), *known(row))
            for code, family, pairs, row in zip(table.codes, table.families, table.pairs, table.significant)
        ],
        "The share of significant pairs.",
    )


CONTENT, RICH = ("CLAS", "WLAS"), ("MLAS", "BLEX")


def _claims_on_measures(results: ResultsByTestSet, request: StudyRequest) -> tuple[Claim, ...]:
    """The verdicts on the expectations."""
    whole = {POINTS: _over_all(mean_of(results.significant, results.pairs), results, request)}
    small = {POINTS: _over_all(mean_of(results.small, results.pairs), results, request)}
    spread = spreads_by_scale(results, well_parsed(results), *request.draws)
    order = {POINTS: _over_all(mean_of(results.concordance), results, request)}
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
    places = {scale: (2, 100) if scale == POINTS else (3, 1) for scale in scales}
    evidence = (
        f"{name} minus LAS "
        + ", ".join(
            f"{estimate_shown(measures[name].change, *places[scale])} {scale}" for scale, measures in scales.items()
        )
        for name in names
    )
    return Claim(text, "an expectation", verdict, "; ".join(evidence))
