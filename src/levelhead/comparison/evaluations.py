"""The scores of one system on several treebanks, and their comparison."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from levelhead.campaign.outputs import VisitEach
from levelhead.campaign.plan import Plan
from levelhead.campaign.results import OutputResult, Results
from levelhead.comparison.systems import counts_and_sources, measures_part, score_outputs
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.leakage import Leakage, LeakageCounts
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import Provenance, comparison_provenance, joint_provenance, pair_provenance
from levelhead.evaluation.score_tables import counts_table, mean_or_none, scores_document, scores_table, units_document
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Score
from levelhead.significance import STANDARD as STANDARD_TESTS
from levelhead.significance import (
    Estimate,
    InferenceSettings,
    SystemCounts,
    Units,
    check_settings,
    holm,
    unit_line,
    unit_notes,
)
from levelhead.significance.differences import DIFFERENCE, HOLM, STARS
from levelhead.significance.estimates import Interval, UnpairedDifference
from levelhead.significance.jackknife import Spread, Stratum, leave_out, spread_of
from levelhead.tables.documents import header, signature_line
from levelhead.tables.fields import Field, documented, record_document
from levelhead.tables.table import STARS_NOTE, Cell, Column, Table, interval_cell, interval_head, stars, value_cell
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import FileSummary, sources_document
from levelhead.treebank.training_data import Training

if TYPE_CHECKING:
    from levelhead.evaluation.fold import CountedPiece

__all__ = ["Evaluations", "LanguagePair", "Languages"]


@immutable
class Evaluations(Mapping[str, Evaluation], Tabular):
    """The scores of one system on several test sets, by the code of the test set.

    Args:
        evaluations: the scores on each test set.
    """

    evaluations: Mapping[str, Evaluation]

    def __getitem__(self, code: str) -> Evaluation:
        return self.evaluations[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def average(self) -> Mapping[str, Fraction | None]:
        """The macro-average of each measure, see `average_scores`."""
        return average_scores(self.evaluations)

    @property
    def valid_trees_average(self) -> Mapping[str, Fraction | None]:
        """The macro-averages in which invalid trees count as wrong; empty unless scores are partial."""
        strict = {code: evaluation.valid_trees for code, evaluation in self.items()}
        return average_scores(strict) if all(strict.values()) else {}

    @property
    def provenance(self) -> Provenance:
        """The joint provenance of all test sets."""
        return joint_provenance({code: evaluation.provenance for code, evaluation in self.items()})

    def table(self, *, counts: bool = False) -> Table:
        """Return the result as a table.

        Args:
            counts: the counts behind the scores, instead of the scores.
        """
        return counts_table(self) if counts else scores_table(self, self.average, self.valid_trees_average)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return scores_document(self, self.average, self.valid_trees_average)


def score_and_look(
    plan: Plan, setup: Setup, *, training: Training | None = None, look: VisitEach | None = None, **how: Any
) -> tuple[Evaluations, Mapping[str, Any]]:
    """Score the outputs of one system, with a progress bar on terminals."""
    visit = look
    if training is not None:
        visit = VisitEach(partial(_LeakageVisitor, setup=setup, training=training, look=look))
    results = score_outputs(single_run(plan), setup, look=visit, **how)
    looked = {code: result for code, each in results.looked.items() for result in each.values()}
    evaluations = evaluations_of(results, setup)
    if training is None:
        return evaluations, looked
    leaking = {code: looked[code][0].added_to(evaluation) for code, evaluation in evaluations.items()}
    return Evaluations(leaking), {code: other for code, (_, other) in looked.items()}


class _LeakageVisitor(LeakageCounts):
    """The visitor that finds leakage, and passes everything on to another visitor, if there is one."""

    def __init__(self, code: str, name: str, *, setup: Setup, training: Training, look: VisitEach | None) -> None:
        self._other = None if look is None else look.start(code, name)
        super().__init__(training, setup.read(code))

    def start(self) -> None:
        """Forget all pieces."""
        super().start()
        if self._other is not None:
            self._other.start()

    def add(self, piece: CountedPiece) -> None:
        """Add a piece, or whole files."""
        super().add(piece)
        if self._other is not None:
            self._other.add(piece)

    def result(self, gold: FileSummary, system: FileSummary) -> tuple[Leakage, Any]:
        """Return leakage, and the result of the other visitor."""
        return self.leakage(), None if self._other is None else self._other.result(gold, system)


def single_run(plan: Plan) -> Plan:
    """Return a plan, checking that it has a single run of a single system."""
    if len(plan.systems) != 1:
        runs = ", ".join(system.label for system in plan.systems[:5])
        message = f"it has {len(plan.systems)} runs ({runs}): name one, or use levelhead compare, which averages runs"
        folders = [system.folder for system in plan.systems if system.folder is not None]
        place = os.path.commonpath(folders) if folders else ""
        raise InputError(Fault("ambiguous-layout", message, Place(place)))
    return plan


def evaluations_of(results: Results, setup: Setup) -> Evaluations:
    """Return the scores of a single system on each test set, by its code."""
    (system,) = results.systems
    outcomes = {test_set.code: results.results[system, test_set.code] for test_set in results.test_sets}
    return Evaluations({code: _evaluation(results.gold[code], result, setup) for code, result in outcomes.items()})


def _evaluation(gold: FileSummary, result: OutputResult, setup: Setup) -> Evaluation:
    if result.contents is None:
        raise ValueError("only valid outputs have an evaluation")
    provenance = pair_provenance(gold, result.contents, setup, result.notes, result.measures)
    scores, valid_trees = (
        {name: replace(score, signature=provenance.signature) for name, score in one.items()}
        for one in (result.scores, result.valid_trees)
    )
    return Evaluation(scores, gold, result.contents, provenance, valid_trees, result.partial_coverage)


def average_scores(evaluations: Mapping[str, Mapping[str, Score]]) -> dict[str, Fraction | None]:
    """Return the exact average of each measure over treebanks; None if any treebank has no value."""
    return {
        name: mean_or_none([evaluation[name].exact for evaluation in evaluations.values()])
        for name in next(iter(evaluations.values()))
    }


_MOST_NAMED = 3


@documented
class LanguagePair(NamedTuple):
    """The comparison of two treebanks for one system and measure."""

    system: Annotated[str, Field("System")]
    measure: Annotated[str, Field("Measure")]
    treebanks: Annotated[tuple[str, str], Field("The two treebanks, A and B")]
    values: Annotated[tuple[float | None, float | None], Field("Percent on A and on B", scaled=True)]
    difference: Annotated[float | None, Field("Points: A minus B", scaled=True)]
    interval: Annotated[Interval | None, Field("Confidence interval of the difference, in points", scaled=True)]
    p: Annotated[float | None, Field("P-value", (0, 1))]
    p_holm: Annotated[float | None, Field("P-value corrected for several pairs (Holm)", (0, 1))]
    paired: Annotated[bool, Field("Whether both have the same sentences")]


@immutable
class Languages(Tabular):
    """The comparison of every pair of treebanks for every system.

    Args:
        pairs: one result per system, measure and pair of treebanks.
        provenance: the provenance of the numbers.
        perplexities: the measures whose values are perplexities.
        units: the units of each treebank.
    """

    pairs: tuple[LanguagePair, ...]
    provenance: Provenance
    perplexities: tuple[str, ...] = ()
    units: Mapping[str, Units] = field(default_factory=dict)

    def table(self) -> Table:
        """Return one row for each system, pair of treebanks and measure."""
        order = {key: number for number, key in enumerate(dict.fromkeys(map(_compared, self.pairs)))}
        pairs = sorted(self.pairs, key=lambda pair: order[_compared(pair)])
        several = len({pair.measure for pair in pairs}) > 1
        parts = [_compared(pair) if several else (pair.system,) for pair in pairs]
        rules = frozenset(i for i in range(1, len(parts)) if parts[i] != parts[i - 1])
        notes = (
            "Diff.: A minus B; Paired: whether both treebanks have the same sentences (sent_id)",
            f"p corrected across pairs of treebanks (Holm): {STARS_NOTE}",
            *([unit_line(self.units)] if self.units else []),
            signature_line(self.provenance.signature),
        )
        columns = (
            *(Column(name, "text") for name in ("System", "A", "B", "Paired", "Measure")),
            *(Column("Score A"), Column("Score B"), DIFFERENCE),
            Column(interval_head(self.provenance.signature["level"]), "difference", ends=("diff_low", "diff_high")),
            *(Column("p", "probability", tidy_only=True), HOLM, STARS),
        )
        rows = tuple(_pair_row(pair, plain=pair.measure in self.perplexities) for pair in pairs)
        return Table(columns, rows, notes, rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("languages", self.provenance.signature),
            "units": units_document(self.units),
            "pairs": [record_document(pair, plain=pair.measure in self.perplexities) for pair in self.pairs],
            **sources_document(self.provenance),
        }


def compare_languages(
    plan: Plan, setup: Setup, *, settings: InferenceSettings = STANDARD_TESTS, parallel: bool = False, **how: Any
) -> Languages:
    """Return the comparison of every pair of treebanks for every system.

    Treebanks with the same sent_ids are parallel, so differences are paired by sentence. Ids that only number the
    sentences (1 to n after a common prefix) are not evidence, since unrelated treebanks share them.
    """
    if len(plan.test_sets) < 2:
        raise InputError(Fault("too-few-treebanks", "languages requires at least two treebanks"))
    check_settings(settings)
    results = score_outputs(plan, setup, by_sentence=True, resample_by=settings.resample_by, of_gold=sent_ids, **how)
    counts, sources = counts_and_sources(results, plan, setup)
    labels = tuple(system.label for system in plan.systems)
    tables = {code: count._replace(systems=labels) for code, count in counts.items()}
    ids = {code: None if own is None else tuple(own) for code, own in results.of_gold.items()}
    believed = {name: own if own is None or parallel or not only_count(own) else None for name, own in ids.items()}
    units = results.units
    tables, keys = _coarsened(tables, believed, units)
    pairs = tuple(_pairs(tables, keys, settings))
    tests = {"level": f"{settings.level:g}", "resample-by": settings.resample_by}
    parts = {**measures_part(results), **tests}
    notes = (*unit_notes(units), *_not_paired(ids, believed))
    provenance = comparison_provenance(sources, setup, parts, notes)
    if parallel:
        provenance = provenance.with_parts(parallel="declared")
    return Languages(pairs, provenance, setup.perplexities, units)


def sent_ids(pieces: Iterable[Treebank]) -> list[str] | None:
    """Return the ids of all sentences; None unless each sentence has a unique id."""
    ids = [sentence.id for piece in pieces for sentence in piece]
    known = [text for text in ids if text is not None]
    return known if len(set(known)) == len(ids) else None


def only_count(ids: Sequence[str]) -> bool:
    """Return whether ids only number the sentences without gaps after a common prefix: s1, s2, s3."""
    found = [_NUMBERED.fullmatch(text) for text in ids]
    if len({match and match[1] for match in found}) > 1:
        return False
    numbers = {int(match[2]) for match in found if match}
    return len(numbers) == len(ids) > 0 and max(numbers) - min(numbers) + 1 == len(ids)


_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)


def _not_paired(ids: Mapping[str, tuple[str, ...] | None], believed: Mapping[str, object]) -> Iterator[str]:
    """Return notes on why treebanks that look parallel are not paired."""
    counting, partly = [], []
    for one, other in combinations(ids, 2):
        ours, theirs = set(ids[one] or ()), set(ids[other] or ())
        both, most = len(ours & theirs), max(len(ours), len(theirs))
        if both == most and both and not (believed[one] and believed[other]):
            counting.append(f"{one} and {other}")
        elif both < most and 2 * both >= most:
            partly.append(f"{one} and {other} share {both:,} of {most:,} sent_ids")
    if counting:
        yield f"{_named(counting)} have the same sent_ids, but these are only numbers: not paired without --parallel"
    if partly:
        yield f"{_named(partly)}: not paired, since not all sentences are in both"


def _named(pairs: Sequence[str]) -> str:
    """The first pairs of treebanks, and the number of the others."""
    more = len(pairs) - _MOST_NAMED
    return "; ".join(pairs[:_MOST_NAMED]) + (f" (and {more} more pairs)" if more > 0 else "")


def _coarsened(
    tables: Mapping[str, SystemCounts], ids: Mapping[str, tuple[str, ...] | None], units: Mapping[str, Units]
) -> tuple[dict[str, SystemCounts], dict[str, tuple[str, ...] | None]]:
    """Counts by joint units of parallel treebanks, and the ids of each unit, even if only one treebank marks documents.

    Units of parallel treebanks that share a sentence become one unit of both.
    """
    same: dict[frozenset[str], list[str]] = {}
    for name, own in ids.items():
        if own is not None:
            same.setdefault(frozenset(own), []).append(name)
    coarse, keys = dict(tables), dict.fromkeys(ids)
    for names in same.values():
        joined = _joined_units([(ids[name] or (), units[name].of_sentence.tolist()) for name in names])
        for name in names:
            unit_of = dict(zip(units[name].of_sentence.tolist(), (joined[text] for text in ids[name] or ())))
            keys[name] = tuple(dict.fromkeys(unit_of.values()))
            number = {key: i for i, key in enumerate(keys[name] or ())}
            parts = np.zeros((len(number), *tables[name].parts.shape[1:]))
            np.add.at(parts, [number[unit_of[unit]] for unit in range(len(tables[name].parts))], tables[name].parts)
            coarse[name] = tables[name]._replace(parts=parts)
    return coarse, keys


def _joined_units(parts: Sequence[tuple[Sequence[str], Sequence[int]]]) -> dict[str, str]:
    """The unit of each sentence by its id, named after one of its sentences; units that share a sentence are joined."""
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        while parent.setdefault(text, text) != text:
            parent[text] = text = parent[parent[text]]
        return text

    for ids, numbers in parts:
        first: dict[int, str] = {}
        for text, number in zip(ids, numbers):
            parent[root(text)] = root(first.setdefault(number, text))
    return {text: root(text) for text in list(parent)}


def _pairs(
    tables: Mapping[str, SystemCounts], ids: Mapping[str, tuple[str, ...] | None], settings: InferenceSettings
) -> list[LanguagePair]:
    """Compare every two treebanks; those with the same ids of units are paired, by unit in the order of ids."""
    strata = {name: leave_out(table) for name, table in tables.items()}
    parallel = {name: tuple(sorted(of_units)) for name, of_units in ids.items() if of_units is not None}
    for name in parallel:
        order = np.argsort(np.array(ids[name], dtype=object))
        strata[name] = strata[name]._replace(moves=strata[name].moves[order], sizes=strata[name].sizes[order])
    first = next(iter(tables.values()))
    pairs = []
    for s, system in enumerate(first.systems):
        for m, measure in enumerate(first.measures):
            rows = []
            for one, other in combinations(tables, 2):
                paired = one in parallel and parallel[one] == parallel.get(other)
                both = [strata[name] for name in (one, other)]
                values = [float(tables[name].values(tables[name].parts.sum(axis=0))[s, m]) for name in (one, other)]
                estimate = _difference(values, both, s, m, paired=paired)
                rows.append(_pair(system, measure, (one, other), values, estimate, paired, settings))
            adjusted = holm([row.p for row in rows])
            pairs += [row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return pairs


def _difference(
    values: list[float], strata: list[Stratum], s: int, m: int, *, paired: bool
) -> Estimate | UnpairedDifference:
    """The difference between two treebanks; joint units are left out of both together."""
    one, other = strata
    if paired:
        moves = one.moves - other.moves
        spread = spread_of([one._replace(moves=moves, sizes=(one.sizes + other.sizes) / 2)], [[s]], m)
        few = min(int(np.count_nonzero(stratum.sizes[:, s, m])) for stratum in strata)
        return Estimate(values[0] - values[1], spread.variance + spread.observation, spread.freedom, few)
    first, second = (
        _value(value, spread_of([stratum], [[s]], m)) for value, stratum in zip(values, strata, strict=True)
    )
    return UnpairedDifference(first, second, perplexity=not one.is_ratio[m])


def _value(value: float, spread: Spread) -> Estimate:
    return Estimate(value, spread.variance, spread.freedom, spread.n_units)


def _pair(
    system: str,
    measure: str,
    treebanks: tuple[str, str],
    values: list[float],
    difference: Estimate | UnpairedDifference,
    paired: bool,
    settings: InferenceSettings,
) -> LanguagePair:
    one, other = (None if np.isnan(value) else value for value in values)
    if one is None or other is None:
        return LanguagePair(system, measure, treebanks, (one, other), None, None, None, None, paired)
    between = difference.interval(settings.level)
    return LanguagePair(system, measure, treebanks, (one, other), one - other, between, difference.p(), None, paired)


def _compared(pair: LanguagePair) -> tuple[str, ...]:
    return (pair.system, *pair.treebanks)


def _pair_row(pair: LanguagePair, *, plain: bool) -> tuple[Cell, ...]:
    return (
        *(pair.system, *pair.treebanks, "yes" if pair.paired else "no", pair.measure),
        *(value_cell(number, perplexity=plain) for number in (*pair.values, pair.difference)),
        interval_cell(pair.interval, perplexity=plain),
        *(pair.p, pair.p_holm, stars(pair.p_holm)),
    )
