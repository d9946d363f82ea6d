"""The scores of one system on several treebanks, and their comparison."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from levelhead.campaign import Results
from levelhead.campaign.outputs import VisitEach
from levelhead.campaign.plan import Plan
from levelhead.campaign.ranking import macro_average
from levelhead.comparison.systems import (
    measures_part,
    notes_on_intervals,
    score_outputs,
    sentence_counts,
    sources_of_results,
)
from levelhead.errors import Fault, InputError, Place, listed, number_of
from levelhead.evaluation.fold import CountedPiece
from levelhead.evaluation.leakage import Leakage, LeakageCounts
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import comparison_provenance, joint_provenance, pair_provenance
from levelhead.evaluation.score_tables import covered
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Score
from levelhead.scoring.measure import Component
from levelhead.significance.corrections import corrected, level_of_each
from levelhead.significance.differences import DIFFERENCE, STARS, P, differences
from levelhead.significance.estimates import (
    STANDARD,
    Estimate,
    InferenceSettings,
    Interval,
    UnpairedDifference,
    rescaled,
    signature_of_tests,
)
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.scopes import (
    INFLUENCE,
    CountedUnits,
    Influenced,
    Scope,
    count_units,
    influence_notes,
    influence_rows,
    influenced_by,
)
from levelhead.significance.units import UNITS, ParallelUnits, Units, unit_line, unit_notes, unit_rows, with_p_values
from levelhead.tables.data import NOT_A_COLUMN, Layout, Probability, columns_of
from levelhead.tables.table import (
    STARS_NOTE,
    Cell,
    Column,
    Detail,
    Table,
    formatted,
    interval_head,
    p_text,
    percentage,
    stars,
    starts_of,
)
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import FileSummary, Provenance
from levelhead.treebank.training_data import Training


@immutable
class AverageScore(Score):
    """The macro-average of scores: the mean of their values, with the sums of their counts."""

    scores: tuple[Score, ...] = ()  # the scores on each treebank

    @property
    def value(self) -> float | None:
        """The mean of the scores on all treebanks; None if the score on any treebank has no value."""
        return None if self.exact is None else float(self.exact)

    @property
    def exact_ratio(self) -> Fraction | None:
        """The exact mean of the scores, as a ratio between 0 and 1; for perplexities, the exact mean perplexity."""
        ratios = [ratio for score in self.scores if (ratio := score.exact_ratio) is not None]
        return macro_average(ratios) if ratios and len(ratios) == len(self.scores) else None

    def ratio(self, component: Component, scale: int = 1) -> float | None:
        """Return the mean of the ratio called `component` ("precision", "f1" ...), multiplied by `scale`."""
        if component == self.component:
            return None if self.exact_ratio is None or self.perplexity else float(scale * self.exact_ratio)
        ratios = [ratio for score in self.scores if (ratio := score.ratio(component, scale)) is not None]
        return sum(ratios) / len(ratios) if len(ratios) == len(self.scores) else None


def averaged(evaluations: Mapping[str, Evaluation]) -> Evaluation:
    provenance = joint_provenance({code: evaluation.provenance for code, evaluation in evaluations.items()})
    scores, valid_trees = (
        _averages({code: getattr(one, name) for code, one in evaluations.items()}, provenance)
        for name in ("scores", "valid_trees")
    )
    every = evaluations.values()
    gold, system = (_total([getattr(one, side) for one in every]) for side in ("gold", "system"))
    found = {code: one.leakage for code, one in evaluations.items() if one.leakage is not None}
    leakage = _total_leakage(found, provenance) if found else None
    return Evaluation(scores, gold, system, provenance, valid_trees, covered(evaluations), leakage, parts=evaluations)


def _averages(scores: Mapping[str, Mapping[str, Score]], provenance: Provenance) -> dict[str, Score]:
    names = [name for name in next(iter(scores.values())) if all(name in some for some in scores.values())]
    return {name: _average({code: some[name] for code, some in scores.items()}, provenance) for name in names}


def _average(scores: Mapping[str, Score], provenance: Provenance) -> AverageScore:
    every = tuple(scores.values())
    first, without = every[0], dict[str, list[str]]()
    for code, score in scores.items():
        if score.reason:
            without.setdefault(score.reason, []).append(code)
    reason = "; ".join(f"{reason} ({listed(codes)})" for reason, codes in without.items()) or None
    correct, gold, system = (sum(getattr(one, name) for one in every) for name in ("correct", "gold", "system"))
    aligned = None if first.aligned is None else sum(one.aligned or 0 for one in every)
    how = first.undefined, reason, provenance.signature, first.perplexity
    return AverageScore(first.measure, correct, gold, system, aligned, *how, scores=every)


def _total_leakage(found: Mapping[str, Leakage], provenance: Provenance) -> Leakage:
    first, *_ = every = [*found.values()]
    occurring = tuple(
        seen._replace(
            sentences=sum(one.occurring[number].sentences for one in every),
            words=sum(one.occurring[number].words for one in every),
            rest=_averages({code: one.occurring[number].rest for code, one in found.items()}, provenance),
        )
        for number, seen in enumerate(first.occurring)
    )
    return Leakage(first.files, sum(one.sentences for one in every), sum(one.words for one in every), occurring)


def _total(files: Sequence[FileSummary]) -> FileSummary:
    sentences, words, tokens = (sum(getattr(file, size) for file in files) for size in ("sentences", "words", "tokens"))
    warnings = tuple(dict.fromkeys(fault for file in files for fault in file.warnings))
    return FileSummary(None, sentences, words, tokens, warnings)


class ScoreIntervals(NamedTuple):
    """The confidence intervals of the scores of one system, as in its comparison with no other."""

    values: Mapping[tuple[str | None, str], Interval | None]  # by test set, or None for averages, and measure
    parts: Mapping[str, str]  # of signatures
    notes: tuple[str, ...]

    def added_to(self, evaluation: Evaluation, code: str | None = None) -> Evaluation:
        """Return an evaluation with the intervals of a test set, or of averages."""
        scores = {
            name: replace(score, interval=self.values.get((code, name))) for name, score in evaluation.scores.items()
        }
        provenance = evaluation.provenance.with_parts(**self.parts)
        parts = {code: self.added_to(part, code) for code, part in evaluation.parts.items()}
        if code is None:
            provenance = replace(provenance, notes=(*provenance.notes, *self.notes))
        return replace(evaluation, scores=scores, parts=parts).signed_by(provenance)


def intervals_of(results: Results, plan: Plan, setup: Setup) -> ScoreIntervals:
    """Return the intervals of one system's scores, given counts of sentences; measures without a value have none."""
    outcomes = results.results.values()
    measures = (name for name in results.measures if not any(outcome.scores[name].reason for outcome in outcomes))
    counts = sentence_counts(results._replace(measures=tuple(measures)), plan, setup)
    parallel = results.parallel()
    scores = differences(counts, STANDARD, results.units, parallel)
    only = len(results.test_sets) == 1
    values: dict[tuple[str | None, str], Interval | None]
    values = {(None, score.measure): score.interval for score in scores if only or score.average == "macro"}
    values |= {(score.treebank, score.measure): score.interval for score in scores if not score.average}
    line = unit_line(results.units, "confidence intervals", parallel.averaged())
    parts = {**signature_of_tests(STANDARD, results.units), **results.declared_parallel}
    return ScoreIntervals(values, parts, (*notes_on_intervals(results, scores), line))


def score_and_look(
    plan: Plan,
    setup: Setup,
    *,
    training: Training | None = None,
    look: VisitEach | None = None,
    intervals: bool = False,
    **how: Any,
) -> tuple[dict[str, Evaluation], Mapping[str, Any], ScoreIntervals | None]:
    """Score the outputs of one system, with a progress bar on terminals."""
    visit = VisitEach(partial(_LeakageVisitor, setup=setup, training=training, look=look)) if training else look
    how |= {"by_sentence": True, "resample_by": STANDARD.resample_by} if intervals else {}
    results = score_outputs(single_run(plan), setup, look=visit, **how)
    looked = {code: result for code, each in results.looked.items() for result in each.values()}
    evaluations = {}
    for (_, code), result in results.results.items():
        assert result.contents is not None  # all outputs are valid
        files = results.gold[code], result.contents
        provenance = pair_provenance(*files, setup, result.notes, result.measures)
        unsigned = Evaluation(result.scores, *files, provenance, result.valid_trees, result.partial_coverage)
        evaluation = unsigned.signed_by(provenance)
        if training is not None:
            leakage, looked[code] = looked[code]
            evaluation = leakage.added_to(evaluation)
        evaluations[code] = evaluation
    return evaluations, looked, intervals_of(results, plan, setup) if intervals else None


class _LeakageVisitor:
    """Finds leakage, and passes everything on to another visitor, if there is one."""

    def __init__(self, code: str, name: str, *, setup: Setup, training: Training, look: VisitEach | None) -> None:
        self._leakage = LeakageCounts(training, setup.read(code))
        self._others = [] if look is None else [look.start(code, name)]

    def start(self) -> None:
        for visitor in (self._leakage, *self._others):
            visitor.start()

    def add(self, piece: CountedPiece) -> None:
        for visitor in (self._leakage, *self._others):
            visitor.add(piece)

    def result(self, gold: FileSummary, system: FileSummary) -> tuple[Leakage, Any]:
        return self._leakage.leakage(), next((other.result(gold, system) for other in self._others), None)


def single_run(plan: Plan) -> Plan:
    """Return a plan, checking that it has a single run of a single system."""
    if len(plan.systems) != 1:
        several = len({system.name for system in plan.systems}) > 1
        found = f"{len(plan.systems)} {'systems' if several else 'runs'}"
        message = f"there are {found} ({', '.join(system.label for system in plan.systems[:5])}): give one, or use "
        message += "compare or rank" if several else "compare, which averages runs"
        folders = [system.folder for system in plan.systems if system.folder is not None]
        raise InputError(Fault("ambiguous-layout", message, Place(os.path.commonpath(folders) if folders else None)))
    return plan


class LanguagePair(NamedTuple):
    """A comparison of one system's scores on two treebanks.

    Args:
        system: the system.
        measure: the measure.
        treebank_a: the first treebank.
        treebank_b: the second treebank.
        value_a: the percentage or perplexity on the first treebank.
        value_b: the percentage or perplexity on the second treebank.
        difference: `value_a` minus `value_b`, in points unless the values are perplexities.
        difference_interval: the confidence interval of the difference; the intervals of all pairs hold simultaneously.
        p: the p-value, corrected for the number of pairs (Sidak).
        paired: whether the treebanks are parallel, so that translations are paired.
        influence: each sentence or document that alone causes more than a third of the variance of the difference, and
            what the difference would be without this sentence or document.
    """

    system: str
    measure: str
    treebank_a: str
    treebank_b: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    difference_interval: Interval | None
    p: Probability | None
    paired: bool
    influence: Annotated[tuple[Influenced, ...], NOT_A_COLUMN] = ()

    @property
    def treebanks(self) -> tuple[str, str]:
        """The names of the two treebanks."""
        return self.treebank_a, self.treebank_b


_KEYS = columns_of(LanguagePair)[:4]


@immutable
class Languages(Tabular):
    """Comparisons of each system's scores on two treebanks.

    Args:
        pairs: a comparison for each system, measure and pair of treebanks.
        provenance: the settings and files behind the numbers.
        perplexities: the measures whose values are perplexities.
        units: the sampling units (sentences or documents) of each treebank.
    """

    KIND: ClassVar[str] = "languages"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "pairs": (LanguagePair,), "influence": (*_KEYS, *INFLUENCE), "units": UNITS,
    }  # fmt: skip

    pairs: tuple[LanguagePair, ...]
    provenance: Provenance
    perplexities: tuple[str, ...] = ()
    units: Mapping[str, Units] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """A sentence that says how many differences in LAS are significant (in the first measure if LAS is missing)."""
        measures = {pair.measure: None for pair in self.pairs}
        measure = "LAS" if "LAS" in measures else next(iter(measures))
        tested = [pair for pair in self.pairs if pair.measure == measure and pair.p is not None]
        if not tested:
            return f"By {measure}, differences between treebanks are not tested: see the notes."
        significant = [pair for pair in tested if stars(pair.p)]
        if not significant:
            return f"By {measure}, no two treebanks differ significantly."
        most = max(significant, key=lambda pair: abs(pair.difference or 0))
        higher, lower = most.treebanks if (most.difference or 0) > 0 else most.treebanks[::-1]
        points = "" if measure in self.perplexities else " points"
        by = f"{formatted(abs(most.difference or 0), Column(measure))}{points} higher on {higher} than on {lower}"
        if len(tested) == 1:
            return f"{measure} of {most.system} is {by} (p {p_text(most.p)})."
        shown = f"{len(significant)} of {number_of(len(tested), 'difference')} in {measure}"
        are = "is" if len(significant) == 1 else "are"
        return f"{shown} {are} significant; the largest: {most.system} is {by} (p {p_text(most.p)})."

    def table(self) -> Table:
        """Return a table with a row for each system, pair of treebanks and measure."""
        groups: dict[tuple[str, ...], list[LanguagePair]] = {}
        for pair in self.pairs:
            groups.setdefault((pair.system, *pair.treebanks), []).append(pair)
        several = any(len({pair.measure for pair in pairs}) > 1 for pairs in groups.values())
        rows: list[tuple[Cell, ...]] = []
        for part, pair in ((part, pair) for part, pairs in groups.items() for pair in pairs):
            numbers = (pair.value_a, pair.value_b, pair.difference, pair.difference_interval, pair.p)
            rows.append((*part, "yes" if pair.paired else "no", pair.measure, *numbers, stars(pair.p)))
        notes = (
            Detail("Diff.: A minus B; Paired: whether both treebanks are parallel"),
            Detail(f"p and intervals are corrected for the number of pairs (Sidak): {STARS_NOTE}"),
            *([unit_line(self.units, with_p_values(pair.p for pair in self.pairs))] if self.units else []),
        )
        columns = (
            *(Column("System", "text"), Column("A", "text"), Column("B", "text"), Column("Paired", "text", rank=2)),
            *(Column("Measure", "text"), Column("Score A", rank=1), Column("Score B", rank=1), DIFFERENCE),
            *(Column(interval_head(self.provenance.signature["level"]), "points", rank=3), P, STARS),
        )
        rules = starts_of(row[: 3 if several else 1] for row in rows)
        return Table(columns, tuple(rows), notes, rules).signed(self.provenance)

    def _influence_rows(self) -> Iterator[Any]:
        for pair in self.pairs:
            for influenced in pair.influence:
                yield from ((*pair[: len(_KEYS)], *row) for row in influence_rows(influenced, pair.treebanks))

    def _units_rows(self) -> list[tuple[Any, ...]]:
        return unit_rows(self.units)


def compare_languages(
    plan: Plan, setup: Setup, *, settings: InferenceSettings = STANDARD, parallel: bool = False, **how: Any
) -> Languages:
    """Compare every pair of treebanks for every system; parallel ones (all, if declared) are paired by unit."""
    if len(plan.test_sets) < 2:
        raise InputError(Fault("too-few-treebanks", "languages requires at least two treebanks"))
    if parallel:
        plan = plan._replace(test_sets=tuple(test_set._replace(parallel="declared") for test_set in plan.test_sets))
    results = score_outputs(plan, setup, by_sentence=True, resample_by=settings.resample_by, **how)
    labels = tuple(system.label for system in plan.systems)
    counts = {code: count._replace(systems=labels) for code, count in sentence_counts(results, plan, setup).items()}
    joint = results.parallel()
    pairs = tuple(_pairs(counts, joint, settings.level))
    influenced = (
        (f"between {' and '.join(pair.treebanks)}", f"difference in {pair.measure} of {pair.system}", influenced)
        for pair in pairs
        for influenced in pair.influence
    )
    parts = {**measures_part(results), **signature_of_tests(settings, results.units), **results.declared_parallel}
    notes = [*unit_notes(results.units), *joint.notes(), *influence_notes(influenced)]
    provenance = comparison_provenance(sources_of_results(results), setup, parts, notes)
    return Languages(pairs, provenance, setup.perplexities, results.units)


def _pairs(counts: Mapping[str, SystemCounts], joint: ParallelUnits, level: float) -> Iterator[LanguagePair]:
    """Compare every two treebanks; parallel ones are paired by unit. Treebanks with few documents are not tested."""
    alone = {
        code: Scope(code, {code: count_units(table, joint.units[code], alone=True)}) for code, table in counts.items()
    }
    together = {codes: _together(counts, joint, codes) for codes in combinations(counts, 2) if joint.are_paired(*codes)}
    first = next(iter(counts.values()))
    n_systems = len(first.systems)
    for (s, system), (m, measure) in product(enumerate(first.systems), enumerate(first.measures)):
        scores = {code: scope.estimates([[[s]]], m)[0] for code, scope in alone.items()}
        known = {code for code, score in scores.items() if not np.isnan(score.value)}
        n_tests = len(known) * (len(known) - 1) // 2
        scale = 1 if m in first.perplexities else 100
        values = {code: percentage(scores[code].value) if scale == 100 else scores[code].value for code in known}
        for codes in combinations(counts, 2):
            one, other = (scores[code] for code in codes)
            a, b = (values.get(code) for code in codes)
            pair = LanguagePair(system, measure, *codes, a, b, None, None, None, codes in together)
            if known.issuperset(codes):
                estimate: Estimate | UnpairedDifference = UnpairedDifference(one, other, scale == 1)
                if codes in together:
                    (estimate,) = together[codes].estimates([[[s], [n_systems + s]]], m)
                of_each = level_of_each(level, n_tests)
                pair = pair._replace(
                    difference=scale * (one.value - other.value),
                    difference_interval=rescaled(estimate.interval(of_each), scale),
                    p=corrected(estimate.p(), n_tests),
                    influence=tuple(_influence(estimate, codes, of_each, scale)),
                )
            yield pair


def _together(counts: Mapping[str, SystemCounts], joint: ParallelUnits, codes: tuple[str, str]) -> Scope:
    """Two parallel treebanks as one with twice as many systems, so that a unit is left out of both."""
    numbers, places = np.unique(np.concatenate([joint.joint[code] for code in codes]), return_inverse=True)
    tables = [count_units(counts[code], joint.units[code]).table for code in codes]
    halves = []
    for table, rows in zip(tables, np.split(places, [len(tables[0].parts)]), strict=True):
        halves.append(np.zeros((len(numbers), *table.parts.shape[1:])))
        np.add.at(halves[-1], rows, table.parts)
    table = tables[0]._replace(systems=2 * tables[0].systems, parts=np.concatenate(halves, axis=1))
    return Scope(" and ".join(codes), {"": CountedUnits(table, "unit")})


def _influence(
    estimate: Estimate | UnpairedDifference, codes: tuple[str, str], level: float, scale: int
) -> Iterator[Influenced]:
    """The difference without influential units: of both treebanks together if they are paired, otherwise of each."""
    if isinstance(estimate, Estimate):
        yield from influenced_by(estimate, "difference", level, perplexity=scale == 1)
        return
    one, other = estimate.one.influence, estimate.other.influence
    rests = (
        (codes[0], one, one and estimate._replace(one=one.without)),
        (codes[1], other, other and estimate._replace(other=other.without)),
    )
    for code, influence, rest in rests:
        if influence and rest:
            unit, interval = influence.unit._replace(treebanks=(code,)), rescaled(rest.interval(level), scale)
            yield Influenced("difference", unit, 100 * influence.share, scale * rest.value, interval)
