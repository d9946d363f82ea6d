"""The scores of one system on several treebanks, and their comparison."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Annotated, Any, NamedTuple

import numpy as np

from levelhead.campaign.outputs import VisitEach
from levelhead.campaign.plan import Plan
from levelhead.comparison.systems import counts_and_sources, measures_part, score_outputs
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.fold import CountedPiece
from levelhead.evaluation.leakage import Leakage, LeakageCounts
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import Provenance, comparison_provenance, joint_provenance, pair_provenance
from levelhead.evaluation.score_tables import counts_table, mean_or_none, scores_document, scores_table, units_document
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Score
from levelhead.significance import (
    STANDARD,
    Estimate,
    InferenceSettings,
    SystemCounts,
    Units,
    check_settings,
    corrected,
    level_of_each,
    unit_line,
    unit_notes,
)
from levelhead.significance.differences import DIFFERENCE, STARS, P
from levelhead.significance.estimates import Interval, UnpairedDifference
from levelhead.significance.jackknife import Stratum, leave_out, spread_of
from levelhead.tables.documents import header, signature_line
from levelhead.tables.fields import Field, documented, record_document
from levelhead.tables.table import STARS_NOTE, Cell, Column, Table, interval_cell, interval_head, stars, value_cell
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import FileSummary, sources_document
from levelhead.treebank.training_data import Training

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
    visit = VisitEach(partial(_LeakageVisitor, setup=setup, training=training, look=look)) if training else look
    results = score_outputs(single_run(plan), setup, look=visit, **how)
    looked = {code: result for code, each in results.looked.items() for result in each.values()}
    evaluations = {}
    for (_, code), result in results.results.items():
        assert result.contents is not None  # all outputs are valid
        files = results.gold[code], result.contents
        provenance = pair_provenance(*files, setup, result.notes, result.measures)
        scores, valid_trees = (
            {name: replace(score, signature=provenance.signature) for name, score in some.items()}
            for some in (result.scores, result.valid_trees)
        )
        evaluation = Evaluation(scores, *files, provenance, valid_trees, result.partial_coverage)
        if training is not None:
            leakage, looked[code] = looked[code]
            evaluation = leakage.added_to(evaluation)
        evaluations[code] = evaluation
    return Evaluations(evaluations), looked


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
        runs = f"{len(plan.systems)} runs ({', '.join(system.label for system in plan.systems[:5])})"
        message = f"it has {runs}: name one, or use levelhead compare, which averages runs"
        folders = [system.folder for system in plan.systems if system.folder is not None]
        raise InputError(Fault("ambiguous-layout", message, Place(os.path.commonpath(folders) if folders else "")))
    return plan


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
    interval: Annotated[
        Interval | None,
        Field("Confidence interval of the difference, for all pairs jointly", scaled=True),
    ]
    p: Annotated[float | None, Field("P-value, corrected for the number of pairs (Sidak)", (0, 1))]
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
        groups: dict[tuple[str, ...], list[LanguagePair]] = {}
        for pair in self.pairs:
            groups.setdefault((pair.system, *pair.treebanks), []).append(pair)
        several = any(len({pair.measure for pair in pairs}) > 1 for pairs in groups.values())
        rows: list[tuple[Cell, ...]] = []
        starts: dict[tuple[str, ...], int] = {}  # by the parts between rules: the first row
        for part, pair in ((part, pair) for part, pairs in groups.items() for pair in pairs):
            starts.setdefault(part if several else part[:1], len(rows))
            perplexity = pair.measure in self.perplexities
            numbers = (value_cell(number, perplexity=perplexity) for number in (*pair.values, pair.difference))
            tested = (interval_cell(pair.interval, perplexity=perplexity), pair.p, stars(pair.p))
            rows.append((*part, "yes" if pair.paired else "no", pair.measure, *numbers, *tested))
        notes = (
            "Diff.: A minus B; Paired: whether both treebanks have the same sentences (sent_id)",
            f"p and intervals of differences hold for all pairs of treebanks jointly (Sidak): {STARS_NOTE}",
            *([unit_line(self.units)] if self.units else []),
            signature_line(self.provenance.signature),
        )
        columns = (
            *(Column(name, "text") for name in ("System", "A", "B", "Paired", "Measure")),
            *(Column("Score A"), Column("Score B"), DIFFERENCE),
            Column(interval_head(self.provenance.signature["level"]), "difference", ends=("diff_low", "diff_high")),
            *(P, STARS),
        )
        return Table(columns, tuple(rows), notes, frozenset(starts.values()) - {0})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("languages", self.provenance.signature),
            "units": units_document(self.units),
            "pairs": [record_document(pair, perplexity=pair.measure in self.perplexities) for pair in self.pairs],
            **sources_document(self.provenance),
        }


def compare_languages(
    plan: Plan, setup: Setup, *, settings: InferenceSettings = STANDARD, parallel: bool = False, **how: Any
) -> Languages:
    """Return the comparison of every pair of treebanks for every system, paired by sentence for the same sent_ids."""
    if len(plan.test_sets) < 2:
        raise InputError(Fault("too-few-treebanks", "languages requires at least two treebanks"))
    check_settings(settings)
    results = score_outputs(plan, setup, by_sentence=True, resample_by=settings.resample_by, of_gold=sent_ids, **how)
    counts, sources = counts_and_sources(results, plan, setup)
    labels = tuple(system.label for system in plan.systems)
    tables = {code: count._replace(systems=labels) for code, count in counts.items()}
    ids: dict[str, Sequence[str] | None] = dict(results.of_gold)
    believed = {
        name: None if texts is None or (not parallel and only_count(texts)) else texts for name, texts in ids.items()
    }
    own = {code: units.own() for code, units in results.units.items()}
    tables, keys = _coarsened(tables, believed, own)
    few = {code for code, units in results.units.items() if units.few}
    parts = {**measures_part(results), "level": f"{settings.level:g}", "resample-by": settings.resample_by}
    provenance = comparison_provenance(sources, setup, parts, (*unit_notes(results.units), *_not_paired(ids, believed)))
    provenance = provenance.with_parts(parallel="declared") if parallel else provenance
    return Languages(tuple(_pairs(tables, keys, few, settings.level)), provenance, setup.perplexities, results.units)


def sent_ids(pieces: Iterable[Treebank]) -> list[str] | None:
    """Return the ids of all sentences; None unless each sentence has a unique id."""
    ids = [sentence.id for piece in pieces for sentence in piece]
    known = [text for text in ids if text is not None]
    return known if len(set(known)) == len(ids) else None


def only_count(ids: Sequence[str]) -> bool:
    """Return whether ids only number the sentences without gaps: s1, s2, s3; unrelated treebanks share such ids."""
    parts = [re.fullmatch("(.*?)([0-9]{1,18})", text, re.DOTALL) for text in ids]
    prefixes = {match and match[1] for match in parts}
    numbers = {int(match[2]) for match in parts if match}
    return len(prefixes) <= 1 and len(numbers) == len(ids) > 0 and max(numbers) - min(numbers) + 1 == len(ids)


def _not_paired(ids: Mapping[str, Sequence[str] | None], believed: Mapping[str, object]) -> Iterator[str]:
    """Return notes on why treebanks that look parallel are not paired."""
    counting, partly = [], []
    for one, other in combinations(ids, 2):
        sides = [set(ids[name] or ()) for name in (one, other)]
        n_shared = len(set.intersection(*sides))
        most = max(map(len, sides))
        if n_shared == most and most and not (believed[one] and believed[other]):
            counting.append(f"{one} and {other}")
        elif n_shared < most and 2 * n_shared >= most:
            partly.append(f"{one} and {other} share {n_shared:,} of {most:,} sent_ids")
    same = " have the same sent_ids, but these are only numbers: not paired without --parallel"
    for pairs, reason in ((counting, same), (partly, ": not paired, since not all sentences are in both")):
        more = f" (and {len(pairs) - _MOST_NAMED} more pairs)" if len(pairs) > _MOST_NAMED else ""
        if pairs:
            yield f"{'; '.join(pairs[:_MOST_NAMED])}{more}{reason}"


def _coarsened(
    tables: Mapping[str, SystemCounts], ids: Mapping[str, Sequence[str] | None], units: Mapping[str, Units]
) -> tuple[dict[str, SystemCounts], dict[str, tuple[str, ...] | None]]:
    """Counts by joint units of parallel treebanks, which share sentences, and the id of a sentence of each unit."""
    parallel: dict[frozenset[str], dict[str, dict[str, int]]] = {}  # the unit of each sentence by its id
    for name, texts in ids.items():
        if texts is not None:
            parallel.setdefault(frozenset(texts), {})[name] = dict(zip(texts, units[name].of_sentence.tolist()))
    coarse: dict[str, SystemCounts] = dict(tables)
    keys: dict[str, tuple[str, ...] | None] = dict.fromkeys(ids)
    for treebanks in parallel.values():
        parent: dict[str, str] = {}

        def root(text: str, parent: dict[str, str] = parent) -> str:
            while parent.setdefault(text, text) != text:
                parent[text] = text = parent[parent[text]]
            return text

        for unit_of_text in treebanks.values():
            first: dict[int, str] = {}
            for text, unit in unit_of_text.items():
                parent[root(text)] = root(first.setdefault(unit, text))
        for name, unit_of_text in treebanks.items():
            joined = {unit: root(text) for text, unit in unit_of_text.items()}
            table = tables[name]
            rows = {key: row for row, key in enumerate(dict.fromkeys(joined.values()))}
            parts = np.zeros((len(rows), *table.parts.shape[1:]))
            np.add.at(parts, [rows[joined[unit]] for unit in range(len(table.parts))], table.parts)
            coarse[name], keys[name] = table._replace(parts=parts), tuple(rows)
    return coarse, keys


def _pairs(
    tables: Mapping[str, SystemCounts],
    ids: Mapping[str, tuple[str, ...] | None],
    few: set[str],
    level: float,
) -> list[LanguagePair]:
    """Compare every two treebanks; those with the same ids of units are paired, by unit in the order of ids.

    Treebanks with few documents are not tested.
    """
    strata = {name: leave_out(table) for name, table in tables.items()}
    parallel = {name: tuple(sorted(of_units)) for name, of_units in ids.items() if of_units is not None}
    for name in parallel:
        order = np.argsort(np.array(ids[name], dtype=object))
        strata[name] = strata[name]._replace(moves=strata[name].moves[order], sizes=strata[name].sizes[order])
    values = {name: table.values(table.parts.sum(axis=0)) for name, table in tables.items()}
    first = next(iter(tables.values()))
    pairs = []
    for (s, system), (m, measure) in product(enumerate(first.systems), enumerate(first.measures)):
        defined = sum(not np.isnan(value[s, m]) for value in values.values())
        n_tests = defined * (defined - 1) // 2
        for names in combinations(tables, 2):
            paired = names[0] in parallel and parallel[names[0]] == parallel.get(names[1])
            of_both = [float(values[name][s, m]) for name in names]
            one, other = (None if np.isnan(value) else value for value in of_both)
            difference = interval = p = None
            if one is not None and other is not None:
                estimate = _difference(of_both, [strata[name] for name in names], s, m, paired=paired)
                difference = one - other
                interval = estimate.interval(level_of_each(level, n_tests))
                p = None if few.intersection(names) else corrected(estimate.p(), n_tests)
            pairs.append(LanguagePair(system, measure, names, (one, other), difference, interval, p, paired))
    return pairs


def _difference(
    values: list[float], strata: list[Stratum], s: int, m: int, *, paired: bool
) -> Estimate | UnpairedDifference:
    """The difference between two treebanks; joint units are left out of both together."""
    one, other = strata
    if paired:
        spread = spread_of([one._replace(moves=one.moves - other.moves, sizes=(one.sizes + other.sizes) / 2)], [[s]], m)
        few = min(int(np.count_nonzero(stratum.sizes[:, s, m])) for stratum in strata)
        return spread.estimate(values[0] - values[1], difference=True)._replace(n_units=few)
    both = zip(values, strata, strict=True)
    first, second = (Estimate(value, *spread_of([stratum], [[s]], m)[:3]) for value, stratum in both)
    return UnpairedDifference(first, second, perplexity=not one.is_ratio[m])
