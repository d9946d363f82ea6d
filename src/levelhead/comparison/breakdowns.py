"""The errors of one system on one or several treebanks: breakdowns, confusions, kinds of errors, counts, examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from levelhead.analysis import (
    Breakdown,
    Cascading,
    Confusion,
    break_down,
    cascading_errors,
    count_confusions,
    error_types,
    leave_out,
)
from levelhead.analysis.breakdown import check_breakable
from levelhead.analysis.confusion import Example, cells_named, examples_of
from levelhead.analysis.repairs import Repair, TreebankRepairs, average_repairs, repairs
from levelhead.analysis.word_properties import PropertySettings, RequestedNames, property_named
from levelhead.campaign.outputs import read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.breakdown_tables import breakdown_document, breakdown_table, repairs_document, repairs_table
from levelhead.comparison.error_tables import (
    cascading_document,
    cascading_table,
    confusion_document,
    confusion_table,
    errors_document,
    errors_table,
    examples_document,
    sentences_table,
)
from levelhead.comparison.evaluations import single_run
from levelhead.comparison.tree_text import draw_examples
from levelhead.errors import Fault, InputError, quoted
from levelhead.evaluation.by_sentence import SentenceCounts, count_sentences_of
from levelhead.evaluation.provenance import Provenance, joint_provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure_notes import notes_on, notes_on_schemes
from levelhead.significance import units_of
from levelhead.significance.jackknife import IntervalSettings
from levelhead.significance.units import AUTO, Units, unit_notes
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.contents import summary_of
from levelhead.treebank.schemes import Scheme

__all__ = [
    "Breakdowns",
    "CascadingErrors",
    "Confusions",
    "CountsBySentence",
    "ErrorExamples",
    "ErrorTypes",
    "PerTreebank",
    "Repairs",
    "WithIntervals",
]


class Intervals(NamedTuple):
    """The settings of confidence intervals.

    Args:
        resample_by: the units, see `levelhead.significance.units_of`.
        level: the confidence level.
    """

    resample_by: str = AUTO
    level: float = 0.95

    @property
    def signature(self) -> dict[str, str]:
        """Their parts of a signature."""
        return {"level": f"{self.level:g}", "resample-by": self.resample_by}


STANDARD_INTERVALS = Intervals()
"""95% intervals, by document if gold marks documents."""


_Found = TypeVar("_Found")

UsedScheme = tuple[Scheme, str]
"""A scheme of classes in addition to those of measures, and what uses it."""


@dataclass(frozen=True, repr=False)
class PerTreebank(Tabular, Generic[_Found]):
    """Results for the output of one system on each treebank.

    Args:
        treebanks: the results, by the code of the treebank.
        provenance: the provenance of the numbers.
    """

    treebanks: Mapping[str, _Found]
    provenance: Provenance


@dataclass(frozen=True, repr=False)
class WithIntervals(PerTreebank[_Found]):
    """Results with confidence intervals.

    Args:
        units: the units of each treebank.
        measure: the measure.
    """

    units: Mapping[str, Units] = field(default_factory=dict)
    measure: str = ""


class Breakdowns(WithIntervals[Sequence[Breakdown]]):
    """Scores by properties of words: one breakdown for each property, on each treebank."""

    def table(self) -> Table:
        """Return the result as a table."""
        return breakdown_table(self.treebanks, self.provenance.signature, self.units)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return breakdown_document(self.treebanks, self.provenance.signature, self.units)


@dataclass(frozen=True, repr=False)
class Repairs(WithIntervals[Sequence[Repair]]):
    """The gain of repairing each kind of error, on each treebank.

    Args:
        averages: the mean gains over treebanks; empty for a single treebank.
    """

    averages: Sequence[Repair] = ()

    def table(self) -> Table:
        """Return the result as a table."""
        return repairs_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return repairs_document(self)


class Confusions(PerTreebank[Confusion]):
    """Confusions of relations on each treebank."""

    def table(self) -> Table:
        """Return the result as a table."""
        return confusion_table(self.treebanks, self.provenance.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return confusion_document(self.treebanks, self.provenance.signature)


class ErrorTypes(PerTreebank[Mapping[str, int]]):
    """The types of errors: the number of words with each type, on each treebank."""

    def table(self) -> Table:
        """Return the result as a table."""
        return errors_table(self.treebanks, self.provenance.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return errors_document(self.treebanks, self.provenance.signature)


class CascadingErrors(PerTreebank[Sequence[Cascading]]):
    """Cascading errors: the number of wrong arcs whose head is attached correctly, by class, on each treebank."""

    def table(self) -> Table:
        """Return the result as a table."""
        return cascading_table(self.treebanks, self.provenance.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return cascading_document(self.treebanks, self.provenance.signature)


class CountsBySentence(PerTreebank[SentenceCounts]):
    """The counts of every measure in every sentence of each treebank."""

    def table(self) -> Table:
        """Return the result as a table."""
        return sentences_table(self.treebanks, (signature_line(self.provenance.signature),))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        columns = {name: counts.columns() for name, counts in self.treebanks.items()}
        return {**header("sentences", self.provenance.signature), "treebanks": columns}


def break_down_outputs(
    plan: Plan,
    setup: Setup,
    by: Sequence[Sequence[str]],
    settings: PropertySettings,
    intervals: Intervals = STANDARD_INTERVALS,
) -> Breakdowns:
    """Break a measure down by properties of words."""
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)
    names = [name for properties in by for name in properties]
    for name in names:
        property_named(name)
    requested = RequestedNames(names)

    def found(matches: Matches, how: IntervalSettings) -> list[Breakdown]:
        requested.see(matches.gold)
        shared: dict[str, Any] = {"registry": setup.registry, "intervals": how}
        every = (break_down(matches, measure, properties, settings, **shared) for properties in by)
        return [leave_out(breakdown, matches, setup.registry) for breakdown in every]

    scheme = (settings.scheme, "--by class") if "class" in names else None
    result = Breakdowns(*_with_intervals(plan, setup, found, intervals, scheme), str(measure))
    requested.check()
    return result


def repairs_of_outputs(plan: Plan, setup: Setup, intervals: Intervals = STANDARD_INTERVALS) -> Repairs:
    """Return the gain of repairing each kind of error."""
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)

    def found(matches: Matches, how: IntervalSettings) -> TreebankRepairs:
        return repairs(matches, measure, how, registry=setup.registry)

    each, provenance, units = _with_intervals(plan, setup, found, intervals)
    averages = average_repairs([*each.values()], intervals.level) if len(each) > 1 else ()
    kinds = {code: treebank.kinds for code, treebank in each.items()}
    return Repairs(kinds, provenance, units, str(measure), averages)


def _with_intervals(
    plan: Plan,
    setup: Setup,
    function: Callable[[Matches, IntervalSettings], _Found],
    intervals: Intervals,
    scheme: UsedScheme | None = None,
) -> tuple[dict[str, _Found], Provenance, dict[str, Units]]:
    """The result of a function for each output, the provenance, and the units of each treebank."""
    every: list[Units] = []

    def found(matches: Matches) -> _Found:
        every.append(units_of(matches.gold, intervals.resample_by))
        return function(matches, IntervalSettings(every[-1], intervals.level))

    results, provenance = for_each_output(plan, setup, found, scheme)
    units = dict(zip(results, every, strict=True))
    notes = (*provenance.notes, *unit_notes(units, "intervals"))
    return results, replace(provenance.with_parts(**intervals.signature), notes=notes), units


def confuse_outputs(plan: Plan, setup: Setup) -> Confusions:
    """Return the confusions of relations."""
    return Confusions(*for_each_output(plan, setup.with_measures(()), count_confusions))


def error_types_of_outputs(plan: Plan, setup: Setup) -> ErrorTypes:
    """Return the number of words with each type of error."""
    return ErrorTypes(*for_each_output(plan, setup.with_measures(()), error_types))


def cascading_errors_of_outputs(plan: Plan, setup: Setup, scheme: Scheme) -> CascadingErrors:
    """Return the number of wrong arcs whose head is attached correctly."""
    used = (scheme, "--by cascading")
    return CascadingErrors(
        *for_each_output(plan, setup.with_measures(()), lambda matches: cascading_errors(matches, scheme), used)
    )


def count_sentences_of_outputs(plan: Plan, setup: Setup) -> CountsBySentence:
    """Return the counts of every measure in every sentence."""
    with read_outputs(single_run(plan), setup, trees=False) as outputs:
        found = {code: count_sentences_of(output.matches, setup) for code, (output,) in outputs}
    return CountsBySentence(found, joint_provenance({code: counts.provenance for code, counts in found.items()}))


def for_each_output(
    plan: Plan, setup: Setup, function: Callable[[Matches], _Found], scheme: UsedScheme | None = None
) -> tuple[dict[str, _Found], Provenance]:
    """Return the result of a function for the output on each treebank, by its code, and the provenance."""
    results, provenances = {}, {}
    with read_outputs(single_run(plan), setup) as outputs:
        for code, (output,) in outputs:
            results[code] = function(output.matches)
            provenances[code] = _provenance(output.matches, setup, scheme)
    return results, joint_provenance(provenances)


def _provenance(matches: Matches, setup: Setup, scheme: UsedScheme | None) -> Provenance:
    gold, system = matches.gold, matches.system
    notes = notes_on(gold, system, setup.defined, setup.rules, setup.registry.schemes)
    parts = setup.signature_of_measures()
    if scheme:
        notes += notes_on_schemes(gold, system, [(scheme[0], (scheme[1],))])
        parts |= {"scheme": scheme[0].name}
    return pair_provenance(summary_of(gold), summary_of(system), setup, notes, parts)


DRAWN = 5
"""The default number of sentences that are drawn; tables and JSON then have all."""


@dataclass(frozen=True, eq=False, repr=False)
class ErrorExamples(Tabular):
    """Words with the wrong relation, with their sentences.

    Args:
        system: the name of the system.
        matches: the aligned words.
        cells: all words with each error, such as `nsubj:obj` (gold relation, system relation).
        limit: the maximum number of words per error to show; if None, 5 are drawn, and tables and JSON have all.
        provenance: their provenance.
    """

    system: str
    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    limit: int | None
    provenance: Provenance

    @property
    def listed(self) -> Mapping[str, Sequence[Example]]:
        """The words of each error in tables and JSON."""
        return {error: words[: self.limit] for error, words in self.cells.items()}

    @property
    def drawn(self) -> Mapping[str, Sequence[Example]]:
        """The words of each error that are drawn."""
        return {error: words[: self.limit or DRAWN] for error, words in self.cells.items()}

    def table(self) -> Table:
        """Return the result as a table."""
        return examples_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return examples_document(self.matches, self.listed, self.provenance.signature)

    def __str__(self) -> str:
        signature = signature_line(self.provenance.signature)
        return f"{draw_examples(self.matches, self.cells, self.limit or DRAWN)}{signature}"


def find_examples(plan: Plan, errors: Sequence[str], setup: Setup, limit: int | None = None) -> ErrorExamples:
    """Return words whose relation a system confuses with another."""
    if len(plan.test_sets) != 1:
        raise InputError(Fault("no-pairs", "examples of errors require a single pair of files, not folders"))
    read, provenance = for_each_output(plan, setup.with_measures(()), lambda matches: matches)
    (matches,) = read.values()
    cells = {error: tuple(examples_of(matches, *_relations(matches, error))) for error in errors}
    return ErrorExamples(plan.systems[0].label, matches, cells, limit, provenance)


def _relations(matches: Matches, error: str) -> tuple[str, str]:
    meant = cells_named(matches, error)
    if len(meant) > 1:
        readings = " or ".join(f"{gold} confused with {system}" for gold, system in meant)
        raise InputError(Fault("invalid-argument", f"{quoted(error)} is ambiguous: {readings}"))
    return meant[0]


_EXAMPLES = (
    Column("Error", "text"),
    Column("Sentence", "position"),
    Column("sent_id", "text"),
    Column("Word", "position"),
    Column("Form", "text"),
)


def examples_table(result: ErrorExamples) -> Table:
    """Return one row per example."""
    gold = result.matches.gold
    rows = (
        (error, example.gold_sentence + 1, sentence.id, example.gold_word + 1, sentence.forms[example.gold_word])
        for error, some in result.listed.items()
        for example in some
        for sentence in [gold[example.gold_sentence]]
    )
    return Table(_EXAMPLES, tuple(rows), (signature_line(result.provenance.signature),))
