"""The difficulty of test sets and the ability of systems, from scores of systems that may lack some outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.ranked_systems import RankingChoice, parts_of, rank_results, sampling_of
from levelhead.campaign.ranking import ALL, AdjustedSystem, adjusted, adjustment_notes, fitted_scores
from levelhead.campaign.results import Results
from levelhead.correlation.correlate import correlate
from levelhead.correlation.measurements import Measurements, join
from levelhead.errors import Fault, InputError, number_of, with_minus
from levelhead.immutable import immutable
from levelhead.significance.abilities import Abilities, logit_of, percent_of
from levelhead.significance.estimates import InferenceSettings, quantile
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.power import detectable_difference, difference_variances
from levelhead.significance.scopes import count_units
from levelhead.significance.units import FEWEST_UNITS
from levelhead.tables.data import Field, Layout, Percent, Points, PointsInterval, Probability
from levelhead.tables.table import Column, Detail, Table, interval_head, p_text
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.typology.languages import language_of

_Numbers = NDArray[np.float64]
_Interval = tuple[float, float]
_FEWEST = 3  # systems, and test sets
_EQUAL = 1e-6  # points, within which difficulties are equal


class RatedTestSet(NamedTuple):
    """The difficulty of a test set; intervals generalize to other systems of the same kind.

    Args:
        treebank: the code of the test set.
        n_systems: the number of systems with a valid score.
        mean: the mean of these scores.
        expected: the expected score of a system of average ability; null if the test set cannot be compared.
        difficulty: the mean of `expected` over all test sets, minus `expected`.
        difficulty_interval: its confidence interval; null with fewer than two systems.
        logits: the difficulty in logits; 0 on average.
        logits_interval: its confidence interval.
        discrimination: how well the test set separates systems: the slope of logits by ability, on
            average 1; null with fewer than three systems.
        discrimination_interval: its confidence interval.
    """

    treebank: str
    n_systems: int
    mean: Percent | None
    expected: Percent | None = None
    difficulty: Points | None = None
    difficulty_interval: PointsInterval | None = None
    logits: float | None = None
    logits_interval: _Interval | None = None
    discrimination: float | None = None
    discrimination_interval: _Interval | None = None


class Ability(NamedTuple):
    """The ability of a system.

    Args:
        ability: the ability in logits, 0 on average; null if the system cannot be compared.
        ability_interval: its confidence interval.
    """

    ability: float | None
    ability_interval: _Interval | None


class Residual(NamedTuple):
    """How much better or worse a system is on a test set than expected.

    Args:
        system: the system.
        treebank: the test set.
        score: the score.
        expected: the score expected from the system's ability and the test set's difficulty.
        residual: `score` minus `expected`.
        standardized: the residual in logits, divided by its standard deviation; unusual beyond 3 or -3.
    """

    system: str
    treebank: str
    score: Percent
    expected: Percent
    residual: Points
    standardized: float


class Explained(NamedTuple):
    """How much of the differences in difficulty a property of treebanks explains.

    Args:
        column: the name of the property; "all" for all properties jointly.
        n: the number of languages, or of test sets for "all".
        r: the correlation with difficulty.
        interval: the confidence interval of `r`, simultaneous for all properties; null for "all".
        p: the p-value, corrected for the number of properties; null for "all".
        explained: the explained share of the variance of difficulty (adjusted R squared).
        points: the standard deviation of the explained part of difficulty.
    """

    column: str
    n: int
    r: Annotated[float, Field("Correlation with difficulty", (-1, 1))]
    interval: _Interval | None
    p: Probability | None
    explained: Percent
    points: Points


class DetectableOn(NamedTuple):
    """The size of a test set, and the differences that it can detect (two-sided, level .05, power 80%).

    Args:
        treebank: the code of the test set.
        sentences: the number of sentences.
        words: the number of words.
        unit: the unit of the test: "sentence", "document" or "comment:NAME".
        n_units: the number of units.
        close: the median detectable difference between systems with neighboring ranks; null if unknown.
        distant: the median detectable difference between systems half a ranking apart; null if unknown.
    """

    treebank: str
    sentences: int
    words: int
    unit: str
    n_units: int
    close: Points | None
    distant: Points | None


@immutable
class Difficulty(Tabular):
    """The difficulty of test sets.

    Args:
        measure: the measure.
        test_sets: the test sets, the hardest first.
        systems: the expected average score and the ability of each system, the best first.
        residuals: the difference between each score and its expected value.
        explained: for each property, how much of the difficulty it explains; empty if `explain` was not given.
        detectable: the smallest difference between systems that each test set can detect; empty if scores were given
            instead of files.
        provenance: the settings and files behind the numbers.
    """

    KIND: ClassVar[str] = "difficulty"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "test_sets": (RatedTestSet,),
        "systems": (AdjustedSystem, Ability),
        "residuals": (Residual,),
        "explained": (Explained,),
        "detectable": (DetectableOn,),
    }

    measure: str
    test_sets: tuple[RatedTestSet, ...]
    systems: tuple[tuple[AdjustedSystem, Ability], ...]
    residuals: tuple[Residual, ...]
    explained: tuple[Explained, ...]
    detectable: tuple[DetectableOn, ...]
    provenance: Provenance

    @property
    def verdict(self) -> str:
        """A text that names the hardest and the easiest test set, and says how much test sets and systems vary."""
        known = [row for row in self.test_sets if row.difficulty is not None]
        hardest, easiest = known[0], known[-1]
        spread = np.std([row.difficulty or 0.0 for row in known])
        systems = np.std([row.adjusted for row, _ in self.systems if row.adjusted is not None] or [0.0])
        text = (
            f"{hardest.treebank} is the hardest test set and {easiest.treebank} the easiest: an average system has an"
            f" expected {self.measure} of {hardest.expected:.1f} and {easiest.expected:.1f}.{_uncertain(known)} The"
            f" standard deviation of test sets is {spread:.1f} points, that of systems {systems:.1f}."
        )
        if self.explained:
            best = max(self.explained, key=lambda row: -1.0 if row.p is None else row.explained)
            numbers = f"{best.explained:.0f}% (r = {with_minus(f'{best.r:.2f}')}, p {p_text(best.p)})"
            is_significant = best.p is not None and best.p < 1 - float(self.provenance.signature["level"])
            text += (
                f" {best.column} explains most: {numbers}."
                if is_significant
                else " No property explains the difficulty significantly."
            )
        return text

    def table(self) -> Table:
        """Return a table of the difficulty of each test set."""
        head = interval_head(self.provenance.signature["level"])
        columns = (
            Column("Treebank", "text"), Column("Systems", "number"), Column(f"Mean {self.measure}", "percent"),
            Column(f"Expected {self.measure}", "percent"), Column("Difficulty", "points"), Column(head, "points"),
            Column("Logits", "coefficient", rank=2), Column("Discrimination", "coefficient", rank=1),
        )  # fmt: skip
        rows = tuple(
            (*row[:5], row.difficulty_interval, row.logits,
             row.discrimination)
            for row in self.test_sets
        )  # fmt: skip
        notes = (
            Detail("Difficulty: how many points an average system scores below its mean over test sets"),
            Detail("Discrimination: how well the test set separates systems, 1 on average"),
        )
        return Table(columns, rows, notes).signed(self.provenance)

    def text_tables(self) -> tuple[Table, ...]:
        """Return all tables: test sets, properties, systems, unusual scores and detectable differences."""
        return (self.table(), *(table for _, table in self.other_tables()))

    def other_tables(self, n_unusual: int = 10) -> Iterator[tuple[str, Table]]:
        """Yield the name and contents of each nonempty table, except the table of test sets."""
        level = interval_head(self.provenance.signature["level"])
        unusual = sorted(self.residuals, key=lambda row: -abs(row.standardized))[:n_unusual]
        every: dict[str, tuple[Sequence[Column], Sequence[tuple[Any, ...]]]] = {
            "explained": (
                (Column("Column", "text"), Column("n", "number"), Column("r", "coefficient"),
                 Column(level, "coefficient"), Column("p", "probability"),
                 Column("Explained", "percent"), Column("Points", "percent")),
                self.explained,
            ),
            "systems": (
                (Column("System", "text"), Column("Test sets", "number"), Column(f"Adjusted {self.measure}", "percent"),
                 Column(level, "percent"), Column("Ability", "coefficient")),
                [(row.system, row.n_test_sets, row.adjusted,
                  row.adjusted_interval, ability.ability)
                 for row, ability in self.systems],
            ),
            "unusual": (
                (Column("System", "text"), Column("Treebank", "text"), Column(self.measure, "percent"),
                 Column("Expected", "percent"), Column("Residual", "points"), Column("Standardized", "points")),
                unusual,
            ),
            "detectable": (
                (Column("Treebank", "text"), Column("Sentences", "number"), Column("Words", "number"),
                 Column("Unit", "text"), Column("Units", "number"),
                 Column("Detectable: close", "percent"), Column("distant", "percent")),
                self.detectable,
            ),
        }  # fmt: skip
        for key, (columns, rows) in every.items():
            if rows:
                yield key, Table(tuple(columns), tuple(map(tuple, rows)))


def difficulties(results: Results, measure: str, level: float, properties: Measurements | None) -> Difficulty:
    """Return the difficulty of the test sets of a campaign by a measure."""
    choice = RankingChoice("exact", [ALL], {}, InferenceSettings(level=level) if results.units else None)
    ranked = rank_results(results, [measure], choice)
    scores = fitted_scores(results, measure)
    ranking = adjusted(results, ranked.rankings[0], scores, level, sampling_of(results, level))
    _, given, model = scores
    compared = model.fitted.any(axis=1).sum(), model.fitted.any(axis=0).sum()
    if min(compared) < _FEWEST:
        message = f"difficulty requires {_FEWEST} systems and {_FEWEST} test sets with comparable scores, not"
        raise InputError(Fault("too-few-treebanks", f"{message} {compared[0]} and {compared[1]}"))
    test_sets = _test_sets(results, model, given, level)
    places = {system: place for place, system in enumerate(results.systems)}
    systems = tuple((row, _ability(model, places[row.system], level)) for row in ranking.adjusted)
    explained, notes = tuple[Explained, ...](), list[str]()
    if properties is not None:
        explained, notes = _explained(test_sets, properties, level)
    signature = {**results.signature, "missing": "adjust", "level": repr(level)}
    signature |= {} if properties is None else properties.signature(signature)
    provenance = results.provenance()
    detectable = tuple(_detectable(results, measure)) if results.units else ()
    notes = [*adjustment_notes(ranking, of_files=bool(results.units)), *_language_notes(test_sets), *notes]
    return Difficulty(
        measure, test_sets, systems, tuple(_residuals(results, model, given)), explained, detectable,
        Provenance(signature, provenance.files, provenance.warnings, (*notes, *provenance.notes)),
    )  # fmt: skip


def _uncertain(known: Sequence[RatedTestSet]) -> str:
    """A sentence on the test sets that may be as hard as the first or as easy as the last; "" without any."""
    intervals = [row.difficulty_interval or (-np.inf, np.inf) for row in known]
    as_hard = sum(high >= intervals[0][0] - _EQUAL for _, high in intervals[1:])
    as_easy = sum(low <= intervals[-1][1] + _EQUAL for low, _ in intervals[:-1])
    counts = {"hard": as_hard, "easy": as_easy}
    parts = [f"{number_of(count, 'other test set')} may be as {how}" for how, count in counts.items() if count]
    return f" By their intervals, {' and '.join(parts)}." if parts else ""


def _test_sets(results: Results, model: Abilities, given: _Numbers, level: float) -> tuple[RatedTestSet, ...]:
    n_systems, known = len(model.ability), np.flatnonzero(~np.isnan(model.easiness))
    covariance = model.calibration * model.covariance[n_systems:, n_systems:]
    expected = percent_of(model.easiness)
    slopes = np.nan_to_num(expected * (100 - expected) / 100, nan=0.0)
    rows, most = [], model.residual_freedom
    for j, test_set in enumerate(results.test_sets):
        count, seen = int(model.fitted[:, j].sum()), given[~np.isnan(given[:, j]), j]
        mean = float(seen.mean()) if len(seen) else None
        if j not in known:
            rows.append(RatedTestSet(test_set.code, count, mean))
            continue
        share = np.isin(np.arange(len(slopes)), known) / len(known)
        alone = np.arange(len(slopes)) == j
        logits = float((share[known] * model.easiness[known]).sum() - model.easiness[j])
        points = float(expected[known].mean() - expected[j])
        errors = [float(np.sqrt(c @ covariance @ c)) for c in ((share - alone) * slopes, share - alone)]
        slope, error = float(model.slope[j]), float(model.slope_error[j])
        row = RatedTestSet(
            test_set.code, count, mean, float(expected[j]),
            points, _around(points, errors[0], min(count - 1, most), level),
            logits, _around(logits, errors[1], min(count - 1, most), level), None if np.isnan(slope) else slope,
            None if np.isnan(slope) else _around(slope, error, min(count - 2, most), level),
        )  # fmt: skip
        rows.append(row)
    return tuple(sorted(rows, key=lambda row: (row.difficulty is None, -(row.difficulty or 0.0))))


def _around(value: float, error: float, freedom: int, level: float) -> _Interval | None:
    """The confidence interval of a value; None without degrees of freedom."""
    if freedom < 1:
        return None
    half = quantile((1 - level) / 2, freedom) * error
    return value - half, value + half


def _ability(model: Abilities, place: int, level: float) -> Ability:
    ability = float(model.ability[place])
    if np.isnan(ability):
        return Ability(None, None)
    error = float(np.sqrt(model.calibration * model.covariance[place, place]))
    return Ability(ability, _around(ability, error, model.freedom(place), level))


def _residuals(results: Results, model: Abilities, given: _Numbers) -> Iterator[Residual]:
    expected = model.expected
    standardized = (logit_of(given) - logit_of(expected)) / np.sqrt(model.variance)
    for i, j in zip(*np.nonzero(model.fitted)):
        score, by_model = float(given[i, j]), float(expected[i, j])
        code = results.test_sets[j].code
        yield Residual(results.systems[i], code, score, by_model, score - by_model, float(standardized[i, j]))


def _explained(
    test_sets: Sequence[RatedTestSet], properties: Measurements, level: float
) -> tuple[tuple[Explained, ...], list[str]]:
    known = [row for row in test_sets if row.difficulty is not None]
    own = Measurements(
        tuple(row.treebank for row in known), {"difficulty": np.array([row.difficulty for row in known])}
    )
    table = join([own, properties])
    result = correlate(table, ["difficulty"], methods=("pearson",), missing="pairwise", level=level)
    rows = []
    names = [pair.y for pair in result.pairs]
    columns = np.array([table.numbers[name] for name in ("difficulty", *names)])
    y, *xs = columns[:, ~np.isnan(columns).any(axis=0)]
    spread = float(columns[0].std())
    for pair in result.pairs:
        found = pair.coefficients["pearson"]
        if found.value is not None and pair.n > 2:
            interval = None if found.low is None or found.high is None else (found.low, found.high)
            share = max(0.0, 1 - (1 - found.value**2) * (pair.n - 1) / (pair.n - 2))
            rows.append(Explained(pair.y, pair.n, found.value, interval, found.p, 100 * share, share**0.5 * spread))
    if len(rows) > 1 and len(y) > len(rows) + 2:
        x = np.column_stack([np.ones_like(y), *((x - x.mean()) / (x.std() or 1) for x in xs)])
        left = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        r_squared = max(0.0, 1 - float(left.var() / y.var()))
        share = max(0.0, 1 - (1 - r_squared) * (len(y) - 1) / (len(y) - len(xs) - 1))
        rows.append(Explained("all", len(y), r_squared**0.5, None, None, 100 * share, share**0.5 * float(y.std())))
    rows.sort(key=lambda row: (row.interval is None, -row.explained))
    return tuple(rows), list(result.provenance.notes)


def _language_notes(test_sets: Sequence[RatedTestSet]) -> Iterator[str]:
    """Yield a note on how much treebanks of one language differ."""
    by_language: dict[str, list[float]] = {}
    for row in test_sets:
        if row.difficulty is not None and (name := language_of(row.treebank).name):
            by_language.setdefault(name, []).append(row.difficulty)
    several = [values for values in by_language.values() if len(values) > 1]
    if len(several) > 1 and len(by_language) > len(several):
        within = sum(np.var(values) * len(values) for values in several) / sum(len(values) - 1 for values in several)
        between = np.std([np.mean(values) for values in by_language.values()])
        yield (
            f"test sets of one language differ in difficulty by a standard deviation of {within**0.5:.1f} points"
            f" ({number_of(len(several), 'language')}), languages by {between:.1f}"
        )


def _detectable(results: Results, measure: str) -> Iterator[DetectableOn]:
    for test_set in results.test_sets:
        code, size = test_set.code, results.gold[test_set.code]
        values = {system: results.results[system, code].values[measure] for system in results.systems}
        valid = [system for system in values if measure in results.results[system, code].sentences]
        order = sorted(valid, key=lambda system: values[system] or 0)
        parts = parts_of(results.of_systems(valid), code, measure)[:, :, None]
        valid_systems = tuple(system for system in results.systems if system in valid)
        units = results.units[code]
        counted = count_units(SystemCounts(valid_systems, (measure,), parts), units)
        n_units, differences = len(counted.table.parts), list[float | None]()
        for apart in (1, max(2, len(order) // 2)):
            found = []
            for one, other in zip(order, order[apart:]) if n_units >= FEWEST_UNITS else ():
                (variances,) = difference_variances(counted.table, one, other)
                if variances is not None and (points := detectable_difference(variances, n_units)) is not None:
                    found.append(100 * points)
            differences.append(median(found) if found else None)
        yield DetectableOn(code, size.sentences, size.words, units.kind, n_units, *differences)
