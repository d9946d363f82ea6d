"""Which measure separates systems best, spreads languages least, and is most stable: all systems, all test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.languages import language_of
from levelhead.errors import Fault, InputError
from levelhead.report.page.charts import Spread, spreads
from levelhead.report.page.svg import Drawing
from levelhead.report.table import Column, Table
from levelhead.significance import holm
from levelhead.studies.parts import Parts, parts_of, systems_in
from levelhead.studies.request import Request, Task, done, signature
from levelhead.studies.separation import LEVEL, MEASURES, SAMPLES, SMALL, Numbers, entropies, tested
from levelhead.studies.study import Claim, Section, Study, judged
from levelhead.treebank.relations import UD2
from levelhead.typology import averaged_entropy

NAME = "measures-2018"
TITLE = "Which measure separates parsers best?"
SOURCE = "A study of our own, made for the outputs of the CoNLL 2018 shared task (Zeman et al. 2018)"

WELL_PARSED = 0.5
"""The mean LAS from which a test set counts as parsed at all: below are those without training data."""

Row = Mapping[str, Any]


class _Table(NamedTuple):
    """What came of all test sets, in arrays.

    Args:
        codes: the test sets.
        families: their families.
        significant: the share of significant pairs, shape (test sets, measures).
        corrected: the same with p corrected for all pairs of a test set (Holm).
        small: the share in samples of 200 sentences.
        concordance: shape (test sets, measures).
        noise: the mean standard error over the mean value, likewise.
        values: of systems with all outputs, shape (test sets, systems, measures).
        systems: these systems.
        pairs: how many pairs each test set has.
    """

    codes: tuple[str, ...]
    families: tuple[str, ...]
    significant: Numbers
    corrected: Numbers
    small: Numbers
    concordance: Numbers
    noise: Numbers
    values: Numbers
    systems: tuple[str, ...]
    pairs: Numbers


def reproduce(request: Request) -> Study:
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
    gold = done(NAME, [Task(code, entropies, (parts.tested,)) for code, parts in treebanks.items()], request)
    weights = averaged_entropy(list(gold.values()), UD2)
    tasks = [_task(parts, systems, weights, request) for parts in treebanks.values()]
    results = done(NAME, [task for task in tasks if task is not None], request)
    results = {code: row for code, row in results.items() if row is not None}
    if not results:
        raise InputError(Fault("missing-system-file", "no test set has valid outputs of two systems"))
    table = _gathered(results)
    draws = np.random.default_rng(request.seed).integers(
        0, len(table.codes), size=(request.resamples, len(table.codes))
    )
    sections = (
        _separation(table, draws), _small(table, draws), *_evenness(table, request), _stability(table, draws),
        *_by_family(table), _pairs_of_systems(results), _sets(table),
    )  # fmt: skip
    setting = (
        (
            f"{len(table.codes)} test sets, {len(systems)} systems; a system without a valid output on a test set is"
            f" left out there, and {', '.join(table.systems)} have one everywhere. Scores follow the rules `ud`."
        ),
        (
            "WLAS weighs each relation by its word dependency entropy, averaged over these test sets. Systems are"
            " compared in pairs by approximate randomisation over sentences, two-sided, at the level of 5%. Intervals"
            " of 95% come from resampling test sets: they say how far the finding would carry to other test sets like"
            " these; an interval that holds 0 leaves the question open."
        ),
        (
            f"The task of 2018 had twenty-six systems; compared here are {len(systems)}: {', '.join(systems)}."
            f" {_apart(table)} Measures are compared on the same pairs. In UD v2, CNC leaves out the same relations as"
            " CLAS but for `clf`, so that the two are one where there is none. Derivation perplexity needs the systems'"
            f" training data, and is left out. {len(MEASURES) - 1} measures are compared with LAS in several ways,"
            " without a correction for that: one in twenty misses 0 by chance."
        ),
    )
    signed = signature(request, rules="ud", test_sets=str(len(table.codes)), systems=str(len(systems)))
    return Study(NAME, TITLE, SOURCE, setting, sections, _claims(table, draws, request), signed)


def _apart(table: _Table) -> str:
    """How far apart systems are, in a sentence."""
    means = table.values[:, :, list(MEASURES).index("LAS")].mean(axis=0) if table.systems else np.array([])
    reach = f"Their mean LAS reaches from {means.min():.1%} to {means.max():.1%}: w" if len(means) else "W"
    return f"{reach}here systems are far apart, shares of significant pairs are higher than among close competitors."


def _task(
    parts: Parts, systems: Mapping[str, Mapping[str, Path]], weights: Mapping[str, float], request: Request
) -> Task | None:
    outputs = {name: paths[parts.code] for name, paths in systems.items() if parts.code in paths}
    if len(outputs) < 2:
        return None
    settings = (list(outputs), dict(weights), request.resamples, request.seed)
    return Task(parts.code, tested, (parts.tested, *outputs.values()), settings)


def _gathered(results: Mapping[str, Row]) -> _Table:
    codes = tuple(results)
    rows = list(results.values())

    def each(function: Callable[[Row, str], float]) -> Numbers:
        return np.array([[function(row, name) for name in MEASURES] for row in rows])

    everywhere = [name for name in rows[0]["systems"] if all(name in row["systems"] for row in rows)]
    values = np.array(
        [[[row["values"][m][row["systems"].index(name)] for m in MEASURES] for name in everywhere] for row in rows]
    )
    return _Table(
        codes,
        tuple(_family(code) for code in codes),
        each(lambda row, name: _share(row["p"][name])),
        each(lambda row, name: _share([p or 0.0 for p in holm(row["p"][name])])),
        each(lambda row, name: row["small"][name]),
        each(lambda row, name: row["concordance"][name]),
        each(lambda row, name: float(np.mean(row["errors"][name]) / np.mean(row["values"][name]))),
        values,
        tuple(everywhere),
        np.array([len(row["p"]["LAS"]) for row in rows], dtype=np.float64),
    )


def _family(code: str) -> str:
    language = language_of(code)
    return (language.genus if language.family == "Indo-European" else language.family) or "other"


def _share(values: Sequence[float]) -> float:
    return sum(value < LEVEL for value in values) / len(values)


class _Estimate(NamedTuple):
    """A value of each measure with its interval, and that of its difference to LAS; shapes (measures,)."""

    value: Numbers
    low: Numbers
    high: Numbers
    less: Numbers
    more: Numbers


def _estimated(statistic: Callable[[NDArray[np.int64]], Numbers], n: int, draws: NDArray[np.int64]) -> _Estimate:
    """A statistic of test sets, with percentile intervals from resampled test sets."""
    value = statistic(np.arange(n))
    boot = np.array([statistic(rows) for rows in draws])
    las = list(MEASURES).index("LAS")
    low, high = np.quantile(boot, [0.025, 0.975], axis=0)
    less, more = np.quantile(boot - boot[:, las : las + 1], [0.025, 0.975], axis=0)
    return _Estimate(value, low, high, less, more)


def _pooled(shares: Numbers, pairs: Numbers) -> Callable[[NDArray[np.int64]], Numbers]:
    """The share over all pairs of systems and test sets."""

    def share(rows: NDArray[np.int64]) -> Numbers:
        pooled: Numbers = (shares[rows] * pairs[rows, None]).sum(axis=0) / pairs[rows].sum()
        return pooled

    return share


def _mean_of(values: Numbers) -> Callable[[NDArray[np.int64]], Numbers]:
    def mean(rows: NDArray[np.int64]) -> Numbers:
        means: Numbers = values[rows].mean(axis=0)
        return means

    return mean


def _estimate_rows(found: _Estimate, *, reference: str = "LAS") -> tuple[tuple[str | float | None, ...], ...]:
    rows: list[tuple[str | float | None, ...]] = []
    for m, name in enumerate(MEASURES):
        own = name == reference
        change = None if own else float(found.value[m] - found.value[list(MEASURES).index(reference)])
        bounds = (None, None) if own else (float(found.less[m]), float(found.more[m]))
        rows.append((name, float(found.value[m]), float(found.low[m]), float(found.high[m]), change, *bounds))
    return tuple(rows)


def _drawn(found: _Estimate, what: str) -> Drawing:
    """Dots with intervals, in percent."""
    rows = [
        Spread(name, *(100 * float(values[m]) for values in (found.value, found.low, found.high)))
        for m, name in enumerate(MEASURES)
    ]
    return spreads(what, rows, "%")


def _estimate_columns(what: str) -> tuple[Column, ...]:
    names = ("minus LAS", "from", "to")
    return (Column("measure", "text"), Column(what), Column("low"), Column("high"),
            *(Column(name, "difference") for name in names))  # fmt: skip


def _separation(table: _Table, draws: NDArray[np.int64]) -> Section:
    found = _estimated(_pooled(table.significant, table.pairs), len(table.codes), draws)
    corrected = _pooled(table.corrected, table.pairs)(np.arange(len(table.codes)))
    rows = tuple((*row, float(corrected[m])) for m, row in enumerate(_estimate_rows(found)))
    columns = (*_estimate_columns("significant pairs"), Column("after Holm"))
    text = (
        (
            f"The share of {int(table.pairs.sum())} pairs (two systems, one test set) that differ with p < .05; the"
            " last column corrects p for the pairs of a test set."
        ),
    )
    return Section("Which measure separates systems", text, Table(columns, rows), _drawn(found, "significant pairs"))


def _small(table: _Table, draws: NDArray[np.int64]) -> Section:
    found = _estimated(_pooled(table.small, table.pairs), len(table.codes), draws)
    whole = _pooled(table.significant, table.pairs)(np.arange(len(table.codes)))
    text = (
        (
            f"The same in random samples of {SMALL} sentences, {SAMPLES} of each test set: on whole test sets"
            f" {whole.min():.0%} to {whole.max():.0%} of the pairs differ, by measure."
        ),
    )
    shown = Table(_estimate_columns("significant pairs"), _estimate_rows(found))
    return Section("On small test sets", text, shown, _drawn(found, "significant pairs"))


def _by_family(table: _Table) -> Iterator[Section]:
    titles = {
        "By family: which measure separates systems": (
            _pooled(table.significant, table.pairs), 1,
            "The share of significant pairs by family; Indo-European by branch. Families of few test sets say little.",
        ),
        "By family: how evenly test sets are scored": (
            _spread(table.values), 3, "The spread of scores inside families of at least three test sets.",
        ),
        "By family: how stable the order of systems is": (
            _mean_of(table.concordance), 1, "The share of pairs of systems in the same order in resamples.",
        ),
    }  # fmt: skip
    for title, (statistic, least, text) in titles.items():
        yield Section(title, (text,), _family_table(table, statistic, least))


def _family_table(table: _Table, statistic: Callable[[NDArray[np.int64]], Numbers], least: int) -> Table:
    names = sorted(set(table.families), key=lambda name: (-table.families.count(name), name))
    cells: list[tuple[str | float, ...]] = []
    for name in names:
        rows = np.array([i for i, family in enumerate(table.families) if family == name])
        if len(rows) >= least:
            cells.append((name, len(rows), int(table.pairs[rows].sum()), *(float(v) for v in statistic(rows))))
    columns = (Column("family or branch", "text"), Column("test sets", "number"), Column("pairs", "number"),
               *(Column(name) for name in MEASURES))  # fmt: skip
    return Table(columns, tuple(cells))


def _spread(values: Numbers) -> Callable[[NDArray[np.int64]], Numbers]:
    """The standard deviation of scores over test sets as a share of their mean, averaged over systems."""

    def spread(rows: NDArray[np.int64]) -> Numbers:
        chosen = values[rows]
        result: Numbers = (chosen.std(axis=0, ddof=1) / chosen.mean(axis=0)).mean(axis=0)
        return result

    return spread


def _well_parsed(table: _Table) -> NDArray[np.int64]:
    las = list(MEASURES).index("LAS")
    chosen = np.flatnonzero(table.values[:, :, las].mean(axis=1) >= WELL_PARSED)
    return chosen if len(chosen) > 1 else np.arange(len(table.codes))


def _spreads(table: _Table, request: Request, rows: NDArray[np.int64]) -> _Estimate:
    draws = np.random.default_rng(request.seed).integers(0, len(rows), size=(request.resamples, len(rows)))
    return _estimated(_spread(table.values[rows]), len(rows), draws)


def _evenness(table: _Table, request: Request) -> tuple[Section, ...]:
    text = (
        (
            "How much the scores of one system vary over test sets: their standard deviation as a share of their mean,"
            f" averaged over {len(table.systems)} systems with all outputs; the last column has the standard deviation"
            " itself. Test sets differ in training data, size and domain, not in language alone: a small spread is no"
            " proof of fairness, but what a measure adds to or takes from the spread of LAS comes from the measure."
        ),
    )
    well = _well_parsed(table)
    every = np.arange(len(table.codes))
    some = (_told(table, well),)
    return (
        Section("How evenly languages are scored", text, _spread_table(table, request, every)),
        Section(
            "How evenly, where parsers were trained",
            some,
            _spread_table(table, request, well),
            _drawn(_spreads(table, request, well), "spread"),
        ),
    )


def _told(table: _Table, well: NDArray[np.int64]) -> str:
    """Which test sets are left out as hardly parsed."""
    if len(well) == len(table.codes):
        few = sum(table.values[:, :, list(MEASURES).index("LAS")].mean(axis=1) >= WELL_PARSED) < 2
        return (
            f"The same: {'fewer than two' if few else 'all'} test sets have a mean LAS of at least {WELL_PARSED:.0%}."
        )
    others = [code for number, code in enumerate(table.codes) if number not in set(well.tolist())]
    return (
        f"The same over the {len(well)} test sets with a mean LAS of at least {WELL_PARSED:.0%}; without"
        f" {', '.join(others)}, whose mean is lower."
    )


def _spread_table(table: _Table, request: Request, chosen: NDArray[np.int64]) -> Table:
    sd = table.values[chosen].std(axis=0, ddof=1).mean(axis=0)
    estimates = _estimate_rows(_spreads(table, request, chosen))
    rows = tuple((*row, float(sd[m])) for m, row in enumerate(estimates))
    return Table((*_estimate_columns("spread"), Column("in points")), rows)


def _stability(table: _Table, draws: NDArray[np.int64]) -> Section:
    order = _estimated(_mean_of(table.concordance), len(table.codes), draws)
    noise = _estimated(_mean_of(table.noise), len(table.codes), draws)
    rows = tuple((*row, float(noise.value[m])) for m, row in enumerate(_estimate_rows(order)))
    columns = (*_estimate_columns("same order"), Column("relative error"))
    text = (
        (
            "Sentences of a test set are drawn again with replacement: the share of pairs of systems that stand in the"
            " same order as on the whole test set, averaged over test sets; and the standard error as a share of it."
        ),
    )
    return Section("How stable the order of systems is", text, Table(columns, rows), _drawn(order, "same order"))


def _pairs_of_systems(results: Mapping[str, Row]) -> Section:
    found: dict[tuple[str, str], list[list[float]]] = {}
    for row in results.values():
        for number, pair in enumerate(combinations(row["systems"], 2)):
            found.setdefault(pair, []).append([row["p"][name][number] for name in MEASURES])
    cells: tuple[tuple[Any, ...], ...] = tuple(
        (f"{one} and {other}", len(rows), *(_share([row[m] for row in rows]) for m in range(len(MEASURES))))
        for (one, other), rows in found.items()
    )
    columns = (Column("systems", "text"), Column("test sets", "number"), *(Column(name) for name in MEASURES))
    return Section("By pair of systems", ("On how many test sets two systems differ.",), Table(columns, cells))


def _sets(table: _Table) -> Section:
    columns = (Column("test set", "text"), Column("family or branch", "text"), Column("pairs", "number"),
               *(Column(name) for name in MEASURES))  # fmt: skip
    cells: tuple[tuple[Any, ...], ...] = tuple(
        (code, family, int(pairs), *(float(value) for value in row))
        for code, family, pairs, row in zip(table.codes, table.families, table.pairs, table.significant)
    )
    return Section("By test set", ("The share of significant pairs.",), Table(columns, cells))


def _claims(table: _Table, draws: NDArray[np.int64], request: Request) -> tuple[Claim, ...]:
    """What one may expect of the measures, and what the intervals of differences to LAS say."""
    n = len(table.codes)
    whole = _estimated(_pooled(table.significant, table.pairs), n, draws)
    small = _estimated(_pooled(table.small, table.pairs), n, draws)
    spread = _spreads(table, request, _well_parsed(table))
    order = _estimated(_mean_of(table.concordance), n, draws)
    content, rich = ("CLAS", "WLAS"), ("MLAS", "BLEX")
    return (
        _expected(
            "CLAS and WLAS, which rest on fewer words, separate fewer pairs of systems than LAS", whole, content, -1
        ),
        _expected(f"the same on samples of {SMALL} sentences", small, content, -1),
        _expected("MLAS and BLEX, which ask for more, separate more pairs than LAS", whole, rich, 1),
        _expected(f"the same on samples of {SMALL} sentences", small, rich, 1),
        _expected(
            "CLAS and WLAS score languages more evenly than LAS, where parsers were trained", spread, content, -1
        ),
        _expected("MLAS and BLEX score them less evenly than LAS", spread, rich, 1),
        _expected("the order of systems is less stable by CLAS and WLAS than by LAS", order, content, -1),
        _expected("the order of systems is less stable by MLAS and BLEX than by LAS", order, rich, -1),
    )


def _expected(text: str, found: _Estimate, names: Sequence[str], sign: int) -> Claim:
    """An expectation: it holds if all intervals of differences to LAS lie on its side, not if one is on the other."""
    places = {name: m for m, name in enumerate(MEASURES)}
    bounds = {name: sorted((sign * float(found.less[m]), sign * float(found.more[m]))) for name, m in places.items()}
    fits = all(bounds[name][0] > 0 for name in names)
    contradicts = any(bounds[name][1] < 0 for name in names)
    told = ", ".join(
        f"{name} minus LAS {100 * (found.value[places[name]] - found.value[places['LAS']]):+.2f}"
        f" ({100 * found.less[places[name]]:+.2f} to {100 * found.more[places[name]]:+.2f})"
        for name in names
    )
    return judged(text[:1].upper() + text[1:], "an expectation", True if fits else False if contradicts else None, told)
